package vector

import (
	"flag"
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"

	"loopc/ir"
	"loopc/ir/irtest"
)

var quotients = flag.Int("quotients", 400_000, "dividends for TestReciprocal, of each type")

// apply is what lanes do with r for float64 numbers: x/c, and whether products alone would
// have found it.
func (r *reciprocal) apply(x float64) (q float64, products bool) {
	h, l := math.Float64frombits(r.high), math.Float64frombits(r.low)
	if r.low == 0 {
		return x * h, true
	}
	q = math.FMA(x, h, x*l)
	if b := math.Float64bits(x); b&r.large == 0 && x != 0 {
		want := x / math.Float64frombits(r.divisor)
		return want, math.Float64bits(want) == math.Float64bits(q)
	}
	return q, true
}

// apply32 does what apply does, for float32 numbers.
func (r *reciprocal) apply32(x float32) (q float32, products bool) {
	h, l := math.Float32frombits(uint32(r.high)), math.Float32frombits(uint32(r.low))
	if r.low == 0 {
		return x * h, true
	}
	q = fma32(x, h, x*l)
	if b := math.Float32bits(x); uint64(b)&r.large == 0 && x != 0 {
		want := x / math.Float32frombits(uint32(r.divisor))
		return want, math.Float32bits(want) == math.Float32bits(q)
	}
	return q, true
}

// fma32 returns x·y + z, rounded once. The product is a float64; the sum is rounded to
// odd there, which leaves to the second rounding what it needs (Boldo and Melquiond,
// Emulation of FMA and Correctly Rounded Sums, 2008).
func fma32(x, y, z float32) float32 {
	p, w := float64(x)*float64(y), float64(z)
	s := p + w
	if math.IsInf(s, 0) || math.IsNaN(s) {
		return float32(s)
	}
	v := s - p
	e := (p - (s - v)) + (w - v) // what s lacks (Knuth)
	if b := math.Float64bits(s); e != 0 && b&1 == 0 {
		if (e > 0) == (s > 0) {
			b++
		} else {
			b--
		}
		s = math.Float64frombits(b)
	}
	return float32(s)
}

// divisorsOf are divisors of type t: small ones, and random ones with an odd part of up to
// 20 bits, of either sign.
func divisorsOf(rng *rand.Rand, t ir.Type) (all []float64) {
	for k := 2; k < 70; k++ {
		all = append(all, float64(k))
	}
	for range 130 {
		odd := rng.Uint64N(mostOdd)>>rng.IntN(20) | 1
		c := math.Ldexp(float64(odd), rng.IntN(24)-12)
		if rng.IntN(4) == 0 {
			c = -c
		}
		all = append(all, c)
	}
	if t == ir.Float64 {
		return append(all, math.Ldexp(3, 200), math.Ldexp(-12345, -150), 1<<20-1)
	}
	return all
}

