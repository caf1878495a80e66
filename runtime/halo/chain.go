package halo

import (
	"slices"
	"unsafe"

	"loopc/runtime/kernel"
	"loopc/runtime/simd"
	"loopc/transform/plan/walk"
)

// A chain is a slab under way, with the rows that it keeps.
type chain[T int32 | int64] struct {
	index     int
	ring, now []T
	from, to  int // together: where in the ring the row before is, and its own
	slab      int // -1: idle
	start     int // turn in which it computes its first row
	level     int // of lane 0
	count     int // levels; lanes above are idle
	row       []int
	number    int        // of the row
	rowSteps             // of the row
	limits    slabBounds // of the slab, or of the row
	// inside and beyond are what within reports of edges across levels.
	inside, beyond bool
	held           heldSpans
	// shift is where the columns of span and outside are counted from, and the steps of
	// bounds.
	shift   int
	bounds  []T             // first and last step of each lane, as they lie in a vector
	span    []lane          // of each lane
	outside []cellRun       // needed cells outside of the iteration space
	cells   []outsideCells  // per value: those of the array
	final   [][]bool        // per value of gives, and lane: some result may be final
	gives   []int           // values with such results
	below   []givenBelow[T] // per value: where its level below the slab is read
	keeps   bool            // whole rows are needed when they are complete
	planes  bool            // for planes of the block, not only for results

	reduced []T // accumulators: what its slab's lanes have for each reduction, so far

	step        int           // that the frame begins with
	lines       simd.Lines[T] // the row's results, if lined; laid: their vectors have places
	lineBase    int           // the step from which lines counts, from shift
	lined, laid bool
}

// A lane is a row of one level.
type lane struct {
	lo, hi   int // columns of its iterations in the tile; lo > hi: none
	in0, in1 int // of all its iterations within reach
	e0, e1   int // that are needed, by anybody: includes ghost cells
}

// begin starts slab number on chain c in a turn.
func (r *slabs[T]) begin(c *chain[T], slab, turn int) {
	r.collect(c)
	c.slab, c.start, c.number = slab, turn, 0
	c.level = r.lo + slab*r.Count
	if n := min(r.Count, r.hi-c.level+1); n != c.count {
		c.count, c.held.cut = n, cutUnknown
	}
	for x := 1; x < r.last; x++ {
		c.row[x] = r.w.first[x] - r.p.Margin[x]
	}
	c.row[0] = c.level
	r.beginResults(c)
	for l := c.count; l < r.Count; l++ {
		c.bounds[r.Seat(l)], c.bounds[r.Count+r.Seat(l)] = -none, none // whatever is computed there is lost
	}
	r.beginSpans(c)
}

// beginResults finds out which results of chain c's slab may be final, and whether whole
// rows are needed when they are complete: for them, unless they are in planes, or for
// planes of the block.
func (r *slabs[T]) beginResults(c *chain[T]) {
	c.gives = c.gives[:0]
	c.keeps = r.copiesPlanes(c)
	c.planes = c.keeps
	for _, v := range r.results {
		if !r.w.walk.MayBe(v, c.level, c.level+c.count-1) {
			continue
		}
		some := false
		for l := range c.count {
			final := r.w.walk.MayBe(v, c.level+l, c.level+l)
			c.final[v][l], some = final, some || final
			c.keeps = c.keeps || final && !r.inPlane(c, v, l)
		}
		if some {
			c.gives = append(c.gives, v)
		}
	}
}

// tops is how many lanes of chain c take part, of which the highest write planes. (Where
// each chain has a slab of its own, some with idle lanes, all write those of the highest of
// all.)
func (r *slabs[T]) tops(c *chain[T]) int {
	if r.Tops && r.together {
		return c.count
	}
	return r.Count
}

// copiesPlanes reports whether the planes of the level after chain c's slab, the last one, are
// needed, and its lanes do not write them.
func (r *slabs[T]) copiesPlanes(c *chain[T]) bool {
	return !r.ends && c.count < r.tops(c) && r.hi == c.level+c.count-1
}

// step0 is the step at which rows of lanes begin.
func (r *slabs[T]) step0() int { return r.c0 - r.margin - r.history }

// address is that of a cell.
func address[T int32 | int64](cells []T, at int) int {
	var cell T
	return int(uintptr(unsafe.Pointer(unsafe.SliceData(cells)))) + at*int(unsafe.Sizeof(cell))
}

