package halo

import (
	"loopc/runtime/array"
	"loopc/runtime/kernel"
	"loopc/runtime/simd"
	"loopc/transform/plan"
	"loopc/transform/plan/walk"
)

// results copy what is final to the arrays given back.
type results struct {
	*tile
	edge     *plan.LevelEdge // in skewed storage: it knows the tile's iterations of a level
	past     bool            // rows go past the caches
	from, to []int           // scratch: the tile's iterations of a level
	q, at    []int           // scratch: rows
}

func newResults(t *tile) *results {
	r := &results{tile: t}
	for _, s := range []*[]int{&r.from, &r.to, &r.q, &r.at} {
		*s = make([]int, len(t.first))
	}
	return r
}

// store copies the results of a level that are final to the arrays given back.
func (r *results) store(b *kernel.Block, level int) {
	for v := range r.plan.Nest.Values {
		val := &r.plan.Nest.Values[v]
		a, view := &r.plan.Nest.Arrays[val.Array], &r.fields.Result[val.Array]
		if !a.Returned() || view.Data == nil || val.Direct && view.Written == nil || !r.mayBeFinal(v, level, level) {
			continue
		}
		r.storeValue(b, v, level)
		if a.Size%4 == 0 {
			simd.Copied(array.Cast[int32](view.Data))
		}
	}
}

// storeValue is store for one value.
func (r *results) storeValue(b *kernel.Block, v, level int) {
	last, box := len(r.lo)-1, false // box: all are iterations
	copy(r.from, r.lo)
	copy(r.to, r.hi)
	if r.edge != nil {
		some, ok := r.edge.Own(level, r.from, r.to)
		if box = ok; box && !some {
			return
		} else if !box {
			copy(r.from, r.lo)
			copy(r.to, r.hi)
		}
	}
	q := r.q
	copy(q, r.from)
	q[0] = level
	r.past = true
	for {
		lo, hi := r.from[last], r.to[last]
		if !box {
			lo, hi = r.plan.Space.Span(q, lo, hi)
		}
		r.final(v, r.blockRow(v, b, q), q, lo, hi, 0)
		if !nextRow(q, r.from, r.to) {
			break
		}
	}
	r.past = false
}

// mayBeFinal reports false if every result of value v on these levels of the tile
// is overwritten later, or lies outside the slice that is given back: the usual
// case in place.
func (r *results) mayBeFinal(v, from, to int) bool {
	p := r.plan
	val := &p.Nest.Values[v]
	slice := p.Nest.Arrays[val.Array].Slice
	if len(val.Overwrites) == 0 && slice == nil {
		return true
	}
	copy(r.q, r.lo)
	copy(r.at, r.hi)
	r.q[0], r.at[0] = from, to
	for _, o := range val.Overwrites {
		if !p.Space.Leaves(r.q, r.at, o) {
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
			lo, hi := r.lo[x], r.hi[x]
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
func (r *results) blockRow(v int, b *kernel.Block, q []int) rowCells {
	if r.plan.Nest.Values[v].Direct {
		return rowCells{}
	}
	last := len(q) - 1
	copy(r.at, q[:last])
	r.at[last] = 0
	return rowCells{b.Data[v], b.Position(v, r.at), 1}
}

// final stores the results lo..hi of row q that no write from Overwrites[o] on
// overwrites.
func (r *results) final(v int, from rowCells, q []int, lo, hi, o int) {
	if lo > hi {
		return
	}
	val := &r.plan.Nest.Values[v]
	if o == len(val.Overwrites) {
		r.put(v, from, q, lo, hi)
		return
	}
	last := len(q) - 1
	over := val.Overwrites[o]
	for x := 0; x < last; x++ {
		r.at[x] = q[x] + over[x]
	}
	d := over[last]
	a, b := r.plan.Space.Span(r.at, lo+d, hi+d)
	if a > b {
		r.final(v, from, q, lo, hi, o+1)
		return
	}
	r.final(v, from, q, lo, a-d-1, o+1)
	r.final(v, from, q, b-d+1, hi, o+1)
}

// put copies the results lo..hi of row q to the array's result.
func (r *results) put(v int, from rowCells, q []int, lo, hi int) {
	p := r.plan
	val := &p.Nest.Values[v]
	arr := &p.Nest.Arrays[val.Array]
	view := &r.fields.Result[val.Array]
	to, step, kept := 0, 0, 0
	for m := range val.Cell {
		at, c := r.arrays.cells[v][m].along(q)
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
	case r.past && step == 1 && from.step == 1 && arr.Size%4 == 0:
		words := arr.Size / 4
		back := array.Cast[int32](view.Data)
		simd.Copy(back[(to+lo)*words:][:cells*words], array.Cast[int32](from.data)[at*words:], len(back))
	default:
		array.Copy(view.Data, to+lo*step, step, from.data, at, from.step, cells, arr.Size)
	}
	r.counts.Add(walk.Op{Kind: walk.Store, Level: q[0], Rows: 1, Cells: hi - lo + 1})
	view.MarkWritten(to+lo*step, hi-lo+1, step)
}
