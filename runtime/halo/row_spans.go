package halo

import (
	"cmp"
	"slices"

	"loopc/runtime/kernel"
	"loopc/transform/plan/walk"
)

// The spans of a row are its iterations and the cells around them that are read. In most spaces all rows have the same columns, shifted:
// loops with constant bounds stay parallel however they are skewed, and other bounds only decide whether a row has any iterations. Inside
// such bounds, a row has the spans of the row before: shifted, if the tile cuts off nothing, and unshifted, if the tile cuts off both ends.

// rowSpans find the spans of streams' rows. They write the streams' spans and count the tile's iterations.
type rowSpans[T int32 | int64] struct {
	walk   *walk.Levels
	lanes  *kernel.Temporal
	room   *laneRoom
	tile   *slabTile
	points int // iterations of the tile so far
	edges  walk.Edges
	// same says which rows have the same bounds, shifted; shift is the shift, in columns, from
	// a row to the next along each of coordinates 0 to n-2.
	same  likeness
	shift []int
	// outer are the inequalities that only decide whether a row has iterations. The first across of them depend on the level alone.
	outer  []outerEdge
	across int
	unit   []int // scratch: value of each outer inequality in the current lane

	unitLevel []int // growth of all inequalities from a level to the next
	q         []int // scratch
}

// A likeness says which rows are alike: none, the rows of one level, or all.
type likeness int

const (
	likeNone likeness = iota
	likeLevel
	likeAll
)

// An outerEdge is an inequality c + a·q ≥ 0 that does not contain the last coordinate: a are the coefficients of coordinates 0 to n-2.
type outerEdge struct {
	c     int
	a     []int
	reach int // the most by which the value grows along a flow distance
}

// at returns the value of e in a row of a level.
func (e *outerEdge) at(level int, row []int) int {
	v := e.c + e.a[0]*level
	for x := 1; x < len(e.a); x++ {
		v += e.a[x] * row[x]
	}
	return v
}

// rows returns how many of the coordinates 1 to n-2 occur in e.
func (e *outerEdge) rows() (n int) {
	for _, a := range e.a[1:] {
		if a != 0 {
			n++
		}
	}
	return n
}

// slabBounds are the bounds of the rows of a slab, not yet shifted.
type slabBounds struct {
	of          []walk.Span // per level, from depth levels below the slab on
	least, most walk.Span   // the least and the greatest of them, end by end
}

// heldSpans describe the row for which a stream's spans were computed last.
type heldSpans struct {
	cut    cut
	shift  int      // of that row
	steps  rowSteps // counted from the stream's shift
	points int      // iterations
}

// A cut says what the tile cuts off the lanes of a row that lies well inside the outer inequalities: nothing, both ends of every lane, or
// something else. For other rows it is unknown.
type cut int

const (
	cutUnknown cut = iota
	cutNone
	cutBoth
	cutSome
)

// rowSteps are the steps of a row: see stream.
type rowSteps struct {
	first, end, full0, full1 int
	skip                     bool
}

// none is greater than any step and column.
const none = farthest + 1

// noSteps are the steps of no row, to which rows are joined.
var noSteps = rowSteps{first: 1 << 62, end: -1 << 62, full0: -1 << 62, full1: 1 << 62, skip: true}

// later returns s with all steps moved by n.
func (s rowSteps) later(n int) rowSteps {
	s.first, s.end, s.full0, s.full1 = s.first+n, s.end+n, s.full0+n, s.full1+n
	return s
}

// join adds the steps of another row that the same call computes.
func (s *rowSteps) join(t rowSteps) {
	s.first, s.end, s.skip = min(s.first, t.first), max(s.end, t.end), false
	s.full0, s.full1 = max(s.full0, t.full0), min(s.full1, t.full1)
}

// cells extends the steps by the needed cells of a lane whose column x is computed at step x + at.
func (s *rowSteps) cells(e *lane, at int) {
	if e.e0 <= e.e1 {
		s.skip = false
		s.first, s.end = min(s.first, e.e0+at), max(s.end, e.e1+at+1)
	}
}

