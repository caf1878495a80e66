package sched_test

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"loopc/runtime/kernel"
	"loopc/runtime/sched"
	"loopc/runtime/transport/inproc"
	"loopc/transform/plan"
)

// The function of a repeat, in another one or not, tells the progress by its repetitions, in whichever direction they
// go, and ends with the context. All iterations count once, and the summary has all runs.
func TestRepeatFunction(t *testing.T) {
	t.Setenv(sched.KernelVariable, "")
	enough := errors.New("enough")
	for _, outer := range []int{1, 3} {
		for _, backward := range []bool{false, true} {
			runRepeat(t, outer, backward, true, nil)
			runRepeat(t, outer, backward, true, enough)
		}
		runRepeat(t, outer, false, false, nil)
		runRepeat(t, outer, false, false, enough)
	}
}

// runRepeat runs a repeat by its function, outer times; outer is 1 if it is in no other. The run ends with why, if not
// nil, in the middle.
func runRepeat(t *testing.T, outer int, backward, watched bool, why error) {
	const inner, each = 9, 100 * 100
	nest := *grid
	nest.Params = append(slices.Clone(grid.Params), "s", "t")[:min(4, len(grid.Params)+outer)]
	size := []int{100, 100, 1, 1}[:len(nest.Params)]
	number := len(size) - 1 // the parameter of the repeat
	o := plan.Options{Ranks: 1, CPUs: 1}
	p, err := plan.New(&nest, size, o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	var points atomic.Int64
	calls := 0
	function := func(run *kernel.Repetitions) error {
		if calls++; run.First != 1 || run.Last != inner {
			t.Fatalf("repetitions %d..%d", run.First, run.Last)
		}
		for k := range inner {
			if run.Params[number] = run.First + k; backward {
				run.Params[number] = run.Last - k
			}
			switch {
			case calls == (outer+1)/2 && k == 3:
				time.Sleep(60 * time.Millisecond) // longer than from one telling to the next
				if why != nil {
					cancel(why)
				}
			case k > 0:
				continue
			}
			if err := run.Look(); err != nil {
				return err
			}
			if want := int64((calls-1)*inner*each + k/3*inner*each*4/(inner+1)); watched && points.Load() != want {
				t.Errorf("backward %v: after %d repetitions of call %d, %d iterations are told, want %d", backward, k+1, calls, points.Load(), want)
			}
		}
		return nil
	}
	times := func(n int) []plan.Affine { return []plan.Affine{{Const: n}} }
	steps := []sched.Step{{Repeat: &sched.Repeat{Name: "t", Index: number - 2, Lo: times(1), Hi: times(inner), Backward: backward, Sequential: function, Steps: []sched.Step{{}}}}}
	repeats := []int{inner}
	if outer > 1 {
		steps = []sched.Step{{Repeat: &sched.Repeat{Name: "s", Lo: times(1), Hi: times(outer), Steps: steps}}}
		repeats = []int{outer, inner}
	}
	prog := &sched.Program{Nest: grid, Steps: steps, Nests: []*sched.Program{{
		Nest:       &nest,
		Kernel:     kernel.InGo(func([]int, kernel.Fields) kernel.Loops { return &spinner{} }, 0).Paced(1),
		Pace:       1,
		Sequential: func([]int, kernel.Fields) error { t.Error("a nest ran by itself"); return nil },
	}}}
	if prog, err = prog.Choose(""); err != nil {
		t.Fatal(err)
	}
	prog = mustWritten(t, prog, []*plan.Plan{p}, []plan.Options{o})
	var watch sched.Watch
	if watched {
		watch.Points = &points
	}
	sum, err := sched.RunPlans(ctx, prog, []*plan.Plan{p}, sched.NewFields(grid), watch, inproc.Mesh)
	if !errors.Is(err, why) || why != nil && calls != (outer+1)/2 {
		t.Errorf("%v after %d calls, want %v", err, calls, why)
	}
	all := int64(outer * inner * each)
	if why == nil && (calls != outer || sum.Points != all || !slices.Equal(sum.Runs, []int{outer * inner}) || !slices.Equal(sum.Repeats, repeats) || watched && points.Load() != all) {
		t.Errorf("%d calls, %d iterations, %d told, runs %v, repeats %v", calls, sum.Points, points.Load(), sum.Runs, sum.Repeats)
	}
	if why != nil || watched {
		return
	}
	again, err := sched.Planned(prog, []*plan.Plan{p}, watch, inproc.Mesh)
	if err != nil {
		t.Fatal(err)
	}
	again.Bind(sched.NewFields(grid))
	for range 3 {
		calls = 0
		sum, err := again.Run(t.Context())
		if err != nil || sum.Points != all || !slices.Equal(sum.Runs, []int{outer * inner}) || !slices.Equal(sum.Repeats, repeats) {
			t.Errorf("a prepared run: %v, %d iterations, runs %v, repeats %v", err, sum.Points, sum.Runs, sum.Repeats)
		}
	}
}
