package plan

import (
	"cmp"
	"slices"
)

// In skewed storage, one block holds the live levels of every value over the entire space, for all columns of a rank. Tiles read and
// write in place, and no cell is copied between tiles: neither faces nor carried cells. A programmer who tiles a time-stepped nest
// with two alternating arrays does the same.
//
// Location p overwrites location p - c, where c is the offset (StorageOffset): c_0 levels are kept, one more than the longest flow distance
// along dimension 0; along the other dimensions c_x is the longest flow distance or, if that is more, how far c_0 levels move. A reader r =
// p - c + d of the overwritten location, where d is a flow distance, is at most p in every coordinate and belongs to an earlier level. So r
// has been computed if tiles run in componentwise order, each after all tiles before it along any dimension. Hence the edges of such a
// plan: one to the next column along each dimension with flow. They carry no cells; every tile that runs sends a signal, even without
// iterations (see wholeReach).
//
// The tile that contains an exterior cell fills it, when the tile comes to the cell's level.
// Exterior cells below the first tile of a dimension belong to that tile.

// KeepsWhole reports whether the storage of p is skewed: the nest allows it, and there is one rank.
func (p *Plan) KeepsWhole() bool { return p.whole }

// signalBytes is the length of the message that a tile is done.
const signalBytes = 1

// signalSlots is the greatest number of signals that wait for the worker of the next column. Mostly that is all tiles of a column:
// signals take almost no memory, and a worker that runs its columns one after the other may be a column ahead.
const signalSlots = 256

// StorageOffset is the offset c of skewed storage.
//
// If a nest works in place, c_0 is the longest flow distance itself. The reader r of the overwritten location p - c (see above) may then
// belong to the level of p: r is in an earlier row, or in the row of p and not behind p; it may be p itself. This is correct, because rows
// are computed in order, and no statement reads what an earlier statement of the same row or iteration overwrites (transform's inPlace).
// Exterior cells are filled before the iterations of their level. So either locations p - c and p have the same cell, and an exterior
// location finds its content in place; or no iteration of the level of p but p itself reads p - c, as in wave equations.
//
// In a compressed grid, levels overwrite one another in a single array. Each level is shifted against the level before by the longest
// flow distance along every dimension but that of rows; rows stay at their loop index, and aligned. The compressed grid of
// [wittmann10] (see package halo) shifts forth and back by turns.
func (p *Plan) StorageOffset() []int {
	c := slices.Clone(p.HaloWidth)
	switch last := len(c) - 1; {
	case p.compressed:
		c[last] = p.Nest.Skew[last][0]
	case !p.Nest.InPlace:
		c[0]++
		for x := 1; x < len(c); x++ {
			if c[x] > 0 { // tiles along other dimensions do not wait for one another
				c[x] = max(c[x], p.Nest.Skew[x][0]*c[0])
			}
		}
	}
	return c
}

// Compressed reports whether levels are stored in a compressed grid, see StorageOffset. Exterior cells of a level are then filled
// after its iterations, because they overwrite cells that these read.
func (p *Plan) Compressed() bool { return p.compressed }

// compressedMost is the greatest fraction of the usual storage that a compressed grid may need.
const compressedMost = 3.0 / 4

// usualCompressed is the least usual storage, in bytes, for which levels are compressed, if options do not say otherwise.
const usualCompressed = 48 << 20

// compresses reports whether levels should be stored in a compressed grid: this must be
// correct, the usual storage large, and the compressed one much smaller.
//
// With c_0 = 1, the reader r = p - c + d of the overwritten location belongs to the level of p. Overwriting is correct if r lies in an
// earlier row along one dimension and in a later one along none, because rows are computed in componentwise order, each one
// completely. Levels must be boxes of rows that may otherwise be computed in any order, so there are four loops or more; their
// exterior cells are filled after their iterations [note planner-constants].
func (p *Plan) compresses(extent, tile []int) bool {
	n := p.Nest
	last := len(extent) - 1
	wholeRows := p.Map != last && p.Mesh[last] == 1 && (tile[last] == 0 || tile[last] >= extent[last])
	if !p.whole || p.Empty || !wholeRows || p.HaloWidth[0] != 1 || n.Levelled || !n.Triangular() || n.Skew[last][0] < 0 || !n.AnyRowFirst() || p.wholeReach() == nil {
		return false
	}
	for _, v := range n.Values {
		for _, d := range slices.Concat(v.Flow, v.Need) {
			if slices.Max(d) > 0 && (d[0] != 1 || slices.Equal(d[:last], p.HaloWidth[:last])) {
				return false
			}
		}
	}
	otherwise := p.WholeBytes()
	p.compressed = true
	bytes := p.WholeBytes()
	p.compressed = false
	return otherwise >= cmp.Or(p.CompressFrom, usualCompressed) && float64(bytes) <= compressedMost*float64(otherwise)
}

// Shifted is how far an offset c has moved the locations of a level along dimension x: evenly by c_x every c_0 levels. Rows of a nest
// that is skewed by time then begin at the same place in every level.
func Shifted(c []int, level, x int) int { return FloorDiv(level*c[x], c[0]) }

// signals makes the edges of a plan with skewed storage.
func (p *Plan) signals() {
	for x := range p.HaloWidth {
		if x != p.Map && p.HaloWidth[x] > 0 {
			step := make([]int, len(p.HaloWidth))
			step[x] = 1
			p.dirs = append(p.dirs, Direction{Step: step, Width: make([][]int, len(p.Nest.Values))})
		}
	}
}

// mostLevels is the greatest number of levels that wholeBox visits one by one.
const mostLevels = 1 << 12

