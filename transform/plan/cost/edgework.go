package cost

import (
	"slices"

	"loopc/transform/plan"
	"loopc/transform/plan/walk"
)

// An edgeWork is the work of a tile that does not follow from the number of its iterations: how the kernel's lanes take the iterations, the
// exterior cells around the tile, and its final results. Counts are not integers where samples represent other rows or levels.
type edgeWork struct {
	laneWork
	levels  int     // that the tile visits, apart from ghost levels; 0: it has nothing to do
	boxes   float64 // boxes for which the kernel is called
	checked float64 // rows that are examined one by one, since their reach has exterior cells
	filled  float64 // exterior cells that are filled
	swept   float64 // filled cells that are filled as fast as results are stored: in long rows, in a cache
	far     float64 // filled cells in long rows that no cache holds
	flow    float64 // how many results could be stored in the time that the far cells take
	stored  float64 // results that are copied to the returned arrays
}

// An edgeCounter counts the edgeWork of tiles: it visits what package walk yields, for all rows or for a sample of them. It has scratch
// memory, so only one goroutine may use it.
type edgeCounter struct {
	p      *plan.Plan
	lanes  lanes
	slabs  *slabCounter // nil unless lanes are levels
	walk   *walk.Levels
	waits  bool    // iterations of a row wait for one another
	apart  bool    // a row with exterior cells in its reach is computed alone: these cells may hold earlier results
	cached bool    // a level of all values fits the cache that cores share
	moves  float64 // how often a byte of a level that no cache holds moves as it is filled
	late   bool    // all rows are computed one by one, in groups of iterations: see plan.Nest.Late
	boxes  int     // effort for the exterior boxes of a level, in spans of rows

	given          []givenArray // per value, if lanes are levels
	slabLo, slabHi int          // levels that are computed in slabs; slabLo > slabHi: none
	begins         bool         // the tile begins with the first level of the space: its slabs find the initial content themselves
	q, scratch     []int
	own            bool  // the level at hand has iterations of the tile
	below          []int // per inequality: the change of its value from a row to the next
	axes           [][]sampleOf
	ends           []int   // per dimension: the number of last places, where results are not overwritten
	looked         int     // effort for all tiles so far, in spans of rows
	summed         bool    // places stood for others in the last tile
	placed         bool    // these places depend on where the space crosses the last tile
	sampled        int     // rows of a tile that stand for the others; 0: see middleSamples
	shift          float64 // the place of a sampled row in the rows for which it stands, 0 (first) ≤ shift < 1
	rough          bool    // some rows were left out that an exact count would examine
}

// newEdgeCounter prepares to count.
func newEdgeCounter(p *plan.Plan, l lanes) *edgeCounter {
	n := len(p.Side)
	w := &edgeCounter{p: p, lanes: l, walk: walk.NewLevels(p), q: make([]int, n), scratch: make([]int, n),
		below: make([]int, len(p.Space.Ineq)), axes: make([][]sampleOf, n), ends: make([]int, n)}
	_, step, after := p.Nest.Late()
	w.late = step > 0
	size := 0
	for v := range p.Nest.Values {
		size += p.Nest.Arrays[p.Nest.Values[v].Array].Size
	}
	w.cached = plan.BytesOf(append([]int{size}, p.LevelExtent()[1:]...)...) <= usualLast
	if w.moves = 1; p.KeepsWhole() { // initial content is read; skewed storage is read and written back, but a block stays in a cache
		w.moves = 3
	}
	if l.all > 0 && l.across == plan.AcrossLevels && n > 1 {
		w.slabs = newSlabCounter(p, l)
		for v := range p.Nest.Values {
			w.given = append(w.given, newGivenArray(p, v))
		}
	}
	if w.walk.Edge != nil {
		for _, need := range w.walk.Edge.Needs {
			w.boxes += boxCost * len(need)
		}
	}
	for v := range p.Nest.Values {
		w.apart = w.apart || w.walk.Fills && len(p.Nest.Values[v].Fallbacks) > 0 && !after
	}
	for x := range w.ends {
		w.ends[x] = 1
	}
	w.overwriting(func(x, by int) { w.ends[x] = max(w.ends[x], min(by, middleSamples)) })
	w.waits = slices.ContainsFunc(p.Nest.Distances(), func(d []int) bool { return n > 2 && slices.Max(d[:n-1]) == 0 })
	w.q[max(0, n-2)] = 1
	p.Space.Slopes(w.q, w.below)
	return w
}

// reach returns how many cells beyond its box, below and above it along each dimension, a tile's work depends on. Below, the tile reads
// cells, or finds cells that were filled. Above, iterations overwrite the tile's results, or read cells that the tile fills for other
// tiles.
func (w *edgeCounter) reach() (below, above []int) {
	p := w.p
	below, above = make([]int, len(p.Side)), make([]int, len(p.Side))
	copy(below, p.HaloWidth)
	if p.KeepsWhole() {
		copy(below, p.StorageOffset())
		copy(above, p.HaloWidth)
	}
	w.overwriting(func(x, by int) { below[x], above[x] = max(below[x], -by), max(above[x], by) })
	return below, above
}

// overwriting calls f for each write that overwrites results copied to returned arrays, and for each
// dimension x: by is the distance of the write along x.
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

// copied reports whether results of value v are copied to a returned array; slab tells whether their level belongs to a slab. Direct
// results are in the array already, except in slabs.
func (w *edgeCounter) copied(v int, slab bool) bool {
	val := &w.p.Nest.Values[v]
	return w.p.Nest.Arrays[val.Array].Returned() && (slab || !val.Direct)
}

