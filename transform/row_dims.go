package transform

import "loopc/transform/plan"

// lowerRowDims decides which given arrays a run copies into another order of dimensions: arrays that
// all rows of iterations read along the same dimension, if that is not the last one. In the copy,
// kernels load the cells of a row as vectors. A run copies each cell once, which costs about as much as
// reading the cell once in the caller's array.
func lowerRowDims(p *plan.Nest) {
	for a := range p.Arrays {
		arr := &p.Arrays[a]
		if arr.Role != plan.In || arr.Boundary != nil || readByInit(p, a) {
			continue
		}
		if row, ok := rowDim(p, a); ok && row >= 0 {
			arr.RowDim = len(arr.Lo) - 1 - row
		}
	}
}

// rowDim returns the dimension along which rows of iterations read array a, -1 if each read has one
// cell per row. It is not ok if rows read along several dimensions, or not cell by cell.
func rowDim(p *plan.Nest, a int) (row int, ok bool) {
	row = -1
	for _, r := range p.Reads {
		if r.Array != a {
			continue
		}
		if r.Whole {
			return 0, false
		}
		for m, sub := range r.Subs {
			switch c := sub.Iters[len(p.Dims)-1]; {
			case c == 0:
			case c != 1 && c != -1 || row >= 0 && row != m:
				return 0, false
			default:
				row = m
			}
		}
	}
	return row, true
}

// readByInit reports whether an init expression reads array a.
func readByInit(p *plan.Nest, a int) bool {
	for _, r := range p.InitReads {
		if r.Array == a {
			return true
		}
	}
	return false
}
