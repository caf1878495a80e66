package halo

import "loopc/runtime/kernel"

// Rows of lanes that streams of one slab compute lie in one stretch of memory, each
// where the row before it was, which it reads, or so near that it stays in the cache.
// The vectors of the last columns are often needed when rows are complete, for a face
// or to be carried on. Then each row begins some steps before the one above it: it
// writes over what has been read, and ends before the last vectors of that.

// offsetOf returns by how many steps rows are apart whose last columns are kept, as many
// as the longest flow distance, when streams have ended. In the same step of a turn, the
// stream of a row is lag steps behind that of the row above, which goes on for so long
// when the row itself has ended: so these vectors, and what the row reads of the row
// above, are not written over.
func (r *laneRoom) offsetOf(l *kernel.Temporal) int {
	const spare = 2
	return r.ghosts + l.Skew*(l.Count-1+r.depth) + 2*r.lag + spare
}

// layRows finds the places of the streams' rows: where the row before them is, if nothing
// of them is kept; apart by an offset each, if that leaves the columns from keep on; else
// where no other row is. Streams end at a step, or with all each lag steps behind the
// one before it, the first at end; from step full0 of the first on no lane is masked.
func (r *timeSlabs[T]) layRows(streams []stream[T], keep, full0, end int, all bool) {
	shifts, offset := keep < none, r.room.offset+r.streamingOffset(streams, full0)
	shifts = shifts && offset*r.lanes.Buffered*r.lanes.Count <= r.room.bufferRow // else two rows may be in one place
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
