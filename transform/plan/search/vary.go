package search

import (
	"slices"

	"loopc/transform/plan"
)

// arrangements tries other grids and CPU meshes for the workers of p.
func (c *chooser) arrangements(p *plan.Plan) {
	limit := make([]int, len(p.Side))
	for k := range limit {
		limit[k] = max(1, (p.Hi[k]-p.Lo[k]+1)/max(1, p.HaloWidth[k]))
	}
	limit[p.Map] = 1
	open := func(grid, mesh []int) plan.Options {
		o := c.given
		o.Map, o.Ranks, o.CPUs = p.Options().Map, p.Ranks, p.CPUs
		o.Grid, o.Mesh = p.PerLoop(grid), p.PerLoop(mesh)
		return o
	}
	if c.given.Grid == nil && c.given.Shape <= plan.ShapeModel && plan.Product(p.Grid) > 1 {
		tried := 0
		plan.Factorize(plan.Product(p.Grid), limit, func(g []int) bool {
			o := open(slices.Clone(g), p.Mesh)
			if c.given.Mesh == nil {
				o.Mesh = nil
			}
			c.try(o)
			tried++
			return tried < mostArranged
		})
	}
	if c.given.Mesh == nil && plan.Product(p.Mesh) > 1 {
		tried := 0
		plan.Factorize(plan.Product(p.Mesh), limit, func(m []int) bool {
			c.try(open(p.Grid, slices.Clone(m)))
			tried++
			return tried < mostArranged
		})
	}
}

// openSide reports whether the planner may choose the side of tiles along k.
func (c *chooser) openSide(p *plan.Plan, k int) bool {
	tile := c.given.Tile
	if tile == nil {
		tile = c.nest.Tile
	}
	if tile == nil {
		return true
	}
	at := slices.Index(p.UserDims(), k)
	return at < 0 || tile[at] == 0
}

// sides tries narrower columns than those of p, so that the levels of a tile fit a cache, and several heights with each.
func (c *chooser) sides(p *plan.Plan) {
	c.heights(p, p.Side, 2, 40)
	for k := range p.Side {
		if k == p.Map || !c.openSide(p, k) {
			continue
		}
		share := plan.CeilDiv(p.Hi[k]-p.Lo[k]+1, p.Grid[k]*p.Mesh[k])
		for cut := 1; cut <= 16; cut *= 2 {
			side := slices.Clone(p.Side)
			side[k] = c.filled(p, k, max(plan.CeilDiv(share, cut), p.HaloWidth[k], 1))
			if cut > 1 && side[k] < plan.ThickLeast {
				break
			}
			c.heights(p, side, 2, 40)
		}
	}
}

// trades tries tiles that are longer than those of p along one dimension and shorter along another: what
// fits the cache may have longer rows, though neither side alone is better.
func (c *chooser) trades(p *plan.Plan) {
	for x := range p.Side {
		whole := plan.CeilDiv(p.Hi[x]-p.Lo[x]+1, p.Grid[x]*p.Mesh[x])
		for y := range p.Side {
			if x == y || x == p.Map || y == p.Map || p.Side[x] >= whole || !c.openSide(p, x) || !c.openSide(p, y) {
				continue
			}
			side := slices.Clone(p.Side)
			parts := max(1, plan.CeilDiv(whole, side[x])/2)
			side[x] = c.filled(p, x, plan.CeilDiv(whole, parts))
			side[y] = c.filled(p, y, max(1, p.HaloWidth[y], side[y]*p.Side[x]/side[x]))
			c.heights(p, side, 2, 2)
		}
	}
}

// mappings returns New's plan for each mapping dimension that the options leave open.
func (c *chooser) mappings() (out []*plan.Plan) {
	base := c.all[0].p
	for _, k := range base.UserDims() {
		if c.given.Map != "" && k != base.Map {
			continue
		}
		o := c.given
		o.Map = c.nest.Dims[k]
		if p, err := c.new(o); err == nil {
			out = append(out, p)
		}
	}
	return out
}

