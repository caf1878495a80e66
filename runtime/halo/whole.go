package halo

import (
	"slices"

	"loopc/transform/plan"
)

// Where levels are kept whole (see plan.KeepsWhole), a tile has no ghost cells: it
// reads what its neighbors have written where they wrote it. What is left to fill are
// locations outside the iteration space, each by the tile that owns it, for the
// iterations of all tiles.

// A wholeLevels runs the tiles of a worker.
type wholeLevels struct {
	w      *Worker
	lo, hi []int      // the locations of a level that the tile owns
	at, to []int      // its iterations of the level
	boxes  []levelBox // of levels that are at hand, by level modulo their number
	filled []fillBox  // of the level
	spare  []fillBox  // scratch
	drift  []int      // see plan.Drift
	steady bool       // see isSteady
	near   levelBox   // what levels of a tile concern, see concerns
}

// A levelBox is a box that holds the iterations of a level, of all tiles.
type levelBox struct {
	level  int
	known  bool
	some   bool // there are any
	exact  bool // all of the box are
	lo, hi []int
}

// A fillBox is a box of locations of a value, of one level.
type fillBox struct {
	v      int
	lo, hi []int
}

func newWholeLevels(w *Worker) *wholeLevels {
	n := len(w.plan.Side)
	// The tiles of a band of levels follow one another: its boxes are found once.
	levels := min(w.plan.Side[0], mostBoxes) + 4*w.plan.Margin[0] + 4
	r := &wholeLevels{w: w, boxes: make([]levelBox, levels), drift: w.plan.Drift()}
	r.near.lo, r.near.hi = make([]int, n), make([]int, n)
	r.steady = isSteady(w.plan, r.drift)
	for _, s := range []*[]int{&r.lo, &r.hi, &r.at, &r.to} {
		*s = make([]int, n)
	}
	for k := range r.boxes {
		r.boxes[k].lo, r.boxes[k].hi = make([]int, n), make([]int, n)
	}
	return r
}

// tile computes tile k of column c, whose box is in first and last of the worker, and
// returns the number of iterations.
func (r *wholeLevels) tile(c *Column, k int) int {
	w, p := r.w, r.w.plan
	w.kernel.Bind(c.block)
	for x := range r.lo {
		r.lo[x], r.hi[x] = w.first[x], w.last[x]
		if r.lo[x] == p.Lo[x] {
			r.lo[x] -= p.Margin[x]
		}
	}
	some := p.PointsBox(c.at, k, w.lo, w.hi)
	needs := p.Nest.NeedsFill()
	if !some && !(needs && r.concerns()) {
		return 0
	}
	points := 0
	for level := r.lo[0]; level <= r.hi[0]; level++ {
		own := some && level >= w.lo[0] && level <= w.hi[0]
		if own || needs {
			points += r.level(c, level, own, needs)
		}
		if own {
			c.store(level)
		}
	}
	return points
}

// mostBoxes is how many boxes of levels are kept at hand at most.
const mostBoxes = 1 << 10

// concerns reports whether levels of the tile, without iterations, may have locations
// that iterations read: those of its levels and of the next ones lie, with what they
// read, in a box that is the same for all tiles of these levels.
func (r *wholeLevels) concerns() bool {
	p, near := r.w.plan, &r.near
	if !near.known || near.level != r.lo[0] {
		near.level, near.known, near.some = r.lo[0], true, false
		for level := r.lo[0]; level <= r.hi[0]+p.Margin[0]; level++ {
			b := r.box(level)
			for x := 1; b.some && x < len(near.lo); x++ {
				lo, hi := b.lo[x]-p.Margin[x], b.hi[x]
				if near.some {
					lo, hi = min(lo, near.lo[x]), max(hi, near.hi[x])
				}
				near.lo[x], near.hi[x] = lo, hi
			}
			near.some = near.some || b.some
		}
	}
	some := near.some
	for x := 1; x < len(near.lo); x++ {
		some = some && r.lo[x] <= near.hi[x] && near.lo[x] <= r.hi[x]
	}
	return some
}

