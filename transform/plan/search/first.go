package search

import (
	"math"
	"slices"
)

// Widths of the first tile that narrowed tries, as fractions of a tile.
var firstShares = []float64{0.3, 0.4}

// narrowTie is the factor by which the predicted time may be longer with a narrow first tile:
// the prediction does not know that the first slab of a tile takes twice as long as others.
const narrowTie = 1.005

// narrowTiles is the least number of tiles per CPU for a narrow first tile: with fewer, a CPU follows the other one closely all the time.
const narrowTiles = 3

// narrowed returns x, or a plan in final that may replace it, with a first and a last tile narrower than the others, if CPUs take tiles
// cyclically. It returns x if no such plan is predicted to be as fast.
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

// narrow returns the plan of x with as many tiles, but with a narrow first and last tile; share is the width of the first tile, as a
// fraction of the usual width. It returns nil if that is not a new plan.
func (c *chooser) narrow(x *candidate, share float64) *candidate {
	p := x.p
	k := slices.IndexFunc(p.Mesh, func(m int) bool { return m > 1 })
	at := slices.Index(p.UserDims(), k)
	if at < 0 || !c.openSide(p, k) || p.Tiles[k] < narrowTiles*p.Mesh[k] || !x.simulated {
		return nil
	}
	together := 1 // rows that the kernel computes together: side and halo should be a multiple
	if kernel := c.m.KernelFor(p); c.levels {
		together = max(1, kernel.Rows/max(1, kernel.Lanes))
	}
	round := func(side float64) int {
		n := int(side) + p.HaloWidth[k]
		return max(1, p.HaloWidth[k], n+(together-n%together)%together-p.HaloWidth[k])
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
	if y == nil {
		return nil
	}
	y.estimate()
	if !c.predict(y, x.rows, math.MaxInt) {
		y.seconds *= x.seconds / x.estimated.Seconds // y stays an alternative; its estimate errs as that of x did
		return nil
	}
	y.memory, y.excess = x.memory, x.excess
	return y
}
