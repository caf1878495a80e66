package halo

import (
	"slices"
	"unsafe"

	"loopc/runtime/array"
	"loopc/runtime/kernel"
	"loopc/runtime/simd"
	"loopc/transform/plan"
)

// A slabber computes several levels of a tile together, with a kernel whose lanes
// are levels: see Lanes.
type slabber interface {
	// tile computes levels lo..hi of the tile that c stands at, all of which may
	// have iterations; levels below lo are in the block, filled where needed. It
	// returns the number of iterations.
	//
	// With begins, nothing is in the block: all that it would hold has its initial
	// content. With ends, nobody reads the block after hi.
	tile(c *Column, k, lo, hi int, begins, ends bool) int
	// height returns how many of n levels it computes, from the lowest on: those
	// that are left would leave most lanes idle.
	height(n int) int
	// description is that of the lanes.
	description() *kernel.Temporal
}

// Levels returns how the kernel computes several levels together, nil if it
// computes them one by one.
func (w *Worker) Levels() *kernel.Temporal {
	if w.slabs == nil {
		return nil
	}
	return w.slabs.description()
}

// newSlabber returns a slabber for kernel, or nil if it has no lanes or the nest
// needs its levels one by one.
func newSlabber(w *Worker) slabber {
	l := w.kernel.Temporal
	if l == nil || !suits(l, w.plan) {
		return nil
	}
	if l.Size == 4 {
		return newSlabs[int32](w, l)
	}
	return newSlabs[int64](w, l)
}

func (r *slabs[T]) description() *kernel.Temporal { return r.Temporal }

// farthest limits coordinates: steps are counted in lanes, with 32 bits.
const farthest = 1 << 29

// slabs is a slabber for lanes as wide as T.
type slabs[T int32 | int64] struct {
	*kernel.Temporal
	w       *Worker
	p       *plan.Plan
	n, last int
	edges   edges
	spans   rowSpans

	frame   []int
	rise    []int       // of the frame, from a step to the next
	pointed []*chain[T] // that the frame points to
	chains  []chain[T]
	planes  [][]T // per value: depth planes
	spare   []T   // a row of a plane that nobody reads
	given   []givenRows[T]
	laces   *simd.Laces[T]
	lost    []T // accumulators of what nobody needs
	// laceRows are rows that laces moves, one for each lane, as they lie in a vector.
	laceRows []simd.Row[T]
	laneRoom
	at int // together: where in the ring the last row is

	// The tile at hand.
	c         *Column
	k         int
	c0, c1    int // its columns
	lo, hi    int // its levels
	in, out   []laneBox[T]
	carries   []laneBox[T] // per value: what the tile carries on, if it does
	rowOf     []int        // factor of each coordinate in the number of a row
	rows      int
	results   []int // values that are given back, some of which may be final in the tile
	whole     bool  // this rank has all cells of all given arrays
	q, index  []int // scratch
	blocks    []cellBlock
	unitLevel []int // rise of the inequalities from a level to the next
	begins    bool  // the planes before the tile have their initial content
	ends      bool  // nobody reads the planes after the tile
	points    int
}

// A laneBox is a dense image of a box of cells of one value: a face, or what is
// carried on.
type laneBox[T int32 | int64] struct {
	value  int
	lo, hi []int
	cells  []T
	face   *Face // nil: it was carried
}

// rowAt returns where the row q of level lo[0] begins in the image, less lo[last],
// and the cells from a level to the next; false if the box has not the row.
func (b *laneBox[T]) rowAt(q []int) (at, level int, ok bool) {
	n := len(b.lo)
	width := b.hi[n-1] - b.lo[n-1] + 1
	rows := 1
	for x := 1; x < n-1; x++ {
		if q[x] < b.lo[x] || q[x] > b.hi[x] {
			return 0, 0, false
		}
		size := b.hi[x] - b.lo[x] + 1
		at = at*size + q[x] - b.lo[x]
		rows *= size
	}
	return at*width - b.lo[n-1], rows * width, true
}

