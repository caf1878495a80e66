package sched

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"loopc/runtime/array"
	"loopc/runtime/checkpoint"
	"loopc/runtime/redist"
	"loopc/transform/plan"
)

// A progress is where a rank is in a program of several nests.
type progress struct {
	path        []checkpoint.Stop // to the step that runs, through the repeats around it
	skip        []checkpoint.Stop // to the nest with which the run begins, until it runs
	nests       int               // that have run
	repetitions int               // of the outermost repeats
	ended       bool              // one of these has ended since a nest ran
}

// enter adds a block of steps to the path, and returns its depth.
func (g *progress) enter() (depth int) {
	g.path = append(g.path, checkpoint.Stop{})
	return len(g.path) - 1
}

// leave removes the innermost block of steps from the path.
func (g *progress) leave() { g.path = g.path[:len(g.path)-1] }

// first returns where the block at a depth begins, if it is around the nest with which the run begins.
func (g *progress) first(depth int) checkpoint.Stop {
	if depth < len(g.skip) {
		return g.skip[depth]
	}
	return checkpoint.Stop{Value: math.MinInt}
}

// repeated counts a repetition of an outermost repeat.
func (g *progress) repeated() {
	g.repetitions++
	g.ended = true
}

// After describes the place of a state for users: after done levels or, in a program of several nests, between two nests.
func After(done int, at *checkpoint.Place) string {
	if at == nil {
		return plan.Plural(done, "level")
	}
	did := plan.Plural(done, "nest")
	if at.Repetitions > 0 || len(at.Path) > 1 {
		did = plan.Plural(at.Repetitions, "repetition")
	}
	var next []string
	for _, s := range at.Path {
		if s.In != "" {
			next = append(next, fmt.Sprintf("%s = %d", s.In, s.Value))
		} else {
			next = append(next, s.Nest)
		}
	}
	return fmt.Sprintf("%s (next is %s)", did, strings.Join(next, ", "))
}

// between does what is due between two nests, the second of which is nest k: it calls code of the caller, and keeps the state of this rank.
// It reports whether the run ends here.
func (r *Rank) between(ctx context.Context, k int) (ends bool, err error) {
	at := Cut{Done: r.at.repetitions, Ends: r.at.ended, State: r.at.nests}
	begins := r.at.nests == 0 || r.at.skip != nil
	r.at.skip, r.at.ended = nil, false
	if !r.layout.pauses || begins {
		return false, nil
	}
	if at.Ends && r.couple.due(at.Done) {
		err = r.calls(ctx, at.Done)
	}
	if err == nil {
		err = r.announce(ctx, at)
	}
	if err != nil {
		return false, err
	}
	due, err := r.announced(ctx)
	if err == nil && due != 0 {
		err = r.saveOwned(k, due)
	}
	if err == nil && due&End == 0 {
		err = r.hold(ctx, at.Done+1)
	}
	if err != nil || due&End == 0 {
		return false, err
	}
	r.sum.Stopped = r.at.nests
	return true, nil
}

// saveOwned keeps the cells that this rank owns before a run of nest k, and its parts of the reductions.
func (r *Rank) saveOwned(k int, due Due) error {
	var reduced []Reduction
	for n, result := range r.reduced {
		if result == nil { // the nest has not run
			var err error
			if result, err = partial(r.plans[n].Nest, nil); err != nil {
				return err
			}
		}
		reduced = append(reduced, result...)
	}
	p := r.newPart(r.at.nests, due, reduced)
	p.At = &checkpoint.Place{
		Path: slices.Clone(r.at.path), Repetitions: r.at.repetitions, Changed: slices.ContainsFunc(r.fields, func(f field) bool { return f.changed }),
		Runs: slices.Clone(r.sum.Runs), Repeats: slices.Clone(r.sum.Repeats),
	}
	p.At.Path[len(p.At.Path)-1].Nest = r.nests[k].Nest.Name
	for a := range r.fields {
		all := slices.Clone(r.fields[a].owned)
		if v := r.slices[a]; v != nil {
			all = append(all, v)
		}
		for _, v := range all {
			own := *v
			own.Written = slices.Clone(v.Written) // later nests take cells away
			p.Results = append(p.Results, checkpoint.Block{Name: r.whole.Arrays[a].Name, View: own})
		}
	}
	r.spares.results = nil // no nest may write into this memory while it is read
	r.saves.Keep(p)
	return nil
}

// resume begins with the state of a program of several nests, if there is one. Every rank becomes the owner of its share of each array.
func (r *Rank) resume() error {
	if !r.layout.resumes {
		return nil
	}
	from := r.saves.From
	at := from.At
	if !r.exists(at) {
		return errors.New("the checkpoint is at a place that is not in the program")
	}
	r.at.skip, r.at.repetitions, r.at.nests = at.Path, at.Repetitions, from.Done
	r.sum.Runs, r.sum.Repeats = slices.Clone(at.Runs), slices.Clone(at.Repeats)
	all, err := reducedOf(from, r.whole)
	for k := range r.reduced {
		n := len(r.plans[k].Nest.Reduces)
		if err == nil && len(all) < n {
			err = errors.New("the checkpoint lacks reductions")
		}
		if err == nil && r.rank > 0 { // rank 0 has what all have
			r.reduced[k], err = partial(r.plans[k].Nest, nil)
		} else if err == nil {
			r.reduced[k] = all[:n:n]
		}
		if err != nil {
			return err
		}
		all = all[n:]
	}
	for a := range r.fields {
		if err := r.inherit(a, from); err != nil {
			return err
		}
	}
	return nil
}

