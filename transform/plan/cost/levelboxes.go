package cost

import (
	"slices"

	"loopc/transform/plan"
)

// extentCost is the effort of a box, in rows.
const extentCost = 2

// boxes does what count does if the iterations of the tile, or of each of its levels, are a box; otherwise it returns false. Levels of a
// box that is skewed by time are boxes with many rows.
func (c *contents) boxes(what *content) bool {
	if c.p.Space.BoxInside(c.lo, c.hi) {
		what.add(extentOf(c.lo, c.hi), 1)
		return true
	}
	beyond := []int{0} // the extent of no level
	if len(c.lo) > 1 && c.hi[0]-c.lo[0] < mostCountedTile && c.between(c.lo[0]-1, c.hi[0]+1, beyond, beyond, what) {
		return true
	}
	what.points, what.rows = 0, 0
	return false
}

// between adds the levels between first and last, whose extents are low and high, to the content. It returns false if one of them
// is no box. If bounds are not rounded, the extent is a concave function of the level: if two levels and the one in their middle lie
// on a line, then so do all between them.
func (c *contents) between(first, last int, low, high []int, what *content) bool {
	levels := last - first - 1
	if levels < 1 {
		return true
	}
	at := first + (levels+1)/2
	middle, ok := c.box(at, at)
	if !ok {
		return false
	}
	switch {
	case !c.linear || len(low) != len(middle) || len(middle) != len(high):
	case len(middle) == 0:
		if all, _ := c.box(first, last); len(all) == 0 {
			return true
		}
	case straight(low, middle, high, at-first, last-at):
		c.counted += levels / 8
		for level := first + 1; level < last; level++ {
			for x := range middle {
				middle[x] = low[x] + (high[x]-low[x])/(last-first)*(level-first)
			}
			what.add(middle, 1)
		}
		return true
	}
	what.add(middle, 1)
	return c.between(first, at, low, middle, what) && c.between(at, last, middle, high, what)
}

// straight reports whether the extents of three levels lie on a line. below and above are the distances between the levels.
func straight(low, middle, high []int, below, above int) bool {
	for x := range middle {
		if (middle[x]-low[x])*above != (high[x]-middle[x])*below {
			return false
		}
	}
	return true
}

// box returns the extent of the iterations of the tile in some of its levels; nil if there are none. It returns false if they are no box.
func (c *contents) box(first, last int) (extent []int, ok bool) {
	lo, hi := c.faceLo, c.faceHi
	copy(lo, c.lo)
	copy(hi, c.hi)
	lo[0], hi[0] = first, last
	c.counted += extentCost
	if !c.p.Space.Shrink(lo, hi) {
		return nil, true
	}
	return extentOf(lo, hi), c.p.Space.BoxInside(lo, hi)
}

// extentOf returns how many iterations the box lo..hi has along each dimension.
func extentOf(lo, hi []int) []int {
	extent := make([]int, len(lo))
	for x := range extent {
		extent[x] = hi[x] - lo[x] + 1
	}
	return extent
}

// add adds so many boxes of this extent.
func (what *content) add(extent []int, boxes int) {
	if len(extent) > 0 {
		last := len(extent) - 1
		rows := boxes * int(plan.BytesOf(extent[:last]...))
		what.rows, what.points = what.rows+rows, what.points+rows*extent[last]
	}
}

// unrounded reports whether Shrink divides by nothing but 1 where a level is given.
func unrounded(s *plan.Space) bool {
	for _, in := range s.Ineq {
		if slices.ContainsFunc(in.A[1:], func(a int) bool { return a < -1 || a > 1 }) {
			return false
		}
	}
	return true
}
