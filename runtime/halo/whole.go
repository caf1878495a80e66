package halo

import (
	"loopc/runtime/kernel"
	"loopc/transform/plan"
)

// Where levels are kept whole (see plan.KeepsWhole), a tile has no ghost cells: it
// reads what its neighbors have written where they wrote it. What is left to fill are
// locations outside the iteration space, each by the tile that owns it, for the
// iterations of all tiles.

// A wholeLevels runs the tiles of a worker.
type wholeLevels struct {
	*levelEdge
	at, to []int              // the tile's iterations of the level
	ahead  *kernel.Prefetcher // of the kernel; nil: it has none
}

func newWholeLevels(w *Worker) *wholeLevels {
	n := len(w.plan.Side)
	r := &wholeLevels{levelEdge: newLevelEdge(w), at: make([]int, n), to: make([]int, n)}
	if w.kernel.Prefetch != nil && n == 4 && w.plan.Map > 0 && w.plan.Map < n-1 && w.plan.Side[1] < plan.FewPlanes {
		r.ahead = new(kernel.Prefetcher)
		w.kernel.Prefetch(r.ahead)
	}
	if w.kernel.Begin != nil && w.kernel.Begin(w.plan.Lo[0]) {
		r.edge.Begins()
	}
	return r
}

// tile computes tile k of column c, whose box is in first and last of the worker, and
// returns the number of iterations.
func (r *wholeLevels) tile(c *Column, k int) int {
	w, p := r.w, r.w.plan
	w.kernel.Bind(c.block)
	r.edge.Tile(w.first, w.last)
	some := p.PointsBox(c.at, k, w.lo, w.hi)
	needs := p.Nest.NeedsFill()
	if !some && !(needs && r.edge.Concerns()) {
		return 0
	}
	points := 0
	if r.ahead != nil {
		r.prefetch(c)
	}
	for level := r.edge.Lo[0]; level <= r.edge.Hi[0]; level++ {
		own := some && level >= w.lo[0] && level <= w.hi[0]
		if own || needs {
			points += r.level(c, level, own, needs)
		}
		if own {
			w.back.store(c.block, level)
		}
	}
	return points
}

// level fills what the tile owns of a level outside the space, if it needs that, and
// computes its iterations, if it has any. It returns their number.
func (r *wholeLevels) level(c *Column, level int, own, needs bool) int {
	w, p := r.w, r.w.plan
	copy(r.at, w.first)
	copy(r.to, w.last)
	r.at[0], r.to[0] = level, level
	if own {
		some, box := r.edge.Own(level, r.at, r.to)
		if !box {
			if p.Compressed() {
				panic("BUG: a compressed level is not a box")
			}
			if some = p.Space.Shrink(r.at, r.to); some && !p.Space.BoxInside(r.at, r.to) {
				return r.rows(c, level, true)
			}
		}
		own = some
	}
	if p.Compressed() { // what is filled takes the place of what iterations of the level read
		points := 0
		if own {
			points = r.strips(c, level)
		}
		if needs {
			r.fill(c, level)
		}
		return points
	}
	if needs && !r.inside(level) && !r.fill(c, level) {
		return r.rows(c, level, own)
	}
	if !own {
		return 0
	}
	return r.strips(c, level)
}

// inside reports whether all that the tile owns of a level are iterations.
func (r *wholeLevels) inside(level int) bool {
	lo, hi := r.w.q, r.w.r
	copy(lo, r.edge.Lo)
	copy(hi, r.edge.Hi)
	lo[0], hi[0] = level, level
	return r.w.plan.Space.BoxInside(lo, hi)
}

// What strips should take of the first cache, those along the dimension before the rows and
// those along the rows: less in tests, whose levels are small [note kernel-constants].
var (
	stripBytes = 40 << 10
	rowBytes   = 24 << 10
	layerBytes = plan.LayerBytes // rows of planes that are computed together
)

