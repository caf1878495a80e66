package codegen

import (
	"slices"

	"loopc/codegen/vector"
	"loopc/ir"
	"loopc/transform/plan"
)

// inArrays reports whether the kernel with vectors along rows may compute on entire arrays in place of
// tiles: see kernel.Written. It then computes the levels and their rows in the order of the loops, in
// groups of rows (see vector.Shape), and every result overwrites the cell of the array at once. So all
// that read a cell before must come before in this order, too.
func (g *generator) inArrays() bool {
	s := g.vector.shape
	if s == nil || s.Scheme != vector.Contiguous || len(g.n.Reduces()) > 0 || !g.sameOrder() {
		return false
	}
	live := g.findLive()
	for a := range g.n.Arrays {
		if len(g.n.Assigns(a)) > 1 {
			return false
		}
	}
	for v, k := range g.l.Values {
		w := g.n.Body[k].(*ir.Assign)
		p := &g.plan.Values[v]
		if !g.complete(w.Array) || len(p.Fallbacks) > 0 || g.l.Dead[v] && !p.Direct || !live[k] || !g.alongRow(w) {
			return false
		}
	}
	for id, r := range g.n.Reads {
		if !live[g.n.ReadStmt[id]] {
			continue
		}
		if g.beyond(r) || !g.complete(r.Array) {
			return false
		}
		for _, k := range g.n.Assigns(r.Array) {
			if !g.readsFirst(r.Subs, g.n.ReadStmt[id], k) {
				return false
			}
		}
	}
	for _, k := range g.l.Values { // results that overwrite results
		if w := g.n.Body[k].(*ir.Assign); !g.readsFirst(w.Subs, k, k) {
			return false
		}
	}
	return true
}

// usesNumbers reports whether the loops depend on the number of a repetition.
func (g *generator) usesNumbers() bool {
	if g.plan.Numbers != nil {
		return true
	}
	uses := func(subs []ir.Affine) bool { return slices.ContainsFunc(subs, g.n.Numbered) }
	for _, s := range g.n.Body {
		found := false
		ir.Walk(ir.Value(s), func(e ir.Expr) {
			switch e := e.(type) {
			case *ir.ParamRef:
				found = found || slices.ContainsFunc(g.n.Numbers, func(x ir.Number) bool { return x.Param == e.Param })
			case *ir.Read:
				found = found || uses(e.Subs)
			}
		})
		if w, ok := s.(*ir.Assign); ok {
			found = found || uses(w.Subs)
		}
		if found {
			return true
		}
	}
	return false
}

// sameOrder reports whether the coordinates of the plan are the loops, in their order, and the innermost loop
// goes upwards.
func (g *generator) sameOrder() bool {
	last := len(g.plan.Skew) - 1
	for x, row := range g.plan.Skew {
		for k, c := range row {
			if k != x && c != 0 || k == x && c != 1 && (c != -1 || x == last) {
				return false
			}
		}
	}
	return true
}

// complete reports whether a run of several nests has array a as the loops name its cells, with their
// content.
func (g *generator) complete(a int) bool {
	arr := &g.plan.Arrays[a]
	return arr.Role != plan.Internal && arr.Slice == nil && arr.Boundary == nil
}

// alongRow reports whether the results of a row are neighbors in the array, and each loop has at most one
// subscript.
func (g *generator) alongRow(w *ir.Assign) bool {
	inner := len(g.n.Loops) - 1
	used := make([]bool, inner+1)
	for m, sub := range w.Subs {
		k, ok := onlyLoop(sub, inner)
		if !ok || k >= 0 && used[k] || m < len(w.Subs)-1 && k == inner {
			return false
		}
		if k >= 0 {
			used[k] = true
		}
	}
	return len(w.Subs) > 0 && w.Subs[len(w.Subs)-1].Iter(inner) == 1
}

// onlyLoop returns the only loop of a subscript, -1 if it has none. ok is false if it has several, or one with
// another coefficient than 1 and -1.
func onlyLoop(sub ir.Affine, inner int) (loop int, ok bool) {
	loop = -1
	for k := range inner + 1 {
		if c := sub.Iter(k); c != 0 {
			if loop >= 0 || c != 1 && c != -1 {
				return 0, false
			}
			loop = k
		}
	}
	return loop, true
}

// readsFirst reports whether statement by, in another iteration, overwrites the cell that statement reader reads
// only after this read, as it does in the loops. A group of rows computes one vector of each row in turn, and
// a vector one statement after the other.
func (g *generator) readsFirst(subs []ir.Affine, reader, by int) bool {
	w, inner := g.n.Body[by].(*ir.Assign), len(g.n.Loops)-1
	apart, free := make([]int, inner+1), make([]bool, inner+1)
	for k := range free {
		free[k] = true
	}
	for m, sub := range subs {
		to := w.Subs[m]
		distance := sub.Const - to.Const
		to.Const = sub.Const
		if !equal(sub, to) {
			return false
		}
		k, _ := onlyLoop(to, inner)
		if k < 0 && distance != 0 {
			return true // another cell
		}
		if k >= 0 {
			apart[k], free[k] = distance*to.Iter(k)*g.plan.Skew[k+g.shift][k+g.shift], false
		}
	}
	first := 1 - g.shift // the outermost loop within a level
	if first == 1 && !free[0] && apart[0] != 0 {
		return true // in another level
	}
	row, later := true, false // whether it is in the same row only, and in a later one
	differ := 0
	for k := first; k < inner; k++ {
		if free[k] || apart[k] != 0 {
			differ++
		}
		switch {
		case free[k]:
			row = false
		case apart[k] != 0 && row:
			row, later = false, apart[k] > 0
		}
	}
	along := apart[inner]
	switch {
	case differ > 1 && g.plan.AnyRowFirst(): // the rows at one place of all planes come first
		return false
	case along == 0:
		return true
	case row:
		return along < 0 || reader == by
	}
	return later && along > 0
}
