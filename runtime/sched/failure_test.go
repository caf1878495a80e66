package sched_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"loopc/runtime/arith"
	"loopc/runtime/kernel"
	"loopc/runtime/sched"
	"loopc/runtime/transport"
	"loopc/runtime/transport/inproc"
	"loopc/testdata/lacking"
	"loopc/transform/plan"
)

// A breaker is a kernel that panics at an iteration.
type breaker struct {
	row, column int
	what        any
}

func (breaker) Bind(*kernel.Block)                          {}
func (breaker) Init(int, []int, int, int, []byte, int, int) {}

func (k breaker) Box(lo, hi []int) {
	if lo[0] == k.row && lo[1] <= k.column && hi[1] >= k.column {
		panic(k.what)
	}
}

// TestKernelPanics requires that an arithmetic error names file and line, iteration, rank and
// step, and that any other panic is reported as a bug with its stack. The other ranks must end,
// too.
func TestKernelPanics(t *testing.T) {
	p := gridPlan(t, 20, 3, plan.Overlap)
	run := func(what any) error {
		prog := &sched.Program{Nest: grid, Kernel: kernel.InGo(func([]int, kernel.Fields) kernel.Loops { return breaker{7, 5, what} }, 0)}
		_, err := sched.RunPlans(t.Context(), prog, []*plan.Plan{p}, sched.NewFields(grid), sched.Watch{}, inproc.Mesh)
		return err
	}
	user := &arith.Error{What: "integer division by zero", At: "grid.loop:4", Loops: "t, i", Iteration: []int{7, 5}}
	err := run(user)
	var own *arith.Error
	if err == nil || err.Error() != "rank 1: step 9: grid.loop:4: integer division by zero at t = 7, i = 5" || !errors.As(err, &own) || own != user {
		t.Errorf("a division by zero: %v", err)
	}
	for _, what := range []any{"BUG: the block is upside down", errors.New("the block is upside down"), "the block is upside down"} {
		err := run(what)
		var bug *sched.Bug
		if !errors.As(err, &bug) || err.Error() != "BUG: rank 1: tile 7: the block is upside down" || !strings.Contains(string(bug.Stack), "breaker") {
			t.Errorf("panic(%v): %v", what, err)
		}
	}
	var none []int
	prog := &sched.Program{Nest: grid, Kernel: kernel.InGo(func([]int, kernel.Fields) kernel.Loops { return indexer{none} }, 0)}
	_, err = sched.RunPlans(t.Context(), prog, []*plan.Plan{p}, sched.NewFields(grid), sched.Watch{}, inproc.Mesh)
	if err == nil || !strings.HasPrefix(err.Error(), "BUG: rank ") || !strings.Contains(err.Error(), "index out of range") {
		t.Errorf("an index out of range: %v", err)
	}
}

// TestFollowerEnds requires that a CPU that waits for the rest of a face ends together with the
// CPU that packs the face: when the kernel fails, and when the run is canceled.
func TestFollowerEnds(t *testing.T) {
	p, err := plan.New(grid, []int{40, 6}, plan.Options{Map: "i", Tile: []int{40, 3}, Grid: []int{1, 1}, Mesh: []int{1, 2}})
	if err != nil || len(p.Edges()) != 1 {
		t.Fatalf("%v, %d edges", err, len(p.Edges()))
	}
	user := &arith.Error{What: "integer division by zero", At: "grid.loop:4", Loops: "t, i", Iteration: []int{7, 0}}
	prog := &sched.Program{Nest: grid, Kernel: kernel.InGo(func([]int, kernel.Fields) kernel.Loops { return breaker{7, 0, user} }, 0)}
	_, err = sched.RunPlans(t.Context(), prog, []*plan.Plan{p}, sched.NewFields(grid), sched.Watch{}, inproc.Mesh)
	if own := (*arith.Error)(nil); !errors.As(err, &own) || !strings.HasPrefix(err.Error(), "rank 0: step 0: ") {
		t.Errorf("the kernel of the first CPU fails: %v", err)
	}
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeoutCause(t.Context(), 95*time.Millisecond, errors.New("enough"))
		defer cancel()
		prog := &sched.Program{Nest: grid, Kernel: kernel.InGo(func([]int, kernel.Fields) kernel.Loops { return staller{} }, 0)}
		began := time.Now()
		_, err := sched.RunPlans(ctx, prog, []*plan.Plan{p}, sched.NewFields(grid), sched.Watch{}, inproc.Mesh)
		if took := time.Since(began); err == nil || !strings.Contains(err.Error(), "enough") || took != stalls {
			t.Errorf("canceled: %v after %v", err, took)
		}
	})
}

