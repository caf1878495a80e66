package sched

import (
	"math"
	"runtime"
	"sync/atomic"
	"testing"

	"loopc/runtime/array"
	"loopc/runtime/kernel"
	"loopc/runtime/redist"
	"loopc/transform/plan"
	"loopc/transform/plan/cost"
)

// Each worker of a crew does its part, any number of times, in goroutines that begin and end
// only once.
func TestCrew(t *testing.T) {
	var begun, ended atomic.Int64
	c := crew{thread: func() func() {
		begun.Add(1)
		return func() { ended.Add(1) }
	}}
	parts := make([]int, 3)
	for turn := range 1000 {
		n := []int{1, 3, 2, 0}[turn%4]
		c.do(n, func(k int) { parts[k]++ })
	}
	for k, want := range []int{750, 500, 250} {
		if parts[k] != want {
			t.Errorf("worker %d has worked %d times, want %d", k, parts[k], want)
		}
	}
	c.end()
	c.end()
	if begun.Load() != 3 || ended.Load() != 3 {
		t.Errorf("%d goroutines have begun and %d have ended, want 3", begun.Load(), ended.Load())
	}
	var none crew
	none.end()
}

// Of a work that workers share, the caller does what a worker has not begun, and does not wait for this worker, which does not begin later;
// what a worker has begun it ends.
func TestCrewShares(t *testing.T) {
	var c crew
	c.parks = true
	mine, theirs, calls := 0, 0, 0
	for turn := range 2000 {
		left := atomic.Int64{}
		left.Store(20)
		take := func(sum *int) func() {
			return func() {
				for left.Add(-1) >= 0 {
					*sum++
				}
			}
		}
		all := calls
		c.share([]func(){take(&mine), take(&theirs), func() { calls++ }})
		if mine+theirs != 20*(turn+1) || calls != all+1 {
			t.Fatalf("turn %d: %d and %d parts are done, and one %d times", turn, mine, theirs, calls-all)
		}
		if turn%7 == 0 {
			all = calls
			c.run([]func(){func() {}, func() {}, func() { calls++ }})
			if calls != all+1 {
				t.Fatal("a worker that must work has not")
			}
		}
		if turn%100 == 0 {
			c.end()
			c.thread = nil // as the next run sets it, while goroutines of this one perhaps have not ended
		}
	}
	c.end()
	if mine == 0 {
		t.Error("the caller has done nothing")
	}
	// With one processor for Go, another goroutine begins only when the caller waits, or has run for long: then it does not wait.
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	late := 0
	for range 100 {
		c.share([]func(){func() {}, func() { late++ }})
	}
	if late != 100 || c.others[0].waited == 100 {
		t.Errorf("100 parts are done %d times, and the caller has waited for %d", late, c.others[0].waited)
	}
	c.end()
}

// A nest that runs again gets the memory of its last run, and no other nest's.
func TestCrewPools(t *testing.T) {
	var c crew
	first := c.pool(0, 1).Bytes(100)
	if x := c.pool(1, 1).Bytes(100); &x[0] == &first[0] {
		t.Error("two nests have the same memory")
	}
	if x := c.pool(0, 0).Bytes(100); &x[0] == &first[0] {
		t.Error("two workers have the same memory")
	}
	if x := c.pool(0, 1).Bytes(100); &x[0] != &first[0] {
		t.Error("the next run has other memory")
	}
	if c.pool(-1, 0) != nil {
		t.Error("a nest that is not run again has a pool")
	}
}

