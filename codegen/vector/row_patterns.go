package vector

import (
	"slices"

	"loopc/ir"
)

// A condition on a remainder, such as (i+j)%2 == 0, has the same lanes in all vectors of a row if the modulus divides what
// the dividend grows by from one vector to the next. Such conditions are computed before the row.

// mostRowPatterns is how many conditions of a row stay in mask registers, and mostWidePatterns in vectors, of which AVX2 has few.
const mostRowPatterns, mostWidePatterns = 3, 1

// rowPatterns writes the conditions that have the same lanes in all vectors of a row: the first ones of the body.
func (c *alongRow) rowPatterns() map[ir.Expr]truth {
	most := mostRowPatterns
	if !c.MovesLanes() {
		most = mostWidePatterns
	}
	if c.ends() || !c.MovesLanes() && c.keeps == 0 {
		return nil
	}
	all, held := map[ir.Expr]truth{}, []ir.Expr{}
	p := &patterns{s: c.s, lanes: c.Lanes()}
	b := c.ofRowOnly()
	var find func(e ir.Expr)
	find = func(e ir.Expr) {
		again := slices.IndexFunc(held, func(x ir.Expr) bool { return c.s.alikeConditions(x, e) })
		switch _, known := all[e]; {
		case known:
		case again >= 0:
			all[e] = all[held[again]]
		case len(held) < most && e.Type() == ir.Bool && p.same(e):
			for _, k := range p.lets {
				if b.lets[k] == nil {
					b.lets[k] = b.as(c.s.n.Body[k].(*ir.Let).Type).Load(b.expr(ir.Value(c.s.n.Body[k])))
				}
			}
			x := b.cond(e)
			all[e] = truth{b.resized(x, c.LaneSize()), c.LaneSize()}
			held = append(held, e)
		default:
			for _, x := range ir.Operands(e) {
				find(x)
			}
		}
	}
	for k, stmt := range c.s.n.Body {
		if c.s.live[k] {
			find(ir.Value(stmt))
		}
	}
	return all
}

// patterns finds conditions that have the same lanes in all vectors of a row.
type patterns struct {
	s     *Shape
	lanes int
	lets  []int // that the conditions use, in order
}

// same reports whether condition e has the same lanes in all vectors of a row.
func (p *patterns) same(e ir.Expr) bool {
	switch e := e.(type) {
	case *ir.Unary:
		return p.same(e.X)
	case *ir.Binary:
		switch e.Op {
		case ir.And, ir.Or:
			return p.same(e.X) && p.same(e.Y)
		case ir.Eq, ir.Ne:
			return p.compared(e.X, e.Y) || p.compared(e.Y, e.X)
		}
	}
	return false
}

// compared reports whether x == y has the same lanes in all vectors of a row, because x is a remainder and y has one value in
// the row, or because y is x/m*m: then x%m is compared with zero.
func (p *patterns) compared(x, y ir.Expr) bool {
	if of, m, ok := p.quotients(y); ok && p.s.alike(of, x) {
		by, grows := p.growth(x)
		return grows && by%m == 0
	}
	zero, number := small(y)
	return p.remainder(x, number && zero == 0) && p.s.fixedInRow(y, nil)
}

// remainder reports whether e is a remainder that is the same in the same lanes of all vectors of a row. A remainder has the sign of
// its dividend, which must be the same in a row, unless the remainder is only compared with zero.
func (p *patterns) remainder(e ir.Expr, zero bool) bool {
	b, ok := e.(*ir.Binary)
	if !ok {
		return false
	}
	by, grows := p.growth(b.X)
	switch of, m, quotient := p.quotients(b.Y); {
	case b.Op == ir.Sub && quotient && p.s.alike(of, b.X):
		return grows && by%m == 0 && (zero || p.natural(b.X))
	case b.Op == ir.BitAnd:
		mask, number := small(b.Y)
		return grows && number && mask >= 0 && mask&(mask+1) == 0 && by%(mask+1) == 0
	}
	return false
}

// natural reports whether an integer is never negative at an iteration of the loops.
func (p *patterns) natural(e ir.Expr) bool {
	some := func(forms []ir.Affine) bool {
		return slices.ContainsFunc(forms, func(f ir.Affine) bool { return f.Equal(ir.Affine{Const: f.Const}) && f.Const >= 0 })
	}
	n := p.s.n
	switch e := e.(type) {
	case *ir.IterRef:
		return some(n.Loops[e.Iter].Lo)
	case *ir.ParamRef:
		return slices.ContainsFunc(n.Numbers, func(x ir.Number) bool { return x.Param == e.Param && some(x.Lo) })
	case *ir.LocalRef:
		return p.natural(ir.Value(n.Body[e.Stmt]))
	case *ir.Binary:
		if (e.Op == ir.Add || e.Op == ir.Mul) && p.natural(e.X) && p.natural(e.Y) {
			return true
		}
	}
	return p.s.interval(e).Lo >= 0
}

// alike reports whether two expressions are the same.
func (s *Shape) alike(x, y ir.Expr) bool { return s.nameOf(x) != "" && s.nameOf(x) == s.nameOf(y) }

// alikeConditions reports whether two expressions are the same condition.
func (s *Shape) alikeConditions(x, y ir.Expr) bool {
	a, ok := x.(*ir.Binary)
	b, also := y.(*ir.Binary)
	if !ok || !also || a.Op != b.Op || a.T != ir.Bool || b.T != ir.Bool {
		return false
	}
	if a.Op == ir.And || a.Op == ir.Or {
		return s.alikeConditions(a.X, b.X) && s.alikeConditions(a.Y, b.Y)
	}
	return s.alike(a.X, b.X) && s.alike(a.Y, b.Y)
}

// quotients returns x and m if e is x/m*m.
func (p *patterns) quotients(e ir.Expr) (x ir.Expr, m int, ok bool) {
	times, ok := e.(*ir.Binary)
	if !ok || times.Op != ir.Mul {
		return nil, 0, false
	}
	by, isNumber := small(times.Y)
	quo, isQuo := times.X.(*ir.Binary)
	if !isNumber || !isQuo || quo.Op != ir.Quo {
		return nil, 0, false
	}
	m, ok = small(quo.Y)
	return quo.X, m, ok && m == by && m > 0
}

// growth returns by how much an integer grows from a vector to the next, in all lanes; ok is false if it may vary.
func (p *patterns) growth(e ir.Expr) (by int, ok bool) {
	if !e.Type().Integer() || p.s.fixedInRow(e, nil) {
		return 0, e.Type().Integer()
	}
	switch e := e.(type) {
	case *ir.IterRef:
		return p.s.Indices[p.s.indexOf(e.Iter)].ByColumn * p.lanes, true
	case *ir.LocalRef:
		by, ok = p.growth(ir.Value(p.s.n.Body[e.Stmt]))
		p.lets = append(p.lets, e.Stmt)
		return by, ok
	case *ir.Binary:
		return linearGrowth(e, p.growth)
	}
	return 0, false
}

// linearGrowth returns by how much a sum, a difference or a product with a number grows, from the growth of its operands.
func linearGrowth(e *ir.Binary, of func(e ir.Expr) (by int, ok bool)) (by int, ok bool) {
	x, grows := of(e.X)
	y, also := of(e.Y)
	left, isLeft := small(e.X)
	right, isRight := small(e.Y)
	switch {
	case !grows || !also:
	case e.Op == ir.Mul && isLeft:
		return left * y, true
	case e.Op == ir.Mul && isRight:
		return x * right, true
	case e.Op == ir.Add:
		return x + y, true
	case e.Op == ir.Sub:
		return x - y, true
	}
	return 0, false
}
