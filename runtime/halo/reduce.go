package halo

import (
	"math"

	"loopc/runtime/array"
)

// A lane is a level, so that those above a slab's highest compute what is no iteration in
// all steps (stream.count): their accumulators are left out. All else that is none is where
// lanes take no part.

// collect adds what stream c's lanes have of each reduction to that of the worker, and
// begins anew.
func (r *timeSlabs[T]) collect(c *stream[T]) {
	for k := range r.lanes.Reduces {
		into := r.w.fields.Reduced[k].Value
		op := r.p.Nest.Reduces[k].Op
		vector := bytes(c.reduced[k*r.lanes.Count : (k+1)*r.lanes.Count])
		switch into.Elem {
		case "int32":
			collectLanes(op, into, array.Cast[int32](vector), c.count, math.MinInt32, math.MaxInt32)
		case "float32":
			collectLanes(op, into, array.Cast[float32](vector), c.count, float32(math.Inf(-1)), float32(math.Inf(1)))
		case "float64":
			collectLanes(op, into, array.Cast[float64](vector), c.count, math.Inf(-1), math.Inf(1))
		default:
			panic("BUG: halo: a kernel with lanes reduces " + into.Elem)
		}
	}
}

// collectLanes adds the lowest count lanes, which are the last ones (LoopIndex), to the cell of
// into, and gives all lanes what op of no values is.
func collectLanes[E int32 | float32 | float64](op string, into array.View, lanes []E, count int, lowest, highest E) {
	cell := &array.Cells[E](into)[0]
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
