package cost

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"loopc/transform/plan"
	"loopc/transform/plan/plantest"
)

// TestMemories requires of random plans that all ranks together need what each needs by itself. Some runs are cut into
// epochs that are alike, or not.
func TestMemories(t *testing.T) {
	rng := rand.New(rand.NewPCG(28, 7))
	alike, different := 0, 0
	for plans := 0; plans < 2000; {
		s := plantest.RandomNest(rng)
		s.Nest.Whole = rng.IntN(4) == 0
		o := plantest.RandomOptions(rng, s.Nest)
		if rng.IntN(3) == 0 {
			o.Epoch = 1 + rng.IntN(6)
		}
		p, err := plan.New(s.Nest, s.Params, o)
		if err != nil {
			continue
		}
		plans++
		if p.Windows > 1 && p.Alike {
			alike++
		} else if p.Windows > 1 {
			different++
		}
		for rank, got := range Memories(p) {
			if want := MemoryOf(p, rank, math.MaxInt64); got != want {
				t.Fatalf("rank %d needs %+v, not %+v\n%s", rank, got, want, p)
			}
		}
	}
	if alike < 50 || different < 50 {
		t.Errorf("%d plans have epochs that are alike, %d others; want at least 50 of each", alike, different)
	}
}

// TestBytesSaturate requires of numbers of bytes what numbers that cannot wrap around give, up
// to the most there is.
func TestBytesSaturate(t *testing.T) {
	if got := plan.AddBytes(math.MaxInt64, math.MaxInt64); got != plan.MostBytes {
		t.Errorf("the sum of the largest numbers is %d, want %d", got, int64(plan.MostBytes))
	}
	rng := rand.New(rand.NewPCG(28, 60))
	most := big.NewInt(plan.MostBytes)
	beyond := 0
	for range 20_000 {
		sum, want := int64(0), new(big.Int)
		for range 1 + rng.IntN(5) {
			factors, one := []int{}, big.NewInt(1)
			for range 1 + rng.IntN(5) {
				f := int(rng.Uint64() >> (1 + rng.IntN(63)))
				factors = append(factors, f)
				one.Mul(one, big.NewInt(int64(f)))
			}
			sum = plan.AddBytes(sum, plan.BytesOf(factors...))
			want.Add(want, one)
		}
		if want.Cmp(most) > 0 {
			beyond++
			want.Set(most)
		}
		if want.Int64() != sum {
			t.Fatalf("%d, want %v", sum, want)
		}
		lo, hi := []int{0, 0, 0}, []int{rng.IntN(1 << 48), rng.IntN(1 << 48), rng.IntN(1 << 48)}
		want.SetInt64(8)
		for _, h := range hi {
			want.Mul(want, big.NewInt(int64(h)+1))
		}
		if want.Cmp(most) > 0 {
			want.Set(most)
		}
		if got := boxBytes(lo, hi, 8); got != want.Int64() {
			t.Fatalf("a box of %v: %d, want %v", hi, got, want)
		}
	}
	if beyond < 1000 {
		t.Errorf("only %d sums were beyond the most", beyond)
	}
}
