package halo

import (
	"loopc/runtime/array"
	"loopc/runtime/simd"
	"loopc/transform/plan"
)

// What moves rows of lanes as a whole: simd.Laces transposes them in registers.
// Parts of rows of less than a vector are moved cell by cell, by the callers.

// laceRow sets the row of lane l to cells, of columns from lo on.
func (r *slabs[T]) laceRow(l, lo int, cells []T) {
	r.laceRows[r.Seat(l)] = simd.Row[T]{Cells: cells, First: lo + r.Skew*l}
}

// noRows makes all rows empty.
func (r *slabs[T]) noRows() { clear(r.laceRows) }

// fromFirst returns the lanes from the first step of laceRows on, which then count
// their steps from there. Step 0 would be at position at of cells.
func (r *slabs[T]) fromFirst(cells []T, at, step int) []T {
	if first := r.countFromFirst(); first < 1<<62 {
		return cells[at+first*step:]
	}
	return nil
}

// countFromFirst lets laceRows count their steps from the first one on, which it returns: far
// off if there is none.
func (r *slabs[T]) countFromFirst() int {
	first, end := 1<<62, 0
	for l := range r.laceRows {
		if row := &r.laceRows[l]; len(row.Cells) > 0 {
			first, end = min(first, row.First), max(end, l+1)
		}
	}
	for l := range end {
		r.laceRows[l].First -= first
	}
	return first
}

// giveRows is give for results all of which are final, in rows of an array of the
// lanes' type. It returns false for others.
func (r *slabs[T]) giveRows(c *chain[T], v int) bool {
	if c.lined && r.w.fields.Result[r.p.Nest.Values[v].Array].Written == nil { // where they go is known
		c.lines.Finish()
		r.stored(c, v)
		return true
	}
	if !r.resultRows(c, v, true) {
		return false
	}
	cells, at, step := r.place(c, v)
	lanes := r.fromFirst(cells, at, step)
	switch {
	case c.lined:
		c.lines.Finish()
	case r.streams(v):
		r.laces.Stream(r.laceRows, lanes, step)
	default:
		r.laces.Unlace(r.laceRows, lanes, step)
	}
	r.stored(c, v)
	return true
}

// stored counts the results of chain c's row, which are stored.
func (r *slabs[T]) stored(c *chain[T], v int) {
	for l := 0; r.w.counts != nil && l < c.count; l++ {
		if s := &c.span[l]; s.lo <= s.hi && c.final[v][l] {
			r.w.counts.Stored += s.hi - s.lo + 1
		}
	}
}

// streams reports whether results of value v go past the caches.
func (r *slabs[T]) streams(v int) bool {
	return len(r.w.fields.Result[r.p.Nest.Values[v].Array].Data) > plan.StreamBytes
}

// resultRows sets laceRows to where chain c's results of value v are given back, all of
// which are final, and notes that they are written, if they are. It returns false for
// others than rows of an array of the lanes' type.
func (r *slabs[T]) resultRows(c *chain[T], v int, written bool) bool {
	w := r.w
	val := &r.p.Nest.Values[v]
	arr, view := &r.p.Nest.Arrays[val.Array], &w.fields.Result[val.Array]
	if len(val.Overwrites) > 0 || arr.Slice != nil || arr.Size != r.Size {
		return false
	}
	// The first lane's row is at column c.shift at cell to, that of the next lane by
	// cells further.
	to, by, along := 0, 0, 0
	c.row[0] = c.level
	for m := range w.arrays.cells[v] {
		f := &w.arrays.cells[v][m]
		at, step := f.along(c.row)
		to += (at - view.Lo[m]) * view.Stride[m]
		by += f.a[0] * view.Stride[m]
		along += step * view.Stride[m]
	}
	if along != 1 {
		return false
	}
	to += c.shift
	r.noRows()
	data := array.Cast[T](view.Data)
	for l := range c.count {
		if s := &c.span[l]; s.lo <= s.hi && c.final[v][l] {
			at := to + l*by
			r.laceRow(l, s.lo, data[at+s.lo:at+s.hi+1])
			if written {
				view.MarkWritten(at+s.lo, s.hi-s.lo+1, 1)
			}
		}
	}
	return true
}

// moveRows moves what chain c's row has of a box between the row and the box, in to
// the row or out of it. from and level are as rowAt returns them, but for c.shift.
func (r *slabs[T]) moveRows(c *chain[T], b *laneBox[T], from, level int, in bool) {
	r.noRows()
	first, last := b.lo[r.last]-c.shift, b.hi[r.last]-c.shift
	for l := max(0, b.lo[0]-c.level); l < c.count && c.level+l <= b.hi[0]; l++ {
		s := &c.span[l]
		lo, hi := max(first, s.e0), min(last, s.e1)
		if at := from + (c.level+l-b.lo[0])*level; lo <= hi {
			r.moved(hi-lo+1, in)
			r.laceRow(l, lo, b.cells[at+lo:at+hi+1])
		}
	}
	if in {
		cells, at, step := r.fillPlace(c, b.value)
		r.laceIn(cells, at, step)
		return
	}
	cells, at, step := r.place(c, b.value)
	r.laces.Unlace(r.laceRows, r.fromFirst(cells, at, step), step)
}

// laceIn moves laceRows into vectors: their step 0 would be at position at of cells.
func (r *slabs[T]) laceIn(cells []T, at, step int) {
	some, only := 0, 0
	for l := range r.laceRows {
		if len(r.laceRows[l].Cells) > 0 {
			some, only = some+1, l
		}
	}
	if some == 1 { // there is nothing to transpose: the ghost row of one level
		row := &r.laceRows[only]
		to := at + row.First*step + only
		for _, x := range row.Cells {
			cells[to] = x
			to += step
		}
		return
	}
	if lanes := r.fromFirst(cells, at, step); lanes != nil {
		r.laces.Lace(lanes, step, r.laceRows)
	}
}

// laced lays out rows of a given array for chain c. It returns false where these do
// not go through the array's cells one by one, or are far apart and of another type
// than lanes.
func (g *givenRows[T]) laced(c *chain[T], to []T) bool {
	r := g.r
	src, base := g.flat, 0
	if src == nil {
		src = array.Cast[T](g.view.Data)
	} else {
		// All lanes together read hardly more cells than one: these are converted once.
		low, high := 1<<62, -1<<62
		for l := range c.count {
			if s := &c.span[l]; s.lo <= s.hi {
				from, by, _ := g.at(c, l)
				if by != 1 {
					return false
				}
				low, high = min(low, from+s.lo), max(high, from+s.hi)
			}
		}
		if n := high - low + 1; n > len(src) {
			return false
		} else if n > 0 {
			g.convert(src, 0, 1, g.view.Data, low, 1, n)
		}
		base = low
	}
	r.noRows()
	for l := range c.count {
		s := &c.span[l]
		if s.lo > s.hi {
			continue
		}
		from, by, _ := g.at(c, l)
		if by != 1 {
			return false
		}
		r.laceRow(l, s.lo, src[from-base+s.lo:from-base+s.hi+1])
	}
	r.laceIn(to, (c.shift-r.step0())*r.Count, r.Count)
	return true
}
