package halo

import (
	"slices"

	"loopc/runtime/array"
	"loopc/runtime/kernel"
	"loopc/transform/plan/walk"
)

// givenRows are the cells of a given array that the streams' rows read, in the layout and type that the kernel expects.
type givenRows[T int32 | int64] struct {
	r       *timeSlabs[T]
	g       *kernel.LaneGiven
	view    *array.View
	convert laneConverter[T]
	subs    []form
	from    form // position of the cell
	rise    int  // distance from the cell that a lane reads to that of the next lane in the same column
	by      int  // distance from the cell of a column to that of the next
	alike   bool // all rows read the same cells
	rows    []givenRow[T]
	held    []int // per stream, unless it has a row of its own: its index in rows; -1: none
	clock   int   // counts calls of hold
	flat    []T   // Interleaved, if cells are gathered: see gathers
	copies  copiedRows
}

// A givenRow holds the cells that one row reads, or one stream.
type givenRow[T int32 | int64] struct {
	number, base int // the row and first cell of its sequence; number -1: unused
	used         int // the clock when it was chosen last
	cells        []T
	laid         laidOut
}

// A laidOut tells which cells a stream's own row has: lane l those from column lanes[l].lo to
// lanes[l].hi of its row, where the cell of lane 0 at column shift has position at.
type laidOut struct {
	at, shift, count int // count 0: no cells
	lanes            [][2]int
}

// has reports whether the row has the cells that lanes read from position at on. It takes note of these cells: the caller
// lays them out if the row does not have them.
func (d *laidOut) has(at int, shift, count int, lanes []lane) bool {
	same := d.at == at && d.shift == shift && d.count == count
	if !same {
		d.lanes = slices.Grow(d.lanes[:0], count)[:count]
	}
	for l := range lanes[:count] {
		s := [2]int{lanes[l].lo, lanes[l].hi}
		same = same && d.lanes[l] == s
		d.lanes[l] = s
	}
	d.at, d.shift, d.count = at, shift, count
	return same
}

func newGivenRows[T int32 | int64](r *timeSlabs[T], k int) givenRows[T] {
	g := &r.lanes.Given[k]
	out := givenRows[T]{r: r, g: g, view: &r.w.fields.Given[g.Array], subs: formsOf(r.p, g.Subs), alike: true, held: make([]int, r.lanes.Streams)}
	out.convert = converter[T](r.p.Nest.Arrays[g.Array].Elem, g.Elem)
	for _, f := range out.subs {
		for x := 1; x < len(f.a); x++ {
			out.alike = out.alike && f.a[x] == 0
		}
	}
	out.from = positionOf(out.subs, out.view, len(r.p.Side))
	out.rise, out.by = out.from.a[0], out.from.last
	n, rows, flat := givenCells(r.lanes, r.p, *r.room, k)
	if flat > 0 {
		out.flat = make([]T, flat)
		out.copies.rows = make([]copiedRow, r.lanes.Count+1)
	}
	// Streams read sequences along with the planes that they write. Half a page apart, no load
	// of one waits for a store to the other (spreadStride).
	const halfPage = 2048
	off := 0
	if !out.own() {
		off = halfPage / r.lanes.Size
	}
	for range rows {
		out.rows = append(out.rows, givenRow[T]{cells: vectors[T](r.w.pool, n+off)[off:]})
	}
	return out
}

// begin forgets the rows of the tile before.
func (g *givenRows[T]) begin() {
	for i := range g.rows {
		g.rows[i].number, g.rows[i].laid.count = -1, 0
	}
	g.copies.forget()
	for i := range g.held {
		g.held[i] = -1
	}
}

// own reports whether each stream has a row of its own, which is filled anew for every row that the stream computes. Otherwise rows are
// sequences, and several streams may read the same one.
func (g *givenRows[T]) own() bool {
	return g.g.Kind == kernel.Interleaved || g.g.Kind == kernel.Fixed || g.g.OneCell()
}

// row returns the row that prepare has laid out for stream c.
func (g *givenRows[T]) row(c *stream[T]) *givenRow[T] {
	k := c.index
	if !g.own() {
		k = g.held[k]
	}
	return &g.rows[k]
}