// tile counts the work of tile k of the column at col. It examines some of the levels, and some of the rows of a level.
func (w *edgeCounter) tile(col []int, k int) (sum edgeWork) {
	p, t := w.p, w.walk
	w.slabLo, w.slabHi, w.summed, w.placed = 1, 0, false, false
	fresh := !holdsLevelsBelow(p, col, k, w.q, w.scratch)
	from, to := t.Tile(col, k, fresh)
	if from > to {
		return sum
	}
	if t.Iterates && w.slabs != nil {
		if h := w.slabs.height(t.Hi[0] - t.Lo[0] + 1); h > 0 {
			w.slabLo, w.slabHi = t.Lo[0], t.Lo[0]+h-1
			for x := range w.q {
				w.q[x] = t.First[x] - p.HaloWidth[x]
			}
			w.slabs.tile(t.First, t.Last, w.slabLo, w.slabHi, p.Space.BoxInside(w.q, t.Last), &sum)
			w.summed = w.slabs.summed
			w.placed = w.summed && len(w.q) > 2
			w.looked += w.slabs.looked
			w.slabs.looked = 0
			w.rough = w.rough || w.slabs.rough
		}
	}
	if w.begins = w.slabLo <= w.slabHi && fresh && w.slabLo == p.Lo[0] && p.Below == 0; w.begins {
		w.underSlabs(&sum)
		from = w.slabLo
	}
	begins := t.First[0] - from + 1 // levels that are unlike those above
	sum.levels = to - t.First[0] + 1
	if p.KeepsWhole() {
		begins = p.HaloWidth[0] + w.walk.Edge.Offset[0]
		sum.levels = to - from + 1
	}
	w.sample(0, from, to, begins)
	w.placed = w.placed || len(w.axes[0]) <= to-from && !w.throughout(from, to)
	t.Asked = 0
	for _, level := range w.axes[0] {
		w.level(level.at, level.weight, &sum)
	}
	w.looked += t.Asked
	return sum
}

// throughout reports whether the tile, whose levels are from..to, has something to do from the first one to the last.
func (w *edgeCounter) throughout(from, to int) bool {
	does := func(level int) bool {
		_, does := w.walk.Does(level)
		return does
	}
	return w.p.KeepsWhole() || (does(from) || does(w.walk.First[0])) && does(to)
}

// holdsLevelsBelow reports whether the block already holds the levels below tile k of the column
// at col, because the tile before it has computed them. lo and hi are scratch.
func holdsLevelsBelow(p *plan.Plan, col []int, k int, lo, hi []int) bool {
	if p.Map != 0 || p.KeepsWhole() {
		return false
	}
	first, _ := p.Active(col, lo, hi)
	return k > first
}

// levelCost is the effort to find the box of a level, in spans of rows.
const levelCost = 2

// boxCost is the effort to find the exterior boxes for a box of distances, in spans of rows.
const boxCost = 1

// inSlab reports whether a level of the tile is computed in a slab.
func (w *edgeCounter) inSlab(level int) bool { return w.slabLo <= level && level <= w.slabHi }

// level adds the work of a level, multiplied by times.
func (w *edgeCounter) level(level int, times float64, sum *edgeWork) {
	own, does := w.walk.Does(level)
	if !does {
		return
	}
	w.looked += levelCost
	w.q[0] = level
	slab := w.inSlab(level)
	switch {
	case slab: // the slab has counted the rest
	case !w.walk.Level(level, own):
		w.ops(times, sum)
	default:
		w.levelRows(own, times, sum)
	}
	for v := range w.p.Nest.Values {
		if own && w.copied(v, slab) && w.walk.Stores(v, level) {
			w.sampleRows(w.walk.Store.Lo, w.walk.Store.Hi)
			w.rows(1, times, (*edgeCounter).storeRow, sum)
		}
	}
}

// longRow is the least number of cells of a row that a cache fills about as fast as results are stored. storedBytes is the
// number of bytes that move from or to memory while a result is stored.
const longRow, storedBytes = 16, 4

// fill adds the cells of an operation that fills them.
func (w *edgeCounter) fill(op *walk.Op, times float64, sum *edgeWork) {
	cells, last := times*float64(op.Cells()), len(op.Lo)-1
	sum.filled += cells
	switch {
	case op.Hi[last]-op.Lo[last]+1 < longRow:
	case w.cached:
		sum.swept += cells
	default:
		sum.far += cells
		sum.flow += cells * (1 + w.moves*float64(w.p.Nest.Arrays[w.p.Nest.Values[op.Value].Array].Size)/storedBytes)
	}
}

// ops adds the work of the current operations of the walk.
func (w *edgeCounter) ops(times float64, sum *edgeWork) {
	for i := range w.walk.Ops {
		switch op := &w.walk.Ops[i]; op.Kind {
		case walk.Fill:
			w.fill(op, times, sum)
			if i == 0 && op.Form != walk.Rows {
				w.looked += w.boxes
			}
		case walk.Store:
			sum.stored += times * float64(op.Cells())
		case walk.Compute:
			sum.boxes += times
			if w.slabs != nil { // too few levels for a slab
				sum.runs += times
				sum.scalar += times * float64(op.Cells())
				continue
			}
			sum.box(w.lanes, op.Lo, op.Hi, times)
		}
	}
}
