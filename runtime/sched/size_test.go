package sched

import (
	"testing"

	"loopc/transform/plan"
)

// TestSize counts the iterations of a skewed triangle, of which no plan counts all rows.
func TestSize(t *testing.T) {
	affine := func(c int, params []int, iters ...int) plan.Affine {
		return plan.Affine{Const: c, Params: params, Iters: iters}
	}
	n, none := []int{1}, []int{0}
	// for i = 1..N, j = 1..i, k = 2..N, with i + j in place of j
	nest := &plan.Nest{
		Params: []string{"N"}, Dims: []string{"i", "j", "k"}, Skew: [][]int{{1, 0, 0}, {1, 1, 0}, {0, 0, 1}},
		Space: []plan.Affine{
			affine(-1, none, 1, 0, 0), affine(0, n, -1, 0, 0),
			affine(-1, none, -1, 1, 0), affine(0, none, 2, -1, 0),
			affine(-2, none, 0, 0, 1), affine(0, n, 0, 0, -1),
		},
	}
	for _, of := range []int{0, 1, 2, 17, 1000} {
		s := newSize(&plan.Plan{Nest: nest, Params: []int{of}})
		want := int64(of) * int64(of+1) / 2 * int64(max(0, of-1))
		if got := s.points(nil); got != want {
			t.Errorf("N = %d: %d iterations, want %d", of, got, want)
		}
	}
}
