package frontend

import (
	"go/constant"

	"loopc/ir"
	"loopc/ir/diag"
)

// asideFrom calls f, which types a part of an expression with a context of its own: what does not fit there
// is not reported as the receiver's.
func (c *checker) asideFrom(f func()) {
	r := c.receiver
	c.receiver = nil
	f()
	c.receiver = r
}

// typedFloat does what typed does, for a float parameter.
func (c *checker) typedFloat(e *ir.FloatRef, t ir.Type) ir.Expr {
	e.T = t
	if t.Float() {
		return e
	}
	e.T = ir.Float64
	return c.converted(e, t)
}

// typedExtern does what typed does, for the call of a Go function.
func (c *checker) typedExtern(e *ir.ExternCall, t ir.Type) ir.Expr {
	for k, x := range e.Args {
		var y ir.Expr
		c.asideFrom(func() { y = c.typed(x, c.nest.Externs[e.Extern].Params[k]) })
		if y == nil {
			return nil
		}
		e.Args[k] = y
	}
	return c.converted(e, t)
}

// typedSelect does what typed does, for a select.
func (c *checker) typedSelect(e *ir.Select, t ir.Type) ir.Expr {
	e.T = t
	var cond bool
	c.asideFrom(func() { cond = c.typedCondition(e.Cond) })
	a, b := c.typed(e.A, t), c.typed(e.B, t)
	if !cond || a == nil || b == nil {
		return nil
	}
	e.A, e.B = a, b
	return e
}

// floatCalls reports whether e applies, in its own context, a function that only floats have.
func floatCalls(e ir.Expr) bool {
	switch e := e.(type) {
	case *ir.Unary:
		return floatCalls(e.X)
	case *ir.Binary:
		return floatCalls(e.X) || floatCalls(e.Y)
	case *ir.Select:
		return floatCalls(e.A) || floatCalls(e.B)
	case *ir.Call:
		if e.Fn >= ir.Sqrt {
			return true
		}
		for _, x := range e.Args {
			if floatCalls(x) {
				return true
			}
		}
	}
	return false
}

// typedCall does what typed does, for the call of a built-in function.
func (c *checker) typedCall(e *ir.Call, t ir.Type) ir.Expr {
	e.T = t
	if e.Fn >= ir.Sqrt && !t.Float() {
		r := c.errorf(diag.FloatFunction, e.At, "%s is defined on floats, and here it would compute in %s", e.Fn, t)
		x := e.Args[0]
		if lit := untyped(e.Args[len(e.Args)-1]); e.Fn == ir.Pow {
			if lit != nil && leaf(x) {
				n, _ := constant.Float64Val(lit.Value)
				r.fix(e.At, "%s", written(c.text(x.Span()), c.text(x.Span()), n, true))
			}
		} else if leaf(x) {
			arg := c.text(x.Span())
			if v := c.types.judge(x); !v.t.Float() {
				arg = "float64(" + arg + ")"
			}
			r.fix(e.At, "%s(%s(%s))", t, e.Fn, arg)
		} else if q, ok := x.(*ir.Binary); ok && c.quotients[q] != nil && c.quotients[q].oneLine() {
			r.fix(e.At, "%s(%s(%s))", t, e.Fn, bare(c.inFloats([]*expr{c.quotients[q]})[0]))
		}
		return nil
	}
	whole := true
	for k, x := range e.Args {
		c.wrapsInCall(e, x, t)
		y := c.typed(x, t)
		whole = whole && y != nil
		if y != nil {
			e.Args[k] = y
		}
	}
	if !whole {
		return nil
	}
	return e
}