// A view is reused unless the rank owns cells of it.
func TestSpares(t *testing.T) {
	s := &Rank{within: 1, plans: []*plan.Plan{{Nest: &plan.Nest{}}}, fields: make([]field, 1), slices: map[int]*array.View{}}
	result := func() *array.View {
		t.Helper()
		v, err := s.result(0, "float64", []int{0, 0}, []int{3, 4}, kernel.Fields{})
		if err != nil || v.Marked() != 0 {
			t.Fatalf("%d cells of a new view are marked, %v", v.Marked(), err)
		}
		return &v
	}
	a := result()
	a.MarkWritten(0, 5, 1)
	s.fields[0].owned = []*array.View{a}
	b := result()
	if &b.Data[0] == &a.Data[0] {
		t.Fatal("what the rank owns is written over")
	}
	s.fields[0].owned = []*array.View{b}
	if c := result(); &c.Data[0] != &a.Data[0] {
		t.Error("what nobody owns is not used again")
	}
	if v, err := s.result(0, "float64", []int{0, 0}, []int{3, 4}, kernel.Fields{Given: []array.View{*a}}); err != nil || &v.Data[0] == &a.Data[0] {
		t.Error("what a nest reads is written over")
	}
	s.spares.dropUnused(s, kernel.Fields{})
	if len(s.spares.results) != 3 {
		t.Errorf("of 3 views that stay, %d are left", len(s.spares.results))
	}
	s.spares.keeps[0] = false
	s.fields[0].owned = []*array.View{{Data: make([]byte, 8)}}
	large, err := s.result(0, "float64", []int{0, 0}, []int{30, 4}, kernel.Fields{})
	if err != nil {
		t.Fatal(err)
	}
	s.fields[0].owned = append(s.fields[0].owned, &large)
	if s.spares.dropUnused(s, kernel.Fields{}); len(s.spares.results) != 4 {
		t.Error("a view in use is dropped")
	}
	s.fields[0].owned = s.fields[0].owned[:1]
	if s.spares.dropUnused(s, kernel.Fields{}); len(s.spares.results) != 3 {
		t.Error("a view that nobody uses is kept while another nest runs")
	}
	s.spares.read(0, 0, b)
	if v, err := s.spares.given(nil, 0, 0, "float64", []int{0, 0}, []int{3, 4}); err != nil || &v.Data[0] != &b.Data[0] {
		t.Error("what was read is not used again")
	}
	if v, err := s.spares.given(nil, 0, 0, "float64", []int{0, 0}, []int{3, 4}); err != nil || &v.Data[0] == &b.Data[0] {
		t.Error("what is read was given out twice")
	}
}

// If several nests run again, a large one leaves its memory to the others.
func TestSparesOfLargeNests(t *testing.T) {
	unit := func(k, c int) []int {
		v := make([]int, 2)
		v[k] = c
		return v
	}
	nest := &plan.Nest{
		Name: "square", Params: []string{"N", "M"}, Dims: []string{"i", "j"}, Skew: [][]int{unit(0, 1), unit(1, 1)},
		Arrays: []plan.Array{{Name: "A", Elem: "float64", Size: 8, Role: plan.Out, Lo: []plan.Affine{{}, {}},
			Hi: []plan.Affine{{Const: -1, Params: unit(0, 1)}, {Const: -1, Params: unit(1, 1)}}}},
		Values: []plan.Value{{Name: "A", Flow: [][]int{{1, 0}, {0, 1}}, Cell: []plan.Affine{{Iters: unit(0, 1)}, {Iters: unit(1, 1)}}}},
	}
	for k := range 2 {
		nest.Space = append(nest.Space, plan.Affine{Iters: unit(k, 1)}, plan.Affine{Const: -1, Params: unit(k, 1), Iters: unit(k, -1)})
	}
	small, err := plan.New(nest, []int{30, 30}, plan.Options{})
	if err != nil {
		t.Fatal(err)
	}
	large, err := plan.New(nest, []int{2000, 2000}, plan.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		plans  []*plan.Plan
		within int
		want   bool // of the last one
	}{
		{[]*plan.Plan{small}, 0, false}, // it runs once
		{[]*plan.Plan{large}, 1, true},
		{[]*plan.Plan{small, small}, 1, true},
		{[]*plan.Plan{small, large}, 1, false},
	} {
		s := &Rank{plans: c.plans, within: c.within, layout: &layout{}}
		if got := s.keepsMemory(len(c.plans) - 1); got != c.want {
			t.Errorf("%d nests, %d MiB, in %d repeats: the memory is kept: %v", len(c.plans), cost.MemoryOf(c.plans[len(c.plans)-1], 0, math.MaxInt64).Total()>>20, c.within, got)
		}
	}
}

