package plan

import (
	"fmt"
	"math"
	"strings"
)

// checkCounts refuses numbers of ranks and CPUs that no machine has.
func checkCounts(o Options) error {
	count := func(what string, given int, mesh []int) error {
		if given > MostWorkers {
			return fmt.Errorf("%d %s are too many: %d at most", given, what, MostWorkers)
		}
		n := 1
		for _, x := range mesh {
			if x > MostWorkers || n*max(1, x) > MostWorkers {
				return fmt.Errorf("%s %s are too many: %d at most", Times(mesh), what, MostWorkers)
			}
			n *= max(1, x)
		}
		return nil
	}
	if err := count("ranks", o.Ranks, o.Grid); err != nil {
		return err
	}
	return count("CPUs", o.CPUs, o.Mesh)
}

// Rough relative costs for the rules of New. They choose between valid plans, so their exact values do not matter.
const (
	costPoint   = 2.0       // computing a point, ns
	costByte    = 0.5       // packing, sending and unpacking a byte between ranks, ns
	costByteIn  = 0.15      // the same between workers of a rank
	costSub     = 1000      // handing a sub-tile from one CPU to the next, ns
	l2Bytes     = 384 << 10 // most bytes of a tile's live levels: part of the second cache
	tileLeast   = 20_000    // points of a tile; with fewer, the cost of a step is noticeable
	TileMost    = 2_000_000 // points of a tile; with more, canceling and progress are coarse
	rowLeast    = 256       // points of a row, if the rule may choose
	rowWish     = 1536      // points of a row that is streamed to memory
	ThickLeast  = 16        // iterations of a tile along other dimensions
	stepsPerRow = 10        // tiles along the mapping dimension per worker in the pipeline
	mostColumns = 1 << 20   // columns of tiles of a run
	MostWorkers = 1 << 17   // ranks of a run, and CPUs of a rank
)

// chooseSides chooses the sides of the tiles, and so the number of columns per worker.
func (p *Plan) chooseSides(extent, tile []int, sub int) error {
	n := len(extent)
	p.whole = p.Nest.Whole && Product(p.Grid) == 1 && p.HaloWidth[0] > 0
	p.Side, p.Tiles, p.Block = make([]int, n), make([]int, n), make([]int, n)
	p.compressed = p.compresses(extent, tile)
	given, asked := tile, p.Assign
	if p.Assign == Retile {
		tile = p.retile(extent, tile)
	}
	depth := 0 // of the pipeline, in workers
	for k := range extent {
		if k == p.Map {
			continue
		}
		workers := p.Grid[k] * p.Mesh[k]
		p.Side[k] = min(tile[k], extent[k])
		if tile[k] == 0 {
			p.Side[k] = max(CeilDiv(extent[k], workers), min(p.HaloWidth[k], extent[k]), 1)
		}
		depth += workers - 1
	}
	p.Side[p.Map] = min(tile[p.Map], extent[p.Map])
	if !p.fitWhole(extent, tile) {
		p.fitCache(extent, tile, depth)
	}
	p.enlarge(extent, tile)
	if err := p.cutTile(extent, tile, sub); err != nil {
		return err
	}
	for k := range extent {
		p.Tiles[k] = CeilDiv(extent[k], p.Side[k])
		if p.Tiles[k] > 1 && p.Side[k] < p.HaloWidth[k] {
			return fmt.Errorf("tile side %d along %s is less than the dependence distance %d", p.Side[k], p.Nest.Dims[k], p.HaloWidth[k])
		}
		p.Block[k] = 1
		if k != p.Map && !p.Chunked() {
			p.Block[k] = CeilDiv(p.Tiles[k], p.Grid[k]*p.Mesh[k])
		}
	}
	if p.Assign == Any {
		p.Assign = Retile
		for _, b := range p.Block {
			if b > 1 {
				p.Assign = Cluster
			}
		}
	}
	p.warnIdle()
	return p.checkSizes(given, sub, asked)
}

// enlarge makes open sides longer if the rules chose tiles that cannot run: shorter than a dependence, or too many.
func (p *Plan) enlarge(extent, tile []int) {
	for k, e := range extent {
		if tile[k] == 0 {
			p.Side[k] = min(e, max(p.Side[k], p.HaloWidth[k], 1))
		}
	}
	across := func(k int) bool { return k != p.Map }
	along := func(k int) bool { return k == p.Map }
	for p.tiles(extent, across) > mostColumns && p.widen(extent, tile, across) {
	}
	for p.tiles(extent, nil) > largest && p.widen(extent, tile, along) {
	}
	for p.tiles(extent, nil) > largest && p.widen(extent, tile, across) {
	}
}

// tiles returns the number of tiles, over the dimensions for which counts is true; nil: all.
func (p *Plan) tiles(extent []int, counts func(k int) bool) float64 {
	all := 1.0
	for k, e := range extent {
		if counts == nil || counts(k) {
			all *= float64(CeilDiv(e, p.Side[k]))
		}
	}
	return all
}

