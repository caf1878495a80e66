package depend

import (
	"go/constant"
	"slices"

	"loopc/ir"
)

// A loop over cells of one color computes all cells, and gives cells of the other color their old value again:
// u[i,j] = select((i + j)%2 == 0, f(u[i,j-1]), u[i,j]). A write that leaves the value of its cell as it was is idle.
// If the write of a read's own iteration of the open loop is idle wherever the read is used, the source of the read is
// the write of an earlier iteration: u[i,j-1] gets that of t-1, which has left the same value. Idle writes of earlier
// iterations remain sources: without them, distances would only be longer.
//
// What is known of an iteration are congruences, from the conditions that decide that a read is evaluated.

// A congruence is: form ≡ rest, modulo mod. 0 ≤ rest < mod.
type congruence struct {
	form      ir.Affine
	mod, rest int
}

// mostModulus bounds the modulus of a congruence.
const mostModulus = 16

// modulo returns x modulo m, from 0 to m-1.
func modulo(x, m int) int { return (x%m + m) % m }

// A congruent is a comparison of remainders. Where it holds, the congruence holds; if exact, also the other way round.
// x%m has the sign of x: form%mod == rest is exact only if rest is 0, or if 0 < rest < mod and form is never negative.
type congruent struct {
	congruence
	exact bool
}

// congruent returns the congruence that a comparison for equality is about.
func (a *analyzer) congruent(c *conditions, e *ir.Binary) (of congruent, ok bool) {
	for _, s := range [][2]ir.Expr{{c.followed(e.X), c.followed(e.Y)}, {c.followed(e.Y), c.followed(e.X)}} {
		form, mod, ok := c.remainder(s[0])
		if other, m, also := c.remainder(s[1]); ok && also && m == mod {
			return congruent{congruence{minus(form, other), mod, 0}, a.natural(form, c.plain(s[0])) && a.natural(other, c.plain(s[1]))}, true
		}
		if rest, isForm := c.affine(s[1]); ok && isForm && !rest.HasIters() {
			exact := constantForm(rest) && rest.Const == 0 || a.natural(form, c.plain(s[0])) &&
				a.natural(rest, true) && a.natural(plusConst(minus(ir.Affine{}, rest), mod-1), true)
			return congruent{congruence{minus(form, rest), mod, 0}, exact}, true
		}
		if form, mod, ok = c.multiple(s[0]); ok {
			if to, isForm := c.affine(s[1]); isForm && same(form, to) {
				return congruent{congruence{form, mod, 0}, true}, true
			}
		}
	}
	return of, false
}

// natural reports whether a form that stands for an expression, rather than for its remainder, is never negative.
func (a *analyzer) natural(form ir.Affine, plain bool) bool {
	negative := a.space.iterations(0)
	a.space.in(negative).add(plusConst(minus(ir.Affine{}, form), -1))
	return plain && negative.Empty()
}

// modulus returns a literal from 2 to mostModulus.
func modulus(e ir.Expr) (m int, ok bool) {
	lit, ok := e.(*ir.Lit)
	if !ok || !lit.T.Integer() || lit.Value.Kind() != constant.Int {
		return 0, false
	}
	x, exact := constant.Int64Val(lit.Value)
	return int(x), exact && x >= 2 && x <= mostModulus
}

// remainder returns the form and the modulus of form%mod, or form&1. The form is congruent to what stands there.
func (c *conditions) remainder(e ir.Expr) (form ir.Affine, mod int, ok bool) {
	b, ok := c.followed(e).(*ir.Binary)
	if !ok {
		return form, 0, false
	}
	lit, _ := c.affine(b.Y)
	switch {
	case b.Op == ir.Rem:
		if mod, ok = modulus(c.followed(b.Y)); ok {
			form, ok = c.residue(b.X, mod)
		}
		return form, mod, ok
	case b.Op == ir.Sub: // form - form/mod*mod
		form, ok = c.affine(b.X)
		of, mod, also := c.multiple(b.Y)
		return form, mod, ok && also && same(form, of)
	case b.Op == ir.BitAnd && constantForm(lit) && lit.Const == 1:
		form, ok = c.residue(b.X, 2)
		return form, 2, ok
	}
	return form, 0, false
}