// However many nests run again, and on however many ranks, the memory kept is bounded, and
// released when the repeat has ended.
func TestSparesTogether(t *testing.T) {
	const need = 5 << 20
	for _, c := range []struct {
		ranks  int
		shared bool
		most   int // nests that are kept
	}{
		{1, true, mostSpared / need},
		{3, true, mostSpared / 3 / need},
		{64, true, 0},
		{64, false, mostSpared / need}, // of other processes
	} {
		p := &plan.Plan{}
		p.Ranks = c.ranks
		s := &Rank{within: 1, plans: []*plan.Plan{p, p}, layout: &layout{shared: c.shared}, fields: make([]field, 1)}
		kept := 0
		for range 50 {
			if s.spared(need) {
				kept++
			}
		}
		if kept != c.most {
			t.Errorf("%d ranks, in one process %v: %d nests keep their memory, want %d", c.ranks, c.shared, kept, c.most)
		}
	}
	one := &Rank{within: 1, plans: []*plan.Plan{{}, {}}, layout: &layout{}}
	if one.spared(mostSpared/4+1) || !one.spared(mostSpared/4) {
		t.Error("one nest has another part of the memory than a quarter")
	}
	s := newRankOfRepeats()
	once, never := []plan.Affine{{Const: 1}}, []plan.Affine{{Const: 0}}
	inner := &Repeat{Index: 1, Lo: once, Hi: never}
	s.within = 1
	if err := s.run(t.Context(), []Step{{Repeat: inner}}); err != nil || s.spares.keeps == nil || s.crew.pools == nil {
		t.Errorf("the memory is given up within a repeat, %v", err)
	}
	s.within = 0
	if err := s.run(t.Context(), []Step{{Repeat: &Repeat{Lo: once, Hi: once, Steps: []Step{{Repeat: inner}}}}}); err != nil {
		t.Fatal(err)
	}
	if s.spares.keeps != nil || s.spares.gave != nil || s.spares.results != nil || s.crew.pools != nil || len(s.fields[0].asked) > 0 {
		t.Error("after the repeat memory is kept that nobody uses")
	}
}

// newRankOfRepeats returns a rank for two repeats, which keeps something.
func newRankOfRepeats() *Rank {
	s := &Rank{whole: &plan.Nest{}, params: []int{0, 0}, fields: []field{{asked: map[int]*askedContent{0: {}}}}, layout: &layout{}}
	s.sum.Repeats = make([]int, 2)
	s.spares = spares{gave: map[[2]int]array.View{{0, 0}: {}}, results: []spareResult{{}}, keeps: map[int]bool{0: true}}
	s.crew.pool(0, 0)
	return s
}

// TestLeft requires that a nest reads an array where an earlier nest has left most of it, on one rank only,
// and only if all cells that it needs are there.
func TestLeft(t *testing.T) {
	view := func(lo, hi, marked int) *array.View {
		v, err := array.Make("float64", []int{lo}, []int{hi})
		if err != nil {
			t.Fatal(err)
		}
		v.TrackWritten()
		v.MarkWritten(0, marked, 1)
		return &v
	}
	r := &Rank{layout: &layout{}, fields: []field{{owned: []*array.View{view(0, 9, 2), view(0, 11, 8), view(3, 9, 7)}}}}
	for _, c := range []struct{ ranks, lo, hi, want int }{{1, 0, 9, 1}, {1, 3, 11, 1}, {1, 3, 12, -1}, {2, 3, 9, -1}} {
		p := &plan.Plan{Ranks: c.ranks, Nest: &plan.Nest{}}
		if got := r.left(p, 0, redist.Box{Lo: []int{c.lo}, Hi: []int{c.hi}}); got != c.want {
			t.Errorf("%+v: view %d", c, got)
		}
	}
	p := &plan.Plan{Ranks: 1, Nest: &plan.Nest{}}
	if r.layout.pauses = true; r.left(p, 0, redist.Box{Lo: []int{3}, Hi: []int{9}}) >= 0 {
		t.Error("a state between nests is written over")
	}
}
