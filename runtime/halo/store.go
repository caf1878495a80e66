package halo

import (
	"loopc/runtime/array"
	"loopc/runtime/kernel"
	"loopc/runtime/simd"
)

// store copies the results of a level that are final to the arrays given back.
func (c *Column) store(level int) {
	w, p := c.w, c.w.plan
	n := len(p.Side)
	for v := range p.Nest.Values {
		val := &p.Nest.Values[v]
		view := &w.fields.Result[val.Array]
		if !p.Nest.Arrays[val.Array].Returned() || view.Data == nil || val.Direct && view.Written == nil || !w.mayBeFinal(v, level, level) {
			continue
		}
		lo, hi, box := w.lo, w.hi, false // box: all are iterations
		if w.whole != nil {
			copy(w.whole.at, lo)
			copy(w.whole.to, hi)
			some, ok := w.whole.edge.Own(level, w.whole.at, w.whole.to)
			if ok && !some {
				continue
			}
			if box = ok; box {
				lo, hi = w.whole.at, w.whole.to
			}
		}
		q := w.q
		copy(q, lo)
		q[0] = level
		w.past = true
		for {
			a, b := lo[n-1], hi[n-1]
			if !box {
				a, b = p.Space.Span(q, a, b)
			}
			w.final(v, w.blockRow(v, c.block, q), q, a, b, 0)
			if !nextRow(q, lo, hi) {
				break
			}
		}
		w.past = false
		if p.Nest.Arrays[val.Array].Size%4 == 0 {
			simd.Copied(array.Cast[int32](view.Data))
		}
	}
}

// mayBeFinal reports false if every result of value v on these levels of the tile
// is overwritten later, or lies outside the slice that is given back: the usual
// case in place.
func (w *Worker) mayBeFinal(v, from, to int) bool {
	p := w.plan
	val := &p.Nest.Values[v]
	slice := p.Nest.Arrays[val.Array].Slice
	if len(val.Overwrites) == 0 && slice == nil {
		return true
	}
	copy(w.q, w.lo)
	copy(w.r, w.hi)
	w.q[0], w.r[0] = from, to
	for _, o := range val.Overwrites {
		if !p.Space.Leaves(w.q, w.r, o) {
			return false
		}
	}
	for m, at := range slice {
		if at == nil {
			continue
		}
		// The least and the greatest index along dimension m.
		cell := &val.Cell[m]
		least := cell.Eval(p.Params, nil)
		most := least
		for x, c := range cell.Iters {
			lo, hi := w.lo[x], w.hi[x]
			if x == 0 {
				lo, hi = from, to
			}
			least += min(c*lo, c*hi)
			most += max(c*lo, c*hi)
		}
		if fixed := at.Eval(p.Params, nil); fixed < least || fixed > most {
			return false
		}
	}
	return true
}

// rowCells are the cells of a row: at is the place of location 0, which need not
// be there, and step the cells from a location to the next. With no data, the
// kernel has given the results back itself.
type rowCells struct {
	data     []byte
	at, step int
}

// blockRow returns the cells of row q in the block.
func (w *Worker) blockRow(v int, b *kernel.Block, q []int) rowCells {
	if w.plan.Nest.Values[v].Direct {
		return rowCells{}
	}
	last := len(q) - 1
	copy(w.r, q[:last])
	w.r[last] = 0
	return rowCells{b.Data[v], b.Position(v, w.r), 1}
}

// final stores the results lo..hi of row q that no write from Overwrites[o] on
// overwrites.
func (w *Worker) final(v int, from rowCells, q []int, lo, hi, o int) {
	if lo > hi {
		return
	}
	val := &w.plan.Nest.Values[v]
	if o == len(val.Overwrites) {
		w.put(v, from, q, lo, hi)
		return
	}
	last := len(q) - 1
	over := val.Overwrites[o]
	for x := 0; x < last; x++ {
		w.r[x] = q[x] + over[x]
	}
	d := over[last]
	a, b := w.plan.Space.Span(w.r, lo+d, hi+d)
	if a > b {
		w.final(v, from, q, lo, hi, o+1)
		return
	}
	w.final(v, from, q, lo, a-d-1, o+1)
	w.final(v, from, q, b-d+1, hi, o+1)
}

// put copies the results lo..hi of row q to the array's result.
func (w *Worker) put(v int, from rowCells, q []int, lo, hi int) {
	p := w.plan
	val := &p.Nest.Values[v]
	arr := &p.Nest.Arrays[val.Array]
	view := &w.fields.Result[val.Array]
	to, step, kept := 0, 0, 0
	for m := range val.Cell {
		at, c := w.cells[v][m].along(q)
		if arr.Slice != nil && arr.Slice[m] != nil {
			fixed := arr.Slice[m].Eval(p.Params, nil)
			lo, hi = clip(at, c, fixed, fixed, lo, hi)
			continue
		}
		to += (at - view.Lo[kept]) * view.Stride[kept]
		step += c * view.Stride[kept]
		kept++
	}
	if lo > hi {
		return
	}
	switch at, cells := from.at+lo*from.step, hi-lo+1; {
	case from.data == nil:
	case w.past && step == 1 && from.step == 1 && arr.Size%4 == 0:
		words := arr.Size / 4
		back := array.Cast[int32](view.Data)
		simd.Copy(back[(to+lo)*words:][:cells*words], array.Cast[int32](from.data)[at*words:], len(back))
	default:
		array.Copy(view.Data, to+lo*step, step, from.data, at, from.step, cells, arr.Size)
	}
	view.MarkWritten(to+lo*step, hi-lo+1, step)
}
