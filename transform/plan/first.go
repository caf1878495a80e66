package plan

import (
	"fmt"
	"slices"
)

// Where the CPUs of a rank take columns of tiles in turn, the second begins a slab of the first
// tile after the first CPU, and ends a slab of the last tile, or more, after it. So the first
// tile may be narrower than others, and what is left for the last one.

// inTurn returns o where it has the side of a first tile: then CPUs take tiles in turn, along its
// loop, unless o says something else.
func (n *Nest) inTurn(o Options) Options {
	at := slices.IndexFunc(o.First, func(side int) bool { return side > 0 })
	if at < 0 || !n.fits(o.First) {
		return o
	}
	if o.Assign == AnyAssign {
		o.Assign = Cyclic
	}
	if o.Mesh == nil && o.CPUs > 1 && max(1, o.Ranks) == 1 {
		o.Mesh = slices.Repeat([]int{1}, len(o.First))
		o.Mesh[at] = o.CPUs
	}
	return o
}

// narrow reports whether the first tile along dimension x is narrower than others.
func (p *Plan) narrow(x int) bool { return !p.Empty && p.Origin[x] < p.Lo[x] }

// FirstSide is the side of the first tile along dimension x.
func (p *Plan) FirstSide(x int) int {
	if p.Empty {
		return p.Side[x]
	}
	return p.Origin[x] + p.Side[x] - p.Lo[x]
}

// narrowFirst lets the first tiles have the sides that are given, 0 where they have that of
// others.
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
		case x == p.Map || p.Mesh[x] == 1 || !p.turns():
			return fmt.Errorf("first %d along %s: the first tile is narrower than others only where CPUs of one rank take tiles in turn", side, name)
		case side > p.Side[x]:
			return fmt.Errorf("first %d along %s: the side of tiles is %d", side, name, p.Side[x])
		case side < p.Margin[x]:
			return fmt.Errorf("first %d along %s is less than the dependence distance %d", side, name, p.Margin[x])
		}
		p.Origin[x] -= p.Side[x] - side
		p.Tiles[x] = CeilDiv(p.Hi[x]-p.Origin[x]+1, p.Side[x])
	}
	return nil
}

// Shares of a tile that narrowed tries for the first one.
var firstShares = []float64{0.3, 0.4}

// narrowTie is by how much the predicted time may be longer with a narrow first tile, of which
// it does not know that its first slab takes twice as long as others.
const narrowTie = 1.005

// narrowTurns is how many tiles each CPU takes at least where the first one is narrow: of fewer
// it follows the other CPU closely all the time.
const narrowTurns = 3

// narrowed returns x, or one of those of final that may be taken in its stead, with a first and
// a last tile narrower than others, if CPUs take tiles in turn; x if none of them is predicted
// to be as fast.
func (c *chooser) narrowed(x *candidate, final []*candidate) *candidate {
	if !x.p.turns() || x.p.whole || x.measured > 0 || c.given.First != nil {
		return x
	}
	best := x
	for _, y := range final {
		if !y.inStead(x) {
			continue
		}
		for _, share := range firstShares {
			z := c.narrow(y, share)
			if z != nil && z.seconds <= x.seconds*narrowTie && (best == x || z.seconds < best.seconds) {
				best = z
			}
		}
	}
	return best
}

// narrow returns x with as many tiles for the CPUs to take in turn, of which two are narrow: by
// a share of what all would have. It is nil if that is nothing new.
func (c *chooser) narrow(x *candidate, share float64) *candidate {
	p := x.p
	k := slices.IndexFunc(p.Mesh, func(m int) bool { return m > 1 })
	at := slices.Index(p.userDims(), k)
	if at < 0 || !c.openSide(p, k) || p.Tiles[k] < narrowTurns*p.Mesh[k] || !x.simulated {
		return nil
	}
	together := 1 // rows, of which a tile has as many as its side and a margin
	if kernel := c.m.KernelFor(p); c.levels {
		together = max(1, kernel.Rows/max(1, kernel.Lanes))
	}
	round := func(side float64) int {
		n := int(side) + p.Margin[k]
		return max(1, p.Margin[k], n+(together-n%together)%together-p.Margin[k])
	}
	extent := p.Hi[k] - p.Lo[k] + 1
	first := round(share * float64(extent) / float64(p.Tiles[k]))
	o := p.Options()
	o.Tile[at] = round(float64(extent-2*first) / float64(p.Tiles[k]-2))
	o.First = make([]int, len(o.Tile))
	o.First[at] = first
	q, err := c.new(o)
	if err != nil || q.Tiles[k] != p.Tiles[k] {
		return nil
	}
	y := c.add(q)
	if y != nil {
		y.estimate()
		if !c.predict(y, x.fidelity) {
			y.seconds *= x.seconds / x.estimated.Seconds
			return nil
		}
		y.memory, y.excess = x.memory, x.excess
	}
	return y
}
