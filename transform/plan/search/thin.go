package search

import (
	"cmp"
	"slices"

	"loopc/transform/plan"
	"loopc/transform/plan/cost"
)

// Thin tiles are for levels that are planes of rows, in any order, and go through memory: some
// planes, one column of tiles after the other. Their rows at one place stay in the first cache
// until those at the next have read them, and a tile finds most of what it reads where the one
// before it has left it, in the caches, and on pages that the processor knows. How much that is
// worth, predictions tell: see package cost.

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
	if len(base.Side) != 4 || !base.Nest.AnyRowFirst() || c.given.Mesh != nil || c.given.Assign != plan.AnyAssign && c.given.Assign != plan.Cyclic ||
		base.WholeBytes() <= int(plan.WholeFit*float64(base.Cache)) {
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
	side := thinSide(base, along, across)
	if side == nil {
		return
	}
	box := 1.0 // tiles of the box around a space that many levels skew, most of them empty
	for x, most := range []int{thinLevels[0], side[1], side[2]} {
		box *= float64(plan.CeilDiv(base.Hi[x]-base.Lo[x]+1, most))
	}
	if box > thinMost {
		return
	}
	o := c.given
	o.Map, o.Assign = c.nest.Dims[along], plan.Cyclic
	if base.CPUs > 1 {
		mesh := slices.Repeat([]int{1}, len(side))
		mesh[across] = base.CPUs
		o.Mesh = base.PerLoop(mesh)
	}
	for _, tile := range c.likely(o, base, side, across) {
		o.Tile = tile
		c.try(o)
	}
}

// likely returns the likeliest tiles with such sides, or fewer levels and, for CPUs that take
// columns in turn, columns that are at least half as wide: by estimates, which of one CPU are
// enough, for it does not wait [note planner-constants].
func (c *chooser) likely(o plan.Options, base *plan.Plan, side []int, across int) (tiles [][]int) {
	type weighed struct {
		tile    []int
		seconds float64
	}
	var all []weighed
	reaches, extent := reaches(base, across), base.Hi[across]-base.Lo[across]+1
	least := max(base.Margin[across], thinRows, (side[across]+1)/2)
	for _, most := range thinLevels {
		with := slices.Clone(side)
		with[0] = max(base.Margin[0], plan.Even(side[0], most))
		columns := plan.CeilDiv(extent, side[across])
		for wide := side[across]; ; {
			with[across] = wide
			o.Tile = base.PerLoop(with)
			if p, err := c.new(o); err == nil {
				all = append(all, weighed{o.Tile, cost.Estimate(p, c.m, c.link) * turnsTake(reaches, with[0], wide, base.CPUs)})
			}
			columns += plan.CeilDiv(columns, thinWidths)
			if wide = plan.CeilDiv(extent, columns); base.CPUs == 1 || wide < least {
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
func thinSide(p *plan.Plan, along, across int) []int {
	n := len(p.Side)
	side := make([]int, n)
	for x := range side {
		side[x] = p.Hi[x] - p.Lo[x] + 1
	}
	row := (p.LevelExtent()[n-1] + p.Margin[n-1]) * p.CellBytes()
	planes := p.Layers(plan.LayerBytes, row/p.Drift()[0])
	planes = min(max(planes, thinPlanes), plan.FewPlanes-1)
	fit, most := thinFit, thinWide
	if p.Compressed() {
		fit, most = thinTight, thinWider
	}
	wide := int(fit*float64(p.Cache))/row/(planes+p.Margin[along]) - p.Margin[across]
	if wide < thinRows {
		return nil
	}
	side[along] = min(side[along], max(planes, p.Margin[along]))
	side[across] = plan.Even(side[across], max(min(wide, most), p.Margin[across]))
	return side
}
