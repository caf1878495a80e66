package walk

import "loopc/transform/plan"

// PlaneRow returns the size of a row of a plane between time slabs: low is the number of cells
// before the tile's first column, and cells is the number of all cells. Cells have size bytes. In a
// vector, each lane is skew columns behind the lane before it; the last stream is lead steps behind
// the first.
//
// Kernels may load all of these cells. So they read a row of a given array in its place only if the
// array has as many cells before and behind the row.
func PlaneRow(p *plan.Plan, lanes, skew, lead, size int) (low, cells int) {
	last := len(p.Side) - 1
	around := skew*(lanes+p.Margin[0]) + lanes + lead
	low = p.Margin[last] + around
	return low, plan.Apart(low+p.Side[last]+around+lanes, size, 64/size)
}
