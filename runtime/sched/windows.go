package sched

import (
	"context"
	"fmt"

	"loopc/runtime/array"
	"loopc/runtime/halo"
	"loopc/runtime/kernel"
	"loopc/runtime/redist"
	"loopc/transform/plan"
)

// windows runs nest k with plan p on the arrays given, window after window, and adds to sum what the
// rank did. If the run is not cut, there is one window. Between two windows, a rank has the state
// that it has computed last, and needs a state for the next window; see hand.
func (r *Rank) windows(ctx context.Context, k int, p *plan.Plan, given kernel.Fields, sum *Summary) error {
	again := -1
	if r.again(k) || p.Windows > 1 {
		again = k
	}
	if p.Windows > 1 && r.within == 0 {
		defer func() { r.crew.pools = nil }()
	}
	needs, reduced, err := r.begins(p, given)
	if err != nil {
		return err
	}
	fields := r.ordered(k, p, given, sum)
	for n := range p.Windows {
		w, done := p.Window(n), p.Done+(n+1)*p.Epoch
		pass := passing{from: needs}
		if pass.into, err = r.prepare(ctx, p, w, n, done); err != nil {
			return err
		}
		watch := r.watch
		if n > 0 {
			watch.Begin = nil
		}
		err = part(ctx, r.nests[k], w, r.tr, r.links[k], fields, watch, sum, &r.crew, again, pass)
		r.releases(needs)
		if err == nil {
			reduced, err = joined(p.Nest, reduced, sum.Reductions)
		}
		ends := false
		if err == nil && n < p.Windows-1 {
			if !r.layout.several && r.couple.due(done) {
				if err = r.couples(ctx, w, done, pass.into, given); err == nil {
					fields = r.ordered(k, p, given, sum)
				}
			}
			if err == nil {
				needs, ends, err = r.pass(ctx, w, p.Window(n+1), done, pass.into, fields, reduced)
			}
		}
		if err != nil {
			return err
		}
		if ends {
			sum.Stopped = done
			break
		}
	}
	sum.Reductions = reduced
	return nil
}

// prepare prepares window w, the n-th of plan p, which computes the first done levels. It returns the
// state that the window leaves, nil if it is the last.
func (r *Rank) prepare(ctx context.Context, p, w *plan.Plan, n, done int) (into halo.State, err error) {
	if n > 0 {
		err = r.hold(ctx)
	}
	if err != nil || n == p.Windows-1 {
		return nil, err
	}
	if into, err = r.hasState(w); err == nil && !r.layout.several {
		err = r.announce(ctx, Cut{Done: done, Ends: true, State: done})
	}
	return into, err
}

// pass keeps the state that this rank has after window w, if that is due, and the program is one nest. It
// returns whether the run ends here, and otherwise the state with which the next window begins.
func (r *Rank) pass(ctx context.Context, w, next *plan.Plan, done int, has halo.State, fields kernel.Fields, reduced []Reduction) (needs halo.State, ends bool, err error) {
	if !r.layout.several {
		ends, err = r.save(ctx, w, done, has, fields, reduced)
	}
	if err != nil || ends {
		return nil, ends, err
	}
	needs, err = r.hand(ctx, w, next, has)
	return needs, false, err
}

// A passing is the state that a window begins from, and the state that it leaves; nil: none.
type passing struct {
	from, into halo.State
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
		view, err := r.memory.view(w.Nest.Arrays[w.Nest.Values[v].Array].Elem, box[0], box[1], product(w.Mesh))
		if err != nil {
			return nil, fmt.Errorf("state of %s: %w", w.Nest.Values[v].Name, err)
		}
		s = append(s, view)
	}
	return s, nil
}

// hand returns the state that this rank needs at the beginning of window next. The ranks exchange
// the states that they have at the end of window before.
func (r *Rank) hand(ctx context.Context, before, next *plan.Plan, has halo.State) (halo.State, error) {
	if before.Ranks == 1 {
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

// stateCapacity is the length of the longest message with a state from one rank to the other, in
// bytes; 0 if there is none.
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
// windows differ only in their place, the moves after the first window stand for all.
func (y *layout) between() [][]redist.Move {
	y.mu.Lock()
	defer y.mu.Unlock()
	if y.moves != nil {
		return y.moves
	}
	y.moves = [][]redist.Move{}
	for _, p := range y.plans {
		for n := range p.Windows - 1 {
			if p.Ranks == 1 || n > 0 && p.Alike {
				break
			}
			y.moves = append(y.moves, stateMoves(p.Window(n), p.Window(n+1)))
		}
	}
	return y.moves
}

// cuts reports whether ranks pass states to one another.
func (y *layout) cuts() bool { return len(y.between()) > 0 }

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