// newRowSpans returns the rowSpans of one worker.
func newRowSpans[T int32 | int64](t *tile, l *kernel.Temporal, room *laneRoom, at *slabTile) rowSpans[T] {
	p, n := t.plan, len(t.plan.Side)
	out := rowSpans[T]{walk: t.walk, lanes: l, room: room, tile: at, edges: walk.NewEdges(p), same: likeAll, shift: make([]int, n-1),
		unitLevel: make([]int, len(p.Space.Ineq)), q: make([]int, n)}
	g := &out.edges
	zero, unit := make([]int, n), make([]int, n)
	values, slopes := make([]int, len(p.Space.Ineq)), make([]int, len(p.Space.Ineq))
	p.Space.Row(zero, values)
	for _, e := range g.Outer {
		out.outer = append(out.outer, outerEdge{c: values[e.Number], a: make([]int, n-1), reach: e.Reach})
	}
	for x := range n - 1 {
		clear(unit)
		unit[x] = 1
		p.Space.Slopes(unit, slopes)
		for k, e := range g.Outer {
			out.outer[k].a[x] = slopes[e.Number]
		}
		if x == 0 {
			copy(out.unitLevel, slopes)
		}
		shift, ok := g.Shift(slopes)
		switch {
		case ok:
			out.shift[x] = shift
		case x == 0:
			out.same = likeLevel
		default:
			out.same = likeNone
		}
	}
	slices.SortStableFunc(out.outer, func(e, f outerEdge) int { return cmp.Compare(e.rows(), f.rows()) })
	for out.across < len(out.outer) && out.outer[out.across].rows() == 0 {
		out.across++
	}
	if out.same == likeNone {
		clear(out.shift)
	}
	out.unit = make([]int, len(g.Outer))
	return out
}

// boundsFrom computes the bounds of the rows of a slab: q is the row depth levels below it.
func (r *rowSpans[T]) boundsFrom(q []int, s *slabBounds) {
	s.of = s.of[:r.room.depth+r.lanes.Count]
	r.edges.Bounds(r.walk.Values(q), r.unitLevel, s.of)
	s.least, s.most = s.of[0], s.of[0]
	for _, b := range s.of {
		s.least, s.most = walk.Span{Lo: min(s.least.Lo, b.Lo), Hi: min(s.least.Hi, b.Hi)}, walk.Span{Lo: max(s.most.Lo, b.Lo), Hi: max(s.most.Hi, b.Hi)}
	}
}

// first computes the bounds at level 0; if all rows are alike, these serve every row, shifted.
func (r *rowSpans[T]) first(s *streamSpans[T]) {
	clear(r.q)
	r.q[0] = -r.room.depth
	r.boundsFrom(r.q, &s.limits)
}

// begin computes what all rows of stream c's slab share.
func (r *rowSpans[T]) begin(c *stream[T]) {
	c.spans.inside, c.spans.beyond = r.within(c, r.outer[:r.across])
	if r.same == likeLevel {
		clear(r.q)
		r.q[0] = c.level - r.room.depth
		r.boundsFrom(r.q, &c.spans.limits)
		c.spans.held.cut = cutUnknown
	}
}

// within compares stream c's row, at all levels, with the given outer inequalities. The row is inside if it satisfies all of them. It is
// beyond if nobody reads its cells, because it violates one of them by more than a flow distance can make up for.
func (r *rowSpans[T]) within(c *stream[T], outer []outerEdge) (inside, beyond bool) {
	inside = true
	for k := range outer {
		e := &outer[k]
		low := e.at(c.level-r.room.depth, c.row)
		high := low + (r.room.depth+c.count-1)*e.a[0]
		if max(low, high)+e.reach < 0 {
			return false, true
		}
		inside = inside && low >= 0 && high >= 0
	}
	return inside, false
}

// cutOf returns what the tile cuts off the lanes of stream c's row, given the shift of the row.
func (r *rowSpans[T]) cutOf(c *stream[T], shift int) cut {
	switch least, most := &c.spans.limits.least, &c.spans.limits.most; {
	case least.Lo+r.edges.Left+shift >= r.tile.c0 && most.Hi+r.edges.Right+shift <= r.tile.c1 && least.Lo > -farthest && most.Hi < farthest:
		return cutNone
	case most.Lo+shift <= r.tile.c0-r.room.ghosts && least.Hi+shift >= r.tile.c1:
		return cutBoth
	}
	return cutSome
}

