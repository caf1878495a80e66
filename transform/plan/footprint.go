package plan

// Footprint is the memory that a tile works on, in bytes: the live levels of all values, halos included. In skewed storage it counts only
// the part of the tile that the levels reach: if the nest is skewed by time, the levels move through the tile like the steps of stairs.
func (p *Plan) Footprint() int {
	total, extent := 0.0, p.Side
	if p.whole {
		extent = p.LevelExtent()
	}
	for v := range p.Nest.Values {
		levels := p.Nest.Values[v].Levels()
		if p.whole {
			levels = p.StorageOffset()[0]
		}
		bytes := float64(levels * p.Nest.Arrays[p.Nest.Values[v].Array].Size)
		for x := 1; x < len(p.Side); x++ {
			bytes *= float64(min(p.Side[x], extent[x]) + p.HaloWidth[x])
		}
		total += bytes
	}
	return int(min(total, 1<<60))
}

// LevelExtent is the extent of a level halfway through the run, per dimension.
func (p *Plan) LevelExtent() []int {
	lo, hi, extent := make([]int, len(p.Lo)), make([]int, len(p.Lo)), make([]int, len(p.Lo))
	iterates := !p.Empty && p.LevelBox(p.Lo[0]+(p.Hi[0]-p.Lo[0])/2, lo, hi)
	for x := range extent {
		if iterates {
			extent[x] = hi[x] - lo[x] + 1
		}
	}
	return extent
}

// The second cache of a core, in bytes.
const (
	UsualCache = 2 << 20 // where nothing else is known
	mostCache  = 64 << 20
)
