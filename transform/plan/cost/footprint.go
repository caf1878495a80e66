package cost

import (
	"slices"

	"loopc/runtime/simd"
	"loopc/transform/plan"
	"loopc/transform/plan/walk"
)

// footprint is the memory, in bytes, that a tile of p works on with this kernel. It is Plan.Footprint. If lanes are levels, it is the
// planes between slabs plus the rows of lanes, of all interleaved streams (together) or of one (alone). In a nest of two dimensions,
// lanes stay in registers unless they are returned.
func (k *Kernel) footprint(p *plan.Plan) (together, alone int) {
	n := len(p.Side)
	if k.Rows == 0 || k.Across != plan.AcrossLevels || !walk.Slabs(p, k.Lanes) {
		f := p.Footprint()
		return f, f
	}
	rows, long := 0.0, min(p.Side[n-1], middleRow(p))
	for v := range p.Nest.Values {
		ring := float64((long + p.HaloWidth[n-1]) * p.Nest.Arrays[p.Nest.Values[v].Array].Size)
		if n > 2 || keepsRows(p.Nest) {
			ring *= float64(max(1, k.Lanes))
		}
		for x := 1; x < n-1; x++ {
			if x == 1 {
				ring *= float64(max(1, p.HaloWidth[x])) // a row overwrites the farthest row that is read
			} else {
				ring *= float64(p.Side[x] + p.HaloWidth[x])
			}
		}
		rows += ring
	}
	streams := max(1, k.Rows/max(1, k.Lanes))
	if walk.StreamsOf(p, streams, max(1, k.Lanes), true).Shared {
		// Streams of one slab go through the planes row by row, so a cache need not hold planes. A
		// stream overwrites the row of the stream before it, unless rows are returned and not streamed.
		together = int(min(rows, 1<<60))
		if keepsRows(p.Nest) && !(k.Lines && streamsLines(p)) {
			together *= streams + 1
		}
		return together, together
	}
	// A plane is read and written once for as many levels as there are lanes.
	planes := k.planeBytes(p, long) / float64(max(1, k.Lanes))
	return int(min(planes+float64(streams)*rows, 1<<60)), int(min(planes+rows, 1<<60))
}

// planeBytes is walk.PlaneBytes; it is 0 for a kernel whose lanes are not levels.
func (k *Kernel) planeBytes(p *plan.Plan, width int) float64 {
	if k.Rows == 0 || k.Across != plan.AcrossLevels {
		return 0
	}
	return walk.PlaneBytes(p, width)
}

// middleRow is the length of the row in the middle of the space. If each row begins at its own
// column, a tile may be much longer than its rows.
func middleRow(p *plan.Plan) int {
	n := len(p.Side)
	q, values := make([]int, n), make([]int, len(p.Space.Ineq))
	for x := range q {
		q[x] = (p.Lo[x] + p.Hi[x]) / 2
	}
	p.Space.Row(q, values)
	lo, hi := p.Space.RowSpan(values, nil, p.Lo[n-1], p.Hi[n-1])
	return max(1, hi-lo+1)
}

// streamsLines reports whether a kernel that can stream rows while it computes them does so: exactly
// one result is returned completely, by a single rank, and it is large enough.
func streamsLines(p *plan.Plan) bool {
	returned := -1
	for v := range p.Nest.Values {
		if givesAll(p.Nest, v) && returned >= 0 || plan.Product(p.Grid) > 1 {
			return false
		} else if givesAll(p.Nest, v) {
			returned = v
		}
	}
	if returned < 0 {
		return false
	}
	a := &p.Nest.Arrays[p.Nest.Values[returned].Array]
	_, extent, err := a.Extent(p.Params)
	if err != nil {
		return false
	}
	return plan.Product(extent)*a.Size >= simd.StreamBytes
}

// keepsRows reports whether some array is returned completely.
func keepsRows(n *plan.Nest) bool {
	return slices.ContainsFunc(n.Values, func(v plan.Value) bool {
		a := &n.Arrays[v.Array]
		return a.Returned() && a.Slice == nil
	})
}

// givesAll reports whether all results of value v are given back.
func givesAll(n *plan.Nest, v int) bool {
	a := &n.Arrays[n.Values[v].Array]
	return a.Returned() && a.Slice == nil && len(n.Values[v].Overwrites) == 0
}
