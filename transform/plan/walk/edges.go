package walk

import (
	"loopc/transform/plan"
)

// Edges are the inequalities of a space, sorted by what they do to a row: bound the last
// coordinate from below (Lower), from above (Upper), or not at all (Outer).
type Edges struct {
	Lower, Upper, Outer []edge
	// Left ≤ 0 and Right extend the iterations of a row by the cells around them that other iterations read, at the low and at the high end.
	Left, Right int
	// Cells has an entry for each value whose exterior cells are filled.
	Cells []cells
}

// An edge is one inequality.
type edge struct {
	Number int
	Along  int // coefficient of the last coordinate, without its sign
	Reach  int // of Outer: the most by which the value grows along a flow distance
}

// sortedEdges sorts the inequalities of p's space. The result has no Left, Right, Cells and Reach: see NewEdges.
func sortedEdges(p *plan.Plan) (out Edges) {
	for i := range p.Space.Ineq {
		c := p.Space.Ineq[i].A[len(p.Side)-1]
		switch e := (edge{Number: i, Along: max(c, -c)}); {
		case c > 0:
			out.Lower = append(out.Lower, e)
		case c < 0:
			out.Upper = append(out.Upper, e)
		default:
			out.Outer = append(out.Outer, e)
		}
	}
	return out
}

// NewEdges sorts the inequalities of p's space, and finds the cells around rows that are read.
func NewEdges(p *plan.Plan) Edges {
	out := sortedEdges(p)
	for v := range p.Nest.Values {
		if len(p.Nest.Values[v].Need) > 0 {
			out.Cells = append(out.Cells, cellsOf(p, v))
		}
	}
	slopes := make([]int, len(p.Space.Ineq))
	for _, d := range p.Nest.Distances() {
		// The reader at q + d lies in another row. The slopes tell how far its bounds have moved.
		p.Space.Slopes(d, slopes)
		for _, e := range out.Lower {
			out.Left = min(out.Left, plan.FloorDiv(-slopes[e.Number], e.Along)-d[len(d)-1])
		}
		for _, e := range out.Upper {
			out.Right = max(out.Right, plan.CeilDiv(slopes[e.Number], e.Along)-d[len(d)-1])
		}
		for i := range out.Outer {
			e := &out.Outer[i]
			e.Reach = max(e.Reach, slopes[e.Number])
		}
	}
	return out
}

// unbounded is beyond any coordinate.
const unbounded = 1 << 60

// least is the least coordinate that a lower inequality of value v lets a row have; greatest is the greatest one for an upper inequality.
func (e *edge) least(v int) int {
	if e.Along == 1 {
		return -v
	}
	return plan.CeilDiv(-v, e.Along)
}

func (e *edge) greatest(v int) int {
	if e.Along == 1 {
		return v
	}
	return plan.FloorDiv(v, e.Along)
}

// misses reports whether an outer inequality leaves a row empty. values are those of all
// inequalities in another row, and slopes their growth from there.
func (g *Edges) misses(values, slopes []int) bool {
	for i := range g.Outer {
		if k := g.Outer[i].Number; values[k]+slopes[k] < 0 {
			return true
		}
	}
	return false
}

// row returns the range within lo..hi that the lower and upper inequalities leave of a row; see misses.
func (g *Edges) row(values, slopes []int, lo, hi int) (int, int) {
	for i := range g.Lower {
		e := &g.Lower[i]
		lo = max(lo, e.least(values[e.Number]+slopes[e.Number]))
	}
	for i := range g.Upper {
		e := &g.Upper[i]
		hi = min(hi, e.greatest(values[e.Number]+slopes[e.Number]))
	}
	return lo, hi
}

// Bounds computes the ranges of rows of successive levels from the lower and upper inequalities. values are those of all inequalities in
// the first row, and rise is their growth per level.
func (g *Edges) Bounds(values, rise []int, out []Span) {
	for l := range out {
		out[l] = Span{-unbounded, unbounded}
	}
	for _, e := range g.Lower {
		v, by := values[e.Number], rise[e.Number]
		for l := range out {
			out[l].Lo = max(out[l].Lo, e.least(v))
			v += by
		}
	}
	for _, e := range g.Upper {
		v, by := values[e.Number], rise[e.Number]
		for l := range out {
			out[l].Hi = min(out[l].Hi, e.greatest(v))
			v += by
		}
	}
}

// Lane returns two spans of a row within lo..hi, from the row's range of Bounds: the iterations,
// and the cells that iterations may read, the iterations included.
func (g *Edges) Lane(row Span, lo, hi int) (in, read Span) {
	return Span{max(row.Lo, lo), min(row.Hi, hi)}, Span{max(row.Lo+g.Left, lo), min(row.Hi+g.Right, hi)}
}

// Shift returns by how many iterations the bounds of a row move if the inequalities grow by slopes. ok is false if the bounds do not all
// move alike.
func (g *Edges) Shift(slopes []int) (shift int, ok bool) {
	known := false
	for k, list := range [][]edge{g.Lower, g.Upper} {
		for _, e := range list {
			by := slopes[e.Number]
			if k == 0 {
				by = -by
			}
			if by%e.Along != 0 || known && by/e.Along != shift {
				return 0, false
			}
			shift, known = by/e.Along, true
		}
	}
	return shift, true
}
