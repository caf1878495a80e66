package halo

import (
	"loopc/runtime/array"
	"loopc/runtime/kernel"
	"loopc/transform/plan/walk"
)

// What lies outside the iteration space is filled by boxes of a level, where it can be. Row by
// row, what a row has to find out takes as long as some hundred iterations.

// fillRows gives the locations of a box of a level without iterations what their cells
// contain, as far as iterations read them.
func (f *filler) fillRows(b *kernel.Block, op *walk.Op) {
	q := f.q
	copy(q, op.Lo)
	for {
		lo, hi := f.walk.Edge.Read(op.Value, q)
		f.initial(op.Value, b, q, lo, hi)
		if !nextRow(q, op.Lo, op.Hi) {
			return
		}
	}
}

// lineLeast is how many cells of a row are worth a line of their own, where lines
// along another dimension are longer.
const lineLeast = 16

// copyBox gives the locations of a box what those contain that lie a vector before them.
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

// fillBox gives the locations of a box what their cells contain.
func (f *filler) fillBox(b *kernel.Block, op *walk.Op) {
	f.lines(b, op, func(x, at int) {
		f.initialAlong(op.Value, f.q, x, op.Lo[x], op.Hi[x], b.Data[op.Value], at, b.Strides[x])
	})
}

// lines calls do for each line of a box, with the dimension that lines go along and the place in
// the block of location 0 of the line, of which location q of the filler is one.
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
