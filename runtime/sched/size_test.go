package sched

import (
	"math/rand/v2"
	"slices"
	"testing"

	"loopc/transform/plan"
)

// TestSize counts the iterations of a skewed triangle, whose rows are too many for a plan to count
// them all.
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
	for k := range nest.Space {
		if newSpace(slices.Delete(slices.Clone(nest.Space), k, k+1), nest.Skew) != nil {
			t.Errorf("without inequality %d, a coordinate has no bound, and its values would be counted without end", k)
		}
	}
}

// TestSizeOfTrapezoids counts the iterations of for i = a..b, j = c+d*i..e+f*i, one by one; and those of all runs of for j,
// k = 1..3 in a repeat over i.
func TestSizeOfTrapezoids(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 9))
	empty, series := 0, 0
	for range 500 {
		of := func(most int) int { return rng.IntN(2*most+1) - most }
		a, b, c, d, e, f := of(5), of(9), of(9), of(2), of(9), of(2)
		nest := &plan.Nest{
			Dims: []string{"i", "j"}, Skew: [][]int{{1, 0}, {0, 1}},
			Space: []plan.Affine{{Const: -a, Iters: []int{1, 0}}, {Const: b, Iters: []int{-1, 0}}, {Const: -c, Iters: []int{-d, 1}}, {Const: e, Iters: []int{f, -1}}},
		}
		want := int64(0)
		for i := a; i <= b; i++ {
			want += int64(max(0, e+f*i-c-d*i+1))
		}
		if want == 0 {
			empty++
		}
		s := newSize(&plan.Plan{Nest: nest})
		if got := s.points(nil); got != want {
			t.Fatalf("i = %d..%d, j = %d+%d*i..%d+%d*i: %d iterations, want %d", a, b, c, d, e, f, got, want)
		}
		repeated := &plan.Nest{
			Params: []string{"i"}, Numbers: [][2][]plan.Affine{{}}, Dims: nest.Dims, Skew: nest.Skew,
			Space: []plan.Affine{{Const: -c, Params: []int{-d}, Iters: []int{1, 0}}, {Const: e, Params: []int{f}, Iters: []int{-1, 0}}, {Const: -1, Iters: []int{0, 1}}, {Const: 3, Iters: []int{0, -1}}},
		}
		s = newSize(&plan.Plan{Nest: repeated})
		if got, ok := s.series([]int{0}, 0, a, b); a <= b && ok {
			if series++; got != 3*want {
				t.Fatalf("repeat i = %d..%d, j = %d+%d*i..%d+%d*i: %d iterations, want %d", a, b, c, d, e, f, got, 3*want)
			}
		}
	}
	if empty > 400 || series < 50 {
		t.Errorf("too few iterations: the test proves nothing")
	}
}

// TestSizeWithoutNumbers requires that runs whose iterations do not depend on the numbers of repeats are counted once.
func TestSizeWithoutNumbers(t *testing.T) {
	for _, c := range []struct{ b, want int }{{0, 24}, {1, 0}} {
		s := newSize(&plan.Plan{Params: []int{6, 2}, Nest: &plan.Nest{
			Params: []string{"N", "b"}, Numbers: [][2][]plan.Affine{{}}, Dims: []string{"i", "j"}, Skew: [][]int{{1, 0}, {0, 1}},
			Space: []plan.Affine{ // i = 0..3+c.b*b, j = 1..N
				{Const: -1, Iters: []int{0, 1}}, {Params: []int{1}, Iters: []int{0, -1}}, {Iters: []int{1}}, {Const: 3, Params: []int{0, c.b}, Iters: []int{-1}},
			},
		}})
		if counted := s.p != nil; counted != (c.b != 0) || !counted && int(s.always) != c.want {
			t.Errorf("i = 0..3+%d*b has %d iterations, counted anew in each run: %t", c.b, s.always, counted)
		}
	}
}
