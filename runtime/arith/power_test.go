package arith_test

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"loopc/runtime/arith"
)

// powerOf returns pseudo-random arguments of a power: any, near 1 with a large exponent, whole, or
// with a result near the greatest and the least floats.
func powerOf(r *rand.Rand) (x, y float64) {
	switch r.IntN(4) {
	case 0:
		return math.Float64frombits(r.Uint64N(0x7ff << 52)), math.Ldexp(r.Float64()-0.5, r.IntN(12)-8)
	case 1:
		k := r.IntN(52)
		return 1 + math.Ldexp(r.Float64()-0.5, -k), math.Ldexp(r.Float64()-0.5, k+r.IntN(12))
	case 2:
		return float64(1 + r.IntN(50)), float64(r.IntN(60) - 30)
	}
	x = 1 + 10*r.ExpFloat64()
	return x, (1454.9*r.Float64() - 745.1) / math.Log(x)
}

// TestPow compares powers with exact ones: the error is less than one unit in the last place.
func TestPow(t *testing.T) {
	cases := 1500
	if testing.Short() {
		cases = 200
	}
	rng, worst := rand.New(rand.NewPCG(1, 2)), 0.0
	for range cases {
		x, y := powerOf(rng)
		exact := bigExp(newBig(0).Mul(newBig(y), bigLog(newBig(x))))
		got := arith.Pow(x, y)
		if math.IsInf(got, 1) {
			if exact.Cmp(newBig(math.MaxFloat64)) <= 0 {
				t.Errorf("pow(%v, %v) = %v", x, y, got)
			}
			continue
		}
		if e := ulps(got, exact); e >= 1 {
			t.Errorf("pow(%v, %v) = %v errs by %.3f ulp", x, y, got, e)
		} else {
			worst = max(worst, e)
		}
	}
	t.Logf("%.3f ulp", worst)
	for x := int64(2); x < 40; x++ {
		exact := big.NewInt(1)
		for y := range 60 {
			if f, _ := new(big.Float).SetInt(exact).Float64(); exact.BitLen() <= 53 && arith.Pow(float64(-x), float64(y)) != f*float64(1-2*(y%2)) {
				t.Errorf("pow(%d, %d) = %v, want %v", -x, y, arith.Pow(float64(-x), float64(y)), f)
			}
			exact.Mul(exact, big.NewInt(x))
		}
	}
	for range 1000 {
		x := rng.NormFloat64()
		if arith.Pow(x, 2) != x*x || arith.Pow(float32(x), 2) != float32(x)*float32(x) {
			t.Errorf("pow(%v, 2) is no square", x)
		}
	}
}

// TestPowSpecial compares special values with those of package math, signs of zeros included. Next to 1,
// package math errs in the eighth digit.
func TestPowSpecial(t *testing.T) {
	values := []float64{0, 0.5, 1, 1.5, 2, 3, 4, math.Inf(1), math.NaN(), math.MaxFloat64, 0x1p-1022, 0x1p-1074, 0x1p52 + 1, 0x1p53, 0x1p63, 1 - 0x1p-53, 1 + 0x1p-52, 1e300, 1e-300, 1074, 1075, 1076, 1023, 1024}
	for _, x := range values {
		for _, y := range values {
			for k := range 4 {
				x, y := x*float64(1-k&1*2), y*float64(1-k&2)
				a, b := arith.Pow(x, y), math.Pow(x, y)
				if near := a == b || a != a && b != b || math.Abs(a-b) <= 1e-7*math.Abs(b); !near || math.Signbit(a) != math.Signbit(b) && b == b {
					t.Errorf("pow(%v, %v) = %v, math says %v", x, y, a, b)
				}
			}
		}
	}
}

// TestPowBits compares a digest of many powers with that of another processor.
func TestPowBits(t *testing.T) {
	rng, h := rand.New(rand.NewPCG(3, 4)), fnv.New64a()
	for range 100000 {
		x := math.Float64frombits(rng.Uint64N(0x7ff << 52))
		y := math.Float64frombits(rng.Uint64()&^(0x7ff<<52) | uint64(1000+rng.IntN(34))<<52)
		if rng.IntN(2) == 0 {
			x = math.Float64frombits(rng.Uint64()&(1<<52-1) | uint64(1020+rng.IntN(6))<<52)
		}
		fmt.Fprintf(h, "%x ", math.Float64bits(arith.Pow(x, y)))
	}
	if want := uint64(0xa5a24f8476b10f29); h.Sum64() != want {
		t.Errorf("digest %#x, want %#x", h.Sum64(), want)
	}
}

func BenchmarkPow(b *testing.B) {
	for _, of := range []struct {
		name string
		f    func(x, y float64) float64
	}{{"ours", arith.Pow[float64]}, {"math", math.Pow}} {
		b.Run(of.name, func(b *testing.B) {
			for k := range b.N {
				sum += of.f(1+float64(k%1024)/100, 1.7)
			}
		})
	}
}
