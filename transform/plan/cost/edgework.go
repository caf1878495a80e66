package cost

import (
	"slices"

	"loopc/transform/plan"
	"loopc/transform/plan/region"
)

// An edgeWork is what a tile costs beside its iterations, counted: how a kernel
// takes them, where the tile's reach leaves the iteration space, and where its
// results are final. Counts are estimates where they are sampled, hence not
// integers.
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
	slabLo, slabHi            int        // levels that are computed in slabs; slabLo > slabHi: none
	row, below                []int      // values of the inequalities, their slopes to the next row
	readers                   [][]needOf // per value
	axes                      [][]sampleOf
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
		slopes := make([]int, p.Space.Inequalities())
		p.Space.Slopes(d, slopes)
		of = append(of, needOf{d, slopes, d[last], d[last]})
	}
	return of
}

// newEdgeCounter prepares to count.
func newEdgeCounter(p *plan.Plan, l lanes) *edgeCounter {
	n := len(p.Side)
	w := &edgeCounter{p: p, lanes: l, needs: p.Nest.NeedsFill(), axes: make([][]sampleOf, n)}
	for _, s := range []*[]int{&w.lo, &w.hi, &w.first, &w.last, &w.q, &w.r, &w.from} {
		*s = make([]int, n)
	}
	w.readFrom, w.readTo = w.first, w.last
	if w.edge = region.NewLevelEdge(p); p.KeepsWhole() {
		w.readFrom, w.readTo = p.Lo, p.Hi
	}
	if l.all > 0 && l.across == plan.AcrossLevels && n > 1 {
		w.slabs = newSlabCounter(p, l)
	}
	w.row, w.below = make([]int, p.Space.Inequalities()), make([]int, p.Space.Inequalities())
	for v := range p.Nest.Values {
		w.readers = append(w.readers, needsOf(p, &p.Nest.Values[v]))
		w.fallbacks = w.fallbacks || len(p.Nest.Values[v].Fallbacks) > 0
	}
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
	for v := range p.Nest.Values {
		if !w.copied(v, w.slabs != nil) {
			continue
		}
		for _, o := range p.Nest.Values[v].Overwrites {
			for x := range o {
				below[x], above[x] = max(below[x], -o[x]), max(above[x], o[x])
			}
		}
	}
	return below, above
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
	sum.levels = w.last[0] - w.first[0] + 1
	if w.edge != nil {
		w.edge.Tile(w.first, w.last)
	}
	if p.KeepsWhole() {
		if !some && !(w.needs && w.edge.Concerns()) {
			return edgeWork{}
		}
		copy(w.from, w.edge.Lo)
		begins = p.Margin[0] + w.edge.Drift[0]
		sum.levels = w.last[0] - w.from[0] + 1
	}
	w.sample(0, w.from[0], begins)
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

// A sampleOf is a place that stands for several.
type sampleOf struct {
	at     int
	weight float64
}

// middleSamples is how many places stand for those of an axis that are far from
// its ends. Counts are nearly linear there.
const middleSamples = 6

// sample chooses the places along dimension x that stand for those from lo on, of which so many
// are the first ones.
func (w *edgeCounter) sample(x, lo, first int) {
	w.axes[x] = w.axes[x][:0]
	n := w.last[x] - lo + 1
	most := w.sampled
	switch {
	case x == 1 && most > 0:
		most = plan.CeilDiv(most, len(w.axes[0]))
	case x > 1 && most > 0:
		most = 1
	}
	if w.sampled == 0 || n <= most {
		w.axes[x] = samples(w.axes[x], lo, w.last[x], first)
		w.summed = w.summed || len(w.axes[x]) < n
		return
	}
	w.rough = true
	w.shift += goldenRatio // elsewhere on each level, and in each tile
	w.shift -= float64(int(w.shift))
	for k := range most {
		a, b := n*k/most, n*(k+1)/most
		w.axes[x] = append(w.axes[x], sampleOf{lo + a + int(w.shift*float64(b-a)), float64(b - a)})
	}
}

// goldenRatio spreads places evenly: multiples of it, without what is before the point.
const goldenRatio = 0.6180339887498949

// samples appends places that stand for lo..hi: the first ones and the last one
// stand for themselves, for ghost cells and final results are there; of the rest
// the midpoints of equal parts.
func samples(out []sampleOf, lo, hi, first int) []sampleOf {
	n := hi - lo + 1
	if n <= first+1+middleSamples {
		for at := lo; at <= hi; at++ {
			out = append(out, sampleOf{at, 1})
		}
		return out
	}
	for at := lo; at < lo+first; at++ {
		out = append(out, sampleOf{at, 1})
	}
	middle := n - first - 1
	for k := range middleSamples {
		a, b := middle*k/middleSamples, middle*(k+1)/middleSamples
		out = append(out, sampleOf{lo + first + (a+b)/2, float64(b - a)})
	}
	return append(out, sampleOf{hi, 1})
}

// level adds the work of a level, which counts so many times.
func (w *edgeCounter) level(level int, times float64, sum *edgeWork) {
	p := w.p
	last := len(p.Side) - 1
	w.looked += levelCost
	own := level >= w.first[0]
	if !p.KeepsWhole() {
		own = w.some && level >= w.own[0] && level <= w.own[1]
		if read := p.Map == 0 || w.some && level >= w.own[0]-p.Margin[0] && level <= w.own[1]; !own && !(read && w.needs) {
			return
		}
	}
	// As the runtime asks: is everything in reach of the level an iteration?
	copy(w.lo, w.from)
	copy(w.hi, w.last)
	w.lo[0], w.hi[0] = level, level
	if w.late > 0 {
		w.lo[0] -= p.Margin[0]
	}
	inside := p.Space.BoxInside(w.lo, w.hi)
	stores := own && w.final(level)
	// The iterations of a level are a box, most of the time, and computed as one.
	slab := w.inSlab(level)
	boxed := !own || slab || w.boxed(level, inside, times, sum)
	// What is outside is looked at row by row, but where levels are boxes.
	filled := inside || !w.needs && (!own || boxed && w.edge != nil) || boxed && !slab && w.fillsBoxes(level, times, sum)
	if filled && !stores {
		return
	}
	for x := 1; x < last; x++ {
		from := w.first[x]
		if w.needs && !filled {
			from = w.from[x]
		}
		w.sample(x, from, w.first[x]-from+1)
	}
	w.q[0] = level
	w.rows(1, times, own, filled, stores, boxed, sum)
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

// rows adds the work of the rows of w.q's level along dimension x and beyond; if filled,
// nothing is left to fill there.
func (w *edgeCounter) rows(x int, times float64, own, filled, stores, boxed bool, sum *edgeWork) {
	p := w.p
	last := len(p.Side) - 1
	if x < last {
		for _, s := range w.axes[x] {
			w.q[x] = s.at
			w.rows(x+1, times*s.weight, own && s.at >= w.first[x], filled, stores, boxed, sum)
		}
		return
	}
	p.Space.Row(w.q, w.row)
	w.looked += 2
	ghost := w.from[last]
	a, b := p.Space.RowSpan(w.row, nil, ghost, w.last[last])
	if !filled && (own || w.needs) {
		cut := !(a == ghost && b == w.last[last])
		if cut || !(w.slabLo <= w.q[0] && w.q[0] <= w.slabHi) {
			sum.checked += times
		}
		if w.needs && !(a == ghost && b == w.last[last]) {
			sum.filled += times * w.filled(a, b, ghost)
		}
	}
	from := max(a, w.first[last])
	if !own || from > b {
		return
	}
	if w.late > 0 && !filled {
		sum.filled += times * float64(w.refilled(from, b))
	}
	if !boxed && !w.joins(a, b, ghost) {
		sum.scalar += times * float64(w.alone(a, b, ghost))
		sum.runs += times
	}
	if stores {
		sum.stored += times * float64(w.stored(from, b))
	}
}

// joins reports whether row w.q, of which a..b are iterations, is computed
// together with the next one: they are equally long, and no cell beside it must
// be filled after it.
func (w *edgeCounter) joins(a, b, ghost int) bool {
	p := w.p
	last := len(p.Side) - 1
	if a == ghost && b == w.last[last] {
		return true
	}
	if w.needs && w.fallbacks {
		return false
	}
	next, end := p.Space.RowSpan(w.row, w.below, ghost, w.last[last])
	return max(next, w.first[last]) == max(a, w.first[last]) && end == b
}

// alone counts the iterations of row w.q, of which a..b are some, that are computed by
// themselves where rows do not join. The next row is as far from this one as those
// behind it are from one another.
func (w *edgeCounter) alone(a, b, ghost int) int {
	p := w.p
	last := len(p.Side) - 1
	from := max(a, w.first[last])
	width := b - from + 1
	if !w.waits || w.needs && w.fallbacks {
		return width
	}
	next, end := p.Space.RowSpan(w.row, w.below, ghost, w.last[last])
	next = max(next, w.first[last])
	begins, ends := max(next-from, from-next), max(end-b, b-end)
	shift := max(begins, ends)
	if next > end || width-shift < plan.RaggedLeast {
		return width
	}
	rows := min(plan.RaggedMost, w.last[last-1]-w.first[last-1]+1, (width-plan.RaggedLeast)/shift+1)
	return (begins + ends) * (rows - 1) / 2
}

// filled counts the cells of row w.q that are filled, where iterations are a..b.
func (w *edgeCounter) filled(a, b, ghost int) float64 {
	p := w.p
	last := len(p.Side) - 1
	cells := 0.0
	for v := range w.readers {
		lo, hi := 1, 0
	distances:
		for i := range w.readers[v] {
			need := &w.readers[v][i]
			for x := range last {
				at, top := w.q[x]+need.d[x], w.readTo[x]
				if x == 0 && p.Map == 0 {
					top = p.Hi[0] // live levels stay for the tiles to come
				}
				if at < w.readFrom[x] || at > top {
					continue distances
				}
			}
			w.looked++
			from, to := p.Space.RowSpan(w.row, need.slopes, w.readFrom[last], w.readTo[last])
			if from > to {
				continue
			}
			from, to = from-need.most, to-need.least
			if lo > hi {
				lo, hi = from, to
			} else {
				lo, hi = min(lo, from), max(hi, to)
			}
		}
		lo, hi = max(lo, ghost), min(hi, w.last[last])
		if lo > hi {
			continue
		}
		n := hi - lo + 1
		if a <= b {
			n -= max(0, min(hi, b)-max(lo, a)+1)
		}
		cells += float64(n)
	}
	return cells
}

// refilled counts the cells that are filled again while iterations a..b of row w.q are computed.
func (w *edgeCounter) refilled(a, b int) (cells int) {
	last := len(w.q) - 1
	for v := range w.p.Nest.Values {
		if !w.p.Nest.Late(v) {
			continue
		}
		for _, d := range w.p.Nest.Values[v].Need {
			for x := range w.r {
				w.r[x] = w.q[x] - d[x]
			}
			from, to := w.p.Space.Span(w.r, a-d[last], b-d[last])
			cells += b - a + 1 - max(0, to-from+1)
		}
	}
	return cells
}

// final reports whether some result of the level may be copied to an array
// given back: it is not overwritten later, and lies in the slice that is wanted.
func (w *edgeCounter) final(level int) bool {
	p := w.p
	copy(w.q, w.first)
	copy(w.r, w.last)
	w.q[0], w.r[0] = level, level
values:
	for v := range p.Nest.Values {
		if !w.copied(v, w.inSlab(level)) {
			continue
		}
		val := &p.Nest.Values[v]
		for _, o := range val.Overwrites {
			if !p.Space.Leaves(w.q, w.r, o) {
				continue values
			}
		}
		for m, at := range p.Nest.Arrays[val.Array].Slice {
			if at == nil {
				continue
			}
			cell := &val.Cell[m]
			least := cell.Eval(p.Params, nil)
			most := least
			for x, c := range cell.Iters {
				least += min(c*w.q[x], c*w.r[x])
				most += max(c*w.q[x], c*w.r[x])
			}
			if fixed := at.Eval(p.Params, nil); fixed < least || fixed > most {
				continue values
			}
		}
		return true
	}
	return false
}

// stored counts the results a..b of row w.q that are copied to arrays given back.
func (w *edgeCounter) stored(a, b int) (sum int) {
	for v := range w.p.Nest.Values {
		if w.copied(v, w.inSlab(w.q[0])) {
			sum += w.kept(v, a, b, 0)
		}
	}
	return sum
}

// kept counts the results a..b of row w.q that no write from Overwrites[o] on overwrites, and
// that lie in the slice that is given back.
func (w *edgeCounter) kept(v, a, b, o int) int {
	p, last := w.p, len(w.q)-1
	val := &p.Nest.Values[v]
	if a > b {
		return 0
	}
	if o < len(val.Overwrites) {
		over := val.Overwrites[o]
		for x := range last {
			w.r[x] = w.q[x] + over[x]
		}
		from, to := p.Space.Span(w.r, a+over[last], b+over[last])
		if from > to {
			return w.kept(v, a, b, o+1)
		}
		return w.kept(v, a, from-over[last]-1, o+1) + w.kept(v, to-over[last]+1, b, o+1)
	}
	w.q[last] = 0
	for m, at := range p.Nest.Arrays[val.Array].Slice {
		if at == nil {
			continue
		}
		off, along := at.Eval(p.Params, nil)-val.Cell[m].Eval(p.Params, w.q), 0
		if len(val.Cell[m].Iters) > last {
			along = val.Cell[m].Iters[last]
		}
		switch {
		case along != 0:
			a, b = max(a, plan.CeilDiv(off*along, along*along)), min(b, plan.FloorDiv(off*along, along*along))
		case off != 0:
			return 0
		}
	}
	return max(0, b-a+1)
}

// inSlab reports whether a level of the tile is computed in a slab.
func (w *edgeCounter) inSlab(level int) bool { return w.slabLo <= level && level <= w.slabHi }