// ringRowAt is where the ring row at distance Rows[k] from chain c's begins.
func (r *slabs[T]) ringRowAt(c *chain[T], k int) int {
	switch {
	case !r.together:
		return r.ringAt(c.row, r.Rows[k])
	case k == 0:
		return c.to
	}
	return c.from
}

// ringAt is where the ring row of coordinates q less d begins; the row itself if
// that lies below the margins.
func (r *slabs[T]) ringAt(q, d []int) int {
	inner, outer := 0, 0
	for x := 1; x < r.last; x++ {
		at := q[x] - d[x-1]
		if at < r.w.first[x]-r.p.Margin[x] {
			return r.ringAt(q, r.Rows[0])
		}
		if x == 1 {
			if outer = at % r.slots; outer < 0 {
				outer += r.slots
			}
			continue
		}
		inner = inner*(r.p.Side[x]+r.p.Margin[x]) + at - (r.w.first[x] - r.p.Margin[x])
	}
	return (outer*r.ringInner + inner) * r.ringRow
}

// point writes the words of chain c for step v, from word at of the frame on.
func (r *slabs[T]) point(c *chain[T], at, v int) {
	c.step, r.pointed = v, append(r.pointed, c)
	r.pointWords(c, at, v)
}

// pointWords is point for a chain whose results nobody needs.
func (r *slabs[T]) pointWords(c *chain[T], at, v int) {
	w := r.frame[at : at+r.ChainWords()]
	since := v - r.step0()
	w[kernel.ChainStep] = v - c.shift
	w[kernel.ChainBounds] = address(c.bounds, 0)
	w[kernel.ChainNow] = address(c.now, since*r.Now*r.Count)
	for k := range r.Rows {
		w[r.ChainRow(k)] = address(c.ring, r.ringRowAt(c, k)+since*r.Ring*r.Count)
	}
	for k, in := range r.Inserts {
		if given := &c.below[in.Value]; c.slab == 0 && given.cells != nil {
			w[r.ChainInsert(k)] = address(given.cells, given.at+v+r.Skew)
			continue
		}
		w[r.ChainInsert(k)] = address(r.planes[in.Value], r.plane(in.Level, c.number)+v+r.Skew*in.Level)
	}
	for k, out := range r.Outs {
		tops := r.tops(c)
		at := r.plane(out.Level, c.number) + v - r.Skew*(tops-out.Level)
		if tops < r.Count {
			at -= r.Seat(tops - out.Level)
		}
		w[r.ChainOut(k)] = address(r.planes[out.Value], at)
	}
	for k := range r.given {
		w[r.ChainGiven(k)] = r.given[k].address(c, v)
	}
	if r.Reduces > 0 {
		w[r.ChainReduced()] = address(c.reduced, 0)
	}
	for k := range r.Indices {
		r.q = append(r.q[:0], c.row...)
		r.q[0], r.q[r.last] = c.level, v
		w[r.ChainIndex(k)] = r.Indices[k].At.Eval(r.p.Params, r.q)
	}
}

// fillPlace is place for what is filled before the row is computed.
func (r *slabs[T]) fillPlace(c *chain[T], v int) (cells []T, at, step int) {
	step = r.Now * r.Count
	return c.now, r.Values[v].Fill*r.Count + (c.shift-r.step0())*step, step
}

// pointIdle writes the words of a chain that is idle: it computes, in its own
// memory, what nobody needs, from what a busy chain is given.
func (r *slabs[T]) pointIdle(i, v int) {
	busy := slices.IndexFunc(r.chains, func(c chain[T]) bool { return c.slab >= 0 })
	c := &r.chains[i]
	r.pointWords(&r.chains[busy], r.FrameChain(i), v)
	w := r.frame[r.FrameChain(i) : r.FrameChain(i)+r.ChainWords()]
	since := v - r.step0()
	w[kernel.ChainBounds] = address(c.bounds, 0)
	w[kernel.ChainNow] = address(c.now, since*r.Now*r.Count)
	for k := range r.Rows {
		w[r.ChainRow(k)] = address(c.ring, since*r.Ring*r.Count)
	}
	if r.Reduces > 0 {
		w[r.ChainReduced()] = address(r.lost, 0)
	}
	for k, out := range r.Outs {
		w[r.ChainOut(k)] = address(r.spare, r.planeLow-r.c0+v-r.Skew*(r.Count-out.Level))
	}
}

