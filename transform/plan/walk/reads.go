package walk

import (
	"slices"

	"loopc/transform/plan"
)

// reads finds the exterior cells that the iterations of a tile read, row by row.
type reads struct {
	p       *plan.Plan
	readers []rowReaders // per value
	edges   Edges        // see sortedEdges
	values  []int        // of the inequalities, in the row of the last Span
	// From and To bound the iterations for which the tile fills cells: the tile's own or, in skewed storage, all.
	From, To []int
	Asked    int // spans of rows that were computed so far: the work
}

// readers are distances of a value's Need that lead to the same row: they differ only in the last component, from least to most.
type readers struct {
	outer       []int
	slopes      []int // see plan.Space.Slopes
	least, most int
}

// rowReaders are the readers of a value. Their outer distances lie between least and most; slopes has the least slope of each inequality.
// These bounds tell, for most rows, that the rows of all readers lie in the tile and in the space, without a look at each reader.
type rowReaders struct {
	all         []readers
	least, most []int
	slopes      []int
}

func newReads(p *plan.Plan, first, last []int) reads {
	r := reads{p: p, edges: sortedEdges(p), From: first, To: last, values: make([]int, len(p.Space.Ineq))}
	if p.KeepsWhole() {
		r.From, r.To = p.Lo, p.Hi
	}
	for v := range p.Nest.Values {
		r.readers = append(r.readers, readersOf(p, p.Nest.Values[v].Need))
	}
	return r
}

// readersOf groups the distances of a value's Need.
func readersOf(p *plan.Plan, need [][]int) (out rowReaders) {
	last := len(p.Side) - 1
	for _, d := range need {
		k := slices.IndexFunc(out.all, func(r readers) bool { return slices.Equal(r.outer, d[:last]) })
		if k >= 0 {
			out.all[k].least, out.all[k].most = min(out.all[k].least, d[last]), max(out.all[k].most, d[last])
			continue
		}
		r := readers{outer: d[:last], slopes: make([]int, len(p.Space.Ineq)), least: d[last], most: d[last]}
		p.Space.Slopes(d, r.slopes)
		if out.all == nil {
			out.least, out.most, out.slopes = slices.Clone(r.outer), slices.Clone(r.outer), slices.Clone(r.slopes)
		}
		for x, c := range r.outer {
			out.least[x], out.most[x] = min(out.least[x], c), max(out.most[x], c)
		}
		for i, c := range r.slopes {
			out.slopes[i] = min(out.slopes[i], c)
		}
		out.all = append(out.all, r)
	}
	return out
}

// Values returns the values of the space's inequalities in row q. They are valid until the next row.
func (r *reads) Values(q []int) []int {
	r.p.Space.Row(q, r.values)
	return r.values
}

// Span returns the iterations of row q within lo..hi. Needed refers to this row.
func (r *reads) Span(q []int, lo, hi int) (a, b int) {
	r.Asked += 2
	return r.p.Space.RowSpan(r.Values(q), nil, lo, hi)
}

// Beside returns the iterations within lo..hi of the row that lies a vector beyond the row of the last Span. slopes are those of the
// vector: see plan.Space.Slopes.
func (r *reads) Beside(slopes []int, lo, hi int) (a, b int) {
	return r.p.Space.RowSpan(r.values, slopes, lo, hi)
}

// Needed returns the least span of row q, the row of the last Span, that contains every location of value v that iterations of the tile
// read and that may have to be filled. If dimension 0 is the mapping dimension, live levels stay in the block, so iterations of later tiles
// count, too.
func (r *reads) Needed(v int, q []int) (lo, hi int) {
	readers, last := &r.readers[v], len(q)-1
	within := readers.all == nil || r.within(q, readers.least, readers.most)
	some := readers.all == nil || !r.edges.misses(r.values, readers.slopes)
	lo, hi = 1, 0
	for i := range readers.all {
		d := &readers.all[i]
		if !within && !r.within(q, d.outer, d.outer) {
			continue
		}
		r.Asked++
		if !some && r.edges.misses(r.values, d.slopes) {
			continue
		}
		a, b := r.edges.row(r.values, d.slopes, r.From[last], r.To[last])
		if a > b {
			continue
		}
		a, b = a-d.most, b-d.least
		if lo > hi {
			lo, hi = a, b
		} else {
			lo, hi = min(lo, a), max(hi, b)
		}
	}
	return lo, hi
}

// within reports whether the rows at the distances least..most from row q lie in the box for whose iterations the tile fills cells.
func (r *reads) within(q, least, most []int) bool {
	for x := range least {
		top := r.To[x]
		if x == 0 && r.p.Map == 0 {
			top = r.p.Hi[0]
		}
		if q[x]+least[x] < r.From[x] || q[x]+most[x] > top {
			return false
		}
	}
	return true
}