// level fills what the tile owns of a level outside the space, if it needs that, and
// computes its iterations, if it has any. It returns their number.
func (r *wholeLevels) level(c *Column, level int, own, needs bool) int {
	w, p := r.w, r.w.plan
	copy(r.at, w.first)
	copy(r.to, w.last)
	r.at[0], r.to[0] = level, level
	own = own && p.Space.Shrink(r.at, r.to)
	if !own && needs && r.fillBelow(c, level) {
		return 0
	}
	if own && !p.Space.BoxInside(r.at, r.to) || needs && !r.fill(c, level) {
		return r.rows(c, level, own)
	}
	if !own {
		return 0
	}
	return r.strips(c, level)
}

// stripBytes is what strips should take of the first cache: less in tests, whose levels
// are small.
var stripBytes = 40 << 10

// strips computes the iterations of a level, in strips along the dimension before the
// rows if there is another one between: so narrow that what a strip reads at one place
// along that dimension stays in the first cache until it reads it at the next. Any order
// of strips that goes up is right, for no flow distance leads back. It returns the
// number of iterations.
func (r *wholeLevels) strips(c *Column, level int) int {
	y := len(r.at) - 2
	if y < 2 {
		return r.compute(c, level)
	}
	p := r.w.plan
	row := 0 // bytes of the rows of all values at one place of y, those that are read and that which is written
	for v := range p.Nest.Values {
		row += p.Nest.Arrays[p.Nest.Values[v].Array].Size
	}
	row *= (r.to[y+1] - r.at[y+1] + 1 + p.Margin[y+1]) * (p.Margin[y-1] + 2)
	from, to := r.at[y], r.to[y]
	rows := to - from + 1
	side := plan.CeilDiv(rows, plan.CeilDiv(rows, max(1, stripBytes/row)))
	points := 0
	for at := from; at <= to; at += side {
		r.at[y], r.to[y] = at, min(to, at+side-1)
		points += r.compute(c, level)
	}
	return points
}

// compute computes the iterations at..to of a level. Where rows do not begin at a cache
// line, as those of a tile that follows another along the row, the columns before the
// first line go first: vectors that each lie in two lines took 1.2 times as long.
func (r *wholeLevels) compute(c *Column, level int) int {
	last := len(r.at) - 1
	head := c.block.beforeLine(r.at)
	if head == 0 || r.to[last]-r.at[last]+1 < headLeast*head {
		return c.compute(level, r.at, r.to)
	}
	from, to := r.at[last], r.to[last]
	r.to[last] = from + head - 1
	points := c.compute(level, r.at, r.to)
	r.at[last], r.to[last] = from+head, to
	points += c.compute(level, r.at, r.to)
	r.at[last] = from
	return points
}

// headLeast is how many times as long as its part before the first cache line a row
// is, at least, that is computed in two.
const headLeast = 2

// box returns the box of a level.
func (r *wholeLevels) box(level int) *levelBox {
	p := r.w.plan
	b := &r.boxes[(level-p.Lo[0]+len(r.boxes)*2)%len(r.boxes)]
	if !b.known || b.level != level {
		b.level, b.known = level, true
		b.some = p.LevelBox(level, b.lo, b.hi)
		b.exact = !b.some || p.Space.BoxInside(b.lo, b.hi)
	}
	return b
}

// fill gives the locations of a level that the tile owns, that lie outside the space
// and that iterations read, what their cells contain, and reports true; or does nothing
// and reports false if levels are not boxes, or this one has no iterations: then it
// is easier row by row.
func (r *wholeLevels) fill(c *Column, level int) bool {
	p := r.w.plan
	here := r.box(level)
	if !here.some || !here.exact {
		return false
	}
	inside := true
	for x := 1; x < len(r.lo); x++ {
		inside = inside && r.lo[x] >= here.lo[x] && r.hi[x] <= here.hi[x]
	}
	if inside || r.filledBefore(level) {
		return true
	}
	r.spare = append(r.spare, r.filled...)
	r.filled = r.filled[:0]
	for v := range p.Nest.Values {
		for _, d := range p.Nest.Values[v].Need {
			if !r.box(level + d[0]).exact {
				return false
			}
		}
	}
	for v := range p.Nest.Values {
		for _, d := range p.Nest.Values[v].Need {
			if readers := r.box(level + d[0]); readers.some {
				r.outside(v, d, readers, here)
			}
		}
	}
	for _, f := range r.filled {
		r.fillBox(c, f, level)
	}
	return true
}

