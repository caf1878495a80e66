package walk

import "loopc/transform/plan"

// A kernel whose lanes are levels computes several row streams together, step by step, so that each hides the latency of the others: rows
// of successive slabs, each one row behind the slab below, or rows of one slab, each some steps behind the row above. In the second way, a
// stream reads the row above from the first cache, and all streams are busy whatever the number of slabs.

// sharedMost is the greatest size of the planes between slabs, in bytes, for which streams share a slab. Each slab then reads and writes
// the planes once. Streams with slabs of their own move larger planes less often [note planner-constants].
const sharedMost = 64 << 20

// LeastFull is the least number of successive steps without idle lanes for which a kernel whose lanes are levels leaves out the masks.
const LeastFull = 4

// farthestLag is the most steps by which a stream of a slab may follow the one before.
const farthestLag = 8

// Streams say how a kernel whose lanes are levels takes the rows of a plan's tiles.
type Streams struct {
	Skew   int  // columns by which each lane is behind the lane of the level below
	Shared bool // streams compute rows of one slab, and not slabs of their own
	// Lag is the number of steps by which a stream follows the stream before it in the same slab. A kernel computes no more steps in one
	// turn of its loop, so that a stream reads only what earlier turns have computed. The lag is also large enough that a stream overwrites
	// only cells of the row above that the row above no longer reads.
	Lag int
	// Below is the number of steps by which a row of a slab must follow the same row of the slab below, if
	// both are computed at once: a step may read a cell of a plane only after the slab below has written it.
	Below int
	// Lead is how many steps the last stream of a slab is behind the first.
	Lead int
	// PlaneRow is the number of cells of a row of a plane between slabs, of which PlaneLow lie before the tile's first column. Kernels may
	// load all of these. They read a row directly from a given array only if the array has as many cells on both sides.
	PlaneRow, PlaneLow int
}

// StreamsOf returns how the given number of streams, with vectors of so many lanes, take the rows of p. mayShare tells whether kernels can
// compute rows of one slab together.
func StreamsOf(p *plan.Plan, streams, lanes int, mayShare bool) Streams {
	last := len(p.Side) - 1
	s := Streams{Skew: p.Nest.LaneSkew(), Lag: 2}
	for v := range p.Nest.Values {
		for _, d := range p.Nest.Values[v].Flow {
			if last == 2 && d[1] == 0 {
				s.Lag = max(s.Lag, d[last]+s.Skew*d[0])
			}
		}
	}
	if s.Shared = mayShare && last == 2 && streams > 1 && p.HaloWidth[1] == 1 && p.Side[1] >= 2*streams &&
		s.Lag <= farthestLag && PlaneBytes(p, p.Side[2]) <= sharedMost; s.Shared {
		s.Lead = s.Lag * (streams - 1)
	}
	s.Below = s.Skew*(lanes-1+p.HaloWidth[0]) + 4
	size := p.Nest.Arrays[p.Nest.Values[0].Array].Size
	around := s.Skew*(lanes+p.HaloWidth[0]) + lanes + s.Lead
	s.PlaneLow = p.HaloWidth[last] + around
	s.PlaneRow = plan.Apart(s.PlaneLow+p.Side[last]+around+lanes, size, 64/size)
	return s
}

// leastLevels is the least number of levels of a tile for which slabs are worthwhile. With fewer, most lanes would be idle.
func leastLevels(p *plan.Plan, lanes int) int { return max(p.HaloWidth[0], lanes/4) }

// mostWide bounds the width of tiles with slabs: at most mostWide times a row of iterations. Slabs need rows
// of memory as wide as a tile; in wider tiles most of that memory would have no cell.
const mostWide = 16

// Slabs reports whether tiles of p may be computed in slabs: their levels are enough, and their rows not too wide.
func Slabs(p *plan.Plan, lanes int) bool {
	last := len(p.Side) - 1
	return p.Side[0] >= max(2, leastLevels(p, lanes)) && p.Side[last] <= mostWide*max(p.LevelExtent()[last], lanes)
}

// SlabLevels is how many of a tile's n levels are computed in slabs, from the lowest on. The others are computed one by one.
func SlabLevels(p *plan.Plan, lanes, n int) int {
	left := n % lanes
	if least := leastLevels(p, lanes); n < least || left < least {
		return n - left
	}
	return n
}

// PlaneBytes is the size of the planes between slabs of a tile whose rows have width cells.
func PlaneBytes(p *plan.Plan, width int) float64 {
	sum, n := 0.0, len(p.Side)
	for v := range p.Nest.Values {
		plane := float64((p.Nest.Values[v].Levels() - 1) * (width + p.HaloWidth[n-1]) * p.Nest.Arrays[p.Nest.Values[v].Array].Size)
		for x := 1; x < n-1; x++ {
			plane *= float64(p.Side[x] + p.HaloWidth[x])
		}
		sum += plane
	}
	return sum
}
