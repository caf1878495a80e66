package plan

import (
	"slices"
	"sort"
)

// wholeReach returns how far below the iterations tiles still run, per dimension: a tile runs if
// there are iterations in it or at most that far above it. It is nil if all tiles run.
//
// Tiles wait for tiles below them only along edges between neighbors, so all tiles on a path between two dependent tiles must run. Let
// levels be boxes. A write of location p matters if p is an iteration, or an exterior cell that an iteration p + d reads. It must wait for
// the write of the location p - c that it overwrites, and for the readers p - c + d of that location; none of these is below p - c. The
// tiles on the path from p - c up to p, along one dimension after another, lie at most c below p, so at most c + d below an iteration. All
// of them run, and each waits for the tile before it on the path. If levels are not boxes, exterior cells that no iteration reads may be
// filled, so all tiles run.
func (p *Plan) wholeReach() []int {
	for _, in := range p.Space.Ineq {
		bounds := 0
		for _, a := range in.A[1:] {
			if a != 0 {
				bounds++
			}
		}
		if bounds > 1 {
			return nil
		}
	}
	reach := p.StorageOffset()
	for x, d := range p.HaloWidth {
		reach[x] += d
	}
	return reach
}

// wholeMesh returns the CPUs of a rank per dimension. CPUs share a middle dimension if it is long, or else the rows if these are long; each
// then loads its own part from memory. Otherwise CPUs share the levels: each follows another one through the space and reads from the
// caches what that one has brought from memory. All entries are 1 if each CPU would get too little.
func (p *Plan) wholeMesh(extent, tile []int) []int {
	mesh := make([]int, len(extent))
	for x := range mesh {
		mesh[x] = 1
	}
	share := func(x, least int) bool {
		if p.Map == 0 || x == p.Map || tile[x] != 0 || extent[x] < p.CPUs*max(least, p.HaloWidth[x]) {
			return false
		}
		mesh[x] = p.CPUs
		return true
	}
	last := len(extent) - 1
	for x := last - 1; x > 0; x-- {
		if share(x, wholeWide) {
			return mesh
		}
	}
	if p.Moves(extent, last) > extent[last]/(wholeUneven+1) || !share(last, wholeRow) {
		share(0, wholeFewest)
	}
	return mesh
}

// Moves returns the number of places by which levels move along dimension x from the first level to the last. If the nest is skewed by
// time, that is the number of levels.
func (p *Plan) Moves(extent []int, x int) int {
	if of := p.LevelExtent()[x]; of > 0 {
		return extent[x] - of
	}
	return 0
}

// takesCyclically reports whether CPUs should take the columns of tiles cyclically, and not a block each: if CPUs share a middle dimension,
// because levels move along it from the block of one CPU into the block of the next; and if CPUs share the levels, and a CPU with a block
// would have to wait until the CPUs before it have moved out of its way along the mapping dimension.
func (p *Plan) takesCyclically(extent []int) bool {
	last := len(extent) - 1
	for x := 1; x < last; x++ {
		if x != p.Map && p.Mesh[x] > 1 {
			return true
		}
	}
	return p.Mesh[0] > 1 && p.Moves(extent, p.Map)/p.Mesh[0] > extent[p.Map]/wholeBehind
}

// wholeSide is the longest tile side along dimension x that suits CPUs that follow one another, each one tile behind the CPU before. The
// levels of tiles are chosen already.
func (p *Plan) wholeSide(x int, extent []int) int {
	last := len(extent) - 1
	between := slices.IndexFunc(p.Mesh[1:last], func(m int) bool { return m > 1 }) + 1 // the middle dimension that is shared, or 0
	ofLevel := extent[x] - p.Moves(extent, x)
	switch {
	case Product(p.Mesh) == 1 || x == last:
		return extent[x]
	case p.Mesh[last] > 1 && x == p.Map:
		return max(wholeThick, extent[x]/wholeSteps)
	case !p.Chunked():
		return extent[x]
	case between > 0 && p.Side[0] >= extent[0] && x == p.Map: // in a single pass through the space, CPUs lose the time of a tile
		return wholeFewest
	case between > 0 && (x == p.Map || x == between):
		return max(wholeFewest, ofLevel/(wholeColumns*p.Mesh[between]))
	case p.Mesh[0] > 1 && x == p.Map:
		return max(wholeThick, ofLevel/wholePasses)
	}
	return extent[x]
}

