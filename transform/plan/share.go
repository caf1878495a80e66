package plan

import "math"

// A share is what the busiest worker does for a slice of the space that is one
// iteration thick along the mapping dimension.
type share struct {
	along  int       // mapping dimension
	extent []float64 // of the space
	least  []float64 // sides of a share are no shorter
	faces  []leaving
}

// A leaving is the part of a share that leaves it in one direction. It is what
// the runtime sends, see Direction: per value the box of the cells that some
// distance of that value leads from in that direction. Corners are directions of
// their own and travel directly, so that no cell is sent to a neighbor twice.
type leaving struct {
	step  []int   // 0 or 1 per dimension, 0 along the mapping dimension
	bytes float64 // per iteration along the dimensions with step 0
}

// newShare returns the shares of a nest whose space has the given extent, for the
// mapping dimension.
func newShare(nest *Nest, along int, extent []int) *share {
	s := &share{along: along}
	margin := nest.Margin()
	for k, e := range extent {
		s.extent = append(s.extent, float64(e))
		s.least = append(s.least, float64(max(1, min(margin[k], e))))
	}
	// Directions depend on the distances and the mapping dimension alone.
	p := &Plan{Nest: nest, Map: along, Margin: margin}
	p.directions()
	for _, d := range p.dirs {
		bytes := 0.0
		for v, width := range d.Width {
			if width == nil {
				continue
			}
			b := float64(nest.Arrays[nest.Values[v].Array].Size)
			for k := range width {
				if d.Step[k] == 1 {
					b *= float64(width[k])
				}
			}
			bytes += b
		}
		s.faces = append(s.faces, leaving{d.Step, bytes})
	}
	return s
}

// sent returns the bytes that the busiest worker sends, to other ranks and to
// workers of its own rank: V_max of [P3], with exact volumes. That worker has a
// neighbor wherever some worker has one, and of those the most on other ranks.
func (s *share) sent(grid, mesh []int) (ranks, cpus float64) {
	side := s.sides(grid, mesh)
	for _, f := range s.faces {
		bytes, remote := f.bytes, false
		for k, step := range f.step {
			switch {
			case step == 0 && k != s.along:
				bytes *= side[k]
			case step == 1 && grid[k] > 1:
				remote = true
			case step == 1 && mesh[k] == 1:
				bytes = 0 // no neighbor
			}
		}
		if remote {
			ranks += bytes
		} else {
			cpus += bytes
		}
	}
	return ranks, cpus
}

// sides returns the sides of the largest share, 1 along the mapping dimension.
func (s *share) sides(grid, mesh []int) []float64 {
	side := make([]float64, len(s.extent))
	for k, e := range s.extent {
		side[k] = 1
		if k != s.along {
			side[k] = max(math.Ceil(e/float64(grid[k]*mesh[k])), s.least[k])
		}
	}
	return side
}

// costStep is the price of a place in the pipeline. It fills once: this breaks
// ties towards fewer steps.
const costStep = 1e-3

// cost estimates the time that the busiest worker takes: its points, and the faces
// that it sends, which are cheaper between workers of one rank.
func (s *share) cost(grid, mesh []int) float64 {
	points := 1.0
	for _, side := range s.sides(grid, mesh) {
		points *= side
	}
	ranks, cpus := s.sent(grid, mesh)
	cost := points*costPoint + ranks*costByte + cpus*costByteIn
	for k := range grid {
		if k != s.along {
			cost += costStep * float64(grid[k]*mesh[k])
		}
	}
	return cost
}

// bound returns a cost that no mesh goes below with this grid and so many workers
// altogether. Sides are at least the extent by the number of workers, those along
// dimension k at least grid_k, so that a face between ranks has at least
//
//	Π_{k in step} grid_k · Π_{k not in step} extent_k / workers
//
// times its bytes; faces that cross between ranks only with the right mesh, and
// those between CPUs, may be absent.
func (s *share) bound(grid []int, workers int) float64 {
	slice := 1.0
	for k, e := range s.extent {
		if k != s.along {
			slice *= e
		}
	}
	cost := slice / float64(workers) * costPoint
	for _, f := range s.faces {
		bytes := f.bytes * slice / float64(workers)
		for k, step := range f.step {
			if step == 1 {
				bytes *= float64(grid[k]) / s.extent[k]
				if grid[k] == 1 {
					bytes = 0
				}
			}
		}
		cost += bytes * costByte
	}
	for k := range grid {
		if k != s.along {
			cost += costStep * float64(grid[k])
		}
	}
	return cost
}
