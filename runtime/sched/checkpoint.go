package sched

import (
	"slices"
	"sync"

	"loopc/runtime/array"
	"loopc/runtime/checkpoint"
	"loopc/runtime/halo"
	"loopc/runtime/kernel"
	"loopc/runtime/redist"
	"loopc/transform/plan"
)

// Checkpoints receive the state of a run of one nest between epochs, and may supply the state
// with which it begins. All ranks are in this process.
type Checkpoints struct {
	// Due reports whether the state after the first done levels is wanted. It is called once
	// between each two successive epochs.
	Due func(done int) bool
	// Keep receives a state that was due. Meanwhile the run goes on, so Keep may read only cells
	// that are marked as written.
	Keep func(s *checkpoint.State)
	// From is the state with which the run begins, after the levels that plan.Plan.Done counts;
	// nil: the run begins with the first level.
	From *checkpoint.State
}

// A collector joins the states of all ranks to the state of the run.
type collector struct {
	*Checkpoints
	mu sync.Mutex
	at map[int]*collected // by the number of levels that are done
}

// A collected is the state after some levels, joined from the ranks that have computed them.
type collected struct {
	due   bool
	ranks int // number of ranks that have added their states
	state checkpoint.State
}

func newCollector(of *Checkpoints) *collector {
	if of == nil {
		return nil
	}
	return &collector{Checkpoints: of, at: map[int]*collected{}}
}

// wants reports whether the state after the first done levels is wanted. All ranks get the same
// answer.
func (c *collector) wants(done int) bool {
	if c == nil {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.at[done] == nil {
		c.at[done] = &collected{due: c.Due(done)}
	}
	return c.at[done].due
}

// add adds the state, results and reductions that a rank has after window w. When all ranks have
// added theirs, it passes the joined state to Keep.
func (c *collector) add(w *plan.Plan, done int, has halo.State, fields kernel.Fields, reduced []Reduction) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	one := c.at[done]
	s := &one.state
	s.Done = done
	if one.ranks == 0 {
		if err := beginState(s, w, has, fields); err != nil {
			return err
		}
	}
	for v := range has {
		if w.Ranks > 1 && has[v].Cells() > 0 {
			redist.CopyOwned(&s.Values[v].View, &has[v])
		}
	}
	for k := range s.Results {
		for a := range w.Nest.Arrays {
			if w.Nest.Arrays[a].Name == s.Results[k].Name {
				mark(&s.Results[k].View, fields.Result[a].Written)
			}
		}
	}
	var before []Reduction
	if one.ranks > 0 {
		before = restored(s.Reductions)
	}
	all, err := joined(w.Nest, before, slices.Clone(reduced))
	if err != nil {
		return err
	}
	s.Reductions = nil
	for _, r := range all {
		s.Reductions = append(s.Reductions, checkpoint.Reduction{Name: r.Name, Op: r.Op, Type: r.Type, State: slices.Clone(r.State)})
	}
	if one.ranks++; one.ranks == w.Ranks {
		delete(c.at, done)
		c.Keep(s)
	}
	return nil
}

// beginState makes room in s for the values and the results of all ranks after window w. On a
// single rank, the values are those of has.
func beginState(s *checkpoint.State, w *plan.Plan, has halo.State, fields kernel.Fields) error {
	all := has
	if w.Ranks > 1 {
		var err error
		all, err = newState(w, func(v int) (hull [2][]int) {
			for rank := range w.Ranks {
				one, _, _ := w.State(rank, v)
				for k := range one[0] {
					if hull[0] == nil {
						hull = [2][]int{slices.Clone(one[0]), slices.Clone(one[1])}
					}
					hull[0][k], hull[1][k] = min(hull[0][k], one[0][k]), max(hull[1][k], one[1][k])
				}
			}
			return hull
		})
		if err != nil {
			return err
		}
	}
	for v := range w.Nest.Values {
		s.Values = append(s.Values, checkpoint.Value{Name: w.Nest.Values[v].Name, View: all[v]})
	}
	for a := range w.Nest.Arrays {
		if view := fields.Result[a]; view.Written != nil {
			view.Written = make([]uint64, len(view.Written))
			s.Results = append(s.Results, checkpoint.Result{Name: w.Nest.Arrays[a].Name, View: view})
		}
	}
	return nil
}

// mark marks the given cells of a view as written.
func mark(v *array.View, written []uint64) {
	for k, word := range written {
		v.Written[k] |= word
	}
}

// restored returns the reductions of a checkpoint.
func restored(all []checkpoint.Reduction) (out []Reduction) {
	for _, r := range all {
		out = append(out, Reduction{Name: r.Name, Op: r.Op, Type: r.Type, State: r.State})
	}
	return out
}

// begins returns the state with which a rank begins the first window. For rank 0 it also returns
// the reductions over the levels that are done.
func (c *collector) begins(w *plan.Plan, rank int) (needs halo.State, reduced []Reduction, err error) {
	if c == nil || c.From == nil {
		return nil, nil, nil
	}
	needs, err = newState(w, func(v int) [2][]int { _, needs, _ := w.State(rank, v); return needs })
	if err != nil {
		return nil, nil, err
	}
	for v := range needs {
		if view := &c.From.Values[v].View; needs[v].Cells() > 0 && view.Cells() > 0 {
			redist.CopyOwned(&needs[v], view)
		}
	}
	if rank == 0 {
		reduced = restored(c.From.Reductions)
	}
	return needs, reduced, nil
}

// tracked returns the view of a result that a rank writes in place, with marks for the cells that
// the rank writes. For rank 0, the cells that the run's first state holds are marked already.
func (c *collector) tracked(rank int, name string, view array.View) array.View {
	if c == nil {
		return view
	}
	view.TrackWritten()
	if c.From != nil && rank == 0 {
		for _, r := range c.From.Results {
			if r.Name == name {
				mark(&view, r.View.Written)
			}
		}
	}
	return view
}

// restore copies the final cells of the run's first state to the results.
func (c *collector) restore(nest *plan.Nest, fields kernel.Fields) {
	if c == nil || c.From == nil {
		return
	}
	for a := range nest.Arrays {
		for k := range c.From.Results {
			if r := &c.From.Results[k]; r.Name == nest.Arrays[a].Name {
				redist.CopyOwned(&fields.Result[a], &r.View)
			}
		}
	}
}
