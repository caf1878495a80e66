package arith

import (
	"math"
	"math/bits"
)

// The elementary functions have the same bits on every processor. Those of package math do not:
// they are assembly on some, and on others the compiler fuses products and sums. Here, each product
// that a sum takes is converted to float64, which Go's specification says rounds it.
//
// Reductions, polynomials and coefficients are those of FreeBSD's msun, which is Sun's fdlibm
// (e_exp.c, e_log.c, k_sin.c, k_cos.c, k_tan.c, e_rem_pio2.c, s_tanh.c). Errors are less than one unit in the last
// place, those of tan and tanh less than two. Special values are those of package math.

const (
	ln2High = 6.93147180369123816490e-01 // times an exponent is exact
	ln2Low  = 1.90821492927058770002e-10
)

// exp returns e to the power of x. It is 2^k·e^r with |r| ≤ ln 2 / 2, and e^r = 1 + 2r/(R(r²) - r) with R(r²) = r·(e^r+1)/(e^r-1).
func exp(x float64) float64 {
	switch {
	case x != x || x > math.MaxFloat64:
		return x
	case x > 7.09782712893383973096e+02:
		return math.Inf(1)
	case x < -7.45133219101941108420e+02:
		return 0
	case -1.0/(1<<28) < x && x < 1.0/(1<<28):
		return 1 + x
	}
	k, high, low := multiple(x)
	return scaled(expReduced(high, low), k)
}

// multiple returns the integer k nearest to x / ln 2, but for rounding, and x - k·ln 2 as high - low.
func multiple(x float64) (k int, high, low float64) {
	k = int(float64(x*math.Log2E) + math.Copysign(0.5, x))
	return k, x - float64(float64(k)*ln2High), float64(float64(k) * ln2Low)
}

// expReduced returns e to the power of high - low.
func expReduced(high, low float64) float64 {
	r := high - low
	t := r * r
	c := -1.65339022054652515390e-06 + float64(t*4.13813679705723846039e-08)
	c = 6.61375632143793436117e-05 + float64(t*c)
	c = -2.77777777770155933842e-03 + float64(t*c)
	c = 1.66666666666666019037e-01 + float64(t*c)
	c = r - float64(t*c)
	return 1 - ((low - float64(r*c)/(2-c)) - high)
}

// scaled returns y·2^k, rounded once, for 1/2 ≤ y < 2 and -1100 ≤ k ≤ 1024.
func scaled(y float64, k int) float64 {
	switch {
	case k < -1021:
		return power(k+64) * y * (1.0 / (1 << 64))
	case k > 1023:
		return y * 2 * power(k-1)
	}
	return y * power(k)
}

// power returns 2^k, a normal number.
func power(k int) float64 { return math.Float64frombits(uint64(k+1023) << 52) }

// log returns the natural logarithm of x. It is k·ln 2 + log(1+f) with √2/2 < 1+f < √2, and log(1+f) = f - s·(f-R(s²)) for s = f/(2+f).
func log(x float64) float64 {
	switch {
	case x != x || x > math.MaxFloat64:
		return x
	case x < 0:
		return math.NaN()
	case x == 0:
		return math.Inf(-1)
	}
	m, k := parts(x)
	f := m - 1
	s := f / (2 + f)
	z := s * s
	w := z * z
	odd := 1.818357216161805012e-01 + float64(w*1.479819860511658591e-01)
	odd = 2.857142874366239149e-01 + float64(w*odd)
	odd = z * (6.666666666666735130e-01 + float64(w*odd))
	even := 2.222219843214978396e-01 + float64(w*1.531383769920937332e-01)
	even = w * (3.999999999940941908e-01 + float64(w*even))
	half := float64(0.5 * f * f)
	return float64(k*ln2High) - ((half - (float64(s*(half+(float64(odd)+float64(even)))) + float64(k*ln2Low))) - f)
}

