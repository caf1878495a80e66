package plan

import "slices"

// Footprint is what a tile works on, in bytes: the live levels of all values,
// margins included. Of levels that are kept whole, a tile has no more than there is: of
// a nest that is skewed by time, they lie within the space like the steps of stairs.
func (p *Plan) Footprint() int {
	total, extent := 0.0, p.Side
	if p.whole {
		extent = p.ofLevel()
	}
	for v := range p.Nest.Values {
		levels := p.Nest.Values[v].Levels()
		if p.whole {
			levels = p.Drift()[0]
		}
		bytes := float64(levels * p.Nest.Arrays[p.Nest.Values[v].Array].Size)
		for x := 1; x < len(p.Side); x++ {
			bytes *= float64(min(p.Side[x], extent[x]) + p.Margin[x])
		}
		total += bytes
	}
	return int(min(total, 1<<60))
}

// ofLevel is the extent of a level halfway through the run, per dimension.
func (p *Plan) ofLevel() []int {
	lo, hi, extent := make([]int, len(p.Lo)), make([]int, len(p.Lo)), make([]int, len(p.Lo))
	some := !p.Empty && p.LevelBox(p.Lo[0]+(p.Hi[0]-p.Lo[0])/2, lo, hi)
	for x := range extent {
		if some {
			extent[x] = hi[x] - lo[x] + 1
		}
	}
	return extent
}

// Footprint is what a tile of p works on with this kernel, in bytes: Plan.Footprint,
// or with lanes that are levels the planes between slabs and the rows of lanes, of
// chains that advance together or of one. Where levels are rows, their lanes stay in
// registers unless they are given back.
func (k *Kernel) Footprint(p *Plan) (together, alone int) {
	n := len(p.Side)
	if k.Rows == 0 || k.Across != AcrossLevels || p.Side[0] < k.Lanes/4 {
		f := p.Footprint()
		return f, f
	}
	rows, long := 0.0, min(p.Side[n-1], p.middleRow())
	for v := range p.Nest.Values {
		ring := float64((long + p.Margin[n-1]) * p.Nest.Arrays[p.Nest.Values[v].Array].Size)
		if n > 2 || p.Nest.keepsRows() {
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
		if p.Nest.keepsRows() && !(k.Lines && p.streamsLines()) {
			together *= chains + 1
		}
		return together, together
	}
	// A plane is read and written once for as many levels as there are lanes.
	planes := k.planeBytes(p, long) / float64(max(1, k.Lanes))
	return int(min(planes+float64(chains)*rows, 1<<60)), int(min(planes+rows, 1<<60))
}

// planeBytes is Plan.planeBytes, 0 for a kernel whose lanes are not levels.
func (k *Kernel) planeBytes(p *Plan, width int) float64 {
	if k.Rows == 0 || k.Across != AcrossLevels {
		return 0
	}
	return p.planeBytes(width)
}

// middleRow is the length of the row in the middle of the space: where rows begin at
// columns of their own, a tile may be much longer than they are.
func (p *Plan) middleRow() int {
	n := len(p.Side)
	q, values := make([]int, n), make([]int, p.Space.Inequalities())
	for x := range q {
		q[x] = (p.Lo[x] + p.Hi[x]) / 2
	}
	p.Space.Row(q, values)
	lo, hi := p.Space.RowSpan(values, nil, p.Lo[n-1], p.Hi[n-1])
	return max(1, hi-lo+1)
}

// StreamBytes is the size of an array given back from which its rows go past the caches: it
// is not all in a second-level cache when the run ends, and what is written is not read again.
const StreamBytes = 4 << 20

// streamsLines reports whether the one result that is given back as a whole goes past the
// caches while it is computed, if the kernel can do that.
func (p *Plan) streamsLines() bool {
	given := -1
	for v := range p.Nest.Values {
		if p.Nest.givesAll(v) && given >= 0 || product(p.Grid) > 1 {
			return false
		} else if p.Nest.givesAll(v) {
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
	return product(extent)*a.Size > StreamBytes
}

// keepsRows reports whether some array is given back as a whole.
func (n *Nest) keepsRows() bool {
	return slices.ContainsFunc(n.Values, func(v Value) bool {
		a := &n.Arrays[v.Array]
		return a.Returned() && a.Slice == nil
	})
}
