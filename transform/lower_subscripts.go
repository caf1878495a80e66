package transform

import (
	"go/constant"
	"slices"

	"loopc/ir"
	"loopc/transform/plan"
)

// A computed is a subscript of a lookup: an affine form, plus or minus the value of one cell of a given array. Pseudo-random
// cells are drawn such that subscripts stay within the bounds in all iterations. Where the nest itself sees to one of the bounds,
// by max, min or the condition of a select, they need do so in some iteration only. Draws that are wrong do no harm: a run checks
// its subscripts.
type computed struct {
	form         ir.Affine
	cell         *ir.Read // nil: the form is all
	sign         int      // of the cell: 1 or -1
	below, above bool     // the nest keeps the subscript from the lower, the upper bound
	clamped      bool     // by max or min
}

// times returns s times c, which is 1 or -1.
func (s computed) times(c int) computed {
	s.form, s.sign = ir.Affine{}.PlusTimes(c, s.form), c*s.sign
	if c < 0 {
		s.below, s.above = s.above, s.below
	}
	return s
}

// plus returns the sum of two subscripts; ok is false if both have a cell.
func (s computed) plus(o computed) (sum computed, ok bool) {
	if s.cell == nil {
		s, o = o, s
	}
	s.form = s.form.PlusTimes(1, o.form)
	return s, o.cell == nil
}

// constant returns the value of a form without parameters and iterators.
func (s computed) constant() (c int, ok bool) {
	return s.form.Const, s.cell == nil && s.form.Equal(ir.Affine{Const: s.form.Const})
}

// subscripts finds the forms of expressions. A let that others use many times has its form found once.
type subscripts struct {
	n    *ir.Nest
	lets map[int]found    // by statement
	seen map[proviso]bool // by guarded, for the subscript at hand
}

// A found is what subscript returns.
type found struct {
	computed
	ok bool
}

// let returns the form of the let of a statement; ok is false if it has none.
func (of *subscripts) let(stmt int) (s computed, ok bool) {
	let, is := of.n.Body[stmt].(*ir.Let)
	if !is {
		return s, false
	}
	f, known := of.lets[stmt]
	if !known {
		f.computed, f.ok = of.subscript(let.Expr)
		of.lets[stmt] = f
	}
	return f.computed, f.ok
}

// subscript returns the form of an expression; ok is false if it has none.
func (of *subscripts) subscript(e ir.Expr) (s computed, ok bool) {
	if r := indexCell(of.n, e); r != nil {
		return computed{cell: r, sign: 1}, true
	}
	switch e := e.(type) {
	case *ir.Lit:
		c, exact := constant.Int64Val(constant.ToInt(e.Value))
		return computed{form: ir.Affine{Const: int(c)}}, exact && e.T.Integer()
	case *ir.ParamRef:
		return computed{form: ir.Affine{Params: unit(e.Param)}}, true
	case *ir.IterRef:
		return computed{form: ir.Affine{Iters: unit(e.Iter)}}, true
	case *ir.Convert:
		if e.T.Integer() && e.X.Type().Integer() {
			return of.subscript(e.X)
		}
	case *ir.LocalRef:
		return of.let(e.Stmt)
	case *ir.Unary:
		if s, ok = of.subscript(e.X); ok && e.Op == ir.Neg {
			return s.times(-1), true
		}
	case *ir.Binary:
		return of.combined(e)
	case *ir.Call:
		return of.clamped(e)
	}
	return computed{}, false
}

// unit is a vector that selects element k.
func unit(k int) []int {
	v := make([]int, k+1)
	v[k] = 1
	return v
}

// combined does what subscript does, for sums, differences, and products with a constant.
func (of *subscripts) combined(e *ir.Binary) (s computed, ok bool) {
	x, isX := of.subscript(e.X)
	y, isY := of.subscript(e.Y)
	if !isX || !isY {
		return s, false
	}
	switch e.Op {
	case ir.Add:
		return x.plus(y)
	case ir.Sub:
		return x.plus(y.times(-1))
	case ir.Mul:
		if c, is := x.constant(); is && y.cell == nil {
			return computed{form: ir.Affine{}.PlusTimes(c, y.form)}, true
		}
		if c, is := y.constant(); is && x.cell == nil {
			return computed{form: ir.Affine{}.PlusTimes(c, x.form)}, true
		}
	}
	return s, false
}

// clamped does what subscript does, for max and min of one term with a cell and others without.
func (of *subscripts) clamped(e *ir.Call) (s computed, ok bool) {
	if e.Fn != ir.Max && e.Fn != ir.Min {
		return s, false
	}
	for _, a := range e.Args {
		x, is := of.subscript(a)
		switch {
		case !is || x.cell != nil && s.cell != nil:
			return s, false
		case x.cell != nil:
			s = x
		}
	}
	s.below, s.above, s.clamped = s.below || e.Fn == ir.Max, s.above || e.Fn == ir.Min, true
	return s, s.cell != nil
}

// A proviso is a condition that holds, or does not, where an expression is evaluated.
type proviso struct {
	cond ir.Expr
	not  bool
}

