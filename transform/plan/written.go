package plan

// WrittenSpan returns the part from a to b, inclusive, of the cells lo..hi along
// the last dimension of an array that the assignment of value v writes in the row
// through cell, whose last entry does not matter. If there is none, a > b.
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

// InitBox returns the corners of a box that holds every cell of array in that the
// initial content of the cells lo..hi of array of is made of; ok is false if it is
// made of none.
func (p *Plan) InitBox(of, in int, lo, hi []int) (corners [2][]int, ok bool) {
	cells := box{lo, hi}
	least, most := p.bounds(&p.Nest.Arrays[in])
	var all box
	if !p.Nest.Listed {
		all = box{least, most}
	}
	for _, r := range p.Nest.InitReads {
		if r.Of == of && r.Array == in {
			all = all.hull(cells.image(r.Subs, p.Params))
		}
	}
	all = all.within(least, most)
	return [2][]int{all.lo, all.hi}, !all.empty()
}
