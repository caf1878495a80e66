package plan

// Between the CPUs of a rank a face is handed over while it is packed: the tile that gets
// it follows the one that sends it, at the distance of what that one has to have done
// before its first cells are there. Package halo does so row by row; here a tile has
// equal portions, and the tile of the neighbor begins when the first one is done.

// A tile that waits lets the other one get ahead by some rows of a slab, or by a part of
// the face: it would wait for every row else, which costs both of them time.
const (
	aheadFace  = 256 // such a part of a face
	aheadSlab  = 32  // such a part of a slab's rows, and
	aheadLeast = 8   // so many rows
)

// AheadInFace is how many rows the sender of a face gets ahead of who waits for levels of
// it, which has so many rows.
func AheadInFace(rows int) int { return rows / aheadFace }

// AheadInSlab is the same of who waits for rows of a slab, a level of which has so many.
func AheadInSlab(rows int) int { return max(aheadLeast, rows/aheadSlab) }

// portions is how many portions a tile of so many levels has for a face in direction d,
// computed by a kernel with such lanes. It is 1 where nothing can be handed over before
// the tile ends: if the face is of its last level.
func (p *Plan) portions(l lanes, d, levels int) int {
	step := p.dirs[d].Step
	switch {
	case p.whole || step[0] == 1:
		return 1
	case l.across != AcrossLevels || l.all == 0:
		return max(1, min(aheadFace, levels))
	}
	chains := max(1, l.all/l.vector)
	slabs := CeilDiv(levels, l.vector)
	switch together := p.ChainsTogether(chains, skewOf(p.Nest)); {
	case together && step[1] == 0:
		rows := 1
		for x := 1; x < len(p.Side)-1; x++ {
			rows *= p.Side[x] + p.Margin[x]
		}
		return slabs * CeilDiv(rows, AheadInSlab(rows))
	case together:
		return slabs
	}
	return max(1, slabs/chains)
}

// fewestPortions is how many portions tiles have for the faces that stay on the rank:
// the fewest, of any direction.
func (p *Plan) fewestPortions(c *costs) int {
	fewest := 0
	for d := range p.dirs {
		if _, near := p.leaving(d, p.Block); near == 0 {
			continue
		}
		n := 1
		if !c.links[0].Complete {
			n = p.portions(c.kernel.lanes(), d, min(p.Side[0], p.Hi[0]-p.Lo[0]+1))
		}
		if fewest == 0 || n < fewest {
			fewest = n
		}
	}
	return max(1, fewest)
}
