package halo

// level computes the iterations of one level that lie in the tile, if own, and
// fills the ghost cells outside the iteration space. It returns the number of
// iterations.
func (c *Column) level(level int, own bool) int {
	if c.inside(level) {
		if !own {
			return 0
		}
		return c.w.rows.box(level, c.w.first, c.w.last)
	}
	if points, ok := c.boxes(level, own); ok {
		return points
	}
	return c.levelRows(level, own)
}

// inside reports whether everything in reach of a level is an iteration: most levels of most
// tiles are so.
func (c *Column) inside(level int) bool {
	w, p := c.w, c.w.plan
	for x := range w.r {
		w.r[x] = w.first[x] - p.Margin[x]
	}
	copy(w.q, w.last)
	w.r[0], w.q[0] = level, level
	if w.fill.late != nil {
		w.r[0] -= p.Margin[0] // locations of the levels before are filled for readers of this one
	}
	return p.Space.BoxInside(w.r, w.q)
}

// boxes is level where iterations and what they read outside the space are boxes; it
// does nothing and reports false where they are not.
func (c *Column) boxes(level int, own bool) (points int, ok bool) {
	w, p := c.w, c.w.plan
	lo, hi := w.r, w.q
	copy(lo, w.first)
	copy(hi, w.last)
	lo[0], hi[0] = level, level
	own = own && p.Space.Shrink(lo, hi)
	if w.edge == nil || own && !p.Space.BoxInside(lo, hi) || p.Nest.NeedsFill() && !w.edge.fill(c, level) {
		return 0, false
	}
	if own {
		points = w.rows.box(level, lo, hi)
	}
	return points, true
}

// levelRows is level row by row.
func (c *Column) levelRows(level int, own bool) (points int) {
	w := c.w
	q, last, needs := w.q, len(w.q)-1, w.plan.Nest.NeedsFill()
	lo := w.r // of the rows
	for x := range lo {
		lo[x] = w.first[x]
		if needs {
			lo[x] -= w.plan.Margin[x]
		}
	}
	copy(q, lo)
	q[0] = level
	for {
		mine := own
		for x := 1; x < last; x++ {
			mine = mine && q[x] >= w.first[x]
		}
		points += c.row(q, mine, needs)
		if !nextRow(q, lo, w.last) {
			w.rows.flush()
			return points
		}
	}
}

// row computes the iterations of row q, if they are mine, and fills its exterior cells, if
// needs. It returns the number of iterations.
func (c *Column) row(q []int, mine, needs bool) (points int) {
	w, f, last := c.w, c.w.fill, len(q)-1
	ghostLo, ghostHi := w.first[last]-w.plan.Margin[last], w.last[last]
	a, b := f.span(q, ghostLo, ghostHi)
	if a == ghostLo && b == ghostHi && f.late == nil {
		if mine {
			points = w.rows.add(q, w.first[last], b)
		}
		return points
	}
	if !mine && !needs {
		return 0
	}
	// Where a cell outside the space may hold an earlier result, that must have been computed:
	// rows go one by one. Else exterior cells do not depend on what is computed.
	if f.fallbacks {
		w.rows.flush()
	}
	if needs {
		f.need(q, ghostLo, ghostHi)
		f.fill(c.block, q, a, b, true)
		if !f.fallbacks {
			f.fill(c.block, q, a, b, false)
		}
	}
	if from := max(a, w.first[last]); mine && from <= b {
		if f.late != nil {
			points = f.late.row(&w.rows, c.block, q, from, b)
		} else {
			points = w.rows.add(q, from, b)
		}
	}
	if f.fallbacks {
		w.rows.flush()
		f.fill(c.block, q, a, b, false)
	}
	return points
}
