package cost

import (
	"slices"

	"loopc/transform/plan"
	"loopc/transform/plan/region"
)

// An edgeWork is the work of a tile beside its iterations: how the kernel's lanes take these,
// the exterior cells around the tile, and its final results. Counts are not integers where
// samples represent other rows or levels.
type edgeWork struct {
	laneWork
	levels  int     // that the tile goes through, those of ghost cells apart; 0: it has nothing to do
	checked float64 // rows that are looked at one by one, since not everything in their reach is an iteration
	filled  float64 // cells outside the iteration space that are filled
	stored  float64 // results that are copied to the arrays given back
}

// An edgeCounter counts the edgeWork of tiles. It does what package halo does,
// row by row, but only looks. It has scratch memory: one goroutine may use it.
type edgeCounter struct {
	p         *plan.Plan
	lanes     lanes
	slabs     *slabCounter      // nil unless lanes are levels
	edge      *region.LevelEdge // nil: what is outside is looked at row by row
	needs     bool              // some cells outside the space are filled
	fallbacks bool              // and some of them with earlier results
	late      int               // iterations of a row between fills, see Nest.LateStep; 0: none are late
	waits     bool              // iterations of a row wait for one another

	lo, hi, first, last, q, r []int
	from                      []int // the lowest locations that a tile may have to fill
	readFrom, readTo          []int // bounds of the iterations that it fills them for
	some                      bool  // the tile has iterations: of levels own
	own                       [2]int
	read                      [2]int     // levels whose exterior cells are read, see Plan.ReadLevels
	slabLo, slabHi            int        // levels that are computed in slabs; slabLo > slabHi: none
	row, below                []int      // values of the inequalities, their slopes to the next row
	readers                   [][]needOf // per value
	axes                      [][]sampleOf
	ends                      []int   // the last rows of a dimension, whose results are not overwritten
	looked                    int     // spans of rows, of all tiles so far
	summed                    bool    // places stood for others in the last tile
	sampled                   int     // rows of a tile that stand for the others; 0: see middleSamples
	shift                     float64 // of the places of these
	rough                     bool    // whether rows stood for others that are looked at otherwise
}

// A needOf is the distances of Value.Need that differ in the last coordinate only, with their
// slopes, which do not depend on that: see Space.Slopes.
type needOf struct {
	d, slopes   []int
	least, most int // last coordinates
}

// needsOf returns those of a value.
func needsOf(p *plan.Plan, val *plan.Value) (of []needOf) {
	last := len(p.Side) - 1
	for _, d := range val.Need {
		alike := func(n needOf) bool { return slices.Equal(n.d[:last], d[:last]) }
		if k := slices.IndexFunc(of, alike); k >= 0 {
			of[k].least, of[k].most = min(of[k].least, d[last]), max(of[k].most, d[last])
			continue
		}
		slopes := make([]int, len(p.Space.Ineq))
		p.Space.Slopes(d, slopes)
		of = append(of, needOf{d, slopes, d[last], d[last]})
	}
	return of
}

// newEdgeCounter prepares to count.
func newEdgeCounter(p *plan.Plan, l lanes) *edgeCounter {
	n := len(p.Side)
	w := &edgeCounter{p: p, lanes: l, needs: p.Nest.NeedsFill(), axes: make([][]sampleOf, n)}
	for _, s := range []*[]int{&w.lo, &w.hi, &w.first, &w.last, &w.q, &w.r, &w.from, &w.ends} {
		*s = make([]int, n)
	}
	w.readFrom, w.readTo = w.first, w.last
	if w.edge = region.NewLevelEdge(p); p.KeepsWhole() {
		w.readFrom, w.readTo = p.Lo, p.Hi
	}
	if l.all > 0 && l.across == plan.AcrossLevels && n > 1 {
		w.slabs = newSlabCounter(p, l)
	}
	w.row, w.below = make([]int, len(p.Space.Ineq)), make([]int, len(p.Space.Ineq))
	for v := range p.Nest.Values {
		w.readers = append(w.readers, needsOf(p, &p.Nest.Values[v]))
		w.fallbacks = w.fallbacks || len(p.Nest.Values[v].Fallbacks) > 0
	}
	for x := range w.ends {
		w.ends[x] = 1
	}
	w.overwriting(func(x, by int) { w.ends[x] = max(w.ends[x], min(by, middleSamples)) })
	w.late = p.Nest.LateStep()
	w.waits = slices.ContainsFunc(p.Nest.Distances(), func(d []int) bool { return n > 2 && slices.Max(d[:n-1]) == 0 })
	w.q[max(0, n-2)] = 1
	p.Space.Slopes(w.q, w.below)
	return w
}

