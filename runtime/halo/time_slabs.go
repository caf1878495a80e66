package halo

import (
	"slices"
	"unsafe"

	"loopc/runtime/array"
	"loopc/runtime/kernel"
	"loopc/transform/plan"
	"loopc/transform/plan/walk"
)

// A temporal computes several levels of a tile together, with a kernel whose lanes are levels: see kernel.Temporal.
type temporal interface {
	// run computes levels lo..hi of the tile at which c stands, and returns the number of iterations. Each level may have iterations.
	// Levels below lo are in the block, and filled where needed.
	//
	// begins says that the block holds nothing yet: all levels below have their initial
	// content. ends says that nobody reads the block after level hi.
	run(c *Column, lo, hi int, begins, ends bool) int
	// height returns how many of n levels slabs compute, counted from the lowest. The remaining ones would leave most lanes idle.
	height(n int) int
	// description returns the description of the kernel.
	description() *kernel.Temporal
}

// Levels returns the description of the kernel that computes several levels together, or nil if the worker computes levels one by one.
func (w *Worker) Levels() *kernel.Temporal {
	if w.slabs == nil {
		return nil
	}
	return w.slabs.description()
}

// newTemporal returns nil if the kernel has no lanes across levels, or the plan requires levels one by one.
func newTemporal(w *Worker) temporal {
	l := w.kernel.Temporal
	if l == nil || !suits(l, w.plan) {
		return nil
	}
	if l.Size == 4 {
		return newTimeSlabs[int32](w, l)
	}
	return newTimeSlabs[int64](w, l)
}

func (r *timeSlabs[T]) description() *kernel.Temporal { return r.lanes }

// farthest limits coordinates, because lanes of 32 bits count steps.
const farthest = 1 << 29

// timeSlabs compute the levels of a tile in time slabs, of as many levels as a vector has lanes. T is as wide as a lane.
type timeSlabs[T int32 | int64] struct {
	lanes *kernel.Temporal
	w     *Worker
	p     *plan.Plan
	room  *laneRoom
	last  int // the last coordinate, along rows
	tile  *slabTile

	spans      rowSpans[T]
	streams    []stream[T]
	planes     slabPlanes[T]
	given      []givenRows[T]
	transposer transposer[T]
	calls      kernelCalls[T]
	exterior   exteriorLanes[T]

	narrow  []*narrowValue[T] // per value
	results []int             // values that are returned and may have final results in the tile
	lost    []T               // accumulators of idle streams
	lastRow int               // where in the buffer of a shared slab the last row is
	q       []int             // scratch
}

// A slabTile is the tile that time slabs compute. timeSlabs set it; their parts only read it.
type slabTile struct {
	column       *Column
	c0, c1       int  // its columns
	lo, hi       int  // its levels
	rows         int  // rows of a level, halo included
	begins, ends bool // see temporal
}

func newTimeSlabs[T int32 | int64](w *Worker, l *kernel.Temporal) *timeSlabs[T] {
	p := w.plan
	n := len(p.Side)
	room := roomOf(p, l)
	r := &timeSlabs[T]{lanes: l, w: w, p: p, room: &room, last: n - 1, tile: new(slabTile), q: make([]int, n)}
	for v := range p.Nest.Values {
		r.narrow = append(r.narrow, newNarrowValue[T](w, l, v))
	}
	r.spans = newRowSpans[T](w.tile, l, r.room, r.tile)
	r.transposer = newTransposer[T](l)
	r.planes = newSlabPlanes[T](w, l, r.room, r.tile, r.narrow)
	r.exterior = newExteriorLanes(w, l, &r.transposer, r.narrow)
	r.newStreams()
	r.lost = vectors[T](w.pool, l.Accumulators()*l.Count)
	for k := range l.Given {
		r.given = append(r.given, newGivenRows[T](r, k))
	}
	r.calls = newKernelCalls(r)
	return r
}