// hold chooses the row for stream c, which reads sequence number from base on, and reports whether the row already has these cells. A new
// sequence takes the row that was used longest ago and that no stream holds. There is one row more than streams, so that a stream one row
// behind still finds the sequence.
func (g *givenRows[T]) hold(c *stream[T], number, base int) (row *givenRow[T], ready bool) {
	k := c.index
	g.held[k] = -1
	found := slices.IndexFunc(g.rows, func(row givenRow[T]) bool { return row.number == number && row.base == base })
	if ready = found >= 0; !ready {
		for i := range g.rows {
			if !slices.Contains(g.held, i) && (found < 0 || g.rows[i].used < g.rows[found].used) {
				found = i
			}
		}
	}
	g.clock++
	g.held[k], row = found, &g.rows[found]
	row.number, row.base, row.used = number, base, g.clock
	return row, ready
}

// address returns the word of the frame for stream c at step v.
func (g *givenRows[T]) address(c *stream[T], v int) int {
	return kernel.Address(g.row(c).cells, 0) + (v-g.r.step0())*g.perStep() // a window begins with the cell of the top lane
}

// perStep returns the bytes by which the address grows from a step to the next.
func (g *givenRows[T]) perStep() int {
	switch {
	case g.g.OneCell(), g.g.Kind == kernel.Fixed:
		return 0
	case g.g.Bytes():
		return 1
	case g.g.Kind == kernel.Same, g.g.Kind == kernel.Window:
		return g.r.lanes.Size
	}
	return g.r.lanes.Count * g.r.lanes.Size
}

// put copies n cells of the array, every fromStep-th, to every toStep-th cell of row.
func (g *givenRows[T]) put(row *givenRow[T], to, toStep, from, fromStep, n int) {
	if !g.g.Bytes() {
		g.convert(row.cells, to, toStep, g.view.Data, from, fromStep, n)
		return
	}
	cells := bytes(row.cells)
	for range n {
		cells[to] = g.view.Data[from]
		to += toStep
		from += fromStep
	}
}

// prepare lays out the cells that stream c's row reads.
func (g *givenRows[T]) prepare(c *stream[T]) {
	switch row := &g.rows[c.index]; {
	case g.g.OneCell():
		if g.has(c) {
			g.convert(row.cells, 0, 1, g.view.Data, g.at(c), 0, 1)
		}
	case g.g.Kind == kernel.Fixed:
		g.fixed(c, row)
	case g.g.Kind == kernel.Interleaved:
		if row.laid.has(g.at(c), c.spans.shift, c.count, c.spans.lanes) && !g.g.Guarded {
			return // the row before has read the same cells, as in a matrix product
		}
		if !g.interleaved(c, row.cells) {
			g.scattered(c, row)
		}
	default:
		g.sequence(c)
	}
}

// fixed lays out one cell for each lane between the lowest and the highest lane with iterations.
func (g *givenRows[T]) fixed(c *stream[T], row *givenRow[T]) {
	lo, hi := 0, c.count-1
	for lo <= hi && c.spans.lanes[lo].lo > c.spans.lanes[lo].hi {
		lo++
	}
	for lo <= hi && c.spans.lanes[hi].lo > c.spans.lanes[hi].hi {
		hi--
	}
	c.row[0] = c.level
	for m := range g.subs {
		x, _ := g.subs[m].along(c.row)
		lo, hi = walk.Clip(x, g.subs[m].a[0], g.view.Lo[m], g.view.Hi[m], lo, hi)
	}
	if lo <= hi {
		g.put(row, g.r.lanes.LaneIndex(lo), -1, g.at(c)+lo*g.rise, g.rise, hi-lo+1)
	}
}

// scattered lays out one vector per step, cell by cell.
func (g *givenRows[T]) scattered(c *stream[T], row *givenRow[T]) {
	l := g.r.lanes
	from := g.at(c)
	for lane := range c.count {
		if lo, hi := g.span(c, lane); lo <= hi {
			to := (lo+c.spans.shift+l.Skew*lane-g.r.step0())*l.Count + l.LaneIndex(lane)
			g.convert(row.cells, to, l.Count, g.view.Data, from+lane*g.rise+lo*g.by, g.by, hi-lo+1)
		}
	}
}

