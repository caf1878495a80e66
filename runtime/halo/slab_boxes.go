package halo

import (
	"loopc/runtime/array"
	"loopc/transform/plan/walk"
)

// await waits until the part of stream c's row in box b has arrived.
func (r *timeSlabs[T]) await(c *stream[T], b *cellBox) {
	if b.face == nil || b.face.receiver == nil {
		return
	}
	top := min(b.hi[0], c.level+c.count-1)
	if _, _, ok := b.rowAt(c.row); ok && b.lo[0] <= top && b.hi[0] >= c.level {
		b.face.awaitRow(r.p, c.row, c.level, top)
	}
}

// move copies cells between stream c's row and a box. If in is set, the box has arrived,
// and its cells become ghost cells of the row; otherwise cells of the row go to the box, which is sent.
func (r *timeSlabs[T]) move(c *stream[T], b *cellBox, in bool) {
	from, perLevel, ok := b.rowAt(c.row)
	if !ok || r.lanes.Values[b.value].At < 0 {
		return
	}
	from += c.spans.shift
	z := r.narrow[b.value]
	if z == nil && b.hi[r.last]-b.lo[r.last] >= r.lanes.Count {
		r.moveRows(c, b, from, perLevel, in)
		return
	}
	cells, at, step := r.place(c, b.value)
	if in {
		cells, at, step = r.fillPlace(c, b.value)
	}
	box := array.Cast[T](b.cells)
	first, last := b.lo[r.last]-c.spans.shift, b.hi[r.last]-c.spans.shift
	bottom, top := max(0, b.lo[0]-c.level), min(c.count, b.hi[0]-c.level+1)
	if bottom >= top {
		return
	}
	from += (c.level + bottom - b.lo[0]) * perLevel
	at += r.lanes.Skew*bottom*step + r.lanes.LaneIndex(bottom)
	rise := r.lanes.Skew*step - 1
	for _, s := range c.spans.lanes[bottom:top] {
		lo, hi := max(first, s.e0), min(last, s.e1)
		r.moved(hi-lo+1, in)
		switch {
		case lo > hi:
		case z != nil && in:
			z.in(bytes(cells), at+lo*step, step, b.cells, from+lo, 1, hi-lo+1)
		case z != nil:
			z.out(b.cells, from+lo, 1, bytes(cells), at+lo*step, step, hi-lo+1)
		case in:
			for x := lo; x <= hi; x++ {
				cells[at+x*step] = box[from+x]
			}
		default:
			for x := lo; x <= hi; x++ {
				box[from+x] = cells[at+x*step]
			}
		}
		from += perLevel
		at += rise
	}
}

// moveRows does what move does, by transposition, for boxes that are wider than a vector. The parameter from is the position that rowAt
// returns plus c.spans.shift; perLevel is as rowAt returns it.
func (r *timeSlabs[T]) moveRows(c *stream[T], b *cellBox, from, perLevel int, in bool) {
	r.transposer.clear(false)
	box := array.Cast[T](b.cells)
	first, last := b.lo[r.last]-c.spans.shift, b.hi[r.last]-c.spans.shift
	for l := max(0, b.lo[0]-c.level); l < c.count && c.level+l <= b.hi[0]; l++ {
		s := &c.spans.lanes[l]
		lo, hi := max(first, s.e0), min(last, s.e1)
		if at := from + (c.level+l-b.lo[0])*perLevel; lo <= hi {
			r.moved(hi-lo+1, in)
			r.transposer.set(l, lo, hi, box[at+lo:at+hi+1])
		}
	}
	if in {
		cells, at, step := r.fillPlace(c, b.value)
		r.transposer.in(cells, at, step)
		return
	}
	cells, at, step := r.place(c, b.value)
	r.transposer.out(cells, at, step)
}

// moved counts cells of a row that were copied out of a box, if in is set, or into one.
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
