package halo

import (
	"slices"

	"loopc/runtime/array"
	"loopc/runtime/kernel"
	"loopc/runtime/simd"
)

// give copies the final results of value v in stream c's row to the returned array.
func (r *timeSlabs[T]) give(c *stream[T], v int) {
	w := r.w
	if !w.walk.RowMayBe(v, c.row, c.level, c.level+c.count-1) {
		return // no result of the row is final
	}
	if r.someInRow(c, v) && r.giveRows(c, v) {
		return
	}
	cells, at, step := r.place(c, v)
	copy(w.q, c.row)
	for l := range c.count {
		if s := &c.spans.lanes[l]; s.lo <= s.hi && c.results.final[v][l] {
			w.q[0] = c.level + l
			from := rowCells{data: bytes(cells), at: at + (r.lanes.Skew*l-c.spans.shift)*step + r.lanes.LaneIndex(l), step: step}
			if r.inPlane(c, v, l) {
				from = rowCells{data: bytes(r.planes.of[v]), at: r.planes.at(r.planeLanes(c)-l, c.number), step: 1}
			}
			if z := r.narrow[v]; z != nil {
				from.convert = z.out
			}
			for _, x := range w.walk.Final(v, w.q, s.lo+c.spans.shift, s.hi+c.spans.shift) {
				w.back.put(v, from, w.q, x.Lo, x.Hi)
			}
		}
	}
}

// someInRow reports whether some results of value v that may be final are in stream c's row only, not in planes. Otherwise the next stream
// may already have overwritten the row.
func (r *timeSlabs[T]) someInRow(c *stream[T], v int) bool {
	for l := range c.count {
		if c.results.final[v][l] && !r.inPlane(c, v, l) {
			return true
		}
	}
	return false
}

// inPlane reports whether a plane has the results of value v in lane l of stream c after the row is computed. In a nest of two loops
// (r.last = 1) the next stream has overwritten the plane. A plane that is missing from CarryOut is not written, since only dead statements
// would read it. A plane of an int32 may hold the results plus a constant (Plus); such results are not taken from the plane.
func (r *timeSlabs[T]) inPlane(c *stream[T], v, l int) bool {
	return r.last > 1 && r.planes.of[v] != nil && r.lanes.Values[v].Plus == 0 && slices.Contains(r.lanes.CarryOut, kernel.LanePlane{Value: v, Level: r.planeLanes(c) - l})
}

// beginResults finds which results of stream c's slab may be final, and whether entire rows are read after they are complete (keeps). This
// is so if final results are in rows only, or if the block needs planes that no lane writes (copiesPlanes).
func (r *timeSlabs[T]) beginResults(c *stream[T]) {
	c.results.values = c.results.values[:0]
	c.results.keeps = r.copiesPlanes(c)
	c.results.planes = c.results.keeps
	for _, v := range r.results {
		if !r.w.walk.MayBe(v, c.level, c.level+c.count-1) {
			continue
		}
		has := false
		for l := range c.count {
			final := r.w.walk.MayBe(v, c.level+l, c.level+l)
			c.results.final[v][l], has = final, has || final
			c.results.keeps = c.results.keeps || final && !r.inPlane(c, v, l)
		}
		if has {
			c.results.values = append(c.results.values, v)
		}
	}
}

// planeLanes returns the number of lanes up to and with the one that writes planes: the highest active lane of stream c. If streams
// have slabs of their own, or the kernel has no tail mask, the highest lane of the vector writes planes, even if it is idle.
func (r *timeSlabs[T]) planeLanes(c *stream[T]) int {
	if r.lanes.TailMask && r.room.shared {
		return c.count
	}
	return r.lanes.Count
}

// copiesPlanes reports whether planes must be copied from stream c's row: its slab is the last,
// the block needs the planes, and no lane of the slab writes them.
func (r *timeSlabs[T]) copiesPlanes(c *stream[T]) bool {
	return !r.tile.ends && c.count < r.planeLanes(c) && r.tile.hi == c.level+c.count-1
}

// giveRows does what give does, if all results of the row are final and go to rows of the array.
// Otherwise it copies nothing and returns false.
func (r *timeSlabs[T]) giveRows(c *stream[T], v int) bool {
	if c.streamed.on && r.w.fields.Result[r.p.Nest.Values[v].Array].Written == nil { // the row already has its destination
		c.streamed.lines.Finish()
		r.stored(c, v)
		return true
	}
	if !r.resultRows(c, v, true) {
		return false
	}
	cells, at, step := r.place(c, v)
	switch {
	case c.streamed.on:
		c.streamed.lines.Finish()
	case r.streaming(v):
		r.transposer.stream(cells, at, step)
	default:
		r.transposer.out(cells, at, step)
		if z := r.narrow[v]; z != nil {
			z.store(r.w.fields.Result[r.p.Nest.Values[v].Array].Data)
		}
	}
	r.stored(c, v)
	return true
}

// stored counts the results of stream c's row as stored.
func (r *timeSlabs[T]) stored(c *stream[T], v int) {
	for l := 0; r.w.counts != nil && l < c.count; l++ {
		if s := &c.spans.lanes[l]; s.lo <= s.hi && c.results.final[v][l] {
			r.w.counts.Stored += s.hi - s.lo + 1
		}
	}
}

// streaming reports whether results of value v are written with streaming stores.
func (r *timeSlabs[T]) streaming(v int) bool {
	a := r.p.Nest.Values[v].Array
	size := r.p.Nest.Arrays[a].Size
	return simd.Streams(size, len(r.w.fields.Result[a].Data)/size)
}

// resultRows points the transposer's rows to the places of stream c's results of value v in the returned array, and marks these as written,
// if written. Results that must be converted go to rows of their own. It returns false unless all are final and go to rows of the array.
func (r *timeSlabs[T]) resultRows(c *stream[T], v int, written bool) bool {
	w := r.w
	val := &r.p.Nest.Values[v]
	z := r.narrow[v]
	arr, view := &r.p.Nest.Arrays[val.Array], &w.fields.Result[val.Array]
	if len(val.Overwrites) > 0 || arr.Slice != nil || z == nil && arr.Size != r.lanes.Size {
		return false
	}
	// to is the cell of the first lane at column c.spans.shift, and by the distance to the cell of the next lane.
	c.row[0] = c.level
	to, along := w.back.to[v].along(c.row)
	by := w.back.to[v].a[0]
	if along != 1 && along != -1 {
		return false
	}
	to += along * c.spans.shift
	r.transposer.clear(along < 0)
	var data []T
	if z == nil {
		data = array.Cast[T](view.Data)
	}
	for l := range c.count {
		if s := &c.spans.lanes[l]; s.lo <= s.hi && c.results.final[v][l] {
			at := to + l*by
			first := min(at+s.lo*along, at+s.hi*along)
			if z != nil {
				r.transposer.set(l, s.lo, s.hi, z.place(l, first, s.hi-s.lo+1))
			} else {
				r.transposer.set(l, s.lo, s.hi, data[first:])
			}
			if written {
				view.MarkWritten(first, s.hi-s.lo+1, 1)
			}
		}
	}
	return true
}