// wide tries, for each mapping dimension, tiles that are not divided along any other dimension. If lanes are levels, the cost of a
// tile's sides exceeds the gain of a small tile, because only some rows need to be in the cache.
func (c *chooser) wide() {
	for _, p := range c.mappings() {
		k := p.Map
		if k == 0 || k == len(p.Side)-1 && k > 1 {
			continue
		}
		side := slices.Clone(p.Side)
		for x := range side {
			if x != k && c.openSide(p, x) {
				side[x] = plan.CeilDiv(p.Hi[x]-p.Lo[x]+1, p.Grid[x]*p.Mesh[x])
			}
		}
		c.heights(p, side, 2, 6)
	}
}

// mostRounds is the most tiles per CPU.
const mostRounds = 16

// rounds tries tiles with entire rows, which the CPUs of a rank take cyclically along the dimension before the rows: each tile follows
// the tile of the CPU before, a slab behind, and its rows are as long as on one CPU.
func (c *chooser) rounds() {
	base := c.all[0].p
	n, cpus := len(base.Side), base.CPUs
	if n < 3 || cpus < 2 || base.Ranks > 1 || c.given.Mesh != nil || c.given.Assign != plan.Any && c.given.Assign != plan.Cyclic {
		return
	}
	along := n - 2
	for _, k := range base.UserDims() {
		if k == along || c.given.Map != "" && k != base.Map {
			continue
		}
		mesh := slices.Repeat([]int{1}, n)
		mesh[along] = cpus
		o := c.given
		o.Map, o.Mesh = c.nest.Dims[k], base.PerLoop(mesh)
		p, err := c.new(o)
		if err != nil {
			continue
		}
		side := make([]int, n)
		for x := range side {
			side[x] = p.Hi[x] - p.Lo[x] + 1
			if !c.openSide(p, x) {
				side[x] = p.Side[x]
			}
		}
		for rounds := 1; rounds <= mostRounds && c.openSide(p, along); rounds += max(1, rounds/2) {
			parts := rounds * cpus
			side[along] = max(plan.CeilDiv(p.Hi[along]-p.Lo[along]+1, parts), p.HaloWidth[along], 1)
			points := 1.0
			for _, s := range side {
				points *= float64(s)
			}
			if points > c.tileMost() {
				continue
			}
			o.Tile, o.Assign = p.PerLoop(side), plan.Cyclic
			c.try(o)
		}
		return // with one tile along it, the mapping dimension makes no difference
	}
}

// Numbers of levels of the tiles that bands tries, in powers of two.
const leastBand, mostBand = 16, 1024

// bands tries tiles of leastBand to mostBand levels that are as wide as these levels together. It does so if the last level lies far from
// the first one: higher tiles would lie mostly outside the space, and the search, one coordinate at a time, does not reach lower ones.
func (c *chooser) bands() {
	base := c.all[0].p
	extent := make([]int, len(base.Side))
	for x := range extent {
		extent[x] = base.Hi[x] - base.Lo[x] + 1
	}
	long := false
	for x := 1; x < len(extent); x++ {
		long = long || base.Moves(extent, x) > extent[x]/2
	}
	if !long || !c.openSide(base, 0) {
		return
	}
	for _, p := range c.mappings() {
		o := c.given
		o.Map = p.Options().Map
		for levels := leastBand; levels <= mostBand && levels < extent[0]; levels *= 2 {
			side := slices.Clone(p.Side)
			side[0] = levels
			for x := 1; x < len(side); x++ {
				if c.openSide(p, x) {
					wide := extent[x] - p.Moves(extent, x) + plan.CeilDiv(p.Moves(extent, x)*levels, extent[0])
					side[x] = c.filled(p, x, max(plan.CeilDiv(wide, p.Grid[x]*p.Mesh[x]), p.HaloWidth[x], 1))
				}
			}
			o.Tile = p.PerLoop(side)
			c.try(o)
		}
	}
}

