package cost

import "loopc/transform/plan"

// portions is how many portions a tile of so many levels has for a face in direction d,
// computed by a kernel with such lanes. It is 1 where nothing can be handed over before
// the tile ends: if the face is of its last level.
func portions(p *plan.Plan, l lanes, d, levels int) int {
	step := p.Directions()[d].Step
	switch {
	case p.KeepsWhole() || step[0] == 1:
		return 1
	case l.across != plan.AcrossLevels || l.all == 0:
		return max(1, min(plan.AheadFace, levels))
	}
	chains := max(1, l.all/l.vector)
	slabs := plan.CeilDiv(levels, l.vector)
	switch together := p.ChainsTogether(chains, skewOf(p.Nest)); {
	case together && step[1] == 0:
		rows := 1
		for x := 1; x < len(p.Side)-1; x++ {
			rows *= p.Side[x] + p.Margin[x]
		}
		return slabs * plan.CeilDiv(rows, plan.AheadInSlab(rows))
	case together:
		return slabs
	}
	return max(1, slabs/chains)
}

// fewestPortions is how many portions tiles have for the faces that stay on the rank:
// the fewest, of any direction.
func fewestPortions(p *plan.Plan, c *costs) int {
	fewest := 0
	for d := range p.Directions() {
		if _, near := leaving(p, d, p.Block); near == 0 {
			continue
		}
		n := 1
		if !c.links[0].Complete {
			n = portions(p, c.kernel.lanesOf(), d, min(p.Side[0], p.Hi[0]-p.Lo[0]+1))
		}
		if fewest == 0 || n < fewest {
			fewest = n
		}
	}
	return max(1, fewest)
}