// parts returns x, which is positive and finite, as m·2^k with √2/2 ≤ m < √2.
func parts(x float64) (m, k float64) {
	exponent := -1022
	if x < 0x1p-1022 {
		x *= 0x1p54
		exponent -= 54
	}
	b := math.Float64bits(x)
	exponent += int(b >> 52)
	m = math.Float64frombits(b&(1<<52-1) | 1022<<52)
	if m < math.Sqrt2/2 {
		m *= 2
		exponent--
	}
	return m, float64(exponent)
}

// sin returns the sine of x.
func sin(x float64) float64 {
	if math.Abs(x) <= math.Pi/4 {
		if math.Abs(x) < 0x1p-26 {
			return x
		}
		return sinReduced(x, 0)
	}
	n, y, rest := reduced(x)
	return turned(n, y, rest)
}

// cos returns the cosine of x.
func cos(x float64) float64 {
	if math.Abs(x) <= math.Pi/4 {
		return cosReduced(x, 0)
	}
	n, y, rest := reduced(x)
	return turned(n+1, y, rest)
}

// turned returns the sine of x + rest + n·π/2, |x| ≤ π/4.
func turned(n int, x, rest float64) float64 {
	switch n & 3 {
	case 0:
		return sinReduced(x, rest)
	case 1:
		return cosReduced(x, rest)
	case 2:
		return -sinReduced(x, rest)
	}
	return -cosReduced(x, rest)
}

// sinReduced returns the sine of x + rest, |x| ≤ π/4.
func sinReduced(x, rest float64) float64 {
	z := x * x
	v := z * x
	r := -2.50507602534068634195e-08 + float64(z*1.58969099521155010221e-10)
	r = 2.75573137070700676789e-06 + float64(z*r)
	r = -1.98412698298579493134e-04 + float64(z*r)
	r = 8.33333333332248946124e-03 + float64(z*r)
	return x - ((float64(z*(float64(0.5*rest)-float64(v*r))) - rest) + float64(v*1.66666666666666324348e-01))
}

// cosReduced returns the cosine of x + rest, |x| ≤ π/4.
func cosReduced(x, rest float64) float64 {
	z := x * x
	r := 2.08757232129817482790e-09 - float64(z*1.13596475577881948265e-11)
	r = -2.75573143513906633035e-07 + float64(z*r)
	r = 2.48015872894767294178e-05 + float64(z*r)
	r = -1.38888888888741095749e-03 + float64(z*r)
	r = z * (4.16666666666666019037e-02 + float64(z*r))
	half := float64(0.5 * z)
	w := 1 - half
	return w + (((1 - w) - half) + (float64(z*r) - float64(x*rest)))
}

// tan returns the tangent of x.
func tan(x float64) float64 {
	if math.Abs(x) <= math.Pi/4 {
		if math.Abs(x) < 0x1p-27 {
			return x
		}
		return tanReduced(x, 0, false)
	}
	n, y, rest := reduced(x)
	return tanReduced(y, rest, n&1 == 1)
}

