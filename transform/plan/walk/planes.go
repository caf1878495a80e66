package walk

import "loopc/transform/plan"

// PlaneRow returns how many cells a row of a plane between time slabs has before the tile's first
// column, and in all. Vectors have the given number of lanes, each skew columns behind the next, and
// cells of size bytes; the last stream is lead steps behind the first.
//
// Kernels may load all of these cells. They read a row of a given array in its place only if the
// array has as many cells on both sides.
func PlaneRow(p *plan.Plan, lanes, skew, lead, size int) (low, cells int) {
	last := len(p.Side) - 1
	around := skew*(lanes+p.Margin[0]) + lanes + lead
	low = p.Margin[last] + around
	return low, plan.Apart(low+p.Side[last]+around+lanes, size, 64/size)
}