// fillBelow is fill for a level without iterations, which other levels read: row by row,
// the span of what they do. It reports false if they are not boxes.
func (r *wholeLevels) fillBelow(c *Column, level int) bool {
	p := r.w.plan
	if r.box(level).some {
		return false
	}
	last := len(r.lo) - 1
	for v := range p.Nest.Values {
		all := r.newBox(v) // what is read
		some := false
		for _, d := range p.Nest.Values[v].Need {
			b := r.box(level + d[0])
			if !b.exact {
				return false
			}
			for x := 1; b.some && x <= last; x++ {
				lo, hi := max(r.lo[x], b.lo[x]-d[x]), min(r.hi[x], b.hi[x]-d[x])
				if some {
					lo, hi = min(lo, all.lo[x]), max(hi, all.hi[x])
				}
				all.lo[x], all.hi[x] = lo, hi
			}
			some = some || b.some
		}
		for x := 1; x <= last; x++ {
			some = some && all.lo[x] <= all.hi[x]
		}
		if some {
			r.fillRows(c, all, level)
		}
		r.spare = append(r.spare, all)
	}
	return true
}

// fillRows gives the locations of all, of a level without iterations, what their cells
// contain, as far as iterations read them.
func (r *wholeLevels) fillRows(c *Column, all fillBox, level int) {
	w, last := r.w, len(r.lo)-1
	q := w.q
	copy(q, all.lo)
	q[0] = level
	for {
		lo, hi := all.hi[last]+1, all.lo[last]-1
	need:
		for _, d := range w.plan.Nest.Values[all.v].Need {
			b := r.box(level + d[0])
			if !b.some {
				continue
			}
			for x := 1; x < last; x++ {
				if at := q[x] + d[x]; at < b.lo[x] || at > b.hi[x] {
					continue need
				}
			}
			lo, hi = min(lo, b.lo[last]-d[last]), max(hi, b.hi[last]-d[last])
		}
		w.initial(all.v, c.block, q, max(lo, r.lo[last]), min(hi, r.hi[last]))
		if !nextRow(q, all.lo, all.hi) {
			return
		}
	}
}

// filledBefore reports whether all that a level of boxes needs outside the space has its
// content already: the same cells, in the same place, with a content that does not
// depend on the level, were filled when the level was whose place it takes.
func (r *wholeLevels) filledBefore(level int) bool {
	p := r.w.plan
	before := level - r.drift[0]
	if !r.steady || before < p.Lo[0] || !r.shifted(before, level) {
		return false
	}
	for v := range p.Nest.Values {
		for _, d := range p.Nest.Values[v].Need {
			if r.box(level+d[0]).some && !r.shifted(before+d[0], level+d[0]) {
				return false
			}
		}
	}
	return true
}

// shifted reports whether the box of level b, which is the drift above a, is that of a
// moved by the drift, and both are exact.
func (r *wholeLevels) shifted(a, b int) bool {
	s, t := r.box(a), r.box(b)
	same := s.some && t.some && s.exact && t.exact
	for x := 1; x < len(s.lo); x++ {
		same = same && s.lo[x]+r.drift[x] == t.lo[x] && s.hi[x]+r.drift[x] == t.hi[x]
	}
	return same
}

// isSteady reports whether the initial content of the cells of all values is the same at
// locations that are a drift apart.
func isSteady(p *plan.Plan, drift []int) bool {
	for v := range p.Nest.Values {
		val := &p.Nest.Values[v]
		arr := &p.Nest.Arrays[val.Array]
		for m := range val.Cell {
			moved := val.Cell[m].Eval(p.Params, drift) - val.Cell[m].Eval(p.Params, nil)
			if moved != 0 && (arr.Initial != plan.Computed || !slices.Contains(arr.InitIgnores, m)) {
				return false
			}
		}
	}
	return true
}

