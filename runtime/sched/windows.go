package sched

import (
	"context"
	"fmt"
	"sync"

	"loopc/runtime/array"
	"loopc/runtime/halo"
	"loopc/runtime/kernel"
	"loopc/runtime/redist"
	"loopc/transform/plan"
)

// A course is a run of a nest, window after window. Between two windows, a rank has the state
// that it has computed last, and needs a state for the next window; see hand.
type course struct {
	nest          int
	plan, window  *plan.Plan
	after         int           // how many levels of the plan are computed when the current window ends
	last          bool          // the window is the last
	called        bool          // code of the caller has changed the state
	given, fields kernel.Fields // the arrays; the same with copies in place of some given arrays: see ordered
	needs         halo.State
	memory        func() (halo.State, error) // for the state after the window at hand, in skewed storage
	left          bool                       // such a state has been saved: see leaves
	reduced       []Reduction
	sum           *Summary
}

// windows runs nest k with plan p on the arrays given, window after window, and adds to sum what the rank did. If the run is not cut, there
// is one window.
func (r *Rank) windows(ctx context.Context, k int, p *plan.Plan, given kernel.Fields, sum *Summary) error {
	again := -1
	if r.keepsMemory(k) || p.Windows > 1 {
		again = k
	}
	if p.Windows > 1 && r.within == 0 {
		defer func() { r.crew.pools = nil }()
	}
	needs, reduced, err := r.begins(p.Window(0, p.FirstLevels), given)
	if err != nil {
		return err
	}
	defer func() { r.crew.before = nil }()
	c := &course{nest: k, plan: p, given: given, fields: r.ordered(k, p, given, sum), needs: needs, reduced: reduced, sum: sum}
	for watch := r.watch; !c.last; watch.Begin = nil {
		pass, err := r.next(ctx, c)
		if err != nil {
			return err
		}
		err = part(ctx, r.nests[k], c.window, r.tr, r.links[k], c.fields, watch, sum, &r.crew, again, pass)
		r.sum.Steps += r.layout.steps[k]
		if c.window.Hi[0]-c.window.Lo[0]+1 < p.Epoch {
			r.sum.Steps += c.window.Steps() - r.layout.steps[k]
		}
		r.releases(pass.from)
		if err == nil {
			c.reduced, err = joined(p.Nest, c.reduced, sum.Reductions)
		}
		if err == nil && !c.last {
			err = r.pass(ctx, c, pass.into)
		}
		if err != nil {
			return err
		}
	}
	sum.Reductions = c.reduced
	return nil
}

// next prepares the next window: its length, the state with which it begins, and the one that its tiles leave. In skewed
// storage tiles leave none: the block has the state when the window ends. If the results are there where the next window
// reads them, that window begins with the block.
func (r *Rank) next(ctx context.Context, c *course) (pass passing, err error) {
	begins := c.after
	levels, err := r.levels(ctx, c)
	if err != nil {
		return pass, err
	}
	w := c.plan.Window(begins, levels)
	pass.from = c.needs
	if w.KeepsWhole() && begins > 0 {
		if here := r.crew.before; !c.called && len(here) > 0 && here[0].Keeps(w) {
			r.releases(pass.from)
			pass.from, pass.beside = nil, here[0]
		} else if pass.from == nil {
			pass.from, err = r.leaves(c)
		}
	}
	c.window, c.after = w, begins+levels
	c.last = c.plan.Windows == 1 || c.after >= c.plan.Levels
	c.memory = sync.OnceValues(func() (halo.State, error) { return r.hasState(w) })
	if err == nil && !c.last && !w.KeepsWhole() {
		pass.into, err = c.memory()
	}
	if err == nil && !c.last && !r.layout.several {
		done := c.plan.Done + c.after
		err = r.announce(ctx, Cut{Done: done, Ends: true, State: done})
	}
	if w.KeepsWhole() && !c.last && r.isDue() && !c.left {
		memory := c.memory
		go func() { _, _ = memory() }() // the system supplies new memory while tiles run
	}
	return pass, err
}

// levels returns how many levels the next window has, when it may begin.
func (r *Rank) levels(ctx context.Context, c *course) (n int, err error) {
	p := c.plan
	if n = p.Epoch; c.after == 0 {
		n = p.FirstLevels
	}
	if r.saves.Levels != nil && p.Windows > 1 && p.Ranks == 1 && r.couple.Coupling == nil && !r.layout.several {
		in := Room{Done: p.Done + c.after, Left: p.Levels - c.after, Least: max(1, p.HaloWidth[0]), Most: p.Epoch, Unit: p.Side[0] * p.Mesh[0]}
		n = max(in.Least, min(r.saves.Levels(in), in.Most))
	}
	if c.after > 0 && !r.layout.several {
		err = r.hold(ctx, p.Done+min(c.after+n, p.Levels))
	}
	return n, err
}

// leaves saves the state after the current window, whose tiles share a block, and returns it.
func (r *Rank) leaves(c *course) (halo.State, error) {
	s, err := c.memory()
	c.left = true
	if here := r.crew.before; err == nil {
		r.crew.do(len(here), func(k int) { here[k].Save(s, k, len(here)) })
	}
	return s, err
}

