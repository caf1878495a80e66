package plan

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// TestBytesSaturate requires of numbers of bytes what numbers that cannot wrap around give, up
// to the most there is.
func TestBytesSaturate(t *testing.T) {
	if got := AddBytes(math.MaxInt64, math.MaxInt64); got != MostBytes {
		t.Errorf("the sum of the largest numbers is %d, want %d", got, int64(MostBytes))
	}
	rng := rand.New(rand.NewPCG(28, 60))
	most := big.NewInt(MostBytes)
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
			sum = AddBytes(sum, BytesOf(factors...))
			want.Add(want, one)
		}
		if want.Cmp(most) > 0 {
			beyond++
			want.Set(most)
		}
		if want.Int64() != sum {
			t.Fatalf("%d, want %v", sum, want)
		}
		b := box{lo: []int{0, 0, 0}, hi: []int{rng.IntN(1 << 48), rng.IntN(1 << 48), rng.IntN(1 << 48)}}
		want.SetInt64(8)
		for _, hi := range b.hi {
			want.Mul(want, big.NewInt(int64(hi)+1))
		}
		if want.Cmp(most) > 0 {
			want.Set(most)
		}
		if got := boxBytes(b, 8); got != want.Int64() {
			t.Fatalf("a box of %v: %d, want %v", b.hi, got, want)
		}
	}
	if beyond < 1000 {
		t.Errorf("only %d sums were beyond the most", beyond)
	}
}
