package frontend

import (
	"fmt"
	"slices"

	"loopc/ir"
	"loopc/ir/diag"
)

// alwaysZero warns of a reduction with the difference of a cell and the let that the same iteration assigns to this cell: a
// reduction is evaluated after the body, so the difference is 0.
func alwaysZero(n *ir.Nest, r *ir.Reduce) *diag.Diagnostic {
	return zeroDifference(n, r.Expr, len(n.Body), "a reduction is evaluated after the assignments of its iteration", "old instead of %s here")
}

// zeroAfter warns of a let with such a difference, behind the assignment.
func zeroAfter(n *ir.Nest, l *ir.Let, at int) *diag.Diagnostic {
	return zeroDifference(n, l.Expr, at, "a statement above has assigned it", "old instead of %s here; or this let above the assignment")
}

// zeroDifference warns of a difference in an expression of a cell and the let that a statement before the given one assigns to
// this cell.
func zeroDifference(n *ir.Nest, e ir.Expr, before int, why, remedy string) (found *diag.Diagnostic) {
	ir.Walk(e, func(e ir.Expr) {
		d, ok := e.(*ir.Binary)
		if !ok || d.Op != ir.Sub || found != nil {
			return
		}
		for _, pair := range [][2]ir.Expr{{d.X, d.Y}, {d.Y, d.X}} {
			let, one := pair[0].(*ir.LocalRef)
			read, other := pair[1].(*ir.Read)
			if !one || !other || !assigned(n, let, read, before) {
				continue
			}
			name, cell := n.Body[let.Stmt].(*ir.Let).Name, spanText(n.Source, read.At)
			found = &diag.Diagnostic{
				Severity: diag.Warning, Code: diag.Reduction, At: read.At,
				Message: fmt.Sprintf("%s is %s here, so the difference is 0: %s", cell, name, why),
				Hint:    fmt.Sprintf("let old = %s before the assignment, and ", cell) + fmt.Sprintf(remedy, cell), Kind: diag.Advice,
			}
			return
		}
	})
	return found
}

// assigned reports whether a statement before the given one assigns the let to the cell that the read reads.
func assigned(n *ir.Nest, let *ir.LocalRef, read *ir.Read, before int) bool {
	return slices.ContainsFunc(n.Assigns(read.Array), func(k int) bool {
		s := n.Body[k].(*ir.Assign)
		value, ok := s.Expr.(*ir.LocalRef)
		return ok && k < before && value.Stmt == let.Stmt && slices.EqualFunc(s.Subs, read.Subs, ir.Affine.Equal)
	})
}
