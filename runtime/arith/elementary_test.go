package arith_test

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"

	"loopc/runtime/arith"
)

// elementary lists each elementary function with that of package math, an exact one, and a source
// of pseudo-random arguments.
var elementary = []struct {
	name      string
	ours, gos func(float64) float64
	exact     func(*big.Float) *big.Float
	of        func(*rand.Rand) float64
	fromMath  uint64 // units in the last place; assembly of math errs more
}{
	{"exp", arith.Exp[float64], math.Exp, bigExp, func(r *rand.Rand) float64 {
		return [3]float64{1454*r.Float64() - 745, r.NormFloat64(), math.Ldexp(r.NormFloat64(), -r.IntN(40))}[r.IntN(3)]
	}, 4},
	{"log", arith.Log[float64], math.Log, bigLog, func(r *rand.Rand) float64 {
		return [3]float64{math.Float64frombits(r.Uint64N(0x7ff << 52)), r.ExpFloat64(), 1 + math.Ldexp(r.Float64()-0.5, -r.IntN(52))}[r.IntN(3)]
	}, 1},
	{"sin", arith.Sin[float64], math.Sin, bigSin, angle, 1},
	{"cos", arith.Cos[float64], math.Cos, bigCos, angle, 1},
	{"tan", arith.Tan[float64], math.Tan, func(x *big.Float) *big.Float { return newBig(0).Quo(bigSin(x), bigCos(x)) }, angle, 3},
	{"tanh", arith.Tanh[float64], math.Tanh, bigTanh, func(r *rand.Rand) float64 {
		return [2]float64{r.NormFloat64(), math.Ldexp(r.NormFloat64(), 4-r.IntN(40))}[r.IntN(2)]
	}, 3},
}

// angle is small, moderate, large, or next to a multiple of π/2.
func angle(r *rand.Rand) float64 {
	switch r.IntN(5) {
	case 0:
		return r.Float64() - 0.5
	case 1:
		return 200 * (r.Float64() - 0.5)
	case 2:
		return math.Ldexp(r.Float64()-0.5, 1+r.IntN(1024))
	case 3:
		return float64(r.IntN(1<<30)) * (math.Pi / 2)
	}
	return float64(r.IntN(1000)) * (math.Pi / 2)
}

// precision is enough for arguments of 2^1024 and for sums of 200 bits.
const precision = 1400

func newBig(x float64) *big.Float { return new(big.Float).SetPrec(precision).SetFloat64(x) }

// series returns a sum of the terms k of e^x, each times sign(k): 1, -1, or 0 to leave it out.
func series(x *big.Float, sign func(k int) int) *big.Float {
	sum, term := newBig(0), newBig(1)
	for k := 0; term.Sign() != 0 && term.MantExp(nil) > -1300; {
		switch sign(k) {
		case 1:
			sum.Add(sum, term)
		case -1:
			sum.Sub(sum, term)
		}
		k++
		term = newBig(0).Quo(newBig(0).Mul(term, x), newBig(float64(k)))
		if x.Sign() == 0 {
			break
		}
	}
	return sum
}

func bigExp(x *big.Float) *big.Float {
	const halvings = 40
	y := series(newBig(0).SetMantExp(x, -halvings), func(int) int { return 1 })
	for range halvings {
		y.Mul(y, y)
	}
	return y
}

// bigLog improves math.Log by Newton's method.
func bigLog(x *big.Float) *big.Float {
	at, _ := x.Float64()
	y := newBig(math.Log(at))
	for range 3 {
		e := bigExp(newBig(0).Neg(y))
		y.Add(y, newBig(0).Sub(e.Mul(e, x), newBig(1)))
	}
	return y
}

// bigPi is by Machin's formula.
var bigPi = func() *big.Float {
	inverse := func(n float64) *big.Float {
		sum, term := newBig(0), newBig(0).Quo(newBig(1), newBig(n))
		for k := 0; term.MantExp(nil) > -precision; k++ {
			t := newBig(0).Quo(term, newBig(float64(2*k+1)))
			if k%2 == 1 {
				t.Neg(t)
			}
			sum.Add(sum, t)
			term.Quo(term, newBig(n*n))
		}
		return sum
	}
	pi := newBig(0).Sub(newBig(0).Mul(newBig(4), inverse(5)), inverse(239))
	return pi.Mul(pi, newBig(4))
}()

// bigReduced returns n modulo 4 and x - n·π/2.
func bigReduced(x *big.Float) (int, *big.Float) {
	half := newBig(0).Quo(bigPi, newBig(2))
	q := newBig(0).Quo(x, half)
	n, _ := q.Add(q, newBig(math.Copysign(0.5, float64(x.Sign())))).Int(nil)
	r := newBig(0).Sub(x, half.Mul(half, newBig(0).SetInt(n)))
	return int(new(big.Int).And(n, big.NewInt(3)).Int64()), r
}

func bigSin(x *big.Float) *big.Float { return turned(x, 0) }
func bigCos(x *big.Float) *big.Float { return turned(x, 1) }

// turned returns the sine of x + n·π/2.
func turned(x *big.Float, n int) *big.Float {
	quarters, r := bigReduced(x)
	n += quarters
	y := series(r, func(k int) int {
		if k%2 == n%2 {
			return 0
		}
		return 1 - k/2%2*2
	})
	if n/2%2 == 1 {
		y.Neg(y)
	}
	return y
}

