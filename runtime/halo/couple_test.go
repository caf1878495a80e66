package halo_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"loopc/runtime/array"
	"loopc/runtime/checkpoint"
	"loopc/runtime/kernel"
	"loopc/runtime/sched"
	"loopc/runtime/transport/inproc"
	"loopc/transform/plan"
)

// TestCoupling runs random nests in which code of the caller changes inout arrays after each few
// levels, under random plans, and continues them from the states between, under other plans. It
// compares every returned cell with a direct evaluation.
func TestCoupling(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 2))
	want := 40
	if testing.Short() {
		want = 15
	}
	runs, ranks, resumed, ended, stores, changed := 0, 0, 0, 0, 0, 0
	for runs < want {
		s := randomNest(rng)
		if len(s.points) == 0 || len(s.points) > 2000 || !s.couples() {
			continue
		}
		o := randomOptions(rng, s.nest)
		o.Epoch = max(1, s.nest.HaloWidth()[0]) + rng.IntN(4)
		every := o.Epoch * (1 + rng.IntN(2))
		p, err := plan.New(s.nest, s.params, o)
		if err != nil || p.Windows == 1 {
			continue
		}
		c := s.coupled(t, p, every)
		var kept checkpoint.Memory
		keep := &sched.Checkpoints{Due: func(sched.Cut) sched.Due { return sched.Keep }, Keep: kept.Add}
		c.run(t, p, rng.IntN(2) == 0, sched.Watch{Checkpoints: keep, Couple: c.coupling(every)})
		runs++
		states := kept.States()
		from := states[rng.IntN(len(states))]
		o = randomOptions(rng, s.nest)
		o.Done = from.Done
		watch := sched.Watch{Checkpoints: &sched.Checkpoints{From: from}}
		p2, err := plan.New(s.nest, s.params, o)
		if err != nil {
			continue
		}
		if more := c.calls(p, every, from.Done); more == 0 { // other code may run it to its end
			ended++
		} else {
			watch.Couple = c.coupling(every)
			if o.Epoch, err = sched.CutAfter(p2, every, 1+rng.IntN(every), every); err != nil {
				continue
			}
			if p2, err = plan.New(s.nest, s.params, o); err != nil {
				continue
			}
			changed++
		}
		whole := c.run(t, p2, rng.IntN(2) == 0, watch)
		resumed++
		for _, is := range []struct {
			n    *int
			that bool
		}{{&ranks, plan.Product(p2.Grid) > 1}, {&stores, !whole}} {
			if is.that {
				*is.n++
			}
		}
	}
	t.Logf("%d runs, %d continued: %d on several ranks, %d with further calls, %d without, %d whose ranks have arrays of their own", runs, resumed, ranks, changed, ended, stores)
	if resumed < runs/3 || ranks < resumed/4 || changed < resumed/4 || ended < resumed/10 || stores < resumed/4 {
		t.Errorf("that proves little")
	}
}

// couples reports whether code of the caller may change an array of the nest.
func (s *sample) couples() bool {
	some := false
	for a := range s.nest.Arrays {
		if s.nest.Arrays[a].Role != plan.InOut {
			continue
		}
		if some = true; sched.CanShow(s.program(), a) != nil {
			return false
		}
	}
	return some
}

// calls is the number of calls after more than done levels.
func (s *sample) calls(p *plan.Plan, every, done int) (n int) {
	for at := every; at < p.Levels+p.Done; at += every {
		if at > done {
			n++
		}
	}
	return n
}

// run runs the nest and checks its results. If not whole, and if that can be, ranks have arrays of their
// own. It reports whether they have not.
func (s *sample) run(t *testing.T, p *plan.Plan, whole bool, watch sched.Watch) bool {
	t.Helper()
	for v := range s.nest.Values { // otherwise nobody knows which cells are left to the store
		whole = whole || s.nest.Values[v].Written == nil
	}
	f := s.fields(false)
	var err error
	if whole {
		_, err = sched.RunPlans(t.Context(), s.program(), []*plan.Plan{p}, f, watch, inproc.Mesh)
	} else {
		given := f.Given
		f.Given = nil
		from := kernel.Fields{Given: slices.Clone(given)}
		for a := range from.Given {
			from.Given[a].Data = slices.Clone(given[a].Data)
			clear(given[a].Data)
		}
		store := sched.WholeStore(kernel.Fields{Given: from.Given, Result: f.Result})
		store.Untouched = true
		_, err = sched.RunStores(t.Context(), s.program(), []*plan.Plan{p}, func(int) sched.Store { return store }, watch, inproc.Mesh)
	}
	if err != nil {
		var bug *sched.Bug
		if errors.As(err, &bug) {
			t.Logf("%s", bug.Stack)
		}
		t.Fatalf("%s\nwhole %t, done %d: %v", p, whole, p.Done, err)
	}
	s.check(t, p, f)
	return whole
}

