package sched

import (
	"context"
	"fmt"
	"slices"
	"time"

	"loopc/runtime/array"
	"loopc/runtime/kernel"
	"loopc/runtime/redist"
	"loopc/runtime/transport"
	"loopc/transform/plan"
)

// Edges between ranks have these numbers; those of the nests come behind.
const (
	moveEdge    = 0
	untilEdge   = 1
	firstOfNest = 2
)

// A stepper runs the part of one rank of a program.
type stepper struct {
	nests  []*Program
	whole  *plan.Nest
	plans  []*plan.Plan
	params []int // of the nests, those of repeats included
	given  int   // of these are the caller's
	tr     transport.Transport
	rank   int
	store  Store
	watch  Watch

	layout   *layout
	links    [][]link // by nest, nil until it runs for the first time
	exchange *redist.Exchange
	polls    polls
	crew     crew
	spares   spares

	fields  []field
	slices  map[int]*array.View // of arrays that are in one nest only, by array
	within  int                 // repeats
	reduced [][]Reduction       // by nest, of its last run
	sum     Summary
}

// A field is what a rank knows and has of an array that nests hand on to one
// another.
type field struct {
	owned   []*array.View
	writers []int // nests whose results some rank may still own, the last one last
	ever    []int // nests that have written it
	// kept has, by nest, content that no nest has written, so that it is asked for
	// once: see initial.
	kept map[int]*keptContent
}

// A keptContent is the content of cells that no nest has written when ever nests
// had written the array.
type keptContent struct {
	ever  int
	views []*array.View
}

// RankSteps runs the part of one rank of a program of any number of nests. When
// all ranks have succeeded, deliver gives the store what this one has of the
// results.
//
// Errors are those of Rank, and those of the store.
func RankSteps(ctx context.Context, prog *Program, plans []*plan.Plan, params []int, tr transport.Transport, store Store, watch Watch) (sum Summary, deliver func() error, err error) {
	return rankSteps(ctx, newLayout(ctx, prog, plans), prog, plans, params, tr, store, watch)
}

// rankSteps is RankSteps with the layout of the program.
func rankSteps(ctx context.Context, y *layout, prog *Program, plans []*plan.Plan, params []int, tr transport.Transport, store Store, watch Watch) (sum Summary, deliver func() error, err error) {
	began := time.Now()
	s := newStepper(y, prog, plans, params, tr, store, watch)
	_, steps := prog.stepList()
	observe(tr, watch.Trace)
	if err = s.open(ctx, steps); err == nil {
		err = s.run(ctx, steps)
	}
	s.crew.end()
	stats := tr.Stats()
	s.sum.Messages, s.sum.Bytes = stats.Messages, stats.Bytes
	if s.exchange != nil {
		moved := s.exchange.Stats()
		s.sum.MovedMessages, s.sum.Moved = moved.Messages+s.polls.messages, moved.Bytes+s.polls.bytes
	}
	for k, r := range s.reduced {
		if r == nil { // it was never run
			var none error
			if r, none = partial(s.plans[k].Nest, nil); err == nil {
				err = none
			}
		}
		s.sum.Reductions = append(s.sum.Reductions, r...)
	}
	if closeErr := tr.Close(err); err == nil {
		err = closeErr
	}
	s.sum.Seconds = time.Since(began).Seconds()
	s.sum.rate()
	return s.sum, s.deliver, err
}

func newStepper(y *layout, prog *Program, plans []*plan.Plan, params []int, tr transport.Transport, store Store, watch Watch) *stepper {
	nests, steps := prog.stepList()
	s := &stepper{
		nests: slices.Clone(nests), whole: prog.Nest, plans: plans, params: allParams(steps, params), given: len(params),
		tr: tr, rank: tr.Rank(), store: store, watch: watch,
		layout: y, links: make([][]link, len(nests)),
		fields: make([]field, len(prog.Nest.Arrays)), slices: map[int]*array.View{}, reduced: make([][]Reduction, len(nests)),
	}
	s.crew.thread = watch.Thread
	s.sum.Rank = s.rank
	s.sum.Repeats, s.sum.Runs = make([]int, len(s.params)-len(params)), make([]int, len(nests))
	for k := range s.fields {
		s.fields[k].kept = map[int]*keptContent{}
	}
	return s
}

