package cost

import (
	"loopc/transform/plan"
	"loopc/transform/plan/walk"
)

// A sampleOf is a place that stands for several.
type sampleOf struct {
	at     int
	weight float64
}

// middleSamples is how many places stand for all places of an axis that are far from its ends. Counts are nearly linear there.
const middleSamples = 6

// sample chooses the places along dimension x that stand for lo..hi. The parameter first is the
// number of places at the beginning that stand for themselves.
func (w *edgeCounter) sample(x, lo, hi, first int) {
	w.axes[x] = w.axes[x][:0]
	n := hi - lo + 1
	most := w.sampled
	switch {
	case x == 1 && most > 0:
		most = plan.CeilDiv(most, len(w.axes[0]))
	case x > 1 && most > 0:
		most = 1
	}
	if w.sampled == 0 || n <= most {
		w.axes[x] = samples(w.axes[x], lo, hi, first, w.ends[x])
		some := len(w.axes[x]) < n
		w.summed, w.placed = w.summed || some, w.placed || some && x > 0
		return
	}
	w.rough, w.summed, w.placed = true, true, true
	w.shift += goldenRatio // elsewhere on each level, and in each tile
	w.shift -= float64(int(w.shift))
	w.axes[x] = spread(w.axes[x], lo, n, most, w.shift, 0)
}

// goldenRatio spreads places evenly: the fractional parts of its multiples do.
const goldenRatio = 0.6180339887498949

// samples appends places that stand for lo..hi. The given numbers of first and last places stand for themselves, because ghost cells
// and final results lie there. The rest is cut into equal parts, and the midpoint of each part stands for it.
func samples(out []sampleOf, lo, hi, first, ends int) []sampleOf {
	middle := hi - lo + 1 - first - ends
	parts := min(middle, middleSamples)
	if parts < middleSamples {
		first, ends, parts = hi-lo+1, 0, 0
	}
	for at := lo; at < lo+first; at++ {
		out = append(out, sampleOf{at, 1})
	}
	out = spread(out, lo+first, middle, parts, 0.5, 0)
	for at := hi - ends + 1; at <= hi; at++ {
		out = append(out, sampleOf{at, 1})
	}
	return out
}

// spread cuts the n places from lo on into equal parts, and appends a place of each part, which stands for the part. In the first part, the
// place lies at the fraction given by the parameter at. From part to part, this fraction grows by the parameter further, modulo 1.
func spread(out []sampleOf, lo, n, parts int, at, further float64) []sampleOf {
	for k := range parts {
		a, b := n*k/parts, n*(k+1)/parts
		out = append(out, sampleOf{lo + a + int(at*float64(b-a)), float64(b - a)})
		at += further
		at -= float64(int(at))
	}
	return out
}

// sampleRows chooses the rows that stand for those of the box lo..hi of a level, and reports whether it has chosen all of them.
func (w *edgeCounter) sampleRows(lo, hi []int) (all bool) {
	all = true
	for x := 1; x < len(lo)-1; x++ {
		w.sample(x, lo[x], hi[x], max(1, w.walk.First[x]-lo[x]+1)) // ghost rows, and the one after them
		all = all && len(w.axes[x]) == hi[x]-lo[x]+1
	}
	return all
}

// rows adds the work of the rows that sampleRows has chosen. The coordinates of w.q before x are
// set; rows sets the others to each chosen place, and calls row to add the work of row w.q.
func (w *edgeCounter) rows(x int, times float64, row func(*edgeCounter, float64, *edgeWork), sum *edgeWork) {
	if x >= len(w.q)-1 {
		row(w, times, sum)
		return
	}
	for _, s := range w.axes[x] {
		w.q[x] = s.at
		w.rows(x+1, times*s.weight, row, sum)
	}
}

// storeRow adds the results of row w.q that are stored.
func (w *edgeCounter) storeRow(times float64, sum *edgeWork) {
	w.walk.StoreAt(w.q)
	w.walk.Asked++
	w.ops(times, sum)
}

// underSlabs adds the cells that are filled below the first slab of a tile, with their initial content.
func (w *edgeCounter) underSlabs(sum *edgeWork) {
	for by := 1; by <= w.p.HaloWidth[0]; by++ {
		w.q[0] = w.slabLo - by
		w.axes[0] = append(w.axes[0][:0], sampleOf{w.q[0], 1})
		w.sampleRows(w.walk.RowBox())
		w.rows(1, 1, (*edgeCounter).underRow, sum)
	}
}

// underRow adds the cells of row w.q that are filled below a slab. It adds none if the kernel reads the row directly from a given array.
func (w *edgeCounter) underRow(times float64, sum *edgeWork) {
	w.walk.At(w.q, false)
	for i := range w.walk.Ops {
		op := &w.walk.Ops[i]
		val := &w.p.Nest.Values[op.Value]
		if g := &w.given[op.Value]; w.slabLo-w.q[0] < val.Levels() && !g.holds(w.p, w.q, w.walk.First[len(w.q)-1], &w.slabs.streams) {
			w.fill(op, times, sum)
		}
	}
}

