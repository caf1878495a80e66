package codegen

import (
	"fmt"
	"reflect"
	"slices"

	"loopc/codegen/vector"
	"loopc/ir"
	"loopc/runtime/boundary"
	"loopc/transform/plan"
)

// splits reports whether vectors compute only parts of boxes: see kernel.Split.
func (g *generator) splits() bool {
	if g.vector.shape == nil {
		return false
	}
	cells, rows := g.within(false)
	return len(cells)+len(rows) > 0
}

// within returns the forms of the kernel's Split: see vector.Shape.Within. In the caller's arrays, each row of results that guards keep
// iterations from is computed by itself, too: see inside.
func (g *generator) within(ends bool) (cells, rows []plan.Affine) {
	s := g.vector.shape
	cells, rows = s.Within(ends)
	if !g.inArrays() || g.rotating != nil {
		return cells, rows
	}
	for k := range s.Streams {
		g.eachGuarded(k, func(array, m int, sub ir.Affine) {
			for _, f := range s.Beyond(array, m, sub) {
				if !slices.ContainsFunc(rows, func(r plan.Affine) bool { return reflect.DeepEqual(f, r) }) {
					rows = append(rows, f)
				}
			}
		})
	}
	return cells, rows
}

// eachGuarded calls f for each subscript of stream k of results that is the same for a row of iterations, and may be beyond the bounds where
// a guard keeps the row from the cells.
func (g *generator) eachGuarded(k int, f func(array, m int, sub ir.Affine)) {
	s := g.vector.shape
	if x := &s.Streams[k]; x.Memory == vector.Live && s.ReadsBeyond(k) {
		array, subs := g.liveCells(x)
		for m, sub := range subs {
			if s.Coefficient(sub, s.Last()) == 0 && s.Leaves(array, m, sub) != [2]bool{} {
				f(array, m, sub)
			}
		}
	}
}

// entire prints the variable of inside, if any stream needs it.
func (w *vectorWriter) entire() {
	for k := range w.s.Streams {
		if len(w.inside(k)) > 0 {
			w.linef("entire := 1 // in entire arrays")
			w.linef("if block.Base == nil { // the block has exterior cells")
			w.linef("entire = 0")
			w.linef("}")
			return
		}
	}
}

