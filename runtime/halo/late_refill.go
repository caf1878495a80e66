package halo

import (
	"loopc/runtime/kernel"
	"loopc/transform/plan/walk"
)

// A lateRefill fills exterior cells that may hold the result of an iteration that is computed
// after the location's own place in the order. With a triangular T there are none: the order
// of p is that of the loops as they are written. Another T keeps no order but that of the flow
// dependences, which puts the result before its reader, and no earlier. So such locations are
// filled anew before each group of iterations that reads them.
type lateRefill struct {
	fill  *filler
	late  []bool // per value: it has such locations
	group int    // neighbors in a row of which none needs another
	at    []int  // scratch
}

// newLateRefill returns nil if no value has such locations.
func newLateRefill(f *filler) *lateRefill {
	p := f.plan
	r := &lateRefill{fill: f, group: p.Nest.LateStep(), at: make([]int, len(f.first))}
	if r.group == 0 {
		return nil
	}
	for v := range p.Nest.Values {
		r.late = append(r.late, p.Nest.Late(v))
	}
	return r
}

// row computes the iterations a..b of row q, a group at a time, each after the late
// locations that it reads have been filled. It returns how many iterations these are.
func (r *lateRefill) row(rows *rowBatch, block *kernel.Block, q []int, a, b int) int {
	rows.flush()
	for from := a; from <= b; from += min(r.group, b-from+1) {
		to := from + min(r.group, b-from+1) - 1
		for v, late := range r.late {
			if late {
				r.refill(block, v, q, from, to)
			}
		}
		rows.row(q, from, to)
	}
	return b - a + 1
}

// refill gives the locations of value v outside the space that iterations a..b
// of row q read what their cells contain.
func (r *lateRefill) refill(block *kernel.Block, v int, q []int, a, b int) {
	last := len(q) - 1
	for _, d := range r.fill.plan.Nest.Values[v].Need {
		at := r.at
		for x := range at {
			at[x] = q[x] - d[x]
		}
		lo, hi := a-d[last], b-d[last]
		from, to := r.fill.plan.Space.Span(at, lo, hi)
		if from > to {
			from, to = hi+1, hi
		}
		r.fill.counts.Add(walk.Op{Kind: walk.Fill, Level: q[0], Rows: 1, Cells: hi - lo + 1 - (to - from + 1)})
		r.fill.content(v, block, at, lo, from-1, 0)
		r.fill.content(v, block, at, to+1, hi, 0)
	}
}
