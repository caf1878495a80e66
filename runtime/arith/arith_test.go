package arith_test

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"loopc/runtime/arith"
)

// clamped is the definition of a conversion: truncated, saturated, and 0 for NaN.
func clamped(x float64, least, most int64) int64 {
	if math.IsNaN(x) {
		return 0
	}
	if math.IsInf(x, 0) {
		if x > 0 {
			return most
		}
		return least
	}
	whole, _ := new(big.Float).SetFloat64(x).Int(nil)
	switch {
	case whole.Cmp(big.NewInt(least)) < 0:
		return least
	case whole.Cmp(big.NewInt(most)) > 0:
		return most
	}
	return whole.Int64()
}

// TestConversions compares conversions with their definition, at the edges of
// the types and for random bits.
func TestConversions(t *testing.T) {
	values := []float64{0, math.Copysign(0, -1), 0.5, -0.5, 0.999, -0.999, -1, 1, 254.5, 255, 255.5, 256, math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64, -math.MaxFloat64, math.SmallestNonzeroFloat64}
	for _, edge := range []float64{1 << 31, 1 << 32, 1 << 53, 1 << 63} {
		for _, x := range []float64{edge, -edge} {
			values = append(values, x, math.Nextafter(x, 0), math.Nextafter(x, 2*x), x-1, x+1, x-0.5, x+0.5)
		}
	}
	rng := rand.New(rand.NewPCG(1, 8))
	for range 20000 {
		values = append(values, math.Float64frombits(rng.Uint64()), (rng.Float64()-0.5)*1e10, (rng.Float64()-0.5)*600)
	}
	for _, x := range values {
		if got, want := arith.Int32(x), int32(clamped(x, math.MinInt32, math.MaxInt32)); got != want {
			t.Errorf("Int32(%g) = %d, want %d", x, got, want)
		}
		if got, want := arith.Int64(x), clamped(x, math.MinInt64, math.MaxInt64); got != want {
			t.Errorf("Int64(%g) = %d, want %d", x, got, want)
		}
		if got, want := arith.Uint8(x), uint8(clamped(x, 0, math.MaxUint8)); got != want {
			t.Errorf("Uint8(%g) = %d, want %d", x, got, want)
		}
		f := float32(x)
		if got, want := arith.Int32(f), int32(clamped(float64(f), math.MinInt32, math.MaxInt32)); got != want {
			t.Errorf("Int32(float32 %g) = %d, want %d", f, got, want)
		}
	}
}

// TestQuo checks division: it truncates, the least value by -1 wraps, and zero
// is the user's error.
func TestQuo(t *testing.T) {
	if got := arith.Quo[int32](-7, 2, "", ""); got != -3 {
		t.Errorf("-7 / 2 = %d", got)
	}
	if got := arith.Quo[int32](math.MinInt32, -1, "", ""); got != math.MinInt32 {
		t.Errorf("the least int32 / -1 = %d", got)
	}
	if got := arith.Quo[int64](math.MinInt64, -1, "", ""); got != math.MinInt64 {
		t.Errorf("the least int64 / -1 = %d", got)
	}
	divide := func() (err error) {
		defer arith.Catch(&err)
		arith.Quo[uint8](1, 0, "heat.loop:9", "t, i", 3, 7)
		return nil
	}
	err := divide()
	var own *arith.Error
	if !errors.As(err, &own) || err.Error() != "heat.loop:9: integer division by zero at t = 3, i = 7" {
		t.Errorf("1 / 0: %v", err)
	}
	const outside = "heat.loop:9:4: subscript 2 of table is 12, and not from -1 to 9 at t = 3, i = 7"
	if err := arith.Outside("table", 2, 12, -1, 9, "heat.loop:9:4", "t, i", 3, 7); err.Error() != outside {
		t.Error(err)
	}
}

// TestCatch requires that nothing but an *Error is caught.
func TestCatch(t *testing.T) {
	if err := func() (err error) { defer arith.Catch(&err); return nil }(); err != nil {
		t.Errorf("nothing panicked: %v", err)
	}
	defer func() {
		if what := recover(); what != "our bug" {
			t.Errorf("panic(our bug) became %v", what)
		}
	}()
	func() (err error) {
		defer arith.Catch(&err)
		panic("our bug")
	}()
}

// TestIntegers checks AbsInt and Mod by their definitions.
func TestIntegers(t *testing.T) {
	if arith.AbsInt[int32](math.MinInt32) != math.MinInt32 || arith.AbsInt[int64](-5) != 5 || arith.AbsInt[uint8](200) != 200 || arith.AbsInt[int32](7) != 7 {
		t.Error("AbsInt is wrong")
	}
	for a := -20; a <= 20; a++ {
		for m := 1; m < 7; m++ {
			if r := arith.Mod(a, m); r < 0 || r >= m || (a-r)%m != 0 {
				t.Errorf("Mod(%d, %d) = %d", a, m, r)
			}
		}
	}
}

// TestFunctions: functions of float64, except elementary ones, must give exactly the results of
// package math. Functions of float32 must give the result for float64, rounded once.
func TestFunctions(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 8))
	for name, f := range map[string]struct {
		wide   func(float64) float64
		narrow func(float32) float32
		want   func(float64) float64
	}{
		"abs":   {arith.Abs[float64], arith.Abs[float32], math.Abs},
		"sqrt":  {arith.Sqrt[float64], arith.Sqrt[float32], math.Sqrt},
		"exp":   {arith.Exp[float64], arith.Exp[float32], arith.Exp[float64]},
		"log":   {arith.Log[float64], arith.Log[float32], arith.Log[float64]},
		"sin":   {arith.Sin[float64], arith.Sin[float32], arith.Sin[float64]},
		"cos":   {arith.Cos[float64], arith.Cos[float32], arith.Cos[float64]},
		"tan":   {arith.Tan[float64], arith.Tan[float32], arith.Tan[float64]},
		"tanh":  {arith.Tanh[float64], arith.Tanh[float32], arith.Tanh[float64]},
		"ceil":  {arith.Ceil[float64], arith.Ceil[float32], math.Ceil},
		"round": {arith.Round[float64], arith.Round[float32], math.Round},
		"trunc": {arith.Trunc[float64], arith.Trunc[float32], math.Trunc},
		"floor": {arith.Floor[float64], arith.Floor[float32], math.Floor},
	} {
		for _, x := range []float64{0, -0.5, 1, -3.75, math.Inf(1), math.NaN(), rng.NormFloat64(), 100 * rng.NormFloat64()} {
			if got, want := f.wide(x), f.want(x); math.Float64bits(got) != math.Float64bits(want) && !(math.IsNaN(got) && math.IsNaN(want)) {
				t.Errorf("%s(%g) = %g, want %g", name, x, got, want)
			}
			s := float32(x)
			if got, want := f.narrow(s), float32(f.want(float64(s))); math.Float32bits(got) != math.Float32bits(want) && !(got != got && want != want) {
				t.Errorf("%s(float32 %g) = %g, want %g", name, s, got, want)
			}
		}
	}
}
