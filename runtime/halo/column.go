package halo

import (
	"loopc/runtime/array"
	"loopc/runtime/kernel"
)

// A Column is a column of tiles on its worker.
type Column struct {
	w       *Worker
	block   *kernel.Block
	at      []int // tile coordinates
	First   int   // first and last active tile; First > Last if there is none
	Last    int
	In, Out []*Face
	carried [][]byte // per value
	carryLo [][]int  // box of what is carried, per value
	carryHi [][]int
}

// NewColumn prepares column c.
func (w *Worker) NewColumn(c int) *Column {
	p := w.plan
	n := len(p.Side)
	col := &Column{w: w, block: w.shared, at: make([]int, n)}
	p.ColumnAt(c, col.at)
	col.First, col.Last = p.Active(col.at, w.lo, w.hi)
	if col.First > col.Last {
		return col
	}
	if col.block == nil {
		col.block = newBlock(p, w.pool)
	}
	if !p.Chunked() || w.carried == nil {
		w.carried = make([][]byte, len(p.Nest.Values))
		for v := range w.carried {
			w.carried[v] = w.pool.Bytes(p.CarryBytes(v))
			if col.First < col.Last {
				array.Populate(w.carried[v])
			}
		}
	}
	col.carried = w.carried
	for range p.Nest.Values {
		col.carryLo = append(col.carryLo, make([]int, n))
		col.carryHi = append(col.carryHi, make([]int, n))
	}
	return col
}

// At returns the tile coordinates of the column, 0 along the mapping dimension.
func (c *Column) At() []int { return c.at }

// Run computes tile k, which must be active, and returns the number of
// iterations it had. The faces of In that the tile receives, and those of Out
// that it sends, are laid on their slots; the others have a nil Slot.
func (c *Column) Run(k int) int {
	w, p, b := c.w, c.w.plan, c.block
	n := len(p.Side)
	p.TileBox(c.at, k, w.first, w.last)
	if w.whole != nil {
		return w.whole.tile(c, k)
	}
	if w.edge != nil {
		w.edge.edge.Tile(w.first, w.last)
	}
	for x := 1; x < n; x++ {
		b.Origin[x] = w.first[x] - p.Margin[x]
	}
	w.kernel.Bind(b)
	fresh := p.Map != 0 || k == c.First // no level is there yet
	from := w.first[0]
	if fresh {
		from -= p.Margin[0]
	}
	if p.Map != 0 {
		c.layCarry(k == c.First)
	}
	some := p.PointsBox(c.at, k, w.lo, w.hi)
	// Below the lowest level of the space there is initial content only, which slabs
	// find themselves.
	begins := w.slabs != nil && some && fresh && w.lo[0] == p.Lo[0] && w.slabs.height(w.hi[0]-w.lo[0]+1) > 0
	if begins {
		from = w.lo[0]
	}
	for _, f := range c.In {
		f.aligned = f.some && some && f.levels == [2]int{w.lo[0], w.hi[0]}
	}
	points := 0
	for level := from; level <= w.last[0]; level++ {
		if w.slabs != nil && some && level == w.lo[0] {
			if n := w.slabs.height(w.hi[0] - level + 1); n > 0 {
				ends := level+n > w.hi[0] && (p.Map != 0 || k == c.Last)
				points += w.slabs.tile(c, k, level, level+n-1, begins, ends)
				level += n - 1
				continue
			}
		}
		c.await(level)
		w.unpacking.start()
		c.receive(level)
		w.unpacking.stop()
		own := some && level >= w.lo[0] && level <= w.hi[0]
		// Levels that no iteration of this tile reads need no filling; those that
		// stay in the block are for the tiles to come.
		read := p.Map == 0 || some && level >= w.lo[0]-p.Margin[0] && level <= w.hi[0]
		if own || read && p.Nest.NeedsFill() {
			points += c.level(level, own)
			if own {
				c.store(level)
			}
		}
		w.packing.start()
		c.send(level, k)
		w.packing.stop()
		c.packed(level+1, 0)
	}
	return points
}

// Count returns how many iterations tile k has, which Run would compute.
func (c *Column) Count(k int) int {
	w, p := c.w, c.w.plan
	if !p.PointsBox(c.at, k, w.lo, w.hi) {
		return 0
	}
	n := len(w.lo) - 1
	if p.Space.BoxInside(w.lo, w.hi) {
		points := 1
		for x := range w.lo {
			points *= w.hi[x] - w.lo[x] + 1
		}
		return points
	}
	points := 0
	copy(w.q, w.lo)
	for {
		first, last := p.Space.Span(w.q, w.lo[n], w.hi[n])
		points += max(0, last-first+1)
		x := n - 1
		for ; x >= 0; x-- {
			if w.q[x]++; w.q[x] <= w.hi[x] {
				break
			}
			w.q[x] = w.lo[x]
		}
		if x < 0 {
			return points
		}
	}
}

// layCarry computes the boxes of what the tile before carried into this one:
// the last cells along the mapping dimension, ghost cells of the other
// dimensions included, for they hold the corners.
func (c *Column) layCarry(none bool) {
	w, p := c.w, c.w.plan
	for v, reach := range w.reach {
		lo, hi := c.carryLo[v], c.carryHi[v]
		for x := range lo {
			lo[x], hi[x] = w.first[x]-p.Margin[x], w.last[x]
		}
		lo[p.Map], hi[p.Map] = w.first[p.Map]-reach, w.first[p.Map]-1
		if none {
			hi[0] = lo[0] - 1
		}
	}
}

