package halo

import (
	"slices"

	"loopc/runtime/array"
	"loopc/runtime/simd"
	"loopc/transform/plan"
)

// Rest gives the cells of result that no iteration writes their initial
// content. result is the view of array arr that is given back, or a box of it.
// Rows are counted over the box of result; only those from begin up to but not
// including end are looked at, so that the work can be shared.
//
// Where nothing supplies an initial content, the compiler has proved or checked
// that every cell is written.
func Rest(p *plan.Plan, kernel Kernel, fields Fields, arr int, begin, end int) {
	a := &p.Nest.Arrays[arr]
	var writers []*plan.Value
	for v := range p.Nest.Values {
		if val := &p.Nest.Values[v]; val.Array == arr {
			writers = append(writers, val)
		}
	}
	view := &fields.Result[arr]
	rank := len(a.Lo)
	cell, free := make([]int, rank), make([]int, 0, rank) // free: dimensions given back
	for m := range cell {
		if a.Slice != nil && a.Slice[m] != nil {
			cell[m] = a.Slice[m].Eval(p.Params, nil)
			continue
		}
		free = append(free, m)
	}
	inner := len(free) - 1
	// place writes where row r is into cell, and returns its position in view.
	place := func(r int, cell []int) (at int) {
		for k := inner - 1; k >= 0; k-- {
			e := view.Hi[k] - view.Lo[k] + 1
			i := r % e
			r /= e
			cell[free[k]] = view.Lo[k] + i
			at += i * view.Stride[k]
		}
		return at
	}
	ahead := slices.Clone(cell)
	row := restRow{p: p, kernel: kernel, given: &fields.Given[arr], view: view, arr: arr, initial: a.Initial, writers: writers, dim: -1, scratch: make([]int, rank)}
	if inner >= 0 {
		row.dim = free[inner]
	}
	for r := begin; r < end; r++ {
		row.at = place(r, cell)
		if inner < 0 {
			row.fill(cell, 0, 0, 0)
		} else {
			if r+restAhead < end && view.Data != nil { // some only ask what there is
				at := place(r+restAhead, ahead) * view.Size
				simd.Fetch(view.Data[at : at+(view.Hi[inner]-view.Lo[inner]+1)*view.Size])
			}
			row.at -= view.Lo[inner]
			row.fill(cell, view.Lo[inner], view.Hi[inner], 0)
		}
	}
}

// restAhead is for how many rows the processor is told in advance. What no iteration writes
// is mostly the ends of rows, which are in memory since the rest has gone past the caches:
// each would be waited for.
const restAhead = 8

// RestRows is the number of rows that Rest counts in a view.
func RestRows(view *array.View) int {
	rows := 1
	for k := 0; k < len(view.Lo)-1; k++ {
		rows *= max(0, view.Hi[k]-view.Lo[k]+1)
	}
	if n := len(view.Lo); n > 0 && view.Hi[n-1] < view.Lo[n-1] {
		return 0
	}
	return rows
}

// A restRow fills rows of a result along one dimension of the array.
type restRow struct {
	p       *plan.Plan
	kernel  Kernel
	given   *array.View
	view    *array.View
	arr     int
	initial plan.Initial
	writers []*plan.Value
	dim     int // of the array; -1: a single cell
	at      int // position in view of index 0 along dim
	scratch []int
}

// fill gives the cells lo..hi along the row that no writer from f on writes
// their initial content.
func (r *restRow) fill(cell []int, lo, hi, f int) {
	if lo > hi {
		return
	}
	if f < len(r.writers) {
		a, b := lo, hi
		for i := range r.writers[f].Written {
			in := &r.writers[f].Written[i]
			c := 0
			v := in.Eval(r.p.Params, nil)
			for m, k := range in.Iters {
				if m == r.dim {
					c = k
				} else {
					v += k * cell[m]
				}
			}
			// v + c·x ≥ 0
			switch {
			case c == 0 && v < 0:
				a, b = lo, lo-1
			case c > 0:
				a = max(a, plan.CeilDiv(-v, c))
			case c < 0:
				b = min(b, plan.FloorDiv(v, -c))
			}
		}
		if a > b {
			r.fill(cell, lo, hi, f+1)
			return
		}
		r.fill(cell, lo, a-1, f+1)
		r.fill(cell, b+1, hi, f+1)
		return
	}
	n, to := hi-lo+1, r.at+lo
	copy(r.scratch, cell)
	if r.dim >= 0 {
		r.scratch[r.dim] = lo
	}
	switch r.initial {
	case plan.Computed:
		r.kernel.Init(r.arr, r.scratch, r.dim, n, r.view.Data, to, 1)
	case plan.Given:
		step := 0
		if r.dim >= 0 {
			step = r.given.Stride[r.dim]
		}
		array.Copy(r.view.Data, to, 1, r.given.Data, r.given.Offset(r.scratch), step, n, r.view.Size)
	}
	r.view.MarkWritten(to, n, 1)
}
