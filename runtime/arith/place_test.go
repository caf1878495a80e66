package arith

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestPlace compares Place with a search through all values in order. It offers iterations in random order
// to several Places, as ranks do, and merges these from their marshaled bytes.
func TestPlace(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 2))
	values := []float64{math.Copysign(0, -1), 0, 1, 1, -1, math.Inf(1), math.Inf(-1), math.NaN(), -math.NaN()}
	for range 2000 {
		least, kinds := rng.IntN(2) == 0, 1+rng.IntN(len(values))
		from := rng.IntN(len(values) - kinds + 1)
		xs := make([]float64, rng.IntN(12))
		want, best := 0, math.Inf(-1)
		if least {
			best = math.Inf(1)
		}
		for k := range xs {
			xs[k] = values[from+rng.IntN(kinds)]
			if least {
				best = min(best, xs[k])
			} else {
				best = max(best, xs[k])
			}
		}
		for k, x := range xs {
			if x != x && best != best || math.Float64bits(x) == math.Float64bits(best) {
				want = 100 + k
				break
			}
		}
		parts := []*Place{NewPlace(least), NewPlace(least), NewPlace(least)}
		for _, k := range rng.Perm(len(xs)) {
			Offer(parts[rng.IntN(len(parts))], xs[k], 100+k, 7, k/3, k%3)
		}
		all := NewPlace(least)
		for _, p := range parts {
			b, err := p.MarshalBinary()
			q := NewPlace(least)
			if err == nil {
				err = q.UnmarshalBinary(b)
			}
			if err != nil {
				t.Fatal(err)
			}
			all.Merge(q)
		}
		if got := all.Result(); got != int64(want) {
			t.Fatalf("of %v, least %t: %d, not %d", xs, least, got, want)
		}
	}
	if err := NewPlace(false).UnmarshalBinary(make([]byte, 25)); err == nil {
		t.Error("UnmarshalBinary takes 25 bytes for a Place")
	}
	p := NewPlace(true)
	Offer(p, int64(math.MaxInt64), 1, 1)
	Offer(p, int64(math.MaxInt64-1), 2, 2)
	if p.Result() != 2 {
		t.Error("int64 is rounded")
	}
}
