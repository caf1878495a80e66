package halo

import (
	"context"
	"errors"
	"slices"
	"testing"

	"loopc/runtime/array"
	"loopc/runtime/kernel"
	"loopc/transform/plan"
)

// numbered are loops whose initial content tells the cell. They panic at bad cells.
type numbered struct {
	kernel.Loops
	bad [][]int
}

func (l numbered) Init(_ int, cell []int, dim, n int, dst []byte, at, stride int) {
	for k := range n {
		c := slices.Clone(cell)
		if dim >= 0 {
			c[dim] += k
		}
		if slices.ContainsFunc(l.bad, func(b []int) bool { return slices.Equal(b, c) }) {
			panic(c)
		}
		dst[at+k*stride] += byte(1 + 7*c[0] + 3*c[1])
	}
}

// fillCells fills the unwritten cells in the rows from begin on and before end.
func fillCells(t *testing.T, p *plan.Plan, loops kernel.Loops, fields kernel.Fields, begin, end int) {
	t.Helper()
	if err := NewUnwritten(p, loops, fields, 0).Fill(context.Background(), begin, end); err != nil {
		t.Error(err)
	}
}

// TestUnwritten fills the cells around written ones, each once, and around a triangle. Content
// without a value fails in the order of cells.
func TestUnwritten(t *testing.T) {
	const n = 9
	bound := func(c, i, j int) plan.Affine { return plan.Affine{Const: c, Iters: []int{i, j}} }
	box := []plan.Affine{bound(-2, 1, 0), bound(6, -1, 0), bound(-1, 0, 1), bound(7, 0, -1)} // 2 ≤ i ≤ 6, 1 ≤ j ≤ 7
	for name, written := range map[string][]plan.Affine{
		"box":      box,
		"triangle": append(slices.Clone(box), bound(0, 1, -1)), // j ≤ i
		"nothing":  {bound(-1, 0, 0)},
	} {
		p := &plan.Plan{Nest: &plan.Nest{
			Arrays: []plan.Array{{Size: 1, Elem: "uint8", Lo: make([]plan.Affine, 2), Hi: make([]plan.Affine, 2), Initial: plan.Computed}},
			Values: []plan.Value{{Written: written}},
		}}
		fields := kernel.Fields{Given: make([]array.View, 1), Result: []array.View{{Elem: "uint8", Size: 1, Lo: []int{0, 0}, Hi: []int{n - 1, n - 1}, Stride: []int{n, 1}, Data: make([]byte, n*n)}}}
		for _, part := range [][2]int{{0, 4}, {4, n}} {
			fillCells(t, p, numbered{}, fields, part[0], part[1])
		}
		for i := range n {
			for j := range n {
				in := !slices.ContainsFunc(written, func(a plan.Affine) bool { return a.Eval(nil, []int{i, j}) < 0 })
				want := byte(1 + 7*i + 3*j)
				if in {
					want = 0
				}
				if got := fields.Result[0].Data[i*n+j]; got != want {
					t.Errorf("%s: cell %d, %d is %d, not %d", name, i, j, got, want)
				}
			}
		}
		func() {
			defer func() {
				if got, _ := recover().([]int); !slices.Equal(got, []int{3, 8}) {
					t.Errorf("%s: fails at %v", name, got)
				}
			}()
			fillCells(t, p, numbered{bad: [][]int{{3, 8}, {4, 0}}}, fields, 0, n)
		}()
	}
}

// ending are loops that end a context when they have given some content.
type ending struct {
	kernel.Loops
	cells *int
	end   func()
}

func (l ending) Init(_ int, _ []int, _, n int, _ []byte, _, _ int) {
	if *l.cells += n; *l.cells > fillAtOnce {
		l.end()
	}
}

// TestUnwrittenEnds ends the context while an array gets its initial content: the rest must stay.
func TestUnwrittenEnds(t *testing.T) {
	const rows, length = 4000, 1000
	p := &plan.Plan{Nest: &plan.Nest{
		Arrays: []plan.Array{{Size: 1, Elem: "uint8", Lo: make([]plan.Affine, 2), Hi: make([]plan.Affine, 2), Initial: plan.Computed}},
		Values: []plan.Value{{Written: []plan.Affine{{Const: -1, Iters: []int{0, 0}}}}},
	}}
	fields := kernel.Fields{Given: make([]array.View, 1), Result: []array.View{{Elem: "uint8", Size: 1, Lo: []int{0, 0}, Hi: []int{rows - 1, length - 1}, Stride: []int{length, 1}, Data: make([]byte, rows*length)}}}
	why := errors.New("the user has seen enough")
	ctx, end := context.WithCancelCause(context.Background())
	cells := 0
	err := NewUnwritten(p, ending{cells: &cells, end: func() { end(why) }}, fields, 0).Fill(ctx, 0, rows)
	if !errors.Is(err, why) || cells > 2*fillAtOnce+2*length {
		t.Errorf("%d of %d cells are filled: %v", cells, rows*length, err)
	}
}
