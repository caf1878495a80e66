package frontend

import "loopc/ir"

// typedExtern is typed for the call of a Go function.
func (c *checker) typedExtern(e *ir.ExternCall, t ir.Type) ir.Expr {
	for k, x := range e.Args {
		if e.Args[k] = c.typed(x, c.nest.Externs[e.Extern].Params[k]); e.Args[k] == nil {
			return nil
		}
	}
	return c.converted(e, t)
}

// typedSelect is typed for a select.
func (c *checker) typedSelect(e *ir.Select, t ir.Type) ir.Expr {
	e.T = t
	cond, a, b := c.typedCondition(e.Cond), c.typed(e.A, t), c.typed(e.B, t)
	if !cond || a == nil || b == nil {
		return nil
	}
	e.A, e.B = a, b
	return e
}