// place returns the cells in which value v's vectors of chain c's row lie, where
// that of step c.shift would be, and the cells from a step to the next.
func (r *slabs[T]) place(c *chain[T], v int) (cells []T, at, step int) {
	x := r.Values[v]
	if x.InRing {
		step = r.Ring * r.Count
		return c.ring, r.ringRowAt(c, 0) + x.At*r.Count + (c.shift-r.step0())*step, step
	}
	step = r.Now * r.Count
	return c.now, x.At*r.Count + (c.shift-r.step0())*step, step
}

// prepare finds out which iterations of its row chain c has, and fills the ghost
// cells.
func (r *slabs[T]) prepare(c *chain[T]) {
	w := r.w
	if c.slab == 0 {
		r.layPlanes(c)
	}
	own := true
	for x := 1; x < r.last; x++ {
		own = own && c.row[x] >= w.first[x]
	}
	r.spansOf(c, own)
	c.lined, c.laid = false, false
	if c.skip {
		return
	}
	for i := range r.in {
		r.await(c, &r.in[i])
	}
	w.copied.unpacking.start()
	for i := range r.in {
		r.move(c, &r.in[i], true)
	}
	w.copied.unpacking.stop()
	for v := range r.Values {
		if r.Values[v].At >= 0 {
			r.fillLanes(c, v)
		}
	}
	for k := range r.given {
		r.given[k].prepare(c)
	}
	r.beginLines(c)
}

// await waits until what a box has of chain c's row is there.
func (r *slabs[T]) await(c *chain[T], b *laneBox[T]) {
	if b.face == nil || b.face.awaiter == nil {
		return
	}
	top := min(b.hi[0], c.level+c.count-1)
	if _, _, ok := b.rowAt(c.row); ok && b.lo[0] <= top && b.hi[0] >= c.level {
		b.face.awaitRow(r.p, c.row, c.level, top)
	}
}

// move copies cells of chain c's row: ghost cells out of a box that arrived if in, else
// into a box that is sent.
func (r *slabs[T]) move(c *chain[T], b *laneBox[T], in bool) {
	from, level, ok := b.rowAt(c.row)
	if !ok {
		return
	}
	from += c.shift
	if b.hi[r.last]-b.lo[r.last] >= r.Count {
		r.moveRows(c, b, from, level, in)
		return
	}
	cells, at, step := r.place(c, b.value)
	if in {
		cells, at, step = r.fillPlace(c, b.value)
	}
	first, last := b.lo[r.last]-c.shift, b.hi[r.last]-c.shift
	bottom, top := max(0, b.lo[0]-c.level), min(c.count, b.hi[0]-c.level+1)
	if bottom >= top {
		return
	}
	from += (c.level + bottom - b.lo[0]) * level
	at += r.Skew*bottom*step + r.Seat(bottom)
	rise := r.Skew*step - 1
	for _, s := range c.span[bottom:top] {
		lo, hi := max(first, s.e0), min(last, s.e1)
		r.moved(hi-lo+1, in)
		if in {
			for x := lo; x <= hi; x++ {
				cells[at+x*step] = b.cells[from+x]
			}
		} else {
			for x := lo; x <= hi; x++ {
				b.cells[from+x] = cells[at+x*step]
			}
		}
		from += level
		at += rise
	}
}

// moved counts cells of a row that are copied out of a box, if in, or into one.
func (r *slabs[T]) moved(cells int, in bool) {
	if r.w.counts == nil || cells <= 0 {
		return
	}
	kind := walk.Pack
	if in {
		kind = walk.Unpack
	}
	r.w.counts.Move(kind, 1, cells*r.Size)
}

// finish gives away what others need of chain c's row.
func (r *slabs[T]) finish(c *chain[T]) {
	r.w.copied.packing.start()
	for i := range r.out {
		r.move(c, &r.out[i], false)
	}
	r.w.copied.packing.stop()
	for _, v := range c.gives {
		r.give(c, v)
	}
	if r.copiesPlanes(c) {
		r.topPlanes(c)
	}
}

// topPlanes writes the planes below the level after the highest, which is not
// that of the top lane.
func (r *slabs[T]) topPlanes(c *chain[T]) {
	for v, plane := range r.planes {
		if plane == nil {
			continue
		}
		cells, at, step := r.place(c, v)
		plus := T(r.Values[v].Plus)
		for j := 1; j < r.p.Nest.Values[v].Levels(); j++ {
			l := c.count - j
			to := r.plane(j, c.number) + c.shift
			src := at + (c.span[l].e0+r.Skew*l)*step + r.Seat(l)
			for x := c.span[l].e0; x <= c.span[l].e1; x++ {
				plane[to+x] = cells[src] + plus
				src += step
			}
		}
	}
}