// inside returns how many cells stream k is moved by in entire arrays, from rows beyond the bounds of the array to rows within: guards keep
// iterations from both. The parts of a sum; none if the stream never leaves the bounds.
func (w *vectorWriter) inside(k int) (parts []string) {
	if !w.inArrays() || w.rotating != nil {
		return nil
	}
	w.eachGuarded(k, func(array, m int, sub ir.Affine) {
		arr := &w.n.Arrays[array]
		loop, _ := sub.OnlyLoop()
		var stride []string
		for x, row := range w.l.Skew {
			of := "1"
			switch {
			case x == 0:
				of = "block.LevelCells"
			case x < w.s.Last():
				of = fmt.Sprintf("stride%d", x)
			}
			stride = append(stride, times(fmt.Sprint(row[loop+w.shift]*sub.Iter(loop)), of))
		}
		at := w.subscript(sub)
		moved := fmt.Sprintf("(min(max(%s, %s), %s) - %s)", at, w.subscript(arr.Lo[m]), w.subscript(arr.Hi[m]), factor(at))
		parts = append(parts, fmt.Sprintf("entire*%s*%s", moved, factor(plus(stride...))))
	})
	return parts
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
		arr, ends := &w.n.Arrays[e.Array], s.Kinds(e)
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

// notRead says why some read does not get the same value from the arrays as from tiles; "" if all do.
func (g *generator) notRead() string {
	live := g.findLive()
	for id, r := range g.n.Reads {
		s := g.n.ReadStmt[id]
		if !live[s] {
			continue
		}
		arr, assigned := &g.n.Arrays[r.Array], len(g.n.Assigns(r.Array)) > 0
		overwrites := func(k int) bool { return !g.keepsOrder(r.Subs, s, k) }
		switch {
		case g.beyond(r) && assigned && g.rotating == nil && !g.endsInArrays(id): // slots have all cells that boundaries give
			if arr.Boundary != nil {
				return fmt.Sprintf("results are read beyond the boundary of %s, where blocks of tiles have cells and arrays have none", arr.Name)
			}
			return fmt.Sprintf("a guard keeps iterations from results beyond the bounds of %s, and vectors find no other cells to load there; "+
				"a frame of cells around %[1]s needs no guard", arr.Name)
		case g.beyond(r) && !assigned && !g.splits(): // beyond bounds, vectors load given cells only where there are any: see kernel.Split
			return fmt.Sprintf("%s is read beyond its bounds", arr.Name)
		case g.rotating != nil && assigned && g.l.Reads[id].From == ir.FromInitial: // a later level has the place of this content
			return fmt.Sprintf("the initial content of %s is read where later levels are stored", arr.Name)
		case !g.complete(r.Array):
			return fmt.Sprintf("%s has no memory of its own", arr.Name)
		case slices.ContainsFunc(g.n.Assigns(r.Array), overwrites):
			return fmt.Sprintf("cells of %s would be overwritten before they are read, or read too early", arr.Name)
		}
	}
	return ""
}

// endsInArrays reports whether a vector kernel in entire arrays finds the cell that a boundary gives for a read beyond the bounds
// of an array with results, or finds other cells where a guard keeps iterations from those beyond the bounds. The cell that a boundary gives
// lies in another row, so the order of rows decides.
func (g *generator) endsInArrays(read int) bool {
	r, s := g.n.Reads[read], g.vector.shape
	inner, _ := g.rowLoop()
	gives, along, ok := g.leaves(r, inner)
	if !ok || along && !g.takesEnds(read, inner) {
		return false
	}
	if !gives {
		return true
	}
	if cells, _ := s.Within(true); len(cells)+len(s.Indices) > 0 {
		return false // the portable kernel, which would compute some iterations, needs exterior cells
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

// leaves reports whether a boundary gives cells for a read beyond the bounds, and whether the read leaves the bounds along rows, which are
// along loop inner. It is not ok if a boundary gives cells of other rows, or if rows beyond the bounds cannot be moved within: see inside.
func (g *generator) leaves(r *ir.Read, inner int) (gives, along, ok bool) {
	ok = true
	for m, sub := range r.Subs {
		row := sub.Iter(inner) != 0
		for side, leaves := range g.vector.shape.Leaves(r.Array, m, sub) {
			if !leaves {
				continue
			}
			ends := g.n.Arrays[r.Array].Boundary
			kind := ends != nil && ends[m][side] != boundary.None
			gives, along = gives || kind, along || row
			ok = ok && (row || !kind && movable(sub))
		}
	}
	return gives, along, ok
}

// movable reports whether a step of a single loop changes a subscript by 1.
func movable(sub ir.Affine) bool {
	loop, ok := sub.OnlyLoop()
	return ok && loop >= 0 && (sub.Iter(loop) == 1 || sub.Iter(loop) == -1)
}

// takesEnds reports whether all vector kernels take the cells of a read beyond the bounds along rows, which are along loop inner.
func (g *generator) takesEnds(read, inner int) bool {
	loop, noEnds := &g.n.Loops[inner], func(f vector.Function) bool { return !f.Ends }
	return g.vector.shape.TakesEnd(read) && len(loop.Lo) == 1 && len(loop.Hi) == 1 && !slices.ContainsFunc(g.vector.functions, noEnds)
}

// guarded reports whether a guard keeps iterations from results beyond the bounds of an array that is computed in the caller's memory, which
// then has no cells for them.
func (g *generator) guarded(r *ir.Read) bool {
	return g.beyond(r) && len(g.n.Assigns(r.Array)) > 0 && g.inArrays() && g.rotating == nil
}
