package halo

import "loopc/runtime/kernel"

// The streams of one slab keep their rows of lanes in one stretch of memory, so that it stays in the cache: each row takes the place of the
// row above, which it reads, or a place near it. If a face or a later tile needs the last columns of a complete row, each row begins some
// steps before the place of the row above. It then overwrites only vectors that have been read, and ends before the last vectors of the row
// above.

// offsetOf returns how many steps apart rows must lie so that the last columns of each, as many as the longest flow distance, survive until
// all streams have ended. Each stream runs lag steps behind the stream of the row above. The offset covers the steps that the upper stream
// continues after the lower one has ended, and the vectors of the upper row that the lower one reads.
func (r *laneRoom) offsetOf(l *kernel.Temporal) int {
	const spare = 2
	return r.ghosts + l.Skew*(l.Count-1+r.depth) + 2*r.lag + spare
}

// layRows places the rows of the streams. If nothing of a row is kept (keep is none), its place is that of the row before. If the columns
// from keep on survive with an offset between rows, rows lie that offset apart. Otherwise every row gets a place that no other row uses. If
// one call computes all streams (all), stream j ends at its step end - j·lag; otherwise each stream ends at the end of its own spans. From
// step full0 of the first stream on, no lane is masked.
func (r *timeSlabs[T]) layRows(streams []stream[T], keep, full0, end int, all bool) {
	shifts, offset := keep < none, r.room.offset+r.streamingOffset(streams, full0)
	shifts = shifts && offset*r.lanes.Buffered*r.lanes.Count <= r.room.bufferRow // otherwise two rows could share memory
	for j := 1; j < len(streams) && shifts; j++ {
		ends := streams[j].spans.end
		if all {
			ends = end - j*r.room.lag
		}
		for i := range j {
			shifts = shifts && (streams[i].spans.skip || streams[j].spans.skip || keep >= ends-(j-i)*offset)
		}
	}
	before, free := r.lastRow, 0
	for i := range streams {
		c := &streams[i]
		c.from = r.lastRow
		switch {
		case keep >= none:
		case shifts:
			if r.lastRow -= offset * r.lanes.Buffered * r.lanes.Count; r.lastRow < 0 {
				r.lastRow = (r.room.bufferRows - 1) * r.room.bufferRow
			}
		default:
			for free < before+r.room.bufferRow && before < free+r.room.bufferRow {
				free += r.room.bufferRow
			}
			r.lastRow, free = free, free+r.room.bufferRow
		}
		c.to = r.lastRow
	}
}
