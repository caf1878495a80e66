package codegen

import (
	"fmt"
	"slices"
	"strings"

	"loopc/codegen/vector"
	"loopc/ir"
)

// A nest within a repeat may have so few iterations that they take less time than a walk over the boxes of the nest, which finds
// bounds and prepares the kernel for each run. The function of the repeat then calls the kernel without a walk. One call computes
// a box: all rows that are neighbors along the last coordinate but one. Loops in Go go through the coordinates before it.

// callsBoxes reports whether loops in Go may call a vector kernel for several rows of entire arrays together: all have the same
// columns, each coordinate is a loop, and no cell is looked up.
func (g *generator) callsBoxes() bool {
	return len(g.n.Loops) > 1 && !g.l.Levelled && g.callable() && !g.alongRows().Checks() && !slices.ContainsFunc(g.n.Loops, variesWithLoops) && g.boxLoops() != nil
}

// variesWithLoops reports whether a bound of a loop depends on other loops.
func variesWithLoops(l ir.Loop) bool {
	return slices.ContainsFunc(slices.Concat(l.Lo, l.Hi), func(a ir.Affine) bool { return a.HasIters() })
}

// boxLoops returns, by coordinate of the kernel for rows, the loop that is this coordinate and counts in the same direction. It
// returns nil if some coordinate is no single loop.
func (g *generator) boxLoops() (order []int) {
	for x, row := range g.l.Skew {
		loop := x
		if !g.alongRows().Rows() {
			loop = slices.IndexFunc(row, func(c int) bool { return c != 0 })
			if others := row[loop+1:]; row[loop] != g.n.Loops[loop].Step() || slices.ContainsFunc(others, func(c int) bool { return c != 0 }) {
				return nil
			}
		}
		order = append(order, loop)
	}
	return order
}

// callBox prints the calls of a vector kernel for the boxes of a nest with few iterations; row is the kernel's function. The
// statement that follows is for other runs of the nest: callBox ends with else.
func (w *seqWriter) callBox(row, frame string) {
	g, order := w.generator, w.boxLoops()
	first := slices.Clone(g.loops)  // by loop: its value in the first iteration of a box
	var counts, iterations []string // by coordinate: the variable with the number of iterations, and what it is
	bounds := map[int][2]string{}
	for _, k := range order {
		l := w.n.Loops[k]
		lo, hi := extremeOf("max", l.Lo, g.loops, g.params), extremeOf("min", l.Hi, g.loops, g.params)
		if first[k] = factor(lo); l.Backward {
			first[k] = factor(hi)
		}
		counts, bounds[k] = append(counts, w.s.name("of"+exported(l.Name))), [2]string{lo, hi}
		if lo != "1" {
			hi = fmt.Sprintf("%s - %s + 1", hi, factor(lo))
		}
		iterations = append(iterations, hi)
	}
	all, depth := strings.Join(counts, ", "), len(order)
	inLanes := w.inLanes(func(k int) (lo, hi string) { return bounds[k][0], bounds[k][1] })
	w.linef("if %s := %s; %s != nil && kernel.FewIterations(%s)%s {", all, strings.Join(iterations, ", "), row, all, inLanes)
	w.call = &rowCall{row: row, frame: w.s.name("frame")}
	w.linef("%s := &%s", w.call.frame, frame)
	for x, k := range order[:depth-2] {
		from, sign := first[k], "+"
		if w.n.Loops[k].Backward {
			sign = "-"
		}
		first[k] = g.loops[k]
		w.linef("for %[1]s, %[2]s := %[3]s, %[2]s; %[2]s > 0; %[1]s, %[2]s = %[1]s%[4]s1, %[2]s-1 {", first[k], counts[x], from, sign)
	}
	w.frameOf(first, order[depth-1], order[depth-2])
	w.linef("%s[%d], %s[%d] = %s, %s", w.call.frame, vector.FrameRows, w.call.frame, vector.FrameWidth, counts[depth-2], counts[depth-1])
	w.linef("%s(&%s[0])", row, w.call.frame)
	for range order[:depth-2] {
		w.linef("}")
	}
	w.call = nil
	fmt.Fprint(&w.buf, "} else ")
}
