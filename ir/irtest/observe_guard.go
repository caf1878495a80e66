package irtest

import (
	"go/constant"

	"loopc/ir"
)

// A truth is what is known of a condition without the content of cells.
type truth int8

const (
	unknown truth = iota
	yes
	no
)

func truthOf(b bool) truth {
	if b {
		return yes
	}
	return no
}

func (t truth) not() truth { return [...]truth{unknown, no, yes}[t] }

// visit calls f for the reads of e at iteration j, or, of an init, at cell j, from left to right, without those that conditions skip
// whatever the cells contain.
func (o *observer) visit(e ir.Expr, j ir.Vec, f func(*ir.Read) error) error {
	visitAll := func(list ...ir.Expr) error {
		for _, x := range list {
			if err := o.visit(x, j, f); err != nil {
				return err
			}
		}
		return nil
	}
	switch e := e.(type) {
	case *ir.Read:
		return f(e)
	case *ir.Select:
		switch o.truth(e.Cond, j) {
		case yes:
			return visitAll(e.Cond, e.A)
		case no:
			return visitAll(e.Cond, e.B)
		}
	case *ir.Binary:
		if t := o.truth(e.X, j); e.Op == ir.And && t == no || e.Op == ir.Or && t == yes {
			return visitAll(e.X)
		}
	}
	return visitAll(ir.Operands(e)...)
}

// truth is what is known of a condition at iteration j.
func (o *observer) truth(e ir.Expr, j ir.Vec) truth {
	switch e := e.(type) {
	case *ir.Unary:
		if e.Op == ir.Not {
			return o.truth(e.X, j).not()
		}
	case *ir.Binary:
		if e.Op != ir.And && e.Op != ir.Or {
			return o.compared(e, j)
		}
		x, y := o.truth(e.X, j), o.truth(e.Y, j)
		decides := truthOf(e.Op == ir.Or) // whatever the other operand is
		switch {
		case x == decides || y == decides:
			return decides
		case x == unknown || y == unknown:
			return unknown
		}
		return decides.not()
	}
	return unknown
}

func (o *observer) compared(e *ir.Binary, j ir.Vec) truth {
	x, known := o.number(e.X, j)
	y, also := o.number(e.Y, j)
	if !known || !also {
		return unknown
	}
	switch e.Op {
	case ir.Eq:
		return truthOf(x == y)
	case ir.Ne:
		return truthOf(x != y)
	case ir.Lt:
		return truthOf(x < y)
	case ir.Le:
		return truthOf(x <= y)
	case ir.Gt:
		return truthOf(x > y)
	case ir.Ge:
		return truthOf(x >= y)
	}
	return unknown
}

// number returns the value of e at iteration j, if e is an affine form of 64 bits, a constant, or a select
// between such values whose condition is known.
func (o *observer) number(e ir.Expr, j ir.Vec) (int, bool) {
	switch e := e.(type) {
	case *ir.Lit:
		if e.T.Integer() && e.Value.Kind() == constant.Int {
			x, ok := constant.Int64Val(e.Value)
			return int(x), ok
		}
		return 0, false
	case *ir.LocalRef:
		return o.number(ir.Value(o.nest.Body[e.Stmt]), j)
	case *ir.Select:
		switch o.truth(e.Cond, j) {
		case yes:
			return o.number(e.A, j)
		case no:
			return o.number(e.B, j)
		}
		return 0, false
	}
	if e.Type() != ir.Int64 {
		return 0, false
	}
	switch e := e.(type) {
	case *ir.ParamRef:
		return o.params[e.Param], true
	case *ir.IterRef:
		return j[e.Iter], true
	case *ir.Convert:
		return o.number(e.X, j)
	case *ir.Unary:
		x, ok := o.number(e.X, j)
		return -x, ok
	case *ir.Binary:
		return o.combined(e, j)
	}
	return 0, false
}

// combined does what number does, for a sum, a difference, a product with a constant, and a quotient, a remainder or
// bits by one.
func (o *observer) combined(e *ir.Binary, j ir.Vec) (int, bool) {
	x, known := o.number(e.X, j)
	y, also := o.number(e.Y, j)
	_, left := e.X.(*ir.Lit)
	_, right := e.Y.(*ir.Lit)
	switch {
	case e.Op == ir.Add:
		return x + y, known && also
	case e.Op == ir.Sub:
		return x - y, known && also
	case e.Op == ir.Mul && (left || right):
		return x * y, known && also
	case !right || y == 0:
	case e.Op == ir.Quo:
		return x / y, known && also
	case e.Op == ir.Rem:
		return x % y, known && also
	case e.Op == ir.BitAnd:
		return x & y, known && also
	}
	return 0, false
}

// claimed returns the last of some writes that the analysis claims, or that changes its cell; nil if all keep the cell's
// value. A read may take the value from any write before one that keeps it.
func (o *observer) claimed(writes []toucher, is func(toucher) bool) *toucher {
	for k := len(writes) - 1; k >= 0; k-- {
		if w := &writes[k]; is(*w) || !o.keeps(*w) {
			return w
		}
	}
	return nil
}

// keeps reports whether a write gives its cell the value that the cell has.
func (o *observer) keeps(me toucher) bool {
	w := o.nest.Body[me.stmt].(*ir.Assign)
	e := w.Expr
	for {
		s, ok := e.(*ir.Select)
		if !ok {
			break
		}
		switch o.truth(s.Cond, me.iter) {
		case yes:
			e = s.A
		case no:
			e = s.B
		default:
			return false
		}
	}
	r, ok := e.(*ir.Read)
	return ok && r.Array == w.Array && o.cell(r.Array, r.Subs, me.iter, true) == o.cell(w.Array, w.Subs, me.iter, false)
}
