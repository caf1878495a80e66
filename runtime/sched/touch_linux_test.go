//go:build !race

// The memory of the race detector would count too.

package sched_test

import (
	"os"
	"runtime"
	"syscall"
	"testing"

	"loopc/runtime/array"
	"loopc/runtime/kernel"
	"loopc/runtime/sched"
	"loopc/runtime/transport/inproc"
	"loopc/testdata/lacking"
	"loopc/transform/plan"
)

// faults returns the number of pages that this process got by touching them.
func faults(t *testing.T) int64 {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return u.Minflt
}

// TestTouchedBefore requires that the slots between two CPUs, and the cells that tiles carry
// along their column, are in memory before the workers begin.
func TestTouchedBefore(t *testing.T) {
	const cells = 1 << 17 // of a face, or of what is carried
	least := int64(cells * 8 / os.Getpagesize())
	fresh := make([]byte, 4*cells*8)
	array.Populate(fresh)
	before := faults(t)
	clear(fresh)
	if faults(t)-before > least {
		const lacks = "this kernel has no call that supplies pages, MADV_POPULATE_WRITE of Linux 5.14"
		lacking.Skip(t, lacks)
	}
	for _, along := range []string{"i", "j"} {
		p, err := plan.New(grid, []int{2 * cells, 8}, plan.Options{Map: along, CPUs: 2, Tile: []int{cells, 4}})
		if err != nil {
			t.Fatal(err)
		}
		prog := &sched.Program{Nest: grid, Kernel: kernel.InGo(func([]int, kernel.Fields) kernel.Loops { return &spinner{} }, 0)}
		var began int64
		sum, err := sched.RunPlans(t.Context(), prog, []*plan.Plan{p}, sched.NewFields(grid), sched.Watch{Begin: func() { began = faults(t) }}, inproc.Mesh)
		if err != nil {
			t.Fatal(err)
		}
		if n := faults(t) - began; n >= least/2 || sum.Tiles != 4 {
			t.Errorf("tiles along %s: workers had %d page faults while they computed %d tiles, where a slot has %d pages", along, n, sum.Tiles, least)
		}
	}
	runtime.KeepAlive(fresh) // or slots would lie there
}
