package cli

import (
	"context"
	"fmt"
	"slices"

	"loopc/runtime/arith"
	"loopc/runtime/array"
	"loopc/runtime/halo"
	"loopc/runtime/kernel"
	"loopc/runtime/sched"
	"loopc/transform/plan"
)

// prefill gives the cells of the results that no iteration writes their initial
// content: a result that is given too begins as a copy, of others only those
// cells are computed.
func (c *command) prefill(ctx context.Context, givens []*given, files *results) error {
	for _, res := range files.all {
		var err error
		if g := givens[res.arr]; g != nil {
			err = copyGiven(ctx, g, res)
		} else if !c.several() { // of several nests, ranks do it
			err = c.writeRest(ctx, givens, res)
		}
		if err != nil {
			return fmt.Errorf("result %s: %w", c.prog.Nest.Arrays[res.arr].Name, err)
		}
	}
	return nil
}

// copyGiven writes the given content of an inout array into its result.
func copyGiven(ctx context.Context, g *given, res *result) error {
	return res.slabs(func(lo, hi []int) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		v, err := g.box(lo, hi)
		if err != nil {
			return err
		}
		return res.write(&v)
	})
}

// asked returns what initial content of res is asked for, among the cells lo..hi of what
// is given back: that of cells that no iteration writes.
func (c *command) asked(res *result, lo, hi []int) *restProbe {
	probe := &restProbe{}
	fields := sched.NewFields(c.prog.Nest)
	v := array.View{Elem: res.elem, Size: array.SizeOf(res.elem), Lo: lo, Hi: hi, Stride: make([]int, len(lo))}
	fields.Result[res.arr] = v
	halo.Rest(c.plan, probe, fields, res.arr, 0, halo.RestRows(&v))
	return probe
}

// A restProbe is a kernel that notes for which cells it is asked for initial
// content: all lie in the box lo..hi, if asked.
type restProbe struct {
	asked  bool
	lo, hi []int
}

// Bind implements kernel.Loops.
func (*restProbe) Bind(*kernel.Block) {}

// Box implements kernel.Loops.
func (*restProbe) Box(lo, hi []int) {}

// Init implements kernel.Loops.
func (r *restProbe) Init(_ int, cell []int, dim, n int, _ []byte, _, _ int) {
	if !r.asked {
		r.asked, r.lo, r.hi = true, slices.Clone(cell), slices.Clone(cell)
	}
	for m, x := range cell {
		r.lo[m], r.hi[m] = min(r.lo[m], x), max(r.hi[m], x)
	}
	if dim >= 0 {
		r.hi[dim] = max(r.hi[dim], cell[dim]+n-1)
	}
}

// writeRest computes the initial content of the cells of res that no iteration
// writes, slab by slab. Of the in arrays that it is made of only those cells are read
// that a slab may need.
func (c *command) writeRest(ctx context.Context, givens []*given, res *result) (err error) {
	defer arith.Catch(&err)
	nest := c.prog.Nest
	return res.slabs(func(lo, hi []int) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		asked := c.asked(res, lo, hi)
		if !asked.asked {
			return nil
		}
		fields := sched.NewFields(nest)
		for k := range nest.Arrays {
			a := &nest.Arrays[k]
			// The kernel looks at the strides of all arrays, and computes no results.
			var err error
			if fields.Result[k], err = emptyView(a.Elem, len(a.Lo)); err != nil {
				return err
			}
			fields.Given[k] = fields.Result[k]
			if g := givens[k]; g != nil && a.Role == plan.In {
				if box, ok := c.plan.InitBox(res.arr, k, asked.lo, asked.hi); ok {
					fields.Given[k], err = g.box(box[0], box[1])
				}
			}
			if err != nil {
				return err
			}
		}
		v, err := array.Make(res.elem, lo, hi)
		if err != nil {
			return err
		}
		v.TrackWritten()
		fields.Result[res.arr] = v
		halo.Rest(c.plan, c.prog.Kernel.Kernel(c.plan.Params, fields), fields, res.arr, 0, halo.RestRows(&v))
		return res.write(&v)
	})
}
