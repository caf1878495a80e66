package halo

import (
	"loopc/runtime/array"
	"loopc/runtime/kernel"
	"loopc/runtime/simd"
)

// results copy final results to the arrays that the run returns.
type results struct {
	*tile
	streaming bool  // rows are written with streaming stores
	at        []int // scratch: a row
}

func newResults(t *tile) *results { return &results{tile: t, at: make([]int, len(t.first))} }

// store copies the final results of a level to the returned arrays.
func (r *results) store(b *kernel.Block, level int) {
	for v := range r.plan.Nest.Values {
		val := &r.plan.Nest.Values[v]
		a, view := &r.plan.Nest.Arrays[val.Array], &r.fields.Result[val.Array]
		if !a.Returned() || view.Data == nil || val.Direct && view.Written == nil || !r.walk.Stores(v, level) {
			continue
		}
		r.streaming = true
		for rows := true; rows; {
			rows = r.walk.StoreRow()
			for i := range r.walk.Ops {
				op, last := &r.walk.Ops[i], len(r.at)-1
				r.put(v, r.blockRow(v, b, op.Lo), op.Lo, op.Lo[last], op.Hi[last])
			}
		}
		r.streaming = false
		if a.Size%4 == 0 {
			simd.Copied(array.Cast[int32](view.Data))
		}
	}
}

// rowCells are the cells of a row. at is the position of location 0, which may lie outside
// data, and step is the number of cells from a location to the next. data is nil if the kernel
// has stored the results in the returned array itself.
type rowCells struct {
	data     []byte
	at, step int
}

// blockRow returns the cells of row q in the block.
func (r *results) blockRow(v int, b *kernel.Block, q []int) rowCells {
	if r.plan.Nest.Values[v].Direct {
		return rowCells{}
	}
	last := len(q) - 1
	copy(r.at, q[:last])
	r.at[last] = 0
	return rowCells{b.Data[v], b.Position(v, r.at), 1}
}

// final copies those of the results lo..hi of row q that are final.
func (r *results) final(v int, from rowCells, q []int, lo, hi int) {
	for _, s := range r.walk.Final(v, q, lo, hi) {
		r.put(v, from, q, s.Lo, s.Hi)
	}
}

// put copies the results lo..hi of row q to the returned array.
func (r *results) put(v int, from rowCells, q []int, lo, hi int) {
	p := r.plan
	val := &p.Nest.Values[v]
	arr := &p.Nest.Arrays[val.Array]
	view := &r.fields.Result[val.Array]
	to, step, kept := 0, 0, 0
	for m := range val.Cell {
		at, c := r.arrays.cells[v][m].along(q)
		if arr.Slice != nil && arr.Slice[m] != nil {
			continue
		}
		to += (at - view.Lo[kept]) * view.Stride[kept]
		step += c * view.Stride[kept]
		kept++
	}
	switch at, cells := from.at+lo*from.step, hi-lo+1; {
	case from.data == nil:
	case r.streaming && step == 1 && from.step == 1 && arr.Size%4 == 0:
		words := arr.Size / 4
		back := array.Cast[int32](view.Data)
		simd.Copy(back[(to+lo)*words:][:cells*words], array.Cast[int32](from.data)[at*words:], len(back))
	default:
		array.Copy(view.Data, to+lo*step, step, from.data, at, from.step, cells, arr.Size)
	}
	if r.counts != nil {
		r.counts.Stored += hi - lo + 1
	}
	view.MarkWritten(to+lo*step, hi-lo+1, step)
}
