package sched_test

import (
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"loopc/runtime/kernel"
	"loopc/runtime/sched"
	"loopc/transform/plan"
	"loopc/transform/plan/cost"
)

// A sharer is a kernel for which a level of a tile takes a fixed time if no other CPU of the
// node computes, and longer otherwise.
type sharer struct {
	*node
	level time.Duration
}

func (sharer) Bind(*kernel.Block)                          {}
func (k sharer) Box([]int, []int)                          { k.compute(k.level) }
func (sharer) Init(int, []int, int, int, []byte, int, int) {}

// A node is shared by CPUs: while n of them compute, each takes factor(n) times as long.
type node struct {
	factor func(n int) float64

	mu      sync.Mutex
	busy    int
	changed chan struct{} // closed when busy changes
}

// change adds to the number of computing CPUs; the caller holds mu.
func (n *node) change(by int) {
	n.busy += by
	close(n.changed)
	n.changed = make(chan struct{})
}

// compute returns when the given work is done.
func (n *node) compute(work time.Duration) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.change(1)
	for rest := float64(work); rest > 1; { // nanoseconds
		factor, changed := n.factor(n.busy), n.changed
		n.mu.Unlock()
		began := time.Now()
		select {
		case <-time.After(time.Duration(rest * factor)):
		case <-changed:
		}
		rest -= float64(time.Since(began)) / factor
		n.mu.Lock()
	}
	n.change(-1)
}

// TestPredictedTime runs random plans in virtual time, and requires that a run takes the time
// that the plan predicts for a machine with the same figures, to the nanosecond: every
// assignment, grouping and scheme, partial tiles, more workers than columns. Half of the plans
// share nodes whose CPUs slow one another down; there the rounding of clocks to nanoseconds
// adds up. The simulation in transform/plan and the executor are two programs that only share
// their rules.
//
// Virtual time needs only one processor: with several, on a loaded machine, each hand-over of a
// face would wait for a time slice.
func TestPredictedTime(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	const level, send = 10 * time.Millisecond, 7 * time.Millisecond
	m := &cost.Machine{
		Schema: 1, Cores: 1000,
		// A row of this nest is a level of a tile: the time of a sleeper.
		Kernel: cost.Kernel{Row: level.Seconds(), Point: []cost.Rate{{Bytes: 1, Seconds: 0}}},
		Links:  map[string]cost.Link{cost.LinkLocal: {Overlap: 1}, "script": {Latency: send.Seconds(), Overlap: 1}},
	}
	if err := m.Check(); err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(7, 5))
	kinds, remote, slowed := map[string]int{}, 0, 0
	for i := range 400 {
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
		m.Cores, m.Kernel.Contention = 1000, nil
		alone := cost.NewPredictor(p).Predict(m, "script")
		want, tolerance := alone, 1e-9
		if i%2 == 1 {
			m.Cores, m.Kernel.Contention = 1+rng.IntN(4), []float64{1, 1.25, 1.75}
			want, tolerance = cost.NewPredictor(p).Predict(m, "script"), 1e-6
			if want.Seconds > 1.1*alone.Seconds {
				slowed++
			}
		}
		var took time.Duration
		synctest.Test(t, func(t *testing.T) {
			net := newScript(send, 0)
			var loops kernel.Loops = sleeper{level}
			if i%2 == 1 {
				loops = sharer{&node{changed: make(chan struct{}), factor: func(n int) float64 {
					return m.Kernel.Contention[min(n, 3)-1] * max(1, float64(n)/float64(m.Cores))
				}}, level}
			}
			prog := &sched.Program{Nest: grid, Kernel: kernel.InGo(func([]int, kernel.Fields) kernel.Loops { return loops }, 0)}
			began := time.Now()
			if _, err := sched.RunPlans(t.Context(), prog, []*plan.Plan{p}, sched.NewFields(grid), sched.Watch{}, net.mesh); err != nil {
				t.Fatal(err)
			}
			took = time.Since(began)
		})
		if math.Abs(want.Seconds-took.Seconds()) > tolerance {
			t.Errorf("%s: took %v, predicted %g s\n%+v", p, took, want.Seconds, o)
		}
		kinds[p.Assign.String()+p.Group.String()+p.Comm.String()]++
		remote += int(want.Messages)
	}
	if len(kinds) != 4*2*2 || remote < 1500 || slowed < 100 {
		t.Errorf("%d kinds of plans, %d messages, %d slowed: %v", len(kinds), remote, slowed, kinds)
	}
}
