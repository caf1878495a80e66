package halo

import (
	"slices"

	"loopc/runtime/kernel"
)

// A stream computes the rows of a time slab one by one. Several streams are interleaved step by step.
type stream[T int32 | int64] struct {
	index  int
	slab   int   // slab number; -1: idle
	level  int   // of lane 0
	count  int   // levels; lanes above are idle
	row    []int // coordinates of the current row
	number int   // of the row
	next   int   // the next step, if levels have one row

	buffer, current []T
	from, to        int // shared slab: where in the buffer the row above and the current row begin

	spans    streamSpans[T]
	cells    []exteriorCells // per value: exterior cells that are in the array
	below    []givenBelow[T] // per value: the row of a given array that is read as the level below the first slab
	results  streamResults
	reduced  []T // accumulators of the slab's lanes, per reduction
	streamed streamedRow[T]
}

// streamSpans are the spans of a stream's row: iterations, and cells around them. rowSpans write them.
type streamSpans[T int32 | int64] struct {
	rowSteps            // of the row
	limits   slabBounds // of the slab, or of the row
	// inside and beyond are the results of within for inequalities that depend on the level alone.
	inside, beyond bool
	held           heldSpans
	// shift is the column from which the columns in lanes and exterior, and the steps in bounds, are counted.
	shift    int
	bounds   []T // first and last step of each lane, in the order of a vector
	lanes    []lane
	exterior []cellRun // exterior cells that are read
}

// streamResults say which results of a stream's slab are returned.
type streamResults struct {
	final  [][]bool // per value and lane: some result may be final
	values []int    // the values with such results
	keeps  bool     // entire rows are read after they are complete: to return results, or to copy planes
	planes bool     // to copy planes
}

// A lane is the span of a row of one level.
type lane struct {
	lo, hi   int // columns of the tile's iterations; lo > hi: none
	in0, in1 int // columns of iterations of any tile, among the tile's columns and its ghost cells
	e0, e1   int // columns that anybody reads, ghost cells included
}

// begin starts slab number slab on stream c.
func (r *timeSlabs[T]) begin(c *stream[T], slab int) {
	r.collect(c)
	c.slab, c.number = slab, 0
	c.level = r.tile.lo + slab*r.lanes.Count
	if n := min(r.lanes.Count, r.tile.hi-c.level+1); n != c.count {
		c.count, c.spans.held.cut = n, cutUnknown
	}
	for x := 1; x < r.last; x++ {
		c.row[x] = r.w.first[x] - r.p.HaloWidth[x]
	}
	c.row[0] = c.level
	r.beginResults(c)
	for l := c.count; l < r.lanes.Count; l++ {
		c.spans.bounds[r.lanes.LaneIndex(l)], c.spans.bounds[r.lanes.Count+r.lanes.LaneIndex(l)] = -none, none // an idle lane is never masked: nobody reads its results
	}
	r.spans.begin(c)
}

// step0 is the step at which rows of lanes begin in memory.
func (r *timeSlabs[T]) step0() int { return r.tile.c0 - r.room.ghosts - r.room.history }

// bufferRowAt returns where the buffer row at distance Rows[k] from stream c's row begins.
func (r *timeSlabs[T]) bufferRowAt(c *stream[T], k int) int {
	switch {
	case !r.room.shared:
		return r.bufferAt(c.row, r.lanes.Rows[k])
	case k == 0:
		return c.to
	}
	return c.from
}

// bufferAt returns where the buffer row at coordinates q - d begins; if q - d is below the halo, where the row of q itself begins.
func (r *timeSlabs[T]) bufferAt(q, d []int) int {
	inner, outer := 0, 0
	for x := 1; x < r.last; x++ {
		at := q[x] - d[x-1]
		if at < r.w.first[x]-r.p.HaloWidth[x] {
			return r.bufferAt(q, r.lanes.Rows[0])
		}
		if x == 1 {
			if outer = at % r.room.slots; outer < 0 {
				outer += r.room.slots
			}
			continue
		}
		inner = inner*(r.p.Side[x]+r.p.HaloWidth[x]) + at - (r.w.first[x] - r.p.HaloWidth[x])
	}
	return (outer*r.room.bufferInner + inner) * r.room.bufferRow
}

// point makes stream c the i-th of the frame, from step v on. The row of c must have its place.
func (r *timeSlabs[T]) point(c *stream[T], i, v int) {
	if c.streamed.on && !c.streamed.laid {
		r.layLines(c)
	}
	c.streamed.step, r.calls.pointed = v, append(r.calls.pointed, c)
	r.pointWords(c, i, v)
}

