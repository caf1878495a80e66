package halo

import (
	"loopc/runtime/array"
	"loopc/runtime/kernel"
	"loopc/transform/plan/walk"
)

// slabFaces are the boxes of cells that a tile gets, and gives away, when its levels are
// computed in time slabs: those of faces, and those that are carried from tile to tile.
type slabFaces[T int32 | int64] struct {
	w       *Worker
	lanes   *kernel.Temporal
	tile    *slabTile
	in, out []laneBox[T]
	carries []laneBox[T] // per value: what the tile carries on, if it does
}

func newSlabFaces[T int32 | int64](w *Worker, l *kernel.Temporal, tile *slabTile) slabFaces[T] {
	f, n := slabFaces[T]{w: w, lanes: l, tile: tile}, len(w.first)
	for v := range w.plan.Nest.Values {
		f.carries = append(f.carries, laneBox[T]{value: v, lo: make([]int, n), hi: make([]int, n)})
	}
	return f
}

// A laneBox is a dense image of a box of cells of one value: a face, or what is
// carried on.
type laneBox[T int32 | int64] struct {
	value  int
	lo, hi []int
	cells  []T
	face   *Face // nil: it was carried
}

// rowAt returns where the row q of level lo[0] begins in the image, less lo[last],
// and the cells from a level to the next; false if the box has not the row.
func (b *laneBox[T]) rowAt(q []int) (at, level int, ok bool) {
	n := len(b.lo)
	width := b.hi[n-1] - b.lo[n-1] + 1
	rows := 1
	for x := 1; x < n-1; x++ {
		if q[x] < b.lo[x] || q[x] > b.hi[x] {
			return 0, 0, false
		}
		size := b.hi[x] - b.lo[x] + 1
		at = at*size + q[x] - b.lo[x]
		rows *= size
	}
	return at*width - b.lo[n-1], rows * width, true
}

// list lists what arrives and what is sent, by value.
func (f *slabFaces[T]) list() {
	c, w := f.tile.column, f.w
	f.in, f.out = f.in[:0], f.out[:0]
	for _, face := range c.In {
		if face.Slot == nil {
			continue
		}
		for v, has := range face.has {
			if has && f.lanes.Values[v].At >= 0 {
				f.in = append(f.in, laneBox[T]{v, face.lo[v], face.hi[v], array.Cast[T](face.part[v]), face})
			}
		}
	}
	for _, face := range c.Out {
		if face.Slot == nil {
			continue
		}
		for v, has := range face.has {
			if has && f.lanes.Values[v].At >= 0 {
				f.out = append(f.out, laneBox[T]{v, face.lo[v], face.hi[v], array.Cast[T](face.part[v]), face})
			}
		}
	}
	for v, data := range c.carried {
		if len(data) == 0 || f.lanes.Values[v].At < 0 {
			continue
		}
		cells := array.Cast[T](data)
		if c.carryHi[v][0] >= c.carryLo[v][0] {
			f.in = append(f.in, laneBox[T]{v, c.carryLo[v], c.carryHi[v], cells, nil})
		}
		if f.tile.k != c.Last {
			box, m := f.carries[v], f.w.plan.Map
			copy(box.lo, c.carryLo[v])
			copy(box.hi, c.carryHi[v])
			box.lo[m], box.hi[m], box.hi[0] = w.last[m]-w.carry.reach[v]+1, w.last[m], w.last[0]
			box.cells = cells
			f.out = append(f.out, box)
		}
	}
}

// await waits until what a box has of stream c's row is there.
func (r *timeSlabs[T]) await(c *stream[T], b *laneBox[T]) {
	if b.face == nil || b.face.receiver == nil {
		return
	}
	top := min(b.hi[0], c.level+c.count-1)
	if _, _, ok := b.rowAt(c.row); ok && b.lo[0] <= top && b.hi[0] >= c.level {
		b.face.awaitRow(r.p, c.row, c.level, top)
	}
}

// move copies cells of stream c's row: ghost cells out of a box that arrived if in, else
// into a box that is sent.
func (r *timeSlabs[T]) move(c *stream[T], b *laneBox[T], in bool) {
	from, level, ok := b.rowAt(c.row)
	if !ok {
		return
	}
	from += c.spans.shift
	if b.hi[r.last]-b.lo[r.last] >= r.lanes.Count {
		r.moveRows(c, b, from, level, in)
		return
	}
	cells, at, step := r.place(c, b.value)
	if in {
		cells, at, step = r.fillPlace(c, b.value)
	}
	first, last := b.lo[r.last]-c.spans.shift, b.hi[r.last]-c.spans.shift
	bottom, top := max(0, b.lo[0]-c.level), min(c.count, b.hi[0]-c.level+1)
	if bottom >= top {
		return
	}
	from += (c.level + bottom - b.lo[0]) * level
	at += r.lanes.Skew*bottom*step + r.lanes.LaneIndex(bottom)
	rise := r.lanes.Skew*step - 1
	for _, s := range c.spans.lanes[bottom:top] {
		lo, hi := max(first, s.e0), min(last, s.e1)
		r.moved(hi-lo+1, in)
		if in {
			for x := lo; x <= hi; x++ {
				cells[at+x*step] = b.cells[from+x]
			}
		} else {
			for x := lo; x <= hi; x++ {
				b.cells[from+x] = cells[at+x*step]
			}
		}
		from += level
		at += rise
	}
}

// moveRows moves what stream c's row has of a box between the row and the box, in to
// the row or out of it. from and level are as rowAt returns them, but for c.shift.
func (r *timeSlabs[T]) moveRows(c *stream[T], b *laneBox[T], from, level int, in bool) {
	r.transposer.clear()
	first, last := b.lo[r.last]-c.spans.shift, b.hi[r.last]-c.spans.shift
	for l := max(0, b.lo[0]-c.level); l < c.count && c.level+l <= b.hi[0]; l++ {
		s := &c.spans.lanes[l]
		lo, hi := max(first, s.e0), min(last, s.e1)
		if at := from + (c.level+l-b.lo[0])*level; lo <= hi {
			r.moved(hi-lo+1, in)
			r.transposer.set(l, lo, b.cells[at+lo:at+hi+1])
		}
	}
	if in {
		cells, at, step := r.fillPlace(c, b.value)
		r.transposer.in(cells, at, step)
		return
	}
	cells, at, step := r.place(c, b.value)
	r.transposer.vectors.Unlace(r.transposer.rows, r.transposer.fromFirst(cells, at, step), step)
}

// moved counts cells of a row that are copied out of a box, if in, or into one.
func (r *timeSlabs[T]) moved(cells int, in bool) {
	if r.w.counts == nil || cells <= 0 {
		return
	}
	kind := walk.Pack
	if in {
		kind = walk.Unpack
	}
	r.w.counts.Move(kind, 1, cells*r.lanes.Size)
}