// A staller is a kernel whose first CPU pauses at a level in the middle.
type staller struct{}

const stalls = time.Second

func (staller) Bind(*kernel.Block)                          {}
func (staller) Init(int, []int, int, int, []byte, int, int) {}

func (staller) Box(lo, _ []int) {
	if lo[0] == 20 && lo[1] == 0 {
		time.Sleep(stalls)
	}
}

// An indexer is a kernel that indexes past the end of a slice.
type indexer struct{ cells []int }

func (indexer) Bind(*kernel.Block)                          {}
func (indexer) Init(int, []int, int, int, []byte, int, int) {}
func (k indexer) Box(lo, _ []int)                           { k.cells[lo[0]+1]++ }

// TestCanceled requires that a canceled run ends with its cause, at the next tile or while it
// waits, and that an inout array has its old content again.
func TestCanceled(t *testing.T) {
	cause := errors.New("enough")
	synctest.Test(t, func(t *testing.T) {
		p := gridPlan(t, 1000, 2, plan.Overlap)
		ctx, cancel := context.WithCancelCause(t.Context())
		net := newScript(time.Millisecond, 0)
		prog := &sched.Program{Nest: grid, Kernel: kernel.InGo(func([]int, kernel.Fields) kernel.Loops { return sleeper{10 * time.Millisecond} }, 0)}
		time.AfterFunc(95*time.Millisecond, func() { cancel(cause) })
		began := time.Now()
		sum, err := sched.RunPlans(ctx, prog, []*plan.Plan{p}, sched.NewFields(grid), sched.Watch{}, net.mesh)
		if !errors.Is(err, cause) {
			t.Errorf("canceled: %v", err)
		}
		if took := time.Since(began); took > 110*time.Millisecond {
			t.Errorf("canceled after 95 ms, the run took %v", took)
		}
		if sum.Tiles < 15 || sum.Tiles > 25 {
			t.Errorf("%d tiles in 95 ms", sum.Tiles)
		}
	})
}

