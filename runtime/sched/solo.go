package sched

import (
	"context"
	"slices"
	"time"

	"loopc/runtime/array"
	"loopc/runtime/halo"
	"loopc/runtime/kernel"
	"loopc/transform/plan"
)

// A solo is one nest on one rank, on the caller's arrays, with workers that wait from run to run. A run computes on the arrays in place;
// only inout arrays are copied first, because workers read the old content while others write.
type solo struct {
	prog   *Program
	plan   *plan.Plan
	fields kernel.Fields // the caller's; Reduced gets the results
	inouts []restored
	orders []orderedCopy
	cpus   int
	memory *array.Pool

	workers []*worker
	total   []kernel.Reduced // scratch: reductions of all workers
	crew    *crew

	// The runs of the workers. A run ends early when stop is called; running is the context for callers whose own context never ends.
	ctx, running context.Context
	stop, halt   context.CancelCauseFunc // of ctx, and of running
	compute      []func()
	fill         []func()
	errs         []error // of fill

	runs  int // that have begun
	steps int
}

// newSolo prepares runs of prog by p on the caller's complete arrays.
func newSolo(ctx context.Context, prog *Program, p *plan.Plan, fields kernel.Fields, mesh Mesh) (*solo, error) {
	if err := CheckWhole(prog.Nest, p.Params, fields); err != nil {
		return nil, err
	}
	need, err := memories(ctx, prog, p)
	if err == nil {
		err = checkMemories(need)
	}
	if err == nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		return nil, err
	}
	prog = prog.fit(p.Params)
	s := &solo{prog: prog, plan: p, fields: fields, cpus: plan.Product(p.Mesh), memory: array.Borrow(), crew: new(crew), steps: p.Steps()}
	s.total = newReduced(p.Nest)
	s.crew.memory = s.memory
	s.running, s.halt = context.WithCancelCause(context.Background())
	transports, err := mesh(1, PlansDigest(prog, []*plan.Plan{p}))
	if err != nil {
		return nil, err
	}
	links, err := openLinks(p, transports[0], 0)
	if err != nil {
		return nil, err
	}
	work := NewFields(p.Nest)
	for a := range p.Nest.Arrays {
		arr := &p.Nest.Arrays[a]
		if isGiven(arr) {
			work.Given[a] = s.given(a)
		}
		if arr.Returned() {
			work.Result[a] = fields.Result[a]
		}
	}
	var none Watch
	if s.workers, err = newWorkers(prog, p, transports[0], links, s.order(work), none, s.crew, -1, passing{}); err != nil {
		return nil, err
	}
	for _, w := range s.workers {
		s.compute = append(s.compute, func() {
			if err := w.run(s.ctx); err != nil {
				s.stop(err) // the first cause counts
			}
		})
	}
	return s, s.unwritten(work)
}

// given returns what workers read of a given array: the caller's memory, or a copy.
func (s *solo) given(a int) array.View {
	v := s.fields.Given[a]
	if s.plan.Nest.Arrays[a].Role == plan.InOut {
		before := s.memory.Bytes(len(v.Data))
		s.inouts = append(s.inouts, restored{before, s.fields.Given[a].Data, s.fields.Result[a].Data})
		v.Data = before
	}
	return v
}

// order returns fields with copies of arrays whose rows do not lie along the last dimension.
func (s *solo) order(fields kernel.Fields) kernel.Fields {
	fields.Given = slices.Clone(fields.Given)
	for a := range s.plan.Nest.Arrays {
		arr, view := &s.plan.Nest.Arrays[a], fields.Given[a]
		if arr.RowDim == 0 || !isGiven(arr) || view.Cells() == 0 {
			continue
		}
		lo, hi, given := s.plan.GivenBox(0, a)
		if !given {
			continue
		}
		c := orderedCopy{from: view, row: len(arr.Lo) - 1 - arr.RowDim, lo: lo, hi: hi}
		cells := view.Size
		for m := range lo {
			cells *= max(0, hi[m]-lo[m]+1)
		}
		c.memory = s.memory.LargeBytes(cells, s.cpus)
		fields.Given[a] = c.make(s.cpus)
		s.orders = append(s.orders, c)
	}
	return fields
}

// unwritten prepares to fill the cells that no iteration writes, a part of the rows per worker.
func (s *solo) unwritten(work kernel.Fields) error {
	for a := range s.plan.Nest.Arrays {
		arr := &s.plan.Nest.Arrays[a]
		if !arr.Returned() || arr.Initial != plan.Computed {
			continue
		}
		fields, err := complete(s.plan.Nest, work)
		if err != nil {
			return err
		}
		rows := halo.UnwrittenRows(&fields.Result[a])
		parts := max(1, len(s.workers))
		for k := range parts {
			loops, fields := s.prog.loops(s.plan.Params, fields)
			cells := halo.NewUnwritten(s.plan, loops, fields, a)
			at := len(s.errs)
			s.errs = append(s.errs, nil)
			s.fill = append(s.fill, func() {
				defer func() {
					if caught := recover(); caught != nil {
						s.errs[at] = recovered(s.prog, caught, nil)
					}
				}()
				s.errs[at] = cells.Fill(s.ctx, rows*k/parts, rows*(k+1)/parts)
			})
		}
	}
	return nil
}

