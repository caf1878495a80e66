//go:build !race

// The memory of the race detector would count too.

package sched_test

import (
	"os"
	"runtime"
	"syscall"
	"testing"

	"loopc/runtime/array"
	"loopc/runtime/halo"
	"loopc/runtime/sched"
	"loopc/runtime/transport/inproc"
	"loopc/transform/plan"
)

// faults are the pages that this process was given so far because it touched them.
func faults(t *testing.T) int64 {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return u.Minflt
}

// TestTouchedBefore requires that the slots between two CPUs are in memory when the
// workers begin.
func TestTouchedBefore(t *testing.T) {
	const cells = 1 << 17 // of a face
	p, err := plan.New(grid, []int{3 * cells, 8}, plan.Options{Map: "i", CPUs: 2, Tile: []int{cells, 4}})
	if err != nil {
		t.Fatal(err)
	}
	if p.Mesh[1] != 2 {
		t.Fatalf("the CPUs are %v", p.Mesh)
	}
	prog := &sched.Program{Nest: grid, Kernel: func([]int, halo.Fields) halo.Kernel { return &spinner{} }}
	least := int64(cells * 8 / os.Getpagesize()) // of one slot
	fresh := make([]byte, 4*cells*8)
	array.Populate(fresh)
	before := faults(t)
	clear(fresh)
	if faults(t)-before > least {
		t.Skip("this kernel has no call that supplies pages, MADV_POPULATE_WRITE of Linux 5.14")
	}
	var began int64
	if _, err := sched.RunPlan(t.Context(), prog, p, sched.NewFields(grid), sched.Watch{Begin: func() { began = faults(t) }}, inproc.Mesh); err != nil {
		t.Fatal(err)
	}
	runtime.KeepAlive(fresh) // or slots would lie there
	if n := faults(t) - began; n >= least/2 {
		t.Errorf("workers had %d page faults while they computed, where a slot has %d pages", n, least)
	}
}