// residue returns a form that is congruent to an expression, modulo mod. In place of x%m, with m a multiple of mod, it
// has x.
func (c *conditions) residue(e ir.Expr, mod int) (form ir.Affine, ok bool) {
	if form, ok = c.affine(e); ok || c.left <= 0 {
		return form, ok
	}
	if of, m, ok := c.remainder(e); ok && m%mod == 0 {
		return of, true
	}
	b, ok := c.followed(e).(*ir.Binary)
	if !ok || b.T != ir.Int64 || b.Op != ir.Add && b.Op != ir.Sub {
		return form, false
	}
	form, ok = c.residue(b.X, mod)
	by, also := c.residue(b.Y, mod)
	if b.Op == ir.Sub {
		by = minus(ir.Affine{}, by)
	}
	form = form.PlusTimes(1, by)
	return form, ok && also && moderate(form)
}

// plain reports whether the form of a remainder is what stands there, rather than congruent to it.
func (c *conditions) plain(e ir.Expr) bool {
	b, ok := c.followed(e).(*ir.Binary)
	if ok {
		_, ok = c.affine(b.X)
	}
	return ok
}

// multiple returns the form and the modulus of form/mod*mod.
func (c *conditions) multiple(e ir.Expr) (form ir.Affine, mod int, ok bool) {
	b, ok := c.followed(e).(*ir.Binary)
	if !ok || b.Op != ir.Mul {
		return form, 0, false
	}
	x, y := c.followed(b.X), c.followed(b.Y)
	if _, isLit := x.(*ir.Lit); isLit {
		x, y = y, x
	}
	mod, ok = modulus(y)
	quo, isQuo := x.(*ir.Binary)
	if !ok || !isQuo || quo.Op != ir.Quo {
		return form, 0, false
	}
	by, also := modulus(c.followed(quo.Y))
	form, ok = c.affine(quo.X)
	return form, mod, ok && also && by == mod
}

// congruences returns the congruences that hold at all iterations at which a condition has the
// given value.
func (a *analyzer) congruences(c *conditions, e ir.Expr, value bool) (all []congruence) {
	if c.left--; c.left < 0 {
		return nil
	}
	switch e := c.followed(e).(type) {
	case *ir.Unary:
		if e.Op == ir.Not {
			return a.congruences(c, e.X, !value)
		}
	case *ir.Binary:
		switch {
		case e.Op == ir.And && value, e.Op == ir.Or && !value:
			return append(a.congruences(c, e.X, value), a.congruences(c, e.Y, value)...)
		case e.Op != ir.Eq && e.Op != ir.Ne:
		default:
			x, ok := a.congruent(c, e)
			if value = value == (e.Op == ir.Eq); ok && value {
				return []congruence{x.congruence}
			} else if ok && x.exact && x.mod == 2 {
				return []congruence{{x.form, 2, 1 - x.rest}}
			}
		}
	}
	return nil
}

// findCongruences finds the congruences that hold wherever the value of a read is used. It visits statements last to
// first, so that a let has the congruences that all its uses share. A let that may fail has none: it is computed at every
// iteration, and a wrong integer there might divide by zero.
func (a *analyzer) findCongruences() {
	a.known = make([][]congruence, len(a.nest.Reads))
	lets := make([][]congruence, len(a.nest.Body))
	used := make([]bool, len(a.nest.Body))
	c := &conditions{body: a.nest.Body}
	under := func(known []congruence, cond ir.Expr, value bool) []congruence {
		c.left = maxConditions
		return append(slices.Clip(known), a.congruences(c, cond, value)...)
	}
	visit := func(e ir.Expr, known []congruence) {
		switch e := e.(type) {
		case *ir.Read:
			a.known[e.ID] = known
		case *ir.LocalRef:
			if !used[e.Stmt] {
				used[e.Stmt], lets[e.Stmt] = true, known
			}
			lets[e.Stmt] = slices.DeleteFunc(slices.Clone(lets[e.Stmt]), func(x congruence) bool {
				return !slices.ContainsFunc(known, func(y congruence) bool {
					return x.mod == y.mod && x.rest == y.rest && same(x.form, y.form)
				})
			})
		}
	}
	for k, s := range slices.Backward(a.nest.Body) {
		var known []congruence
		if _, isLet := s.(*ir.Let); isLet && !ir.MayFail(ir.Value(s)) {
			known = lets[k]
		}
		evaluated(ir.Value(s), known, under, visit)
	}
}

