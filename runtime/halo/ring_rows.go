package halo

import "loopc/runtime/kernel"

// Rows of lanes that chains of one slab compute lie in one stretch of memory, each
// where the row before it was, which it reads, or so near that it stays in the cache.
// The vectors of the last columns are often needed when rows are complete, for a face
// or to be carried on. Then each row begins some steps before the one above it: it
// writes over what has been read, and ends before the last vectors of that.

// slideOf returns by how many steps rows are apart whose last columns are kept, as many
// as the longest flow distance, when chains have ended. In the same step of a turn, the
// chain of a row is lag steps behind that of the row above, which goes on for so long
// when the row itself has ended: so these vectors, and what the row reads of the row
// above, are not written over.
func (r *laneRoom) slideOf(l *kernel.Temporal) int {
	const spare = 2
	return r.margin + l.Skew*(l.Count-1+r.depth) + 2*r.lag + spare
}

// layRows finds the places of the chains' rows: where the row before them is, if nothing
// of them is kept; apart by a slide each, if that leaves the columns from keep on; else
// where no other row is. Chains end at a step, or with all each lag steps behind the
// one before it, the first at end; from step full0 of the first on no lane is masked.
func (r *timeSlabs[T]) layRows(chains []stream[T], keep, full0, end int, all bool) {
	slides, slide := keep < none, r.room.slide+r.lineSlide(chains, full0)
	slides = slides && slide*r.lanes.Buffered*r.lanes.Count <= r.room.ringRow // else two rows may be in one place
	for j := 1; j < len(chains) && slides; j++ {
		ends := chains[j].spans.end
		if all {
			ends = end - j*r.room.lag
		}
		for i := range j {
			slides = slides && (chains[i].spans.skip || chains[j].spans.skip || keep >= ends-(j-i)*slide)
		}
	}
	before, free := r.lastRow, 0
	for i := range chains {
		c := &chains[i]
		c.from = r.lastRow
		switch {
		case keep >= none:
		case slides:
			if r.lastRow -= slide * r.lanes.Buffered * r.lanes.Count; r.lastRow < 0 {
				r.lastRow = (r.room.ringRows - 1) * r.room.ringRow
			}
		default:
			for free < before+r.room.ringRow && before < free+r.room.ringRow {
				free += r.room.ringRow
			}
			r.lastRow, free = free, free+r.room.ringRow
		}
		c.to = r.lastRow
	}
}
