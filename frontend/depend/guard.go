package depend

import (
	"cmp"
	"go/constant"
	"slices"

	"loopc/ir"
	"loopc/ir/lattice"
)

// A read in an operand of a select, of && or of || is evaluated only if the conditions around it require that. The
// affine comparisons among these conditions are the guard of the read. The analysis looks at the read only where its
// guard holds: for bounds, for sources, and for supply. Elsewhere a kernel may load any value, because nothing uses it.
//
// A condition that is not affine counts as true.

// A guard is a union of pieces, each of them inequalities over the parameters and the iterators. A guard
// without pieces never holds; a piece without inequalities always does.
type guard [][]ir.Constraint

// always is the guard of expressions that are always evaluated.
var always = guard{nil}

// Limits of a guard. What exceeds them counts as true.
const (
	maxPieces      = 8       // in a simplified guard
	maxForms       = 32      // inequalities in a piece; those of outer conditions are left out first
	maxConditions  = 500     // conditions and values of lets that are followed for one guard
	maxCoefficient = 1 << 20 // coefficient of an iterator or a parameter
)

// conditions derives guards from the conditions of a body or an init.
type conditions struct {
	body []ir.Stmt // whose lets are followed
	left int       // conditions that may still be followed, see maxConditions
}

// evaluated calls visit for the reads, the cells that are looked up or constant and the names of lets in an expression, from left to right, each with the
// conditions under which it is evaluated. known has the conditions of the entire expression; under returns known with
// one more condition, that cond has the given value.
func evaluated[K any](e ir.Expr, known K, under func(known K, cond ir.Expr, value bool) K, visit func(e ir.Expr, known K)) {
	walk := func(e ir.Expr, known K) { evaluated(e, known, under, visit) }
	switch e := e.(type) {
	case *ir.Read, *ir.LocalRef:
		visit(e, known)
	case *ir.ConstCell, *ir.Lookup:
		visit(e, known)
		for _, x := range ir.Operands(e) {
			walk(x, known)
		}
	case *ir.Select:
		walk(e.Cond, known)
		walk(e.A, under(known, e.Cond, true))
		walk(e.B, under(known, e.Cond, false))
	case *ir.Binary:
		walk(e.X, known)
		if e.Op == ir.And || e.Op == ir.Or {
			known = under(known, e.X, e.Op == ir.And)
		}
		walk(e.Y, known)
	default:
		for _, x := range ir.Operands(e) {
			walk(x, known)
		}
	}
}

// guarded calls f for the reads of an expression, from left to right, each with its guard.
func guarded(body []ir.Stmt, e ir.Expr, f func(*ir.Read, guard)) {
	c := &conditions{body: body}
	under := func(g guard, cond ir.Expr, value bool) guard {
		c.left = maxConditions
		return g.and(c.where(cond, value))
	}
	evaluated(e, always, under, func(e ir.Expr, g guard) {
		if r, ok := e.(*ir.Read); ok {
			f(r, g)
		}
	})
}

// where returns the guard that holds wherever a condition has the given value.
func (c *conditions) where(e ir.Expr, value bool) guard {
	if c.left--; c.left < 0 {
		return always
	}
	switch e := e.(type) {
	case *ir.Unary:
		if e.Op == ir.Not {
			return c.where(e.X, !value)
		}
	case *ir.Binary:
		switch {
		case e.Op != ir.And && e.Op != ir.Or:
			return c.compared(e.Op, value, e.X, e.Y)
		case (e.Op == ir.And) == value:
			return c.where(e.X, value).and(c.where(e.Y, value))
		}
		return c.where(e.X, value).or(c.where(e.Y, value))
	}
	return always
}

// compared returns the guard that holds wherever the comparison x op y has the given value. In place of a select it
// compares each of its two values, where the condition of the select chooses that value.
func (c *conditions) compared(op ir.Op, value bool, x, y ir.Expr) guard {
	if c.left--; c.left < 0 {
		return always
	}
	x, y = c.followed(x), c.followed(y)
	if s, ok := x.(*ir.Select); ok {
		return c.where(s.Cond, true).and(c.compared(op, value, s.A, y)).or(c.where(s.Cond, false).and(c.compared(op, value, s.B, y)))
	}
	if s, ok := y.(*ir.Select); ok {
		return c.where(s.Cond, true).and(c.compared(op, value, x, s.A)).or(c.where(s.Cond, false).and(c.compared(op, value, x, s.B)))
	}
	f, ok := c.affine(x)
	g, also := c.affine(y)
	if !ok || !also {
		return always
	}
	return comparedWithZero(op, value, minus(f, g))
}

// comparedWithZero returns the guard that holds wherever the comparison f op 0 has the given value.
func comparedWithZero(op ir.Op, value bool, f ir.Affine) guard {
	above, below := plusConst(f, -1), plusConst(minus(ir.Affine{}, f), -1)
	atMost, atLeast := minus(ir.Affine{}, f), f
	if !value {
		op = map[ir.Op]ir.Op{ir.Eq: ir.Ne, ir.Ne: ir.Eq, ir.Lt: ir.Ge, ir.Ge: ir.Lt, ir.Gt: ir.Le, ir.Le: ir.Gt}[op]
	}
	switch op {
	case ir.Eq:
		return guard{{atMost, atLeast}}
	case ir.Ne:
		return guard{{above}, {below}}
	case ir.Lt:
		return guard{{below}}
	case ir.Le:
		return guard{{atMost}}
	case ir.Gt:
		return guard{{above}}
	case ir.Ge:
		return guard{{atLeast}}
	}
	return always
}

