package search

import (
	"cmp"
	"slices"

	"loopc/transform/plan"
	"loopc/transform/plan/cost"
)

// Thin tiles are for levels that do not fit the caches and whose rows may go in any order. A thin tile has a few planes; the tiles of a
// column follow one another. Rows at one place stay in the first cache until the rows at the next place have read them. A tile finds most
// of what it reads in the caches, where the tile before has left it, and on pages whose translations the processor still has. Package cost
// predicts the gain.

// Sides of thin tiles.
const (
	planeFit    = 17.0 / 32 // fraction of the second cache that the live levels may fill,
	planeTight  = 25.0 / 32 // and those in a compressed grid, which share it with nothing else
	planeWide   = 48        // most rows of a plane,
	planeWider  = 72        // and in a compressed grid
	leastRows   = 4         // least rows of a plane
	leastPlanes = 3         // least planes
)

// planeLevels are the numbers of levels of a tile that are tried.
var planeLevels = []int{12, 16, 24, 32}

// mostPlaneTiles is the most tiles in the box around the space: empty columns, too, take time and memory [note planner-constants].
const mostPlaneTiles = 4 << 20

// planeWidths is about how many widths of columns are tried for several CPUs. If there are few
// columns, every number of columns is tried: one column more or less decides who waits.
const planeWidths = 16

// planeTried is how many tiles are simulated for several CPUs: the most promising ones.
const planeTried = 3

// planeTiles tries thin tiles, unless all levels fit the caches of a core.
//
// Tiles follow one another along the outermost dimension of a level, unless the options name another one, so that the memory which the next
// tile brings in is contiguous [note planner-constants].
func (c *chooser) planeTiles() {
	base := c.all[0].p
	if len(base.Side) != 4 || !base.Nest.AnyRowFirst() || c.given.Mesh != nil || c.given.Assign != plan.Any && c.given.Assign != plan.Cyclic ||
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
	side := planeSide(base, along, across)
	if side == nil {
		return
	}
	box := 1.0 // tiles of the box around a space that many levels skew; most of these are empty
	for x, most := range []int{planeLevels[0], side[1], side[2]} {
		box *= float64(plan.CeilDiv(base.Hi[x]-base.Lo[x]+1, most))
	}
	if box > mostPlaneTiles {
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

// likely returns the most promising tiles with the given sides, or with fewer levels and, if CPUs take columns cyclically, columns at least
// half as wide. It decides by estimates; for one CPU these are enough, because a single CPU does not wait [note planner-constants].
func (c *chooser) likely(o plan.Options, base *plan.Plan, side []int, across int) (tiles [][]int) {
	type weighed struct {
		tile    []int
		seconds float64
	}
	var all []weighed
	reaches, extent := reaches(base, across), base.Hi[across]-base.Lo[across]+1
	least := max(base.HaloWidth[across], leastRows, (side[across]+1)/2)
	for _, most := range planeLevels {
		with := slices.Clone(side)
		with[0] = max(base.HaloWidth[0], even(side[0], most))
		columns := plan.CeilDiv(extent, side[across])
		for wide := side[across]; ; {
			with[across] = wide
			o.Tile = base.PerLoop(with)
			if p, err := c.new(o); err == nil {
				all = append(all, weighed{o.Tile, cost.Estimate(p, c.m, c.link, 0).Seconds * cyclicTime(reaches, with[0], wide, base.CPUs)})
			}
			columns += plan.CeilDiv(columns, planeWidths)
			if wide = plan.CeilDiv(extent, columns); base.CPUs == 1 || wide < least {
				break
			}
		}
	}
	slices.SortStableFunc(all, func(a, b weighed) int { return cmp.Compare(a.seconds, b.seconds) })
	all = slices.CompactFunc(all, func(a, b weighed) bool { return slices.Equal(a.tile, b.tile) })
	tried := 1
	if base.CPUs > 1 {
		tried = planeTried
	}
	for _, w := range all[:min(tried, len(all))] {
		tiles = append(tiles, w.tile)
	}
	return tiles
}

// planeSide returns the sides of thin tiles with all levels. In the dimension along, the tiles of a column follow one another, and a tile
// has as many planes as the kernel computes together. In the dimension across, a tile has as many rows as fit the cache. planeSide returns
// nil if no such tile fits [note planner-constants].
func planeSide(p *plan.Plan, along, across int) []int {
	n := len(p.Side)
	side := make([]int, n)
	for x := range side {
		side[x] = p.Hi[x] - p.Lo[x] + 1
	}
	row := (p.LevelExtent()[n-1] + p.HaloWidth[n-1]) * p.CellBytes()
	planes := p.PlanesAtOnce(plan.PlaneBytes, row/p.StorageOffset()[0])
	planes = min(max(planes, leastPlanes), plan.FewPlanes-1)
	fit, most := planeFit, planeWide
	if p.Compressed() {
		fit, most = planeTight, planeWider
	}
	wide := int(fit*float64(p.Cache))/row/(planes+p.HaloWidth[along]) - p.HaloWidth[across]
	if wide < leastRows {
		return nil
	}
	side[along] = min(side[along], max(planes, p.HaloWidth[along]))
	side[across] = even(side[across], max(min(wide, most), p.HaloWidth[across]))
	return side
}

// even returns the length of equal pieces of n, none longer than most.
func even(n, most int) int { return plan.CeilDiv(n, plan.CeilDiv(n, most)) }
