package frontend

import (
	"fmt"
	"slices"

	"loopc/ir"
	"loopc/ir/diag"
)

// alwaysZero warns of a reduction with the difference of a cell and the let that the same iteration assigns to this cell: a
// reduction is evaluated after the body, so the difference is 0.
func alwaysZero(n *ir.Nest, r *ir.Reduce) (found *diag.Diagnostic) {
	ir.Walk(r.Expr, func(e ir.Expr) {
		d, ok := e.(*ir.Binary)
		if !ok || d.Op != ir.Sub || found != nil {
			return
		}
		for _, pair := range [][2]ir.Expr{{d.X, d.Y}, {d.Y, d.X}} {
			let, one := pair[0].(*ir.LocalRef)
			read, other := pair[1].(*ir.Read)
			if !one || !other || !assigned(n, let, read) {
				continue
			}
			name, cell := n.Body[let.Stmt].(*ir.Let).Name, spanText(n.Source, read.At)
			found = &diag.Diagnostic{
				Severity: diag.Warning, Code: diag.Reduction, At: read.At,
				Message: fmt.Sprintf("%s is %s here, so the difference is 0: a reduction is evaluated after the assignments of its iteration", cell, name),
				Hint:    fmt.Sprintf("let old = %s before the assignment, and old instead of %[1]s here", cell), Kind: diag.Advice,
			}
			return
		}
	})
	return found
}

// assigned reports whether the body assigns the let to the cell that the read reads.
func assigned(n *ir.Nest, let *ir.LocalRef, read *ir.Read) bool {
	return slices.ContainsFunc(n.Assigns(read.Array), func(k int) bool {
		s := n.Body[k].(*ir.Assign)
		value, ok := s.Expr.(*ir.LocalRef)
		return ok && value.Stmt == let.Stmt && slices.EqualFunc(s.Subs, read.Subs, ir.Affine.Equal)
	})
}