// pointWords writes the words of stream c for place i of the frame, and returns them.
func (r *timeSlabs[T]) pointWords(c *stream[T], i, v int) []int {
	at := r.lanes.FrameStream(i)
	w := r.calls.frame[at : at+r.lanes.StreamWords()]
	since := v - r.step0()
	w[kernel.StreamStep] = v - c.spans.shift
	w[kernel.StreamBounds] = kernel.Address(c.spans.bounds, 0)
	w[kernel.StreamCurrent] = kernel.Address(c.current, since*r.lanes.Current*r.lanes.Count)
	for k := range r.lanes.Rows {
		w[r.lanes.StreamRow(k)] = kernel.Address(c.buffer, r.bufferRowAt(c, k)+since*r.lanes.Buffered*r.lanes.Count)
	}
	for k, in := range r.lanes.CarryIn {
		if given := &c.below[in.Value]; c.slab == 0 && given.cells != nil {
			w[r.lanes.StreamCarryIn(k)] = kernel.Address(given.cells, given.at+v+r.lanes.Skew)
			continue
		}
		w[r.lanes.StreamCarryIn(k)] = kernel.Address(r.planes.of[in.Value], r.planes.at(in.Level, c.number)+v+r.lanes.Skew*in.Level)
	}
	for k, out := range r.lanes.CarryOut {
		top := r.planeLanes(c)
		at := r.planes.at(out.Level, c.number) + v - r.lanes.Skew*(top-out.Level)
		if top < r.lanes.Count {
			at -= r.lanes.LaneIndex(top - out.Level)
		}
		w[r.lanes.StreamCarryOut(k)] = kernel.Address(r.planes.of[out.Value], at)
	}
	for k := range r.given {
		w[r.lanes.StreamGiven(k)] = r.given[k].address(c, v)
	}
	if r.lanes.Accumulators() > 0 {
		w[r.lanes.StreamReduced()] = kernel.Address(c.reduced, 0)
	}
	for k := range r.lanes.Indices {
		r.q = append(r.q[:0], c.row...)
		r.q[0], r.q[r.last] = c.level, v
		w[r.lanes.StreamIndex(k)] = r.lanes.Indices[k].At.Eval(r.p.Params, r.q)
	}
	return w
}

// fillPlace returns what place returns, for cells that are filled before the row is computed.
func (r *timeSlabs[T]) fillPlace(c *stream[T], v int) (cells []T, at, step int) {
	return r.inCurrent(c, r.lanes.Values[v].Fill)
}

// inCurrent returns what place returns, for the given vector of each step in the current row.
func (r *timeSlabs[T]) inCurrent(c *stream[T], vector int) (cells []T, at, step int) {
	step = r.lanes.Current * r.lanes.Count
	return c.current, vector*r.lanes.Count + (c.spans.shift-r.step0())*step, step
}

// pointIdle writes the words of idle stream i. It reads what a busy stream reads, and writes to memory of its own that nobody reads.
func (r *timeSlabs[T]) pointIdle(i, v int) {
	busy := slices.IndexFunc(r.streams, func(c stream[T]) bool { return c.slab >= 0 })
	c := &r.streams[i]
	w := r.pointWords(&r.streams[busy], i, v)
	since := v - r.step0()
	w[kernel.StreamBounds] = kernel.Address(c.spans.bounds, 0)
	w[kernel.StreamCurrent] = kernel.Address(c.current, since*r.lanes.Current*r.lanes.Count)
	for k := range r.lanes.Rows {
		w[r.lanes.StreamRow(k)] = kernel.Address(c.buffer, since*r.lanes.Buffered*r.lanes.Count)
	}
	if r.lanes.Accumulators() > 0 {
		w[r.lanes.StreamReduced()] = kernel.Address(r.lost, 0)
	}
	for k, out := range r.lanes.CarryOut {
		w[r.lanes.StreamCarryOut(k)] = kernel.Address(r.planes.spare, r.room.planeLow-r.tile.c0+v-r.lanes.Skew*(r.lanes.Count-out.Level))
	}
}

// place returns the cells that hold value v's vectors of stream c's row, the position of the
// vector of column c.spans.shift, and the number of cells from a step to the next.
func (r *timeSlabs[T]) place(c *stream[T], v int) (cells []T, at, step int) {
	x := r.lanes.Values[v]
	if !x.InBuffer {
		return r.inCurrent(c, x.At)
	}
	step = r.lanes.Buffered * r.lanes.Count
	return c.buffer, r.bufferRowAt(c, 0) + x.At*r.lanes.Count + (c.spans.shift-r.step0())*step, step
}

// prepare finds the spans of stream c's row, and fills its ghost and exterior cells.
func (r *timeSlabs[T]) prepare(c *stream[T]) {
	w := r.w
	if c.slab == 0 {
		r.planes.lay(c)
	}
	own := true
	for x := 1; x < r.last; x++ {
		own = own && c.row[x] >= w.first[x]
	}
	r.spans.find(c, own)
	c.streamed.on, c.streamed.laid = false, false
	if c.spans.skip {
		return
	}
	r.countRow(c)
	for i := range r.w.border.in {
		r.await(c, &r.w.border.in[i])
	}
	w.copied.unpacking.start()
	for i := range r.w.border.in {
		r.move(c, &r.w.border.in[i], true)
	}
	w.copied.unpacking.stop()
	for v := range r.lanes.Values {
		if r.lanes.Values[v].At >= 0 {
			cells, at, step := r.fillPlace(c, v)
			r.exterior.fill(c, v, cells, at, step)
		}
	}
	for k := range r.given {
		r.given[k].prepare(c)
	}
	r.beginLines(c)
}

// countRow counts stream c's row and its iterations as computed.
func (r *timeSlabs[T]) countRow(c *stream[T]) {
	if r.w.counts == nil {
		return
	}
	r.w.counts.Boxes++
	first, last := r.tile.c0-r.room.ghosts-c.spans.shift, r.tile.c1-c.spans.shift
	for l := range c.count {
		e := &c.spans.lanes[l]
		r.w.counts.Points += max(0, e.hi-e.lo+1)
		if e.in0 != first || e.in1 != last {
			r.w.counts.Looked++
		}
	}
}

// finish copies results of stream c's row to faces, to carried cells, to returned arrays and to planes.
func (r *timeSlabs[T]) finish(c *stream[T]) {
	r.w.copied.packing.start()
	for i := range r.w.border.out {
		r.move(c, &r.w.border.out[i], false)
	}
	r.w.copied.packing.stop()
	for _, v := range c.results.values {
		r.give(c, v)
	}
	if r.copiesPlanes(c) {
		r.topPlanes(c)
	}
}
