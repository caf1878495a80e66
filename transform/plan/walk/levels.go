package walk

import (
	"loopc/transform/plan"
)

// Levels yields the operations of a tile whose levels are computed one by one: the exterior cells filled, the boxes computed, and the
// results stored, in order. Operations come in turns: a turn is a level if levels are boxes, else a row. Levels has scratch memory: one
// goroutine may use it.
type Levels struct {
	reads
	finals
	Ops         []Op       // of the turn; valid until the next one
	Edge        *levelEdge // nil: exterior cells are found row by row
	First, Last []int      // the tile's box, without ghost cells
	Lo, Hi      []int      // the box of its iterations, if it has any: see Iterates
	Iterates    bool       // the tile has iterations
	Store       storing
	Fills       bool // iterations read exterior cells, which are filled before

	p          *plan.Plan
	fallbacks  bool   // some exterior cells hold earlier results, and must be filled in the order of the rows
	after      bool   // the exterior cells of a level are filled after its iterations: see plan.Nest.Late
	late       []bool // per value: some cells are refilled while a row is computed
	group      int    // iterations of a row that are computed between two refills; 0: nothing is refilled
	rows       batch
	skewed     bool   // the storage is skewed
	compressed bool   // in a compressed grid
	own        bool   // the current level has iterations of the tile
	read       [2]int // levels whose exterior cells are read, see readLevels
	q          []int
	from, to   []int // rows of the level, ghost cells included
	at, end    []int // scratch: a box
	arena      []int // memory for the boxes of Ops
}

// NewLevels prepares to walk the tiles of p.
func NewLevels(p *plan.Plan) *Levels {
	n := len(p.Side)
	w := &Levels{p: p, Edge: newLevelEdge(p), skewed: p.KeepsWhole(), compressed: p.Compressed(), rows: newBatch(p)}
	w.late, w.group, w.after = p.Nest.Late()
	for _, s := range []*[]int{&w.First, &w.Last, &w.Lo, &w.Hi, &w.q, &w.from, &w.to, &w.at, &w.end, &w.Store.q, &w.Store.Lo, &w.Store.Hi} {
		*s = make([]int, n)
	}
	w.reads, w.finals = newReads(p, w.First, w.Last), newFinals(p, w.Lo, w.Hi)
	for v := range p.Nest.Values {
		w.Fills = w.Fills || len(p.Nest.Values[v].Need) > 0
		w.fallbacks = w.fallbacks || len(p.Nest.Values[v].Fallbacks) > 0 && !w.after
	}
	return w
}

// Tile sets tile k of the column at col, and returns the levels that the tile visits, ghost levels included; from > to if there are none.
// fresh says that the block has no level of the tile yet.
func (w *Levels) Tile(col []int, k int, fresh bool) (from, to int) {
	p := w.p
	p.TileBox(col, k, w.First, w.Last)
	w.Iterates = p.PointsBox(col, k, w.Lo, w.Hi)
	if w.Edge != nil {
		w.Edge.Tile(w.First, w.Last)
	}
	if w.skewed {
		copy(w.from, w.Edge.Lo)
		copy(w.to, w.Edge.Hi)
		if !w.Iterates && !(w.Fills && w.Edge.Concerns()) {
			return 1, 0
		}
		return w.Edge.Levels(w.at, w.end)
	}
	copy(w.to, w.Last)
	for x := range w.from {
		w.from[x] = w.First[x] - p.HaloWidth[x]
	}
	w.read[0], w.read[1] = readLevels(p, w.First, w.Last, w.at, w.end)
	if fresh {
		return w.from[0], w.Last[0]
	}
	return w.First[0], w.Last[0]
}

// readLevels returns a range of levels that contains every exterior cell that iterations of a tile read; from > to if there is none. The
// tile is the box first..last. If live levels stay in the block of a column, iterations of the next tile of the column count too. lo and hi
// are scratch.
func readLevels(p *plan.Plan, first, last, lo, hi []int) (from, to int) {
	copy(lo, first)
	copy(hi, last)
	if p.Map == 0 {
		hi[0] = min(hi[0]+p.HaloWidth[0], p.Hi[0])
	}
	if !p.Space.Shrink(lo, hi) {
		return 1, 0
	}
	return lo[0] - p.HaloWidth[0], hi[0]
}

