package halo

// copiedRows keep copies of the rows of a given array that must be converted or gathered before they are interleaved. The lanes of the next
// stream need most of these rows again: lane l reads what lane l-1 has read. There is one copy more than there are lanes, so that a new row
// never takes the place of a row that a lane of the same stream reads.
type copiedRows struct {
	rows []copiedRow
	call int // counts streams' rows
}

// A copiedRow holds the cells at + x·by of the array, for x from lo to hi-1.
type copiedRow struct {
	at, by int // by is 0 if there are no cells
	lo, hi int
	call   int // copiedRows.call when it was last used
}

// forget forgets all copies.
func (c *copiedRows) forget() {
	for k := range c.rows {
		c.rows[k] = copiedRow{}
	}
}

// find returns the copy that overlaps or adjoins the n cells from position from on, and has room for all of them. If there is none, find
// empties the copy that was used longest ago, and returns it.
func (c *copiedRows) find(from, by, n, room int) int {
	oldest := 0
	for k := range c.rows {
		x := &c.rows[k]
		if x.by == by && by != 0 && (from-x.at)%by == 0 {
			if lo := (from - x.at) / by; lo >= 0 && lo+n <= room && lo <= x.hi && lo+n >= x.lo {
				return k
			}
		}
		if x.call < c.rows[oldest].call {
			oldest = k
		}
	}
	margin := (room - n) / 2
	c.rows[oldest] = copiedRow{at: from - margin*by, by: by, lo: margin, hi: margin}
	return oldest
}

// copyRoom is the most cells that a copy can have.
func (g *givenRows[T]) copyRoom() int { return len(g.flat) / (g.r.lanes.Count + 1) }

// copied returns a copy of the cells from, from+by ... of the array, n cells in all.
func (g *givenRows[T]) copied(from, by, n int) []T {
	room := g.copyRoom()
	k := g.copies.find(from, by, n, room)
	x, cells := &g.copies.rows[k], g.flat[k*room:][:room]
	lo := x.lo
	if by != 0 {
		lo = (from - x.at) / by
	}
	if lo < x.lo {
		g.convert(cells, lo, 1, g.view.Data, from, by, x.lo-lo)
		x.lo = lo
	}
	if hi := lo + n; hi > x.hi {
		g.convert(cells, x.hi, 1, g.view.Data, from+(x.hi-lo)*by, by, hi-x.hi)
		x.hi = hi
	}
	x.call = g.copies.call
	return cells[lo : lo+n]
}

// disjoint copies the row of each lane by itself. It returns false if a row is longer than a copy.
func (g *givenRows[T]) disjoint(c *stream[T]) bool {
	g.copies.call++
	from := g.at(c)
	for l := range c.count {
		lo, hi := g.span(c, l)
		n := hi - lo + 1
		if n > g.copyRoom() {
			return false
		}
		if n > 0 {
			if g.by == -1 { // a row that goes backward through memory is copied forward, from its last cell
				g.r.transposer.set(l, lo, hi, g.copied(from+l*g.rise-hi, 1, n))
			} else {
				g.r.transposer.set(l, lo, hi, g.copied(from+l*g.rise+lo*g.by, g.by, n))
			}
		}
	}
	return true
}