// strips computes the iterations of a level, in strips along the dimension before the
// rows if there is another one between, and else along the rows if what the kernel does
// with them is mostly to move them: so narrow that what a strip reads at one place along
// the dimension before that stays in the first cache until it reads it at the next. Any
// order of strips that goes up is right, for no flow distance leads back. It returns the
// number of iterations.
func (r *wholeLevels) strips(c *Column, level int) int {
	last := len(r.at) - 1
	if r.w.kernel.Prefetch != nil && r.to[last-2]-r.at[last-2] < plan.FewPlanes {
		return r.layers(c, level)
	}
	y, most, unit := last-1, stripBytes, 1 // strips are cut at multiples of unit
	if y < 2 {
		if !r.w.kernel.Copies || last < 2 || r.at[1] == r.to[1] {
			return r.compute(c, level)
		}
		y, most, unit = last, rowBytes, c.block.LineCells
	}
	p := r.w.plan
	place := 0 // bytes of one place of y, of all values: of levels, not of given arrays
	for v := range p.Nest.Values {
		place += p.Nest.Arrays[p.Nest.Values[v].Array].Size
	}
	place *= p.Margin[y-1] + 2
	if y < last {
		place *= r.to[last] - r.at[last] + 1 + p.Margin[last]
	}
	from, to := r.at[y], r.to[y]
	count := plan.CeilDiv(to-from+1, max(1, most/place))
	side := plan.CeilDiv(plan.CeilDiv(to-from+1, count), unit) * unit
	points := 0
	for at := from; at <= to; at = r.to[y] + 1 {
		r.at[y], r.to[y] = at, min(to, at+side-1)
		if y == last && at == from {
			r.to[y] = min(to, r.to[y]+beforeLine(c.block, r.at))
		}
		points += r.compute(c, level)
	}
	return points
}

// layers computes the iterations of a level that has few planes, some planes at a time: so
// many that what rows at one place read of them and of what lies before and behind stays in
// the first cache until those at the next place have read it. It returns the number of
// iterations.
func (r *wholeLevels) layers(c *Column, level int) int {
	p, last := r.w.plan, len(r.at)-1
	y := last - 2
	row := 0 // bytes of a row of all values
	for v := range p.Nest.Values {
		row += p.Nest.Arrays[p.Nest.Values[v].Array].Size
	}
	row *= r.to[last] - r.at[last] + 1 + p.Margin[last]
	most := p.Layers(layerBytes, row)
	from, to := r.at[y], r.to[y]
	side := plan.CeilDiv(to-from+1, plan.CeilDiv(to-from+1, most))
	points := 0
	for r.at[y] = from; r.at[y] <= to; r.at[y] = r.to[y] + 1 {
		r.to[y] = min(to, r.at[y]+side-1)
		points += r.compute(c, level)
	}
	return points
}

// compute computes the iterations at..to of a level. Where rows do not begin at a cache
// line, as those of a tile that follows another along the row, the columns before the
// first line go first: vectors that each lie in two lines take longer [note kernel-constants].
func (r *wholeLevels) compute(c *Column, level int) int {
	last := len(r.at) - 1
	head := beforeLine(c.block, r.at)
	if head == 0 || r.w.plan.Compressed() || // rows read what is replaced farther along in those before
		r.to[last]-r.at[last]+1 < headLeast*head {
		return r.w.rows.box(level, r.at, r.to)
	}
	from, to := r.at[last], r.to[last]
	r.to[last] = from + head - 1
	points := r.w.rows.box(level, r.at, r.to)
	r.at[last], r.to[last] = from+head, to
	points += r.w.rows.box(level, r.at, r.to)
	r.at[last] = from
	return points
}

// headLeast is how many times as long as its part before the first cache line a row
// is, at least, that is computed in two.
const headLeast = 2

// rows is level row by row.
func (r *wholeLevels) rows(c *Column, level int, own bool) int {
	w, p, lo, hi := r.w, r.w.plan, r.edge.Lo, r.edge.Hi
	last := len(r.at) - 1
	needs := p.Nest.NeedsFill()
	q := w.q
	points := 0
	q[0] = level
	copy(q[1:], lo[1:])
	for {
		mine := own
		for x := 1; x < last; x++ {
			mine = mine && q[x] >= w.first[x]
		}
		a, b := w.fill.span(q, lo[last], hi[last])
		if needs && (a != lo[last] || b != hi[last]) {
			w.fill.need(q, lo[last], hi[last])
			w.fill.fill(c.block, q, a, b, true)
			w.fill.fill(c.block, q, a, b, false)
		}
		if from := max(a, w.first[last]); mine && from <= b {
			points += w.rows.add(q, from, b)
		}
		if !nextRow(q, lo, hi) {
			w.rows.flush()
			return points
		}
	}
}