// TestReciprocal compares quotients by constants with the processor's, bit for bit: of
// dividends with random bits, of those whose quotient lies next to the middle between two
// numbers or is such a middle, of those about the bounds of what products compute, and of
// special ones. It also requires that products without the bound would be wrong.
func TestReciprocal(t *testing.T) {
	rng := rand.New(rand.NewPCG(irtest.Seed(), 1))
	for _, typ := range []ir.Type{ir.Float64, ir.Float32} {
		f := floatLayouts[typ]
		var rs []*reciprocal
		var cs []float64
		for _, c := range divisorsOf(rng, typ) {
			if r := newReciprocal(c, typ); r != nil {
				rs, cs = append(rs, r), append(cs, c)
			} else if typ == ir.Float64 || math.Abs(c) == math.Trunc(math.Abs(c)) && math.Abs(c) < 1000 {
				t.Errorf("%s: a division by %v is left to the divider", typ, c)
			}
		}
		wrong, exact := 0, 0
		for n := range *quotients {
			k := n % len(rs)
			r, c := rs[k], cs[k]
			var x uint64
			exponent := rng.Uint64N(1<<f.exponent - 1)
			if rng.IntN(3) == 0 { // about the bound, or that of normal numbers
				exponent = r.large&-r.large>>(f.precision-1) + rng.Uint64N(4) - 2
				if rng.IntN(2) == 0 {
					exponent = max(1, uint64(math.Ilogb(c)+rng.IntN(7)))
				}
			}
			exponent = min(exponent, 1<<f.exponent-2)
			switch rng.IntN(4) {
			case 0:
				x = rng.Uint64()
				if rng.IntN(8) == 0 {
					x |= (1<<f.exponent - 1) << (f.precision - 1) // infinities and NaN
				}
			case 1: // special
				x = []uint64{0, 1, 2, 3, 9, 27, 1 << (f.precision - 1), 1<<(f.precision-1) - 1,
					(1<<f.exponent - 1) << (f.precision - 1), (1<<f.exponent-1)<<(f.precision-1) - 1}[rng.IntN(10)]
			case 2: // c·(m + 1/2), rounded, and its neighbors; m may be small, as of denormals
				odd := oddPart(c)
				m := (rng.Uint64N(1<<f.precision)>>rng.IntN(f.precision))*2 + 1
				hi, lo := bits.Mul64(m, odd)
				if hi == 0 && lo < 1<<(f.precision+8) && rng.IntN(2) == 0 {
					x = lo >> rng.IntN(3) // as a denormal
					break
				}
				at := bits.Len64(lo)
				if hi != 0 {
					at = 64 + bits.Len64(hi)
				}
				mantissa := lo
				if at > f.precision {
					mantissa = hi<<(64-(at-f.precision)) | lo>>(at-f.precision)
				} else {
					mantissa = lo << (f.precision - at)
				}
				x = exponent<<(f.precision-1) | mantissa&(1<<(f.precision-1)-1)
				x += rng.Uint64N(3) - 1
			default:
				x = exponent<<(f.precision-1) | rng.Uint64N(1<<(f.precision-1))
			}
			if rng.IntN(2) == 0 {
				x ^= 1 << (f.precision + f.exponent - 1)
			}
			var got, want uint64
			var products bool
			if typ == ir.Float64 {
				a := math.Float64frombits(x)
				q, p := r.apply(a)
				got, want, products = math.Float64bits(q), math.Float64bits(a/c), p
			} else {
				a := math.Float32frombits(uint32(x))
				q, p := r.apply32(a)
				got, want, products = uint64(math.Float32bits(q)), uint64(math.Float32bits(a/float32(c))), p
			}
			if got != want {
				t.Fatalf("%s: %#x/%v is %#x, want %#x", typ, x, c, got, want)
			}
			if !products {
				wrong++
			} else {
				exact++
			}
		}
		if wrong < *quotients/1000 || exact < *quotients/2 {
			t.Errorf("%s: products are wrong for %d dividends below the bound, and right for %d: that shows little", typ, wrong, exact)
		}
	}
}

// oddPart returns the odd number of which c is a power of two times.
func oddPart(c float64) uint64 {
	m, _ := math.Frexp(math.Abs(c))
	odd := uint64(m * (1 << 53))
	return odd >> bits.TrailingZeros64(odd)
}

// TestDivider says which divisions stay divisions.
func TestDivider(t *testing.T) {
	for _, c := range []struct {
		divisor float64
		t       ir.Type
		divided bool
	}{
		{9, ir.Float64, false}, {9, ir.Float32, false}, {-6, ir.Float32, false}, {2.5, ir.Float64, false},
		{0.1, ir.Float64, true}, {1 << 20, ir.Float32, false}, {1<<20 + 1, ir.Float64, true},
		{1<<20 - 1, ir.Float32, false},
		{(1<<20 - 1) << 12, ir.Float32, true},    // numbers would have to be larger than most are
		{math.Ldexp(1, -1030), ir.Float64, true}, // its reciprocal is infinite
		{math.Ldexp(1, 1023), ir.Float64, true},  // is denormal
		{math.Ldexp(9, 600), ir.Float64, true},   // as is the error of the reciprocal, or nearly
		{math.Inf(1), ir.Float64, true}, {0, ir.Float64, true},
	} {
		if r := newReciprocal(c.divisor, c.t); (r == nil) != c.divided {
			t.Errorf("%s: a division by %v as %v", c.t, c.divisor, r)
		}
	}
}

// TestRounded has quotients of numbers without the bits that the division loses, as shifts to the right are written out, and others.
func TestRounded(t *testing.T) {
	for expr, want := range map[string]bool{
		"a[i,j] >> 3": true, "(a[i,j] - (a[i,j] & 7))/8": true, "(a[i,j] - (a[i,j] & 3))/8": false, "(a[i,j] - (b[j] & 7))/8": false,
		"(a[i,j] + (a[i,j] & 7))/8": false, "a[i,j]/8": false,
	} {
		s := rowsOf(t, "param R, W = 7, 70\narray a[0..R-1, 0..W-1] int32 in\narray b[0..W-1] int32 in\narray x[0..R-1, 0..W-1] int32 out\nfor i = 0..R-1, j = 0..W-1 {\n\tx[i,j] = "+expr+"\n}\n")
		found, got := false, false
		s.each(func(e ir.Expr) {
			if q, ok := e.(*ir.Binary); ok && q.Op == ir.Quo {
				found, got = true, s.rounded(q.X, s.divisorOf(q)) != nil
			}
		})
		if !found || got != want {
			t.Errorf("%s is rounded: %v, want %v", expr, got, want)
		}
	}
}
