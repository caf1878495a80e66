package halo

import (
	"loopc/runtime/array"
	"loopc/transform/plan"
)

// plane returns where the row of a number begins in the plane of value v at the
// given distance below, less the column.
func (r *slabs[T]) plane(level, number int) int {
	return ((level-1)*r.planeRows+number)*r.planeRow + r.planeLow - r.c0
}

// layPlanes gives chain c's row of planes what iterations read there of levels below the tile.
// That happens right before the first slab reads the row, which then finds it in the first
// cache; and the first row is handed over before the last one has been laid.
func (r *slabs[T]) layPlanes(c *chain[T]) {
	q := append(r.q[:0], c.row...)
	clear(c.below)
	if r.begins {
		r.fillPlanes(c, q)
	} else {
		r.movePlanes(r.lo, q, c.number, true)
	}
}

// movePlanes copies row q of a number of the planes below level: in from the block, or
// out to it.
func (r *slabs[T]) movePlanes(level int, q []int, number int, in bool) {
	b := r.c.block
	for v, plane := range r.planes {
		if plane == nil {
			continue
		}
		cells := array.Cast[T](b.Data[v])
		for j := 1; j < r.p.Nest.Values[v].Levels(); j++ {
			at := b.Row0(v, level-j)
			for x := 1; x < r.last; x++ {
				at += q[x] * b.Strides[x]
			}
			from, to := cells[at+r.c0-r.margin:at+r.c1+1], plane[r.plane(j, number)+r.c0-r.margin:]
			if in {
				copy(to, from)
				add(to[:len(from)], r.Values[v].Plus)
			} else {
				copy(from, to)
				add(from, -r.Values[v].Plus)
			}
		}
	}
}

// add adds a number to cells.
func add[T int32 | int64](cells []T, by int) {
	if by == 0 {
		return
	}
	for x := range cells {
		cells[x] += T(by)
	}
}

// A givenBelow is a row of a given array that is read in place of one of a plane. cells is nil
// if it is not.
type givenBelow[T int32 | int64] struct {
	cells []T
	at    int // of column 0
}

// belowOf returns where row q, of the level below the tile's first, of value v may be read in
// the given array: if cells lie beside one another there too, and there are as many as a row of
// a plane has. Of those that are beyond the row nothing comes.
func (r *slabs[T]) belowOf(v int, q []int) (below givenBelow[T]) {
	val := &r.p.Nest.Values[v]
	if val.Levels() != 2 || r.Values[v].Plus != 0 || r.p.Nest.Arrays[val.Array].Initial != plan.Given {
		return below
	}
	view := &r.w.fields.Given[val.Array]
	at, along := 0, 0
	for m := range val.Cell {
		cell, step := r.w.arrays.cells[v][m].along(q)
		at += (cell - view.Lo[m]) * view.Stride[m]
		along += step * view.Stride[m]
	}
	cells := array.Cast[T](view.Data)
	if first := at + r.c0 - r.planeLow; along != 1 || first < 0 || first+r.planeRow > len(cells) {
		return below
	}
	return givenBelow[T]{cells, at}
}

// fillPlanes gives row q, chain c's, of the planes below the tile what iterations read there:
// initial content.
func (r *slabs[T]) fillPlanes(c *chain[T], q []int) {
	w, p := r.w, r.p
	for v, plane := range r.planes {
		if plane == nil {
			continue
		}
		for j := 1; j < p.Nest.Values[v].Levels(); j++ {
			q[0], q[r.last] = r.lo-j, 0
			a, b := w.walk.Span(q, r.c0-r.margin, r.c1)
			lo, hi := w.walk.Needed(v, q)
			lo, hi = max(lo, r.c0-r.margin), min(hi, r.c1)
			at := r.plane(j, c.number)
			if a > b {
				if c.below[v] = r.belowOf(v, q); c.below[v].cells != nil {
					continue
				}
				r.fillPlane(v, q, lo, hi, plane, at)
			} else {
				r.fillPlane(v, q, lo, min(hi, a-1), plane, at)
				r.fillPlane(v, q, max(lo, b+1), hi, plane, at)
			}
		}
	}
}

// fillPlane gives columns lo to hi of a row of value v's plane, whose column 0 would be at a
// position, initial content.
func (r *slabs[T]) fillPlane(v int, q []int, lo, hi int, plane []T, at int) {
	if lo > hi {
		return
	}
	r.filled(hi - lo + 1)
	r.w.fill.initialTo(v, q, lo, hi, bytes(plane), at, 1)
	add(plane[at+lo:at+hi+1], r.Values[v].Plus)
}
