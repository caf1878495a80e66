package cost

import (
	"loopc/transform/plan"
	"loopc/transform/plan/walk"
)

// A slabCounter counts the work of the levels of a tile for a kernel whose lanes are levels. It
// visits some of the turns that package halo takes through its slabs.
//
// A slab has as many levels as a vector has lanes. A stream computes one row of a slab in a turn, ghost rows included. The streams are
// either in successive slabs, each a row behind the stream before it, or in successive rows of one slab (walk.Streams). In a turn in
// which every stream has a row, the kernel computes all of these rows in one loop.
//
// At step v, lane l is in column v − s·l. So a row has steps in which some lanes idle; the kernel computes these steps with masks. If
// the row of one stream is a ghost row, the kernel computes all steps of the turn with masks.
type slabCounter struct {
	p                  *plan.Plan
	streamCount, lanes int  // interleaved row streams; lanes of a vector
	depth              int  // levels below a slab that enter its lowest lanes
	suits              bool // tiles suit slabs
	streams            walk.Streams
	edges              walk.Edges
	rise               []int       // of the inequalities, from a level to the next
	bounds             []walk.Span // scratch, like row and q
	row, q             []int
	first, last        []int // box of the tile
	inside             bool  // the tile's reach has only iterations
	lo, hi             int   // levels that slabs compute
	rows, slabs        int   // rows of a slab, ghost rows included
	turns, groups      []sampleOf
	active             []slabRow // the rows of the turn, one for each stream
	few                bool      // tiles are examined roughly
	rough              bool      // fewer rows were examined because of few
	summed             bool      // rows stood for others in the last tile
	looked             int       // effort for the rows that were examined, in spans of rows
}

// A slabRow is the row of a stream in a turn.
type slabRow struct {
	skip         bool // it has neither iterations nor cells that are read
	first, end   int  // the steps from first on and before end
	full0, full1 int  // the steps full0..full1, in which every lane has an iteration
	points       float64
	cut          int // levels in which the row has cells that are no iterations
	exterior     int // such cells that are filled
}

// later returns the row with all of its steps later by the given number.
func (r slabRow) later(steps int) slabRow {
	r.first, r.end, r.full0 = r.first+steps, r.end+steps, r.full0+steps
	if r.full1 > -1<<61 {
		r.full1 += steps
	}
	return r
}

// newSlabCounter prepares to count for a kernel with such lanes.
func newSlabCounter(p *plan.Plan, l lanes) *slabCounter {
	n := len(p.Side)
	s := &slabCounter{p: p, lanes: l.vector, streamCount: max(1, l.all/l.vector), depth: p.HaloWidth[0]}
	s.suits, s.streams = walk.Slabs(p, s.lanes), walk.StreamsOf(p, s.streamCount, s.lanes, true)
	s.q, s.row = make([]int, n), make([]int, len(p.Space.Ineq))
	s.edges, s.rise, s.bounds = walk.NewEdges(p), make([]int, len(p.Space.Ineq)), make([]walk.Span, s.depth+s.lanes)
	s.q[0] = 1
	p.Space.Slopes(s.q, s.rise)
	return s
}

// height is how many of n levels are computed in slabs, from the lowest on.
func (s *slabCounter) height(n int) int {
	if !s.suits {
		return 0
	}
	return walk.SlabLevels(s.p, s.lanes, n)
}

// In a tile at the edge of the space, middleTurns turns stand for the turns in the middle of a
// slab, and middleGroups groups of slabs for the groups in the middle.
const (
	middleTurns  = 8
	middleGroups = 3
	fewTurns     = 3 // middleTurns if tiles are examined roughly; there is one group then
)

// slabRows is about the most rows of slabs that are examined in a tile.
func slabRows(streams int) int {
	return (2 + middleGroups) * (2 + streams + middleTurns) * streams
}

