package halo

import (
	"loopc/transform/plan"
)

// edges are the inequalities of a space as rows see them: those that bound the
// last coordinate from below and from above, and those that do not.
type edges struct {
	lower, upper, outer []edge
	// left and right are how far from the iterations of a row, or of where they
	// would be, its cells are read: at the low end, ≤ 0, and at the high end.
	left, right int
}

// An edge is one inequality.
type edge struct {
	number int
	along  int // coefficient of the last coordinate, without its sign
	reach  int // outer: the most that it rises along a flow distance
}

func edgesOf(p *plan.Plan) edges {
	var out edges
	for i, c := range p.Space.Along() {
		switch e := (edge{number: i, along: max(c, -c)}); {
		case c > 0:
			out.lower = append(out.lower, e)
		case c < 0:
			out.upper = append(out.upper, e)
		default:
			out.outer = append(out.outer, e)
		}
	}
	slopes := make([]int, p.Space.Inequalities())
	for _, d := range p.Nest.Distances() {
		// The reader at q + d: its own row begins and ends elsewhere by so much.
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

// A bound is what a row has of the last coordinate: a..b, none if a > b.
type bound struct{ a, b int }

// bounds writes the bounds of the rows of successive levels, as far as they are not
// those of outer: values are the inequalities' in the first row, and rise from a level
// to the next.
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

// span returns what a row has within lo..hi: its iterations, and the cells that
// anybody may read. The latter are a superset.
func (g *edges) span(row bound, lo, hi int) lane {
	return lane{in0: max(row.a, lo), in1: min(row.b, hi), e0: max(row.a+g.left, lo), e1: min(row.b+g.right, hi)}
}
