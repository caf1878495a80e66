package cost

import (
	"slices"

	"loopc/transform/plan"
)

// A levelBox is the box of the iterations of one level of a tile.
type levelBox struct {
	level  int
	extent []int // empty: the level has no iterations
}

// boxes does what count does if the iterations of the tile, or of each of its levels, are a box;
// otherwise it returns false. Levels of a box that is skewed by time are boxes with many rows.
func (c *contents) boxes(what *content) bool {
	var ends []levelBox
	switch first, last := c.lo[0], c.hi[0]; {
	case c.p.Space.BoxInside(c.lo, c.hi):
		what.add(extentOf(c.lo, c.hi), 1)
		return true
	case len(c.lo) == 1 || last-first >= mostCountedTile:
		return false
	case first == last:
		ends = []levelBox{{level: first}}
	default:
		ends = []levelBox{{level: first}, {level: last}}
	}
	for k := range ends {
		if !c.examine(&ends[k]) {
			return false
		}
	}
	for _, end := range ends {
		what.add(end.extent, 1)
	}
	if len(ends) == 1 || c.between(ends[0], ends[1], what) {
		return true
	}
	what.points, what.rows = 0, 0
	return false
}

// examine sets the extent of a level of the tile. It returns false if the iterations of the level are no box.
func (c *contents) examine(at *levelBox) bool {
	lo, hi := slices.Clone(c.lo), slices.Clone(c.hi)
	lo[0], hi[0] = at.level, at.level
	c.counted++
	if !c.p.Space.Shrink(lo, hi) {
		return true
	}
	at.extent = extentOf(lo, hi)
	return c.p.Space.BoxInside(lo, hi)
}

// between adds the levels between two to the content. It returns false if one of them is no box. If bounds are not rounded, the
// extent is a concave function of the level: if two levels and one between them have the same extent, then so has each between them.
func (c *contents) between(first, last levelBox, what *content) bool {
	levels := last.level - first.level - 1
	if levels < 1 {
		return true
	}
	middle := levelBox{level: first.level + (levels+1)/2}
	if !c.examine(&middle) {
		return false
	}
	if c.linear && slices.Equal(first.extent, middle.extent) && slices.Equal(middle.extent, last.extent) && (len(middle.extent) > 0 || c.idle(first.level, last.level)) {
		what.add(middle.extent, levels)
		return true
	}
	what.add(middle.extent, 1)
	return c.between(first, middle, what) && c.between(middle, last, what)
}

// idle reports whether no level from first to last has iterations of the tile.
func (c *contents) idle(first, last int) bool {
	lo, hi := slices.Clone(c.lo), slices.Clone(c.hi)
	lo[0], hi[0] = first, last
	return !c.p.Space.Shrink(lo, hi)
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
	if len(extent) == 0 {
		return
	}
	rows := boxes
	for _, e := range extent[:len(extent)-1] {
		rows *= e
	}
	what.rows += rows
	what.points += rows * extent[len(extent)-1]
}

// unrounded reports whether Shrink divides by nothing but 1 where a level is given.
func unrounded(s *plan.Space) bool {
	for _, in := range s.Ineq {
		for _, a := range in.A[1:] {
			if a < -1 || a > 1 {
				return false
			}
		}
	}
	return true
}
