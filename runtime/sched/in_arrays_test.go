package sched_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"loopc/runtime/array"
	"loopc/runtime/kernel"
	"loopc/runtime/sched"
	"loopc/runtime/transport/inproc"
	"loopc/transform/plan"
)

// boxes are loops that count, and call each with what they have counted.
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

// A run on entire arrays computes each iteration once, in the cell of its result, and ends with its context
// after a number of iterations that does not depend on the size of the nest.
func TestInArrays(t *testing.T) {
	t.Setenv(sched.KernelVariable, "")
	const rows, columns = 2000, 60
	nest := *grid
	hi := func(p int) plan.Affine {
		f := plan.Affine{Const: 1, Params: make([]int, p+1)}
		f.Params[p] = 1
		return f
	}
	nest.Arrays = []plan.Array{{Name: "A", Elem: "float64", Size: 8, Role: plan.InOut, Initial: plan.Given, Lo: []plan.Affine{{Const: -1}, {Const: -2}}, Hi: []plan.Affine{hi(0), hi(1)}}}
	nest.Values = slices.Clone(grid.Values)
	nest.Values[0].Cell = []plan.Affine{{Const: 1, Iters: []int{1}}, {Iters: []int{0, 1}}}
	size := []int{rows, columns}
	p, err := plan.New(&nest, size, plan.Options{Ranks: 1, CPUs: 1})
	if err != nil {
		t.Fatal(err)
	}
	view, err := array.Make("float64", []int{-1, -2}, []int{rows + 1, columns + 1})
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
			Nest: &nest, Kernel: kernel.InGo(func([]int, kernel.Fields) kernel.Loops { return loops }, 0).Paced(1),
			Sequential: func([]int, kernel.Fields) error { t.Error("the loops ran in Go"); return nil },
			Pace:       100, InArrays: true,
			Versions: []kernel.Version{{Name: "avx2", Usable: func() bool { return true }, New: func([]int, kernel.Fields) kernel.Kernel { return kernel.Kernel{Loops: loops} }, Traits: kernel.Traits{Cycles: 0.01}}},
		}
		prog = prog.Written([]*plan.Plan{p}, []plan.Options{{Ranks: 1, CPUs: 1}}, nil)
		fields := sched.NewFields(&nest)
		fields.Given[0], fields.Result[0] = view, view
		_, err := sched.RunPlans(ctx, prog, []*plan.Plan{p}, fields, sched.Watch{}, inproc.Mesh)
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
		for at, n := range loops.cells {
			i, j := at/(columns+4)-2, at%(columns+4)-2 // iteration
			if inside := i >= 0 && i < rows && j >= 0 && j < columns; (n == 1) != inside || n > 1 {
				t.Fatalf("iteration (%d, %d) is computed %d times", i, j, n)
			}
		}
	}
}
