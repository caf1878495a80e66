package plan

import (
	"slices"
	"sort"
)

// wholeReach is how far above a tile iterations may lie for which it is run, per dimension;
// nil if all tiles are.
//
// Where levels are boxes, what is written at p is of an iteration, or an iteration p + d
// reads it. What must be done before is at p - c or at a reader p - c + d of that, and so
// at p - c at least. A tile on a way from that one's, up along one dimension at a time to
// that of p, ends no more than c below p, hence c + d below an iteration, and begins at p
// at most. All these are run: so one waits for another on the whole way. Elsewhere more
// may be filled than what is read.
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
	reach := p.Drift()
	for x, d := range p.Margin {
		reach[x] += d
	}
	return reach
}

// wholeMesh returns the CPUs of a rank per dimension. Those of neighboring rows take
// as much from memory, each for its own; so they share a dimension between the mapping
// dimension and the rows, or the rows, where these are long. Else they share the levels:
// a CPU follows another through the space and reads what that one has written, which
// waits for memory for both. All are 1 if each would get too little.
func (p *Plan) wholeMesh(extent, tile []int) []int {
	mesh := make([]int, len(extent))
	for x := range mesh {
		mesh[x] = 1
	}
	share := func(x, least int) bool {
		if p.Map == 0 || x == p.Map || tile[x] != 0 || extent[x] < p.CPUs*max(least, p.Margin[x]) {
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
		share(0, wholeThin)
	}
	return mesh
}

// Moves is by how many places levels move along dimension x, from the first to the last:
// of a nest that is skewed by time, as many as there are levels.
func (p *Plan) Moves(extent []int, x int) int {
	if of := p.LevelExtent()[x]; of > 0 {
		return extent[x] - of
	}
	return 0
}

// takesTurns reports whether CPUs should take the columns of tiles in turn, rather than
// each a block of them: where they share a dimension between, because levels move along
// it, out of the block of one CPU and into that of the next; where they share
// the levels, if a CPU with a block of them had to wait until the ones before have moved
// out of its way along the mapping dimension.
func (p *Plan) takesTurns(extent []int) bool {
	last := len(extent) - 1
	for x := 1; x < last; x++ {
		if x != p.Map && p.Mesh[x] > 1 {
			return true
		}
	}
	return p.Mesh[0] > 1 && p.Moves(extent, p.Map)/p.Mesh[0] > extent[p.Map]/wholeBehind
}

// wholeSide is the longest side along dimension x that tiles should have for the sake of
// the CPUs that follow one another, each a tile behind the one before; the levels of tiles
// are chosen before.
func (p *Plan) wholeSide(x int, extent []int) int {
	last := len(extent) - 1
	between := slices.IndexFunc(p.Mesh[1:last], func(m int) bool { return m > 1 }) + 1 // shared, or 0
	ofLevel := extent[x] - p.Moves(extent, x)
	switch {
	case Product(p.Mesh) == 1 || x == last:
		return extent[x]
	case p.Mesh[last] > 1 && x == p.Map:
		return max(wholeThick, extent[x]/wholeSteps)
	case !p.Chunked():
		return extent[x]
	case between > 0 && p.Side[0] >= extent[0] && x == p.Map: // of a single pass through the space a tile's time is lost
		return wholeThin
	case between > 0 && (x == p.Map || x == between):
		return max(wholeThin, ofLevel/(wholeTurns*p.Mesh[between]))
	case p.Mesh[0] > 1 && x == p.Map:
		return max(wholeThick, ofLevel/wholePasses)
	}
	return extent[x]
}

// FewPlanes is of how few planes of rows a kernel computes the rows at one place after the
// other, if any order will do (Nest.AnyRowFirst).
const FewPlanes = 8

// fitWhole chooses the sides that are still open for tiles of whole levels, by a rule
// that was measured to be better than what estimates choose: rows are whole, the other
// sides alike, so long that the live levels fit the second cache. It reports false if the
// plan has no such tiles.
func (p *Plan) fitWhole(extent, tile []int) bool {
	n := len(extent)
	last := n - 1
	if !p.whole || p.Map == last || n < 3 {
		return false
	}
	levels := CeilDiv(extent[0], p.Mesh[0])
	if tile[0] == 0 {
		p.Side[0] = max(1, Even(levels, wholeLevels))
	}
	if p.Assign == AnyAssign && p.takesTurns(extent) {
		p.Assign = Cyclic
	}
	most := func(x int) int { return min(CeilDiv(extent[x], p.Mesh[x]), p.wholeSide(x, extent)) }
	for x := 1; x < last; x++ {
		if tile[x] == 0 {
			p.Side[x] = min(most(x), max(p.Margin[x], 1))
		}
	}
	if p.Assign == Retile { // one column for each worker
		for x := range last {
			if tile[x] == 0 && x != p.Map {
				p.Side[x] = CeilDiv(extent[x], p.Mesh[x])
			}
		}
	}
	ofLevel, fit := p.LevelExtent(), int(WholeFit*float64(p.Cache))
	for grown := true; grown; {
		grown = p.growAlike(tile, ofLevel, most, fit)
		for x := 1; x < last; x++ {
			if tile[x] != 0 || p.Side[x] >= most(x) {
				continue
			}
			if p.Side[x] >= ofLevel[x] { // the level is no wider
				p.Side[x] = most(x)
			} else if p.Side[x]++; p.Footprint() > fit && p.Side[x] > wholeThin {
				p.Side[x]--
				continue
			}
			grown = true
		}
	}
	for x := 1; x < last; x++ {
		if tile[x] == 0 && p.Mesh[x] > 1 { // as many for each CPU
			share := CeilDiv(extent[x], p.Mesh[x])
			p.Side[x] = Even(share, p.Side[x])
		}
	}
	return true
}

// growAlike lets all sides between that are open grow by as many iterations, as far as none
// comes to its end and the live levels fit, and reports whether that is any. Sides that take
// little may have very many iterations, and are not to be tried one by one.
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
	by = sort.Search(by, func(k int) bool { // the least that is too much, less one
		grow(k + 1)
		defer grow(-k - 1)
		return p.Footprint() > fit
	})
	grow(by)
	return by > 0
}