// exists reports whether the program has a place.
func (r *Rank) exists(at *checkpoint.Place) bool {
	if at == nil || len(at.Runs) != len(r.nests) || len(at.Repeats) != len(r.sum.Repeats) {
		return false
	}
	steps, params := r.steps, slices.Clone(r.params)
	for k, s := range at.Path {
		if s.Step < 0 || s.Step >= len(steps) {
			return false
		}
		repeat := steps[s.Step].Repeat
		if repeat == nil {
			return k == len(at.Path)-1
		}
		if lo, hi := repeat.Bounds(params); s.Value < lo || s.Value > hi {
			return false
		}
		params[len(r.whole.Params)+repeat.Index] = s.Value
		steps = repeat.Steps
	}
	return false
}

// inherit makes this rank the owner of its share of array a, as far as the state has it.
func (r *Rank) inherit(a int, state *checkpoint.State) error {
	arr, f := &r.whole.Arrays[a], &r.fields[a]
	f.changed = state.At.Changed && arr.Role == plan.InOut
	any, sliced := false, false
	for k := range r.nests {
		own := &r.nests[k].Nest.Arrays[a]
		switch {
		case !own.Returned() || state.At.Runs[k] == 0 || r.plans[k].Empty:
		case own.Slice != nil:
			sliced = true
		default:
			f.ever = append(f.ever, k)
		}
	}
	lo, extent, err := arr.Extent(r.params)
	if sliced {
		lo, extent = arr.SliceExtent(r.params)
	}
	if err != nil {
		return err
	}
	box := portion(r.rank, r.plans[0].Ranks, lo, top(lo, extent))
	share, err := array.Make(arr.Elem, box.Lo, box.Hi)
	if err != nil {
		return fmt.Errorf("cells of %s: %w", arr.Name, err)
	}
	share.TrackWritten()
	for k := range state.Parts {
		blocks := state.Parts[k].Results
		any = any || slices.ContainsFunc(blocks, func(b checkpoint.Block) bool { return b.Name == arr.Name })
		if box.Empty() {
			continue
		}
		if err := fill(&share, blocks, arr.Name); err != nil {
			return err
		}
	}
	switch {
	case !any:
	case sliced && !box.Empty():
		r.slices[a] = &share
	case !sliced:
		if !box.Empty() {
			f.owned = redist.Compact(&share)
		}
		if r.layout.own[a] != nil {
			f.writers = []int{r.layout.shares()}
		}
	}
	return nil
}

// shares stands, among the nests that have written an array, for what gives each rank its share of the
// cells: the state with which the run begins, and code of the caller.
func (y *layout) shares() int { return len(y.nests) }

// sharesOf returns each rank's share of the cells of array a.
func (y *layout) sharesOf(a int) (all []redist.Box) {
	lo, extent, err := y.whole.Arrays[a].Extent(y.plans[0].Params)
	for rank := range y.plans[0].Ranks {
		box := redist.Box{}
		if err == nil { // else nothing runs
			box = portion(rank, y.plans[0].Ranks, lo, top(lo, extent))
		}
		all = append(all, box)
	}
	return all
}

// calls calls code of the caller after done repetitions. The code gets the content of the arrays in blocks, one of
// each rank, which then own all cells.
func (r *Rank) calls(ctx context.Context, done int) error {
	r.saves.wait()
	y, c := r.layout, &r.couple
	if c.blocks == nil {
		c.blocks = map[int]*array.View{}
	}
	var moves []redist.Move
	for _, a := range r.inOut() {
		f, box := &r.fields[a], y.have[y.shares()][a][r.rank]
		m := redist.Move{Size: r.whole.Arrays[a].Size, Need: y.have[y.shares()][a], Have: y.haves(a, f.writers), Owned: f.owned}
		if c.blocks[a] == nil && !box.Empty() {
			v, err := array.Make(r.whole.Arrays[a].Elem, box.Lo, box.Hi)
			if err == nil {
				err = r.initial(y.shares(), a, &v)
			}
			if err != nil {
				return fmt.Errorf("rank %d: array %s: %w", r.rank, r.whole.Arrays[a].Name, err)
			}
			c.blocks[a] = &v
			f.asked = nil
		}
		m.Into = c.blocks[a]
		moves = append(moves, m)
	}
	if err := r.exchange.Run(ctx, moves); err != nil {
		return err
	}
	if err := r.call(done, "repetition"); err != nil {
		return err
	}
	for _, a := range r.inOut() {
		f := &r.fields[a]
		f.owned, f.writers, f.changed, f.asked = nil, []int{y.shares()}, true, nil
		if v := c.blocks[a]; v != nil {
			v.TrackWritten()
			v.MarkWritten(0, v.Cells(), 1)
			f.owned = append(f.owned, v)
		}
	}
	return nil
}