// filled returns a side of about s along k in which all rows are computed in full groups, if
// the planner may choose the side: rows that remain are partly computed twice.
func (c *chooser) filled(p *plan.Plan, k, s int) int {
	extent := p.Hi[k] - p.Lo[k] + 1
	if k != len(p.Side)-2 || s >= extent || !c.openSide(p, k) {
		return s
	}
	return min(extent, s+(c.rows-s%c.rows)%c.rows)
}

// levelsMost is the most iterations of a tile if lanes are levels, whose iterations are fast.
const levelsMost = 500_000_000

// tileMost is the most iterations of a tile.
func (c *chooser) tileMost() float64 {
	if c.levels {
		return levelsMost
	}
	return plan.TileMost
}

// heights tries tiles of the given sides and several heights: the given one, multiplied and divided by the first powers (most) of factor.
func (c *chooser) heights(p *plan.Plan, side []int, factor float64, most int) {
	k := p.Map
	cross := 1.0
	for x, s := range side {
		if x != k {
			cross *= float64(s)
		}
	}
	extent := p.Hi[k] - p.Lo[k] + 1
	least := max(1, p.HaloWidth[k])
	set := func(h int) {
		o := p.Options()
		tile := slices.Clone(side)
		if k == 0 && c.levels && c.openSide(p, k) {
			h = min(extent, h+(c.lanes-h%c.lanes)%c.lanes)
		}
		tile[k] = c.filled(p, k, h)
		o.Tile = p.PerLoop(tile)
		o.Sub = 0
		if c.given.Sub > 0 {
			o.Sub = c.given.Sub
		}
		if c.given.Assign == plan.Any && !p.Chunked() {
			o.Assign = plan.Any // the planner decides: one column per worker, or a block
		}
		c.try(o)
	}
	from := side[k] * p.Sub
	set(from)
	if !c.openSide(p, k) {
		return
	}
	for i, h := 0, float64(from)/factor; i < most && int(h) >= least && h*cross >= 64; i, h = i+1, h/factor {
		set(int(h))
	}
	for i, h := 0, float64(from)*factor; i < most && h/factor < float64(extent) && h*cross <= c.tileMost(); i, h = i+1, h*factor {
		set(min(extent, int(h)))
	}
}

// schemes tries the other groupings, assignments and ways to communicate for the best plans.
func (c *chooser) schemes() {
	tops := c.best(2, nil)
	if c.given.Assign == plan.Any {
		tops = append(tops, c.best(2, func(p *plan.Plan) bool { return p.Assign == plan.Cluster })...)
		for _, x := range tops {
			if x.p.Assign != plan.Cluster {
				continue // one column per worker: all assignments are the same
			}
			for _, a := range plan.Assign(plan.Any).All() {
				if a < plan.Cyclic {
					continue // it does not deal in rounds
				}
				o := x.p.Options()
				o.Assign = a
				c.try(o)
			}
		}
	}
	if c.given.Group == plan.Any {
		for _, x := range tops {
			if plan.Product(x.p.Mesh) == 1 {
				continue
			}
			o := x.p.Options()
			o.Group, o.Sub = plan.Vertical, c.given.Sub
			// A step of a vertical group is as high as several tiles.
			for range 3 {
				c.try(o)
				at := slices.Index(x.p.UserDims(), x.p.Map)
				if at < 0 || !c.openSide(x.p, x.p.Map) {
					break
				}
				o.Tile = slices.Clone(o.Tile)
				o.Tile[at] *= 4
			}
		}
	}
	if c.given.Comm == plan.Any {
		for _, x := range c.best(2, func(p *plan.Plan) bool { return plan.Product(p.Grid) > 1 }) {
			o := x.p.Options()
			o.Comm = plan.Blocking
			c.try(o)
		}
	}
}