// reach is how far beyond its box a tile's work depends on the space: below for
// what it reads, or what has been filled in the same place, above for what overwrites
// its results, or reads what it fills for other tiles.
func (w *edgeCounter) reach() (below, above []int) {
	p := w.p
	below, above = make([]int, len(p.Side)), make([]int, len(p.Side))
	copy(below, p.Margin)
	if p.KeepsWhole() {
		copy(below, p.Drift())
		copy(above, p.Margin)
	}
	w.overwriting(func(x, by int) { below[x], above[x] = max(below[x], -by), max(above[x], by) })
	return below, above
}

// overwriting calls f with the dimensions, and how far along them the writes are, that overwrite
// results that are copied to arrays given back.
func (w *edgeCounter) overwriting(f func(x, by int)) {
	for v := range w.p.Nest.Values {
		if !w.copied(v, w.slabs != nil) {
			continue
		}
		for _, o := range w.p.Nest.Values[v].Overwrites {
			for x, by := range o {
				f(x, by)
			}
		}
	}
}

// copied reports whether results of value v, of a level in a slab or another one, are copied
// to an array given back. Direct ones are there already, but those of slabs.
func (w *edgeCounter) copied(v int, slab bool) bool {
	val := &w.p.Nest.Values[v]
	return w.p.Nest.Arrays[val.Array].Returned() && (slab || !val.Direct)
}

// tile counts the work of tile k of the column at col: of the levels, and of the
// rows of a level, some are looked at.
func (w *edgeCounter) tile(col []int, k int) (sum edgeWork) {
	p := w.p
	p.TileBox(col, k, w.first, w.last)
	copy(w.lo, w.first)
	copy(w.hi, w.last)
	w.slabLo, w.slabHi, w.summed = 1, 0, w.slabs != nil
	some := p.Space.Shrink(w.lo, w.hi)
	w.some, w.own = some, [2]int{w.lo[0], w.hi[0]}
	w.read[0], w.read[1] = p.ReadLevels(w.first, w.last, w.q, w.r)
	if some && w.slabs != nil {
		if h := w.slabs.height(w.hi[0] - w.lo[0] + 1); h > 0 {
			w.slabLo, w.slabHi = w.lo[0], w.lo[0]+h-1
			for x := range w.q {
				w.q[x] = w.first[x] - p.Margin[x]
			}
			w.slabs.tile(w.first, w.last, w.slabLo, w.slabHi, p.Space.BoxInside(w.q, w.last), &sum.laneWork)
			w.looked += w.slabs.looked
			w.slabs.looked = 0
			w.rough = w.rough || w.slabs.rough
		}
	}
	for x := range w.from {
		w.from[x] = w.first[x] - p.Margin[x]
	}
	if laterLevels(p, col, k, w.q, w.r) {
		w.from[0] = w.first[0] // the levels below are there
	}
	begins := w.first[0] - w.from[0] + 1 // levels that are unlike those above
	top := w.last[0]
	sum.levels = top - w.first[0] + 1
	if w.edge != nil {
		w.edge.Tile(w.first, w.last)
	}
	if p.KeepsWhole() {
		if !some && !(w.needs && w.edge.Concerns()) {
			return edgeWork{}
		}
		copy(w.from, w.edge.Lo)
		begins = p.Margin[0] + w.edge.Drift[0]
		w.from[0], top = w.edge.Levels(w.q, w.r)
		sum.levels = max(0, top-w.from[0]+1)
	}
	w.sample(0, w.from[0], top, begins)
	for _, level := range w.axes[0] {
		w.level(level.at, level.weight, &sum)
	}
	return sum
}

