package transform

import (
	"math"
	"slices"

	"loopc/ir"
	"loopc/transform/plan"
)

// lowerIndexes notes which given arrays have cells that are in subscripts of lookups by nest n, with the bounds of these
// cells that follow from those of the dimensions. p has the arrays of n, and the parameters that the caller supplies.
func lowerIndexes(n *ir.Nest, p *plan.Nest) {
	initial, of := false, &subscripts{n: n, lets: map[int]found{}}
	look := func(l *ir.Lookup, holds []proviso) {
		for d, sub := range l.Subs {
			s, ok := of.subscript(sub)
			if !ok || s.cell == nil || initial && s.form.HasIters() {
				continue
			}
			a, to := &p.Arrays[s.cell.Array], &p.Arrays[l.Array]
			if a.Role != plan.In && a.Role != plan.InOut {
				continue
			}
			of.seen = map[proviso]bool{}
			for _, x := range holds {
				s.guarded(of, x)
			}
			if bounds, ok := s.bounds(n, len(p.Params), to.Lo[d], to.Hi[d]); ok {
				a.Indexes = append(a.Indexes, bounds)
			}
		}
	}
	for _, s := range n.Body {
		lookupsOf(ir.Value(s), nil, look)
	}
	initial = true
	for _, a := range n.Arrays {
		if a.Init != nil {
			lookupsOf(a.Init.Expr, nil, look)
		}
	}
}

// lowerItems notes the ranges of given arrays whose cells are parameters of items of batches, as far as the parameters of the
// program tell them.
func lowerItems(prog *ir.Program, p *plan.Nest) {
	given := func(f ir.Affine) bool { return len(f.Params) <= len(prog.Params) }
	form := func(f ir.Affine) plan.Affine { return plan.Affine{Const: f.Const, Params: f.Params} }
	for _, r := range prog.Repeats() {
		if r.Item == nil {
			continue
		}
		for _, lo := range r.Lo {
			for _, hi := range r.Hi {
				if !given(lo) || !given(hi) || lo.Const == math.MinInt32 {
					continue
				}
				if hi.Const == math.MaxInt32 { // of a loop that begins with it
					hi = lo
					hi.Const += 8
				}
				a := &p.Arrays[r.Item.Array]
				a.Indexes = append(a.Indexes, [2]plan.Affine{form(lo), form(hi)})
			}
		}
	}
}

// indexCell returns the read whose value is that of a subscript, nil if the subscript is anything else.
func indexCell(n *ir.Nest, e ir.Expr) *ir.Read {
	switch e := e.(type) {
	case *ir.Read:
		if e.T.Integer() {
			return e
		}
	case *ir.Convert:
		return indexCell(n, e.X)
	case *ir.LocalRef:
		return indexCell(n, n.Body[e.Stmt].(*ir.Let).Expr)
	case *ir.Lookup:
		// A table of further subscripts.
		if e.T.Integer() && slices.Contains([]ir.Role{ir.In, ir.InOut}, n.Arrays[e.Array].Role) {
			return &ir.Read{T: e.T, ID: -1, Array: e.Array, At: e.At}
		}
	}
	return nil
}
