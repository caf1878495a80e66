package halo

import (
	"slices"

	"loopc/runtime/array"
	"loopc/runtime/kernel"
	"loopc/transform/plan"
	"loopc/transform/plan/walk"
)

// A filler gives exterior cells, which lie outside the iteration space, what the cells of
// the array contain there. It alone writes such cells of a block, row by row; a levelEdge
// has it fill whole boxes.
type filler struct {
	*tile
	readers   [][]readers // per value
	when      [][][]form  // per value and fallback: where it counts
	fallbacks bool        // some value has any
	late      *lateRefill // nil: no fallback is computed after its location

	readFrom, readTo []int // bounds of the iterations that a tile fills locations for
	needLo, needHi   []int // per value: what need has found

	values  []int // scratch: of the inequalities on a row
	r, cell []int // scratch: a location, and a cell of an array
}

func newFiller(t *tile) *filler {
	p := t.plan
	values := len(p.Nest.Values)
	f := &filler{tile: t, readFrom: t.first, readTo: t.last, needLo: make([]int, values), needHi: make([]int, values),
		values: make([]int, p.Space.Inequalities()), r: make([]int, len(p.Side)), cell: make([]int, t.arrays.rank)}
	for v := range p.Nest.Values {
		val := &p.Nest.Values[v]
		f.readers = append(f.readers, readersOf(p, val.Need))
		f.fallbacks = f.fallbacks || len(val.Fallbacks) > 0
		var when [][]form
		for _, s := range val.Fallbacks {
			when = append(when, formsOf(p, s.When))
		}
		f.when = append(f.when, when)
	}
	f.late = newLateRefill(f)
	return f
}

// span returns the iterations of row q within lo..hi, and notes the row for needed.
func (f *filler) span(q []int, lo, hi int) (a, b int) {
	f.plan.Space.Row(q, f.values)
	f.counts.Add(walk.Op{Kind: walk.Look, Level: q[0], Rows: 1})
	return f.plan.Space.RowSpan(f.values, nil, lo, hi)
}

// need finds out which locations of row q, whose span was asked for last, iterations of this
// tile read, for every value: the least span that holds those that may have to be filled.
func (f *filler) need(q []int, ghostLo, ghostHi int) {
	for v := range f.needLo {
		lo, hi := f.needed(v, q)
		f.needLo[v], f.needHi[v] = max(lo, ghostLo), min(hi, ghostHi)
	}
}

// fill gives the locations of row q that are needed and lie outside the
// iteration space what the array's cells contain there: left of the row's
// iterations a..b, or right of them. If there are none, a > b, everything
// counts as left.
//
// The two sides are filled before and after the row is computed, because a cell
// right of it may last have been written by an iteration of this very row.
func (f *filler) fill(block *kernel.Block, q []int, a, b int, left bool) {
	if a > b && !left {
		return
	}
	for v, lo := range f.needLo {
		hi := f.needHi[v]
		switch {
		case a > b:
		case left:
			hi = min(hi, a-1)
		default:
			lo = max(lo, b+1)
		}
		if lo <= hi {
			f.counts.Add(walk.Op{Kind: walk.Fill, Level: q[0], Rows: 1, Cells: hi - lo + 1})
			f.content(v, block, q, lo, hi, 0)
		}
	}
}

// needed returns the least span of row q, whose span was asked for last, that holds every
// location of value v that iterations of this tile read and that may have to be filled.
// Along dimension 0 as mapping dimension, live levels stay for the tiles to come, so their
// iterations count too; in skewed storage, those of all tiles do.
func (f *filler) needed(v int, q []int) (lo, hi int) {
	p, last := f.plan, len(q)-1
	lo, hi = 1, 0
need:
	for i := range f.readers[v] {
		r := &f.readers[v][i]
		for x := 0; x < last; x++ {
			at, top := q[x]+r.outer[x], f.readTo[x]
			if x == 0 && p.Map == 0 {
				top = p.Hi[0]
			}
			if at < f.readFrom[x] || at > top {
				continue need
			}
		}
		a, b := p.Space.RowSpan(f.values, r.slopes, f.readFrom[last], f.readTo[last])
		if a > b {
			continue
		}
		a, b = a-r.most, b-r.least
		if lo > hi {
			lo, hi = a, b
		} else {
			lo, hi = min(lo, a), max(hi, b)
		}
	}
	return lo, hi
}

// readers are the distances of Need that lead to one row: those that differ in
// the last component only, which lies between least and most.
type readers struct {
	outer       []int
	slopes      []int // see plan.Space.Slopes
	least, most int
}

// readersOf groups the distances of a value's Need, which are in lexicographic
// order.
func readersOf(p *plan.Plan, need [][]int) []readers {
	var out []readers
	last := len(p.Side) - 1
	for _, d := range need {
		if n := len(out); n > 0 && slices.Equal(out[n-1].outer, d[:last]) {
			out[n-1].most = d[last]
			continue
		}
		r := readers{outer: d[:last], slopes: make([]int, p.Space.Inequalities()), least: d[last], most: d[last]}
		p.Space.Slopes(d, r.slopes)
		out = append(out, r)
	}
	return out
}

// content writes what cells contain at locations lo..hi of row q, which lie
// outside the iteration space: the result of the first fallback from k on that
// is an iteration, else the initial content.
func (f *filler) content(v int, b *kernel.Block, q []int, lo, hi, k int) {
	if lo > hi {
		return
	}
	p := f.plan
	val := &p.Nest.Values[v]
	if k == len(val.Fallbacks) {
		f.initial(v, b, q, lo, hi)
		return
	}
	last := len(q) - 1
	src := val.Fallbacks[k]
	r := f.r
	held := true
	for x := 0; x < last; x++ {
		r[x] = q[x] - src.Dist[x]
		if x > 0 && (r[x] < b.Origin[x] || r[x] > f.last[x]) {
			held = false // nobody reads this: see needed, whose span is a hull
		}
	}
	d := src.Dist[last]
	from, to := p.Space.Span(r, lo-d, hi-d)
	for i := range f.when[v][k] {
		at, c := f.when[v][k][i].along(q) // ≥ 0 at location x: at + c·x
		from, to = atLeast(at+c*d, c, from, to)
	}
	if from > to {
		f.content(v, b, q, lo, hi, k+1)
		return
	}
	if at, end := max(from, b.Origin[last]), min(to, f.last[last]); held && at <= end {
		r[last] = at
		size := p.Nest.Arrays[val.Array].Size
		source := b.Position(src.Value, r)
		r[last] = at + d
		copy(r, q[:last])
		array.Copy(b.Data[v], b.Position(v, r), 1, b.Data[src.Value], source, 1, end-at+1, size)
	}
	f.content(v, b, q, lo, from+d-1, k+1)
	f.content(v, b, q, to+d+1, hi, k+1)
}