// Peers returns the ranks that a rank exchanges anything with, in ascending order.
func Peers(prog *Program, plans []*plan.Plan, params []int, rank int) []int {
	peers := map[int]bool{}
	for _, p := range plans {
		for _, r := range p.Peers(rank) {
			peers[r] = true
		}
	}
	if prog.Nests != nil {
		y := newLayout(context.Background(), prog, plans)
		for r := range plans[0].Ranks {
			if r != rank && (y.capacity(rank, r) > 0 || y.capacity(r, rank) > 0 || hasUntil(prog.Steps) && (r == 0 || rank == 0)) {
				peers[r] = true
			}
		}
	}
	out := []int{}
	for r := range plans[0].Ranks {
		if peers[r] {
			out = append(out, r)
		}
	}
	return out
}

func hasUntil(steps []Step) bool {
	return slices.ContainsFunc(steps, func(s Step) bool {
		return s.Repeat != nil && (s.Repeat.Until != nil || hasUntil(s.Repeat.Steps))
	})
}

// open checks the memory that the nests need and opens the edges between them.
func (s *stepper) open(ctx context.Context, steps []Step) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	for k, p := range s.plans {
		var err error
		if s.nests[k], err = s.nests[k].Choose(""); err == nil && !s.layout.fits {
			err = checkMemory(s.nests[k], p, s.rank)
		}
		if err != nil {
			return err
		}
	}
	if hasUntil(steps) {
		if err := s.polls.open(s.tr); err != nil {
			return err
		}
	}
	var err error
	s.exchange, err = redist.Open(s.tr, moveEdge, func(from, to int) int {
		if ctx.Err() != nil { // of very many ranks it is asked for each
			return 0
		}
		return s.layout.capacity(from, to)
	})
	if err == nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return err
}