// laterLevels reports whether the block has the levels below tile k of the column at col: the
// tile before has computed them. lo and hi are scratch.
func laterLevels(p *plan.Plan, col []int, k int, lo, hi []int) bool {
	if p.Map != 0 || p.KeepsWhole() {
		return false
	}
	first, _ := p.Active(col, lo, hi)
	return k > first
}

// level adds the work of a level, which counts so many times.
func (w *edgeCounter) level(level int, times float64, sum *edgeWork) {
	p := w.p
	last := len(p.Side) - 1
	w.looked += levelCost
	own, read := w.concerns(level)
	if !own && !read {
		return
	}
	inside := w.insideReach(level)
	stores := own && w.final(level)
	// The iterations of a level are a box, most of the time, and computed as one.
	slab := w.inSlab(level)
	boxed := !own || slab || w.boxed(level, inside, times, sum)
	// What is outside is looked at row by row, but where levels are boxes.
	filled := inside || !w.needs && (!own || boxed && w.edge != nil) || boxed && !slab && w.fillsBoxes(level, times, sum)
	if filled && !stores {
		return
	}
	copy(w.lo, w.first)
	copy(w.hi, w.last)
	w.lo[0], w.hi[0] = level, level
	if filled { // the rest is in rows that have iterations
		if !p.Space.Shrink(w.lo, w.hi) {
			return
		}
	} else if w.needs {
		copy(w.lo, w.from)
	}
	for x := 1; x < last; x++ {
		w.sample(x, w.lo[x], w.hi[x], max(1, w.first[x]-w.lo[x]+1))
	}
	w.q[0] = level
	w.rows(1, times, own, filled, stores, boxed, sum)
}

// concerns reports whether the tile has iterations on a level, and whether exterior cells of
// the level are read from this tile on.
func (w *edgeCounter) concerns(level int) (own, read bool) {
	p := w.p
	if p.KeepsWhole() {
		own = level >= w.first[0]
		return own, true
	}
	own = w.some && level >= w.own[0] && level <= w.own[1]
	return own, w.needs && level >= w.read[0] && level <= w.read[1]
}

// insideReach reports, as the executor does, whether everything in reach of a level is an
// iteration.
func (w *edgeCounter) insideReach(level int) bool {
	copy(w.lo, w.from)
	copy(w.hi, w.last)
	w.lo[0], w.hi[0] = level, level
	if w.late > 0 {
		w.lo[0] -= w.p.Margin[0]
	}
	return w.p.Space.BoxInside(w.lo, w.hi)
}

// levelCost is what the box of a level costs, in spans of rows.
const levelCost = 2

// boxCost is what the boxes for a box of distances cost, in spans of rows.
const boxCost = 1

// fillsBoxes reports whether what a level needs outside the space is filled by boxes, and
// adds that: the level below the first one, too, which some kernels read where it was given.
func (w *edgeCounter) fillsBoxes(level int, times float64, sum *edgeWork) bool {
	if w.edge == nil {
		return false
	}
	for _, need := range w.edge.Needs {
		w.looked += boxCost * len(need)
	}
	out, ok := w.edge.Outside(level)
	for _, b := range out.Boxes {
		sum.filled += times * float64(plan.BoxCells(b.Lo[1:], b.Hi[1:]))
	}
	return ok
}

// boxed reports whether the iterations of a level are a box, and are computed as
// one; it adds what its lanes come to.
func (w *edgeCounter) boxed(level int, inside bool, times float64, sum *edgeWork) bool {
	copy(w.lo, w.first)
	copy(w.hi, w.last)
	w.lo[0], w.hi[0] = level, level
	if !inside {
		if !w.p.Space.Shrink(w.lo, w.hi) {
			return true // there are none
		}
		if w.slabs == nil && (w.needs && w.fallbacks || !w.p.Space.BoxInside(w.lo, w.hi)) {
			return false
		}
	}
	if w.slabs != nil { // too few levels for a slab
		sum.runs += times
		sum.scalar += times * float64(plan.BoxCells(w.lo, w.hi))
		return true
	}
	sum.box(w.lanes, w.lo, w.hi, times)
	return true
}

// inSlab reports whether a level of the tile is computed in a slab.
func (w *edgeCounter) inSlab(level int) bool { return w.slabLo <= level && level <= w.slabHi }
