package plan

const (
	// longRun is the least ratio of how far levels move during the run, along one dimension, to
	// their own extent, for which a run is long. Tiles and edges span the way that levels
	// move, and at most one part in longRun of them has work at a time.
	longRun = 1
	// LeastEpoch is the least number of levels of an epoch, so that the pipeline fills.
	LeastEpoch = 64
)

// LongEpoch returns about the number of levels into which a run is cut that is very long compared
// with the extent of its levels; 0 for all other runs. It is the extent of the levels: a shorter epoch wastes time while its
// pipeline fills, a longer one moves out of the caches again.
func (p *Plan) LongEpoch() int {
	if p.Empty || p.Nest.Levelled {
		return 0
	}
	width, extent, long := 0, p.LevelExtent(), false
	for x := 1; x < len(extent); x++ {
		if moved := p.Hi[x] - p.Lo[x] + 1 - extent[x]; moved > longRun*extent[x] {
			long, width = true, max(width, extent[x])
		}
	}
	if levels := p.Hi[0] - p.Lo[0] + 1; !long || levels <= longRun*max(width, LeastEpoch) {
		return 0
	}
	return max(width, LeastEpoch, p.HaloWidth[0])
}