// sequence lays out a sequence unless a row already has it: cell u of the sequence is read by lane 0 in step u. If each lane reads a cell
// of its own (Window), the row begins with the cell of the top lane in the first step.
func (g *givenRows[T]) sequence(c *stream[T]) {
	number, last := 0, len(g.subs)-1-g.r.p.Nest.Arrays[g.g.Array].RowDim
	if !g.alike {
		number = c.number
	}
	c.row[0] = c.level
	base, by := g.subs[last].along(c.row)
	row, ready := g.hold(c, number, base)
	if ready {
		return
	}
	from, ok := 0, true
	for m := range g.subs {
		if m == last {
			continue
		}
		x, _ := g.subs[m].along(c.row)
		ok = ok && x >= g.view.Lo[m] && x <= g.view.Hi[m]
		from += (x - g.view.Lo[m]) * g.view.Stride[m]
	}
	first := g.r.step0()
	if g.g.Kind == kernel.Window {
		first -= g.r.lanes.Count - 1
	}
	lo, hi := walk.Clip(base, by, g.view.Lo[last], g.view.Hi[last], first, first+len(row.cells)-1)
	if !ok || lo > hi {
		return
	}
	stride := g.view.Stride[last]
	g.put(row, lo-first, 1, from+(base+by*lo-g.view.Lo[last])*stride, by*stride, hi-lo+1)
}

// interleaved lays out rows of a given array for stream c, by transposition. It returns false, and the cells must be laid out one by one,
// if the cells of a row are not contiguous, or if they must be copied first and there is no room for the copies.
func (g *givenRows[T]) interleaved(c *stream[T], to []T) bool {
	z := &g.r.transposer
	if g.flat == nil {
		if g.by != 1 && g.by != -1 {
			return false
		}
		z.clear(g.by < 0)
		src := array.Cast[T](g.view.Data)
		from := g.at(c)
		for l := range c.count {
			if lo, hi := g.span(c, l); lo <= hi {
				z.set(l, lo, hi, src[min(from+lo*g.by, from+hi*g.by):])
			}
			from += g.rise
		}
	} else if z.clear(g.by == -1); !g.overlapping(c) && !g.disjoint(c) {
		return false
	}
	z.repeat()
	z.in(to, (c.spans.shift-g.r.step0())*g.r.lanes.Count, g.r.lanes.Count)
	return true
}

// overlapping copies the cells of the rows of all lanes, each cell once, in the order of columns; of rows that
// run backward in memory, in the order of memory. It returns false if the rows do not overlap.
func (g *givenRows[T]) overlapping(c *stream[T]) bool {
	if g.by == 0 || g.rise%g.by != 0 {
		return false
	}
	// In columns of lane 0, lane l reads cells l·rise further on.
	from := g.at(c)
	rise, first, last := g.rise/g.by, 1<<62, -1<<62
	for l := range c.count {
		if lo, hi := g.span(c, l); lo <= hi {
			first, last = min(first, lo+l*rise), max(last, hi+l*rise)
		}
	}
	n := last - first + 1
	if n <= 0 {
		return true
	}
	if n > g.copyRoom() {
		return false
	}
	g.copies.forget()
	down := g.by == -1
	if down { // in the order in memory
		g.convert(g.flat, 0, 1, g.view.Data, from-last, 1, n)
	} else {
		g.convert(g.flat, 0, 1, g.view.Data, from+first*g.by, g.by, n)
	}
	for l := range c.count {
		if lo, hi := g.span(c, l); lo <= hi {
			at := lo + l*rise - first
			if down {
				at = last - (hi + l*rise)
			}
			g.r.transposer.set(l, lo, hi, g.flat[at:])
		}
	}
	return true
}

// span returns the columns lo..hi, relative to c.spans.shift, at which lane l of stream c's row reads cells: those of
// its iterations or, of a guarded array, those for which there is a cell.
func (g *givenRows[T]) span(c *stream[T], l int) (lo, hi int) {
	lo, hi = c.spans.lanes[l].lo, c.spans.lanes[l].hi
	if g.g.Guarded {
		c.row[0] = c.level + l
		for m := range g.subs {
			x, by := g.subs[m].along(c.row)
			lo, hi = walk.Clip(x+by*c.spans.shift, by, g.view.Lo[m], g.view.Hi[m], lo, hi)
		}
	}
	return lo, hi
}

// at returns the position of the cell that lane 0 of stream c's row reads at column c.spans.shift.
func (g *givenRows[T]) at(c *stream[T]) int {
	c.row[0] = c.level
	at, by := g.from.along(c.row)
	return at + by*c.spans.shift
}

// has reports whether the array has the cell that all lanes read in all columns of stream c's row.
func (g *givenRows[T]) has(c *stream[T]) bool {
	c.row[0] = c.level
	for m := range g.subs {
		if x, _ := g.subs[m].along(c.row); x < g.view.Lo[m] || x > g.view.Hi[m] {
			return false
		}
	}
	return true
}
