package sched_test

import (
	"encoding/binary"
	"testing"

	"loopc/runtime/array"
	"loopc/runtime/kernel"
	"loopc/runtime/sched"
	"loopc/runtime/transport/inproc"
	"loopc/transform/plan"
)

// beginner are loops that compute nothing, and give a cell its index plus a thousand as initial content. They count
// the cells by level.
type beginner struct {
	none
	cells map[int]int
}

// none are loops without iterations.
type none struct{}

func (none) Bind(*kernel.Block) {}
func (none) Box(lo, hi []int)   {}

func (b *beginner) Init(_ int, cell []int, dim, n int, dst []byte, at, stride int) {
	for k := range n {
		x := cell[1]
		if dim == 1 {
			x += k
		}
		b.cells[cell[0]]++
		binary.NativeEndian.PutUint64(dst[8*(at+k*stride):], uint64(1000+x))
	}
}

// A result is copied from the slot of its level, with the cells that no iteration writes, and gets no initial content besides.
// If no iterations have its level, it gets it.
func TestRotatedResult(t *testing.T) {
	t.Setenv(sched.KernelVariable, "")
	const levels, columns = 5, 4000
	end := plan.Affine{Params: []int{1}}
	columnsEnd := plan.Affine{Const: 1, Params: []int{0, 1}}
	within := []plan.Affine{{Const: -1, Iters: []int{1}}, {Params: []int{1}, Iters: []int{-1}}, {Const: -1, Iters: []int{0, 1}}, {Params: []int{0, 1}, Iters: []int{0, -1}}}
	for _, given := range []int{levels, 0} {
		nest := &plan.Nest{
			Name: "levels", Params: []string{"T", "N"}, Dims: []string{"t", "i"}, Skew: [][]int{{1, 0}, {0, 1}}, Digest: "levels", Space: within,
			Arrays: []plan.Array{{
				Name: "u", Elem: "int64", Size: 8, Role: plan.Internal, Initial: plan.Computed, InitIgnores: []int{0},
				Lo: []plan.Affine{{}, {}}, Hi: []plan.Affine{end, columnsEnd}, Slice: []*plan.Affine{{Const: given}, nil},
			}},
			Values: []plan.Value{{Name: "u", Flow: [][]int{{1, 0}}, Cell: []plan.Affine{{Iters: []int{1}}, {Iters: []int{0, 1}}}, Written: within}},
		}
		p, err := plan.New(nest, []int{levels, columns}, plan.Options{Ranks: 1, CPUs: 1})
		if err != nil {
			t.Fatal(err)
		}
		loops := &beginner{cells: map[int]int{}}
		prog := &sched.Program{
			Nest: nest, Kernel: kernel.InGo(func([]int, kernel.Fields) kernel.Loops { return loops }, 0).Paced(1), Pace: 100, InArrays: true, WrittenOnce: []int{0},
			Versions: []kernel.Version{{Name: "avx2", Usable: func() bool { return true }, New: func([]int, kernel.Fields) kernel.Kernel { return kernel.Kernel{Loops: loops} }, Traits: kernel.Traits{Cycles: 0.01}}},
		}
		prog = mustWritten(t, prog, []*plan.Plan{p}, []plan.Options{{Ranks: 1, CPUs: 1}})
		if prog.KernelName(0) != "avx2"+kernel.InArrays {
			t.Fatalf("kernel %s", prog.KernelName(0))
		}
		fields := sched.NewFields(nest)
		if fields.Result[0], err = array.Make("int64", []int{0}, []int{columns + 1}); err != nil {
			t.Fatal(err)
		}
		if _, err := sched.RunPlans(t.Context(), prog, []*plan.Plan{p}, fields, sched.Watch{}, inproc.Mesh); err != nil {
			t.Fatal(err)
		}
		for _, i := range []int{0, columns + 1} {
			if x := array.Cells[int64](fields.Result[0])[i]; x != int64(1000+i) {
				t.Errorf("given level %d: cell %d is %d", given, i, x)
			}
		}
		if n := loops.cells[levels]; given == levels && n > 0 {
			t.Errorf("%d cells of the last level get initial content, which slots keep", n)
		}
	}
}

