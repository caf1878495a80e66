package halo

import "loopc/runtime/kernel"

// runSharedSlabs runs the slabs of a tile one after the other. In each turn the streams compute successive rows of one slab. Each stream is
// lag steps behind the stream before, whose row it reads. If only the next row reads a row, the next row overwrites it, step by step.
func (r *timeSlabs[T]) runSharedSlabs(slabs int) {
	for slab := range slabs {
		for i := range r.streams {
			r.begin(&r.streams[i], slab)
		}
		r.lastRow, r.calls.frame[kernel.FrameTail] = 0, 0
		if c := &r.streams[0]; r.planeLanes(c) < r.lanes.Count {
			r.calls.frame[kernel.FrameTail] = 1 << r.lanes.LaneIndex(c.count-1)
		}
		for number := 0; number < r.tile.rows; number += r.lanes.Streams {
			streams := r.streams[:min(r.lanes.Streams, r.tile.rows-number)]
			for i := range streams {
				c := &streams[i]
				c.number = number + i
				c.row[1] = r.w.first[1] - r.p.HaloWidth[1] + c.number
			}
			keep := r.rowsOfSlab(streams)
			for i := range streams {
				if c := &streams[i]; (keep < none || len(c.results.values) > 0) && !c.spans.skip {
					r.finish(c)
				}
			}
			r.tile.column.sent(streams[0].level, number+len(streams))
		}
		r.tile.column.sent(r.streams[0].level+r.streams[0].count, 0)
	}
	for i := range r.streams {
		r.streams[i].slab = -1
	}
}

// keeps returns the first column whose results are read after the streams' rows are complete, by anything but the next row. It returns none
// if there is no such column, and -none if all results are read. The caller has prepared the rows.
func (r *timeSlabs[T]) keeps(streams []stream[T]) int {
	c := &streams[0]
	keep := none
	for i := range streams {
		switch c := &streams[i]; {
		case c.spans.skip || !c.results.keeps:
		case c.results.planes || !c.streamed.on:
			return -none
		default:
			keep = min(keep, c.neededOfLines())
		}
	}
	top := c.level + c.count - 1
	last := c.row[1] + len(streams) - 1
	for i := range r.w.border.out {
		if b := &r.w.border.out[i]; b.lo[0] <= top && b.hi[0] >= c.level && b.lo[1] <= last && b.hi[1] >= c.row[1] {
			keep = min(keep, b.lo[r.last])
		}
	}
	return keep
}

// neededFrom returns the first step of stream c's row whose cells are read after the row is complete: see FrameNeeded.
func (r *timeSlabs[T]) neededFrom(c *stream[T]) int {
	if c.results.keeps {
		return c.spans.first
	}
	from := c.spans.end
	for i := range r.w.border.out {
		if b := &r.w.border.out[i]; b.lo[0] < c.level+c.count && b.hi[0] >= c.level {
			from = min(from, b.lo[r.last]) // the step of lane 0; other lanes compute the column later
		}
	}
	return from
}

// rowsOfSlab computes the streams' rows, of which the first is the uppermost. It returns the first column that is read later: see keeps.
func (r *timeSlabs[T]) rowsOfSlab(streams []stream[T]) (keep int) {
	steps, all := noSteps, len(streams) == r.lanes.Streams
	for i := range streams {
		c := &streams[i]
		r.prepare(c)
		if c.spans.skip {
			all = false
			continue
		}
		steps.join(c.spans.later(i * r.room.lag))
	}
	keep = r.keeps(streams)
	r.layRows(streams, keep, max(steps.full0, steps.first), steps.end, all)
	if all {
		for i := range streams {
			r.point(&streams[i], i, steps.first-i*r.room.lag)
		}
		r.calls.steps(r.lanes.Many, steps, steps.first)
		return keep
	}
	for i := range streams {
		if c := &streams[i]; !c.spans.skip {
			r.point(c, 0, c.spans.first)
			r.calls.steps(r.lanes.One, c.spans.rowSteps, c.spans.first)
		}
	}
	return keep
}
