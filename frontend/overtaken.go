package frontend

import (
	"fmt"
	"slices"

	"loopc/ir"
)

// letsOfCells turns each assignment whose cell a later statement of the iteration overwrites into a let, if statements up to that
// one read the cell: as in v[i,j] = a, if c { v[i,j] += b }. The cell has one value in each iteration then, which is stored once.
func (c *checker) letsOfCells() {
	n, names := c.nest, map[string]bool{}
	for k, stmt := range n.Body {
		first, ok := stmt.(*ir.Assign)
		if !ok {
			continue
		}
		behind := n.Body[k+1:]
		next := 1 + slices.IndexFunc(behind, func(s ir.Stmt) bool {
			w, ok := s.(*ir.Assign)
			return ok && w.Array == first.Array
		})
		if behind = behind[:next]; !oneCell(n, first, behind) {
			continue
		}
		used := false
		for m, s := range behind {
			behind[m] = ir.With(s, readingLet(ir.Value(s), first, k, &used))
		}
		if used {
			name := n.Arrays[first.Array].Name
			for i := 2; c.names[name] != nil || names[name]; i++ {
				name = fmt.Sprintf("%s%d", n.Arrays[first.Array].Name, i)
			}
			names[name] = true
			n.Body[k] = &ir.Let{Name: name, Type: n.Arrays[first.Array].Elem, Expr: first.Expr, Span: first.Span}
		}
	}
}

// oneCell reports whether all statements that write the array of first write the cell of first, and those behind it read in the
// same iteration either this cell or others.
func oneCell(n *ir.Nest, first *ir.Assign, behind []ir.Stmt) bool {
	arr, fine := &n.Arrays[first.Array], true
	for _, s := range n.Body {
		w, ok := s.(*ir.Assign)
		fine = fine && (!ok || w.Array != first.Array || sameCell(w.Subs, first.Subs))
	}
	for _, s := range behind {
		ir.Walk(ir.Value(s), func(e ir.Expr) {
			if r, ok := e.(*ir.Read); ok && r.Array == first.Array && !sameCell(r.Subs, first.Subs) {
				fine = fine && arr.Boundary == nil && apartCells(r.Subs, first.Subs)
			}
		})
	}
	return fine
}

// sameCell reports whether subscripts are the same in each iteration.
func sameCell(x, y []ir.Affine) bool { return slices.EqualFunc(x, y, ir.Affine.Equal) }

// apartCells reports whether subscripts differ by a number in some dimension.
func apartCells(x, y []ir.Affine) bool {
	for m := range x {
		if a := x[m]; a.Const != y[m].Const {
			if a.Const = y[m].Const; a.Equal(y[m]) {
				return true
			}
		}
	}
	return false
}

// readingLet returns e with the let that is statement k in place of the cell that first writes, and sets used if there is one.
func readingLet(e ir.Expr, first *ir.Assign, k int, used *bool) ir.Expr {
	return ir.MapReads(e, func(r *ir.Read) ir.Expr {
		if r.Array != first.Array || !sameCell(r.Subs, first.Subs) {
			return r
		}
		*used = true
		return &ir.LocalRef{T: r.T, Stmt: k, At: r.At}
	})
}
