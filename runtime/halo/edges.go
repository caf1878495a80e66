package halo

import "loopc/transform/plan"

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

// span returns what a row, given by the values of the inequalities, has within
// lo..hi: its iterations, and the cells that anybody may read. The latter are a
// superset.
func (g *edges) span(values []int, lo, hi int) lane {
	in := true
	for _, e := range g.outer {
		if v := values[e.number]; v < 0 {
			in = false
			if v+e.reach < 0 {
				return lane{lo: 1, in0: 1, e0: 1}
			}
		}
	}
	s := g.along(values, lo, hi)
	if !in {
		s.in0, s.in1 = 1, 0
	}
	return s
}

// along is span for a row that no edge of outer leaves without iterations.
func (g *edges) along(values []int, lo, hi int) lane {
	a, b := lo-g.right, hi-g.left
	for _, e := range g.lower {
		at := -values[e.number]
		if e.along != 1 {
			at = plan.CeilDiv(at, e.along)
		}
		a = max(a, at)
	}
	for _, e := range g.upper {
		at := values[e.number]
		if e.along != 1 {
			at = plan.FloorDiv(at, e.along)
		}
		b = min(b, at)
	}
	s := lane{in0: max(a, lo), in1: min(b, hi), e0: max(a+g.left, lo), e1: min(b+g.right, hi)}
	if a > b {
		s.in0, s.in1 = 1, 0
	}
	return s
}