// receive fills the ghost cells of a level from the faces that arrived and from
// what was carried.
func (c *Column) receive(level int) {
	w, nest := c.w, c.w.plan.Nest
	for _, f := range c.In {
		if f.Slot == nil {
			continue
		}
		for v, has := range f.has {
			if has && level >= f.lo[v][0] && level <= f.hi[v][0] {
				size := nest.Arrays[nest.Values[v].Array].Size
				move(c.block, v, size, level, f.lo[v], f.hi[v], f.part[v], false, w.q)
			}
		}
	}
	for v, data := range c.carried {
		if data != nil && level <= c.carryHi[v][0] {
			size := nest.Arrays[nest.Values[v].Array].Size
			move(c.block, v, size, level, c.carryLo[v], c.carryHi[v], data, false, w.q)
		}
	}
}

// send packs what neighbors and the next tile need of a level.
func (c *Column) send(level, k int) {
	w, p, nest := c.w, c.w.plan, c.w.plan.Nest
	for _, f := range c.Out {
		if f.Slot == nil {
			continue
		}
		for v, has := range f.has {
			if has && level >= f.lo[v][0] && level <= f.hi[v][0] {
				size := nest.Arrays[nest.Values[v].Array].Size
				move(c.block, v, size, level, f.lo[v], f.hi[v], f.part[v], true, w.q)
			}
		}
	}
	if k == c.Last {
		return
	}
	for v, data := range c.carried {
		if data == nil {
			continue
		}
		lo, hi := w.r, c.carryHi[v]
		copy(lo, c.carryLo[v])
		from, to, top := lo[p.Map], hi[p.Map], hi[0]
		lo[p.Map], hi[p.Map], hi[0] = w.last[p.Map]-w.reach[v]+1, w.last[p.Map], w.last[0]
		size := nest.Arrays[nest.Values[v].Array].Size
		move(c.block, v, size, level, lo, hi, data, true, w.q)
		lo[p.Map], hi[p.Map], hi[0] = from, to, top
	}
}

// level computes the iterations of one level that lie in the tile, if own, and
// fills the ghost cells outside the iteration space. It returns the number of
// iterations.
func (c *Column) level(level int, own bool) int {
	w, p := c.w, c.w.plan
	n := len(p.Side)
	last := n - 1
	ghostLo, ghostHi := w.first[last]-p.Margin[last], w.last[last]
	q, needs := w.q, p.Nest.NeedsFill()

	// Most levels of most tiles: everything in reach is an iteration.
	copy(w.r, w.first)
	for x := range w.r {
		w.r[x] -= p.Margin[x]
	}
	copy(q, w.last)
	w.r[0], q[0] = level, level
	if w.turn > 0 {
		w.r[0] -= p.Margin[0] // locations of the levels before are filled for readers of this one
	}
	if p.Space.BoxInside(w.r, q) {
		if !own {
			return 0
		}
		return c.compute(level, w.first, w.last)
	}
	if points, ok := c.boxes(level, own); ok {
		return points
	}

	points := 0
	q[0] = level
	for x := 1; x < last; x++ {
		q[x] = w.first[x]
		if needs {
			q[x] -= p.Margin[x]
		}
	}
	for {
		mine := own
		for x := 1; x < last; x++ {
			mine = mine && q[x] >= w.first[x]
		}
		p.Space.Row(q, w.row)
		if a, b := p.Space.RowSpan(w.row, nil, ghostLo, ghostHi); a == ghostLo && b == ghostHi && w.turn == 0 {
			if mine {
				points += c.batch(q, w.first[last], b)
			}
		} else if mine || needs {
			// Where a cell outside the space may hold an earlier result, that
			// must have been computed: rows go one by one. Else what is outside
			// has nothing to do with what is computed.
			if w.fallbacks {
				c.flush()
			}
			if needs {
				c.need(q, ghostLo, ghostHi)
				c.fill(q, a, b, true)
				if !w.fallbacks {
					c.fill(q, a, b, false)
				}
			}
			if from := max(a, w.first[last]); mine && from <= b {
				if w.turn > 0 {
					points += c.inTurn(q, from, b)
				} else {
					points += c.batch(q, from, b)
				}
			}
			if w.fallbacks {
				c.flush()
				c.fill(q, a, b, false)
			}
		}
		x := last - 1
		for ; x >= 1; x-- {
			if q[x]++; q[x] <= w.last[x] {
				break
			}
			q[x] = w.first[x]
			if needs {
				q[x] -= p.Margin[x]
			}
		}
		if x < 1 {
			c.flush()
			return points
		}
	}
}

// boxes is level where iterations and what they read outside the space are boxes; it
// does nothing and reports false where they are not.
func (c *Column) boxes(level int, own bool) (points int, ok bool) {
	w, p := c.w, c.w.plan
	lo, hi := w.rows.lo, w.rows.hi
	copy(lo, w.first)
	copy(hi, w.last)
	lo[0], hi[0] = level, level
	own = own && p.Space.Shrink(lo, hi)
	if w.edge == nil || own && !p.Space.BoxInside(lo, hi) || p.Nest.NeedsFill() && !w.edge.fill(c, level) {
		return 0, false
	}
	if own {
		points = c.compute(level, lo, hi)
	}
	return points, true
}

// compute runs the kernel on one level of the box lo..hi and returns the number
// of iterations.
func (c *Column) compute(level int, lo, hi []int) int {
	rows := &c.w.rows
	copy(rows.lo, lo)
	copy(rows.hi, hi)
	rows.lo[0], rows.hi[0] = level, level
	c.w.kernel.Box(rows.lo, rows.hi)
	points := 1
	for x := 1; x < len(lo); x++ {
		points *= hi[x] - lo[x] + 1
	}
	return points
}