// lookupsOf calls f for each lookup of e, with what holds where it is evaluated.
func lookupsOf(e ir.Expr, holds []proviso, f func(l *ir.Lookup, holds []proviso)) {
	below := func(e ir.Expr, more ...proviso) { lookupsOf(e, append(slices.Clip(holds), more...), f) }
	switch e := e.(type) {
	case *ir.Select:
		below(e.Cond)
		below(e.A, proviso{e.Cond, false})
		below(e.B, proviso{e.Cond, true})
		return
	case *ir.Binary:
		if e.Op == ir.And || e.Op == ir.Or {
			below(e.X)
			below(e.Y, proviso{e.X, e.Op == ir.Or})
			return
		}
	case *ir.Lookup:
		f(e, holds)
	}
	for _, x := range ir.Operands(e) {
		below(x)
	}
}

// guarded notes which bounds of s a condition keeps, that holds or does not.
func (s *computed) guarded(of *subscripts, p proviso) {
	if of.seen[p] {
		return
	}
	of.seen[p] = true
	switch e := p.cond.(type) {
	case *ir.LocalRef:
		if let, is := of.n.Body[e.Stmt].(*ir.Let); is {
			s.guarded(of, proviso{let.Expr, p.not})
		}
	case *ir.Unary:
		if e.Op == ir.Not {
			s.guarded(of, proviso{e.X, !p.not})
		}
	case *ir.Binary:
		switch e.Op {
		case ir.And, ir.Or:
			if p.not == (e.Op == ir.Or) {
				s.guarded(of, proviso{e.X, p.not})
				s.guarded(of, proviso{e.Y, p.not})
			}
		case ir.Lt, ir.Le, ir.Gt, ir.Ge:
			s.compared(of, e, (e.Op == ir.Gt || e.Op == ir.Ge) != p.not)
		}
	}
}

// compared does what guarded does, for a comparison. greater says that its first operand is the greater one.
func (s *computed) compared(of *subscripts, e *ir.Binary, greater bool) {
	x, isX := of.subscript(e.X)
	y, isY := of.subscript(e.Y)
	if !isX || !isY {
		return
	}
	sum, ok := x.plus(y.times(-1))
	if !ok || sum.cell == nil || sum.cell.Array != s.cell.Array || !slices.EqualFunc(sum.cell.Subs, s.cell.Subs, ir.Affine.Equal) {
		return
	}
	if (sum.sign == s.sign) == greater {
		s.below = true
	} else {
		s.above = true
	}
}

// bounds returns the least and the greatest value of the cell, if the subscript has the bounds lo and hi, and the first given
// parameters are those that the caller supplies.
func (s *computed) bounds(n *ir.Nest, given int, lo, hi plan.Affine) (all [2]plan.Affine, ok bool) {
	if s.clamped && s.below && s.above {
		return all, false // any cell will do
	}
	least, okLeast := extreme(n, given, s.form, false)
	most, okMost := extreme(n, given, s.form, true)
	forLo, forHi := least, most
	if s.below {
		forLo = most
	}
	if s.above {
		forHi = least
	}
	minus := func(bound plan.Affine, f ir.Affine, sign int) plan.Affine {
		d := ir.Affine{Const: bound.Const, Params: bound.Params}.PlusTimes(-1, f)
		d = ir.Affine{}.PlusTimes(sign, d)
		return plan.Affine{Const: d.Const, Params: trimmed(d.Params)}
	}
	all = [2]plan.Affine{minus(lo, forLo, s.sign), minus(hi, forHi, s.sign)}
	if s.sign < 0 {
		all[0], all[1] = all[1], all[0]
	}
	return all, okLeast && okMost
}

// extreme returns a form of the given parameters that f never exceeds, or never falls below, in the iterations of n. Of
// several bounds of a loop it takes the first, which holds, too.
func extreme(n *ir.Nest, given int, f ir.Affine, most bool) (out ir.Affine, ok bool) {
	for x := len(n.Loops) - 1; x >= 0; x-- {
		if c := f.Iter(x); c != 0 {
			bound := n.Loops[x].Lo[0]
			if (c > 0) == most {
				bound = n.Loops[x].Hi[0]
			}
			f = f.PlusTimes(-c, ir.Affine{Iters: unit(x)}).PlusTimes(c, bound)
		}
	}
	for k := len(n.Numbers) - 1; k >= 0; k-- {
		number := &n.Numbers[k]
		c := f.Param(number.Param)
		if c == 0 || number.Param < given {
			continue
		}
		bound := number.Lo[0]
		if (c > 0) == most {
			bound = number.Hi[0]
		}
		if number.Item || ir.Unbounded([]ir.Affine{bound}) {
			return f, false
		}
		f = f.PlusTimes(-c, ir.Affine{Params: unit(number.Param)}).PlusTimes(c, bound)
	}
	return f, !slices.ContainsFunc(f.Params[min(given, len(f.Params)):], func(c int) bool { return c != 0 })
}
