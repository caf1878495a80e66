package halo

import (
	"context"

	"loopc/runtime/array"
	"loopc/runtime/kernel"
	"loopc/transform/plan"
)

// UnwrittenCells write the initial content to the cells of a result that no iteration writes. The result is the view of an array that the
// run returns, or a box of it. Rows are counted over this box. Where nothing supplies an initial content, the compiler has proved or
// checked that every cell is written.
type UnwrittenCells struct {
	row  unwrittenRow
	cell []int
	free []int // dimensions that the result has
}

// NewUnwritten returns the unwritten cells of array arr.
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
	u.row = unwrittenRow{loops: loops, given: &fields.Given[arr], view: &fields.Result[arr], arr: arr, initial: a.Initial, dim: -1, across: -1, scratch: make([]int, rank)}
	if n := len(u.free); n > 0 {
		u.row.dim = u.free[n-1]
		if n > 1 {
			u.row.across, u.row.step = u.free[n-2], u.row.view.Stride[n-2]
		}
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

// fillAtOnce is about how many cells are filled between two looks at the context.
const fillAtOnce = 1 << 18

// Fill fills the rows from begin up to but not including end, so that workers can share the work. If ctx ends meanwhile, Fill
// returns the cause.
func (u *UnwrittenCells) Fill(ctx context.Context, begin, end int) error {
	step := fillAtOnce
	if n := len(u.free); n > 0 {
		step = 1 + fillAtOnce/max(1, u.row.view.Hi[n-1]-u.row.view.Lo[n-1]+1)
	}
	for ; begin < end; begin += step {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		u.fillRows(begin, min(begin+step, end))
	}
	return nil
}

// fillRows fills the rows from begin up to but not including end.
func (u *UnwrittenCells) fillRows(begin, end int) {
	row, view, inner := &u.row, u.row.view, len(u.free)-1
	single := false // rows go one by one
	for r := begin; r < end; r += row.rows {
		row.at, row.rows = u.place(r, u.cell), 1
		switch {
		case inner < 0:
			row.fill(u.cell, 0, 0, 0)
			continue
		case inner > 0 && !single:
			row.rows = row.alike(u.cell, min(end-r, view.Hi[inner-1]-u.cell[row.across]+1))
		}
		lo, hi := view.Lo[inner], view.Hi[inner]
		row.at -= lo
		if row.rows > 1 && !row.tried(u.cell, lo, hi) {
			row.rows, single = 1, true // row by row, so that the first cell in order whose content has no value fails
		}
		if row.rows == 1 {
			row.fill(u.cell, lo, hi, 0)
		}
	}
}

// UnwrittenRows is the number of rows that UnwrittenCells count in a view.
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

// An unwrittenRow fills rows of a result along one dimension of the array: rows that are neighbors
// along another dimension together, if the same cells of them are unwritten.
type unwrittenRow struct {
	loops   kernel.Loops
	given   *array.View
	view    *array.View
	arr     int
	initial plan.Initial
	writers [][]writtenBound
	dim     int // of the array; -1: a single cell
	across  int // dimension of the array from a row to the next; -1: there is one row
	step    int // cells of view from a row to the next
	rows    int // filled together
	at      int // position in view of index 0 along dim, in the first row
	scratch []int
}

// A writtenBound is one inequality of the cells that a value writes: at + Σ cell[m]·index m + along·x ≥ 0, where x is the index along the row.
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

// alike returns how many rows from cell's on, at most most, have the same unwritten cells.
func (r *unwrittenRow) alike(cell []int, most int) int {
	for _, w := range r.writers {
		for i := range w {
			in := &w[i]
			if len(in.cell) <= r.across || in.cell[r.across] == 0 {
				continue
			}
			by, v := in.cell[r.across], in.value(cell)
			switch {
			case in.along != 0:
				return 1
			case by > 0 && v < 0:
				most = min(most, plan.CeilDiv(-v, by))
			case by < 0 && v >= 0:
				most = min(most, plan.FloorDiv(v, -by)+1)
			}
		}
	}
	return most
}

// tried fills the rows, and reports whether all their content has a value.
func (r *unwrittenRow) tried(cell []int, lo, hi int) (ok bool) {
	defer func() { ok = recover() == nil }()
	r.fill(cell, lo, hi, 0)
	return true
}

// value is the part of an inequality that all cells of a row have.
func (b *writtenBound) value(cell []int) int {
	v := b.at
	for m, k := range b.cell {
		v += k * cell[m]
	}
	return v
}

// fill writes the initial content to those of the cells lo..hi along the row that none of the writers from number f on writes.
func (r *unwrittenRow) fill(cell []int, lo, hi, f int) {
	if lo > hi {
		return
	}
	if f < len(r.writers) {
		a, b := lo, hi
		for i := range r.writers[f] {
			in := &r.writers[f][i]
			a, b = AtLeast(in.value(cell), in.along, a, b)
		}
		if a > b {
			r.fill(cell, lo, hi, f+1)
			return
		}
		r.fill(cell, lo, a-1, f+1)
		r.fill(cell, b+1, hi, f+1)
		return
	}
	if n := hi - lo + 1; r.rows > n {
		for x := lo; x <= hi; x++ {
			r.line(cell, x, 0, r.across, r.rows, r.step)
		}
		return
	}
	for k := range r.rows {
		r.line(cell, lo, k, r.dim, hi-lo+1, 1)
	}
}

// line writes the initial content of n cells along dimension dim, stride apart: from index x along the k-th row on.
func (r *unwrittenRow) line(cell []int, x, k, dim, n, stride int) {
	to := r.at + x + k*r.step
	copy(r.scratch, cell)
	if r.dim >= 0 {
		r.scratch[r.dim] = x
	}
	if k > 0 {
		r.scratch[r.across] += k
	}
	switch r.initial {
	case plan.Computed:
		r.loops.Init(r.arr, r.scratch, dim, n, r.view.Data, to, stride)
	case plan.Given:
		step := 0
		if dim >= 0 {
			step = r.given.Stride[dim]
		}
		array.Copy(r.view.Data, to, stride, r.given.Data, r.given.Offset(r.scratch), step, n, r.view.Size)
	}
	r.view.MarkWritten(to, n, stride)
}
