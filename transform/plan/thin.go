package plan

import (
	"cmp"
	"slices"
)

// Thin tiles are for levels that are planes of rows, in any order, and go through memory: some
// planes, one column of tiles after the other. Their rows at one place stay in the first cache
// until those at the next have read them, and a tile finds most of what it reads where the one
// before it has left it, in the caches, and on pages that the processor knows. How much that is
// worth, predictions tell: see moved.

// LayerBytes is what rows of planes that are computed together should take of the first cache.
const LayerBytes = 32 << 10

// Layers is how many planes are computed together whose rows, of all values, take so many
// bytes: of each the rows that are read at one place and the one that is written stay in the
// first cache, and a row of each plane beside them.
func (p *Plan) Layers(bytes, row int) int {
	last := len(p.Margin) - 1
	return max(1, (bytes/row-p.Margin[last-2])/(p.Margin[last-1]+2))
}

// Sides of thin tiles.
const (
	thinFit    = 17.0 / 32 // of the second cache, that the live levels should fill at most,
	thinTight  = 25.0 / 32 // compressed ones, which nothing else comes in for
	thinWide   = 48        // rows of a plane, at most,
	thinWider  = 72        // of compressed levels,
	thinRows   = 4         // and at least
	thinPlanes = 3         // at least
)

// thinLevels are how many levels of a tile are weighed.
var thinLevels = []int{12, 16, 24, 32}

// thinMost is how many tiles the box around the space may have: columns take time and memory
// also where they are empty [note planner-constants].
const thinMost = 4 << 20

// thinWidths is how many widths of columns are weighed for several CPUs: one after the other of
// few columns, where one more or less decides on who waits.
const thinWidths = 16

// thinTried is how many tiles are simulated for several CPUs, the likeliest ones.
const thinTried = 3

// thin tries thin tiles, unless a tile that is not has all levels in the caches of a core.
//
// Tiles follow one another along the outermost dimension of a level, unless another is asked
// for, so that what the next one brings in lies together [note planner-constants].
func (c *chooser) thin() {
	base := c.all[0].p
	if len(base.Side) != 4 || !base.Nest.AnyRowFirst() || c.given.Mesh != nil || c.given.Assign != AnyAssign && c.given.Assign != Cyclic ||
		base.wholeBytes() <= int(wholeFit*float64(base.cache)) {
		return
	}
	for x := range base.Side {
		if !c.openSide(base, x) {
			return
		}
	}
	along := 1
	if c.given.Map != "" {
		along = base.Map
	}
	if along != 1 && along != 2 {
		return
	}
	across := 3 - along
	side := base.thinSide(along, across)
	if side == nil {
		return
	}
	box := 1.0 // tiles of the box around a space that many levels skew, most of them empty
	for x, most := range []int{thinLevels[0], side[1], side[2]} {
		box *= float64(CeilDiv(base.Hi[x]-base.Lo[x]+1, most))
	}
	if box > thinMost {
		return
	}
	o := c.given
	o.Map, o.Assign = c.nest.Dims[along], Cyclic
	if base.CPUs > 1 {
		mesh := slices.Repeat([]int{1}, len(side))
		mesh[across] = base.CPUs
		o.Mesh = base.perLoop(mesh)
	}
	for _, tile := range c.likely(o, base, side, across) {
		o.Tile = tile
		c.try(o)
	}
}

// likely returns the likeliest tiles with such sides, or fewer levels and, for CPUs that take
// columns in turn, columns that are at least half as wide: by estimates, which of one CPU are
// enough, for it does not wait [note planner-constants].
func (c *chooser) likely(o Options, base *Plan, side []int, across int) (tiles [][]int) {
	type weighed struct {
		tile    []int
		seconds float64
	}
	var all []weighed
	reaches, extent := base.reaches(across), base.Hi[across]-base.Lo[across]+1
	least := max(base.Margin[across], thinRows, (side[across]+1)/2)
	for _, most := range thinLevels {
		with := slices.Clone(side)
		with[0] = max(base.Margin[0], even(side[0], most))
		columns := CeilDiv(extent, side[across])
		for wide := side[across]; ; {
			with[across] = wide
			o.Tile = base.perLoop(with)
			if p, err := c.new(o); err == nil {
				all = append(all, weighed{o.Tile, p.Estimate(c.m, c.link) * turnsTake(reaches, with[0], wide, base.CPUs)})
			}
			columns += CeilDiv(columns, thinWidths)
			if wide = CeilDiv(extent, columns); base.CPUs == 1 || wide < least {
				break
			}
		}
	}
	slices.SortStableFunc(all, func(a, b weighed) int { return cmp.Compare(a.seconds, b.seconds) })
	all = slices.CompactFunc(all, func(a, b weighed) bool { return slices.Equal(a.tile, b.tile) })
	tried := 1
	if base.CPUs > 1 {
		tried = thinTried
	}
	for _, w := range all[:min(tried, len(all))] {
		tiles = append(tiles, w.tile)
	}
	return tiles
}

// thinSide returns the sides of thin tiles with all levels, whose columns go along one
// dimension and have some rows across: as many planes as are computed together. It returns
// nil if there is no room for any [note planner-constants].
func (p *Plan) thinSide(along, across int) []int {
	n := len(p.Side)
	side := make([]int, n)
	for x := range side {
		side[x] = p.Hi[x] - p.Lo[x] + 1
	}
	row := (p.ofLevel()[n-1] + p.Margin[n-1]) * p.cellBytes()
	planes := p.Layers(LayerBytes, row/p.Drift()[0])
	planes = min(max(planes, thinPlanes), FewPlanes-1)
	fit, most := thinFit, thinWide
	if p.compressed {
		fit, most = thinTight, thinWider
	}
	wide := int(fit*float64(p.cache))/row/(planes+p.Margin[along]) - p.Margin[across]
	if wide < thinRows {
		return nil
	}
	side[along] = min(side[along], max(planes, p.Margin[along]))
	side[across] = even(side[across], max(min(wide, most), p.Margin[across]))
	return side
}

// even is the length of pieces of n, alike, of no more than most.
func even(n, most int) int { return CeilDiv(n, CeilDiv(n, most)) }
