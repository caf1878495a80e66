package plan

import (
	"cmp"
	"slices"
)

// Levels may be kept whole: one block holds, for all columns of a rank, as many
// levels of every value as are live, over the whole space. Tiles then read and write
// in place, and nothing is copied from one to another, neither faces nor what a
// column carries from a tile to the next. That is how a time-stepped nest with two
// arrays that take turns is tiled by hand.
//
// Location p takes the place of location p - c, where c is the drift: c_0 levels are
// kept, one more than the longest flow distance along dimension 0, and along the other
// dimensions c_x is the longest flow distance. A reader r = p - c + d of what is
// overwritten, d a flow distance, is at most p in every coordinate, and of an earlier
// level. So it has been computed if tiles run in componentwise order, each after all
// that lie before it along any dimension: hence the edges of such a plan, one to the
// next column along each dimension with flow, which every tile that is run has a signal
// for, also those without iterations: see wholeReach. They carry no cells.
//
// The tile that contains an exterior cell fills it, with what the cell of the array
// contains, when the tile comes to its level. Cells below the first tile of a dimension
// belong to that tile.

// KeepsWhole reports whether the levels of p are kept whole: those of a nest that
// asks for it, on one rank.
func (p *Plan) KeepsWhole() bool { return p.whole }

// signalBytes is the length of the message that tells that a tile is done.
const signalBytes = 1

// signalSlots is how many signals wait at most for the worker of the next column: all of
// a column, as a rule, for they take no memory to speak of, and a worker that runs its
// columns one after the other is a column ahead.
const signalSlots = 256

// Drift is c.
//
// Of a nest that works in place, c_0 is the longest flow distance itself. The reader r
// may then be of the level of p, in a row before it or in its own, no farther along, or
// be p: rows are computed in order, and a statement that reads what another one of the
// row or of the iteration replaces is not below it (transform's inPlace). The cell of
// p - c is that of p, so that a location outside the space finds there what it contains.
//
// Compressed levels take the place of one another in a single one, too, but along no cell:
// each lies beside the one before, the longest flow distance further down along every
// dimension but that of rows, which stay where the loops have them, and are aligned. Time
// tiling on a compressed grid (Wittmann, Hager, Treibig and Wellein, "Leveraging shared caches for
// parallel temporal blocking of stencil codes on multicore processors and clusters", 2010)
// does that in turns, forth and back.
func (p *Plan) Drift() []int {
	c := append([]int(nil), p.Margin...)
	switch last := len(c) - 1; {
	case p.compressed:
		c[last] = p.Nest.Skew[last][0]
	case !p.Nest.InPlace:
		c[0]++
	}
	return c
}

// Compressed reports whether levels are compressed, see Drift. What lies outside a level is
// filled after its iterations then, for it takes the place of what these read.
func (p *Plan) Compressed() bool { return p.compressed }

// compressedMost is what compressed levels should take, at most, of what they take otherwise.
const compressedMost = 3.0 / 4

// usualCompressed is how many bytes levels that are compressed take otherwise, at least, where
// options do not say it.
const usualCompressed = 48 << 20