func newSlabs[T int32 | int64](w *Worker, l *kernel.Temporal) *slabs[T] {
	p := w.plan
	n := len(p.Side)
	r := &slabs[T]{Temporal: l, w: w, p: p, n: n, last: n - 1, laneRoom: roomOf(p, l)}
	r.edges = edgesOf(p)
	r.spans = newRowSpans(p, &r.edges)
	r.laces, r.laceRows = simd.NewLaces[T](l.Count), make([]simd.Row[T], l.Count)
	r.frame = make([]int, l.FrameWords())
	for v := range p.Nest.Values {
		var plane []T
		if hasPlanes(l, p, v) {
			plane = vectors[T](w.pool, r.depth*r.planeRows*r.planeRow)
		}
		r.planes = append(r.planes, plane)
		r.carries = append(r.carries, laneBox[T]{value: v, lo: make([]int, n), hi: make([]int, n)})
	}
	r.blocks = make([]cellBlock, 0, 2*r.Count)
	r.spare = vectors[T](w.pool, r.planeRow)
	var rings [][]T
	if r.together {
		rings = slices.Repeat([][]T{vectors[T](w.pool, r.ringRows*r.ringRow)}, l.Chains)
	} else {
		rings = spread[T](w.pool, l.Chains, r.ringRows*r.ringRow, l.Size)
	}
	for i := range l.Chains {
		c := chain[T]{index: i, slab: -1, row: make([]int, n), bounds: vectors[T](w.pool, 2*r.Count), span: make([]lane, r.Count), outside: make([]cellRun, 0, 2*r.Count)}
		c.limits.of = make([]bound, r.depth+r.Count)
		c.ring, c.now = rings[i], vectors[T](w.pool, r.nowRow)
		c.below = make([]givenBelow[T], len(p.Nest.Values))
		for range p.Nest.Values {
			c.final = append(c.final, make([]bool, r.Count))
			c.cells = append(c.cells, outsideCells{index: make([]int, w.arrays.rank), blocks: make([]cellBlock, 0, 2*r.Count)})
		}
		c.reduced = vectors[T](w.pool, l.Reduces*r.Count)
		r.chains = append(r.chains, c)
	}
	r.lost = vectors[T](w.pool, l.Reduces*r.Count)
	for k := range l.Given {
		r.given = append(r.given, newGivenRows[T](r, k))
	}
	r.rise = r.rises()
	for k, u := range l.Params {
		r.frame[l.FrameParam(k)] = paramBits(u.Elem, p.Params[u.Param])
	}
	r.index, r.whole = make([]int, w.arrays.rank), true
	for a := range p.Nest.Arrays {
		if role := p.Nest.Arrays[a].Role; role == plan.In || role == plan.InOut {
			view := &w.fields.Given[a]
			r.whole = r.whole && slices.Equal(view.Lo, w.arrays.least[a]) && slices.Equal(view.Hi, w.arrays.most[a])
		}
	}
	r.rowOf, r.q, r.unitLevel = make([]int, n), make([]int, n), make([]int, p.Space.Inequalities())
	r.q[0] = 1
	p.Space.Slopes(r.q, r.unitLevel)
	r.q[0] = -r.depth // all rows are like those of level 0, if they are all alike
	for i := range r.chains {
		r.boundsFrom(r.q, &r.chains[i].limits)
	}
	return r
}

// apart returns at least n cells of size bytes, whole vectors, rows of which lie apart
// as plan.Apart says.
func apart(n, size int) int { return plan.Apart(n, size, 64/size) }

// spread allocates n cells for each of some chains, see spreadStride.
func spread[T int32 | int64](pool *array.Pool, chains, n, size int) [][]T {
	stride := spreadStride(chains, n, size)
	all := vectors[T](pool, chains*stride)
	out := make([][]T, chains)
	for c := range out {
		out[c] = all[c*stride : c*stride+n]
	}
	return out
}

