package halo

import (
	"loopc/runtime/array"
	"loopc/runtime/element"
	"loopc/runtime/kernel"
	"loopc/runtime/simd"
)

// results copy final results to the arrays that the run returns.
type results struct {
	*tile
	to        []form // per value: the position of its cell in the returned array
	streaming bool   // rows are written with streaming stores
	q, at     []int  // scratch: a row
}

func newResults(t *tile) *results {
	r := &results{tile: t, q: make([]int, len(t.first)), at: make([]int, len(t.first))}
	for v := range t.plan.Nest.Values {
		a := t.plan.Nest.Values[v].Array
		var index []form // along the dimensions that a returned slice has
		for m, f := range t.arrays.cells[v] {
			if slice := t.plan.Nest.Arrays[a].Slice; slice == nil || slice[m] == nil {
				index = append(index, f)
			}
		}
		r.to = append(r.to, positionOf(index, &t.fields.Result[a], len(t.first)))
	}
	return r
}

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
			rows = r.walk.StoreRow() // sets Ops; false: this is the last row
			for i := range r.walk.Ops {
				op, last := &r.walk.Ops[i], len(r.at)-1
				copy(r.q, op.Lo)
				for more := true; more; more = nextRow(r.q, op.Lo, op.Hi) {
					r.put(v, r.blockRow(v, b, r.q), r.q, op.Lo[last], op.Hi[last])
				}
			}
		}
		r.streaming = false
		if a.Size%4 == 0 {
			simd.Copied(array.Cast[int32](view.Data))
		}
	}
}

// rowCells are the cells of a row: that of location x is the cell at + x·step of data. (Location 0 need not be in the row, so at may lie
// outside data.) data is nil if the kernel has stored the results in the returned array itself. If convert is not nil, it converts cells to
// the type of the array.
type rowCells struct {
	data     []byte
	at, step int
	convert  element.Converter
}

// blockRow returns the cells of row q in the block.
func (r *results) blockRow(v int, b *kernel.Block, q []int) rowCells {
	if r.plan.Nest.Values[v].Direct {
		return rowCells{}
	}
	last := len(q) - 1
	copy(r.at, q[:last])
	r.at[last] = 0
	return rowCells{data: b.Data[v], at: b.Position(v, r.at), step: 1}
}

// put copies the results lo..hi of row q to the returned array.
func (r *results) put(v int, from rowCells, q []int, lo, hi int) {
	arr := &r.plan.Nest.Arrays[r.plan.Nest.Values[v].Array]
	view := &r.fields.Result[r.plan.Nest.Values[v].Array]
	to, step := r.to[v].along(q)
	switch at, cells := from.at+lo*from.step, hi-lo+1; {
	case from.data == nil:
	case from.convert != nil:
		from.convert(view.Data, to+lo*step, step, from.data, at, from.step, cells)
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
