package halo

import (
	"slices"

	"loopc/runtime/array"
	"loopc/runtime/kernel"
	"loopc/transform/plan"
	"loopc/transform/plan/walk"
)

// A State is what passes from one window of levels to the next (plan.Plan.Window). It has a view
// for each value, with the results of the last levels of the window before. The coordinates of a
// view are those of plan.Plan.State; if no later level reads the value, the view has no cells.
type State []array.View

// states are the states that a worker reads and writes.
type states struct {
	from, into State  // of the levels below the window, and of its last levels; nil: none
	at         []form // the coordinates of a location in a state
	lo, hi, q  []int  // scratch
	depth      []int  // per value: the number of levels in a state
}

// Continue makes the worker begin with the results of state from, and save the results of its last levels to state into; either may be nil.
// In skewed storage, tiles do neither: Load and Save do, for all; into is nil.
func (w *Worker) Continue(from, into State) {
	p := w.plan
	n := len(p.Side)
	w.states = &states{from: from, into: into, lo: make([]int, n), hi: make([]int, n), q: make([]int, n)}
	for v := range p.Nest.Values {
		_, _, at := p.State(0, v)
		w.states.at = formsOf(p, at)
		w.states.depth = append(w.states.depth, p.Nest.Values[v].Levels()-1)
	}
}

// Load copies share k of n of the results below the window to the block that all tiles share in skewed storage.
func (w *Worker) Load(k, n int) {
	if s, p := w.states, w.plan; s != nil && s.from != nil && w.whole != nil {
		w.copyShare(p.Lo[0]-p.Below, p.Lo[0]-1, k, n, false)
	}
}

// Save copies share k of n of the results of a window's last levels to a state, from the block that all tiles share in skewed storage. It
// is called when all tiles are done.
func (w *Worker) Save(into State, k, n int) {
	w.Continue(nil, into)
	w.copyShare(w.plan.Hi[0]-w.plan.HaloWidth[0]+1, w.plan.Hi[0], k, n, true)
}

// Keeps reports whether a window that follows in skewed storage finds the results below it in the block of this window:
// levels have the same places in both.
func (w *Worker) Keeps(next *plan.Plan) bool {
	b := w.blocks.shared
	origin, strides := make([]int, len(b.Origin)), make([]int, len(b.Strides))
	cells, _, _ := next.WholeLayout(origin, strides)
	return cells == b.LevelCells && slices.Equal(origin[1:], b.Origin[1:]) && slices.Equal(strides[1:], b.Strides[1:])
}

// copyShare copies share k of n of the levels first..last of the shared block: see copyState. Shares differ
// in the second dimension, so that each has long rows.
func (w *Worker) copyShare(first, last, k, n int, out bool) {
	s := w.states
	for level := first; level <= last; level++ {
		if !w.plan.LevelBox(level, s.lo, s.hi) {
			continue
		}
		from, extent := s.lo[1], s.hi[1]-s.lo[1]+1
		s.lo[1], s.hi[1] = from+extent*k/n, from+extent*(k+1)/n-1
		if s.lo[1] <= s.hi[1] {
			w.copyState(w.blocks.shared, level, out)
		}
	}
}

// begins copies the results of a level below the window to the block of the tile at hand, its ghost cells included.
func (s *states) begins(w *Worker, b *kernel.Block, level int) {
	if s == nil || s.from == nil || level >= w.plan.Lo[0] {
		return
	}
	for x := range s.lo {
		s.lo[x], s.hi[x] = w.first[x]-w.plan.HaloWidth[x], w.last[x]
	}
	s.lo[0], s.hi[0] = level, level
	if w.plan.Space.Shrink(s.lo, s.hi) {
		w.copyState(b, level, false)
	}
}

// saves reports whether the tile at hand computes results that are saved.
func (s *states) saves(w *Worker) bool {
	return s != nil && s.into != nil && w.walk.Iterates && w.hi[0] > w.plan.Hi[0]-w.plan.HaloWidth[0]
}

// ends saves the results of the tile at hand that belong to the last levels of the window.
func (s *states) ends(w *Worker, b *kernel.Block) {
	for level := max(w.lo[0], w.plan.Hi[0]-w.plan.HaloWidth[0]+1); level <= w.hi[0]; level++ {
		copy(s.lo, w.lo)
		copy(s.hi, w.hi)
		s.lo[0], s.hi[0] = level, level
		if w.plan.Space.Shrink(s.lo, s.hi) {
			w.copyState(b, level, true)
		}
	}
}

// copyState copies the results of a level, in the box lo..hi of the states, from the state to the block or, if out, the other way.
func (w *Worker) copyState(b *kernel.Block, level int, out bool) {
	s, p, last := w.states, w.plan, len(w.states.q)-1
	for v, depth := range s.depth {
		view := s.from
		if out {
			view = s.into
		}
		if out && level <= p.Hi[0]-depth || !out && level < p.Lo[0]-depth || view[v].Cells() == 0 {
			continue
		}
		copy(s.q, s.lo)
		for more := true; more; more = nextRow(s.q, s.lo, s.hi) {
			if lo, hi := p.Space.Span(s.q, s.lo[last], s.hi[last]); lo <= hi {
				s.row(b, &view[v], v, lo, hi, out)
			}
		}
	}
}

// row copies the results lo..hi of row q of a value, but only those that the view holds. The halo
// of a tile may have cells that the view does not hold; nobody reads them.
func (s *states) row(b *kernel.Block, view *array.View, v, lo, hi int, out bool) {
	at, step := 0, 0
	for y := range s.at {
		c, along := s.at[y].along(s.q)
		at += (c - view.Lo[y]) * view.Stride[y]
		step += along * view.Stride[y]
		lo, hi = walk.Clip(c, along, view.Lo[y], view.Hi[y], lo, hi)
	}
	if lo > hi {
		return
	}
	at += lo * step
	s.q[len(s.q)-1] = lo
	in := b.Position(v, s.q)
	if out {
		array.Copy(view.Data, at, step, b.Data[v], in, 1, hi-lo+1, view.Size)
		view.MarkWritten(at, hi-lo+1, step)
	} else {
		array.Copy(b.Data[v], in, 1, view.Data, at, step, hi-lo+1, view.Size)
	}
}