// Does reports whether the tile has iterations in a level, and whether it does anything there.
// It need not fill levels that no iteration reads.
func (w *Levels) Does(level int) (own, does bool) {
	own = w.Iterates && level >= w.Lo[0] && level <= w.Hi[0]
	reads := w.skewed || level >= w.read[0] && level <= w.read[1]
	return own, own || reads && w.Fills
}

// Level begins a level; own says whether the level has iterations of the tile. Level returns false
// if Ops is the entire level, and true if the level goes row by row: see Row.
func (w *Levels) Level(level int, own bool) (rows bool) {
	w.reset()
	w.own = own
	if w.whole(level, own) {
		return false
	}
	w.reset()
	for x := range w.q {
		w.q[x] = w.from[x]
		if !w.Fills {
			w.q[x] = max(w.from[x], w.First[x])
		}
	}
	w.q[0] = level
	return true
}

// whole emits the level if its iterations are a box and its exterior cells are boxes, and reports whether they are.
func (w *Levels) whole(level int, own bool) bool {
	copy(w.at, w.First)
	copy(w.end, w.Last)
	w.at[0], w.end[0] = level, level
	needs, boxes := w.Fills, false
	if w.skewed || w.after { // Edge knows the boxes of all levels
		if iterates, box := w.Edge.Own(level, w.at, w.end); box {
			own, boxes = own && iterates, true
		}
	}
	if !boxes {
		if w.inside(level) {
			needs = false
		} else if own {
			if own = w.p.Space.Shrink(w.at, w.end); own && !w.p.Space.BoxInside(w.at, w.end) {
				return false
			}
		}
	}
	// In a compressed grid, exterior cells overwrite cells that iterations of the level read.
	later := w.compressed || w.after
	if own && later {
		w.Ops = append(w.Ops, Op{Kind: Compute, Form: Box, Lo: w.at, Hi: w.end})
	}
	if needs && !w.exteriorBoxes(level) {
		return false
	}
	if own && !later {
		w.Ops = append(w.Ops, Op{Kind: Compute, Form: Box, Lo: w.at, Hi: w.end})
	}
	return true
}

// inside reports whether the level and its halo contain iterations only, as in most levels of most tiles.
func (w *Levels) inside(level int) bool {
	w.from[0], w.to[0] = level, level
	if w.group > 0 {
		w.from[0] -= w.p.HaloWidth[0] // late cells of earlier levels are filled for readers in this one
	}
	return w.p.Space.BoxInside(w.from, w.to)
}

// exteriorBoxes emits the filling of the level's exterior cells, and reports whether these cells are boxes. If not, the caller discards the
// operations.
func (w *Levels) exteriorBoxes(level int) bool {
	if w.Edge == nil {
		return false
	}
	out, ok := w.Edge.Exterior(level)
	for k := range out.Boxes {
		f := &out.Boxes[k]
		form := Box
		switch {
		case k < out.Copied:
			form = Copied
		case out.Sparse:
			form = Sparse
		}
		f.Lo[0], f.Hi[0] = level, level
		w.Ops = append(w.Ops, Op{Kind: Fill, Form: form, Value: f.Value, Lo: f.Lo, Hi: f.Hi})
	}
	return ok
}

// Row emits the next row of the level, and returns false if it is the last one.
func (w *Levels) Row() (more bool) {
	w.reset()
	w.row(w.mine())
	if w.next() {
		return true
	}
	w.flush()
	if w.after {
		for more := true; more; more = w.next() {
			w.beside()
		}
	}
	return false
}

// next goes to the next row of the level, and returns false after the last one, from which it goes to the first.
func (w *Levels) next() bool {
	for x := len(w.q) - 2; x >= 1; x-- {
		if w.q[x]++; w.q[x] <= w.to[x] {
			return true
		}
		w.q[x] = w.from[x]
		if !w.Fills {
			w.q[x] = max(w.from[x], w.First[x])
		}
	}
	return false
}

// beside emits the filling of the exterior cells of a row.
func (w *Levels) beside() {
	last := len(w.q) - 1
	if a, b := w.Span(w.q, w.from[last], w.to[last]); a != w.from[last] || b != w.to[last] {
		w.exterior(a, b, true, true)
	}
}

// At emits row q of a level alone, out of order. own says whether the level has iterations of the tile.
func (w *Levels) At(q []int, own bool) {
	w.reset()
	copy(w.q, q)
	w.own = own
	w.row(w.mine())
	w.flush()
	if w.after {
		w.beside()
	}
}

