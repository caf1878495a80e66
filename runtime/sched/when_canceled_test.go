package sched_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"loopc/ir/irtest"
	"loopc/runtime/kernel"
	"loopc/runtime/sched"
	"loopc/runtime/transport/inproc"
	"loopc/transform/plan"
)

// TestCanceledManyRanks is the last test of the package, because it leaves a large heap, in
// which other tests would count page faults. It requires that a run of 10^5 ranks ends soon
// after it is canceled: at once while it plans and adds up memory; while all ranks compute, as
// soon as each has noticed.
func TestCanceledManyRanks(t *testing.T) {
	cause := errors.New("enough")
	prog := &sched.Program{Nest: grid, Kernel: kernel.InGo(func([]int, kernel.Fields) kernel.Loops { return sleeper{} }, 0)}
	for _, c := range []struct{ after, late time.Duration }{
		{0, 500 * time.Millisecond}, {time.Millisecond, 500 * time.Millisecond}, {30 * time.Millisecond, 500 * time.Millisecond},
		{500 * time.Millisecond, 5 * time.Second}, {2 * time.Second, 5 * time.Second},
	}[:irtest.OfAll(5, 4)] {
		ctx, cancel := context.WithTimeoutCause(t.Context(), c.after, cause)
		began := time.Now()
		_, err := sched.Run(ctx, prog, []int{100, 400_000}, sched.NewFields(grid), sched.Options{Options: plan.Options{Ranks: 100_000, CPUs: 1, Map: "i"}}, inproc.Mesh)
		late := time.Since(began) - c.after
		cancel()
		t.Logf("canceled after %v, returned %v later", c.after, late.Round(time.Microsecond))
		if !errors.Is(err, cause) || late > c.late {
			t.Errorf("canceled after %v, returned %v later: %v", c.after, late, err)
		}
	}
}
