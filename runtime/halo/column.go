package halo

import (
	"loopc/runtime/array"
	"loopc/runtime/kernel"
	"loopc/transform/plan/walk"
)

// A Column is a column of tiles and its state on the worker that computes it.
type Column struct {
	w       *Worker
	block   *kernel.Block // nil before the column's first tile and after its last, unless all columns share one
	at      []int         // tile coordinates
	First   int           // first and last active tile; First > Last if there is none
	Last    int
	In, Out []*Face
	carried [][]byte // per value
}

// NewColumns prepares the columns of the worker, and as many blocks as are in use at a time.
func (w *Worker) NewColumns(columns []int) []*Column {
	var all []*Column
	for _, c := range columns {
		all = append(all, w.newColumn(c))
	}
	if w.blocks.shared == nil {
		for range w.plan.Blocks(columns) {
			w.blocks.free = append(w.blocks.free, newBlock(w.plan, w.pool))
		}
	}
	return all
}

func (w *Worker) newColumn(c int) *Column {
	p := w.plan
	n := len(p.Side)
	col := &Column{w: w, block: w.blocks.shared, at: make([]int, n)}
	p.ColumnAt(c, col.at)
	col.First, col.Last = p.Active(col.at, w.lo, w.hi)
	if col.First > col.Last {
		return col
	}
	if !p.Chunked() || w.border.carried == nil {
		w.border.carried = make([][]byte, len(p.Nest.Values))
		for v := range w.border.carried {
			w.border.carried[v] = w.pool.Bytes(p.CarryBytes(v))
			if col.First < col.Last {
				array.Populate(w.border.carried[v])
			}
		}
	}
	col.carried = w.border.carried
	return col
}

// At returns the tile coordinates of the column, 0 along the mapping dimension.
func (c *Column) At() []int { return c.at }

// Run computes tile k, which must be active, and returns its number of iterations. The caller has laid the faces of In that the tile
// receives, and those of Out that it sends, on their slots; the other faces have a nil Slot.
func (c *Column) Run(k int) int {
	w, p := c.w, c.w.plan
	fresh := p.Map != 0 || k == c.First // the block holds no level of this column yet
	from, to := w.walk.Tile(c.at, k, fresh)
	if w.whole != nil {
		return w.whole.tile(c, from, to)
	}
	if c.block == nil {
		c.block = w.blocks.take()
	}
	if k == c.Last {
		defer func() { c.block = w.blocks.give(c.block) }()
	}
	c.begin(k)
	iterates := w.walk.Iterates
	for _, f := range c.In {
		f.aligned = f.iterates && iterates && f.levels == [2]int{w.lo[0], w.hi[0]}
	}
	slabs := 0 // levels that time slabs compute, from w.lo[0] on
	if w.slabs != nil && iterates {
		slabs = w.slabs.height(w.hi[0] - w.lo[0] + 1)
	}
	// Below the lowest level of the space all cells have initial content, which time slabs read or compute by themselves.
	begins := slabs > 0 && fresh && w.lo[0] == p.Lo[0] && p.Below == 0
	if begins {
		from = w.lo[0]
	}
	saves := w.states.saves(w)
	points := c.levels(k, from, to, slabs, begins, saves)
	if saves {
		w.states.ends(w, c.block)
	}
	return points
}

// levels computes levels from..to of tile k, and returns the number of iterations. A time slab computes the first slabs levels with
// iterations; if slabs is 0, there is none. For begins see Run. saves says that the block is read when the tile is done.
func (c *Column) levels(k, from, to, slabs int, begins, saves bool) (points int) {
	w, p := c.w, c.w.plan
	for level := from; level <= to; level++ {
		if slabs > 0 && level == w.lo[0] {
			ends := level+slabs > w.hi[0] && (p.Map != 0 || k == c.Last) && !saves
			points += w.slabs.run(c, level, level+slabs-1, begins, ends)
			level += slabs - 1
			continue
		}
		points += c.oneLevel(level)
	}
	return points
}

// begin moves the block and the list of boxes to tile k.
func (c *Column) begin(k int) {
	w, p, b := c.w, c.w.plan, c.block
	for x := 1; x < len(b.Origin); x++ {
		b.Origin[x] = w.first[x] - p.HaloWidth[x]
	}
	w.kernel.Bind(b)
	c.boxes(k)
}

// oneLevel receives, computes and sends a level of the tile. It returns the number of iterations.
func (c *Column) oneLevel(level int) (points int) {
	w := c.w
	c.await(level)
	w.copied.unpacking.start()
	c.move(walk.Unpack, w.border.in, level)
	w.states.begins(w, c.block, level)
	w.copied.unpacking.stop()
	if own, does := w.walk.Does(level); does {
		points = c.level(level, own)
		if own {
			w.back.store(c.block, level)
		}
	}
	w.copied.packing.start()
	c.move(walk.Pack, w.border.out, level)
	w.copied.packing.stop()
	c.sent(level+1, 0)
	return points
}

// Count returns the number of iterations of tile k without computing them.
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
	for ; w.q[0] <= w.hi[0]; w.q[0]++ {
		for more := true; more; more = nextRow(w.q, w.lo, w.hi) {
			first, last := p.Space.Span(w.q, w.lo[n], w.hi[n])
			points += max(0, last-first+1)
		}
	}
	return points
}
