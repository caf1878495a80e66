package sched

import (
	"context"
	"slices"

	"loopc/runtime/array"
	"loopc/runtime/kernel"
	"loopc/transform/plan"
)

// inArrays runs a nest without tiles, by the vector version of its kernel: the block of the kernel is the
// caller's entire arrays. See Program.InArrays.
type inArrays struct {
	part   *Program
	fields kernel.Fields
	space  *space
	loops  kernel.Kernel
	block  kernel.Block
	params []int         // that loops and block are for
	boxes  int           // the first coordinate of a box with several values
	lo, hi []int         // of a box
	copies []orderedCopy // of arrays whose rows do not lie along the last dimension

	ctx   context.Context // nil: nothing ends the run
	since int             // iterations since the context was looked at
}

// lookAfter is the number of iterations after which a run looks at its context.
const lookAfter = 1 << 16

// newInArrays returns the runs of a nest on entire arrays; nil if they cannot be its kernel's block.
func newInArrays(part *Program, params []int, fields kernel.Fields) *inArrays {
	n := part.Nest
	depth := len(n.Dims)
	unit := make([][]int, depth)
	for x := range unit {
		unit[x] = make([]int, depth)
		unit[x][x] = 1
	}
	r := &inArrays{part: part, fields: fields, space: newSpace(n, unit), lo: make([]int, depth), hi: make([]int, depth)}
	if r.space == nil || depth < 2 {
		return nil
	}
	if depth > 2 {
		r.boxes = 1 // a box of several levels has one row of each
	}
	for x, even := range r.space.even {
		if !even {
			r.boxes = max(r.boxes, x+1)
		}
	}
	r.block.Layout = kernel.Layout{Strides: make([]int, depth), Levels: make([]int, len(n.Values)), Base: make([]int, len(n.Values))}
	r.block.Data = make([][]byte, len(n.Values))
	if !r.strides() {
		return nil
	}
	r.order()
	r.loops, _ = part.loops(params, r.fields)
	r.place(params)
	r.space.with(params)
	r.params = slices.Clone(params)
	return r
}

// strides sets the distances between the cells of neighbors, which must be the same in the arrays of all
// values.
func (r *inArrays) strides() bool {
	for v := range r.part.Nest.Values {
		val := &r.part.Nest.Values[v]
		view := &r.fields.Result[val.Array]
		at := make([]int, len(r.lo))
		for m, sub := range val.Cell {
			for x, c := range sub.Iters {
				at[x] += c * view.Stride[m]
			}
		}
		if at[len(at)-1] != 1 || v > 0 && !slices.Equal(at, r.block.Strides) {
			return false
		}
		r.block.Strides, r.block.LevelCells = at, at[0]
	}
	return true
}

// order makes place for copies of arrays whose rows do not lie along the last dimension.
func (r *inArrays) order() {
	r.fields.Given = slices.Clone(r.fields.Given)
	for a := range r.part.Nest.Arrays {
		arr, view := &r.part.Nest.Arrays[a], r.fields.Given[a]
		if arr.RowDim == 0 || !isGiven(arr) || view.Cells() == 0 {
			continue
		}
		c := orderedCopy{from: view, row: len(arr.Lo) - 1 - arr.RowDim, lo: view.Lo, hi: view.Hi}
		c.memory = array.LargeBytes(view.Size*view.Cells(), 1)
		r.fields.Given[a] = c.make(1)
		r.copies = append(r.copies, c)
	}
}

// content brings the copies up to date, and gives the arrays that the nest begins their initial content.
func (r *inArrays) content() {
	for k := range r.copies {
		r.copies[k].make(1)
	}
	for a := range r.part.Nest.Arrays {
		if v := &r.fields.Result[a]; r.part.Nest.Arrays[a].Initial == plan.Computed && v.Data != nil {
			initialRows(r.loops, a, v)
		}
	}
}

// place sets where the arrays are in the block, with these parameters.
func (r *inArrays) place(params []int) {
	for v := range r.part.Nest.Values {
		val := &r.part.Nest.Values[v]
		view := &r.fields.Result[val.Array]
		r.block.Data[v], r.block.Base[v] = view.Data, view.Origin()
		for m, sub := range val.Cell {
			r.block.Base[v] += sub.Eval(params, nil) * view.Stride[m]
		}
	}
	r.loops.Bind(&r.block)
}

// run computes all iterations.
//
// Errors: the cause of the context's end.
func (r *inArrays) run(ctx context.Context, params []int) error {
	if r.loops.With != nil && !slices.Equal(params, r.params) {
		r.loops.With(params)
		r.place(params)
		r.space.with(params)
		copy(r.params, params)
	}
	r.content()
	r.ctx = ctx
	return r.from(0)
}

// from computes the iterations with all values of coordinate x and later ones, where those before it are at
// r.space.at.
func (r *inArrays) from(x int) error {
	lo, hi := r.space.extent(x)
	step := 1
	switch {
	case lo > hi:
		return nil
	case x == 0 && r.boxes == 0: // as many levels as may pass before a look at the context
		from, to := r.space.extent(1)
		step = max(1, lookAfter/max(1, to-from+1))
	case x >= r.boxes:
		r.lo[x], r.hi[x] = lo, hi
		if x < len(r.lo)-1 {
			return r.from(x + 1)
		}
		return r.box()
	}
	for at := lo; at <= hi; at += step {
		r.space.at[x], r.lo[x], r.hi[x] = at, at, min(at+step-1, hi)
		if err := r.from(x + 1); err != nil {
			return err
		}
	}
	return nil
}

// box computes the iterations r.lo..r.hi.
func (r *inArrays) box() error {
	points := 1
	for x := range r.lo {
		points *= r.hi[x] - r.lo[x] + 1
	}
	if r.since += points; r.since > lookAfter && r.ctx != nil {
		if r.since = 0; r.ctx.Err() != nil {
			return context.Cause(r.ctx)
		}
	}
	r.loops.Box(r.lo, r.hi)
	return nil
}
