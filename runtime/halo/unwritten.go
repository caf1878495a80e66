package halo

import (
	"slices"

	"loopc/runtime/array"
	"loopc/runtime/kernel"
	"loopc/runtime/simd"
	"loopc/transform/plan"
)

// Unwritten writes the initial content to the cells of a result that no iteration writes. The
// result is the view of array arr that the run returns, or a box of it. Rows are counted over
// this box. Only the rows from begin up to but not including end are filled, so that workers can
// share the work.
//
// Where nothing supplies an initial content, the compiler has proved or checked
// that every cell is written.
func Unwritten(p *plan.Plan, loops kernel.Loops, fields kernel.Fields, arr int, begin, end int) {
	NewUnwritten(p, loops, fields, arr).Fill(begin, end)
}

// UnwrittenCells do what Unwritten does, again and again.
type UnwrittenCells struct {
	row         unwrittenRow
	cell, later []int
	free        []int // dimensions that the result has
}

// NewUnwritten prepares what Unwritten does.
func NewUnwritten(p *plan.Plan, loops kernel.Loops, fields kernel.Fields, arr int) *UnwrittenCells {
	a := &p.Nest.Arrays[arr]
	rank := len(a.Lo)
	u := &UnwrittenCells{cell: make([]int, rank)}
	for m := range u.cell {
		if a.Slice != nil && a.Slice[m] != nil {
			u.cell[m] = a.Slice[m].Eval(p.Params, nil)
			continue
		}
		u.free = append(u.free, m)
	}
	u.later = slices.Clone(u.cell)
	u.row = unwrittenRow{loops: loops, given: &fields.Given[arr], view: &fields.Result[arr], arr: arr, initial: a.Initial, dim: -1, scratch: make([]int, rank)}
	if n := len(u.free); n > 0 {
		u.row.dim = u.free[n-1]
	}
	for v := range p.Nest.Values {
		if val := &p.Nest.Values[v]; val.Array == arr {
			u.row.writers = append(u.row.writers, u.row.writerOf(p, val))
		}
	}
	return u
}

// place writes the cell at which row r begins to cell, and returns its position in the view.
func (u *UnwrittenCells) place(r int, cell []int) (at int) {
	view := u.row.view
	for k := len(u.free) - 2; k >= 0; k-- {
		e := view.Hi[k] - view.Lo[k] + 1
		i := r % e
		r /= e
		cell[u.free[k]] = view.Lo[k] + i
		at += i * view.Stride[k]
	}
	return at
}

// Fill fills the rows from begin up to but not including end.
func (u *UnwrittenCells) Fill(begin, end int) {
	row, view, inner := &u.row, u.row.view, len(u.free)-1
	row.least, row.most = 0, 0
	streamed := view.Data != nil && simd.Streams(view.Size, len(view.Data)/view.Size) // a view without data only records which cells are written
	if inner >= 0 {
		row.least, row.most = view.Lo[inner], view.Hi[inner]
	}
	for r := begin; r < end; r++ {
		row.at = u.place(r, u.cell)
		if inner < 0 {
			row.fill(u.cell, 0, 0, 0)
		} else {
			lo, hi := view.Lo[inner], view.Hi[inner]
			if streamed && r+prefetchedRows < end {
				row.fetch(u.place(r+prefetchedRows, u.later), hi-lo)
			}
			row.at -= lo
			row.least, row.most = hi, lo
			row.fill(u.cell, lo, hi, 0)
		}
	}
}

// prefetchedRows is how many rows ahead the ends of a row are prefetched. Cells that no
// iteration writes are mostly ends of rows. The rest of the row was written with streaming
// stores, so the ends are not in the caches.
const prefetchedRows = 8

// UnwrittenRows is the number of rows that Unwritten counts in a view.
func UnwrittenRows(view *array.View) int {
	rows := 1
	for k := 0; k < len(view.Lo)-1; k++ {
		rows *= max(0, view.Hi[k]-view.Lo[k]+1)
	}
	if n := len(view.Lo); n > 0 && view.Hi[n-1] < view.Lo[n-1] {
		return 0
	}
	return rows
}

// An unwrittenRow fills rows of a result along one dimension of the array.
type unwrittenRow struct {
	loops   kernel.Loops
	given   *array.View
	view    *array.View
	arr     int
	initial plan.Initial
	writers [][]writtenBound
	dim     int // of the array; -1: a single cell
	at      int // position in view of index 0 along dim
	scratch []int

	least, most int // the unwritten cells of the last row span least..most; at first all cells
}

// A writtenBound is one inequality of the cells that a value writes: at + Σ cell[m]·index m +
// along·x ≥ 0, where x is the index along the row.
type writtenBound struct {
	at, along int
	cell      []int // coefficients of the other indices, up to the last that is not 0
}

// writerOf returns the inequalities of the cells that a value writes.
func (r *unwrittenRow) writerOf(p *plan.Plan, val *plan.Value) []writtenBound {
	var out []writtenBound
	for i := range val.Written {
		in := &val.Written[i]
		b := writtenBound{at: in.Eval(p.Params, nil)}
		for m, k := range in.Iters {
			switch {
			case m == r.dim:
				b.along = k
			case k != 0:
				b.cell = append(b.cell, make([]int, m-len(b.cell))...)
				b.cell = append(b.cell, k)
			}
		}
		out = append(out, b)
	}
	return out
}

// fetch prefetches the first cell of a row, at position at, and its last cell, last cells
// further: each only if that cell was unwritten in the row that was filled before.
func (r *unwrittenRow) fetch(at, last int) {
	end := func(at int) { simd.Fetch(r.view.Data[at*r.view.Size : (at+1)*r.view.Size]) }
	if r.least == r.view.Lo[len(r.view.Lo)-1] {
		end(at)
	}
	if r.most == r.view.Hi[len(r.view.Hi)-1] {
		end(at + last)
	}
}

// fill writes the initial content to those of the cells lo..hi along the row that none of the
// writers from number f on writes.
func (r *unwrittenRow) fill(cell []int, lo, hi, f int) {
	if lo > hi {
		return
	}
	if f < len(r.writers) {
		a, b := lo, hi
		for i := range r.writers[f] {
			in := &r.writers[f][i]
			v := in.at
			for m, k := range in.cell {
				v += k * cell[m]
			}
			switch {
			case in.along == 0 && v < 0:
				a, b = lo, lo-1
			case in.along == 1:
				a = max(a, -v)
			case in.along == -1:
				b = min(b, v)
			case in.along > 0:
				a = max(a, plan.CeilDiv(-v, in.along))
			case in.along < 0:
				b = min(b, plan.FloorDiv(v, -in.along))
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
	r.least, r.most = min(r.least, lo), max(r.most, hi)
	n, to := hi-lo+1, r.at+lo
	copy(r.scratch, cell)
	if r.dim >= 0 {
		r.scratch[r.dim] = lo
	}
	switch r.initial {
	case plan.Computed:
		r.loops.Init(r.arr, r.scratch, r.dim, n, r.view.Data, to, 1)
	case plan.Given:
		step := 0
		if r.dim >= 0 {
			step = r.given.Stride[r.dim]
		}
		array.Copy(r.view.Data, to, 1, r.given.Data, r.given.Offset(r.scratch), step, n, r.view.Size)
	}
	r.view.MarkWritten(to, n, 1)
}
