package halo

import (
	"loopc/runtime/array"
	"loopc/runtime/kernel"
	"loopc/transform/plan/walk"
)

// Exterior cells are filled one box of a level at a time wherever possible: the set-up of a
// single row costs as much as some hundred iterations.

// fillRows fills a box of a level that has no iterations, row by row. It fills only the cells that iterations read.
func (f *filler) fillRows(b *kernel.Block, op *walk.Op) {
	q := f.q
	copy(q, op.Lo)
	for {
		lo, hi := f.walk.Edge.Read(op.Value, q)
		f.content(op.Value, b, q, len(q)-1, lo, hi, 0)
		if !nextRow(q, op.Lo, op.Hi) {
			return
		}
	}
}

// lineLeast is the least number of cells in a row for which a box is filled along its rows. The
// lines of narrower boxes go along the longest dimension.
const lineLeast = 16

// copyBox fills a box with copies of the cells at distance by before it, which have the same content.
func (f *filler) copyBox(b *kernel.Block, op *walk.Op, by []int) {
	v, level := op.Value, op.Lo[0]
	data, size := b.Data[v], f.plan.Nest.Arrays[f.plan.Nest.Values[v].Array].Size
	back := b.Row0(v, level-by[0]) - b.Row0(v, level)
	for x := 1; x < len(by); x++ {
		back -= by[x] * b.Strides[x]
	}
	f.lines(b, op, func(x, at int) {
		at += op.Lo[x] * b.Strides[x]
		array.Copy(data, at, b.Strides[x], data, at+back, b.Strides[x], op.Hi[x]-op.Lo[x]+1, size)
	})
}

// fillBox fills a box with the content that its cells have in the array.
func (f *filler) fillBox(b *kernel.Block, op *walk.Op) {
	f.lines(b, op, func(x, _ int) {
		f.content(op.Value, b, f.q, x, op.Lo[x], op.Hi[x], 0)
	})
}

// lines calls do for each line of a box, with the dimension x of the line and the position in the block of the line's location 0. During
// the call f.q is a location on the line.
func (f *filler) lines(b *kernel.Block, op *walk.Op, do func(x, at int)) {
	n := len(op.Lo)
	x := n - 1
	for y := n - 2; y >= 1 && op.Hi[n-1]-op.Lo[n-1]+1 < lineLeast; y-- {
		if op.Hi[y]-op.Lo[y] > op.Hi[x]-op.Lo[x] {
			x = y
		}
	}
	q := f.q
	copy(q, op.Lo)
	base := b.Row0(op.Value, op.Lo[0])
	for {
		at := base
		for y := 1; y < n; y++ {
			if y != x {
				at += q[y] * b.Strides[y]
			}
		}
		do(x, at)
		y := n - 1
		for ; y >= 1; y-- {
			if y == x {
				continue
			}
			if q[y]++; q[y] <= op.Hi[y] {
				break
			}
			q[y] = op.Lo[y]
		}
		if y < 1 {
			return
		}
	}
}
