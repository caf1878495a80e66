package cost

import (
	"math"

	"loopc/transform/plan"
)

// moved is the number of bytes per iteration that tiles in skewed storage move from and to memory, if cores share a cache of that size.
//
// Levels move with the offset, so a tile uses more cells than its sides have. The tile before has used most of these cells, and they are
// still in the cache if the tile's memory is small compared with the cache. Nothing moves if all levels fit the cache. Everything that is
// read from memory is also written back, because every level is written [note planner-constants].
func moved(p *plan.Plan, cache int) float64 {
	last := len(p.Side) - 1
	c, ofLevel, next := p.StorageOffset(), p.LevelExtent(), follows(p)
	levels := min(p.Side[0], p.Hi[0]-p.Lo[0]+1)
	points, touched, again := float64(levels), float64(p.CellBytes()), 1.0 // a tile's iterations, its bytes, and the part used before
	for x := 1; x <= last; x++ {
		side, drift := min(p.Side[x], ofLevel[x]), 0
		if p.Tiles[x] > 1 {
			drift = plan.Shifted(c, levels, x)
		}
		wide := min(side+drift, ofLevel[x])
		points *= float64(side)
		touched *= float64(wide)
		shift := 0 // of the cells of a tile against those of the tile before
		switch {
		case next == 0:
			shift = drift
		case next == x:
			shift = side
		}
		again *= float64(max(0, wide-shift)) / float64(wide)
	}
	lost := beyond(touched*float64(min(p.CPUs, plan.Product(p.Mesh))), 3*float64(cache)/8, 2*float64(cache))
	read := touched * (1 - again*(1-lost))
	return 2 * read / points * beyond(float64(p.WholeBytes()), float64(cache)/2, 2*float64(cache))
}

// beyond is the fraction of the given bytes that a cache has dropped before they are used again: 0 up to least, 1 from most on.
func beyond(bytes, least, most float64) float64 {
	return min(1, max(0, math.Log(bytes/least)/math.Log(most/least)))
}

// follows is the dimension along which a worker's next tile usually lies.
func follows(p *plan.Plan) int {
	for x := len(p.Block) - 1; x >= 0 && !p.Chunked(); x-- {
		if x != p.Map && p.Block[x] > 1 {
			return x
		}
	}
	return p.Map
}