// tile adds the work of levels lo..hi of the tile first..last. inside says that the tile's reach has only iterations.
func (s *slabCounter) tile(first, last []int, lo, hi int, inside bool, sum *edgeWork) {
	p := s.p
	n := len(first)
	s.first, s.last, s.lo, s.hi, s.inside = first, last, lo, hi, inside
	s.slabs = plan.CeilDiv(hi-lo+1, s.lanes)
	s.rows, s.summed = 1, false
	for x := 1; x < n-1; x++ {
		s.rows *= last[x] - first[x] + 1 + p.HaloWidth[x]
	}
	if n == 2 {
		s.columns(sum)
		return
	}
	ghosts := p.HaloWidth[1]
	for x := 2; x < n-1; x++ {
		ghosts *= last[x] - first[x] + 1 + p.HaloWidth[x]
	}
	groups := plan.CeilDiv(s.slabs, s.streamCount)
	period := s.rows
	if s.streams.Shared {
		groups, period, ghosts = s.slabs, plan.CeilDiv(s.rows, s.streamCount), 1
	} else if s.rows < s.streamCount { // all streams have ended when the next slab begins
		groups, period, ghosts = 1, s.slabs-1+s.rows, s.rows
	}
	someGroups, someTurns, further := middleGroups, middleTurns, 0.0 // of the middle that are examined
	switch {
	case inside: // turns are alike, and so are groups
		someGroups, someTurns = 1, 1
	case s.few:
		someGroups, someTurns = 1, fewTurns
		s.rough = s.rough || groups > 3 || period > 2+s.streamCount+fewTurns
	case n > 3: // rows have two coordinates: successive ones are not alike
		someTurns *= 2
	}
	if n > 3 {
		further = goldenRatio
	}
	s.groups = s.sampled(s.groups[:0], groups, 1, someGroups, 0)
	for _, g := range s.groups {
		turns := period
		if s.streams.Shared {
			s.turns = s.sampled(s.turns[:0], turns, 1, someTurns, 0)
			for _, t := range s.turns {
				s.group(g.at, t.at, g.weight*t.weight, sum)
			}
			continue
		}
		if g.at == groups-1 && s.rows >= s.streamCount {
			turns += (s.slabs - 1) % s.streamCount
		}
		s.turns = s.sampled(s.turns[:0], turns, min(ghosts, 2)+s.streamCount-1, someTurns, further)
		for _, t := range s.turns {
			s.turn(g.at*period+t.at, g.weight*t.weight, sum)
		}
	}
}

// sampled appends places that stand for 0..n-1. The first places (first is their number) and the last
// place stand for themselves; middle places stand for the rest. For further see spread.
func (s *slabCounter) sampled(out []sampleOf, n, first, middle int, further float64) []sampleOf {
	if n <= first+1+middle {
		for at := range n {
			out = append(out, sampleOf{at, 1})
		}
		return out
	}
	for at := range first {
		out = append(out, sampleOf{at, 1})
	}
	s.summed = true
	out = spread(out, first, n-first-1, middle, 0.5, further)
	return append(out, sampleOf{n - 1, 1})
}

// turn adds the work of turn t. If a slab has at least as many rows as there are streams, n, then stream i takes slabs
// i, i+n, i+2n and so on, and is i rows behind stream 0. Otherwise each slab is one row behind the slab below.
func (s *slabCounter) turn(t int, times float64, sum *edgeWork) {
	s.active = s.active[:0]
	if s.rows >= s.streamCount {
		for i := range s.streamCount {
			if u := t - i; u >= 0 && u/s.rows*s.streamCount+i < s.slabs {
				s.activate(u/s.rows*s.streamCount+i, u%s.rows)
			}
		}
	} else {
		for slab := max(0, t-s.rows+1); slab <= min(t, s.slabs-1); slab++ {
			s.activate(slab, t-slab)
		}
	}
	s.count(times, 0, sum)
}

// group adds the work of turn t of a slab whose rows the streams compute together.
func (s *slabCounter) group(slab, t int, times float64, sum *edgeWork) {
	s.active = s.active[:0]
	for row := t * s.streamCount; row < min(s.rows, (t+1)*s.streamCount); row++ {
		s.activate(slab, row)
	}
	s.count(times, s.streams.Lag, sum)
}

// activate adds a row of a slab to the turn, unless it has nothing to do.
func (s *slabCounter) activate(slab, row int) {
	if c := s.prepare(slab, row); !c.skip {
		s.active = append(s.active, c)
	}
}

// count adds the work of the rows of a turn, in which each stream is lag steps behind the one before it.
func (s *slabCounter) count(times float64, lag int, sum *edgeWork) {
	busy, points := len(s.active), 0.0
	all := slabRow{first: 1 << 62, end: -1 << 62, full0: -1 << 62, full1: 1 << 62}
	for i := range s.active {
		c := s.active[i].later(i * lag)
		c.addExterior(times, sum)
		points += c.points
		all.first, all.end = min(all.first, c.first), max(all.end, c.end)
		all.full0, all.full1 = max(all.full0, c.full0), min(all.full1, c.full1)
	}
	sum.runs += times * float64(busy)
	together := busy == s.streamCount && s.streamCount > 1
	if together {
		s.active = append(s.active[:0], all)
	}
	for i := range s.active {
		c := &s.active[i]
		lanes := times * float64(s.lanes)
		if together {
			lanes *= float64(s.streamCount)
		}
		steps := float64(c.end - c.first)
		full := float64(min(c.full1, c.end-1) - max(c.full0, c.first) + 1)
		if full < walk.LeastFull {
			full = 0
		}
		sum.idle += lanes * steps
		sum.masked += lanes * (steps - full)
		if !together {
			sum.lone += lanes * steps
		}
	}
	sum.idle -= times * points
}

