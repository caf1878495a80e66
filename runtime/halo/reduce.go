package halo

import (
	"math"
	"slices"

	"loopc/runtime/arith"
	"loopc/runtime/array"
	"loopc/runtime/element"
	"loopc/runtime/kernel"
)

// Lanes above the highest level of a slab (stream.count) are idle: their values belong to no iteration, so collect leaves their
// accumulators out. In other lanes, the bounds mask the steps without iterations.

// collect adds the accumulators of stream c's lanes to the reductions of the worker, and resets the accumulators.
func (r *timeSlabs[T]) collect(c *stream[T]) {
	for k := range r.lanes.Places {
		r.collectPlaces(c, &r.lanes.Places[k])
	}
	for k := range r.lanes.Reduces {
		if r.w.fields.Reduced[k].Place != nil {
			continue
		}
		into := r.w.fields.Reduced[k].Value
		op := r.p.Nest.Reduces[k].Op
		vector := bytes(c.reduced[k*r.lanes.Count : (k+1)*r.lanes.Count])
		switch into.Elem {
		case "int8", "int16", "int32", "uint8", "uint16":
			x := int32(into.Cell(0).I) // lanes hold narrower integers as int32; a sum wraps in its own type
			collectLanes(op, &x, array.Cast[int32](vector), c.count, math.MinInt32, math.MaxInt32)
			into.SetCell(0, element.Value{I: int64(x)})
		case "float32":
			collectLanes(op, &array.Cells[float32](into)[0], array.Cast[float32](vector), c.count, float32(math.Inf(-1)), float32(math.Inf(1)))
		case "float64":
			collectLanes(op, &array.Cells[float64](into)[0], array.Cast[float64](vector), c.count, math.Inf(-1), math.Inf(1))
		default:
			panic("BUG: halo: a kernel with lanes reduces " + into.Elem)
		}
	}
	if r.lanes.Checks != "" {
		r.check(c)
	}
}

// collectPlaces adds the lanes of stream c to a reduction with places. There are no rows within a level. A lane that has had
// no value but the lowest of the type has no place: its first iteration stands for all.
func (r *timeSlabs[T]) collectPlaces(c *stream[T], g *kernel.PlaceGroup) {
	n := r.lanes.Count
	g.Collect(r.w.fields.Reduced, bytes(c.reduced[g.Reduce*n:]), n*r.lanes.Size, n-c.count)
	if c.count == 0 || !g.Nothing(r.w.fields.Reduced) {
		return
	}
	q, at := make([]int, 2), make([]int, len(g.Index))
	for q[0] = c.level; q[0] < c.level+c.count; q[0]++ {
		first, last := r.p.Space.Span(q, r.tile.c0, r.tile.c1)
		if q[1] = first; first > last {
			continue
		}
		for i, k := range g.Index {
			at[i] = r.lanes.Indices[k].At.Eval(r.p.Params, q)
		}
		g.Lowest(r.w.fields.Reduced, at)
	}
}

// check reports a subscript that was beyond the bounds of its array in a lane of stream c. If the same subscripts are wrong
// when iterations are computed again (Again), the levels of the tile are computed one by one, to panic with the place of
// the subscript; their results do not matter.
func (r *timeSlabs[T]) check(c *stream[T]) {
	wrong := c.reduced[r.lanes.Reduces*r.lanes.Count:]
	found := slices.ContainsFunc(wrong[r.lanes.Count-c.count:], func(x T) bool { return x != 0 })
	clear(wrong)
	if !found {
		return
	}
	if t := r.tile; r.lanes.Again {
		for level := t.lo; level <= t.hi; level++ {
			t.column.level(level, true)
		}
	}
	panic(arith.Unplaced(r.lanes.Checks))
}

// collectLanes combines the lowest count lanes with cell. These are the last ones
// of the vector (LaneIndex). It then resets all lanes to the neutral element of op.
func collectLanes[E int32 | float32 | float64](op string, cell *E, lanes []E, count int, lowest, highest E) {
	var none E
	for _, x := range lanes[len(lanes)-count:] {
		switch op {
		case "max":
			*cell = max(*cell, x)
		case "min":
			*cell = min(*cell, x)
		default:
			*cell += x
		}
	}
	switch op {
	case "max":
		none = lowest
	case "min":
		none = highest
	}
	for l := range lanes {
		lanes[l] = none
	}
}
