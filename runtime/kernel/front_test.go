package kernel

import (
	"testing"

	"loopc/transform/plan"
)

// TestFrontFor compares with the cycles of the lanes of whole groups, idle ones included: few rows, or a few more than whole groups have,
// go to shorter vectors, long rows of whole groups do not.
func TestFrontFor(t *testing.T) {
	within := []plan.Affine{{Const: -1, Iters: []int{1}}, {Params: []int{1}, Iters: []int{-1}}, {Const: -1, Iters: []int{0, 1}}, {Params: []int{0, 1}, Iters: []int{0, -1}}}
	nest := &plan.Nest{
		Name: "rows", Params: []string{"M", "N"}, Dims: []string{"i", "j"}, Skew: [][]int{{1, 0}, {0, 1}}, Digest: "rows", Space: within,
		Arrays: []plan.Array{{Name: "u", Elem: "float64", Size: 8, Role: plan.InOut, Initial: plan.Given, Lo: []plan.Affine{{}, {}}, Hi: []plan.Affine{{Params: []int{1}}, {Params: []int{0, 1}}}}},
		Values: []plan.Value{{Name: "u", Flow: [][]int{{0, 1}, {1, 0}}, Cell: []plan.Affine{{Iters: []int{1}}, {Iters: []int{0, 1}}}, Written: within}},
	}
	narrow := &Front{Lanes: 4, Rows: 8, Skew: 1, Steps: []int{1, 1}, Cycles: 2.5}
	wide := &Front{Lanes: 8, Rows: 16, Skew: 1, Steps: []int{1, 1}, Cycles: 2.3, Narrow: narrow}
	for _, c := range []struct {
		rows, width int
		want        *Front
	}{{4, 500, narrow}, {20, 500, narrow}, {28, 28, narrow}, {16, 500, wide}, {160, 160, wide}, {0, 10, wide}} {
		p, err := plan.New(nest, []int{c.rows, c.width}, plan.Options{Ranks: 1, CPUs: 1})
		if err != nil {
			t.Fatal(err)
		}
		if got := wide.For(p); got != c.want {
			t.Errorf("%d rows of %d: %d lanes, want %d", c.rows, c.width, got.Lanes, c.want.Lanes)
		}
	}
	// A row of few cells takes less time in Go than a run of the nest by a kernel; more cells do, where lanes collect a sum of floats.
	along, sum := AsLoops{Pace: 8, Front: &Front{Lanes: 1, Rows: 1, Steps: []int{1, 1}, Cycles: 0.5}}, *nest
	sum.Reduces = []plan.Reduce{{Name: "all", Op: "sum", Elem: "float64"}}
	for _, c := range []struct {
		nest  *plan.Nest
		width int
		want  bool
	}{{nest, 16, false}, {nest, 200, true}, {&sum, 200, false}, {&sum, 1000, true}} {
		p, err := plan.New(c.nest, []int{1, c.width}, plan.Options{Ranks: 1, CPUs: 1})
		if err != nil {
			t.Fatal(err)
		}
		if along.Frontal(p) != c.want {
			t.Errorf("a row of %d cells, %d reductions: by a kernel %v", c.width, len(c.nest.Reduces), !c.want)
		}
	}
	// Rows that wait for masked stores take less time with shorter vectors, if those fill them, or in Go.
	eight := &Front{Lanes: 1, Rows: 1, Steps: []int{1, 1}, Cycles: 3, Along: 8, Waits: 200}
	waits := &Front{Lanes: 1, Rows: 1, Steps: []int{1, 1}, Cycles: 1.5, Along: 16, Waits: 200, Narrow: eight}
	for _, c := range []struct {
		width   int
		want    *Front
		frontal bool
	}{{1, waits, false}, {5, waits, false}, {8, eight, true}, {13, waits, true}, {16, waits, true}, {24, eight, true}, {500, waits, true}} {
		p, err := plan.New(nest, []int{1000, c.width}, plan.Options{Ranks: 1, CPUs: 1})
		if err != nil {
			t.Fatal(err)
		}
		if got, frontal := waits.For(p), (AsLoops{Pace: 20, Front: waits}).Frontal(p); got != c.want || frontal != c.frontal {
			t.Errorf("rows of %d: vectors of %d, want %d; by a kernel %v", c.width, got.Along, c.want.Along, frontal)
		}
	}
	if none := (*Front)(nil); none.For(nil) != nil {
		t.Error("there is no Front, but functions")
	}
}