// TestPeerFails requires that a rank that waits for a failed one names the edge and step, and
// that the run reports the first cause.
func TestPeerFails(t *testing.T) {
	p := gridPlan(t, 20, 2, plan.Overlap)
	transports, err := inproc.Mesh(2, "")
	if err != nil {
		t.Fatal(err)
	}
	cause := errors.New("out of paper")
	if err := transports[0].Close(cause); err != nil {
		t.Fatal(err)
	}
	prog := &sched.Program{Nest: grid, Kernel: kernel.InGo(func([]int, kernel.Fields) kernel.Loops { return sleeper{} }, 0)}
	rank, err := sched.NewRank(t.Context(), prog, []*plan.Plan{p}, 1, sched.Store{}, sched.Watch{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = rank.Run(t.Context(), transports[1], sched.Watch{})
	var edge *transport.Error
	if !errors.As(err, &edge) || !edge.PeerGone() || !strings.Contains(err.Error(), "out of paper") {
		t.Errorf("rank 0 gave up, and rank 1 says %v", err)
	}
}

// TestMemoryRefused requires that a plan that needs more memory than there is is refused before
// it allocates any.
func TestMemoryRefused(t *testing.T) {
	if sched.MemoryLimit() == 0 {
		lacking.Skip(t, "the memory of this machine cannot be known")
	}
	p, err := plan.New(grid, []int{1 << 40, 1 << 40}, plan.Options{Tile: []int{1 << 40, 1 << 40}})
	if err != nil {
		t.Fatal(err)
	}
	prog := &sched.Program{Nest: grid, Kernel: kernel.InGo(func([]int, kernel.Fields) kernel.Loops {
		t.Error("a kernel was made")
		return sleeper{}
	}, 0)}
	if sched.Memory(prog, p, 0) < 1<<40 {
		t.Fatalf("the plan needs %d bytes only", sched.Memory(prog, p, 0))
	}
	if _, err := sched.RunPlans(t.Context(), prog, []*plan.Plan{p}, sched.NewFields(grid), sched.Watch{}, inproc.Mesh); err == nil || !strings.Contains(err.Error(), "MiB for their tiles") {
		t.Errorf("a run that needs %d bytes: %v", sched.Memory(prog, p, 0), err)
	}
	if _, err := sched.NewRank(t.Context(), prog, []*plan.Plan{p}, 0, sched.Store{}, sched.Watch{}); err == nil || !strings.HasPrefix(err.Error(), "rank 0: needs ") {
		t.Errorf("a rank that needs %d bytes: %v", sched.Memory(prog, p, 0), err)
	}
}

// TestFieldsRefused has views that do not fit their arrays.
func TestFieldsRefused(t *testing.T) {
	nest := *grid
	nest.Arrays = []plan.Array{{Name: "A", Elem: "float64", Size: 8, Role: plan.InOut, Initial: plan.Given,
		Lo: []plan.Affine{{}}, Hi: []plan.Affine{{Const: -1, Params: []int{0, 1}}}}}
	nest.Values = []plan.Value{{Name: "A", Flow: grid.Values[0].Flow, Cell: []plan.Affine{{Iters: []int{0, 1}}}, Overwrites: [][]int{{1, 0}}}}
	params := []int{5, 8}
	prog := &sched.Program{Nest: &nest, Kernel: kernel.InGo(func([]int, kernel.Fields) kernel.Loops { return breaker{row: 3, column: 2, what: "stop"} }, 0)}
	fields := sched.NewFields(&nest)
	if err := sched.Give(&fields, &nest, params, 0, make([]float64, 7)); err == nil || err.Error() != "array A of "+nest.Name+": 7 cells given, 8 needed" {
		t.Errorf("seven cells: %v", err)
	}
	short := make([]float64, 9)
	if err := sched.Take(&fields, &nest, params, 0, &short); err == nil || err.Error() != "result of array A of "+nest.Name+": 9 cells given, 8 needed" {
		t.Errorf("nine cells: %v", err)
	}
	if _, err := sched.Run(t.Context(), prog, params, fields, sched.Options{}, inproc.Mesh); err == nil || err.Error() != "array A holds float64, not " {
		t.Errorf("no view: %v", err)
	}
	if err := sched.Give(&fields, &nest, params, 0, make([]int32, 8)); err != nil {
		t.Fatal(err)
	}
	if _, err := sched.Run(t.Context(), prog, params, fields, sched.Options{}, inproc.Mesh); err == nil || err.Error() != "array A holds float64, not int32" {
		t.Errorf("a view of int32: %v", err)
	}
	// A run that fails leaves an inout array as it was.
	cells := []float64{1, 2, 3, 4, 5, 6, 7, 8}
	if err := sched.Give(&fields, &nest, params, 0, cells); err != nil {
		t.Fatal(err)
	}
	if err := sched.Take(&fields, &nest, params, 0, &cells); err != nil {
		t.Fatal(err)
	}
	if _, err := sched.Run(t.Context(), prog, params, fields, sched.Options{}, inproc.Mesh); err == nil {
		t.Error("the kernel panicked, and the run succeeds")
	}
	var none context.Context // which never ends
	if _, err := sched.Run(none, prog, params, fields, sched.Options{}, inproc.Mesh); err == nil || strings.Contains(err.Error(), "nil pointer") {
		t.Errorf("a nil context: %v, want the fault of the kernel", err)
	}
	for k, x := range cells {
		if x != float64(k+1) {
			t.Errorf("cell %d is %g after a run that failed", k, x)
		}
	}
	// Warnings are passed on, and a wrong option is an error.
	warned := ""
	if _, err := sched.Run(t.Context(), prog, params, fields, sched.Options{Options: plan.Options{Ranks: 9, Map: "i", Tile: []int{5, 8}}, Warn: func(w string) { warned = w }}, inproc.Mesh); err == nil || !strings.Contains(warned, "stay idle") {
		t.Errorf("nine ranks for a column: %v, warned %q", err, warned)
	}
	if _, err := sched.Run(t.Context(), prog, params[:1], fields, sched.Options{}, inproc.Mesh); err == nil || err.Error() != "grid takes 2 parameters, got 1" {
		t.Errorf("a parameter is missing: %v", err)
	}
}
