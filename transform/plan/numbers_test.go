package plan_test

import (
	"strings"
	"testing"

	"loopc/transform/plan"
)

// TestNumbersAreChecked makes plans of a nest that runs for each number k of 0..N, over i = k..M, and is wrong for
// k = 3: a plan for all numbers is refused exactly if 3 is among them, and holds the spaces of all of them.
func TestNumbersAreChecked(t *testing.T) {
	nest := &plan.Nest{
		Name: "n", Params: []string{"N", "M", "k"}, Dims: []string{"level", "i"}, Levelled: true, Skew: [][]int{{1, 0}, {0, 1}},
		Numbers: [][2][]plan.Affine{{{{}}, {{Params: []int{1}}}}},
		Space: []plan.Affine{
			{Iters: []int{1, 0}}, {Iters: []int{-1, 0}},
			{Params: []int{0, 0, -1}, Iters: []int{0, 1}}, {Params: []int{0, 1}, Iters: []int{0, -1}},
		},
		Checks: []plan.Check{{Fails: []plan.Affine{{Const: -3, Params: []int{0, 0, 1}}, {Const: 3, Params: []int{0, 0, -1}}}, Message: "three"}},
	}
	for n := range 6 {
		p, err := plan.New(nest, []int{n, 4, 0}, plan.Options{})
		if n >= 3 {
			if err == nil || !strings.Contains(err.Error(), "three (N = ") || !strings.Contains(err.Error(), "k = 3)") {
				t.Errorf("N = %d: %v", n, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		for k := range n + 1 {
			points, exact := p.At([]int{n, 4, k}).Points()
			if points != int64(5-k) || !exact {
				t.Errorf("N = %d, k = %d: %d iterations", n, k, points)
			}
		}
	}
	if p, err := plan.New(nest, []int{-1, 4, 0}, plan.Options{}); err != nil || !p.Empty {
		t.Errorf("without any number: %v", err)
	}
}
