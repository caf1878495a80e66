package halo

import (
	"loopc/runtime/kernel"
	"loopc/runtime/simd"
)

// A transposer copies between rows and vectors of lanes, one row per lane: simd.Laces
// transposes in registers. Callers copy the cells of boxes narrower than a vector one by one.
type transposer[T int32 | int64] struct {
	lanes   *kernel.Temporal
	vectors *simd.Laces[T]
	rows    []simd.Row[T] // the rows to copy, in the order of lanes in a vector
}

func newTransposer[T int32 | int64](l *kernel.Temporal) transposer[T] {
	return transposer[T]{l, simd.NewLaces[T](l.Count), make([]simd.Row[T], l.Count)}
}

// set sets the row of lane l to cells, which begin at column lo.
func (z *transposer[T]) set(l, lo int, cells []T) {
	z.rows[z.lanes.LaneIndex(l)] = simd.Row[T]{Cells: cells, First: lo + z.lanes.Skew*l}
}

// clear makes all rows empty.
func (z *transposer[T]) clear() { clear(z.rows) }

// fromFirst returns the rest of cells that begins with the first step of any row, and makes rows
// count their steps from there. On entry, cells[at] is the cell of step 0.
func (z *transposer[T]) fromFirst(cells []T, at, step int) []T {
	if first := z.countFromFirst(); first < 1<<62 {
		return cells[at+first*step:]
	}
	return nil
}

// countFromFirst makes rows count their steps from the first step of any row, which it returns;
// 1<<62 if all rows are empty.
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
	some, only := 0, 0
	for l := range z.rows {
		if len(z.rows[l].Cells) > 0 {
			some, only = some+1, l
		}
	}
	if some == 1 { // one row needs no transposition: the ghost row of one level
		row := &z.rows[only]
		to := at + row.First*step + only
		for _, x := range row.Cells {
			cells[to] = x
			to += step
		}
		return
	}
	if lanes := z.fromFirst(cells, at, step); lanes != nil {
		z.vectors.Lace(lanes, step, z.rows)
	}
}