// idle reports whether the write w of iteration j-d gives its cell the value that the cell has, at all iterations
// j at which the value of read x is used.
func (a *analyzer) idle(x, w access, dir direction, d ir.Vec) bool {
	if dir != backward || x.read < 0 || len(a.known[x.read]) == 0 {
		return false
	}
	c := &conditions{body: a.nest.Body, left: maxConditions}
	var keeps func(e ir.Expr) bool
	keeps = func(e ir.Expr) bool {
		switch e := c.followed(e).(type) {
		case *ir.Read:
			if e.Array != w.array || !slices.EqualFunc(e.Subs, w.subs, same) {
				return false
			}
			between := func(stmt int) bool { return stmt >= a.nest.ReadStmt[e.ID] && stmt < w.stmt }
			return !slices.ContainsFunc(a.nest.Assigns(w.array), between)
		case *ir.Select:
			if value, ok := a.decided(c, e.Cond, a.known[x.read], d); ok && value {
				return keeps(e.A)
			} else if ok {
				return keeps(e.B)
			}
			return keeps(e.A) && keeps(e.B)
		}
		return false
	}
	return keeps(ir.Value(a.nest.Body[w.stmt]))
}

// decided returns the value of a condition at iteration j-d, if it follows from the congruences
// known to hold at j.
func (a *analyzer) decided(c *conditions, e ir.Expr, known []congruence, d ir.Vec) (value, ok bool) {
	if c.left--; c.left < 0 {
		return false, false
	}
	switch e := c.followed(e).(type) {
	case *ir.Unary:
		if e.Op == ir.Not {
			value, ok = a.decided(c, e.X, known, d)
			return !value, ok
		}
	case *ir.Binary:
		switch {
		case e.Op == ir.And || e.Op == ir.Or:
			x, xKnown := a.decided(c, e.X, known, d)
			y, yKnown := a.decided(c, e.Y, known, d)
			end := e.Op == ir.Or // the value of one operand that decides
			if xKnown && x == end || yKnown && y == end {
				return end, true
			}
			return !end, xKnown && yKnown
		case e.Op == ir.Eq || e.Op == ir.Ne:
			of, isCongruent := a.congruent(c, e)
			for _, k := range known {
				rest, follows := of.at(k, d)
				switch {
				case !isCongruent || !follows:
				case rest != of.rest:
					return e.Op == ir.Ne, true
				case of.exact:
					return e.Op == ir.Eq, true
				}
			}
		}
	}
	return false, false
}

// at returns the form of x at iteration j-d, modulo x.mod, if it follows from a congruence of j.
func (x *congruence) at(known congruence, d ir.Vec) (rest int, follows bool) {
	if x.mod == 0 || known.mod%x.mod != 0 {
		return 0, false
	}
	apart := minus(x.form, known.form)
	varies := func(c int) bool { return c%x.mod != 0 }
	if slices.ContainsFunc(apart.Params, varies) || slices.ContainsFunc(apart.Iters, varies) {
		return 0, false
	}
	rest = known.rest + modulo(apart.Const, x.mod)
	for k, by := range d {
		rest -= modulo(x.form.Iter(k), x.mod) * modulo(by, x.mod)
	}
	return modulo(rest, x.mod), true
}
