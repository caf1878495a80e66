package plan

import (
	"math"
	"slices"
)

// A share is the part of the busiest worker in a slice of the space that is one iteration thick along the mapping dimension. Its sides
// depend on the arrangement of the workers: a grid of ranks, and a mesh of the CPUs of each rank.
type share struct {
	along  int       // mapping dimension
	extent []float64 // of the space
	least  []float64 // lower bounds of the sides
	side   []float64 // scratch for sides
	faces  []sentFace
}

// A sentFace is what a share sends in one direction, as the runtime sends it (see Direction). It
// has, for each value, the cells that the neighbor in this direction reads: a box. Corners have
// directions of their own and travel directly, so that no cell is sent to a neighbor twice.
type sentFace struct {
	dims  []int   // dimensions along which the neighbor is the next worker; never the mapping dimension
	bytes float64 // per iteration along the other dimensions
}

// newShare returns the share of a nest whose space has the given extent, with the given mapping dimension.
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
		var f sentFace
		for k, step := range d.Step {
			if step == 1 {
				f.dims = append(f.dims, k)
			}
		}
		for v, width := range d.Width {
			if width == nil {
				continue
			}
			b := float64(nest.Arrays[nest.Values[v].Array].Size)
			for _, k := range f.dims {
				b *= float64(width[k])
			}
			f.bytes += b
		}
		s.faces = append(s.faces, f)
	}
	return s
}

// sides returns the sides of the share in an arrangement, 1 along the mapping dimension. They are valid until the next call.
func (s *share) sides(grid, mesh []int) []float64 {
	for k, e := range s.extent {
		s.side[k] = 1
		if k != s.along {
			s.side[k] = max(math.Ceil(e/float64(grid[k]*mesh[k])), s.least[k])
		}
	}
	return s.side
}

// sent returns the bytes that the busiest worker sends to other ranks and to workers of its own rank: V_max of [P3], with exact volumes.
// That worker has a neighbor in every direction in which some worker has one, and as many of them as possible on other ranks. The sides are
// those in this arrangement.
func (s *share) sent(sides []float64, grid, mesh []int) (ranks, cpus float64) {
	for _, f := range s.faces {
		bytes, remote := f.bytes, false
		for k, side := range sides {
			switch {
			case !slices.Contains(f.dims, k):
				bytes *= side
			case grid[k] > 1:
				remote = true
			case mesh[k] == 1:
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

// costStep is the price of a place in the pipeline, which fills only once. It breaks ties in favor of fewer steps.
const costStep = 1e-3

// cost estimates the time of the busiest worker: its points, and the faces that it sends, which cost less between workers of one rank.
func (s *share) cost(grid, mesh []int) float64 {
	sides := s.sides(grid, mesh)
	ranks, cpus := s.sent(sides, grid, mesh)
	points := 1.0
	for _, side := range sides {
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

// bound returns a lower bound of the cost over all meshes, for a grid and a total number of workers. Sides are at least the extent divided
// by the number of workers, so with the volume V of an equal share a face has at least
//
//	V·Π_{k in step} grid_k·mesh_k / extent_k
//
// times its bytes. Of the corners, it counts those that certainly lie between ranks, with mesh_k = 1. Of the other faces, along one
// dimension each, it takes the least sum over real mesh_k ≥ 1 whose product is the number of CPUs. There a face between CPUs is charged for
// mesh_k-1 in place of mesh_k, because mesh_k = 1 has no such face.
func (s *share) bound(grid []int, workers int) float64 {
	volume := 1 / float64(workers)
	for k, e := range s.extent {
		if k != s.along {
			volume *= e
		}
	}
	cost, cpus := volume*costPoint, float64(workers)
	prices := make([]float64, len(grid), 8) // per unit of mesh_k
	for k, g := range grid {
		cpus /= float64(g)
		if k != s.along {
			cost += costStep * float64(g)
		}
	}
	for _, f := range s.faces {
		face, remote := f.bytes*volume, true
		for _, k := range f.dims {
			face *= float64(grid[k]) / s.extent[k]
			remote = remote && grid[k] > 1
		}
		switch single := len(f.dims) == 1; {
		case single && remote:
			prices[f.dims[0]] += face * costByte
		case single:
			prices[f.dims[0]] += face * costByteIn
			cost -= face * costByteIn
		case remote:
			cost += face * costByte
		}
	}
	return cost + leastSum(slices.Delete(prices, s.along, s.along+1), cpus)
}

// leastSum returns the least Σ a_k·x_k over real x_k ≥ 1 with the given product. It sorts a, whose entries are not negative. At the
// minimum, some number n of the least a_k have x_k > 1 and equal terms a_k·x_k; the others have x_k = 1. The equal terms are the n-th root
// of the product of these a_k and the given product. n is the least number for which the next a_k is not below it.
func leastSum(a []float64, product float64) float64 {
	slices.Sort(a)
	for n, next := range a {
		if term := math.Pow(product, 1/float64(max(1, n))); n > 0 && term <= next {
			sum := float64(n) * term
			for _, x := range a[n:] {
				sum += x
			}
			return sum
		}
		product *= next
	}
	return float64(len(a)) * math.Pow(product, 1/float64(len(a)))
}
