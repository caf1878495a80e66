package halo_test

import (
	"fmt"
	"runtime"
	"testing"

	"loopc/runtime/halo"
	"loopc/runtime/sched"
	"loopc/runtime/transport/inproc"
	"loopc/transform/plan"
)

// An idler is a kernel that computes nothing.
type idler struct{}

func (idler) Bind(*halo.Block)                            {}
func (idler) Box([]int, []int)                            {}
func (idler) Init(int, []int, int, int, []byte, int, int) {}

// long is a nest over 0 ≤ i < M, i ≤ j < i+N with two distances, a band whose
// edges are filled at every tile, and whose last results are given back.
var long = &plan.Nest{
	Name: "long", Params: []string{"M", "N"}, Dims: []string{"i", "j"}, Skew: [][]int{{1, 0}, {1, 1}}, Digest: "long",
	Space: []plan.Affine{
		{Iters: []int{1}}, {Const: -1, Params: []int{1}, Iters: []int{-1}},
		{Iters: []int{-1, 1}}, {Const: -1, Params: []int{0, 1}, Iters: []int{1, -1}},
	},
	Arrays: []plan.Array{{Name: "A", Elem: "float64", Size: 8, Role: plan.Out, Initial: plan.Computed,
		Lo: []plan.Affine{{Const: -9}}, Hi: []plan.Affine{{Const: 9, Params: []int{0, 1}}}}},
	Values: []plan.Value{{
		Name: "A", Flow: [][]int{{1, 0}, {1, 1}, {1, 2}}, Need: [][]int{{1, 0}, {1, 1}, {1, 2}},
		Cell: []plan.Affine{{Iters: []int{-1, 1}}}, Overwrites: [][]int{{1, 1}},
	}},
}

// TestTilesAllocateNothing runs few tiles and then ten times as many of the same
// columns, and requires that the number of allocations stays.
func TestTilesAllocateNothing(t *testing.T) {
	const columns, few = 4, 30
	for _, o := range []plan.Options{
		{Ranks: 1, CPUs: 1, Map: "i"}, {Ranks: 1, CPUs: 2, Map: "i"}, {Ranks: 2, CPUs: 1, Map: "i"}, {Ranks: 2, CPUs: 1, Map: "i", Comm: plan.Blocking},
		{Ranks: 1, CPUs: 1, Map: "j"}, {Ranks: 2, CPUs: 1, Map: "j"},
	} {
		t.Run(fmt.Sprintf("%s %dx%d %s", o.Map, o.Ranks, o.CPUs, o.Comm), func(t *testing.T) {
			mallocs := func(tiles int) (int64, int64) {
				params := []int{2 * tiles, 3 * columns}
				o.Tile = []int{2, tiles}
				if o.Map == "j" {
					params = []int{2 * columns, 3 * tiles}
					o.Tile = []int{2, 3}
				}
				prog := &sched.Program{Nest: long, Kernel: func([]int, halo.Fields) halo.Kernel { return idler{} }}
				p, err := plan.New(long, params, o)
				if err != nil {
					t.Fatal(err)
				}
				var cells []float64
				fields := sched.NewFields(long)
				if err := sched.Take(&fields, long, params, 0, &cells); err != nil {
					t.Fatal(err)
				}
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				sum, err := sched.RunPlan(t.Context(), prog, p, fields, sched.Watch{}, inproc.Mesh)
				if err != nil {
					t.Fatal(err)
				}
				runtime.ReadMemStats(&after)
				return int64(after.Mallocs - before.Mallocs), sum.Tiles
			}
			base, tiles := mallocs(few)
			most, more := mallocs(10 * few)
			if more < 5*tiles {
				t.Fatalf("%d tiles, then %d: not many more", tiles, more)
			}
			if extra := float64(most-base) / float64(more-tiles); extra > 0.05 {
				t.Errorf("%d tiles allocate %d times, %d tiles %d times: %.2f per tile", tiles, base, more, most, extra)
			}
		})
	}
}