// widen doubles the open side with the most tiles, among the dimensions for which counts is true. It returns false if no side can become
// longer.
func (p *Plan) widen(extent, tile []int, counts func(k int) bool) bool {
	widest, most := -1, 1
	for k, e := range extent {
		if n := CeilDiv(e, p.Side[k]); counts(k) && tile[k] == 0 && n > most {
			widest, most = k, n
		}
	}
	if widest < 0 {
		return false
	}
	p.Side[widest] = min(extent[widest], 2*p.Side[widest])
	return true
}

// retile returns tile sides for which every worker has one column; it returns the given sides if there are no more columns than workers.
// The number of iterations of a tile stays as close to that of the given tile as integer sides allow [P2] section 4. Unlike in (9), (10),
// sides are rounded up, and no side is shorter than the longest dependence.
func (p *Plan) retile(extent, tile []int) []int {
	tile = append([]int(nil), tile...)
	before, after := 1.0, 1.0
	for k := range tile {
		if k == p.Map || tile[k] == 0 {
			continue
		}
		before *= float64(tile[k])
		tile[k] = max(tile[k], CeilDiv(extent[k], p.Grid[k]*p.Mesh[k]), min(p.HaloWidth[k], extent[k]))
		after *= float64(tile[k])
	}
	if m := p.Map; tile[m] > 0 && after > before {
		tile[m] = max(1, p.HaloWidth[m], int(math.Ceil(float64(tile[m])*before/after)))
	}
	return tile
}

// cutTile cuts the tiles along the mapping dimension into N sub-tiles if they are grouped
// vertically: N is sub or, if sub is 0, the number that costs least [P1] (5).
func (p *Plan) cutTile(extent, tile []int, sub int) error {
	p.Sub = 1
	m := p.Map
	if p.Group != Vertical {
		if sub > 1 {
			return fmt.Errorf("tiles are cut into sub-tiles with vertical grouping only, not with %s", p.Group)
		}
		return nil
	}
	least := max(1, p.HaloWidth[m])
	if sub > 0 && tile[m] == 0 { // sub is given and the side is not: the side follows
		p.Side[m] = min(extent[m], max(p.Side[m], min(sub, CeilDiv(extent[m], least))*least))
	}
	p.Sub = sub
	if sub == 0 {
		points := 1.0
		for _, s := range p.Side {
			points *= float64(s)
		}
		p.Sub = max(1, min(int(min(math.Sqrt(points*costPoint/costSub), largest/p.tiles(extent, nil)/2)), p.Side[m]/least))
	}
	whole := p.Side[m]
	p.Side[m] = CeilDiv(whole, p.Sub)
	p.Sub = CeilDiv(whole, p.Side[m]) // there may be fewer iterations than sub
	if sub > 0 && p.Side[m] < least && p.Side[m] < extent[m] {
		return fmt.Errorf("%d sub-tiles of a tile are %d iterations high along %s, less than the dependence distance %d", sub, p.Side[m], p.Nest.Dims[m], least)
	}
	return nil
}

// fitCache chooses the open sides: the height along the mapping dimension, so that the pipeline fills quickly but a step is worth its
// cost, and narrower columns if the live levels of a tile would not fit a cache.
func (p *Plan) fitCache(extent, tile []int, depth int) {
	n := len(extent)
	// The least and the desired height of a tile. The pipeline must fill quickly, but rows
	// along the mapping dimension are streamed to memory and should be long.
	least, wish := 1, 1
	switch {
	case p.Map == n-1:
		least, wish = rowLeast, rowWish
	case p.Map > 0:
		least, wish = ThickLeast, ThickLeast
	}
	least = min(max(least, p.HaloWidth[p.Map]), extent[p.Map])
	pipe := extent[p.Map]
	if depth > 0 {
		pipe = max(1, pipe/(stepsPerRow*depth))
	}
	height := tile[p.Map]
	if height == 0 {
		height = max(least, min(wish, pipe))
	}
	for k := n - 1; k >= 1 && p.Assign != Retile; k-- { // else a worker has one column
		if k != p.Map && tile[k] == 0 {
			p.narrowToCache(k, extent, height)
		}
	}
	if tile[p.Map] != 0 {
		return
	}
	cross := 1
	for k := range extent {
		if k != p.Map {
			cross = capped([]int{cross, p.Side[k]}, 1<<40)
		}
	}
	h := min(CeilDiv(TileMost, cross), pipe)
	if p.Map > 0 {
		h = min(h, l2Bytes/max(1, p.liveBytes(1)))
	}
	p.Side[p.Map] = min(max(h, CeilDiv(tileLeast, cross), least, 1), extent[p.Map])
}

