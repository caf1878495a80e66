package vector

import (
	"slices"

	"loopc/ir"
)

// joinExtremes makes one min of min(min(a, b), c), and of a let min(a, b) that only min(let, c) reads: a chain such as
// best = min(best, x), once for each x. Its arguments then have any order (see byDelay), and share what they can (see extremeNumber). No
// statement between the let and its reader may write, because a read that moves behind a store could find the new value in memory.
func (s *Shape) joinExtremes() {
	uses, joins := make([]int, len(s.n.Body)), false
	s.each(func(e ir.Expr) {
		if r, ok := e.(*ir.LocalRef); ok {
			uses[r.Stmt]++
		}
	})
	for k, stmt := range s.n.Body {
		ir.Walk(ir.Value(stmt), func(e ir.Expr) {
			c, ok := e.(*ir.Call)
			joins = joins || ok && s.live[k] && slices.ContainsFunc(c.Args, func(x ir.Expr) bool { return s.inner(s.n.Body[:k], uses, c, x) != nil })
		})
	}
	if joins {
		s.rewrite(func(body []ir.Stmt, e ir.Expr) ir.Expr { return s.extremesJoined(body, uses, e) })
	}
}

// extremesJoined does what joinExtremes does, for an expression behind the given statements.
func (s *Shape) extremesJoined(body []ir.Stmt, uses []int, e ir.Expr) ir.Expr {
	e = ir.Map(e, func(x ir.Expr) ir.Expr { return s.extremesJoined(body, uses, x) })
	c, ok := e.(*ir.Call)
	if !ok {
		return e
	}
	joined := *c
	joined.Args = nil
	for _, x := range c.Args {
		if inner := s.inner(body, uses, c, x); inner != nil {
			joined.Args = append(joined.Args, inner.Args...)
		} else {
			joined.Args = append(joined.Args, x)
		}
	}
	return &joined
}

// inner returns the min or max that argument x of another one is, directly or as a let; nil if it is none that can be joined.
func (s *Shape) inner(body []ir.Stmt, uses []int, outer *ir.Call, x ir.Expr) *ir.Call {
	if outer.Fn != ir.Min && outer.Fn != ir.Max {
		return nil
	}
	if r, ok := x.(*ir.LocalRef); ok {
		let := body[r.Stmt].(*ir.Let)
		writes := slices.ContainsFunc(body[r.Stmt:], func(stmt ir.Stmt) bool { _, isLet := stmt.(*ir.Let); return !isLet })
		if uses[r.Stmt] != 1 || let.Type != r.T || writes || ir.MayFail(let.Expr) {
			return nil
		}
		x = let.Expr
	}
	inner, ok := x.(*ir.Call)
	if !ok || inner.Fn != outer.Fn || inner.T != outer.T {
		return nil
	}
	return inner
}
