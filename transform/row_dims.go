package transform

import (
	"slices"

	"loopc/ir"
	"loopc/transform/plan"
)

// lowerRowDims decides which given arrays a run copies into another order of dimensions: arrays that
// all rows of iterations read along the same dimension, if that is not the last one. In the copy,
// kernels load the cells of a row as vectors. A run copies each cell once, which costs about as much as
// reading the cell once in the caller's array. So a run does not copy an array of which each cell is read once, if lanes
// along rows can pick these cells.
func lowerRowDims(n *ir.Nest, l *ir.Lowered, p *plan.Nest) {
	for a := range p.Arrays {
		arr := &p.Arrays[a]
		if arr.Role != plan.In || arr.Boundary != nil || readByInit(p, a) {
			continue
		}
		if row, ok := rowDim(p, a); ok && row >= 0 && !(picked(n, l) && readOnce(p, a)) {
			arr.RowDim = len(arr.Lo) - 1 - row
		}
	}
}

// picked reports whether lanes along rows can pick the cells of arrays: no iteration waits for another one of the
// same row.
func picked(n *ir.Nest, l *ir.Lowered) bool {
	for k := range n.Reads {
		if !l.Abreast(n, k) {
			return false
		}
	}
	return true
}

// readOnce reports whether each read of array a probably has another cell in each iteration: each dimension of the plan is
// in one of its subscripts. Dimension 0 does not count if it is not a loop (plan.Nest.Levelled).
func readOnce(p *plan.Nest, a int) bool {
	for _, r := range p.Reads {
		for x := range p.Dims {
			if r.Array == a && (x > 0 || !p.Levelled) && !slices.ContainsFunc(r.Subs, func(sub plan.Affine) bool { return sub.Iters[x] != 0 }) {
				return false
			}
		}
	}
	return true
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
