package sched_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"loopc/runtime/array"
	"loopc/runtime/kernel"
	"loopc/runtime/sched"
	"loopc/runtime/transport/inproc"
	"loopc/transform/plan"
)

// boxes are loops that count how often each cell is visited, and call each with the number of
// boxes so far.
type boxes struct {
	block *kernel.Block
	calls int
	cells []int // visits, by position
	each  func(calls int)
}

func (b *boxes) Bind(block *kernel.Block)                    { b.block = block }
func (b *boxes) Init(int, []int, int, int, []byte, int, int) {}

func (b *boxes) Box(lo, hi []int) {
	for i := lo[0]; i <= hi[0]; i++ {
		for j := lo[1]; j <= hi[1]; j++ {
			b.cells[b.block.Row0(0, i)+j]++
		}
	}
	b.calls++
	b.each(b.calls)
}

// CPUs that share the iterations of a run on entire arrays compute each once, those with the same coordinate on one CPU.
func TestInArraysShared(t *testing.T) {
	t.Setenv(sched.KernelVariable, "")
	for x := range 2 {
		const rows, columns = 300, 401
		nest, view := arrayNest(t, rows, columns)
		p, err := plan.New(nest, []int{rows, columns}, plan.Options{Ranks: 1, CPUs: 3, Mesh: []int{1, 3}})
		if err != nil {
			t.Fatal(err)
		}
		var all []*boxes
		var mu sync.Mutex
		version := kernel.Version{Name: "avx2", Usable: func() bool { return true }, Traits: kernel.Traits{Cycles: 3}, New: func([]int, kernel.Fields) kernel.Kernel {
			mu.Lock()
			defer mu.Unlock()
			all = append(all, &boxes{cells: make([]int, view.Cells()), each: func(int) {}})
			return kernel.Kernel{Loops: all[len(all)-1], Levels: true}
		}}
		prog := &sched.Program{
			Nest: nest, Kernel: kernel.InGo(func([]int, kernel.Fields) kernel.Loops { return &spinner{} }, 0).Paced(1),
			Pace: 100, InArrays: true, Apart: []int{x}, Versions: []kernel.Version{version},
		}
		prog = mustWritten(t, prog, []*plan.Plan{p}, []plan.Options{{CPUs: 3}})
		if prog.KernelName(0) != "avx2"+kernel.InArrays {
			t.Fatalf("kernel %s", prog.KernelName(0))
		}
		fields := sched.NewFields(nest)
		fields.Given[0], fields.Result[0] = view, view
		if _, err := sched.RunPlans(t.Context(), prog, []*plan.Plan{p}, fields, sched.Watch{}, inproc.Mesh); err != nil || len(all) != 3 {
			t.Fatalf("%s: %v, %d kernels", prog.KernelName(0), err, len(all))
		}
		by := map[int]int{} // the CPU, by coordinate
		for at := range all[0].cells {
			i, j := at/(columns+4)-2, at%(columns+4)-2
			n := 0
			for k, b := range all {
				if n += b.cells[at]; b.cells[at] > 0 {
					c := []int{i, j}[x]
					if before, seen := by[c]; seen && before != k {
						t.Fatalf("x %d (%d, %d) count %d: coordinate %d is on CPUs %d and %d", x, i, j, b.cells[at], c, before, k)
					}
					by[c] = k
				}
			}
			if inside := i >= 0 && i < rows && j >= 0 && j < columns; (n == 1) != inside || n > 1 {
				t.Fatalf("iteration (%d, %d) is computed %d times", i, j, n)
			}
		}
	}
}

// arrayNest is a nest whose results lie in a larger array, and that array.
func arrayNest(t *testing.T, rows, columns int) (*plan.Nest, array.View) {
	t.Helper()
	nest := *grid
	hi := func(p int) plan.Affine {
		f := plan.Affine{Const: 1, Params: make([]int, p+1)}
		f.Params[p] = 1
		return f
	}
	nest.Arrays = []plan.Array{{Name: "A", Elem: "float64", Size: 8, Role: plan.InOut, Initial: plan.Given, Lo: []plan.Affine{{Const: -1}, {Const: -2}}, Hi: []plan.Affine{hi(0), hi(1)}}}
	nest.Values = slices.Clone(grid.Values)
	nest.Values[0].Cell = []plan.Affine{{Const: 1, Iters: []int{1}}, {Iters: []int{0, 1}}}
	view, err := array.Make("float64", []int{-1, -2}, []int{rows + 1, columns + 1})
	if err != nil {
		t.Fatal(err)
	}
	return &nest, view
}

