package plan

// mostWriters bounds the iterations that Writer examines.
const mostWriters = 1 << 20

// A lastWrite says which iteration wrote a cell, in which tile, and on which worker.
type lastWrite struct {
	Value     int
	Iteration []int // skewed coordinates
	Tile      []int // coordinates of the tile, per dimension
	Rank, CPU int
}

// Writer returns the iteration that wrote a cell of array arr last; ok is false if no iteration
// wrote it, or if that would take too long to find. It is for error reports.
func (p *Plan) Writer(arr int, cell []int) (w lastWrite, ok bool) {
	if p.Empty {
		return w, false
	}
	n := len(p.Side)
	for v := range p.Nest.Values {
		val := &p.Nest.Values[v]
		if val.Array != arr {
			continue
		}
		var at []inequality // Cell(p) = cell
		for m := range val.Cell {
			off := val.Cell[m].Eval(p.Params, nil) - cell[m]
			up, down := inequality{off, make([]int, n)}, inequality{-off, make([]int, n)}
			for k, c := range val.Cell[m].Iters {
				up.A[k], down.A[k] = c, -c
			}
			at = append(at, up, down)
		}
		b := p.Space.in(box{p.Lo, p.Hi}, at...)
		all := &Space{Depth: n, Ineq: append(p.Space.Ineq[:len(p.Space.Ineq):len(p.Space.Ineq)], at...)}
		if q := p.lastFinal(all, val, b); q != nil {
			w = lastWrite{Value: v, Iteration: q}
			for k := range q {
				w.Tile = append(w.Tile, (q[k]-p.Origin[k])/p.Side[k])
			}
			w.Rank, w.CPU = p.Worker(w.Tile)
			return w, true
		}
	}
	return w, false
}

// lastFinal returns an iteration of the space s in the box b whose result of val is not overwritten, or nil.
func (p *Plan) lastFinal(s *Space, val *Value, b box) []int {
	if b.empty() {
		return nil
	}
	n := s.Depth
	q, r := append([]int(nil), b.hi...), make([]int, n)
	for range mostWriters {
		final := s.BoxInside(q, q)
		for _, o := range val.Overwrites {
			for k := range q {
				r[k] = q[k] + o[k]
			}
			final = final && !p.Space.BoxInside(r, r)
		}
		if final {
			return q
		}
		k := n - 1
		for ; k >= 0; k-- {
			if q[k]--; q[k] >= b.lo[k] {
				break
			}
			q[k] = b.hi[k]
		}
		if k < 0 {
			return nil
		}
	}
	return nil
}
