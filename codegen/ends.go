package codegen

import (
	"fmt"
	"slices"

	"loopc/codegen/vector"
	"loopc/ir"
	"loopc/runtime/boundary"
)

// splits reports whether vectors compute only parts of boxes: see kernel.Split.
func (g *generator) splits() bool {
	if g.vector.shape == nil {
		return false
	}
	cells, rows := g.vector.shape.Within(false)
	return len(cells)+len(rows) > 0
}

// ends prints the words of the cells beyond the ends of rows.
func (w *vectorWriter) ends() {
	s := w.s
	if len(s.Ends) == 0 {
		return
	}
	w.linef("frame[%d] = 0", s.FrameLast())
	for k := range s.Ends {
		e := &s.Ends[k]
		words := fmt.Sprintf("frame[%d:%d]", s.FrameEnd(k), s.FrameEnd(k+1))
		slots := w.rotating != nil && w.n.Arrays[e.Array].Boundary != nil
		if e.Live && slots {
			w.linef("kernel.NoEnd(%s)", words)
			continue
		}
		if e.Live {
			w.linef("if block.Base == nil { // the block has exterior cells")
			w.linef("kernel.NoEnd(%s)", words)
			w.linef("} else {")
		}
		arr := &w.n.Arrays[e.Array]
		ends := arr.Boundary[e.Dim]
		w.linef("frame[%d] = max(frame[%d], kernel.End{First: %s, Width: frame[%d], Along: %d, Lo: %s, Hi: %s, Ends: boundary.Ends{%#v, %#v}, Size: %d, Before: %d, Reach: %d}.Words(%s))",
			s.FrameLast(), s.FrameLast(), w.subscript(e.Sub), vector.FrameWidth, e.Along, w.subscript(arr.Lo[e.Dim]), w.subscript(arr.Hi[e.Dim]), ends[0], ends[1], e.Size, e.Before, e.Reach(), words)
		if e.Live {
			w.linef("}")
		}
	}
}

// inward is subscript m of a stream at the first iteration of the box. A boundary moves it into the array if the whole
// row has the same subscript; guards may allow subscripts that no boundary moves far enough.
func (w *vectorWriter) inward(x *vector.Stream, m int) string {
	at := w.subscript(x.Subs[m])
	if x.Memory != vector.Given {
		return at
	}
	arr := &w.n.Arrays[x.Array]
	lo, hi := w.subscript(arr.Lo[m]), w.subscript(arr.Hi[m])
	moved := at
	for side, kind := range w.s.Inward(x.Array, m, x.Subs[m]) {
		if kind != boundary.None {
			moved = fmt.Sprintf("%#v.%s(%s, %s, %s)", kind, [...]string{"Below", "Above"}[side], moved, lo, hi)
		}
	}
	if moved == at {
		return at
	}
	return fmt.Sprintf("min(max(%s, %s), %s)", moved, lo, hi)
}

// endsInArrays reports whether a vector kernel in entire arrays finds the cell that a boundary gives for a read beyond the bounds
// of an array with results. The cell lies in another row, so the order of rows decides.
func (g *generator) endsInArrays(read int) bool {
	r, s := g.n.Reads[read], g.vector.shape
	noEnds := func(f vector.Function) bool { return !f.Ends }
	if cells, _ := s.Within(true); !s.TakesEnd(read) || len(cells)+len(s.Indices) > 0 || slices.ContainsFunc(g.vector.functions, noEnds) {
		return false // the portable kernel, which would compute some iterations, needs exterior cells
	}
	inner, _ := g.rowLoop()
	if loop := &g.n.Loops[inner]; len(loop.Lo) > 1 || len(loop.Hi) > 1 {
		return false
	}
	for m, sub := range r.Subs {
		if leaves := s.Leaves(r.Array, m, sub); sub.Iter(inner) == 0 && leaves != [2]bool{} {
			return false
		}
	}
	for _, by := range g.n.Assigns(r.Array) {
		if !g.sameForm(r.Subs, by) {
			return false
		}
		subs := slices.Clone(r.Subs)
		for m, sub := range g.n.Body[by].(*ir.Assign).Subs {
			if sub.Iter(inner) != 0 {
				subs[m] = sub
			}
		}
		apart, free, meet := g.between(subs, by)
		if !meet {
			continue
		}
		free[inner] = false
		if !everyDistance(apart, free, 0, func() bool { return g.n.Steps(apart).Sign() != 0 && g.inOrder(apart, false) }) {
			return false
		}
	}
	return true
}
