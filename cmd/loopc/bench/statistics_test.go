package bench

import (
	"math/rand/v2"
	"testing"
)

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		x    []float64
		want float64
	}{
		{[]float64{3}, 3},
		{[]float64{5, 1}, 3},
		{[]float64{9, 1, 2}, 2},
		{[]float64{4, 1, 100, 2}, 3},
	} {
		if got := median(c.x); got != c.want {
			t.Errorf("median(%v) = %g, want %g", c.x, got, c.want)
		}
	}
}

// TestMedianLoad: each of the two figures has the median of its own, from whatever rows these are.
func TestMedianLoad(t *testing.T) {
	if got, want := medianLoad([]HostLoad{{1, 9}, {3, 5}, {2, 7}}), (HostLoad{2, 7}); got != want {
		t.Errorf("%v, want %v", got, want)
	}
	if got := medianLoad(nil); got != (HostLoad{}) {
		t.Errorf("of nothing: %v", got)
	}
}

// TestMedianInterval compares with the ranks in tables of the sign test: for 15
// values the 4th and the 12th, which hold the median with 96.5 %.
func TestMedianInterval(t *testing.T) {
	for _, c := range []struct {
		n, low, high int // ranks, from 1
		enough       bool
	}{
		{1, 1, 1, false}, {5, 1, 5, false}, {6, 1, 6, true}, {8, 1, 8, true}, {9, 2, 8, true},
		{15, 4, 12, true}, {20, 6, 15, true}, {25, 8, 18, true}, {50, 18, 33, true},
	} {
		x := make([]float64, c.n)
		for k, at := range rand.New(rand.NewPCG(1, uint64(c.n))).Perm(c.n) {
			x[at] = float64(k + 1)
		}
		in, enough := medianInterval(x)
		if want := (interval{float64(c.low), float64(c.high)}); in != want || enough != c.enough {
			t.Errorf("of %d values: %v and %t, want %v and %t", c.n, in, enough, want, c.enough)
		}
	}
}

// TestMedianIntervalCovers draws samples from a skewed distribution and counts how
// often the interval holds its median.
func TestMedianIntervalCovers(t *testing.T) {
	const draws = 4000
	rng := rand.New(rand.NewPCG(1, 2))
	const trueMedian = 0.6931471805599453 // of the exponential distribution
	covered := 0
	for range draws {
		x := make([]float64, 15)
		for k := range x {
			x[k] = rng.ExpFloat64()
		}
		if in, _ := medianInterval(x); in.low <= trueMedian && trueMedian <= in.high {
			covered++
		}
	}
	// 0.965 +- 4 standard deviations
	if share := float64(covered) / draws; share < 0.953 || share > 0.977 {
		t.Errorf("the interval holds the median in %.3f of the samples, want 0.965", share)
	}
}