// wholeBox writes the lowest and the highest places of the locations that are stored or read, per dimension but 0. A place is a coordinate
// minus how far it is shifted.
func (p *Plan) wholeBox(lo, hi []int) {
	n := len(p.Side)
	for x := range lo {
		lo[x], hi[x] = 0, -1
	}
	if p.Empty {
		return
	}
	first := p.Lo[0] - p.Below
	if p.Hi[0]-first >= mostLevels {
		p.shiftedBox(lo, hi)
		return
	}
	found := false
	c := p.StorageOffset()
	from, to := make([]int, n), make([]int, n)
	for level := first; level <= p.Hi[0]; level++ {
		if !p.LevelBox(level, from, to) {
			continue
		}
		for x := 1; x < n; x++ {
			// Iterations of the level read up to HaloWidth[0] levels below.
			a := from[x] - p.HaloWidth[x] - Shifted(c, level, x)
			b := to[x] - Shifted(c, level-p.HaloWidth[0], x)
			if !found || a < lo[x] {
				lo[x] = a
			}
			if !found || b > hi[x] {
				hi[x] = b
			}
		}
		found = true
	}
}

// shiftedBox does what wholeBox does, for very many levels; its box may be somewhat larger. It narrows a box in the coordinates
//
//	z_x = c_0·p_x - c_x·p_0
//
// in which levels that move with the offset stay in place.
func (p *Plan) shiftedBox(lo, hi []int) {
	c := p.StorageOffset()
	s := &Space{Depth: p.Space.Depth}
	for _, in := range p.Space.Ineq {
		q := inequality{C: c[0] * in.C, A: slices.Clone(in.A)}
		q.A[0] *= c[0]
		for x := 1; x < s.Depth; x++ {
			q.A[0] += in.A[x] * c[x]
		}
		s.Ineq = append(s.Ineq, q)
	}
	from, to := slices.Repeat([]int{-unbounded}, s.Depth), slices.Repeat([]int{unbounded}, s.Depth)
	from[0], to[0] = p.Lo[0]-p.Below, p.Hi[0]
	if !s.Shrink(from, to) {
		return
	}
	for x := 1; x < s.Depth; x++ {
		lo[x] = CeilDiv(from[x], c[0]) - p.HaloWidth[x]
		hi[x] = FloorDiv(to[x]+c[x]*p.HaloWidth[0]+c[0]-1, c[0])
	}
}

// LevelBox writes a box that contains the iterations of a level, and reports false if there are none. If the run is cut, these are the
// levels of the window, and those below it that a state supplies.
func (p *Plan) LevelBox(level int, lo, hi []int) bool {
	copy(lo, p.Lo)
	copy(hi, p.Hi)
	if level < p.Lo[0] { // these may lie elsewhere
		for x := range lo {
			lo[x], hi[x] = -unbounded, unbounded
		}
	}
	lo[0], hi[0] = level, level
	return level >= p.Lo[0]-p.Below && level <= p.Hi[0] && p.Space.Shrink(lo, hi)
}

// WholeLayout writes the strides of the block in skewed storage, in cells, and the lowest place in it. It returns the number of cells
// of a level, how many more cells must follow the last level, and the number of cells of the largest type in a cache line. The first
// iteration of a row is aligned to a cache line; the cells before the halo of a row are the end of the row before.
func (p *Plan) WholeLayout(origin, stride []int) (cells, more, line int) {
	n := len(p.Side)
	hi := make([]int, n)
	p.wholeBox(origin, hi)
	size, line := p.lineCells()
	if last := n - 1; last > 0 {
		more = (line - p.HaloWidth[last]%line) % line
	}
	cells = 1
	for x := n - 1; x >= 1; x-- {
		stride[x] = cells
		cells = Apart(cells*max(0, hi[x]-origin[x]+1), size, line)
	}
	origin[n-1] -= more
	return cells, more, line
}

// lineCells returns the size in bytes of the largest type of cells among all arrays, and the number of such cells in a cache line.
func (p *Plan) lineCells() (size, unit int) {
	const line = 64
	size = 1
	for _, a := range p.Nest.Arrays {
		size = max(size, a.Size)
	}
	return size, max(1, line/size)
}

// WholeBytes is the size of the block in skewed storage.
func (p *Plan) WholeBytes() int {
	n := len(p.Side)
	cells, _, _ := p.WholeLayout(make([]int, n), make([]int, n))
	return capped([]int{max(1, cells), max(1, p.CellBytes())}, 1<<60)
}

// CellBytes is the size of one location in skewed storage, summed over all levels and values.
func (p *Plan) CellBytes() int {
	bytes := 0
	for v := range p.Nest.Values {
		if p.Stored(v) {
			bytes += p.StorageOffset()[0] * p.Nest.Arrays[p.Nest.Values[v].Array].Size
		}
	}
	return bytes
}

// Tiles in skewed storage, if the planner chooses them.
const (
	WholeFit    = 21.0 / 32 // fraction of the second cache that the live levels of a tile may fill
	wholeLevels = 64        // levels of a tile
	wholeFewest = 8         // least number of levels per CPU
	wholeWide   = 64        // least extent per CPU along a middle dimension
	wholeRow    = 1024      // least number of iterations of a row per CPU

	// For several CPUs.
	wholeUneven  = 8  // rows are shared if levels move by at most 1/wholeUneven of a row
	wholeBehind  = 32 // CPUs take columns cyclically if each would otherwise begin more than 1/wholeBehind of the run after the CPU before
	wholeSteps   = 96 // tiles along the mapping dimension, if rows are shared,
	wholeThick   = 32 // but no fewer iterations per tile than this
	wholeColumns = 2  // least number of tiles of a level per CPU, along a middle dimension that is shared
	wholePasses  = 12 // tiles of a level along the mapping dimension, if levels are shared
)
