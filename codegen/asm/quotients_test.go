package asm

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestIndexFactor divides numbers by constants as Quotient does: the largest and the least of both,
// multiples of divisors and their neighbors.
func TestIndexFactor(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 9))
	divisors := []int{2, -2, 3, -3, 5, 7, -7, 9, 10, 25, 125, 625, 641, 1000, 1 << 16, -1 << 30, 1<<30 + 1, math.MaxInt32, math.MinInt32, -math.MaxInt32}
	for range 2000 {
		divisors = append(divisors, int(int32(rng.Uint32())>>rng.IntN(31)))
	}
	for _, by := range divisors {
		if by >= -1 && by <= 1 {
			continue
		}
		factor, shift := indexFactor(by)
		check := func(x int32) {
			q := int32(int64(x) * int64(factor) >> 32)
			switch {
			case by > 0 && factor < 0:
				q += x
			case by < 0 && factor > 0:
				q -= x
			}
			q >>= shift
			q += int32(uint32(q) >> 31)
			if want := x / int32(by); q != want {
				t.Fatalf("%d / %d = %d, want %d (factor %d, shift %d)", x, by, q, want, factor, shift)
			}
		}
		for _, x := range []int32{0, 1, -1, math.MaxInt32, math.MinInt32, math.MaxInt32 - 1, math.MinInt32 + 1} {
			check(x)
		}
		for range 300 {
			check(int32(rng.Uint32()) >> rng.IntN(31))
			for d := range int32(3) {
				check(int32(rng.Uint32())/int32(by)*int32(by) + d - 1)
			}
		}
	}
}