// compresses reports whether levels should be compressed: they may be, and are much smaller
// then and large otherwise.
//
// They may where the reader r = p - c + d of what location p replaces, c_0 = 1, which is of
// the level of p, lies in a row before it along one dimension and behind it along none: rows
// are computed in componentwise order, and each as a whole. Levels must be boxes, of rows that
// may be computed in any order otherwise, hence of four loops at least: what lies outside of
// them is filled when their iterations are done [note planner-constants].
func (p *Plan) compresses(extent, tile []int) bool {
	n := p.Nest
	last := len(extent) - 1
	wholeRows := p.Map != last && p.Mesh[last] == 1 && (tile[last] == 0 || tile[last] >= extent[last])
	if !p.whole || p.Empty || !wholeRows || p.Margin[0] != 1 || n.Levelled || !n.Triangular() || n.Skew[last][0] < 0 || !n.AnyRowFirst() || p.wholeReach() == nil {
		return false
	}
	for _, v := range n.Values {
		for _, d := range slices.Concat(v.Flow, v.Need) {
			if slices.Max(d) > 0 && (d[0] != 1 || slices.Equal(d[:last], p.Margin[:last])) {
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

// Drifted is how far a drift of c moves the locations of a level along dimension x: by
// c_x every c_0 levels, evenly. Rows of a nest that is skewed by time then begin at
// the same place at every level.
func Drifted(c []int, level, x int) int { return FloorDiv(level*c[x], c[0]) }

// signals makes the edges of a plan whose levels are kept whole.
func (p *Plan) signals() {
	for x := range p.Margin {
		if x != p.Map && p.Margin[x] > 0 {
			step := make([]int, len(p.Margin))
			step[x] = 1
			p.dirs = append(p.dirs, Direction{Step: step, Width: make([][]int, len(p.Nest.Values))})
		}
	}
}

// WholeBox writes the lowest places, in coordinates minus drift, of the locations that
// are kept whole or read, per dimension but 0, and the highest.
func (p *Plan) WholeBox(lo, hi []int) {
	n := len(p.Side)
	for x := range lo {
		lo[x], hi[x] = 0, -1
	}
	if p.Empty {
		return
	}
	if p.Hi[0]-p.Lo[0] >= mostLevels {
		p.driftedBox(lo, hi)
		return
	}
	some := false
	c := p.Drift()
	from, to := make([]int, n), make([]int, n)
	for level := p.Lo[0]; level <= p.Hi[0]; level++ {
		if !p.LevelBox(level, from, to) {
			continue
		}
		for x := 1; x < n; x++ {
			// What iterations of the level read lies up to c_0 - 1 levels below.
			a := from[x] - p.Margin[x] - Drifted(c, level, x)
			b := to[x] - Drifted(c, level-p.Margin[0], x)
			if !some || a < lo[x] {
				lo[x] = a
			}
			if !some || b > hi[x] {
				hi[x] = b
			}
		}
		some = true
	}
}

// mostLevels is of how many levels WholeBox looks at each.
const mostLevels = 1 << 12

// driftedBox is WholeBox, or a little more, for very many levels. It narrows a box of
//
//	z_x = c_0·p_x - c_x·p_0
//
// in which levels that move with the drift stay in one place.
func (p *Plan) driftedBox(lo, hi []int) {
	c := p.Drift()
	s := &Space{Depth: p.Space.Depth}
	for _, in := range p.Space.Ineq {
		q := inequality{C: c[0] * in.C, A: slices.Clone(in.A)}
		q.A[0] *= c[0]
		for x := 1; x < s.Depth; x++ {
			q.A[0] += in.A[x] * c[x]
		}
		s.Ineq = append(s.Ineq, q)
	}
	from, to, ok := s.box()
	if !ok {
		return
	}
	for x := 1; x < s.Depth; x++ {
		lo[x] = CeilDiv(from[x], c[0]) - p.Margin[x]
		hi[x] = FloorDiv(to[x]+c[x]*p.Margin[0]+c[0]-1, c[0])
	}
}

// LevelBox writes a box that holds the iterations of a level and reports false if it
// has none.
func (p *Plan) LevelBox(level int, lo, hi []int) bool {
	copy(lo, p.Lo)
	copy(hi, p.Hi)
	lo[0], hi[0] = level, level
	return level >= p.Lo[0] && level <= p.Hi[0] && p.Space.Shrink(lo, hi)
}

// WholeLayout writes the strides of a block of whole levels, in cells, and the lowest
// place that it has room for; it returns the cells of a level, and of how many more there must
// be room behind the last one. Rows begin at the alignment of vectors where the first
// iteration of a row lies; what lies before, in front of the margin, is the end of the row
// before.
func (p *Plan) WholeLayout(origin, stride []int) (cells, more int) {
	n := len(p.Side)
	hi := make([]int, n)
	p.WholeBox(origin, hi)
	size, unit := p.lineCells()
	if last := n - 1; last > 0 {
		more = (unit - p.Margin[last]%unit) % unit
	}
	cells = 1
	for x := n - 1; x >= 1; x-- {
		stride[x] = cells
		cells = Apart(cells*max(0, hi[x]-origin[x]+1), size, unit)
	}
	origin[n-1] -= more
	return cells, more
}

// lineCells returns the size of a cell in bytes, the largest of all arrays', and how many
// such cells a cache line has.
func (p *Plan) lineCells() (size, unit int) {
	const line = 64
	size = 1
	for _, a := range p.Nest.Arrays {
		size = max(size, a.Size)
	}
	return size, max(1, line/size)
}

// LineCells is how many cells of the largest kind a cache line has: the first iteration
// of a row of whole levels lies at a multiple of it.
func (p *Plan) LineCells() int {
	_, unit := p.lineCells()
	return unit
}

// WholeBytes is the memory of the block of a plan whose levels are kept whole.
func (p *Plan) WholeBytes() int {
	n := len(p.Side)
	cells, _ := p.WholeLayout(make([]int, n), make([]int, n))
	return capped([]int{max(1, cells), max(1, p.CellBytes())}, 1<<60)
}

// CellBytes is what a cell of all levels that are kept takes.
func (p *Plan) CellBytes() int {
	bytes := 0
	for v := range p.Nest.Values {
		if p.Stored(v) {
			bytes += p.Drift()[0] * p.Nest.Arrays[p.Nest.Values[v].Array].Size
		}
	}
	return bytes
}

// Tiles of whole levels, where the planner chooses them.
const (
	WholeFit    = 21.0 / 32 // of the second cache, that a tile's live levels should fill at most
	wholeLevels = 64        // levels of a tile
	wholeThin   = 8         // levels that a CPU should have
	wholeWide   = 64        // places along a dimension between that a CPU should have
	wholeRow    = 1024      // iterations of a row

	// The same for several CPUs.
	wholeUneven = 8  // rows are shared if levels move by no more than such a part of a row
	wholeBehind = 32 // CPUs take turns if one would begin later than such a part of the run after the one before
	wholeSteps  = 96 // tiles along the mapping dimension, where rows are shared,
	wholeThick  = 32 // unless they are thinner than this
	wholeTurns  = 2  // tiles that a CPU has of a level, at least, along a dimension between that is shared
	wholePasses = 12 // tiles of a level along the mapping dimension, where levels are shared
)
