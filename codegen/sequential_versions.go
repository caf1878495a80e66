package codegen

import (
	"fmt"
	"slices"

	"loopc/ir"
)

// mostVersions bounds the versions of a row's loop, and mostVersionsLong their length together, in operations and operands.
// mostSteady bounds a condition that is computed before the row, which has no lets, in the same way.
const mostVersions, mostVersionsLong, mostSteady = 8, 400, 100

// A seqVersion is the loop along those rows in which certain conditions of selects hold or do not hold. If holds is nil, it has a
// body. Otherwise it is divided again, by the condition holds, which has one value along a row and is computed before the row: no
// iteration then chooses, or computes what its row does not need.
type seqVersion struct {
	holds   ir.Expr // without lets
	yes, no *seqVersion
	body    []ir.Stmt
	live    []bool
	cond    string // holds, as Go
	text    printer
}

// divided divides the loop along a row by conditions that have one value along it. A group of rows computes several values at a time,
// and a variable that is stored behind a loop is stored behind one loop only: these are not divided.
func (w *seqWriter) divided() *seqVersion {
	whole := &seqVersion{body: w.n.Body, live: w.live}
	if w.alone() || w.jam != nil || len(w.n.Reduces()) > 0 || slices.ContainsFunc(w.in.carried, func(c *seqCarry) bool { return c.keeper }) {
		return whole
	}
	left, long := mostVersions, 0
	all := w.divide(w.n.Body, w.live, &left)
	all.each(func(v *seqVersion) { w.inVersion(v, func() { long += w.operations() }) })
	if long > mostVersionsLong {
		return whole
	}
	return all
}

// divide divides a loop with this body into at most so many versions as are left.
func (w *seqWriter) divide(body []ir.Stmt, live []bool, left *int) *seqVersion {
	v := &seqVersion{body: body, live: live}
	if *left < 2 {
		return v
	}
	w.inVersion(v, func() { v.holds = w.steadyCondition() })
	if v.holds == nil {
		return v
	}
	*left--
	half := func(holds bool) *seqVersion {
		h := &seqVersion{body: w.where(body, v.holds, holds)}
		w.inVersion(h, func() { h.live = w.rooted() })
		return w.divide(h.body, h.live, left)
	}
	v.yes, v.no = half(true), half(false)
	return v
}

// each calls f for each version with a body.
func (v *seqVersion) each(f func(*seqVersion)) {
	if v.holds == nil {
		f(v)
		return
	}
	v.yes.each(f)
	v.no.each(f)
}

// inVersion calls f while the writer has the body of v.
func (w *seqWriter) inVersion(v *seqVersion, f func()) {
	n, live := w.n, w.live
	of := *n
	of.Body = v.body
	w.n, w.live = &of, v.live
	f()
	w.n, w.live = n, live
}

// steadyCondition returns the condition of the first select, if there is one, that has one value along a row, without lets.
func (w *seqWriter) steadyCondition() (cond ir.Expr) {
	for s, stmt := range w.n.Body {
		if !w.live[s] {
			continue
		}
		ir.Walk(ir.Value(stmt), func(e ir.Expr) {
			if c, ok := e.(*ir.Select); ok && cond == nil {
				if all := inlined(w.n.Body, c.Cond); all != nil && w.steady(all) {
					cond = all
				}
			}
		})
	}
	return cond
}

// inlined returns e with the values of lets in place of their names. It returns nil if the result has more than mostSteady operations
// and operands: lets that each read the one before twice make it long.
func inlined(body []ir.Stmt, e ir.Expr) ir.Expr {
	left := mostSteady
	var in func(ir.Expr) ir.Expr
	in = func(x ir.Expr) ir.Expr {
		if left--; left < 0 {
			return x
		}
		if l, ok := x.(*ir.LocalRef); ok {
			return in(ir.Value(body[l.Stmt]))
		}
		return ir.Map(x, in)
	}
	if all := in(e); left >= 0 {
		return all
	}
	return nil
}

// steady reports whether e has one value along a row, and may be evaluated before it.
func (w *seqWriter) steady(e ir.Expr) bool {
	last, steady := len(w.n.Loops)-1, !ir.MayFail(e)
	ir.Walk(e, func(e ir.Expr) {
		switch e := e.(type) {
		case *ir.IterRef:
			steady = steady && e.Iter != last
		case *ir.Read:
			steady = steady && w.fixed(e, last)
		case *ir.ExternCall, *ir.Select:
			steady = false
		}
	})
	return steady
}

// where returns the body with the values that selects have if cond, which has no lets, holds or does not.
func (w *seqWriter) where(body []ir.Stmt, cond ir.Expr, holds bool) []ir.Stmt {
	key := w.key(cond)
	var value func(e ir.Expr) ir.Expr
	value = func(e ir.Expr) ir.Expr {
		c, ok := e.(*ir.Select)
		if ok {
			own := inlined(body, c.Cond)
			ok = own != nil && w.steady(own) && w.key(own) == key
		}
		switch {
		case !ok:
			return ir.Map(e, value)
		case holds:
			return value(c.A)
		default:
			return value(c.B)
		}
	}
	out := slices.Clone(body)
	for s, stmt := range body {
		switch stmt := stmt.(type) {
		case *ir.Let:
			x := *stmt
			x.Expr = value(stmt.Expr)
			out[s] = &x
		case *ir.Assign:
			x := *stmt
			x.Expr = value(stmt.Expr)
			out[s] = &x
		}
	}
	return out
}

// key tells steady conditions apart.
func (w *seqWriter) key(e ir.Expr) string {
	r := w.refs(w.s)
	r.iter = func(k int) string { return w.generator.loops[k] }
	r.read = func(r *ir.Read) string { return fmt.Sprint(w.arrays[r.Array].name, r.Subs) }
	return (&emitter{r: r}).expr(e)
}

// bodies prints the body of each version, and gives conditions their text; r names what they read.
func (w *seqWriter) bodies(v *seqVersion, r *refs) {
	if v.holds != nil {
		v.cond = (&emitter{p: &w.in.before, r: r}).expr(v.holds)
		w.bodies(v.yes, r)
		w.bodies(v.no, r)
		return
	}
	w.inVersion(v, func() {
		w.body = printer{}
		for _, c := range w.in.carried {
			c.result = ""
		}
		w.statementsBy(r)
		v.text = w.body
	})
}

// eachVersion prints the loops along a row, each of which loop prints, and the choice of one.
func (w *seqWriter) eachVersion(v *seqVersion, loop func()) {
	if w.several {
		loop()
		return
	}
	if v.holds == nil {
		w.inVersion(v, func() {
			w.body = v.text
			loop()
		})
		return
	}
	w.linef("if %s {", v.cond)
	w.eachVersion(v.yes, loop)
	w.linef("} else {")
	w.eachVersion(v.no, loop)
	w.linef("}")
}
