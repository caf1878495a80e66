package halo_test

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"testing"

	"loopc/runtime/kernel"
	"loopc/runtime/sched"
	"loopc/runtime/simd"
	"loopc/runtime/transport/inproc"
	"loopc/testdata/emit/diffusion"
	"loopc/testdata/emit/editdistance"
	"loopc/testdata/emit/pipeline"
	"loopc/testdata/emit/seidel"
	"loopc/transform/plan"
)

// An idler is a kernel that computes nothing.
type idler struct{}

func (idler) Bind(*kernel.Block)                          {}
func (idler) Box([]int, []int)                            {}
func (idler) Init(int, []int, int, int, []byte, int, int) {}

// A spender is an idler that allocates memory once in every calls (a field).
type spender struct {
	idler
	every, calls int
	spent        *[64]byte
}

func (s *spender) Box([]int, []int) {
	if s.calls++; s.calls%s.every == 0 {
		s.spent = new([64]byte)
	}
}

// long is a nest over 0 ≤ i < M, i ≤ j < i+N with two distances: a band whose exterior cells
// are filled at every tile, and which returns its last results.
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

// TestTilesAllocateNothing runs a few tiles, and then ten times as many of the same columns,
// and requires the same number of allocations. A kernel that allocates in one tile of four is found.
func TestTilesAllocateNothing(t *testing.T) {
	const columns, few = 4, 30
	prog := &sched.Program{Nest: long, Kernel: kernel.InGo(func([]int, kernel.Fields) kernel.Loops { return idler{} }, 0)}
	for _, o := range []plan.Options{
		{Ranks: 1, CPUs: 1, Map: "i"}, {Ranks: 1, CPUs: 2, Map: "i"}, {Ranks: 2, CPUs: 1, Map: "i"}, {Ranks: 2, CPUs: 1, Map: "i", Comm: plan.Blocking},
		{Ranks: 1, CPUs: 1, Map: "j"}, {Ranks: 2, CPUs: 1, Map: "j"},
	} {
		t.Run(fmt.Sprintf("%s %dx%d %s", o.Map, o.Ranks, o.CPUs, o.Comm), func(t *testing.T) {
			planned := func(tiles int) *plan.Plan {
				params := []int{2 * tiles, 3 * columns}
				o.Tile = []int{2, tiles}
				if o.Map == "j" {
					params = []int{2 * columns, 3 * tiles}
					o.Tile = []int{2, 3}
				}
				p, err := plan.New(long, params, o)
				if err != nil {
					t.Fatal(err)
				}
				return p
			}
			expectNoMore(t, prog, planned(few), planned(10*few))
			wasteful := *prog
			wasteful.Kernel = kernel.InGo(func([]int, kernel.Fields) kernel.Loops { return &spender{every: 4} }, 0)
			if extra := perTile(t, &wasteful, planned(few), planned(10*few)); extra < 4*noAllocation {
				t.Errorf("%.2f allocations per tile of a kernel that allocates in every fourth tile", extra)
			}
		})
	}
}

// TestSlabsAllocateNothing does the same with kernels whose lanes are levels: long tiles of a
// program that loopc emitted, then ten times as many short ones; and in skewed storage.
func TestSlabsAllocateNothing(t *testing.T) {
	for _, c := range []struct {
		prog     *sched.Program
		params   []int
		few, ten [2][]int // tile sides, with the first and with the last dimension mapped
	}{
		{diffusion.Program, []int{200, 200}, [2][]int{{200, 64, 64}, {32, 64, 300}}, [2][]int{{20, 64, 64}, {32, 64, 30}}},
		{seidel.Program, []int{200, 200}, [2][]int{{200, 64, 64}, {32, 64, 300}}, [2][]int{{20, 64, 64}, {32, 64, 30}}},
		{editdistance.Program, []int{1000, 1000}, [2][]int{{1000, 64}, {64, 1000}}, [2][]int{{100, 64}, {64, 100}}},
		{pipeline.Program, []int{200, 20, 200}, [2][]int{{200, 8, 64}, {32, 8, 200}}, [2][]int{{20, 8, 64}, {32, 8, 20}}},
	} {
		chosen, err := c.prog.Choose("")
		if err != nil {
			t.Fatal(err)
		}
		if chosen.Kernel.Name == "portable" {
			if simd.AVX2() {
				t.Errorf("%s has no vector kernel", chosen.Nest.Name)
			}
			continue // then there are no lanes
		}
		prog := *chosen
		dims := prog.Nest.Dims
		for m, along := range []string{dims[0], dims[len(dims)-1]} {
			for _, o := range []plan.Options{{Ranks: 1, CPUs: 1}, {Ranks: 1, CPUs: 2}, {Ranks: 2, CPUs: 1}} {
				t.Run(fmt.Sprintf("%s %s %dx%d", prog.Nest.Name, along, o.Ranks, o.CPUs), func(t *testing.T) {
					planned := func(sides []int) *plan.Plan {
						o.Map, o.Tile = along, sides
						p, err := plan.New(prog.Nest, c.params, o)
						if err != nil {
							t.Fatal(err)
						}
						return p
					}
					expectNoMore(t, &prog, planned(c.few[m]), planned(c.ten[m]))
				})
			}
		}
		if prog.Kernel.Temporal == nil && !prog.Nest.Whole {
			t.Errorf("%s has no lanes", prog.Nest.Name)
		}
	}
}

// expectNoMore requires that tiles do not allocate.
func expectNoMore(t *testing.T, prog *sched.Program, few, many *plan.Plan) {
	t.Helper()
	if extra := perTile(t, prog, few, many); extra > noAllocation {
		t.Errorf("%.2f allocations per tile", extra)
	}
}

// noAllocation is the number of allocations per tile up to which a tile counts as allocating
// nothing: waits allocate now and then.
const noAllocation = 0.05

// perTile runs two plans, the second with many more tiles, and returns the allocations per
// additional tile. Waits allocate more on a busy machine, and a run that begins looks at the
// machine's memory from time to time, with either plan. So each plan counts with its best run; the
// least difference between two runs would subtract such chance allocations.
func perTile(t *testing.T, prog *sched.Program, few, many *plan.Plan) (extra float64) {
	t.Helper()
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // after a collection, what waits allocates again
	const least, most = 3, 30
	var base, full int64
	for try := range most {
		ofFew, tiles := mallocs(t, prog, few)
		ofMany, more := mallocs(t, prog, many)
		if more < 4*tiles {
			t.Fatalf("%d tiles, then %d: not many more", tiles, more)
		}
		if try == 0 {
			base, full = ofFew, ofMany
		}
		base, full = min(base, ofFew), min(full, ofMany)
		extra = float64(full-base) / float64(more-tiles)
		if try+1 >= least && extra <= noAllocation {
			break
		}
	}
	return extra
}

// mallocs runs p and returns the number of allocations, and of tiles.
func mallocs(t *testing.T, prog *sched.Program, p *plan.Plan) (mallocs, tiles int64) {
	t.Helper()
	fields := sched.NewFields(prog.Nest)
	for a := range prog.Nest.Arrays {
		if arr := &prog.Nest.Arrays[a]; arr.Role == plan.In || arr.Role == plan.InOut || arr.Returned() {
			v := viewOf(prog.Nest, p.Params, a)
			fields.Given[a], fields.Result[a] = v, v
		}
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	sum, err := sched.RunPlans(t.Context(), prog, []*plan.Plan{p}, fields, sched.Watch{}, inproc.Mesh)
	if err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	return int64(after.Mallocs - before.Mallocs), sum.Tiles
}
