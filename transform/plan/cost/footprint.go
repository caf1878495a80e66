package cost

import (
	"slices"

	"loopc/transform/plan"
)

// Footprint is what a tile of p works on with this kernel, in bytes: Plan.Footprint,
// or with lanes that are levels the planes between slabs and the rows of lanes, of
// chains that advance together or of one. Where levels are rows, their lanes stay in
// registers unless they are given back.
func (k *Kernel) Footprint(p *plan.Plan) (together, alone int) {
	n := len(p.Side)
	if k.Rows == 0 || k.Across != plan.AcrossLevels || p.Side[0] < k.Lanes/4 {
		f := p.Footprint()
		return f, f
	}
	rows, long := 0.0, min(p.Side[n-1], middleRow(p))
	for v := range p.Nest.Values {
		ring := float64((long + p.Margin[n-1]) * p.Nest.Arrays[p.Nest.Values[v].Array].Size)
		if n > 2 || keepsRows(p.Nest) {
			ring *= float64(max(1, k.Lanes))
		}
		for x := 1; x < n-1; x++ {
			if x == 1 {
				ring *= float64(max(1, p.Margin[x])) // a row takes the place of the farthest that is read
			} else {
				ring *= float64(p.Side[x] + p.Margin[x])
			}
		}
		rows += ring
	}
	chains := max(1, k.Rows/max(1, k.Lanes))
	if p.ChainsTogether(chains, skewOf(p.Nest)) {
		// Planes go by, row for row. Each chain takes the place of the row that the one
		// before it has computed, unless that is kept.
		together = int(min(rows, 1<<60))
		if keepsRows(p.Nest) && !(k.Lines && streamsLines(p)) {
			together *= chains + 1
		}
		return together, together
	}
	// A plane is read and written once for as many levels as there are lanes.
	planes := k.planeBytes(p, long) / float64(max(1, k.Lanes))
	return int(min(planes+float64(chains)*rows, 1<<60)), int(min(planes+rows, 1<<60))
}

// planeBytes is Plan.planeBytes, 0 for a kernel whose lanes are not levels.
func (k *Kernel) planeBytes(p *plan.Plan, width int) float64 {
	if k.Rows == 0 || k.Across != plan.AcrossLevels {
		return 0
	}
	return p.PlaneBytes(width)
}

// middleRow is the length of the row in the middle of the space: where rows begin at
// columns of their own, a tile may be much longer than they are.
func middleRow(p *plan.Plan) int {
	n := len(p.Side)
	q, values := make([]int, n), make([]int, p.Space.Inequalities())
	for x := range q {
		q[x] = (p.Lo[x] + p.Hi[x]) / 2
	}
	p.Space.Row(q, values)
	lo, hi := p.Space.RowSpan(values, nil, p.Lo[n-1], p.Hi[n-1])
	return max(1, hi-lo+1)
}

// streamsLines reports whether the one result that is given back as a whole goes past the
// caches while it is computed, if the kernel can do that.
func streamsLines(p *plan.Plan) bool {
	given := -1
	for v := range p.Nest.Values {
		if p.Nest.GivesAll(v) && given >= 0 || plan.Product(p.Grid) > 1 {
			return false
		} else if p.Nest.GivesAll(v) {
			given = v
		}
	}
	if given < 0 {
		return false
	}
	a := &p.Nest.Arrays[p.Nest.Values[given].Array]
	_, extent, err := a.Extent(p.Params)
	if err != nil {
		return false
	}
	return plan.Product(extent)*a.Size > plan.StreamBytes
}

// keepsRows reports whether some array is given back as a whole.
func keepsRows(n *plan.Nest) bool {
	return slices.ContainsFunc(n.Values, func(v plan.Value) bool {
		a := &n.Arrays[v.Array]
		return a.Returned() && a.Slice == nil
	})
}