// newStreams makes the streams, each with its rows of lanes.
func (r *timeSlabs[T]) newStreams() {
	w, l, n := r.w, r.lanes, r.last+1
	size := r.room.bufferRows * r.room.bufferRow
	var buffers [][]T
	if r.room.shared {
		buffers = slices.Repeat([][]T{vectors[T](w.pool, size)}, l.Streams)
	} else {
		buffers = spread[T](w.pool, r.room.streams, size, l.Size)
	}
	for i := range l.Streams {
		c := stream[T]{index: i, slab: -1, row: make([]int, n),
			below: make([]givenBelow[T], len(r.p.Nest.Values)), reduced: vectors[T](w.pool, l.Accumulators()*l.Count)}
		c.spans = streamSpans[T]{bounds: vectors[T](w.pool, 2*l.Count), lanes: make([]lane, l.Count), exterior: make([]cellRun, 0, 2*l.Count)}
		c.spans.limits.of = make([]walk.Span, r.room.depth+l.Count)
		if i < r.room.streams {
			c.buffer, c.current = buffers[i], vectors[T](w.pool, r.room.currentRow)
		}
		for range r.p.Nest.Values {
			c.results.final = append(c.results.final, make([]bool, l.Count))
			c.cells = append(c.cells, exteriorCells{index: make([]int, w.arrays.rank), blocks: make([]cellBlock, 0, 2*l.Count)})
		}
		r.spans.first(&c.spans)
		r.streams = append(r.streams, c)
	}
}

// apart rounds n cells of size bytes up to vectors, and so that rows of that length do not collide: see plan.Apart.
func apart(n, size int) int { return plan.Apart(n, size, 64/size) }

// spread allocates n cells for each of several streams, spreadStride apart.
func spread[T int32 | int64](pool *array.Pool, streams, n, size int) [][]T {
	stride := spreadStride(streams, n, size)
	all := vectors[T](pool, streams*stride)
	out := make([][]T, streams)
	for c := range out {
		out[c] = all[c*stride : c*stride+n]
	}
	return out
}

// vectors allocates n cells, aligned to the longest vectors, all of which will be written soon.
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

// height implements temporal.
func (r *timeSlabs[T]) height(n int) int { return walk.SlabLevels(r.p, r.lanes.Count, n) }

// run implements temporal.
func (r *timeSlabs[T]) run(c *Column, lo, hi int, begins, ends bool) int {
	w, p := r.w, r.p
	t := r.tile
	t.column, t.lo, t.hi, t.begins, t.ends = c, lo, hi, begins, ends
	t.c0, t.c1, t.rows = w.first[r.last], w.last[r.last], 1
	for x := 1; x < r.last; x++ {
		t.rows *= w.last[x] - w.first[x] + 1 + p.HaloWidth[x]
	}
	r.results = r.results[:0]
	for v := range p.Nest.Values {
		if a := p.Nest.Values[v].Array; p.Nest.Arrays[a].Returned() && w.fields.Result[a].Data != nil && w.walk.MayBe(v, lo, hi) {
			r.results = append(r.results, v)
		}
	}
	for i := range r.streams {
		r.streams[i].spans.held.cut = cutUnknown // of another tile
	}
	for g := range r.given {
		r.given[g].begin()
	}
	r.spans.points = 0
	slabs := (hi - lo + r.lanes.Count) / r.lanes.Count
	switch {
	case r.last == 1:
		r.runColumns(slabs)
	case r.room.shared:
		r.runSharedSlabs(slabs)
	default:
		r.runRows(slabs)
	}
	r.transposer.vectors.Drain()
	for i := range r.streams {
		r.collect(&r.streams[i])
	}
	if !ends {
		q := r.q
		for x := 1; x < r.last; x++ {
			q[x] = w.first[x] - p.HaloWidth[x]
		}
		for number := range t.rows {
			r.planes.move(hi+1, q, number, false)
			r.nextRow(q)
		}
	}
	return r.spans.points
}