// followed returns the value of the let that an expression stands for, or the expression.
func (c *conditions) followed(e ir.Expr) ir.Expr {
	for {
		l, ok := e.(*ir.LocalRef)
		if !ok || l.Stmt >= len(c.body) {
			return e
		}
		e = ir.Value(c.body[l.Stmt])
	}
}

// affine returns an integer expression as an affine form. ok is false if it is none. An expression of fewer than 64 bits
// may wrap around, so it is affine only if it is a constant.
func (c *conditions) affine(e ir.Expr) (f ir.Affine, ok bool) {
	if c.left--; c.left < 0 {
		return f, false
	}
	e = c.followed(e)
	if lit, ok := e.(*ir.Lit); ok {
		if !lit.T.Integer() || lit.Value.Kind() != constant.Int {
			return f, false
		}
		x, exact := constant.Int64Val(lit.Value)
		return ir.Affine{Const: int(x)}, exact && -largest <= x && x <= largest
	}
	if e.Type() != ir.Int64 {
		return f, false
	}
	switch e := e.(type) {
	case *ir.ParamRef:
		return ir.Affine{Params: iterator(e.Param, e.Param+1).Iters}, true
	case *ir.IterRef:
		return iterator(e.Iter, e.Iter+1), true
	case *ir.Convert:
		return c.affine(e.X)
	case *ir.Unary:
		f, ok = c.affine(e.X)
		return minus(ir.Affine{}, f), ok
	case *ir.Binary:
		return c.combined(e)
	}
	return f, false
}

// combined does what affine does, for a sum, a difference, or a product with a constant.
func (c *conditions) combined(e *ir.Binary) (f ir.Affine, ok bool) {
	x, known := c.affine(e.X)
	y, also := c.affine(e.Y)
	if !known || !also {
		return f, false
	}
	switch e.Op {
	case ir.Add:
		f = x.PlusTimes(1, y)
	case ir.Sub:
		f = minus(x, y)
	case ir.Mul:
		if constantForm(x) {
			x, y = y, x
		}
		if !constantForm(y) || !small(y.Const) || !moderate(x) {
			return f, false
		}
		f = f.PlusTimes(y.Const, x)
	default:
		return f, false
	}
	return f, moderate(f)
}

// constantForm reports whether a form is a constant.
func constantForm(f ir.Affine) bool { return !f.HasIters() && !hasParams(f) }

func small(c int) bool { return -maxCoefficient <= c && c <= maxCoefficient }

// moderate reports whether the numbers of a form are so small that the analysis can compute with them.
func moderate(f ir.Affine) bool {
	large := func(c int) bool { return !small(c) }
	return !slices.ContainsFunc(f.Params, large) && !slices.ContainsFunc(f.Iters, large) && -largest <= f.Const && f.Const <= largest
}

// findGuards finds the guard of every read of the body.
func (a *analyzer) findGuards() {
	a.guards = make([]guard, len(a.nest.Reads))
	for _, s := range a.nest.Body {
		guarded(a.nest.Body, ir.Value(s), func(r *ir.Read, g guard) { a.guards[r.ID] = a.within(g, a.space.iterations(0)) })
	}
}

// within returns a guard without the pieces that have no points of a set, and always if it holds at all of them.
func (a *analyzer) within(g guard, whole *lattice.System) guard {
	if g.unconditional() {
		return always
	}
	kept := guard{}
	for _, piece := range g {
		if !a.restricted(whole, piece).Empty() {
			kept = append(kept, piece)
		}
		if !slices.ContainsFunc(piece, func(c ir.Constraint) bool {
			return !a.space.in(whole).implies(c)
		}) {
			return always
		}
	}
	return kept
}

// restricted returns the points of a system at which a piece of a guard holds.
func (a *analyzer) restricted(whole *lattice.System, piece []ir.Constraint) *lattice.System {
	sys := whole.Clone()
	for _, c := range piece {
		a.space.in(sys).add(c)
	}
	return sys
}

// never returns a system without points.
func (s *space) never() *lattice.System {
	sys := s.iterations(0)
	s.in(sys).add(ir.Affine{Const: -1})
	return sys
}

// leaves reports whether the read would go beyond a bound of its array, for some parameters, if it had no guard.
func (a *analyzer) leaves(x access) bool {
	arr, inside := &a.nest.Arrays[x.array], a.space.iterations(0)
	for d, sub := range x.subs {
		for _, beyond := range []ir.Affine{minus(arr.Lo[d], sub), minus(sub, arr.Hi[d])} {
			if !a.restricted(inside, []ir.Constraint{plusConst(beyond, -1)}).Empty() {
				return true
			}
		}
	}
	return false
}

// sortNearest sorts sources, the nearest first. Within one iteration the later statement is the more recent one.
func (a *analyzer) sortNearest(all []ir.Source, dir direction) {
	slices.SortFunc(all, func(p, q ir.Source) int {
		nearer := slices.Compare(a.nest.Steps(p.Dist), a.nest.Steps(q.Dist))
		return cmp.Or(nearer, int(dir)*cmp.Compare(p.Stmt, q.Stmt))
	})
}