// coupling returns the caller's code: it changes some cells.
func (s *sample) coupling(every int) *sched.Coupling {
	return &sched.Coupling{Every: every, Call: func(b *sched.Between) error {
		for a := range b.Views {
			v := &b.Views[a]
			eachCell(v, func(k int, cell []int) {
				save(v.Data, k, v.Size, s.changed(a, cell, b.Done, load(v.Data, k, v.Size)))
			})
		}
		return nil
	}}
}

// changed is the content that the caller's code gives, after the levels done, to a cell whose
// content is x.
func (s *sample) changed(a int, cell []int, done int, x uint64) uint64 {
	h := hash(append([]int{a, done}, cell...)...)
	if h>>7%3 > 0 {
		return x
	}
	return (x ^ h) & mask(s.nest.Arrays[a].Size)
}

// coupled returns s with the results of a direct evaluation in which the caller's code is called.
func (s *sample) coupled(t *testing.T, p *plan.Plan, every int) *sample {
	t.Helper()
	c := *s
	c.results, c.finals = nil, nil
	before := s.given
	for range s.nest.Values {
		c.results = append(c.results, map[string]uint64{})
	}
	for range s.nest.Arrays {
		c.finals = append(c.finals, map[string]uint64{})
	}
	c.given.Given = slices.Clone(before.Given)
	for a := range c.given.Given {
		c.given.Given[a].Data = slices.Clone(before.Given[a].Data)
	}
	first, done := p.Lo[0]-p.Done, 0
	until := func(levels int) {
		for done < levels {
			if done++; done%every == 0 {
				c.change(first+done-1, done)
			}
		}
	}
	for _, q := range s.points {
		until(q[0] - first)
		c.evaluateAt(q)
	}
	until(p.Done + p.Levels - 1)   // the last ones may have no iterations
	for a := range c.given.Given { // the content of cells that no iteration writes
		v := &c.given.Given[a]
		eachCell(v, func(k int, cell []int) {
			if _, wrote := c.finals[a][key(cell)]; !wrote {
				c.finals[a][key(cell)] = load(v.Data, k, v.Size)
			}
		})
	}
	c.given = before
	return &c
}

// change is the caller's code that runs after a level, the last of done. From then on, the given
// content of all cells is the changed content.
func (s *sample) change(level, done int) {
	for a := range s.nest.Arrays {
		if s.nest.Arrays[a].Role != plan.InOut {
			continue
		}
		given := &s.given.Given[a]
		wrote := map[string]bool{}
		for v := range s.nest.Values {
			val := &s.nest.Values[v]
			for _, q := range s.points {
				if val.Array != a || !s.stays(v, q, level) {
					continue
				}
				cell := s.cell(v, q)
				x := s.changed(a, cell, done, s.results[v][key(q)])
				s.results[v][key(q)], s.finals[a][key(cell)], wrote[key(cell)] = x, x, true
				save(given.Data, given.Offset(cell), given.Size, x)
			}
		}
		eachCell(given, func(k int, cell []int) {
			if !wrote[key(cell)] {
				save(given.Data, k, given.Size, s.changed(a, cell, done, load(given.Data, k, given.Size)))
			}
		})
	}
}

// eachCell calls f with the position and the indices of each cell of a view.
func eachCell(v *array.View, f func(k int, cell []int)) {
	cell := make([]int, len(v.Lo))
	for k := range v.Cells() {
		for m, rest := 0, k; m < len(cell); m++ {
			cell[m] = v.Lo[m] + rest/v.Stride[m]
			rest %= v.Stride[m]
		}
		f(k, cell)
	}
}