// narrowToCache cuts the side along dimension k until the live levels of a tile with the given height fit the cache. It stops earlier if
// the side is short or there are too many columns.
func (p *Plan) narrowToCache(k int, extent []int, height int) {
	least := ThickLeast
	if k == len(extent)-1 {
		least = rowLeast
	}
	least = max(least, p.HaloWidth[k])
	others := 1 // columns along the other dimensions
	for x := range extent {
		if x != k && x != p.Map {
			others = capped([]int{others, CeilDiv(extent[x], p.Side[x])}, mostColumns)
		}
	}
	// Small strides first, then larger ones: a side may have 2^48 iterations.
	whole := p.Side[k]
	for cut := 2; p.liveBytes(height) > l2Bytes; cut += 1 + cut/16 {
		side := CeilDiv(whole, cut)
		if side < least || CeilDiv(extent[k], side) > mostColumns/others {
			return
		}
		p.Side[k] = side
	}
}

// liveBytes is the size in bytes of the live levels of a tile with the given height along the
// mapping dimension, but at most about 1024 times l2Bytes, so that it does not overflow.
func (p *Plan) liveBytes(height int) int {
	bytes := 0
	for _, v := range p.Nest.Values {
		bytes += v.Levels() * p.Nest.Arrays[v.Array].Size
	}
	for k, s := range p.Side[1:] {
		if k+1 == p.Map {
			s = height
		}
		if bytes > l2Bytes*1024/max(1, s) {
			return l2Bytes * 1024
		}
		bytes *= s
	}
	return bytes
}

// warnIdle warns of ranks and CPUs that have nothing to do.
func (p *Plan) warnIdle() {
	if p.Empty {
		return
	}
	used := 1
	for k := range p.Tiles {
		if k != p.Map {
			used *= min(p.Grid[k], CeilDiv(p.Tiles[k], p.Block[k]*p.Mesh[k]))
		}
	}
	columns := p.Columns()
	if used < p.Ranks {
		stay := "stay"
		if p.Ranks-used == 1 {
			stay = "stays"
		}
		p.Warnings = append(p.Warnings, fmt.Sprintf("%s of tiles on %s: %s %s idle", Plural(columns, "column"), Plural(p.Ranks, "rank"), Plural(p.Ranks-used, "rank"), stay))
	}
	if cpus := Product(p.Mesh); cpus < p.CPUs {
		p.Warnings = append(p.Warnings, fmt.Sprintf("%s of tiles: each rank uses %d of its %d CPUs", Plural(columns, "column"), cpus, p.CPUs))
	}
}

func Plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// checkSizes refuses plans with more tiles, edges or bytes than the runtime can count. The
// error names the options that cause them: the given sides, the assignment or the sub-tiles.
func (p *Plan) checkSizes(given []int, sub int, asked Assign) error {
	total, columns := 1.0, 1.0
	for k, t := range p.Tiles {
		total *= float64(t)
		if k != p.Map {
			columns *= float64(t)
		}
	}
	switch {
	case columns > mostColumns:
		return fmt.Errorf("%s columns of tiles are too many for one run, 2^20 at most; %s", many(columns), p.larger(given, p.Map))
	case total > largest && sub > 1:
		return fmt.Errorf("%d sub-tiles make %s tiles, 2^48 at most", sub, many(total))
	case total > largest:
		return fmt.Errorf("%s tiles are too many, 2^48 at most; %s", many(total), p.larger(given, -1))
	}
	for _, v := range p.Nest.Values {
		bytes := v.Levels() * p.Nest.Arrays[v.Array].Size
		for k := range p.Side {
			if k == 0 {
				continue
			}
			s := p.Side[k] + p.HaloWidth[k]
			if bytes > (1<<56)/s {
				return p.tooLarge(given, asked)
			}
			bytes *= s
		}
	}
	return nil
}

// many formats a number that may be very large.
func many(x float64) string {
	if x < 1e12 {
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.3g", x)
}

// larger advises to make the given tile sides larger. It leaves out dimension skipped.
func (p *Plan) larger(given []int, skipped int) string {
	var sides []string
	for k, s := range given {
		if s > 0 && p.Tiles[k] > 1 && k != skipped {
			sides = append(sides, fmt.Sprintf("%d along %s", s, p.Nest.Dims[k]))
		}
	}
	if len(sides) == 0 {
		return "use smaller parameters"
	}
	return "make the tile sides larger: " + strings.Join(sides, ", ")
}

// tooLarge explains why a tile is too large, given the sides and the assignment that were asked for.
func (p *Plan) tooLarge(given []int, asked Assign) error {
	text := fmt.Sprintf("a tile of %s iterations is too large", Times(p.PerLoop(p.Side)))
	switch {
	case Product(given) > 1:
		return fmt.Errorf("%s; make the tile sides smaller", text)
	case asked == Retile:
		return fmt.Errorf("%s; with retile a worker has one column of tiles: use more of them, or another assignment", text)
	}
	return fmt.Errorf("%s; use smaller parameters", text)
}
