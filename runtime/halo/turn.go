package halo

import "loopc/transform/plan"

// A location outside the iteration space may hold the result of an iteration
// that is computed after the location's own turn. With a triangular T that
// cannot be: the order of p is that of the loops as they are written, and what a
// cell contains was written before. Another T keeps no order but that of the
// flow dependences, which puts the result before whoever reads it there, and no
// earlier. So such locations are filled anew before each group of iterations
// that reads them.

// turnOf returns how many neighbors in a row can be computed without any of them
// needing another: the shortest flow distance along a row.
func turnOf(p *plan.Plan) int {
	turn, last := 1<<62, len(p.Side)-1
	for v := range p.Nest.Values {
	flow:
		for _, d := range p.Nest.Values[v].Flow {
			for _, x := range d[:last] {
				if x != 0 {
					continue flow
				}
			}
			turn = min(turn, d[last])
		}
	}
	return turn
}

// inTurn computes the iterations a..b of row q, a group at a time, after it has
// filled what each group reads outside the space of values with late fallbacks.
// It returns how many they are.
func (c *Column) inTurn(q []int, a, b int) int {
	w := c.w
	n := len(q)
	c.flush()
	for from := a; from <= b; from += min(w.turn, b-from+1) {
		to := from + min(w.turn, b-from+1) - 1
		for v, late := range w.late {
			if late {
				c.refill(v, q, from, to)
			}
		}
		copy(w.rows.lo, q)
		copy(w.rows.hi, q)
		w.rows.lo[n-1], w.rows.hi[n-1] = from, to
		w.kernel.Box(w.rows.lo, w.rows.hi)
	}
	return b - a + 1
}

// refill gives the locations of value v outside the space that iterations a..b
// of row q read what their cells contain.
func (c *Column) refill(v int, q []int, a, b int) {
	w := c.w
	last := len(q) - 1
	for _, d := range w.plan.Nest.Values[v].Need {
		at := w.from
		for x := range at {
			at[x] = q[x] - d[x]
		}
		lo, hi := a-d[last], b-d[last]
		from, to := w.plan.Space.Span(at, lo, hi)
		if from > to {
			from, to = hi+1, hi
		}
		w.content(v, c.block, at, lo, from-1, 0)
		w.content(v, c.block, at, to+1, hi, 0)
	}
}
