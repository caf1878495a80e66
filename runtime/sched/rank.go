package sched

import (
	"cmp"
	"context"
	"slices"
	"time"

	"loopc/runtime/array"
	"loopc/runtime/checkpoint"
	"loopc/runtime/kernel"
	"loopc/runtime/redist"
	"loopc/runtime/transport"
	"loopc/transform/plan"
)

// A Rank runs one rank's part of a program: NewRank, Run, and, after all ranks have succeeded, Deliver.
type Rank struct {
	rank   int
	nests  []*Program
	steps  []Step
	whole  *plan.Nest
	plans  []*plan.Plan
	params []int // of the nests, with the values of repeats
	store  Store
	layout *layout

	ready *kernel.Fields        // the fields of the next nest, if they are prepared: those of the first step, before it runs
	needs map[[2]int]redist.Box // by nest and array: what need has returned
	given []itemCells           // arrays with parameters of items

	prog  *Program
	loops *sequence // that run as they are written

	tr       transport.Transport
	watch    Watch
	links    [][]link // by nest, nil before its first run
	exchange *redist.Exchange
	states   *redist.Exchange // between windows
	polls    polls
	saves    saver
	memory   stateMemory
	couple   coupler
	crew     crew
	spares   spares

	fields  []field
	slices  map[int]*array.View // by array, for arrays that only one nest has
	at      progress
	within  int           // depth of nested repeats
	reduced [][]Reduction // by nest, from its last run
	sum     Summary
}

// NewRank prepares the part of a rank in a process of its own: it asks the store for the arrays that the first step reads. It needs no
// transport. Of watch it uses Checkpoints and Couple, which must be those of the watch that Run gets.
//
// Errors are those of the store, and of a rank that needs more memory than there is.
func NewRank(ctx context.Context, prog *Program, plans []*plan.Plan, rank int, store Store, watch Watch) (*Rank, error) {
	prog, err := prog.Choose("")
	if err != nil {
		return nil, err
	}
	if prog.written() {
		return &Rank{prog: prog, rank: rank, whole: prog.Nest, plans: plans, params: plans[0].Params, store: store}, nil
	}
	r := newRank(newLayout(ctx, prog, plans, &watch), prog, rank, store)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	for k, p := range plans {
		if err := checkMemory(r.nests[k], p, rank); err != nil {
			return nil, err
		}
	}
	if first := r.steps[0]; first.Repeat == nil && !r.layout.resumes {
		fields := NewFields(r.nests[first.Nest].Nest)
		if err := r.arrays(ctx, first.Nest, plans[first.Nest], fields); err != nil {
			return nil, err
		}
		r.ready = &fields
	}
	return r, context.Cause(ctx)
}

// newRank returns the part of a rank of a program with this layout.
func newRank(y *layout, prog *Program, rank int, store Store) *Rank {
	r := &Rank{
		rank: rank, prog: prog, nests: slices.Clone(y.nests), steps: prog.steps(), whole: prog.Nest, plans: y.plans, params: y.plans[0].Params, store: store,
		layout: y, needs: map[[2]int]redist.Box{}, given: make([]itemCells, len(prog.Nest.Arrays)), links: make([][]link, len(y.nests)),
		fields: make([]field, len(prog.Nest.Arrays)), slices: map[int]*array.View{}, reduced: make([][]Reduction, len(y.nests)),
	}
	r.sum.Rank, r.crew.memory = rank, array.Borrow()
	r.sum.Repeats, r.sum.Runs, r.sum.NestSeconds = make([]int, len(r.params)-len(prog.Nest.Params)), make([]int, len(y.nests)), make([]float64, len(y.nests))
	if prog.Several() {
		r.sum.NestKernels = make([]string, len(y.nests))
	}
	return r
}

// Run runs the part of the rank, with transport tr. It returns when every step is done and every message of the rank is on its way, or at
// the first failure, which it reports to the other ranks.
//
// Errors: *transport.Error if a peer or the network fails; errors of the kernel, with rank and step; errors of the store; context.Cause(ctx).
func (r *Rank) Run(ctx context.Context, tr transport.Transport, watch Watch) (Summary, error) {
	if r.layout == nil {
		return r.runItems(ctx, tr, watch)
	}
	began := time.Now()
	r.tr, r.watch, r.crew.thread = tr, watch, watch.Thread
	if watch.Checkpoints != nil {
		r.saves.Checkpoints = *watch.Checkpoints
	}
	r.couple.Coupling = watch.Couple
	watch.Live.sends(r.rank, tr.Stats)
	observe(tr, watch.Trace)
	err := r.open(ctx)
	if err == nil {
		err = r.lengths()
	}
	if err == nil {
		err = r.resume()
	}
	if err == nil {
		err = r.run(ctx, r.steps)
	}
	r.crew.end()
	stats := tr.Stats()
	r.sum.Messages, r.sum.Bytes = stats.Messages, stats.Bytes
	if r.exchange != nil {
		moved := r.exchange.Stats()
		r.sum.MovedMessages, r.sum.Moved = moved.Messages, moved.Bytes
	}
	for _, x := range []*redist.Exchange{r.states, r.couple.exchange} {
		if x != nil {
			passed := x.Stats()
			r.sum.MovedMessages += passed.Messages
			r.sum.Moved += passed.Bytes
		}
	}
	for _, p := range []*polls{&r.polls, &r.saves.calls, &r.couple.calls} {
		r.sum.MovedMessages += p.messages
		r.sum.Moved += p.bytes
	}
	for k, reduced := range r.reduced {
		if reduced == nil { // the nest has never run
			var none error
			reduced, none = partial(r.plans[k].Nest, nil)
			if err == nil {
				err = none
			}
		}
		r.sum.Reductions = append(r.sum.Reductions, reduced...)
	}
	if closeErr := tr.Close(err); err == nil {
		err = closeErr
	}
	r.sum.Seconds = time.Since(began).Seconds()
	r.sum.rate()
	return r.sum, err
}

