package plan

import (
	"fmt"
	"slices"
)

// If the CPUs of a rank take columns of tiles cyclically, the second CPU starts after the first, by the time of one slab of the first tile.
// At the end the last CPU works alone, on at least one slab of the last tile. Both times are shorter if the first and the last tile are
// narrower than the others.

// firstSideGiven completes options that give the side of the first tile (Options.First): the CPUs take
// tiles cyclically along the loop of that side, unless o says otherwise.
func (n *Nest) firstSideGiven(o Options) Options {
	at := slices.IndexFunc(o.First, func(side int) bool { return side > 0 })
	if at < 0 || !n.fits(o.First) {
		return o
	}
	if o.Assign == Any {
		o.Assign = Cyclic
	}
	if o.Mesh == nil && o.CPUs > 1 && max(1, o.Ranks) == 1 {
		o.Mesh = slices.Repeat([]int{1}, len(o.First))
		o.Mesh[at] = o.CPUs
	}
	return o
}

// FirstSide is the side of the first tile along dimension x: Side[x], unless that tile is narrower.
func (p *Plan) FirstSide(x int) int {
	if p.Empty {
		return p.Side[x]
	}
	return p.Origin[x] + p.Side[x] - p.Lo[x]
}

// CyclicOnRank reports whether there is one rank, whose CPUs take columns of tiles cyclically.
func (p *Plan) CyclicOnRank() bool {
	return p.Assign == Cyclic && Product(p.Grid) == 1 && Product(p.Mesh) > 1
}

// narrowFirst gives the first tiles the given sides; 0 means the side of the other tiles.
func (p *Plan) narrowFirst(first []int) error {
	p.Origin = slices.Clone(p.Lo)
	if p.Empty {
		return nil
	}
	for x, side := range first {
		name := p.Nest.Dims[x]
		switch {
		case side == 0 || side == p.Side[x]:
			continue
		case p.whole:
			return fmt.Errorf("first %d along %s: where levels are kept whole, the first tile is as wide as others", side, name)
		case x == p.Map || p.Mesh[x] == 1 || !p.CyclicOnRank():
			return fmt.Errorf("first %d along %s: the first tile is narrower than others only where CPUs of one rank take tiles in turn", side, name)
		case side > p.Side[x]:
			return fmt.Errorf("first %d along %s: the side of tiles is %d", side, name, p.Side[x])
		case side < p.HaloWidth[x]:
			return fmt.Errorf("first %d along %s is less than the dependence distance %d", side, name, p.HaloWidth[x])
		}
		p.Origin[x] -= p.Side[x] - side
		p.Tiles[x] = CeilDiv(p.Hi[x]-p.Origin[x]+1, p.Side[x])
	}
	return nil
}
