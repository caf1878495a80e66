package sched_test

import (
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"loopc/runtime/array"
	"loopc/runtime/kernel"
	"loopc/runtime/sched"
	"loopc/runtime/transport/inproc"
	"loopc/testdata/emit/diffusion"
	"loopc/testdata/lacking"
	"loopc/transform/plan"
	"loopc/transform/plan/cost"
	"loopc/transform/plan/search"
)

// TestMemoryIsAllocated compares the memory that Memory predicts for a rank, including buffers of
// lanes, with the memory that a run allocates, for plans and kernels of all kinds.
func TestMemoryIsAllocated(t *testing.T) {
	const n, steps = 300, 24
	params := []int{steps, n}
	names := []string{"portable"}
	for _, v := range diffusion.Program.Versions {
		if _, err := diffusion.Program.Choose(v.Name); err == nil { // the processor has it
			names = append(names, v.Name)
		}
	}
	for _, name := range names {
		prog, err := diffusion.Program.Choose(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range []plan.Options{
			{Tile: []int{steps, 64, 330}, Map: "i"},
			{Tile: []int{steps, 32, 80}, Map: "i", Assign: plan.Cluster},
			{Tile: []int{steps, 32, 80}, Map: "i", Assign: plan.Cyclic},
			{Tile: []int{8, 40, 64}, Map: "j", Assign: plan.Cyclic},
			{Tile: []int{8, 330, 330}, Map: "t"},
			{Tile: []int{steps, 32, 40}, Map: "i", CPUs: 2, Assign: plan.Cluster},
		} {
			o.Ranks = 1
			p, err := plan.New(prog.Nest, params, o)
			if err != nil {
				t.Fatal(err)
			}
			fields := sched.NewFields(prog.Nest)
			if fields.Given[0], err = array.Make("float64", []int{0, 0}, []int{n + 1, n + 1}); err != nil {
				t.Fatal(err)
			}
			if fields.Result[1], err = array.Make("float64", []int{0, 0}, []int{n + 1, n + 1}); err != nil {
				t.Fatal(err)
			}
			runtime.GC() // the second time, it frees the memory of the runs before
			runtime.GC()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			if _, err := sched.RunPlans(t.Context(), prog, []*plan.Plan{p}, fields, sched.Watch{}, inproc.Mesh); err != nil {
				t.Fatal(err)
			}
			runtime.ReadMemStats(&after)
			got, want := int64(after.TotalAlloc-before.TotalAlloc), sched.Memory(prog, p, 0)
			// In addition: descriptions of columns, faces and slots.
			beside := int64(1<<18 + p.Columns()<<14)
			if got < want-want/50 || got > want+want/20+beside {
				t.Errorf("kernel %s: %d bytes are allocated, and %d are counted, for\n%s", prog.Kernel.Name, got, want, p)
			}
		}
	}
}

// TestMemorySaturates has plans that need more bytes than can be counted, and requires that no
// sum wraps around: for a rank, and for ranks whose bytes would add up to 0 modulo 2^64.
func TestMemorySaturates(t *testing.T) {
	const ranks = 16
	if sched.MemoryLimit() == 0 {
		lacking.Skip(t, "the memory of this machine cannot be known")
	}
	cube := *grid
	cube.Dims, cube.Skew = []string{"i", "j", "k"}, [][]int{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}
	cube.Space = append(slices.Clone(grid.Space), plan.Affine{Iters: []int{0, 0, 1}}, plan.Affine{Const: -1, Params: []int{0, 1}, Iters: []int{0, 0, -1}})
	cube.Values = []plan.Value{{Name: "A", Flow: [][]int{{0, 0, 1}, {0, 1, 0}, {1, 0, 0}}}}
	prog := &sched.Program{Nest: &cube, Kernel: kernel.InGo(func([]int, kernel.Fields) kernel.Loops { panic("a kernel was made") }, 0)}
	for _, n := range []int{1 << 34, 1<<34 + 1<<33} {
		params := []int{4, n}
		p, err := plan.New(&cube, params, plan.Options{Ranks: ranks, Tile: []int{4, 1 << 17, n}, Map: "i", Assign: plan.Cluster})
		if err != nil {
			t.Fatalf("%d: %v", n, err)
		}
		for rank := range ranks {
			if got := sched.Memory(prog, p, rank); got != plan.MostBytes {
				t.Errorf("%d: rank %d needs %d bytes, not %d", n, rank, got, int64(plan.MostBytes))
			}
		}
		store := func(int) sched.Store { panic("a run began") }
		_, err = sched.RunStores(t.Context(), prog, []*plan.Plan{p}, store, sched.Watch{}, inproc.Mesh)
		if err == nil || !strings.Contains(err.Error(), "MiB for their tiles") {
			t.Errorf("%d: ranks that need %d times %d bytes: %v", n, ranks, int64(plan.MostBytes), err)
		}
	}
}

// TestChooseFrugal plans a run whose fastest plans, as predicted, keep entire columns of faces,
// and requires that ranks need at most 1.2 times their share of any run: beyond, time and
// memory are weighed against each other.
func TestChooseFrugal(t *testing.T) {
	params := []int{1000, 4000}
	prog, err := diffusion.Program.Choose("")
	if err != nil {
		t.Fatal(err)
	}
	m := cost.DefaultMachine()
	if prog.Kernel.Name != kernel.Portable { // with the race detector there are no vectors
		m = prog.Costs(params, m)
	}
	faster := 0
	for _, ranks := range []int{1, 2, 4} {
		link := cost.LinkTCP
		if ranks == 1 {
			link = cost.LinkInproc
		}
		p, list, err := search.Choose(t.Context(), prog.Nest, params, plan.Options{Ranks: ranks, CPUs: 1}, m, link)
		if err != nil {
			t.Fatal(err)
		}
		// u0 and u, and two levels, of float64.
		if share := int64(8 * (4002*4002 + 4002*4002 + 2*4000*4000) / ranks); cost.Share(p) != share {
			t.Errorf("%d ranks: the share of each is %d bytes, not %d", ranks, cost.Share(p), share)
		}
		for rank, needs := range cost.Memories(p) {
			if needs != cost.MemoryOf(p, rank, math.MaxInt64) {
				t.Errorf("%d ranks: rank %d needs %+v, or %+v", ranks, rank, needs, cost.MemoryOf(p, rank, math.MaxInt64))
			}
			if needs.Total() > cost.Share(p)*6/5 {
				t.Errorf("%d ranks: rank %d needs %d bytes, and its share is %d", ranks, rank, needs.Total(), cost.Share(p))
			}
		}
		var chosen search.Alternative
		for _, a := range list {
			if a.Chosen {
				chosen = a
			}
		}
		for _, a := range list {
			if a.Seconds < 0.99*chosen.Seconds && a.Memory > cost.Share(p)*6/5 {
				faster++
			}
		}
	}
	if faster == 0 {
		t.Error("no plan is faster than those chosen, and needs more memory: nothing was tested")
	}
}