// pass calls code of the caller after a window, and keeps the state that this rank has, if these are due and the program is one nest. If
// the run does not end here, the next window has its state then. has is the state that tiles have left.
func (r *Rank) pass(ctx context.Context, c *course, has halo.State) (err error) {
	w, done := c.window, c.plan.Done+c.after
	if c.called = !r.layout.several && r.couple.due(done); w.KeepsWhole() && (c.called || r.isDue()) {
		has, err = r.leaves(c)
	}
	if err == nil && c.called {
		if err = r.couples(ctx, w, done, has, c.given); err == nil {
			c.fields = r.ordered(c.nest, c.plan, c.given, c.sum)
		}
	}
	if err == nil && !r.layout.several {
		c.last, err = r.save(ctx, w, done, has, c.fields, c.reduced)
	}
	if c.last {
		c.sum.Stopped = done
	}
	if err != nil || c.last {
		return err
	}
	c.needs, err = r.hand(ctx, w, c.plan.Window(c.after, c.plan.Epoch), has)
	return err
}

// A passing is the state that a window begins from, and the state that its tiles leave; nil: none. beside is a worker of
// the window before whose block stays.
type passing struct {
	from, into halo.State
	beside     *halo.Worker
}

// hasState allocates the state that this rank has after window w.
func (r *Rank) hasState(w *plan.Plan) (halo.State, error) {
	s, err := r.newState(w, func(v int) [2][]int { has, _, _ := w.State(r.rank, v); return has })
	for v := range s {
		if w.Ranks > 1 {
			s[v].TrackWritten()
		}
	}
	return s, err
}

// newState returns a state of the boxes that corners returns for each value, with any content.
func (r *Rank) newState(w *plan.Plan, corners func(v int) [2][]int) (halo.State, error) {
	var s halo.State
	for v := range w.Nest.Values {
		box := corners(v)
		if box[0] == nil {
			box = [2][]int{{0}, {-1}}
		}
		view, err := r.memory.view(w.Nest.Arrays[w.Nest.Values[v].Array].Elem, box[0], box[1], plan.Product(w.Mesh))
		if err != nil {
			return nil, fmt.Errorf("state of %s: %w", w.Nest.Values[v].Name, err)
		}
		s = append(s, view)
	}
	return s, nil
}

// hand returns the state that this rank needs at the beginning of window next. The ranks exchange
// the states that they have at the end of the window before it.
func (r *Rank) hand(ctx context.Context, before, next *plan.Plan, has halo.State) (halo.State, error) {
	if before.Ranks == 1 || before.KeepsWhole() { // other ranks are idle
		return has, nil
	}
	needs, err := r.newState(next, func(v int) [2][]int { _, needs, _ := next.State(r.rank, v); return needs })
	if err != nil {
		return nil, err
	}
	moves := stateMoves(before, next)
	for v := range moves {
		if has[v].Cells() > 0 {
			moves[v].Owned = []*array.View{&has[v]}
		}
		if needs[v].Cells() > 0 {
			moves[v].Into = &needs[v]
		}
	}
	err = r.states.Run(ctx, moves)
	r.releases(has)
	return needs, err
}

// releases removes a reader of a state: see stateMemory. Free memory is kept for one state; for two, if ranks pass
// states to one another, because these have different sizes; and for one more, if states are saved.
func (r *Rank) releases(s halo.State) {
	states := min(2, r.plans[0].Ranks)
	if r.saves.Keep != nil {
		states++
	}
	r.memory.release(s, states)
}

// stateMoves returns a move for each value: the cells of its state that each rank has after a
// window, and the cells that each rank needs before the next window.
func stateMoves(before, next *plan.Plan) []redist.Move {
	var moves []redist.Move
	for v := range before.Nest.Values {
		m := redist.Move{Size: before.Nest.Arrays[before.Nest.Values[v].Array].Size}
		for rank := range before.Ranks {
			has, _, _ := before.State(rank, v)
			_, needs, _ := next.State(rank, v)
			m.Need = append(m.Need, redist.Box{Lo: needs[0], Hi: needs[1]})
			var have []redist.Box
			if has[0] != nil {
				have = append(have, redist.Box{Lo: has[0], Hi: has[1]})
			}
			m.Have = append(m.Have, have)
		}
		moves = append(moves, m)
	}
	return moves
}

// stateCapacity is the length of the longest message with a state from one rank to the other, in bytes; 0 if there is none.
func (y *layout) stateCapacity(from, to int) int {
	longest := 0
	for _, moves := range y.between() {
		for k := range moves {
			longest = max(longest, moves[k].Capacity(from, to))
		}
	}
	return longest
}

// between returns the moves between windows, if runs are cut and there are several ranks. If inner
// windows differ only in their place, the moves after the second window stand for all behind it.
func (y *layout) between() [][]redist.Move {
	y.mu.Lock()
	defer y.mu.Unlock()
	if y.moves != nil {
		return y.moves
	}
	y.moves = [][]redist.Move{}
	for _, p := range y.plans {
		after, levels := 0, p.FirstLevels
		for n := range p.Windows - 1 {
			if p.Ranks == 1 || n > 1 && p.Alike {
				break
			}
			next := after + levels
			y.moves = append(y.moves, stateMoves(p.Window(after, levels), p.Window(next, p.Epoch)))
			after, levels = next, p.Epoch
		}
	}
	return y.moves
}

// passesStates reports whether ranks pass states to one another.
func (y *layout) passesStates() bool { return len(y.between()) > 0 }

// joined adds the partial reductions of a window to those of the windows before.
func joined(nest *plan.Nest, before, now []Reduction) ([]Reduction, error) {
	if before == nil {
		return now, nil
	}
	for k := range now {
		all, more := newReduced(nest)[k], newReduced(nest)[k]
		err := decode(all, before[k].State)
		if err == nil {
			err = decode(more, now[k].State)
		}
		if err != nil {
			return nil, fmt.Errorf("reduction %s: %w", now[k].Name, err)
		}
		merge(now[k].Op, all, more)
		if now[k].State, err = encode(all); err != nil {
			return nil, fmt.Errorf("reduction %s: %w", now[k].Name, err)
		}
	}
	return now, nil
}