// tanReduced returns the tangent of x + rest, |x| ≤ π/4, or -1 divided by it.
func tanReduced(x, rest float64, inverse bool) float64 {
	const quarterRest = 3.06161699786838301793e-17 // what math.Pi/4 lacks
	sign, large := math.Copysign(1, x), math.Abs(x) >= 0.67434
	if large { // tan x = 1 - 2·(t - t²/(1+t)), t = tan(π/4 - x)
		x, rest = (math.Pi/4-float64(sign*x))+(quarterRest-float64(sign*rest)), 0
	}
	z := x * x
	w := z * z
	r := 7.81794442939557092300e-05 - float64(w*1.85586374855275456654e-05)
	r = 5.88041240820264096874e-04 + float64(w*r)
	r = 3.59207910759131235356e-03 + float64(w*r)
	r = 2.18694882948595424599e-02 + float64(w*r)
	r = 1.33333333333201242699e-01 + float64(w*r)
	v := 7.14072491382608190305e-05 + float64(w*2.59073051863633712884e-05)
	v = 2.46463134818469906812e-04 + float64(w*v)
	v = 1.45620945432529025516e-03 + float64(w*v)
	v = 8.86323982359930005737e-03 + float64(w*v)
	v = 5.39682539762260521377e-02 + float64(w*v)
	v = float64(z * v)
	s := z * x
	r = rest + float64(z*(float64(s*(r+v))+rest))
	r += float64(s * 3.33333333333334091986e-01)
	w = x + r
	switch {
	case large && inverse:
		return sign * (-1 - float64(2*(x-(float64(w*w)/(w-1)-r))))
	case large:
		return sign * (1 - float64(2*(x-(float64(w*w)/(w+1)-r))))
	case inverse: // in two parts, as w has an error
		high := cut(w)
		low := r - (high - x)
		a := -1 / w
		t := cut(a)
		return t + float64(a*(1+float64(t*high)+float64(t*low)))
	}
	return w
}

// cut returns x without the lower half of its bits.
func cut(x float64) float64 { return math.Float64frombits(math.Float64bits(x) &^ (1<<32 - 1)) }

// tanh returns the hyperbolic tangent of x, by e^(2|x|) - 1.
func tanh(x float64) float64 {
	a := math.Abs(x)
	switch {
	case x != x || a < 0x1p-28:
		return x
	case a >= 22:
		a = 1
	case a >= 1:
		a = 1 - 2/(expLess(2*a)+2)
	default:
		t := expLess(-2 * a)
		a = -t / (t + 2)
	}
	return math.Copysign(a, x)
}

// expLess returns e^x - 1 for |x| < 44 (msun's s_expm1.c).
func expLess(x float64) float64 {
	k, lost := 0, 0.0
	if math.Abs(x) > math.Ln2/2 {
		var high, low float64
		k, high, low = multiple(x)
		x = high - low
		lost = (high - x) - low
	}
	half := 0.5 * x
	z := x * half
	r := 4.00821782732936239552e-06 - float64(z*2.01099218183624371326e-07)
	r = -7.93650757867487942473e-05 + float64(z*r)
	r = 1.58730158725481460165e-03 + float64(z*r)
	r = -3.33333333333331316428e-02 + float64(z*r)
	r = 1 + float64(z*r)
	t := 3 - float64(r*half)
	e := float64(z * ((r - t) / (6 - float64(x*t))))
	if k == 0 {
		return x - (float64(x*e) - float64(z))
	}
	e = float64(x*(e-lost)) - lost
	e -= float64(z)
	switch {
	case k == -1:
		return float64(0.5*(x-e)) - 0.5
	case k == 1 && x < -0.25:
		return -2 * (e - (x + 0.5))
	case k == 1:
		return 1 + float64(2*(x-e))
	case k < 0 || k > 56:
		return float64((1-(e-x))*power(k)) - 1
	case k < 20:
		return ((1 - power(-k)) - (e - x)) * power(k)
	}
	return ((x - (e + power(-k))) + 1) * power(k)
}

// reduced returns n modulo 4 and y + rest = x - n·π/2, |y| ≤ π/4 but for rounding; NaN if x is
// infinite or NaN. The three parts of π/2 have 33 bits, so that products with n are exact.
func reduced(x float64) (n int, y, rest float64) {
	if !(math.Abs(x) < 1<<20) {
		return reducedFar(x)
	}
	const (
		first, firstRest   = 1.57079632673412561417e+00, 6.07710050650619224932e-11
		second, secondRest = 6.07710050630396597660e-11, 2.02226624879595063154e-21
		third, thirdRest   = 2.02226624871116645580e-21, 8.47842766036889956997e-32
	)
	n = int(float64(x*(2/math.Pi)) + math.Copysign(0.5, x))
	k := float64(n)
	r := x - float64(k*first)
	w := float64(k * firstRest)
	y = r - w
	if lost := exponent(x) - exponent(y); lost > 16 {
		t := r
		w = float64(k * second)
		r = t - w
		w = float64(k*secondRest) - ((t - r) - w)
		y = r - w
		if exponent(x)-exponent(y) > 49 {
			t = r
			w = float64(k * third)
			r = t - w
			w = float64(k*thirdRest) - ((t - r) - w)
			y = r - w
		}
	}
	return n, y, (r - y) - w
}