// mine reports whether the current row may have iterations of the tile.
func (w *Levels) mine() bool {
	mine := w.own
	for x := 1; x < len(w.q)-1; x++ {
		mine = mine && w.q[x] >= w.First[x]
	}
	return mine
}

// RowBox returns the box of the rows of a level that goes row by row. Its coordinate 0 is not set: the caller knows the level.
func (w *Levels) RowBox() (lo, hi []int) {
	if w.Fills {
		return w.from, w.to
	}
	return w.First, w.Last
}

// row emits a row: its exterior cells and, if mine is true, its iterations.
func (w *Levels) row(mine bool) {
	q, last := w.q, len(w.q)-1
	a, b := w.Span(q, w.from[last], w.to[last])
	if a == w.from[last] && b == w.to[last] && w.group == 0 {
		if mine {
			w.batchRow(q, w.First[last], b)
		}
		return
	}
	// If an exterior cell may hold an earlier result, that result must be computed first: rows go one by one. Otherwise exterior cells do not
	// depend on computed values.
	if w.fallbacks {
		w.flush()
	}
	if w.Fills && !w.after {
		w.exterior(a, b, true, !w.fallbacks)
	}
	if from := max(a, w.First[last]); mine && from <= b {
		if w.group > 0 {
			w.refilled(from, b)
		} else {
			w.batchRow(q, from, b)
		}
	}
	if w.fallbacks {
		w.flush()
		w.exterior(a, b, false, true)
	}
}

// exterior emits the filling of those exterior cells of the row that some iteration reads. The cells lie on the left and on the right of
// the row's iterations a..b. If the row has no iterations (a > b), all its cells count as left.
//
// If cells may hold earlier results, the left side is filled before the row is computed and the right side after it, because the last write
// of a cell on the right may belong to an iteration of the row.
func (w *Levels) exterior(a, b int, left, right bool) {
	last := len(w.q) - 1
	for v := range w.readers {
		lo, hi := w.Needed(v, w.q)
		lo, hi = max(lo, w.from[last]), min(hi, w.to[last])
		switch {
		case lo > hi:
		case a > b && left:
			w.emitRow(Fill, v, w.q, lo, hi)
		case a <= b:
			if left {
				w.emitRow(Fill, v, w.q, lo, min(hi, a-1))
			}
			if right {
				w.emitRow(Fill, v, w.q, max(lo, b+1), hi)
			}
		}
	}
}

// refilled emits the iterations a..b of the row in groups, and before each group the filling of the late cells that it reads.
func (w *Levels) refilled(a, b int) {
	last := len(w.q) - 1
	for from := a; from <= b; from += min(w.group, b-from+1) {
		to := from + min(w.group, b-from+1) - 1
		for v, late := range w.late {
			if !late {
				continue
			}
			for _, d := range w.p.Nest.Values[v].Need {
				for x := range w.at {
					w.at[x] = w.q[x] - d[x]
				}
				lo, hi := from-d[last], to-d[last]
				in, out := w.p.Space.Span(w.at, lo, hi)
				if in > out {
					in, out = hi+1, hi
				}
				w.emitRow(Fill, v, w.at, lo, in-1)
				w.emitRow(Fill, v, w.at, out+1, hi)
			}
		}
		w.emitRow(Compute, 0, w.q, from, to)
	}
}

// reset begins a turn.
func (w *Levels) reset() { w.Ops, w.arena = w.Ops[:0], w.arena[:0] }

// emit appends an operation on the box lo..hi.
func (w *Levels) emit(op Op, lo, hi []int) {
	at, n := len(w.arena), len(lo)
	w.arena = append(append(w.arena, lo...), hi...)
	op.Lo, op.Hi = w.arena[at:at+n:at+n], w.arena[at+n:at+2*n:at+2*n]
	w.Ops = append(w.Ops, op)
}

// emitRow appends an operation on lo..hi of row q, unless this is empty.
func (w *Levels) emitRow(kind Kind, v int, q []int, lo, hi int) {
	if lo > hi {
		return
	}
	last := len(q) - 1
	w.emit(Op{Kind: kind, Value: v}, q, q)
	op := &w.Ops[len(w.Ops)-1]
	op.Lo[last], op.Hi[last] = lo, hi
}
