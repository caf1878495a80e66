package halo

import (
	"slices"

	"loopc/runtime/kernel"
	"loopc/runtime/simd"
)

// A transposer copies between rows and vectors of lanes, one row per lane: simd.Interleaver transposes in registers. Callers copy the cells
// of boxes narrower than a vector one by one.
type transposer[T int32 | int64] struct {
	lanes   *kernel.Temporal
	vectors *simd.Interleaver[T]
	rows    []simd.Row[T] // the rows to copy, in the order of lanes in a vector
	down    bool          // the cells of rows are in descending order of columns; First is the negated step of Cells[0]
}

func newTransposer[T int32 | int64](l *kernel.Temporal) transposer[T] {
	return transposer[T]{l, simd.NewInterleaver[T](l.Count), make([]simd.Row[T], l.Count), false}
}

// set sets the row of lane l to the cells of columns lo..hi.
func (z *transposer[T]) set(l, lo, hi int, cells []T) {
	first := lo + z.lanes.Skew*l
	if z.down {
		first = -(hi + z.lanes.Skew*l)
	}
	z.rows[z.lanes.LaneIndex(l)] = simd.Row[T]{Cells: cells[:hi-lo+1], First: first}
}

// clear makes all rows empty. down says in which order of columns the next rows have their cells.
func (z *transposer[T]) clear(down bool) {
	clear(z.rows)
	z.down = down
}

// repeat gives lanes without cells the cells of another lane, so that whole vectors are written. Nobody may read these lanes.
func (z *transposer[T]) repeat() {
	filled := slices.IndexFunc(z.rows, func(row simd.Row[T]) bool { return len(row.Cells) > 0 })
	for l := range z.rows {
		switch {
		case filled < 0:
		case len(z.rows[l].Cells) > 0:
			filled = l
		default:
			z.rows[l] = z.rows[filled]
		}
	}
}

// alongRows returns the distance, in the vectors, from a row's cell x to its cell x+1: -step if down.
func (z *transposer[T]) alongRows(step int) int {
	if z.down {
		return -step
	}
	return step
}

// countFromFirst makes rows count their steps from the first step of any row, which it returns; 1<<62 if all rows are empty.
func (z *transposer[T]) countFromFirst() int {
	first, end := 1<<62, 0
	for l := range z.rows {
		if row := &z.rows[l]; len(row.Cells) > 0 {
			first, end = min(first, row.First), max(end, l+1)
		}
	}
	for l := range end {
		z.rows[l].First -= first
	}
	return first
}

// in copies the rows into vectors. Step 0 is at position at of cells.
func (z *transposer[T]) in(cells []T, at, step int) {
	step = z.alongRows(step)
	filled, only := 0, 0
	for l := range z.rows {
		if len(z.rows[l].Cells) > 0 {
			filled, only = filled+1, l
		}
	}
	if filled == 1 { // one row needs no transposition: the ghost row of one level
		row := &z.rows[only]
		to := at + row.First*step + only
		for _, x := range row.Cells {
			cells[to] = x
			to += step
		}
		return
	}
	z.vectors.Interleave(cells, at, step, z.rows)
}

// out copies the vectors into the rows. Step 0 is at position at of cells.
func (z *transposer[T]) out(cells []T, at, step int) {
	z.vectors.Deinterleave(z.rows, cells, at, z.alongRows(step))
}

// stream does what out does, with streaming stores.
func (z *transposer[T]) stream(cells []T, at, step int) {
	if z.down {
		z.out(cells, at, step)
	} else if first := z.countFromFirst(); first < 1<<62 {
		z.vectors.Stream(z.rows, cells[at+first*step:], step)
	}
}
