package plan

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestDriftedBox requires of the box of very many levels that it holds the one that is found
// level by level, and is the same as a rule.
func TestDriftedBox(t *testing.T) {
	rng := rand.New(rand.NewPCG(28, 5))
	whole, same := 0, 0
	for whole < 2000 {
		s := randomNest(rng)
		s.nest.Whole, s.nest.InPlace = true, rng.IntN(2) == 0
		p, err := New(s.nest, s.params, Options{})
		if err != nil || p.Empty || !p.whole {
			continue
		}
		whole++
		n := len(p.Side)
		lo, hi, from, to := make([]int, n), make([]int, n), make([]int, n), make([]int, n)
		p.WholeBox(lo, hi)
		p.driftedBox(from, to)
		for x := 1; x < n && lo[x] <= hi[x]; x++ {
			if from[x] > lo[x] || to[x] < hi[x] {
				t.Fatalf("%v..%v does not hold %v..%v, drift %v\n%s", from, to, lo, hi, p.Drift(), p)
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
