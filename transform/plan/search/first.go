package search

import "slices"

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
	if !x.p.CyclicOnRank() || x.p.KeepsWhole() || x.measured > 0 || c.given.First != nil {
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
	at := slices.Index(p.UserDims(), k)
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