// FewPlanes is the greatest number of planes for which a kernel computes the rows of all planes at one place before those at the next, if
// rows may be computed in any order (Nest.AnyRowFirst).
const FewPlanes = 8

// fitWhole chooses the open sides of tiles in skewed storage, by a rule that measurements found better than the estimates: rows are entire,
// there are at most wholeLevels levels, and the middle sides grow alike until the live levels fill the second cache. It reports false if
// the rule does not apply.
func (p *Plan) fitWhole(extent, tile []int) bool {
	n := len(extent)
	last := n - 1
	if !p.whole || p.Map == last || n < 3 {
		return false
	}
	share := func(x int) int { return CeilDiv(extent[x], p.Mesh[x]) }
	if tile[0] == 0 {
		p.Side[0] = max(1, even(share(0), wholeLevels))
	}
	if p.Assign == Any && p.takesCyclically(extent) {
		p.Assign = Cyclic
	}
	most := func(x int) int { return min(share(x), p.wholeSide(x, extent)) }
	for x := 1; x < last; x++ {
		if tile[x] == 0 {
			p.Side[x] = min(most(x), max(p.HaloWidth[x], 1))
		}
	}
	if p.Assign == Retile { // one column for each worker
		for x := range last {
			if tile[x] == 0 && x != p.Map {
				p.Side[x] = share(x)
			}
		}
	}
	p.growToCache(tile, most)
	for x := 1; x < last; x++ {
		if tile[x] == 0 && p.Mesh[x] > 1 { // the same number for each CPU
			p.Side[x] = even(share(x), p.Side[x])
		}
	}
	return true
}

// growToCache lengthens the open middle sides (between the levels and the rows) alike, each up to
// its limit, most(x), or until the live levels of a tile fill the cache.
func (p *Plan) growToCache(tile []int, most func(x int) int) {
	ofLevel, fit := p.LevelExtent(), int(WholeFit*float64(p.Cache))
	for grown := true; grown; {
		grown = p.growAlike(tile, ofLevel, most, fit)
		for x := 1; x < len(tile)-1; x++ {
			if tile[x] != 0 || p.Side[x] >= most(x) {
				continue
			}
			if p.Side[x] >= ofLevel[x] { // levels are no wider
				p.Side[x] = most(x)
			} else if p.Side[x]++; p.Footprint() > fit && p.Side[x] > wholeFewest {
				p.Side[x]--
				continue
			}
			grown = true
		}
	}
}

// growAlike lengthens all open middle sides by the same number of iterations, as long as none reaches its limit and the live levels fit,
// and reports whether it could. Sides may have very many iterations, so it does not try them one by one.
func (p *Plan) growAlike(tile, ofLevel []int, most func(x int) int, fit int) bool {
	var open []int
	by := unbounded
	for x := 1; x < len(tile)-1; x++ {
		if tile[x] != 0 || p.Side[x] >= most(x) {
			continue
		}
		open = append(open, x)
		by = min(by, most(x)-p.Side[x], ofLevel[x]-p.Side[x])
	}
	if len(open) == 0 || by <= 0 {
		return false
	}
	grow := func(by int) {
		for _, x := range open {
			p.Side[x] += by
		}
	}
	by = sort.Search(by, func(k int) bool { // the greatest growth that fits
		grow(k + 1)
		defer grow(-k - 1)
		return p.Footprint() > fit
	})
	grow(by)
	return by > 0
}
