package cost

import (
	"loopc/transform/plan"
)

// filled counts the exterior cells of row w.q that are filled; a..b are its iterations.
func (w *edgeCounter) filled(a, b, ghost int) float64 {
	p := w.p
	last := len(p.Side) - 1
	cells := 0.0
	for v := range w.readers {
		lo, hi := 1, 0
	distances:
		for i := range w.readers[v] {
			need := &w.readers[v][i]
			for x := range last {
				at, top := w.q[x]+need.d[x], w.readTo[x]
				if x == 0 && p.Map == 0 {
					top = p.Hi[0] // live levels stay in the block for the next tiles
				}
				if at < w.readFrom[x] || at > top {
					continue distances
				}
			}
			w.looked++
			from, to := p.Space.RowSpan(w.row, need.slopes, w.readFrom[last], w.readTo[last])
			if from > to {
				continue
			}
			from, to = from-need.most, to-need.least
			if lo > hi {
				lo, hi = from, to
			} else {
				lo, hi = min(lo, from), max(hi, to)
			}
		}
		lo, hi = max(lo, ghost), min(hi, w.last[last])
		if lo > hi {
			continue
		}
		n := hi - lo + 1
		if a <= b {
			n -= max(0, min(hi, b)-max(lo, a)+1)
		}
		cells += float64(n)
	}
	return cells
}

// refilled counts the cells that are filled again while iterations a..b of row w.q are computed.
func (w *edgeCounter) refilled(a, b int) (cells int) {
	last := len(w.q) - 1
	for v := range w.p.Nest.Values {
		if !w.p.Nest.Late(v) {
			continue
		}
		for _, d := range w.p.Nest.Values[v].Need {
			for x := range w.r {
				w.r[x] = w.q[x] - d[x]
			}
			from, to := w.p.Space.Span(w.r, a-d[last], b-d[last])
			cells += b - a + 1 - max(0, to-from+1)
		}
	}
	return cells
}

// final reports whether some result of the level may be copied to a returned array: no write
// overwrites it later, and it lies in the returned slice.
func (w *edgeCounter) final(level int) bool {
	p := w.p
	copy(w.q, w.first)
	copy(w.r, w.last)
	w.q[0], w.r[0] = level, level
values:
	for v := range p.Nest.Values {
		if !w.copied(v, w.inSlab(level)) {
			continue
		}
		val := &p.Nest.Values[v]
		for _, o := range val.Overwrites {
			if !p.Space.Leaves(w.q, w.r, o) {
				continue values
			}
		}
		for m, at := range p.Nest.Arrays[val.Array].Slice {
			if at == nil {
				continue
			}
			cell := &val.Cell[m]
			least := cell.Eval(p.Params, nil)
			most := least
			for x, c := range cell.Iters {
				least += min(c*w.q[x], c*w.r[x])
				most += max(c*w.q[x], c*w.r[x])
			}
			if fixed := at.Eval(p.Params, nil); fixed < least || fixed > most {
				continue values
			}
		}
		return true
	}
	return false
}

// stored counts the results a..b of row w.q that are copied to returned arrays.
func (w *edgeCounter) stored(a, b int) (sum int) {
	for v := range w.p.Nest.Values {
		if w.copied(v, w.inSlab(w.q[0])) {
			sum += w.kept(v, a, b, 0)
		}
	}
	return sum
}

// kept counts the results a..b of row w.q that no write from Overwrites[o] on overwrites and
// that lie in the returned slice.
func (w *edgeCounter) kept(v, a, b, o int) int {
	p, last := w.p, len(w.q)-1
	val := &p.Nest.Values[v]
	if a > b {
		return 0
	}
	if o < len(val.Overwrites) {
		over := val.Overwrites[o]
		for x := range last {
			w.r[x] = w.q[x] + over[x]
		}
		from, to := p.Space.Span(w.r, a+over[last], b+over[last])
		if from > to {
			return w.kept(v, a, b, o+1)
		}
		return w.kept(v, a, from-over[last]-1, o+1) + w.kept(v, to-over[last]+1, b, o+1)
	}
	w.q[last] = 0
	for m, at := range p.Nest.Arrays[val.Array].Slice {
		if at == nil {
			continue
		}
		off, along := at.Eval(p.Params, nil)-val.Cell[m].Eval(p.Params, w.q), 0
		if len(val.Cell[m].Iters) > last {
			along = val.Cell[m].Iters[last]
		}
		switch {
		case along != 0:
			a, b = max(a, plan.CeilDiv(off*along, along*along)), min(b, plan.FloorDiv(off*along, along*along))
		case off != 0:
			return 0
		}
	}
	return max(0, b-a+1)
}