// prober are loops that compute nothing. They count reads at some distances, and those whose cells are not in the memory of the block.
type prober struct {
	beginner
	block          *kernel.Block
	back           [][]int // distances
	reads, outside int
}

func (p *prober) Bind(block *kernel.Block) { p.block = block }

func (p *prober) Box(lo, hi []int) {
	cells := len(p.block.Data[0]) / 8
	for level := lo[0]; level <= hi[0]; level++ {
		slope := level - lo[0] // a box of several levels has the columns of its first one
		for x := lo[1] + slope; x <= hi[1]+slope; x++ {
			for _, d := range p.back {
				if at := p.block.Row0(0, level-d[0]) + (x-d[1])*p.block.Stride(1); at < 0 || at >= cells {
					p.outside++
				}
				p.reads++
			}
		}
	}
}

// Vectors may load what guards keep iterations from: slots have memory for all cells at the distances of reads from iterations, also beyond
// the bounds of the array.
func TestRotatedBeside(t *testing.T) {
	t.Setenv(sched.KernelVariable, "")
	const levels = 40
	within := []plan.Affine{{Const: -1, Iters: []int{1}}, {Params: []int{1}, Iters: []int{-1}}, {Iters: []int{-1, 1}}, {Const: -1, Params: []int{0, 1}, Iters: []int{1, -1}}}
	for _, columns := range []int{1, 2, 8, 100, 3000} {
		back := [][]int{{1, 0}, {1, 1}, {1, 4}} // of columns: 1 forward, none, and 3 back
		nest := &plan.Nest{
			Name: "levels", Params: []string{"T", "N"}, Dims: []string{"t", "i"}, Skew: [][]int{{1, 0}, {1, 1}}, Digest: "levels", Space: within,
			Arrays: []plan.Array{{
				Name: "u", Elem: "int64", Size: 8, Role: plan.Internal,
				Lo: []plan.Affine{{Const: 1}, {}}, Hi: []plan.Affine{{Params: []int{1}}, {Const: -1, Params: []int{0, 1}}}, Slice: []*plan.Affine{{Params: []int{1}}, nil},
			}},
			Values: []plan.Value{{Name: "u", Flow: back, Cell: []plan.Affine{{Iters: []int{1}}, {Iters: []int{-1, 1}}}, Written: within}},
		}
		p, err := plan.New(nest, []int{levels, columns}, plan.Options{Ranks: 1, CPUs: 1})
		if err != nil {
			t.Fatal(err)
		}
		loops := &prober{back: back}
		prog := &sched.Program{
			Nest: nest, Kernel: kernel.InGo(func([]int, kernel.Fields) kernel.Loops { return loops }, 0).Paced(1), Pace: 100, InArrays: true,
			Versions: []kernel.Version{{Name: "avx2", Usable: func() bool { return true }, New: func([]int, kernel.Fields) kernel.Kernel { return kernel.Kernel{Loops: loops} }, Traits: kernel.Traits{Cycles: 0.01}}},
		}
		prog = mustWritten(t, prog, []*plan.Plan{p}, []plan.Options{{Ranks: 1, CPUs: 1}})
		if prog.KernelName(0) != "avx2"+kernel.InArrays {
			t.Fatalf("kernel %s", prog.KernelName(0))
		}
		fields := sched.NewFields(nest)
		if fields.Result[0], err = array.Make("int64", []int{0}, []int{columns - 1}); err != nil {
			t.Fatal(err)
		}
		if _, err := sched.RunPlans(t.Context(), prog, []*plan.Plan{p}, fields, sched.Watch{}, inproc.Mesh); err != nil {
			t.Fatal(err)
		}
		if loops.outside > 0 || loops.reads != levels*columns*len(back) {
			t.Errorf("%d columns: %d of %d reads are outside of the memory", columns, loops.outside, loops.reads)
		}
	}
}
