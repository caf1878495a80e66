package kernel

import (
	"math"
	"testing"
)

// TestSampling counts the repetitions of samples, and those that they stand for.
func TestSampling(t *testing.T) {
	for _, c := range []struct {
		s                 Sampling
		nested, lo, hi, n int
	}{
		{Sampling{}, 1, 1, 100, 1}, {Sampling{5, 36}, 1, 1, 100, 6}, {Sampling{5, 36}, 2, 1, 100, 6}, {Sampling{5, 36}, 8, 1, 100, 2},
		{Sampling{math.MaxInt, math.MaxInt}, 1, 1, 100, 100}, {Sampling{math.MaxInt, math.MaxInt}, 3, -5, 1000, 1006}, {Sampling{5, 36}, 1, 3, 2, 0},
	} {
		n, all := 0, 0
		for _, runs := range c.s.Of(c.lo, c.hi, c.nested) {
			n++
			all += runs
		}
		if n != c.n || all != max(0, c.hi-c.lo+1) {
			t.Errorf("%v of %d..%d, %d nested: %d stand for %d", c.s, c.lo, c.hi, c.nested, n, all)
		}
	}
}
