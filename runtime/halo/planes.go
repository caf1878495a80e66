package halo

import (
	"loopc/runtime/array"
	"loopc/runtime/kernel"
	"loopc/transform/plan"
)

// slabPlanes hold the levels between time slabs, one plane per level, as wide as the tile. A
// stream reads the planes below its slab, and writes those above.
type slabPlanes[T int32 | int64] struct {
	w      *Worker
	lanes  *kernel.Temporal
	room   *laneRoom
	tile   *slabTile
	of     [][]T // per value: room.depth planes; nil: the value needs none
	narrow []*narrowValue[T]
	spare  []T   // a row that nobody reads, for idle streams
	q      []int // scratch
}

func newSlabPlanes[T int32 | int64](w *Worker, l *kernel.Temporal, room *laneRoom, tile *slabTile, narrow []*narrowValue[T]) slabPlanes[T] {
	r := slabPlanes[T]{w: w, lanes: l, room: room, tile: tile, narrow: narrow, q: make([]int, len(w.first))}
	for v := range w.plan.Nest.Values {
		var plane []T
		if hasPlanes(l, w.plan, v) {
			plane = vectors[T](w.pool, room.depth*room.planeRows*room.planeRow)
		}
		r.of = append(r.of, plane)
	}
	r.spare = vectors[T](w.pool, room.planeRow)
	return r
}

// at returns the position of column 0 of row number in the plane of a value that lies level levels below a slab.
func (r *slabPlanes[T]) at(level, number int) int {
	return ((level-1)*r.room.planeRows+number)*r.room.planeRow + r.room.planeLow - r.tile.c0
}

// lay fills stream c's row of the planes below the tile with what iterations read there. It does so right before the first slab reads the
// row, which is then in the first cache. The first row can thus be handed over before the last one is laid.
func (r *slabPlanes[T]) lay(c *stream[T]) {
	q := append(r.q[:0], c.row...)
	clear(c.below)
	if r.tile.begins {
		r.fill(c, q)
	} else {
		r.move(r.tile.lo, q, c.number, true)
	}
}

// move copies row q, the number-th, between the block and the planes below level: from the block if in is set, else to it.
func (r *slabPlanes[T]) move(level int, q []int, number int, in bool) {
	b := r.tile.column.block
	for v, plane := range r.of {
		if plane == nil {
			continue
		}
		cells, z := array.Cast[T](b.Data[v]), r.narrow[v]
		for j := 1; j < r.w.plan.Nest.Values[v].Levels(); j++ {
			at := b.Row0(v, level-j)
			for x := 1; x < len(q)-1; x++ {
				at += q[x] * b.Strides[x]
			}
			if n, first := r.tile.c1-r.tile.c0+r.room.ghosts+1, r.tile.c0-r.room.ghosts; z != nil && in {
				z.in(bytes(plane), r.at(j, number)+first, 1, b.Data[v], at+first, 1, n)
				continue
			} else if z != nil {
				z.out(b.Data[v], at+first, 1, bytes(plane), r.at(j, number)+first, 1, n)
				continue
			}
			from, to := cells[at+r.tile.c0-r.room.ghosts:at+r.tile.c1+1], plane[r.at(j, number)+r.tile.c0-r.room.ghosts:]
			if in {
				copy(to, from)
				add(to[:len(from)], r.lanes.Values[v].Plus)
			} else {
				copy(from, to)
				add(from, -r.lanes.Values[v].Plus)
			}
		}
	}
}

// add adds a number to each cell.
func add[T int32 | int64](cells []T, by int) {
	if by == 0 {
		return
	}
	for x := range cells {
		cells[x] += T(by)
	}
}

// A givenBelow is a row of a given array that is read in place of a row of a plane. cells is nil if the plane is read.
type givenBelow[T int32 | int64] struct {
	cells []T
	at    int // of column 0
}

// belowOf returns where row q of value v can be read in the given array, in place of the plane; q is a row of the level below the tile. The
// row must be contiguous in the array, and the array must extend around it as far as a row of a plane does: the kernel loads these cells
// too, though their content does not matter.
func (r *slabPlanes[T]) belowOf(v int, q []int) (below givenBelow[T]) {
	val := &r.w.plan.Nest.Values[v]
	if val.Levels() != 2 || r.lanes.Values[v].Plus != 0 || r.narrow[v] != nil || r.w.plan.Nest.Arrays[val.Array].Initial != plan.Given {
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
	if first := at + r.tile.c0 - r.room.planeLow; along != 1 || first < 0 || first+r.room.planeRow > len(cells) {
		return below
	}
	return givenBelow[T]{cells, at}
}

// fill writes the initial content of the cells that iterations read in row q of the planes below the tile, which is stream c's.
func (r *slabPlanes[T]) fill(c *stream[T], q []int) {
	w, p := r.w, r.w.plan
	for v, plane := range r.of {
		if plane == nil {
			continue
		}
		for j := 1; j < p.Nest.Values[v].Levels(); j++ {
			q[0], q[len(q)-1] = r.tile.lo-j, 0
			a, b := w.walk.Span(q, r.tile.c0-r.room.ghosts, r.tile.c1)
			lo, hi := w.walk.Needed(v, q)
			lo, hi = max(lo, r.tile.c0-r.room.ghosts), min(hi, r.tile.c1)
			at := r.at(j, c.number)
			if a > b {
				if c.below[v] = r.belowOf(v, q); c.below[v].cells != nil {
					continue
				}
				r.fillRow(v, q, lo, hi, plane, at)
			} else {
				r.fillRow(v, q, lo, min(hi, a-1), plane, at)
				r.fillRow(v, q, max(lo, b+1), hi, plane, at)
			}
		}
	}
}

// fillRow writes initial content to columns lo..hi of a row of value v's plane. Position at of the plane is column 0.
func (r *slabPlanes[T]) fillRow(v int, q []int, lo, hi int, plane []T, at int) {
	if lo > hi {
		return
	}
	r.w.filled(hi - lo + 1)
	if z := r.narrow[v]; z != nil {
		z.initialTo(r.w.fill, v, q, lo, hi, bytes(plane), at, 1)
		return
	}
	r.w.fill.initialTo(v, q, len(q)-1, lo, hi, bytes(plane), at, 1)
	add(plane[at+lo:at+hi+1], r.lanes.Values[v].Plus)
}

// topPlanes writes the planes below the next tile's levels if the highest level of the slab is not that of the top lane.
func (r *timeSlabs[T]) topPlanes(c *stream[T]) {
	for v, plane := range r.planes.of {
		if plane == nil {
			continue
		}
		cells, at, step := r.place(c, v)
		plus := T(r.lanes.Values[v].Plus)
		for j := 1; j < r.p.Nest.Values[v].Levels(); j++ {
			l := c.count - j
			to := r.planes.at(j, c.number) + c.spans.shift
			src := at + (c.spans.lanes[l].e0+r.lanes.Skew*l)*step + r.lanes.LaneIndex(l)
			for x := c.spans.lanes[l].e0; x <= c.spans.lanes[l].e1; x++ {
				plane[to+x] = cells[src] + plus
				src += step
			}
		}
	}
}
