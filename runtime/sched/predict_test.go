package sched_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"loopc/runtime/halo"
	"loopc/runtime/sched"
	"loopc/transform/plan"
)

// TestPredictedTime runs random plans in virtual time, and requires that a run
// takes what the plan predicts on a machine with the same figures, to the
// nanosecond: every assignment, grouping and scheme, partial tiles, more workers
// than columns. The simulation of transform/plan and the executor are two
// programs; only their rules are the same.
func TestPredictedTime(t *testing.T) {
	const level, send = 10 * time.Millisecond, 7 * time.Millisecond
	m := &plan.Machine{
		Schema: 1, Cores: 1000,
		// A row of this nest is a level of a tile: what a sleeper takes.
		Kernel: plan.Kernel{Row: level.Seconds(), Point: []plan.Rate{{Bytes: 1, Seconds: 0}}},
		Links:  map[string]plan.Link{plan.LinkLocal: {Overlap: 1}, "script": {Latency: send.Seconds(), Overlap: 1}},
	}
	if err := m.Check(); err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(7, 5))
	kinds, remote := map[string]int{}, 0
	for range 400 {
		params := []int{1 + rng.IntN(14), 1 + rng.IntN(20)}
		o := plan.Options{
			Map: "i", Tile: []int{1 + rng.IntN(4), 1 + rng.IntN(3)}, Grid: []int{1, 1 + rng.IntN(4)}, Mesh: []int{1, 1 + rng.IntN(3)},
			Group: plan.Group(1 + rng.IntN(2)), Assign: plan.Assign(1 + rng.IntN(4)), Comm: plan.Comm(1 + rng.IntN(2)),
		}
		if o.Group == plan.Vertical {
			o.Sub = 1 + rng.IntN(o.Tile[0])
		}
		p, err := plan.New(grid, params, o)
		if err != nil {
			t.Fatalf("%v %+v: %v", params, o, err)
		}
		want := p.Predict(m, "script")
		var took time.Duration
		synctest.Test(t, func(t *testing.T) {
			net := newScript(send, 0)
			prog := &sched.Program{Nest: grid, Kernel: func([]int, halo.Fields) halo.Kernel { return sleeper{level} }}
			began := time.Now()
			if _, err := sched.RunPlan(t.Context(), prog, p, sched.NewFields(grid), sched.Watch{}, net.mesh); err != nil {
				t.Fatal(err)
			}
			took = time.Since(began)
		})
		if math.Abs(want.Seconds-took.Seconds()) > 1e-9 {
			t.Errorf("%s: took %v, predicted %g s\n%+v", p, took, want.Seconds, o)
		}
		kinds[p.Assign.String()+p.Group.String()+p.Comm.String()]++
		remote += int(want.Messages)
	}
	if len(kinds) != 4*2*2 || remote < 1500 {
		t.Errorf("%d kinds of plans, %d messages: %v", len(kinds), remote, kinds)
	}
}
