package vector

import (
	"math"
	"math/rand/v2"
	"testing"

	"loopc/ir"
	"loopc/ir/irtest"
)

// together32 computes a/b for float32 numbers as a lane does if another quotient shares b. It
// returns the result of the products, and whether the lane passes the test.
func together32(a, b float32) (q float32, inside bool) {
	y := 1 / b
	q0 := a * y
	r := fma32(b, q0, -a)
	_, least, beyond := sharedBits(ir.Float32)
	test := (math.Float32bits(b) + uint32(least)) | (math.Float32bits(q0) + uint32(least))
	return fma32(-r, y, q0), test&uint32(beyond) == 0
}

// together64 does what together32 does, for float64 numbers.
func together64(a, b float64) (q float64, inside bool) {
	y := 1 / b
	q0 := a * y
	r := math.FMA(b, q0, -a)
	_, least, beyond := sharedBits(ir.Float64)
	test := (math.Float64bits(b) + least) | (math.Float64bits(q0) + least)
	return math.FMA(-r, y, q0), test&beyond == 0
}

// sharedTrial compares a quotient with the processor's. It says whether the products had its
// bits, and whether the lane passed the test; ok is false if it passed with other bits.
func sharedTrial(typ ir.Type, a, b uint64) (right, inside, ok bool) {
	if typ == ir.Float32 {
		x, y := math.Float32frombits(uint32(a)), math.Float32frombits(uint32(b))
		q, in := together32(x, y)
		right = math.Float32bits(q) == math.Float32bits(x/y) || q != q && x/y != x/y
		return right, in, right || !in
	}
	x, y := math.Float64frombits(a), math.Float64frombits(b)
	q, in := together64(x, y)
	right = math.Float64bits(q) == math.Float64bits(x/y) || q != q && x/y != x/y
	return right, in, right || !in
}

// TestSharedDivisor compares quotients of a reciprocal with the processor's, bit for bit: of
// random bits, special numbers, significands about all ones and about 1, quotients next to
// the middle between two numbers, and numbers at the bounds of the test. Without the
// test, or with a bound that is lower or higher by some exponents, some would be wrong.
func TestSharedDivisor(t *testing.T) {
	rng := rand.New(rand.NewPCG(irtest.Seed(), 1))
	for _, typ := range []ir.Type{ir.Float32, ir.Float64} {
		f := floatLayouts[typ]
		digits := f.precision - 1
		mask, most := uint64(1)<<digits-1, uint64(1)<<f.exponent-1
		bias := most / 2
		special := []uint64{0, 1, 2, 3, mask, 1 << digits, most << digits, most<<digits - 1, most<<digits | 1<<(digits-1), bias << digits, bias<<digits - 1}
		low := uint64(int(bias) + sharedLeast(typ))
		high := low + (most+1)/2 - 1
		number := func() uint64 {
			significand := []uint64{mask - rng.Uint64N(8), rng.Uint64N(8), rng.Uint64() & mask, rng.Uint64() & mask}[rng.IntN(4)]
			exponent := []uint64{bias - 10 + rng.Uint64N(20), low - 2 + rng.Uint64N(4), high - 2 + rng.Uint64N(4), rng.Uint64N(most + 1), rng.Uint64N(4)}[rng.IntN(5)]
			x := exponent<<digits | significand
			if rng.IntN(10) == 0 {
				x = special[rng.IntN(len(special))]
			}
			return x | rng.Uint64N(2)<<(digits+f.exponent)
		}
		inside, wrong := 0, 0
		for range *quotients {
			a, b := number(), number()
			if rng.IntN(2) == 0 {
				a = nearMiddle(rng, typ, b, 0)
			}
			right, in, ok := sharedTrial(typ, a, b)
			if !ok {
				t.Fatalf("%s: %#x/%#x is not that of the division", typ, a, b)
			}
			if in {
				inside++
			}
			if !right {
				wrong++
			}
		}
		if inside < *quotients/10 || wrong < *quotients/100 {
			t.Errorf("%s: %d of %d quotients pass the test, %d would be wrong: that shows little", typ, inside, *quotients, wrong)
		}
	}
}

// nearMiddle returns a number a such that a/b, about 2^exponent, is next to the middle between two
// floats, or next to a float.
func nearMiddle(rng *rand.Rand, typ ir.Type, b uint64, exponent int) uint64 {
	m := math.Ldexp(1+rng.Float64(), exponent)
	part := []float64{0, math.Ldexp(1, exponent-floatLayouts[typ].precision)}[rng.IntN(2)]
	if typ == ir.Float32 {
		y := math.Float32frombits(uint32(b))
		q := float64(float32(m)) + part // the product has 49 bits
		return uint64(math.Float32bits(float32(q*float64(y)))) + rng.Uint64N(3) - 1
	}
	y := math.Float64frombits(b)
	return math.Float64bits(math.FMA(m, y, part*y)) + rng.Uint64N(3) - 1
}

// TestSharedPairs divides the pairs of significands that the proof leaves out, and all pairs that
// are about as close to all ones, or to 1.
func TestSharedPairs(t *testing.T) {
	const about = 300
	for _, typ := range []ir.Type{ir.Float32, ir.Float64} {
		f := floatLayouts[typ]
		digits := f.precision - 1
		one := uint64(1<<(f.exponent-1)-1) << digits
		pairs := 0
		for _, x := range []uint64{one, one + 1<<digits - about} {
			for _, y := range []uint64{one, one + 1<<digits - about} {
				for a := range uint64(about) {
					for b := range uint64(about) {
						if right, in, _ := sharedTrial(typ, x+a, y+b); !right || !in {
							t.Fatalf("%s: %#x/%#x: right %v, inside %v", typ, x+a, y+b, right, in)
						}
						pairs++
					}
				}
			}
		}
		if pairs != 4*about*about {
			t.Errorf("%d pairs", pairs)
		}
	}
}

// TestSharedBounds requires that the bounds are the widest that the proof allows, and finds
// quotients below them that would be wrong.
func TestSharedBounds(t *testing.T) {
	for _, typ := range []ir.Type{ir.Float32, ir.Float64} {
		f := floatLayouts[typ]
		bias := 1<<(f.exponent-1) - 1
		low, high := sharedLeast(typ), sharedLeast(typ)+bias+1
		if 2*low < f.precision-bias || 2*(low-1) >= f.precision-bias {
			t.Errorf("%s: the lower bound 2^%d is not the least that keeps what is left", typ, low)
		}
		if high > bias-1 || low-high < 1-2*bias {
			t.Errorf("%s: the upper bound 2^%d leaves reciprocals that are denormal", typ, high)
		}
		rng := rand.New(rand.NewPCG(irtest.Seed(), 2))
		mask := uint64(1)<<(f.precision-1) - 1
		below, far := 0, f.precision/2
		for range *quotients { // |b| and |q| that far below the bound, in exponents
			b := uint64(bias+low-far)<<(f.precision-1) | rng.Uint64()&mask
			a := nearMiddle(rng, typ, b, low-far)
			right, in, _ := sharedTrial(typ, a, b)
			if in {
				t.Fatalf("%s: %#x/%#x passes the test", typ, a, b)
			}
			if !right {
				below++
			}
		}
		if below == 0 {
			t.Errorf("%s: no quotient below the bound is wrong: that shows little", typ)
		}
	}
}
