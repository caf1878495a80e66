package plan

// WrittenSpan returns the range a..b, inclusive, of those cells lo..hi along the last dimension
// of an array that value v writes, in the row through cell; the last entry of cell is ignored.
// a > b if it writes none.
func (p *Plan) WrittenSpan(v int, cell []int, lo, hi int) (a, b int) {
	if p.Empty {
		return lo, lo - 1
	}
	last := len(cell) - 1
	for _, in := range p.Nest.Values[v].Written {
		at, c := in.Eval(p.Params, nil), 0
		for m, k := range in.Iters {
			if m == last {
				c = k
			} else {
				at += k * cell[m]
			}
		}
		// at + c·x ≥ 0
		switch {
		case c == 0 && at < 0:
			return lo, lo - 1
		case c > 0:
			lo = max(lo, CeilDiv(-at, c))
		case c < 0:
			hi = min(hi, FloorDiv(at, -c))
		}
	}
	return lo, hi
}

// InitBox returns the corners of a box that contains every cell of array given that the init
// expression of array target reads for the cells lo..hi of target; ok is false if it reads none.
func (p *Plan) InitBox(target, given int, lo, hi []int) (corners [2][]int, ok bool) {
	cells := box{lo, hi}
	least, most := p.bounds(&p.Nest.Arrays[given])
	var all box
	if !p.Nest.Listed {
		all = box{least, most}
	}
	for _, r := range p.Nest.InitReads {
		if r.Of == target && r.Array == given {
			all = all.hull(cells.image(r.Subs, p.Params))
		}
	}
	all = all.within(least, most)
	return [2][]int{all.lo, all.hi}, !all.empty()
}
