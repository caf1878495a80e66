package plan_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"loopc/transform/plan"
	"loopc/transform/plan/plantest"
)

// TestShiftedBox compares the box for very many levels with the box found level by level. It must
// contain that box, and mostly be equal.
func TestShiftedBox(t *testing.T) {
	rng := rand.New(rand.NewPCG(28, 5))
	whole, same := 0, 0
	for whole < 2000 {
		s := plantest.RandomNest(rng)
		s.Nest.Whole, s.Nest.InPlace = true, rng.IntN(2) == 0
		p, err := plan.New(s.Nest, s.Params, plan.Options{})
		if err != nil || p.Empty || !p.KeepsWhole() {
			continue
		}
		whole++
		n := len(p.Side)
		lo, hi, from, to := make([]int, n), make([]int, n), make([]int, n), make([]int, n)
		p.WholeBox(lo, hi)
		p.ShiftedBox(from, to)
		for x := 1; x < n && lo[x] <= hi[x]; x++ {
			if from[x] > lo[x] || to[x] < hi[x] {
				t.Fatalf("%v..%v does not hold %v..%v, drift %v\n%s", from, to, lo, hi, p.StorageOffset(), p)
			}
		}
		if slices.Equal(lo[1:], from[1:]) && slices.Equal(hi[1:], to[1:]) {
			same++
		}
	}
	if same < whole/2 {
		t.Errorf("%d boxes of %d are the same", same, whole)
	}
	t.Logf("%d boxes of %d are the same", same, whole)
}