// outside notes the locations of value v that the tile owns, that lie outside the
// box here of iterations, and that readers read at distance d.
func (r *wholeLevels) outside(v int, d []int, readers, here *levelBox) {
	f := r.newBox(v)
	empty := false
	for x := 1; x < len(d); x++ {
		f.lo[x], f.hi[x] = max(r.lo[x], readers.lo[x]-d[x]), min(r.hi[x], readers.hi[x]-d[x])
		empty = empty || f.lo[x] > f.hi[x]
	}
	// What lies below the iterations along a dimension, and above them; then the rest.
	for x := 1; x < len(d) && !empty; x++ {
		if below := here.lo[x] - 1; f.lo[x] <= below {
			r.note(f, x, f.lo[x], min(below, f.hi[x]))
			f.lo[x] = below + 1
		}
		if above := here.hi[x] + 1; f.hi[x] >= above {
			r.note(f, x, max(above, f.lo[x]), f.hi[x])
			f.hi[x] = above - 1
		}
		empty = f.lo[x] > f.hi[x]
	}
	r.spare = append(r.spare, f)
}

// note notes the part lo..hi of f along dimension x, unless it is noted already.
func (r *wholeLevels) note(f fillBox, x, lo, hi int) {
	if lo > hi {
		return
	}
	g := r.newBox(f.v)
	copy(g.lo, f.lo)
	copy(g.hi, f.hi)
	g.lo[x], g.hi[x] = lo, hi
	for _, o := range r.filled {
		known := o.v == g.v
		for x := 1; known && x < len(g.lo); x++ {
			known = o.lo[x] <= g.lo[x] && g.hi[x] <= o.hi[x]
		}
		if known {
			r.spare = append(r.spare, g)
			return
		}
	}
	r.filled = append(r.filled, g)
}

func (r *wholeLevels) newBox(v int) fillBox {
	if n := len(r.spare); n > 0 {
		f := r.spare[n-1]
		r.spare = r.spare[:n-1]
		f.v = v
		return f
	}
	n := len(r.lo)
	return fillBox{v, make([]int, n), make([]int, n)}
}

// lineLeast is how many cells of a row are worth a line of their own, where lines
// along another dimension are longer.
const lineLeast = 16

// fillBox gives the locations of f of a level what their cells contain.
func (r *wholeLevels) fillBox(c *Column, f fillBox, level int) {
	w := r.w
	b := c.block
	n := len(f.lo)
	x := n - 1 // lines run along it
	for y := n - 2; y >= 1 && f.hi[n-1]-f.lo[n-1]+1 < lineLeast; y-- {
		if f.hi[y]-f.lo[y] > f.hi[x]-f.lo[x] {
			x = y
		}
	}
	q := w.q
	copy(q, f.lo)
	q[0] = level
	base := b.Row0(f.v, level)
	for {
		at := base
		for y := 1; y < n; y++ {
			if y != x {
				at += q[y] * b.stride[y]
			}
		}
		w.initialAlong(f.v, q, x, f.lo[x], f.hi[x], b.Data[f.v], at, b.stride[x])
		y := n - 1
		for ; y >= 1; y-- {
			if y == x {
				continue
			}
			if q[y]++; q[y] <= f.hi[y] {
				break
			}
			q[y] = f.lo[y]
		}
		if y < 1 {
			return
		}
	}
}

// rows is level row by row.
func (r *wholeLevels) rows(c *Column, level int, own bool) int {
	w, p := r.w, r.w.plan
	last := len(r.lo) - 1
	needs := p.Nest.NeedsFill()
	q := w.q
	points := 0
	q[0] = level
	copy(q[1:], r.lo[1:])
	for {
		mine := own
		for x := 1; x < last; x++ {
			mine = mine && q[x] >= w.first[x]
		}
		p.Space.Row(q, w.row)
		a, b := p.Space.RowSpan(w.row, nil, r.lo[last], r.hi[last])
		if needs && (a != r.lo[last] || b != r.hi[last]) {
			c.need(q, r.lo[last], r.hi[last])
			c.fill(q, a, b, true)
			c.fill(q, a, b, false)
		}
		if from := max(a, w.first[last]); mine && from <= b {
			points += c.batch(q, from, b)
		}
		if !nextRow(q, r.lo, r.hi) {
			c.flush()
			return points
		}
	}
}
