package halo

import (
	"slices"

	"loopc/runtime/array"
	"loopc/runtime/kernel"
	"loopc/transform/plan"
)

// give copies the results of stream c's row that are final to the array given back.
func (r *timeSlabs[T]) give(c *stream[T], v int) {
	w := r.w
	if r.keepsSome(c, v) && r.giveRows(c, v) {
		return
	}
	cells, at, step := r.place(c, v)
	for l := range c.count {
		if s := &c.spans.lanes[l]; s.lo <= s.hi && c.results.final[v][l] {
			copy(w.q, c.row)
			w.q[0] = c.level + l
			from := rowCells{bytes(cells), at + (r.lanes.Skew*l-c.spans.shift)*step + r.lanes.LaneIndex(l), step}
			if r.inPlane(c, v, l) {
				from = rowCells{bytes(r.planes.of[v]), r.planes.at(r.active(c)-l, c.number), 1}
			}
			w.back.final(v, from, w.q, s.lo+c.spans.shift, s.hi+c.spans.shift)
		}
	}
}

// keepsSome reports whether some results of value v that may be final are not in planes: if
// all are, the row may not be there.
func (r *timeSlabs[T]) keepsSome(c *stream[T], v int) bool {
	for l := range c.count {
		if c.results.final[v][l] && !r.inPlane(c, v, l) {
			return true
		}
	}
	return false
}

// inPlane reports whether the results of value v in lane l of stream c are in a plane, one
// beside the other and as they are, when it has computed a row. (In a nest of two loops the stream after it
// has written over them.) A stream does not write planes that only statements read of
// which nothing comes: the nest has them, and the lanes do not.
func (r *timeSlabs[T]) inPlane(c *stream[T], v, l int) bool {
	return r.last > 1 && r.planes.of[v] != nil && r.lanes.Values[v].Plus == 0 && slices.Contains(r.lanes.CarryOut, kernel.LanePlane{Value: v, Level: r.active(c) - l})
}

// beginResults finds out which results of stream c's slab may be final, and whether whole
// rows are needed when they are complete: for them, unless they are in planes, or for
// planes of the block.
func (r *timeSlabs[T]) beginResults(c *stream[T]) {
	c.results.values = c.results.values[:0]
	c.results.keeps = r.copiesPlanes(c)
	c.results.planes = c.results.keeps
	for _, v := range r.results {
		if !r.w.walk.MayBe(v, c.level, c.level+c.count-1) {
			continue
		}
		some := false
		for l := range c.count {
			final := r.w.walk.MayBe(v, c.level+l, c.level+l)
			c.results.final[v][l], some = final, some || final
			c.results.keeps = c.results.keeps || final && !r.inPlane(c, v, l)
		}
		if some {
			c.results.values = append(c.results.values, v)
		}
	}
}

// active is how many lanes of stream c take part, of which the highest write planes. (Where
// each stream has a slab of its own, some with idle lanes, all write those of the highest of
// all.)
func (r *timeSlabs[T]) active(c *stream[T]) int {
	if r.lanes.TailMask && r.room.shared {
		return c.count
	}
	return r.lanes.Count
}

// copiesPlanes reports whether the planes of the level after stream c's slab, the last one, are
// needed, and its lanes do not write them.
func (r *timeSlabs[T]) copiesPlanes(c *stream[T]) bool {
	return !r.tile.ends && c.count < r.active(c) && r.tile.hi == c.level+c.count-1
}

// giveRows is give for results all of which are final, in rows of an array of the
// lanes' type. It returns false for others.
func (r *timeSlabs[T]) giveRows(c *stream[T], v int) bool {
	if c.streamed.on && r.w.fields.Result[r.p.Nest.Values[v].Array].Written == nil { // where they go is known
		c.streamed.lines.Finish()
		r.stored(c, v)
		return true
	}
	if !r.resultRows(c, v, true) {
		return false
	}
	cells, at, step := r.place(c, v)
	lanes := r.transposer.fromFirst(cells, at, step)
	switch {
	case c.streamed.on:
		c.streamed.lines.Finish()
	case r.streaming(v):
		r.transposer.vectors.Stream(r.transposer.rows, lanes, step)
	default:
		r.transposer.vectors.Unlace(r.transposer.rows, lanes, step)
	}
	r.stored(c, v)
	return true
}

// stored counts the results of stream c's row, which are stored.
func (r *timeSlabs[T]) stored(c *stream[T], v int) {
	for l := 0; r.w.counts != nil && l < c.count; l++ {
		if s := &c.spans.lanes[l]; s.lo <= s.hi && c.results.final[v][l] {
			r.w.counts.Stored += s.hi - s.lo + 1
		}
	}
}

// streaming reports whether results of value v go past the caches.
func (r *timeSlabs[T]) streaming(v int) bool {
	return len(r.w.fields.Result[r.p.Nest.Values[v].Array].Data) > plan.StreamBytes
}

// resultRows sets laceRows to where stream c's results of value v are given back, all of
// which are final, and notes that they are written, if they are. It returns false for
// others than rows of an array of the lanes' type.
func (r *timeSlabs[T]) resultRows(c *stream[T], v int, written bool) bool {
	w := r.w
	val := &r.p.Nest.Values[v]
	arr, view := &r.p.Nest.Arrays[val.Array], &w.fields.Result[val.Array]
	if len(val.Overwrites) > 0 || arr.Slice != nil || arr.Size != r.lanes.Size {
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
	to += c.spans.shift
	r.transposer.clear()
	data := array.Cast[T](view.Data)
	for l := range c.count {
		if s := &c.spans.lanes[l]; s.lo <= s.hi && c.results.final[v][l] {
			at := to + l*by
			r.transposer.set(l, s.lo, data[at+s.lo:at+s.hi+1])
			if written {
				view.MarkWritten(at+s.lo, s.hi-s.lo+1, 1)
			}
		}
	}
	return true
}