// takePart adds the iterations of lane l, of span e, to the bounds of stream c and to the steps of its row.
func (r *rowSpans[T]) takePart(c *stream[T], l int, e *lane) {
	if e.lo > e.hi {
		c.spans.bounds[r.lanes.LaneIndex(l)], c.spans.bounds[r.lanes.Count+r.lanes.LaneIndex(l)] = none, -none
		c.spans.full1 = -1 << 62
		return
	}
	at := r.lanes.Skew * l
	c.spans.bounds[r.lanes.LaneIndex(l)], c.spans.bounds[r.lanes.Count+r.lanes.LaneIndex(l)] = T(e.lo+at), T(e.hi+at)
	c.spans.full0, c.spans.full1 = max(c.spans.full0, e.lo+at), min(c.spans.full1, e.hi+at)
}

// find computes the spans of stream c's row: its lanes and steps. own is false for a row of the halo, which has no iterations.
func (r *rowSpans[T]) find(c *stream[T], own bool) {
	inside, beyond := r.within(c, r.outer[r.across:])
	if beyond || c.spans.beyond {
		c.spans.rowSteps.skip = true
		return
	}
	inside = inside && own && c.spans.inside
	if r.same == likeNone {
		copy(r.q, c.row)
		r.q[0] = c.level - r.room.depth
		r.boundsFrom(r.q, &c.spans.limits)
	}
	shift := r.shift[0] * c.level
	for x := 1; x < len(c.row)-1; x++ {
		shift += r.shift[x] * c.row[x]
	}
	h, cut := &c.spans.held, cutUnknown
	if inside && r.same != likeNone {
		cut = r.cutOf(c, shift)
	}
	c.spans.shift = 0
	if cut == cutNone {
		c.spans.shift = shift
	}
	if cut == cutUnknown || cut != h.cut || cut == cutSome && shift != h.shift {
		h.cut, h.shift, h.points = cut, shift, r.lanesOf(c, shift-c.spans.shift, own, inside)
		h.steps = c.spans.rowSteps
	}
	c.spans.rowSteps = h.steps.later(c.spans.shift)
	r.points += h.points
}

// lanesOf computes the lanes and steps of stream c's row, given the shift of the row, and returns its number of iterations. inside says
// that all levels satisfy the outer inequalities.
func (r *rowSpans[T]) lanesOf(c *stream[T], shift int, own, inside bool) (points int) {
	first, last := r.tile.c0-c.spans.shift, r.tile.c1-c.spans.shift
	c.spans.rowSteps, c.spans.exterior = noSteps, c.spans.exterior[:0]
	if !inside {
		for k := range r.unit {
			r.unit[k] = r.outer[k].at(c.level-r.room.depth, c.row)
		}
	}
	for v := range c.cells {
		c.cells[v].known = false
	}
	for l := -r.room.depth; l < c.count; l++ {
		b := c.spans.limits.of[l+r.room.depth]
		in, read := r.edges.Lane(walk.Span{Lo: b.Lo + shift, Hi: b.Hi + shift}, first-r.room.ghosts, last)
		e := lane{in0: in.Lo, in1: in.Hi, e0: read.Lo, e1: read.Hi}
		if !inside {
			r.withinOuter(&e)
		}
		c.spans.rowSteps.cells(&e, r.lanes.Skew*l)
		if l < 0 {
			continue
		}
		e.lo, e.hi = 1, 0
		if own {
			e.lo, e.hi = max(e.in0, first), min(e.in1, last)
			points += max(0, e.hi-e.lo+1)
		}
		c.spans.lanes[l] = e
		r.takePart(c, l, &e)
		c.spans.addExterior(l, &e)
	}
	return points
}

// addExterior records the exterior cells of lane l.
func (c *streamSpans[T]) addExterior(l int, e *lane) {
	switch {
	case e.e0 > e.e1:
	case e.in0 > e.in1:
		c.exterior = append(c.exterior, cellRun{l, e.e0, e.e1})
	default:
		if e.e0 < e.in0 {
			c.exterior = append(c.exterior, cellRun{l, e.e0, e.in0 - 1})
		}
		if e.in1 < e.e1 {
			c.exterior = append(c.exterior, cellRun{l, e.in1 + 1, e.e1})
		}
	}
}

// withinOuter removes from lane e what the outer inequalities forbid, and moves their values to the next lane.
func (r *rowSpans[T]) withinOuter(e *lane) {
	for k, v := range r.unit {
		outer := &r.outer[k]
		if v < 0 {
			e.in0, e.in1 = 1, 0
			if v+outer.reach < 0 {
				e.e0, e.e1 = 1, 0
			}
		}
		r.unit[k] = v + outer.a[0]
	}
}
