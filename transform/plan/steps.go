package plan

// StepOf is the time step in which a worker runs tile k of the column at col. Tile 0 of the first worker is in step 0.
//
//	hyperplane, overlap    k + Σ w_x + Σ ⌊w_x/m_x⌋ + L·c     Π^G = (1, 1, .., 1)
//	hyperplane, blocking   k + Σ w_x + L·c                   Π^G = (1, 0, .., 0)
//	vertical, overlap      ⌊k/N⌋ + 2·Σ ⌊w_x/m_x⌋ + L·c       Π = (1, 2, .., 2)
//	vertical, blocking     ⌊k/N⌋ + Σ ⌊w_x/m_x⌋ + L·c         Π = (1, 1, .., 1)
//
// Here w is the worker's place in the mesh of all CPUs, c the round of the column, L the Offset, and N the number of tiles in a
// vertical group [P1] (2)-(5), [P2] (1)-(10). Between ranks an overlapped face takes a step of its own, hence the additional terms. A
// worker with a block of columns runs one tile of each in a step; SubStep orders the tiles of vertical groups. The sums are over the
// dimensions that a dependence crosses, see linked.
func (p *Plan) StepOf(col []int, k int) int {
	step := FloorDiv(k, p.Sub)
	chunk := 0
	for x := range col {
		if x == p.Map {
			continue
		}
		c, w, _ := p.Place(x, col[x])
		chunk = chunk*p.Chunks(x) + c
		step += p.lag(x, w)
	}
	return step + p.Offset*chunk
}

// lag is the number of steps by which the worker at place w along dimension x is behind the worker at place 0.
func (p *Plan) lag(x, w int) int {
	if !p.linked(x) {
		return 0
	}
	node := w / p.Mesh[x]
	switch {
	case p.Group == Vertical && p.Comm == Overlap:
		return 2 * node
	case p.Group == Vertical:
		return node
	case p.Comm == Overlap:
		return w + node
	}
	return w
}

// linked reports whether a dependence leads from one column of tiles to another along dimension x. Otherwise workers side by side
// along x do not wait for each other, and run their tiles in the same steps.
func (p *Plan) linked(x int) bool { return x != p.Map && p.HaloWidth[x] > 0 }

// SubStep orders the tiles of one step on the CPUs of a rank. With vertical grouping they form a wavefront, k mod N + Σ (w_x mod m_x),
// where the sum is over the linked dimensions. Otherwise SubStep is 0.
func (p *Plan) SubStep(col []int, k int) int {
	if p.Group != Vertical {
		return 0
	}
	sub := k - p.Sub*FloorDiv(k, p.Sub)
	for x := range col {
		if p.linked(x) {
			_, w, _ := p.Place(x, col[x])
			sub += w % p.Mesh[x]
		}
	}
	return sub
}

// offset computes Offset. In mirror, ranks must finish a round of columns before the next, because the last rank of a round is the
// first of the next. A cyclic rank continues at once if the last rank's tiles of the round before, which the first rank needs, are old
// enough: for every dimension with several rounds
//
//	L·Π_{y>x} C_y ≥ lag of the last worker + steps between neighbors
//
// [P2] (3) omits this condition, see DIVERGENCE.md.
func (p *Plan) offset() {
	if p.Empty || !p.Chunked() {
		return
	}
	l := CeilDiv(p.Tiles[p.Map], p.Sub)
	after := 1 // Π_{y>x} C_y
	for x := len(p.Tiles) - 1; x >= 0; x-- {
		if x == p.Map {
			continue
		}
		last := p.lag(x, p.Grid[x]*p.Mesh[x]-1)
		switch {
		case p.Assign != Cyclic:
			l += last
		case p.linked(x) && p.Chunks(x) > 1:
			apart := 1
			if p.Grid[x] > 1 && p.Comm == Overlap {
				apart = 2
			}
			l = max(l, CeilDiv(last+apart, after))
		}
		after *= p.Chunks(x)
	}
	p.Offset = l
}