// A long run on entire arrays computes each iteration once, in the cell of its result, and ends with its context
// after a number of iterations that does not depend on the size of the nest.
func TestInArrays(t *testing.T) {
	t.Setenv(sched.KernelVariable, "")
	const rows, columns = 2000, 60
	nest, view := arrayNest(t, rows, columns)
	size := []int{rows, columns}
	p, err := plan.New(nest, size, plan.Options{Ranks: 1, CPUs: 1})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("enough")
	for _, c := range []struct {
		each func(int)
		want error
	}{{func(int) {}, nil}, {func(calls int) {
		if calls == 1 {
			cancel(why)
		}
	}, why}} {
		loops := &boxes{cells: make([]int, view.Cells()), each: c.each}
		prog := &sched.Program{
			Nest: nest, Kernel: kernel.InGo(func([]int, kernel.Fields) kernel.Loops { return loops }, 0).Paced(1),
			Sequential: func([]int, kernel.Fields) error { t.Error("the loops ran in Go"); return nil },
			Pace:       100, InArrays: true,
			Versions: []kernel.Version{{Name: "avx2", Usable: func() bool { return true }, New: func([]int, kernel.Fields) kernel.Kernel { return kernel.Kernel{Loops: loops, Levels: true} }, Traits: kernel.Traits{Cycles: 0.01}}},
		}
		if prog, err = prog.Choose(""); err != nil {
			t.Fatal(err)
		}
		prog = prog.AsWritten([]*plan.Plan{p}, 1, 1)
		fields := sched.NewFields(nest)
		fields.Given[0], fields.Result[0] = view, view
		var points atomic.Int64
		_, err := sched.RunPlans(ctx, prog, []*plan.Plan{p}, fields, sched.Watch{Points: &points}, inproc.Mesh)
		if !errors.Is(err, c.want) || prog.KernelName(0) != "avx2"+kernel.InArrays {
			t.Errorf("kernel %s: %v, not %v", prog.KernelName(0), err, c.want)
		}
		if c.want != nil {
			if loops.calls > 1 {
				t.Errorf("%d boxes after the end", loops.calls-1)
			}
			continue
		}
		if loops.calls < 2 {
			t.Errorf("one box only")
		}
		if points.Load() != rows*columns {
			t.Errorf("progress is told of %d iterations", points.Load())
		}
		for at, n := range loops.cells {
			i, j := at/(columns+4)-2, at%(columns+4)-2 // iteration
			if inside := i >= 0 && i < rows && j >= 0 && j < columns; (n == 1) != inside || n > 1 {
				t.Fatalf("iteration (%d, %d) is computed %d times", i, j, n)
			}
		}
	}
}

// recorder are loops that keep the boxes that they are called for.
type recorder struct{ boxes [][2][]int }

func (r *recorder) Bind(*kernel.Block)                          {}
func (r *recorder) Init(int, []int, int, int, []byte, int, int) {}
func (r *recorder) Box(lo, hi []int) {
	r.boxes = append(r.boxes, [2][]int{slices.Clone(lo), slices.Clone(hi)})
}

// A run on entire arrays computes rows that all levels read again block by block, if levels may be computed in any order.
func TestInArraysBlocks(t *testing.T) {
	t.Setenv(sched.KernelVariable, "")
	const levels, rows, columns = 3, 200, 300
	iter := func(x int) plan.Affine { return plan.Affine{Iters: append(make([]int, x), 1)} }
	last := func(x int) plan.Affine { return plan.Affine{Const: -1, Params: append(make([]int, x), 1)} }
	within := func(x int) plan.Affine {
		f := last(x)
		f.Iters = append(make([]int, x), -1)
		return f
	}
	nest := &plan.Nest{
		Name: "product", Params: []string{"M", "K", "N"}, Dims: []string{"i", "k", "j"}, Skew: [][]int{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, Digest: "product",
		Space: []plan.Affine{iter(0), within(0), iter(1), within(1), iter(2), within(2)},
		Arrays: []plan.Array{
			{Name: "C", Elem: "float64", Size: 8, Role: plan.InOut, Initial: plan.Given, Lo: []plan.Affine{{}, {}}, Hi: []plan.Affine{last(0), last(2)}},
			{Name: "B", Elem: "float64", Size: 8, Role: plan.In, Lo: []plan.Affine{{}, {}}, Hi: []plan.Affine{last(1), last(2)}},
		},
		Values: []plan.Value{{Name: "C", Flow: [][]int{{0, 1, 0}}, Cell: []plan.Affine{iter(0), iter(2)}}},
		Listed: true, Reads: []plan.Access{{Array: 1, Subs: []plan.Affine{iter(1), iter(2)}}},
	}
	p, err := plan.New(nest, []int{levels, rows, columns}, plan.Options{Ranks: 1, CPUs: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, apart := range [][]int{{2}, {0, 2}} {
		loops := &recorder{}
		prog := &sched.Program{
			Nest: nest, Kernel: kernel.InGo(func([]int, kernel.Fields) kernel.Loops { return loops }, 0).Paced(1), Pace: 100, InArrays: true, Apart: apart,
			Versions: []kernel.Version{{Name: "avx2", Usable: func() bool { return true }, New: func([]int, kernel.Fields) kernel.Kernel { return kernel.Kernel{Loops: loops} }, Traits: kernel.Traits{Cycles: 0.01}}},
		}
		prog = mustWritten(t, prog, []*plan.Plan{p}, []plan.Options{{Ranks: 1, CPUs: 1}})
		fields := sched.NewFields(nest)
		for a, lo := range []int{levels, rows} {
			if fields.Given[a], err = array.Make("float64", []int{0, 0}, []int{lo - 1, columns - 1}); err != nil {
				t.Fatal(err)
			}
		}
		fields.Result[0] = fields.Given[0]
		if _, err := sched.RunPlans(t.Context(), prog, []*plan.Plan{p}, fields, sched.Watch{}, inproc.Mesh); err != nil {
			t.Fatal(err)
		}
		next := [levels]int{} // the first row that is to be computed
		for _, b := range loops.boxes {
			for i := b[0][0]; i <= b[1][0]; i++ {
				if next[i] != b[0][1] || b[0][2] != 0 || b[1][2] != columns-1 {
					t.Fatalf("box %v follows row %d", b, next[i])
				}
				next[i] = b[1][1] + 1
			}
			if several := len(apart) > 1; several != (b[1][1]-b[0][1] < rows-1) {
				t.Errorf("apart %v: box %v", apart, b)
			}
		}
		if next != [levels]int{rows, rows, rows} {
			t.Errorf("apart %v: levels end at rows %v", apart, next)
		}
	}
}
