package halo

import "loopc/transform/plan"

// What iterations and cells the rows of a slab have. In most spaces the bounds of
// the last coordinate depend on the level alone, and other bounds only say whether
// a row has iterations at all: then all rows of a slab that lie well inside have
// the same spans, which are found once for the slab.

// rowSpans finds spans of rows; it belongs to slabs.
type rowSpans struct {
	// alike: the bounds of the last coordinate are those of the level.
	alike bool
	// outer are the edges that say whether a row has iterations: the constant, and
	// the coefficients of coordinates 0 to n-2.
	outer []outerEdge
	unit  []int // scratch: value of each outer edge at the lane at hand
}

// An outerEdge is an inequality c + a·q ≥ 0 that does not bound the last
// coordinate.
type outerEdge struct {
	c     int
	a     []int
	reach int // the most that it rises along a flow distance
}

// A slabSpan is what all rows of a slab have in common, if they are alike.
type slabSpan struct {
	lanes []lane // of levels from depth below the slab's on, as if all outer edges held
	full  bool   // the chain's own spans are those of a row well inside
	steps rowSteps
	// points is the number of iterations of a row well inside.
	points int
}

// rowSteps are the steps of a row: see chain.
type rowSteps struct {
	first, end, full0, full1 int
	skip                     bool
}

// none is beyond any step.
const none = farthest + 1

// noSteps is what rowSteps begin with.
var noSteps = rowSteps{first: 1 << 62, end: -1 << 62, full0: -1 << 62, full1: 1 << 62, skip: true}

// cells adds the needed cells of the lane at level l of the slab.
func (s *rowSteps) cells(e *lane, at int) {
	if e.e0 <= e.e1 {
		s.skip = false
		s.first, s.end = min(s.first, e.e0+at), max(s.end, e.e1+at+1)
	}
}

// newRowSpans prepares for the rows of p, whose edges are given.
func newRowSpans(p *plan.Plan, g *edges) rowSpans {
	n := len(p.Side)
	out := rowSpans{alike: true}
	zero, unit := make([]int, n), make([]int, n)
	values, slopes := make([]int, p.Space.Inequalities()), make([]int, p.Space.Inequalities())
	p.Space.Row(zero, values)
	for _, e := range g.outer {
		out.outer = append(out.outer, outerEdge{c: values[e.number], a: make([]int, n-1), reach: e.reach})
	}
	for x := range n - 1 {
		clear(unit)
		unit[x] = 1
		p.Space.Slopes(unit, slopes)
		for k, e := range g.outer {
			out.outer[k].a[x] = slopes[e.number]
		}
		for _, list := range [][]edge{g.lower, g.upper} {
			for _, e := range list {
				out.alike = out.alike && (x == 0 || slopes[e.number] == 0)
			}
		}
	}
	out.unit = make([]int, len(g.outer))
	return out
}

// beginSpans finds what the rows of chain c's slab have in common.
func (r *slabs[T]) beginSpans(c *chain[T]) {
	if !r.spans.alike {
		return
	}
	w, s := r.w, &c.common
	c.row[0] = c.level - r.depth
	r.p.Space.Row(c.row, w.row)
	s.lanes, s.full, s.steps, s.points = s.lanes[:0], false, noSteps, 0
	for l := -r.depth; l < c.count; l++ {
		e := r.edges.along(w.row, r.c0-r.margin, r.c1)
		s.lanes = append(s.lanes, e)
		for i, d := range r.unitLevel {
			w.row[i] += d
		}
		s.steps.cells(&e, r.Skew*l)
		if l < 0 {
			continue
		}
		e.lo, e.hi = max(e.in0, r.c0), min(e.in1, r.c1)
		c.span[l] = e
		r.takePart(c, &s.steps, l, &e)
		s.points += max(0, e.hi-e.lo+1)
	}
	s.full = true
}

// takePart notes the iterations of lane l, of span e, in the bounds of chain c and
// in the steps of its row.
func (r *slabs[T]) takePart(c *chain[T], s *rowSteps, l int, e *lane) {
	if e.lo > e.hi {
		c.bounds[r.Seat(l)], c.bounds[r.Count+r.Seat(l)] = none, -none
		s.full1 = -1 << 62
		return
	}
	at := r.Skew * l
	c.bounds[r.Seat(l)], c.bounds[r.Count+r.Seat(l)] = T(e.lo+at), T(e.hi+at)
	s.full0, s.full1 = max(s.full0, e.lo+at), min(s.full1, e.hi+at)
}

// spansOf finds the spans of chain c's row: c.span, c.bounds and its steps. own is
// false for a row of the margin, which has no iterations.
func (r *slabs[T]) spansOf(c *chain[T], own bool) {
	if !r.spans.alike {
		r.spansOfAny(c, own)
		return
	}
	inside := own
	for k := range r.spans.outer {
		e := &r.spans.outer[k]
		v := e.c + e.a[0]*c.level
		for x := 1; x < len(e.a); x++ {
			v += e.a[x] * c.row[x]
		}
		r.spans.unit[k] = v
		low, high := v-r.depth*e.a[0], v+(c.count-1)*e.a[0]
		if max(low, high)+e.reach < 0 {
			c.rowSteps.skip = true
			return
		}
		inside = inside && low >= 0 && high >= 0
	}
	s := &c.common
	if inside && s.full {
		c.rowSteps = s.steps
		r.points += s.points
		return
	}
	s.full = inside
	for k := range r.spans.unit {
		r.spans.unit[k] -= r.depth * r.spans.outer[k].a[0]
	}
	c.rowSteps = noSteps
	for l := -r.depth; l < c.count; l++ {
		e := s.lanes[l+r.depth]
		in := true
		for k, v := range r.spans.unit {
			outer := &r.spans.outer[k]
			if v < 0 {
				in = false
				if v+outer.reach < 0 {
					e = lane{lo: 1, in0: 1, e0: 1}
				}
			}
			r.spans.unit[k] = v + outer.a[0]
		}
		if !in {
			e.in0, e.in1 = 1, 0
		}
		r.laneOf(c, l, &e, own)
	}
}

// spansOfAny is spansOf for rows that differ.
func (r *slabs[T]) spansOfAny(c *chain[T], own bool) {
	w := r.w
	c.row[0] = c.level - r.depth
	r.p.Space.Row(c.row, w.row)
	c.rowSteps = noSteps
	for l := -r.depth; l < c.count; l++ {
		e := r.edges.span(w.row, r.c0-r.margin, r.c1)
		r.laneOf(c, l, &e, own)
		for i, d := range r.unitLevel {
			w.row[i] += d
		}
	}
}

// laneOf notes the span of a lane, or of what is moved into the lowest lanes.
func (r *slabs[T]) laneOf(c *chain[T], l int, e *lane, own bool) {
	c.rowSteps.cells(e, r.Skew*l)
	if l < 0 {
		return
	}
	if own {
		e.lo, e.hi = max(e.in0, r.c0), min(e.in1, r.c1)
		r.points += max(0, e.hi-e.lo+1)
	} else {
		e.lo, e.hi = 1, 0
	}
	c.span[l] = *e
	r.takePart(c, &c.rowSteps, l, e)
}
