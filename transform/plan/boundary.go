package plan

// An Edge says what a read beyond a bound of an array reads instead.
type Edge uint8

// NoEdge: nothing is read there. Copied: the last cell. Reflecting: the cell as far
// inside as the read is outside, seen from the last cell. Periodic: the dimension
// begins again behind its end.
const (
	NoEdge Edge = iota
	Copied
	Reflecting
	Periodic
)

// Cell returns the index along a dimension, of the bounds lo..hi and with these
// edges, that is read for index x. It is x itself if nothing is read there.
func Cell(edges []Edge, x, lo, hi int) int {
	edge, last, inward := NoEdge, x, 0
	switch {
	case x < lo:
		edge, last, inward = edges[0], lo, 1
	case x > hi:
		edge, last, inward = edges[1], hi, -1
	}
	switch edge {
	case Copied:
		return last
	case Reflecting:
		return 2*last - x
	case Periodic:
		return x + inward*(hi-lo+1)
	}
	return x
}

// read returns a box of the cells of array a that reads of the cells in b read:
// those within its bounds, and those that its edges put in the place of others.
func (p *Plan) read(a *Array, b box) box {
	lo, hi := p.bounds(a)
	if a.Edges == nil || b.empty() {
		return b.within(lo, hi)
	}
	out := box{append([]int(nil), b.lo...), append([]int(nil), b.hi...)}
	for m := range lo {
		least, most := max(b.lo[m], lo[m]), min(b.hi[m], hi[m])
		take := func(x int) { least, most = min(least, x), max(most, x) }
		if least > most { // all of it is beyond one bound
			x := Cell(a.Edges[m], b.lo[m], lo[m], hi[m])
			least, most = x, x
		}
		// Beyond a bound the cell is a monotonic function of the index.
		for _, x := range []int{b.lo[m], min(b.hi[m], lo[m]-1)} {
			if x < lo[m] && x <= b.hi[m] {
				take(Cell(a.Edges[m], x, lo[m], hi[m]))
			}
		}
		for _, x := range []int{max(b.lo[m], hi[m]+1), b.hi[m]} {
			if x > hi[m] && x >= b.lo[m] {
				take(Cell(a.Edges[m], x, lo[m], hi[m]))
			}
		}
		out.lo[m], out.hi[m] = least, most
	}
	return out.within(lo, hi)
}