// vectors allocates n cells at a multiple of the size of the longest vectors. All of
// them are about to be written.
func vectors[T int32 | int64](pool *array.Pool, n int) []T {
	const align = 64
	var cell T
	size := int(unsafe.Sizeof(cell))
	all := array.Cast[T](pool.LargeBytes(n*size+align, 1))
	skip := 0
	if len(all) > 0 {
		if off := int(uintptr(unsafe.Pointer(&all[0])) % align); off > 0 {
			skip = (align - off) / size
		}
	}
	return all[skip : skip+n]
}

// height implements slabber.
func (r *slabs[T]) height(n int) int {
	left := n % r.Count
	if least := leastLevels(r.Temporal, r.p); n < least || left < least {
		return n - left
	}
	return n
}

// tile implements slabber.
func (r *slabs[T]) tile(c *Column, k, lo, hi int, begins, ends bool) int {
	w, p := r.w, r.p
	r.c, r.k, r.lo, r.hi, r.ends = c, k, lo, hi, ends
	r.c0, r.c1 = w.first[r.last], w.last[r.last]
	r.rows = 1
	for x := r.last - 1; x >= 1; x-- {
		r.rowOf[x] = r.rows
		r.rows *= w.last[x] - w.first[x] + 1 + p.Margin[x]
	}
	r.boxes()
	r.results = r.results[:0]
	for v := range p.Nest.Values {
		if a := p.Nest.Values[v].Array; p.Nest.Arrays[a].Returned() && w.fields.Result[a].Data != nil && w.walk.MayBe(v, lo, hi) {
			r.results = append(r.results, v)
		}
	}
	for i := range r.chains {
		r.chains[i].held.cut = cutUnknown // it is of another tile
	}
	for g := range r.given {
		r.given[g].begin()
	}
	r.points, r.begins = 0, begins
	slabs := (hi - lo + r.Count) / r.Count
	switch {
	case r.last == 1:
		r.runColumns(slabs)
	case r.together:
		r.runTogether(slabs)
	default:
		r.runRows(slabs)
	}
	r.laces.Drain()
	for i := range r.chains {
		r.collect(&r.chains[i])
	}
	if !ends {
		q := r.q
		for x := 1; x < r.last; x++ {
			q[x] = r.w.first[x] - r.p.Margin[x]
		}
		for number := range r.rows {
			r.movePlanes(hi+1, q, number, false)
			r.nextRow(q)
		}
	}
	return r.points
}

// boxes lists what arrives and what is sent, by value.
func (r *slabs[T]) boxes() {
	c, w := r.c, r.w
	r.in, r.out = r.in[:0], r.out[:0]
	for _, f := range c.In {
		if f.Slot == nil {
			continue
		}
		for v, has := range f.has {
			if has && r.Values[v].At >= 0 {
				r.in = append(r.in, laneBox[T]{v, f.lo[v], f.hi[v], array.Cast[T](f.part[v]), f})
			}
		}
	}
	for _, f := range c.Out {
		if f.Slot == nil {
			continue
		}
		for v, has := range f.has {
			if has && r.Values[v].At >= 0 {
				r.out = append(r.out, laneBox[T]{v, f.lo[v], f.hi[v], array.Cast[T](f.part[v]), f})
			}
		}
	}
	for v, data := range c.carried {
		if len(data) == 0 || r.Values[v].At < 0 {
			continue
		}
		cells := array.Cast[T](data)
		if c.carryHi[v][0] >= c.carryLo[v][0] {
			r.in = append(r.in, laneBox[T]{v, c.carryLo[v], c.carryHi[v], cells, nil})
		}
		if r.k != c.Last {
			box, m := r.carries[v], r.p.Map
			copy(box.lo, c.carryLo[v])
			copy(box.hi, c.carryHi[v])
			box.lo[m], box.hi[m], box.hi[0] = w.last[m]-w.carry.reach[v]+1, w.last[m], w.last[0]
			box.cells = cells
			r.out = append(r.out, box)
		}
	}
}
