package halo

import (
	"loopc/transform/plan"
)

// edges are the inequalities of a space, sorted by what they do to a row: bound the last
// coordinate from below (lower), from above (upper), or not at all (outer).
type edges struct {
	lower, upper, outer []edge
	// left ≤ 0 and right extend the iterations of a row by the cells around them that other
	// iterations read, at the low and at the high end.
	left, right int
}

// An edge is one inequality.
type edge struct {
	number int
	along  int // coefficient of the last coordinate, without its sign
	reach  int // outer: the most by which the value grows along a flow distance
}

func edgesOf(p *plan.Plan) edges {
	var out edges
	for i := range p.Space.Ineq {
		c := p.Space.Ineq[i].A[p.Space.Depth-1]
		switch e := (edge{number: i, along: max(c, -c)}); {
		case c > 0:
			out.lower = append(out.lower, e)
		case c < 0:
			out.upper = append(out.upper, e)
		default:
			out.outer = append(out.outer, e)
		}
	}
	slopes := make([]int, len(p.Space.Ineq))
	for _, d := range p.Nest.Distances() {
		// The reader at q + d has a row of its own, which begins and ends by this much
		// elsewhere.
		p.Space.Slopes(d, slopes)
		for _, e := range out.lower {
			out.left = min(out.left, plan.FloorDiv(-slopes[e.number], e.along)-d[len(d)-1])
		}
		for _, e := range out.upper {
			out.right = max(out.right, plan.CeilDiv(slopes[e.number], e.along)-d[len(d)-1])
		}
		for i := range out.outer {
			e := &out.outer[i]
			e.reach = max(e.reach, slopes[e.number])
		}
	}
	return out
}

// A bound is the range a..b of the last coordinate in a row, empty if a > b.
type bound struct{ a, b int }

// bounds computes the ranges of rows of successive levels from the lower and upper
// inequalities. values are those of all inequalities in the first row, and rise is their growth
// per level.
func (g *edges) bounds(values, rise []int, out []bound) {
	for l := range out {
		out[l] = bound{-none, none}
	}
	for _, e := range g.lower {
		at, by := -values[e.number], -rise[e.number]
		for l := range out {
			a := at
			if e.along != 1 {
				a = plan.CeilDiv(at, e.along)
			}
			out[l].a = max(out[l].a, a)
			at += by
		}
	}
	for _, e := range g.upper {
		at, by := values[e.number], rise[e.number]
		for l := range out {
			b := at
			if e.along != 1 {
				b = plan.FloorDiv(at, e.along)
			}
			out[l].b = min(out[l].b, b)
			at += by
		}
	}
}

// span returns the iterations of a row within lo..hi, and the cells that any iteration may
// read, a superset.
func (g *edges) span(row bound, lo, hi int) lane {
	return lane{in0: max(row.a, lo), in1: min(row.b, hi), e0: max(row.a+g.left, lo), e1: min(row.b+g.right, hi)}
}
