package sched

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sync/atomic"

	"loopc/runtime/array"
	"loopc/runtime/halo"
	"loopc/runtime/kernel"
	"loopc/transform/plan"
)

// inArrays runs a nest without tiles: a vector kernel computes in the caller's entire arrays, which are its block. See Program.InArrays.
type inArrays struct {
	part     *Program
	plan     *plan.Plan
	fields   kernel.Fields
	block    kernel.Block
	bases    forms                         // of the block: where its arrays lie
	params   []int                         // the parameters that loops, block and spaces are set for
	copies   []orderedCopy                 // of given arrays whose rows do not lie along the last dimension
	fills    []func(context.Context) error // give cells their initial content
	divided  int                           // the coordinate along which CPUs share iterations; -1: there is one CPU
	rotating *rotating                     // the arrays of the values; nil: they are the caller's
	cpus     []*boxes
	work     []func() // computes the iterations of each CPU
}

// boxes are the iterations of one CPU.
type boxes struct {
	loops  kernel.Kernel
	front  *front // computes instead of loops, if not nil
	space  *space
	parts  []kernel.Reduced // the CPU's part of the nest's reductions; of one CPU, the reductions themselves
	first  int              // a box has one value of each coordinate before this one
	lo, hi []int            // of a box, in coordinates without slopes
	block  block

	slopes   []int     // see kernel.Slopes
	from, to []int     // of a box
	rotating *rotating // see inArrays
	even     bool      // iterations write the same cells of all levels

	divided     int // the CPU computes the values least..most of this coordinate
	least, most int

	ctx      context.Context // nil: nothing ends the run
	progress *atomic.Int64   // counts iterations, if not nil
	since    int             // iterations since the last look at the context
	told     int64           // iterations that progress has counted in this run
	err      error
}

// lookAfter is about how many iterations a run computes between two looks at its context. It tells its progress as often.
const lookAfter = 1 << 16

// newInArrays prepares runs of a nest on entire arrays, which replace runs by plan p. typical decides on the kernel: see
// Program.typical. newInArrays returns nil if the arrays cannot be the block of the kernel.
func newInArrays(part *Program, p, typical *plan.Plan, params []int, fields kernel.Fields) *inArrays {
	p, typical = p.Window(0, 0), typical.Window(0, 0)
	n := part.Nest
	r := &inArrays{part: part, plan: p, fields: fields, params: slices.Clone(params)}
	depth, cpus := len(n.Dims), 0
	r.divided, cpus = part.asLoops().Divided(p)
	r.block.Layout = kernel.Layout{Strides: make([]int, depth), Levels: make([]int, len(n.Values)), Base: make([]int, len(n.Values))}
	r.block.Data = make([][]byte, len(n.Values))
	if l := part.asLoops(); l.Frontal(typical) {
		return r.inFront(l.Front.For(typical))
	}
	if depth < 2 {
		return nil
	}
	if rotating := kernel.NewRotating(n); rotating != nil {
		r.divided, cpus = -1, 1
		if r.rotate(rotating) != nil {
			return nil
		}
	} else if !r.strides() {
		return nil
	}
	r.block.LevelStep = r.block.LevelCells + r.block.Slant + kernel.Slopes(n)[depth-1]
	r.order()
	r.bases.set(params)
	for range cpus {
		b := r.newBoxes(cpus)
		if b == nil {
			return nil
		}
		b.block = r.blocks()
		r.cpus, r.work = append(r.cpus, b), append(r.work, b.compute)
	}
	r.divide(params)
	if r.begins() != nil {
		return nil
	}
	return r
}

// newBoxes returns the boxes of one of some CPUs, still without their parameters. It returns nil if newSpace does.
func (r *inArrays) newBoxes(cpus int) *boxes {
	n := r.part.Nest
	depth := len(n.Dims)
	slopes, sloped := kernel.Slopes(n), make([][]int, depth)
	for x := range sloped {
		sloped[x] = make([]int, depth)
		sloped[x][0], sloped[x][x] = slopes[x], 1
	}
	b := &boxes{space: newSpace(kernel.Bounds(n), sloped), lo: make([]int, depth), hi: make([]int, depth), divided: r.divided}
	b.slopes, b.from, b.to, b.rotating = slopes, make([]int, depth), make([]int, depth), r.rotating
	if b.space == nil {
		return nil
	}
	for x, even := range b.space.even {
		if !even {
			b.first = max(b.first, x+1)
		}
	}
	b.even = b.space.even[0]
	fields := r.fields
	if cpus > 1 {
		fields.Reduced = newReduced(n)
	}
	b.parts = fields.Reduced
	if b.loops = r.part.Kernel.Kernel(r.params, fields); b.loops.Lanes == 1 {
		return nil // lanes do not hold a parameter, so these are the portable loops
	}
	if r.part.Earlier != nil && b.loops.With == nil {
		return nil // the kernel would keep the results of earlier nests that it was made with
	}
	b.loops.Bind(&r.block)
	if !b.loops.Levels {
		b.first = max(b.first, 1)
	}
	return b
}

