package plan

// read returns a box of the cells of array a that are read for the cells in b: the cells of b
// within the bounds, and the cells that the boundary reads in place of cells outside.
func (p *Plan) read(a *Array, b box) box {
	lo, hi := p.bounds(a)
	if a.Boundary == nil || b.empty() {
		return b.within(lo, hi)
	}
	out := box{append([]int(nil), b.lo...), append([]int(nil), b.hi...)}
	for m, ends := range a.Boundary {
		out.lo[m], out.hi[m] = ends.Image(b.lo[m], b.hi[m], lo[m], hi[m])
	}
	return out.within(lo, hi)
}
