package codegen

import (
	"fmt"
	"slices"

	"loopc/codegen/vector"
	"loopc/ir"
)

// A nest of two loops within a repeat may have so few iterations that a walk over its boxes, which finds bounds and prepares the
// kernel for each run, takes longer than they do. The function of the repeat then calls the kernel once, for all rows.

// callsBoxes reports whether loops in Go may call a vector kernel for all rows of entire arrays together: all have the same
// columns, and go along one loop.
func (g *generator) callsBoxes() bool {
	if len(g.n.Loops) != 2 || g.l.Levelled || !g.callable() || slices.ContainsFunc(g.n.Loops, variesWithLoops) {
		return false
	}
	_, inner := g.boxLoops()
	return inner >= 0
}

// variesWithLoops reports whether a bound of a loop depends on other loops.
func variesWithLoops(l ir.Loop) bool {
	return slices.ContainsFunc(slices.Concat(l.Lo, l.Hi), func(a ir.Affine) bool { return a.HasIters() })
}

// boxLoops returns the loops along which the rows of a kernel follow one another, and along which they lie; -1 if the
// coordinates are not two loops.
func (g *generator) boxLoops() (outer, inner int) {
	if g.alongRows().Rows() {
		return 0, 1
	}
	at := [2]int{-1, -1}
	for x, row := range g.l.Skew {
		for k, c := range row {
			switch {
			case c == 0:
			case c != 1 || at[x] >= 0:
				return -1, -1
			default:
				at[x] = k
			}
		}
	}
	return at[0], at[1]
}

// callBox prints the call of a vector kernel for all rows of a nest, by function row, if they are few.
func (w *seqWriter) callBox(row, frame string) {
	outer, inner := w.boxLoops()
	g, first, counts := w.generator, slices.Clone(w.generator.loops), [2]string{}
	for k, l := range w.n.Loops {
		lo, hi := extremeOf("max", l.Lo, g.loops, g.params), extremeOf("min", l.Hi, g.loops, g.params)
		if first[k] = factor(lo); l.Backward {
			first[k] = factor(hi)
		}
		if counts[k] = hi; lo != "1" {
			counts[k] = fmt.Sprintf("%s - %s + 1", hi, factor(lo))
		}
	}
	rows, width := w.s.name("rows"), w.s.name("width")
	w.linef("if %s, %s := %s, %s; %s != nil && kernel.FewIterations(%s, %s) {", rows, width, counts[outer], counts[inner], row, rows, width)
	w.call = &rowCall{row, w.s.name("frame")}
	w.linef("%s := &%s", w.call.frame, frame)
	w.frameOf(first, inner, outer)
	w.linef("%s[%d], %s[%d] = %s, %s", w.call.frame, vector.FrameRows, w.call.frame, vector.FrameWidth, rows, width)
	w.linef("%s(&%s[0])", row, w.call.frame)
	w.call = nil
	fmt.Fprint(&w.buf, "} else ")
}
