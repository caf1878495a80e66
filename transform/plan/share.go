package plan

import (
	"math"
	"slices"
)

// A share is the part of the busiest worker in a slice of the space that is one iteration thick
// along the mapping dimension.
type share struct {
	along  int       // mapping dimension
	extent []float64 // of the space
	least  []float64 // lower bounds of the sides of a share
	side   []float64 // sides of a share in the arrangement being priced; 1 along the mapping dimension
	faces  []sentFace
}

// A sentFace is what a share sends in one direction, as the runtime sends it (see Direction): for
// each value, the box of the cells from which some distance of that value leads in the
// direction. Corners have directions of their own and travel directly, so that no cell is sent
// to a neighbor twice.
type sentFace struct {
	step  []int   // 0 or 1 per dimension, 0 along the mapping dimension
	bytes float64 // per iteration along the dimensions whose step is 0
}

// newShare returns the shares of a nest whose space has the given extent, with the given
// mapping dimension.
func newShare(nest *Nest, along int, extent []int) *share {
	s := &share{along: along, side: make([]float64, len(extent))}
	margin := nest.HaloWidth()
	for k, e := range extent {
		s.extent = append(s.extent, float64(e))
		s.least = append(s.least, float64(max(1, min(margin[k], e))))
	}
	// Directions depend only on the distances and the mapping dimension.
	p := &Plan{Nest: nest, Map: along, HaloWidth: margin}
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
		s.faces = append(s.faces, sentFace{d.Step, bytes})
	}
	return s
}

// sent returns the bytes that the busiest worker sends to other ranks and to workers of its own
// rank: V_max of [P3], with exact volumes. That worker has a neighbor in every direction in
// which some worker has one, and as many of them as possible on other ranks.
func (s *share) sent(grid, mesh []int) (ranks, cpus float64) {
	for k, e := range s.extent {
		s.side[k] = 1
		if k != s.along {
			s.side[k] = max(math.Ceil(e/float64(grid[k]*mesh[k])), s.least[k])
		}
	}
	for _, f := range s.faces {
		bytes, remote := f.bytes, false
		for k, step := range f.step {
			switch {
			case step == 0 && k != s.along:
				bytes *= s.side[k]
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

// costStep is the price of a place in the pipeline, which fills only once. It breaks ties in
// favor of fewer steps.
const costStep = 1e-3

// cost estimates the time of the busiest worker: its points, and the faces that it sends, which
// cost less between workers of one rank.
func (s *share) cost(grid, mesh []int) float64 {
	ranks, cpus := s.sent(grid, mesh)
	points := 1.0
	for _, side := range s.side {
		points *= side
	}
	cost := points*costPoint + ranks*costByte + cpus*costByteIn
	for k := range grid {
		if k != s.along {
			cost += costStep * float64(grid[k]*mesh[k])
		}
	}
	return cost
}

// bound returns a lower bound of the cost over all meshes, for a grid and a total number of
// workers. Sides are at least the extent divided by the number of workers, so with the volume V
// of an equal share a face has at least
//
//	V·Π_{k in step} grid_k·mesh_k / extent_k
//
// times its bytes. Of the corners, it counts those that certainly lie between ranks, with
// mesh_k = 1. Of the other faces, along one dimension each, it takes the least sum over real
// mesh_k ≥ 1 whose product is the number of CPUs. There a face between CPUs is charged for
// mesh_k-1 in place of mesh_k, because mesh_k = 1 has no such face.
func (s *share) bound(grid []int, workers int) float64 {
	volume := 1 / float64(workers)
	for k, e := range s.extent {
		if k != s.along {
			volume *= e
		}
	}
	cost, cpus := volume*costPoint, float64(workers)
	each := make([]float64, 0, 8) // price per unit of mesh_k, for every dimension that can be shared
	for k, g := range grid {
		cpus /= float64(g)
		if k != s.along {
			cost += costStep * float64(g)
			each = append(each, 0)
		}
	}
	for _, f := range s.faces {
		face, dims, at, index := f.bytes*volume, 0, 0, 0
		remote := true
		for k, step := range f.step {
			if step == 1 {
				face *= float64(grid[k]) / s.extent[k]
				remote = remote && grid[k] > 1
				dims, at = dims+1, index
			}
			if k != s.along {
				index++
			}
		}
		switch {
		case dims == 1 && remote:
			each[at] += face * costByte
		case dims == 1:
			each[at] += face * costByteIn
			cost -= face * costByteIn
		case remote:
			cost += face * costByte
		}
	}
	return cost + leastSum(each, cpus)
}

// leastSum returns the least Σ a_k·x_k over real x_k ≥ 1 with the given product. At the
// minimum, a_k·x_k is the same for all x_k > 1, which belong to the least a_k. It sorts a,
// whose entries are not negative.
func leastSum(a []float64, product float64) float64 {
	slices.Sort(a)
	sum, level := 0.0, product // for the x_k above 1, a_k·x_k = level^(1/number)
	for k, x := range a {
		if equal := math.Pow(level, 1/float64(max(1, k))); k > 0 && equal <= x {
			sum = float64(k) * equal
			for _, rest := range a[k:] {
				sum += rest
			}
			return sum
		}
		level *= x
	}
	return float64(len(a)) * math.Pow(level, 1/float64(len(a)))
}
