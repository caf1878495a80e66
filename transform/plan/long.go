package plan

// longRun is the least ratio of how far levels move during the run, along one dimension, to their own extent, for which a run is long.
// Tiles and edges span the entire way that levels move: the greater the ratio, the smaller the part of them that has work at a time.
const longRun = 1

// long returns Plan.Long.
func (p *Plan) long() int {
	if p.Empty || p.Nest.Levelled || len(p.Lo) < 2 {
		return 0
	}
	width, extent, long := 1, p.LevelExtent(), false
	for x := 1; x < len(extent); x++ {
		if moved := p.Hi[x] - p.Lo[x] + 1 - extent[x]; moved > longRun*extent[x] {
			long, width = true, max(width, extent[x])
		}
	}
	if levels := p.Hi[0] - p.Lo[0] + 1; !long || levels <= longRun*width {
		return 0
	}
	return max(width, p.HaloWidth[0])
}