// A givenArray says where the cells of a value lie in their array, if the array is given.
type givenArray struct {
	cell          []plan.Affine
	least, stride []int
	cells         int
}

// newGivenArray returns the givenArray of value v. Its field cell is nil if the array is not given,
// or if a slab does not read exactly one level below it.
func newGivenArray(p *plan.Plan, v int) (g givenArray) {
	val := &p.Nest.Values[v]
	arr := &p.Nest.Arrays[val.Array]
	least, extent, err := arr.Extent(p.Params)
	if arr.Initial != plan.Given || val.Levels() != 2 || err != nil {
		return g
	}
	g = givenArray{cell: val.Cell, least: least, stride: make([]int, len(extent)), cells: 1}
	for m := len(extent) - 1; m >= 0; m-- {
		g.stride[m] = g.cells
		g.cells *= extent[m]
	}
	return g
}

// holds reports whether a kernel reads row q directly from the array: the row's cells are contiguous
// there, with as many cells around them as in a row of a plane. c0 is the tile's first column.
func (g *givenArray) holds(p *plan.Plan, q []int, c0 int, s *walk.Streams) bool {
	at, along, last := 0, 0, len(q)-1
	for m := range g.cell {
		at += (g.cell[m].Eval(p.Params, q[:last]) - g.least[m]) * g.stride[m]
		if len(g.cell[m].Iters) > last {
			along += g.cell[m].Iters[last] * g.stride[m]
		}
	}
	first := at + c0 - s.PlaneLow
	return along == 1 && first >= 0 && first+s.PlaneRow <= g.cells
}

// levelRows adds the work of the level of w.q, whose rows are computed one by one. own says whether the level has iterations of the tile.
func (w *edgeCounter) levelRows(own bool, times float64, sum *edgeWork) {
	if w.sampleRows(w.walk.RowBox()) {
		for more := true; more; {
			more = w.walk.Row()
			sum.checked += times
			w.ops(times, sum)
		}
		return
	}
	w.own = own
	w.rows(1, times, (*edgeCounter).row, sum)
}

// row adds the work of row w.q, which stands for others. Where rows do not join, this includes the
// iterations that are computed without those of other rows.
func (w *edgeCounter) row(times float64, sum *edgeWork) {
	w.walk.At(w.q, w.own)
	last, from, to, boxes := len(w.q)-1, 1, 0, 0
	sum.checked += times
	for i := range w.walk.Ops {
		op := &w.walk.Ops[i]
		switch {
		case op.Kind == walk.Fill:
			w.fill(op, times, sum)
		case boxes == 0:
			from, to, boxes = op.Lo[last], op.Hi[last], 1
		default: // cells are filled between
			to, boxes = op.Hi[last], boxes+1
		}
	}
	ends := !w.joins(from, to)
	switch {
	case from > to:
	case w.late, ends && (!w.apart || w.cut()):
		alone, each := w.ragged(from, to)
		sum.runs += times
		sum.scalar += times * float64(alone)
		sum.boxes += times * max(float64(boxes), each)
	case ends, w.q[last-1] == w.walk.Last[last-1]:
		sum.boxes += times
	}
}

// joins reports whether the row, of which from..to are iterations, is computed together with the next row: both begin and end at the
// same columns, and no cell beside them must be filled after the first and before the second.
func (w *edgeCounter) joins(from, to int) bool {
	last := len(w.q) - 1
	first, end := w.walk.First[last], w.walk.Last[last]
	if w.apart {
		if w.cut() {
			return false
		}
		first -= w.p.HaloWidth[last]
		from, to = first, end
	}
	a, b := w.walk.Beside(w.below, first, end)
	return a == from && b == to
}

// cut reports whether the tile's reach in row w.q has cells that are not iterations.
func (w *edgeCounter) cut() bool {
	last := len(w.q) - 1
	ghost, end := w.walk.First[last]-w.p.HaloWidth[last], w.walk.Last[last]
	a, b := w.walk.Beside(nil, ghost, end)
	return a != ghost || b != end
}

// ragged is for rows that do not join. It returns how many of the iterations from..to of a row are
// computed without those of other rows, and the row's share of the boxes. It assumes that all
// later rows are shifted, each against the row before, like the next row against this one.
func (w *edgeCounter) ragged(from, to int) (alone int, boxes float64) {
	last := len(w.q) - 1
	width := to - from + 1
	if !w.waits || w.apart || w.late {
		return width, 1
	}
	first, end := w.walk.First, w.walk.Last
	a, b := w.walk.Beside(w.below, first[last], end[last])
	begins, ends := max(a-from, from-a), max(b-to, to-b)
	shift := max(begins, ends)
	if a > b || width-shift < walk.RaggedLeast {
		return width, 1
	}
	rows := min(walk.RaggedMost, end[last-1]-first[last-1]+1, (width-walk.RaggedLeast)/shift+1)
	return (begins + ends) * (rows - 1) / 2, (float64((min(1, begins)+min(1, ends))*(rows-1)) + 1) / float64(rows)
}
