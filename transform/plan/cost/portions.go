package cost

import (
	"loopc/transform/plan"
	"loopc/transform/plan/walk"
)

// portions is in how many equal portions a tile with the given number of levels hands over its face in direction d; the kernel has the
// given lanes. It is 1 if the neighbor cannot begin before the tile ends: in skewed storage, or if the face belongs to the last levels.
func portions(p *plan.Plan, l lanes, d, levels int) int {
	step := p.Directions()[d].Step
	switch {
	case p.KeepsWhole() || step[0] == 1:
		return 1
	case l.across != plan.AcrossLevels || l.all == 0:
		return max(1, min(walk.SlackInFace, levels))
	}
	streams := max(1, l.all/l.vector)
	slabs := plan.CeilDiv(levels, l.vector)
	switch shared := walk.StreamsOf(p, streams, l.vector, true).Shared; {
	case shared && step[1] == 0:
		rows := 1
		for x := 1; x < len(p.Side)-1; x++ {
			rows *= p.Side[x] + p.HaloWidth[x]
		}
		return slabs * plan.CeilDiv(rows, walk.SlackInSlab(rows))
	case shared:
		return slabs
	}
	return max(1, slabs/streams)
}

// fewestPortions is the least number of portions over the directions of faces that stay on the rank.
func fewestPortions(p *plan.Plan, c *costs) int {
	fewest := 0
	for d := range p.Directions() {
		if _, near := columnsSending(p, d, p.Block); near == 0 {
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
