package asm

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"
)

// TestIndexFactor divides numbers of 4 bytes by constants as Quotient does: the largest and the least of both,
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
		factor, shift := indexFactor(by, 32)
		check := func(x int32) {
			if q, want := quotient(int(x), by, factor, shift, 32), int(x)/by; int32(q) != int32(want) {
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

// quotient divides an integer of width bits by a constant as Quotient does, with the factor and the shift of indexFactor.
func quotient(x, by, factor, shift, width int) int {
	high, low := bits.Mul64(uint64(x), uint64(factor))
	q := int(high) - min(0, max(-1, x))*-factor - min(0, max(-1, factor))*-x // of numbers with a sign
	if width < 64 {
		q = int(low) >> width
	}
	switch {
	case by > 0 && factor < 0:
		q += x
	case by < 0 && factor > 0:
		q -= x
	}
	q = q << (64 - width) >> (64 - width) >> shift
	return q + int(uint(q)>>63)
}

// TestLongFactors divides numbers of 8 bytes by constants as Quotient does.
func TestLongFactors(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 12))
	for range 3000 {
		by := int(int32(rng.Uint32())) >> rng.IntN(31)
		if by >= -1 && by <= 1 {
			continue
		}
		factor, shift := indexFactor(by, 64)
		for k := range 40 {
			x := int(rng.Uint64()) >> rng.IntN(63)
			switch k {
			case 0, 1:
				x = []int{math.MinInt, math.MaxInt}[k]
			case 2, 3, 4:
				x = x/by*by + k - 3
			}
			if q := quotient(x, by, factor, shift, 64); q != x/by {
				t.Fatalf("%d / %d = %d, want %d (factor %d, shift %d)", x, by, q, x/by, factor, shift)
			}
		}
	}
}

// TestPairFactors divides all numbers of 2 bytes by constants as Quotient does, with a sign and without.
func TestPairFactors(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 11))
	var long bool // a factor has 17 bits
	for k := range 400 {
		by := 2 + k
		if k >= 200 {
			by = 3 + rng.IntN(1<<16-3)
		}
		factor, shift := pairFactor(by)
		long = long || factor > 0xffff
		for x := range 1 << 16 {
			q := x * (factor & 0xffff) >> 16
			if s := shift; factor > 0xffff {
				q = (q + (x-q)>>1) & 0xffff >> (s - 1)
			} else {
				q >>= s
			}
			if q != x/by {
				t.Fatalf("%d / %d = %d, want %d (factor %d, shift %d)", x, by, q, x/by, factor, shift)
			}
		}
		if by = []int{by, -by}[k%2]; k == 200 {
			by = math.MinInt16
		}
		if by > 0 && by&(by-1) == 0 || by < math.MinInt16 || by > math.MaxInt16 {
			continue
		}
		factor, shift = indexFactor(by, 16)
		for x := math.MinInt16; x <= math.MaxInt16; x++ {
			if q := quotient(x, by, factor, shift, 16); q != x/by {
				t.Fatalf("%d / %d = %d, want %d (factor %d, shift %d)", x, by, q, x/by, factor, shift)
			}
		}
	}
	if !long {
		t.Error("no factor has 17 bits")
	}
}

// TestFactorUpTo divides numbers up to a bound as QuotientUpTo does: multiples of divisors, their neighbors, and the bound.
func TestFactorUpTo(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 10))
	found := 0
	for range 20_000 {
		by, most := 1+int(rng.Uint32()>>(1+rng.IntN(31))), int(rng.Uint32()>>(1+rng.IntN(31)))
		factor, shift := factorUpTo(by, most)
		if factor == 0 {
			continue
		}
		found++
		for k := range 50 {
			x := min(most, rng.IntN(most/by+1)*by+by*(k%2)-k%2)
			if x*factor>>32 != 0 || x*factor>>shift != x/by {
				t.Fatalf("%d/%d is not %d·%d/2^%d", x, by, x, factor, shift)
			}
		}
	}
	if factor, shift := factorUpTo(16, 1<<31-1); factor != 1 || shift != 4 || found < 5000 {
		t.Errorf("a quotient by 16 takes the factor %d and the shift %d; %d bounds have factors", factor, shift, found)
	}
}