// strides sets the strides of the block. It reports whether they are the same in the arrays of all values, as a block requires.
func (r *inArrays) strides() bool {
	for v := range r.part.Nest.Values {
		val := &r.part.Nest.Values[v]
		view := &r.fields.Result[val.Array]
		at := make([]int, len(r.block.Strides))
		r.block.Data[v], r.block.Base[v] = view.Data, view.Origin()
		for m, sub := range val.Cell {
			r.bases.add(&r.block.Base[v], sub, view.Stride[m])
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

// order gives the kernel copies in place of given arrays whose rows do not lie along the last dimension.
func (r *inArrays) order() {
	r.fields.Given = slices.Clone(r.fields.Given)
	for a := range r.part.Nest.Arrays {
		arr, view := &r.part.Nest.Arrays[a], r.fields.Given[a]
		if arr.RowDim == 0 || !isGiven(arr) || view.Cells() == 0 {
			continue
		}
		c := orderedCopy{from: view, row: len(arr.Lo) - 1 - arr.RowDim, lo: view.Lo, hi: view.Hi}
		c.memory = array.LargeBytes(view.Size*view.Cells(), 1)
		r.fields.Given[a] = view.InOrder(c.row, c.lo, c.hi, c.memory)
		r.copies = append(r.copies, c)
	}
}

// begins prepares the fills of the arrays whose initial content the nest computes.
//
// Errors: an array whose bounds cannot be computed.
func (r *inArrays) begins() error {
	loops := r.cpus[0].loops
	for a := range r.part.Nest.Arrays {
		arr, v := &r.part.Nest.Arrays[a], &r.fields.Result[a]
		switch {
		case arr.Initial != plan.Computed || v.Data == nil:
		case r.rotating != nil || arr.Slice != nil || slices.Contains(r.part.WrittenOnce, a) && r.part.Nest.Numbers == nil:
			fields, err := complete(r.part.Nest, r.fields)
			if err != nil {
				return err
			}
			cells := halo.NewUnwritten(r.plan, loops, fields, a)
			r.fills = append(r.fills, func(ctx context.Context) error { return r.fillUnwritten(ctx, a, cells) })
		default:
			r.fills = append(r.fills, func(ctx context.Context) error { return initialRows(ctx, loops, a, v) })
		}
	}
	return nil
}

// content copies the given arrays that have copies, and fills cells with their initial content.
func (r *inArrays) content(ctx context.Context) error {
	for k := range r.copies {
		r.copies[k].make(1)
	}
	for _, fill := range r.fills {
		if err := fill(ctx); err != nil {
			return err
		}
	}
	return nil
}

// divide gives each CPU its iterations, for these parameters. Iterations with the same value of the divided coordinate belong to the same CPU.
func (r *inArrays) divide(params []int) {
	for _, b := range r.cpus {
		b.space.bases.set(params)
	}
	if r.divided < 0 {
		return
	}
	lo, hi := r.plan.Lo[r.divided], r.plan.Hi[r.divided]
	if s := r.cpus[0].space; !slices.ContainsFunc(s.bounds[r.divided], func(b bound) bool { return b.at.Iters != nil }) {
		lo, hi = s.extent(r.divided)
	}
	for k, b := range r.cpus {
		b.least, b.most = lo+(hi-lo+1)*k/len(r.cpus), lo+(hi-lo+1)*(k+1)/len(r.cpus)-1
		if k == 0 {
			b.least = math.MinInt
		}
		if k == len(r.cpus)-1 {
			b.most = math.MaxInt
		}
	}
}

// run computes all iterations. It returns how many of them it has added to progress; the caller adds the others.
//
// Errors: the cause of the context's end.
func (r *inArrays) run(ctx context.Context, c *crew, progress *atomic.Int64, params []int) (told int64, err error) {
	with, front := r.cpus[0].loops.With, r.cpus[0].front
	switch changed := with != nil && !slices.Equal(params, r.params); {
	case front != nil:
		if changed && (r.fills != nil || front.strips != nil) {
			with(params) // initial content depends on parameters
		}
		r.cpus[0].space.bases.set(params)
		front.with(params)
	case changed || r.part.Earlier != nil:
		r.bases.set(params)
		for _, b := range r.cpus {
			b.loops.With(params)
			b.loops.Bind(&r.block)
		}
		r.divide(params)
	}
	copy(r.params, params)
	if err := r.content(endless(ctx)); err != nil {
		return 0, err
	}
	for _, b := range r.cpus {
		b.ctx, b.progress, b.told = ctx, progress, 0
		clearReduced(r.part.Nest, b.parts)
	}
	if len(r.cpus) == 1 {
		r.cpus[0].compute()
	} else {
		c.share(r.work)
	}
	for _, b := range r.cpus {
		told += b.told
		err = cmp.Or(err, b.err)
	}
	if err == nil && front != nil && front.wrong { // the loops find the same error: the cells that subscripts depend on are unchanged
		return told, r.part.Sequential(params, r.fields)
	}
	r.reduce()
	return told, err
}

// reduce combines the CPUs' parts of the reductions.
func (r *inArrays) reduce() {
	all := r.fields.Reduced
	if len(r.cpus) > 1 {
		clearReduced(r.part.Nest, all)
		for k, x := range r.part.Nest.Reduces {
			for _, b := range r.cpus {
				merge(x.Op, all[k], b.parts[k])
			}
		}
	}
	for k := range all {
		finish(all[k])
	}
}

// all computes the iterations whose first x coordinates have the values in b.space.at.
func (b *boxes) all(x int) error {
	lo, hi := b.space.extent(x)
	if x == b.divided {
		lo, hi = max(lo, b.least), min(hi, b.most)
	}
	if x == 1 {
		lo, hi = max(lo, b.block.least), min(hi, b.block.most)
	}
	step := 1
	switch {
	case lo > hi:
		return nil
	case x == 0 && b.first == 0 && (lo < hi || b.rotating != nil): // a box has the levels between two looks at the context
		from, to := b.space.extent(1)
		step = max(1, lookAfter/max(1, to-from+1))
		if b.front != nil {
			step += b.front.Rows - step%b.front.Rows
		}
	case x >= b.first: // the range of later coordinates is the same for all values of x
		b.space.at[x], b.lo[x], b.hi[x] = lo, lo, hi
		if x < len(b.lo)-1 {
			return b.all(x + 1)
		}
		return b.box()
	case b.front != nil && b.front.Lanes > 1 && x == len(b.lo)-2:
		return b.uneven(x, lo, hi)
	}
	if x == 0 && b.rotating != nil {
		return b.levels(lo, hi)
	}
	for at := lo; at <= hi; at += step {
		b.space.at[x], b.lo[x], b.hi[x] = at, at, min(at+step-1, hi)
		if err := b.all(x + 1); err != nil {
			return err
		}
	}
	return nil
}

// levels computes levels from..to of arrays whose levels rotate. Before it computes a level, it fills it with initial
// content; it begins with the levels before from, which the first iterations read.
func (b *boxes) levels(from, to int) error {
	r := b.rotating
	for k := range r.arrays {
		r.arrays[k].filled = 0
	}
	for level := from - r.Levels + 1; level < from; level++ {
		r.fill(level, level, b.even, false)
		r.copyEdges(level)
	}
	for at := from; at <= to; at = b.hi[0] + 1 {
		until := at
		if b.first == 0 && !r.Edged() {
			until = r.until(at, to)
		}
		r.fill(at, until, b.even, r.own)
		b.space.at[0], b.lo[0], b.hi[0] = at, at, until
		if err := b.all(1); err != nil {
			return err
		}
		r.copyEdges(until)
		r.give(at, until)
	}
	return nil
}

// box computes the iterations lo..hi.
func (b *boxes) box() error {
	points := 1
	for x := range b.lo {
		points *= b.hi[x] - b.lo[x] + 1
	}
	if err := b.look(points); err != nil {
		return err
	}
	if b.front != nil {
		b.front.box(b.lo, b.hi)
		return nil
	}
	for x, c := range b.slopes {
		b.from[x], b.to[x] = b.lo[x]+c*b.lo[0], b.hi[x]+c*b.lo[0]
	}
	b.loops.Box(b.from, b.to)
	return nil
}

// look is called before points more iterations. It tells progress about earlier ones, and returns the cause if the run is to end.
func (b *boxes) look(points int) error {
	if b.since >= lookAfter/2 {
		if b.ctx != nil && b.ctx.Err() != nil {
			return context.Cause(b.ctx)
		}
		if b.progress != nil {
			b.progress.Add(int64(b.since))
			b.told += int64(b.since)
		}
		b.since = 0
	}
	b.since += points
	return nil
}