func bigTanh(x *big.Float) *big.Float {
	e := bigExp(newBig(0).Mul(x, newBig(2)))
	return newBig(0).Quo(newBig(0).Sub(e, newBig(1)), newBig(0).Add(e, newBig(1)))
}

// ulps is the error of y in units in the last place of the exact value.
func ulps(y float64, exact *big.Float) float64 {
	e := max(exact.MantExp(nil)-53, -1074)
	d := newBig(0).Sub(newBig(y), exact)
	f, _ := d.SetMantExp(d, -e).Float64()
	return math.Abs(f)
}

// TestElementary compares the functions with exact ones, and with those of package math.
func TestElementary(t *testing.T) {
	cases, compared := 1500, 300000
	if testing.Short() {
		cases = 200
	}
	for _, f := range elementary {
		rng := rand.New(rand.NewPCG(1, 2))
		worst, at := 0.0, 0.0
		for range cases {
			x := f.of(rng)
			if e := ulps(f.ours(x), f.exact(newBig(x))); e > worst {
				worst, at = e, x
			}
		}
		t.Logf("%s: %.3f ulp at %v", f.name, worst, at)
		if worst >= 1 && !(strings.HasPrefix(f.name, "tan") && worst < 2) {
			t.Errorf("%s(%v) errs by %v ulp", f.name, at, worst)
		}
		for range compared {
			x := f.of(rng)
			a, b := f.ours(x), f.gos(x)
			if math.Abs(x) > 1e3 && (f.name == "sin" || f.name == "cos" || f.name == "tan") || f.name == "log" && x < 0x1p-1022 {
				continue // math's reduction keeps fewer bits, and its log in assembly takes these for normal
			}
			if apart := math.Float64bits(a) - math.Float64bits(b); apart+f.fromMath > 2*f.fromMath && math.Abs(b) > 1e-10 && math.Abs(b) < 1e10 {
				t.Errorf("%s(%v) = %v, math says %v", f.name, x, a, b)
				break
			}
		}
	}
}

// TestElementarySpecial compares special values with those of package math, signs of zeros included.
func TestElementarySpecial(t *testing.T) {
	values := []float64{0, 1, math.Inf(1), math.NaN(), math.MaxFloat64, 0x1p-1022, 0x1p-30,
		709.782712893384, 709.7827128933841, 745.1332191019411, 745.1332191019412, 708.4, 1e300}
	for _, f := range elementary {
		for _, x := range values {
			for _, x := range []float64{x, -x} {
				a, b := f.ours(x), f.gos(x)
				if math.Signbit(a) != math.Signbit(b) && b == b || (a != b && math.Abs(a-b) > 1e-14*math.Abs(b)) && (a == a || b == b) {
					t.Errorf("%s(%v) = %v, math says %v", f.name, x, a, b)
				}
			}
		}
	}
}

// TestElementaryBits compares a digest of many results with the digest on another processor.
// Arguments are made from random bits, not computed: on some processors the compiler fuses products
// and sums in this test, too.
func TestElementaryBits(t *testing.T) {
	want := map[string]uint64{"exp": 0x63259f91daea7c9a, "log": 0x58dd42fd5885d057, "sin": 0x273751cc94274cde, "cos": 0x283cff0ed48a6b4c, "tan": 0x6b286f36011d4c41, "tanh": 0x20fc697c73b2601f}
	for _, f := range elementary {
		rng, h := rand.New(rand.NewPCG(3, 4)), fnv.New64a()
		for range 100000 {
			x := math.Float64frombits(rng.Uint64())
			if rng.IntN(2) == 0 {
				x = math.Float64frombits(math.Float64bits(x)&^(0x7ff<<52) | uint64(1000+rng.IntN(34))<<52)
			}
			if f.name == "log" {
				x = math.Abs(x)
			}
			if y := f.ours(x); y == y {
				fmt.Fprintf(h, "%x ", math.Float64bits(y))
			}
		}
		if h.Sum64() != want[f.name] {
			t.Errorf("%s: digest %#x, want %#x", f.name, h.Sum64(), want[f.name])
		}
	}
}

// TestNotFused compiles the functions for a processor for which Go fuses products and sums.
func TestNotFused(t *testing.T) {
	build := exec.Command("go", "build", "-gcflags=-S", "elementary.go", "power.go")
	build.Env = append(os.Environ(), "GOOS=linux", "GOARCH=arm64", "CGO_ENABLED=0")
	out, err := build.CombinedOutput()
	if err != nil {
		t.Fatal(err, string(out))
	}
	if !bytes.Contains(out, []byte("FMULD")) {
		t.Error("no product")
	}
	for _, fused := range []string{"FMADDD", "FMSUBD", "FNMADDD", "FNMSUBD"} {
		if k := bytes.Index(out, []byte(fused)); k >= 0 {
			t.Errorf("fused: %s", out[max(0, k-200):k+60])
		}
	}
}

func BenchmarkElementary(b *testing.B) {
	rng := rand.New(rand.NewPCG(5, 6))
	var x [1024]float64
	for k := range x {
		x[k] = 20 * rng.Float64()
	}
	for _, f := range elementary {
		for _, g := range []struct {
			of string
			f  func(float64) float64
		}{{"ours", f.ours}, {"math", f.gos}} {
			b.Run(f.name+"/"+g.of, func(b *testing.B) {
				var s float64
				for k := range b.N {
					s += g.f(x[k%1024])
				}
				sum = s
			})
		}
	}
}

var sum float64
