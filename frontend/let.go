package frontend

import (
	"loopc/ir"
	"loopc/ir/diag"
)

// letTypes finds the type of every let in the body that does not declare one: the type of its
// typed leaves; int64 if all its leaves are integers without a type; otherwise, for constants
// with a fraction or beyond int64, the type of its first use. It returns the uses of each let.
func (c *checker) letTypes() [][]*use {
	t := &c.types
	uses := c.letUses()
	open := map[int]bool{} // lets that take the type of their uses
	for k, b := range c.body {
		if b.let == nil || b.expr == nil || t.lets[k] != ir.Invalid || b.spoiled {
			continue
		}
		v := t.judge(b.expr)
		t.floats[k] = v.float
		switch {
		case v.clashes:
			c.clash(v)
		case v.t != ir.Invalid:
			t.lets[k] = v.t
		case !v.float && fitsInt64(b.expr):
			r := t.rangeOf(b.expr)
			t.ranges[k] = &r
		default:
			open[k] = true
		}
	}
	// A use in a later let may depend on the type of that let: the last ones first.
	for k := len(c.body) - 1; k >= 0; k-- {
		switch {
		case open[k]:
			t.lets[k] = c.typeOfUses(uses[k])
		case t.ranges[k] != nil:
			t.lets[k] = c.stored(k, uses[k])
			c.truncatesInLet(k, uses[k])
		case t.lets[k].Integer() && c.body[k].let != nil && c.body[k].let.Type == nil && c.body[k].expr != nil:
			c.truncatesInLet(k, uses[k])
		}
	}
	return uses
}

// truncatesInLet warns of a quotient of integers in let k if all uses of the let are floats: most likely
// the user wants the fraction. If the let has a type, the user wants the truncation.
func (c *checker) truncatesInLet(k int, uses []*use) {
	b := c.body[k]
	q, ok := b.expr.(*ir.Binary)
	if !ok || untyped(q.Y) != nil || q.Op != ir.Quo || c.quotients[q] == nil || b.let.Type != nil || len(uses) == 0 {
		return
	}
	wide := true
	for _, u := range uses {
		t := u.t
		if t == ir.Invalid && u.context == nil {
			t = c.typeOfStatement(u.stmt)
		} else if t == ir.Invalid {
			t = c.types.judge(u.context...).t
		}
		if !t.Float() {
			return
		}
		wide = wide && t == ir.Float64
	}
	e := c.quotients[q]
	r := c.warn(diag.IntegerDivision, e.at, "%s truncates: let %s is of integers, and all its uses are floats", c.text(e.at), b.let.Name.Name)
	switch {
	case c.types.ranges[k] != nil:
		r.fixOf(e, "1.0*%s/%s", exprText(e.args[0], quotientPrecedence+1), exprText(e.args[1], quotientPrecedence+1))
	case wide && c.types.lets[k].Silent(ir.Float64):
		r.fix(b.let.Name.span(), "%s %s", b.let.Name.Name, ir.Float64)
	}
	r.note(b.let.Name.span(), "with its type, as in let %s %s = ..., it is as it is meant", b.let.Name.Name, c.types.lets[k])
}

// fitsInt64 reports whether every constant in the context of e fits int64.
func fitsInt64(e ir.Expr) bool {
	fits := true
	leaves(e, func(x ir.Expr) {
		if l, ok := x.(*ir.Lit); ok {
			fits = fits && representable(l.Value, ir.Int64) != nil
		}
	})
	return fits
}

// A use is a context in which a let is used: the value of a statement (context is nil),
// expressions that share a context of their own, or an argument of type t of a Go function.
type use struct {
	stmt    int
	context []ir.Expr
	t       ir.Type
}

// typeOfUses is the type of the first use that has one; if none has one, the type that the
// leaves of the first use suggest, or float64 if there is no use.
func (c *checker) typeOfUses(uses []*use) ir.Type {
	if t := c.firstUse(uses); t != ir.Invalid {
		return t
	}
	for _, u := range uses {
		if u.context != nil {
			return c.types.judge(u.context...).alone()
		}
	}
	return ir.Float64
}

// firstUse is the type of the first use that has one, else Invalid.
func (c *checker) firstUse(uses []*use) ir.Type {
	for _, u := range uses {
		if u.t != ir.Invalid {
			return u.t
		}
		if u.context == nil {
			if t := c.typeOfStatement(u.stmt); t != ir.Invalid {
				return t
			}
		} else if v := c.types.judge(u.context...); v.t != ir.Invalid {
			return v.alone()
		}
	}
	return ir.Invalid
}

// typeOfStatement is the type of the context of statement k's value, Invalid if it is not
// known.
func (c *checker) typeOfStatement(k int) ir.Type {
	switch b := c.body[k]; {
	case b.assign != nil && b.array >= 0:
		return c.nest.Arrays[b.array].Elem
	case b.reduce != nil && b.reduce.place:
		return ir.Int64
	case b.reduce != nil && b.expr != nil:
		return c.context(b.expr)
	}
	return c.types.lets[k]
}

// letUses lists, for each let, the contexts in which it is used, in textual order. Several uses
// in one context count once.
func (c *checker) letUses() [][]*use {
	uses := make([][]*use, len(c.body))
	var walk func(e ir.Expr, u *use)
	walk = func(e ir.Expr, u *use) {
		switch e := e.(type) {
		case *ir.LocalRef:
			if list := uses[e.Stmt]; len(list) == 0 || list[len(list)-1] != u {
				uses[e.Stmt] = append(list, u)
			}
		case *ir.Lookup, *ir.ConstCell:
			for _, x := range ir.Operands(e) {
				walk(x, &use{stmt: u.stmt, t: ir.Int64})
			}
		case *ir.Convert:
			walk(e.X, &use{stmt: u.stmt, context: []ir.Expr{e.X}})
		case *ir.Unary:
			walk(e.X, u)
		case *ir.Binary:
			if e.Op >= ir.Eq && e.Op <= ir.Ge {
				u = &use{stmt: u.stmt, context: []ir.Expr{e.X, e.Y}}
			}
			walk(e.X, u)
			walk(e.Y, u)
		case *ir.Call:
			for _, x := range e.Args {
				walk(x, u)
			}
		case *ir.ExternCall:
			for k, x := range e.Args {
				walk(x, &use{stmt: u.stmt, t: c.nest.Externs[e.Extern].Params[k]})
			}
		case *ir.Select:
			walk(e.Cond, u)
			walk(e.A, u)
			walk(e.B, u)
		}
	}
	for k, b := range c.body {
		switch {
		case b.expr == nil:
		case b.reduce != nil:
			walk(b.expr, &use{stmt: k, context: []ir.Expr{b.expr}})
		default:
			walk(b.expr, &use{stmt: k})
		}
	}
	return uses
}