// addExterior adds the work for the row apart from its computation.
func (c *slabRow) addExterior(times float64, sum *edgeWork) {
	sum.boxes += times
	sum.checked += times * float64(c.cut)
	sum.filled += times * float64(c.exterior)
}

// prepare returns row number of a slab: its steps, and which of its cells are no iterations.
func (s *slabCounter) prepare(slab, number int) slabRow {
	p := s.p
	last := len(s.q) - 1
	own := true
	for x := last - 1; x >= 1; x-- {
		e := s.last[x] - s.first[x] + 1 + p.HaloWidth[x]
		s.q[x] = s.first[x] - p.HaloWidth[x] + number%e
		number /= e
		own = own && s.q[x] >= s.first[x]
	}
	level := s.lo + slab*s.lanes
	count := min(s.lanes, s.hi-level+1)
	c := slabRow{skip: true, first: 1 << 62, end: -1 << 62, full0: -1 << 62, full1: 1 << 62}
	c0, c1 := s.first[last], s.last[last]
	ghost := c0 - p.HaloWidth[last]
	rows := s.bounds[:s.depth+count]
	if !s.inside {
		s.q[0] = level - s.depth
		p.Space.Row(s.q, s.row)
		s.edges.Bounds(s.row, s.rise, rows)
		s.looked += 1 + (s.depth+count)/rowsAtOnce
	}
	for k := range rows {
		in, read := walk.Span{Lo: ghost, Hi: c1}, walk.Span{Lo: ghost, Hi: c1}
		if !s.inside {
			in, read = s.edges.Lane(rows[k], ghost, c1)
			s.within(k, &in, &read)
		}
		c.addLane(k-s.depth, s.streams.Skew, own, c0, in, read)
		if k >= s.depth && (in.Lo != ghost || in.Hi != c1) {
			c.cut++
			s.q[0] = level + k - s.depth
			c.exterior += s.exteriorCells(in, read)
		}
	}
	return c
}

// exteriorCells counts the cells of row s.q that are filled: that are read, and are no iterations.
func (s *slabCounter) exteriorCells(in, read walk.Span) (cells int) {
	if in.Lo > in.Hi {
		in = walk.Span{Lo: read.Hi + 1, Hi: read.Hi}
	}
	for v := range s.edges.Cells {
		lo, hi := s.edges.Cells[v].Clip(s.q, read.Lo, read.Hi)
		cells += max(0, min(hi, in.Lo-1)-lo+1) + max(0, hi-max(lo, in.Hi+1)+1)
	}
	s.looked += len(s.edges.Cells)
	return cells
}

// rowsAtOnce is how many rows of successive levels take the time of a single row to be examined.
const rowsAtOnce = 4

// within empties in and read, the spans of the row k levels after s.row, if the inequalities that do not depend on the column exclude them.
func (s *slabCounter) within(k int, in, read *walk.Span) {
	for i := range s.edges.Outer {
		e := &s.edges.Outer[i]
		if v := s.row[e.Number] + k*s.rise[e.Number]; v < 0 {
			in.Lo, in.Hi = 1, 0
			if v+e.Reach < 0 {
				read.Lo, read.Hi = 1, 0
			}
		}
	}
}

// addLane adds lane l of a row. Span in has the columns that are iterations, span read those that iterations read. A lane l <
// 0 is a level below the slab. own is false for a ghost row, which has no iterations of the tile.
func (c *slabRow) addLane(l, skew int, own bool, c0 int, in, read walk.Span) {
	if read.Lo <= read.Hi {
		c.skip = false
		c.first, c.end = min(c.first, read.Lo+skew*l), max(c.end, read.Hi+skew*l+1)
	}
	switch lo := max(in.Lo, c0); {
	case l < 0:
	case !own || lo > in.Hi:
		c.full1 = -1 << 62
	default:
		c.full0, c.full1 = max(c.full0, lo+skew*l), min(c.full1, in.Hi+skew*l)
		c.points += float64(in.Hi - lo + 1)
	}
}

// columns does what tile does, for levels that have a single row: the streams are some columns apart.
func (s *slabCounter) columns(sum *edgeWork) {
	steps, points := 0.0, 0.0
	s.groups = s.sampled(s.groups[:0], s.slabs, 1, middleTurns, 0)
	for _, g := range s.groups {
		c := s.prepare(g.at, 0)
		if c.skip {
			continue
		}
		sum.runs += g.weight
		c.addExterior(g.weight, sum)
		steps += g.weight * float64(c.end-c.first)
		points += g.weight * c.points
		full := max(0, min(c.full1, c.end-1)-max(c.full0, c.first)+1)
		sum.masked += g.weight * float64(s.lanes*(c.end-c.first-full))
	}
	sum.idle += steps*float64(s.lanes) - points
	alone := min(steps, float64(s.streamCount*(s.streamCount-1)*s.streams.Below))
	if s.slabs < s.streamCount {
		alone = steps
	}
	sum.lone += float64(s.lanes) * alone
}