// run runs steps one after another.
func (s *stepper) run(ctx context.Context, steps []Step) error {
	for _, step := range steps {
		var err error
		if step.Repeat == nil {
			err = s.nest(ctx, step.Nest)
		} else {
			err = s.repeat(ctx, step.Repeat)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// repeat runs the repetitions of r.
func (s *stepper) repeat(ctx context.Context, r *Repeat) error {
	s.within++
	defer func() {
		if s.within--; s.within == 0 {
			s.drop()
		}
	}()
	lo, hi := r.Bounds(s.params[:s.given])
	s.sum.Repeats[r.Index] = 0
	for t := lo; t <= hi; t++ {
		s.params = slices.Clone(s.params) // plans have it
		s.params[s.given+r.Index] = t
		if err := s.run(ctx, r.Steps); err != nil {
			return err
		}
		s.sum.Repeats[r.Index]++
		if r.Until == nil {
			continue
		}
		end, err := s.polls.ended(ctx, s.tr, r.Until, s.reduced[r.Until.Nest][r.Until.Reduce])
		if err != nil || end {
			return err
		}
	}
	return nil
}

// nest runs nest k once, on what the ranks own of its arrays.
func (s *stepper) nest(ctx context.Context, k int) error {
	now := *s.plans[k] // of this repetition
	now.Params = s.params
	p, prog := &now, s.nests[k]
	if s.links[k] == nil {
		links, err := openLinks(p, s.tr, s.layout.base[k])
		if err != nil {
			return err
		}
		s.links[k] = append([]link{}, links...)
	}
	fields := NewFields(p.Nest)
	if err := s.supply(ctx, k, fields); err != nil {
		return err
	}
	s.giveUp(p, k)
	for a := range p.Nest.Arrays {
		arr := &p.Nest.Arrays[a]
		lo, hi, ok := p.ResultBox(s.rank, a)
		if !arr.Returned() || !ok {
			continue
		}
		v, err := s.result(k, a, arr.Elem, lo, hi)
		if err != nil {
			return fmt.Errorf("rank %d: result of array %s: %w", s.rank, arr.Name, err)
		}
		fields.Result[a] = v
	}
	var sum Summary
	again := -1
	if s.again(k) {
		again = k
	}
	err := part(ctx, prog, p, s.tr, s.links[k], fields, s.watch, &sum, &s.crew, again)
	s.reduced[k] = sum.Reductions
	s.sum.Runs[k]++
	s.sum.add(sum)
	s.sum.Steps += s.layout.steps[k]
	if sum.Points > 0 || s.sum.Kernel == "" {
		s.sum.Kernel, s.sum.Rows, s.sum.Lanes, s.sum.Across, s.sum.Lines = prog.Kernel.Name, prog.Kernel.Rows, prog.Kernel.Lanes, prog.Kernel.Across, false
		if sum.Lanes > 0 {
			s.sum.Rows, s.sum.Lanes, s.sum.Across, s.sum.Lines = sum.Rows, sum.Lanes, sum.Across, sum.Lines
		}
	}
	if err != nil {
		return err
	}
	s.adopt(p, k, fields)
	return nil
}

// supply gives nest k the content of its arrays: from who owns it, and what no
// nest has written from the store.
func (s *stepper) supply(ctx context.Context, k int, fields kernel.Fields) error {
	var moves []redist.Move
	for a := range s.fields {
		arr := &s.nests[k].Nest.Arrays[a]
		if arr.Role != plan.In && arr.Role != plan.InOut {
			continue
		}
		f, need := &s.fields[a], s.layout.need[k][a][s.rank]
		view := &fields.Given[a]
		var err error
		switch {
		case need.Empty():
			*view, err = noCells(arr)
		case len(f.ever) == 0 && s.within > 0 && s.reuse(k, a, need, view):
		default:
			if *view, err = s.spares.given(k, a, arr.Elem, need.Lo, need.Hi); err == nil {
				err = s.initial(k, a, view)
			}
			if kept := f.kept[k]; s.again(k) && (kept == nil || !slices.Contains(kept.views, view)) {
				s.spares.read(k, a, view)
			}
		}
		if err != nil {
			return fmt.Errorf("rank %d: array %s: %w", s.rank, arr.Name, err)
		}
		if len(f.writers) == 0 {
			continue
		}
		m := redist.Move{Size: arr.Size, Need: s.layout.need[k][a], Have: s.layout.haves(a, f.writers), Owned: f.owned}
		if !need.Empty() {
			m.Into = view
		}
		moves = append(moves, m)
	}
	if len(moves) == 0 {
		return nil
	}
	return s.exchange.Run(ctx, moves)
}

// noCells returns a view without cells of an array.
func noCells(arr *plan.Array) (array.View, error) {
	lo, hi := make([]int, len(arr.Lo)), make([]int, len(arr.Lo))
	for k := range hi {
		hi[k] = -1
	}
	return array.Make(arr.Elem, lo, hi)
}

// giveUp has this rank own no cell that nest k is about to write.
func (s *stepper) giveUp(p *plan.Plan, k int) {
	if p.Empty {
		return
	}
	for v := range p.Nest.Values {
		a := p.Nest.Values[v].Array
		f := &s.fields[a]
		var left []*array.View
		for _, view := range f.owned {
			owned := redist.Of(view)
			lo, hi := owned.Row()
			owned.Rows(func(cell []int) bool {
				if from, to := p.WrittenSpan(v, cell, lo, hi); from <= to {
					view.Unmark(view.Offset(cell)+from-lo, to-from+1)
				}
				return true
			})
			left = append(left, redist.Compact(view)...)
		}
		f.owned = left
		f.writers = slices.DeleteFunc(slices.Clone(f.writers), func(e int) bool { return s.layout.covers(p, k, e, a) })
	}
}

// adopt makes the results of nest k what this rank owns.
func (s *stepper) adopt(p *plan.Plan, k int, fields kernel.Fields) {
	for a := range p.Nest.Arrays {
		arr, view := &p.Nest.Arrays[a], &fields.Result[a]
		switch {
		case !arr.Returned() || p.Empty:
		case arr.Slice != nil:
			if view.Cells() > 0 {
				s.slices[a] = view
			}
		default:
			f := &s.fields[a]
			if view.Cells() > 0 {
				f.owned = append(f.owned, redist.Compact(view)...)
			}
			f.writers = append(f.writers, k)
			if !slices.Contains(f.ever, k) {
				f.ever = append(f.ever, k)
			}
		}
	}
}