func exponent(x float64) int { return int(math.Float64bits(x) >> 52 & 0x7ff) }

// reducedFar does what reduced does, for any |x| ≥ 1 (Payne and Hanek, 1983). x is m·2^e for an integer m. Bits of 2/π of weight 2^(2-e) or
// more add multiples of 4 to x·2/π: the next 192 bits have all that matters, for m·2^e is never closer to a multiple of π/2 than 2^-62.
func reducedFar(x float64) (n int, y, rest float64) {
	b := math.Float64bits(x)
	e := exponent(x) - 1075
	if e == 0x7ff-1075 {
		return 0, math.NaN(), 0
	}
	m := b&(1<<52-1) | 1<<52
	at, shift := uint(e+62)/64, uint(e+62)%64
	var w [3]uint64
	for k := range w {
		w[k] = twoOverPi[at+uint(k)]<<shift | twoOverPi[at+uint(k)+1]>>(64-shift)
	}
	// p is m·w modulo 2^192, x·2/π modulo 4 in units of 2^-190.
	h2, p2 := bits.Mul64(m, w[2])
	h1, l1 := bits.Mul64(m, w[1])
	p1, carry := bits.Add64(l1, h2, 0)
	p0 := m*w[0] + h1 + carry
	n = int(p0 >> 62)
	p0 = p0<<2 | p1>>62
	p1 = p1<<2 | p2>>62
	p2 <<= 2
	negative := p0>>63 == 1
	if negative { // nearer to the next multiple
		n++
		var borrow uint64
		p2, borrow = bits.Sub64(0, p2, 0)
		p1, borrow = bits.Sub64(0, p1, borrow)
		p0, _ = bits.Sub64(0, p0, borrow)
	}
	zeros := bits.LeadingZeros64(p0)
	if zeros == 64 {
		p0, p1, p2 = p1, p2, 0
		zeros += bits.LeadingZeros64(p0)
	}
	s := uint(zeros % 64)
	p0 = p0<<s | p1>>(64-s)
	p1 = p1<<s | p2>>(64-s)
	// The product with π/2, which is 2^-127 times an integer.
	const halfPi0, halfPi1 = 0xc90fdaa22168c234, 0xc4c6628b80dc1cd1
	q0, q1 := bits.Mul64(p0, halfPi0)
	a, _ := bits.Mul64(p0, halfPi1)
	c, _ := bits.Mul64(p1, halfPi0)
	q1, carry = bits.Add64(q1, a, 0)
	q0 += carry
	q1, carry = bits.Add64(q1, c, 0)
	q0 += carry
	unit := power(-63 - zeros)
	high := float64(float64(q0>>11<<11) * unit)
	low := float64(float64(q0<<53|q1>>11) * (unit * (1.0 / (1 << 53))))
	y = high + low
	rest = low - (y - high)
	if negative {
		y, rest = -y, -rest
	}
	if x < 0 {
		return -n, -y, -rest
	}
	return n, y, rest
}

// twoOverPi has the bits of 2/π, after 64 zeros.
var twoOverPi = [...]uint64{
	0, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561, 0xb7246e3a424dd2e0, 0x06492eea09d1921c,
	0xfe1deb1cb129a73e, 0xe88235f52ebb4484, 0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f,
	0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d, 0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08,
	0x56033046fc7b6bab, 0xf0cfbc209af4361d,
}
