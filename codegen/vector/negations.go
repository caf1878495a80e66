package vector

import (
	"slices"

	"loopc/ir"
)

// moveNegations moves negations of floats out of products and quotients, and makes differences of sums with them: fewer
// operations remain, and products that differ by their sign only become the same. All of this is exact, since rounding to
// nearest treats both signs alike; the sign of a NaN does not count.
func (s *Shape) moveNegations() {
	any := false
	s.each(func(e ir.Expr) { any = any || opposite(e) != nil })
	if !any {
		return
	}
	s.rewrite(negationsMoved)
}

// rewrite replaces the expression of each statement by what f makes of it, for an expression behind the given statements, which have theirs.
// Lets that are no longer read become dead.
func (s *Shape) rewrite(f func(body []ir.Stmt, e ir.Expr) ir.Expr) {
	n := *s.n
	n.Body, n.ReadStmt = slices.Clone(n.Body), slices.Clone(n.ReadStmt)
	for k, stmt := range n.Body {
		n.Body[k] = ir.With(stmt, f(n.Body[:k], ir.Value(stmt)))
	}
	s.n = &n
	s.live = slices.Clone(s.live)
	read := make([]bool, len(n.Body))
	for k, stmt := range slices.Backward(n.Body) {
		if _, isLet := stmt.(*ir.Let); isLet && !read[k] && !ir.MayFail(ir.Value(stmt)) {
			s.live[k] = false
		}
		if s.live[k] {
			ir.Walk(ir.Value(stmt), func(e ir.Expr) {
				switch e := e.(type) {
				case *ir.LocalRef:
					read[e.Stmt] = true
				case *ir.Read:
					n.ReadStmt[e.ID] = k
				}
			})
		}
	}
}

// negationsMoved does what moveNegations does, for an expression behind the given statements.
func negationsMoved(body []ir.Stmt, e ir.Expr) ir.Expr {
	e = ir.Map(e, func(x ir.Expr) ir.Expr { return negationsMoved(body, x) })
	switch e := e.(type) {
	case *ir.LocalRef: // a let that negates another let is written out
		let := body[e.Stmt].(*ir.Let)
		if x := opposite(let.Expr); x != nil && let.Type == e.T {
			if _, plain := x.(*ir.LocalRef); plain {
				return let.Expr
			}
		}
	case *ir.Unary:
		if x := opposite(e); x != nil && opposite(x) != nil {
			return opposite(x)
		}
	case *ir.Binary:
		if e.T.Float() {
			return signed(e)
		}
	}
	return e
}

// signed returns a sum, difference, product or quotient without negations of its operands.
func signed(e *ir.Binary) ir.Expr {
	x, y := opposite(e.X), opposite(e.Y)
	binary := func(op ir.Op, x, y ir.Expr) ir.Expr { return &ir.Binary{T: e.T, Op: op, X: x, Y: y, At: e.At} }
	switch {
	case e.Op == ir.Add && y != nil:
		return binary(ir.Sub, e.X, y)
	case e.Op == ir.Add && x != nil:
		return binary(ir.Sub, e.Y, x)
	case e.Op == ir.Sub && y != nil:
		return binary(ir.Add, e.X, y)
	case e.Op != ir.Mul && e.Op != ir.Quo:
	case x != nil && y != nil:
		return binary(e.Op, x, y)
	case x != nil:
		return &ir.Unary{T: e.T, Op: e.X.(*ir.Unary).Op, X: binary(e.Op, x, e.Y), At: e.At}
	case y != nil:
		return &ir.Unary{T: e.T, Op: e.Y.(*ir.Unary).Op, X: binary(e.Op, e.X, y), At: e.At}
	}
	return e
}

// opposite returns x if e is -x, a float; else nil.
func opposite(e ir.Expr) ir.Expr {
	if u, ok := e.(*ir.Unary); ok && u.T.Float() && u.Op != ir.Not {
		return u.X
	}
	return nil
}
