package sched_test

import (
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"loopc/runtime/arith"
	"loopc/runtime/array"
	"loopc/runtime/kernel"
	"loopc/runtime/sched"
	"loopc/runtime/transport"
	"loopc/runtime/transport/inproc"
	"loopc/transform/plan"
	"loopc/transform/plan/cost"
	"loopc/transform/plan/search"
)

// A lateTransport reports the failure of its rank to the peers at once, but the rank learns
// later that they know: the others fail first.
type lateTransport struct{ transport.Transport }

func (l lateTransport) Close(cause error) error {
	err := l.Transport.Close(cause)
	if cause != nil {
		time.Sleep(100 * time.Millisecond)
	}
	return err
}

// TestCulpritReported requires that a run reports a division by zero in a rank, and not that
// other ranks miss this rank, although these end first.
func TestCulpritReported(t *testing.T) {
	p := gridPlan(t, 20, 3, plan.Overlap)
	user := &arith.Error{What: "integer division by zero", At: "grid.loop:4", Loops: "t, i", Iteration: []int{7, 5}}
	prog := &sched.Program{Nest: grid, Kernel: kernel.InGo(func([]int, kernel.Fields) kernel.Loops { return breaker{7, 5, user} }, 0)}
	for name, mesh := range map[string]sched.Mesh{"inproc": inproc.Mesh, "tcp": loopback(t)} {
		late := func(size int, run string) ([]transport.Transport, error) {
			all, err := mesh(size, run)
			for k := range all {
				if k == 1 {
					all[k] = lateTransport{all[k]}
				}
			}
			return all, err
		}
		_, err := sched.RunPlans(t.Context(), prog, []*plan.Plan{p}, sched.NewFields(grid), sched.Watch{}, late)
		if err == nil || err.Error() != "rank 1: step 9: grid.loop:4: integer division by zero at t = 7, i = 5" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A restBreaker is a kernel that panics when it is asked for the initial content of a result's
// cells.
type restBreaker struct {
	sleeper
	result []byte
	what   any
}

func (k restBreaker) Init(_ int, _ []int, _, _ int, data []byte, _, _ int) {
	if len(data) > 0 && &data[0] == &k.result[0] {
		panic(k.what)
	}
}

// TestRestFails requires that initial content that cannot be computed fails the run: as an
// error of the program if it divides by zero, else as a bug.
func TestRestFails(t *testing.T) {
	nest := *grid
	nest.Arrays = []plan.Array{{Name: "A", Elem: "float64", Size: 8, Role: plan.Out, Initial: plan.Computed,
		Lo: []plan.Affine{{}}, Hi: []plan.Affine{{Params: []int{0, 1}}}}}
	// No iteration writes cell N.
	nest.Values = []plan.Value{{Name: "A", Flow: grid.Values[0].Flow, Cell: []plan.Affine{{Iters: []int{0, 1}}}, Overwrites: [][]int{{1, 0}},
		Written: []plan.Affine{{Iters: []int{1}}, {Const: -1, Params: []int{0, 1}, Iters: []int{-1}}}}}
	params := []int{5, 8}
	user := &arith.Error{What: "integer division by zero", At: "grid.loop:2", Loops: "t", Iteration: []int{8}}
	run := func(what any) error {
		fields := sched.NewFields(&nest)
		v, err := array.Make("float64", []int{0}, []int{8})
		if err != nil {
			t.Fatal(err)
		}
		fields.Result[0] = v
		prog := &sched.Program{Nest: &nest, Kernel: kernel.InGo(func([]int, kernel.Fields) kernel.Loops { return restBreaker{result: v.Data, what: what} }, 0)}
		_, err = sched.Run(t.Context(), prog, params, fields, sched.Options{Options: plan.Options{Ranks: 2}}, inproc.Mesh)
		return err
	}
	if err := run(user); err != error(user) {
		t.Errorf("a division by zero: %v", err)
	}
	err := run("the result is upside down")
	var bug *sched.Bug
	if !errors.As(err, &bug) || err.Error() != "BUG: the result is upside down" || !strings.Contains(string(bug.Stack), "restBreaker") {
		t.Errorf("a bug: %v", err)
	}
}

// TestCPUsShared requires that ranks share the CPUs of the process if the caller does not say
// how many each has: no more than the space can use, and no more than are worthwhile; if tiles
// take no time, one.
func TestCPUsShared(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(6))
	slow, fast := *cost.DefaultMachine(), *cost.DefaultMachine()
	slow.Cores, fast.Cores = 8, 8
	slow.Kernel.Tile, fast.Kernel.Tile = 18e-6, 1e-8
	for _, c := range []struct {
		name   string
		n      int // cells across the ranks, a column of tiles each
		o      plan.Options
		plan   plan.Options // that is meant
		warned bool
	}{
		{"one rank", 12, plan.Options{}, plan.Options{CPUs: 6}, false},
		{"one rank on a fast machine", 12, plan.Options{}, plan.Options{CPUs: 1}, false},
		{"two ranks on a fast machine", 12, plan.Options{Ranks: 2}, plan.Options{Ranks: 2, CPUs: 1}, false},
		{"asked for on a fast machine", 12, plan.Options{CPUs: 2}, plan.Options{CPUs: 2}, false},
		{"two ranks", 12, plan.Options{Ranks: 2}, plan.Options{Ranks: 2, CPUs: 3}, false},
		{"a grid", 12, plan.Options{Grid: []int{0, 3}}, plan.Options{Grid: []int{0, 3}, CPUs: 2}, false},
		{"more ranks than CPUs", 16, plan.Options{Ranks: 8}, plan.Options{Ranks: 8, CPUs: 1}, false},
		{"a small space", 2, plan.Options{}, plan.Options{CPUs: 2}, false},
		{"asked for", 12, plan.Options{CPUs: 1}, plan.Options{CPUs: 1}, false},
		{"asked for, though idle", 2, plan.Options{CPUs: 4}, plan.Options{CPUs: 4}, true},
		{"a mesh", 12, plan.Options{Mesh: []int{1, 2}}, plan.Options{Mesh: []int{1, 2}}, false},
	} {
		m := &slow
		if strings.HasSuffix(c.name, "on a fast machine") {
			m = &fast
		}
		c.o.Map, c.o.Tile = "i", []int{1, 1}
		c.plan.Map, c.plan.Tile = c.o.Map, c.o.Tile
		params := []int{4, c.n}
		want, err := plan.New(grid, params, c.plan)
		if err != nil {
			t.Fatal(err)
		}
		got, warned := "", false
		mesh := func(size int, run string) ([]transport.Transport, error) {
			got = run
			return inproc.Mesh(size, run)
		}
		prog := &sched.Program{Nest: grid, Kernel: kernel.InGo(func([]int, kernel.Fields) kernel.Loops { return sleeper{} }, 0)}
		o := sched.Options{Options: c.o, Machine: m, Warn: func(string) { warned = true }}
		if _, err := sched.Run(t.Context(), prog, params, sched.NewFields(grid), o, mesh); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if got != runName(want) || warned != c.warned {
			t.Errorf("%s: not the plan of %+v, or warned: %v", c.name, c.plan, warned)
		}
	}
	prog := &sched.Program{Nest: grid, Kernel: kernel.InGo(func([]int, kernel.Fields) kernel.Loops { return sleeper{} }, 0)}
	if _, err := sched.Run(t.Context(), prog, []int{4, 4}, sched.NewFields(grid), sched.Options{Options: plan.Options{Ranks: -3}}, inproc.Mesh); err == nil || err.Error() != "-3 ranks: at least one is needed" {
		t.Errorf("-3 ranks: %v", err)
	}
}

// TestChosen requires that a run has the plan with the best prediction on the given machine,
// but that a run that takes no time is not searched for.
func TestChosen(t *testing.T) {
	params := []int{400, 300}
	o := plan.Options{Ranks: 2, CPUs: 1}
	planned := func(m *cost.Machine) (digest string) {
		t.Helper()
		enough := errors.New("the plan is known")
		mesh := func(_ int, run string) ([]transport.Transport, error) {
			digest = run
			return nil, enough
		}
		prog := &sched.Program{Nest: grid, Kernel: kernel.InGo(func([]int, kernel.Fields) kernel.Loops { return sleeper{} }, 0)}
		if _, err := sched.Run(t.Context(), prog, params, sched.NewFields(grid), sched.Options{Options: o, Machine: m}, mesh); !errors.Is(err, enough) {
			t.Fatal(err)
		}
		return digest
	}
	simple, err := plan.New(grid, params, o)
	if err != nil {
		t.Fatal(err)
	}
	m := cost.DefaultMachine()
	m.Kernel = cost.Kernel{Tile: 1, Point: []cost.Rate{{}}}
	best, _, err := search.Choose(t.Context(), grid, params, o, m, cost.LinkInproc)
	if err != nil {
		t.Fatal(err)
	}
	if runName(best) == runName(simple) {
		t.Fatalf("there is nothing to choose: %s", best)
	}
	if got := planned(m); got != runName(best) {
		t.Errorf("not the plan that was predicted to be the best:\n%s", best)
	}
	m.Kernel.Tile = 0
	if got := planned(m); got != runName(simple) {
		t.Errorf("not the plan of a run that takes no time:\n%s", simple)
	}
	if got := planned(nil); got != runName(simple) {
		t.Errorf("not the plan of a run that takes 120,000 iterations:\n%s", simple)
	}
}

// runName is the name by which a mesh knows the run of a single plan.
func runName(p *plan.Plan) string {
	return sched.PlansDigest(&sched.Program{Nest: p.Nest}, []*plan.Plan{p})
}