// run runs the nest once. From the second run on it allocates nothing.
func (s *solo) run(ctx context.Context) (sum Summary, err error) {
	began := time.Now()
	if ctx.Err() != nil {
		return Summary{Rank: -1}, context.Cause(ctx)
	}
	s.begin()
	prepared := time.Since(began)
	if err = s.tiles(ctx); err == nil {
		s.ctx = ctx
		err = s.filled()
	}
	if err != nil {
		for _, x := range s.inouts {
			copy(x.result, x.before)
		}
		return Summary{Rank: -1}, err
	}
	sum = s.summary()
	sum.Prepare = prepared.Seconds()
	if s.runs == 1 {
		return s.firstSummary(sum, began)
	}
	s.reduce()
	sum.Rank, sum.Seconds = -1, time.Since(began).Seconds()
	sum.rate()
	return sum, nil
}

// begin copies the inout arrays, and the arrays that need another order. From the second run on, it also resets the workers.
func (s *solo) begin() {
	for _, x := range s.inouts {
		copy(x.before, x.given)
	}
	for k := range s.orders {
		s.orders[k].make(s.cpus)
	}
	if s.runs++; s.runs == 1 {
		return
	}
	for _, w := range s.workers {
		w.sum = Summary{}
		w.halo.Again()
		w.order()
		clearReduced(s.plan.Nest, w.reduced)
	}
}

// tiles computes all tiles.
func (s *solo) tiles(ctx context.Context) error {
	switch {
	case len(s.workers) == 0:
		return nil
	case len(s.workers) == 1: // nothing to stop
		if err := s.workers[0].run(ctx); err != nil {
			return err
		}
		return context.Cause(ctx)
	}
	s.ctx, s.stop = s.running, s.halt
	if ctx.Done() != nil {
		stopped, stop := context.WithCancelCause(ctx)
		defer stop(nil)
		s.ctx, s.stop = stopped, stop
	}
	s.crew.run(s.compute)
	return context.Cause(s.ctx)
}

// filled fills the cells that no iteration writes. It returns the best error; if several are equally good, the error of the first cells.
func (s *solo) filled() (best error) {
	parts := max(1, len(s.workers))
	for at := 0; at < len(s.fill); at += parts {
		s.crew.run(s.fill[at : at+parts])
	}
	for _, err := range s.errs {
		if err != nil && explains(err) < explains(best) {
			best = err
		}
	}
	return best
}

// summary adds up what the workers have done.
func (s *solo) summary() Summary {
	k := &s.prog.Kernel
	sum := Summary{Kernel: k.Name, Rows: k.Rows, Lanes: k.Lanes, Across: k.Across, Steps: s.steps}
	for _, w := range s.workers {
		sum.add(w.done())
	}
	if len(s.workers) > 0 && s.workers[0].levels != nil {
		l := s.workers[0].levels
		sum.Rows, sum.Lanes, sum.Across, sum.Lines = l.Count*max(1, l.Streams), l.Count, kernel.AcrossLevels, l.Streaming != nil
	}
	return sum
}

// firstSummary returns the summary of the first run, with that of its rank, and puts the results of reductions into the caller's fields.
func (s *solo) firstSummary(mine Summary, began time.Time) (Summary, error) {
	var err error
	if mine.Reductions, err = partial(s.plan.Nest, s.workers); err != nil {
		return Summary{Rank: -1}, err
	}
	mine.Repeats, mine.Runs = []int{}, []int{1}
	mine.Seconds = time.Since(began).Seconds()
	mine.rate()
	sum, err := Merge([]Summary{mine})
	if err == nil {
		sum.GiveReduced(s.fields)
	}
	return sum, err
}

// reduce combines the reductions of the workers in the caller's fields.
func (s *solo) reduce() {
	clearReduced(s.plan.Nest, s.total)
	for k, r := range s.plan.Nest.Reduces {
		for _, w := range s.workers {
			merge(r.Op, s.total[k], w.reduced[k])
		}
		finish(s.total[k])
		copy(s.fields.Reduced[k].Value.Data, s.total[k].Value.Data)
	}
}

// end ends the workers' goroutines and returns their memory.
func (s *solo) end() {
	s.halt(nil)
	s.crew.end()
	s.memory.Return()
}