// open opens the edges that belong to no nest: for arrays, states, checkpoints, reductions and code of the caller.
func (r *Rank) open(ctx context.Context) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if r.layout.polls {
		if err := r.polls.open(r.tr, untilEdge); err != nil {
			return err
		}
	}
	open := func(edge int, capacity func(from, to int) int) (*redist.Exchange, error) {
		return redist.Open(r.tr, edge, func(from, to int) int {
			if ctx.Err() != nil { // there may be very many ranks
				return 0
			}
			return capacity(from, to)
		})
	}
	var err error
	if r.layout.handsOn() {
		r.exchange, err = open(moveEdge, r.layout.capacity)
	}
	if err == nil && r.layout.passesStates() {
		r.states, err = open(stateEdge, r.layout.stateCapacity)
	}
	if err == nil {
		err = r.saves.open(r)
	}
	if err == nil {
		err = r.couple.open(r)
	}
	if err == nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return err
}

// run runs steps in order. It stops after the step in which the run ends early, if any.
func (r *Rank) run(ctx context.Context, steps []Step) error {
	depth := r.at.enter()
	defer r.at.leave()
	for k := r.at.first(depth).Step; k < len(steps) && r.sum.Stopped == 0; k++ {
		r.at.path[depth] = checkpoint.Stop{Step: k}
		var err error
		if step := steps[k]; step.Repeat == nil {
			err = r.nest(ctx, step.Nest)
		} else {
			err = r.repeat(ctx, step.Repeat)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// repeat runs the repetitions of a repeat.
func (r *Rank) repeat(ctx context.Context, repeat *Repeat) error {
	r.within++
	defer func() {
		if r.within--; r.within == 0 {
			r.drop()
		}
	}()
	given, depth := len(r.whole.Params), len(r.at.path)-1 // the first parameters are the caller's
	lo, hi := repeat.bounds(r.params, given, r.given)
	done := repeat.before(lo, hi, r.at.first(depth).Value)
	r.sum.Repeats[repeat.Index] = done
	for ; done <= hi-lo; done++ {
		t := repeat.number(lo, hi, done)
		r.at.path[depth].In, r.at.path[depth].Value = repeat.Name, t
		r.params = slices.Clone(r.params) // plans hold the old slice
		r.params[given+repeat.Index] = t
		if err := r.run(ctx, repeat.Steps); err != nil || r.sum.Stopped > 0 {
			return err
		}
		r.sum.Repeats[repeat.Index]++
		if r.within == 1 {
			r.at.repeated()
		}
		if repeat.Until == nil {
			continue
		}
		mine, err := r.partsOf(repeat.Until.Reduces)
		if err != nil {
			return err
		}
		end, err := r.polls.ended(ctx, r.tr, mine, func(all []array.View) bool { return repeat.Until.Holds(r.params, r.nests[0].floats, all) })
		if err != nil || end {
			return err
		}
	}
	return nil
}

// nest runs nest k once, on the cells that ranks own of its arrays.
func (r *Rank) nest(ctx context.Context, k int) error {
	defer func(began time.Time) { r.sum.NestSeconds[k] += time.Since(began).Seconds() }(time.Now())
	if ends, err := r.between(ctx, k); err != nil || ends {
		return err
	}
	if err := r.learn(ctx, k); err != nil {
		return err
	}
	p := r.plans[k].At(r.params)
	if r.links[k] == nil {
		links, err := openLinks(r.plans[k], r.tr, r.layout.base[k])
		if err != nil {
			return err
		}
		r.links[k] = append([]link{}, links...)
	}
	if r.ready == nil {
		fields := NewFields(p.Nest)
		if err := r.arrays(ctx, k, p, fields); err != nil {
			return err
		}
		r.ready = &fields
	}
	var sum Summary
	fields := *r.ready
	r.ready = nil
	err := r.windows(ctx, k, p, fields, &sum)
	r.reduced[k] = sum.Reductions
	r.sum.Runs[k]++
	if r.sum.NestKernels != nil {
		r.sum.NestKernels[k] = cmp.Or(sum.Kernel, r.sum.NestKernels[k])
	}
	r.at.nests++
	r.sum.add(sum)
	r.sum.computedBy(&sum)
	if err != nil {
		return err
	}
	r.adopt(p, k, fields)
	return nil
}
