package arith

import "math"

// pow returns x to the power of y, with an error of less than one unit in the last place: results that are floats are exact. If y is 2, it
// is x·x. Special values are those of C99 and of package math.
//
// It is e to the power of y·log|x|, where the logarithm and its product with y are sums of two floats, high and low.
func pow(x, y float64) float64 {
	a := math.Abs(x)
	switch {
	case y == 0 || x == 1:
		return 1
	case x != x || y != y:
		return math.NaN()
	case y == 1:
		return x
	case y == 2:
		return x * x
	case a == 0 || a > math.MaxFloat64 || math.Abs(y) > math.MaxFloat64:
		return signed(limit(a, y), x, y)
	case x < 0 && y != math.Trunc(y):
		return math.NaN()
	}
	high, low := logParts(a)
	p := y * high
	switch {
	case p > 710:
		return signed(math.Inf(1), x, y)
	case p < -746:
		return signed(0, x, y)
	}
	p, rest := product(y, high)
	rest += float64(y * low)
	k, r, less := multiple(p)
	return signed(scaled(expReduced(r, less-rest), k), x, y)
}

// limit returns a to the power of y, if a is 0 or infinite, or y is infinite.
func limit(a, y float64) float64 {
	switch {
	case a == 1:
		return 1
	case (a > 1) == (y > 0):
		return math.Inf(1)
	}
	return 0
}

// signed returns r with the sign of x to the power of y.
func signed(r, x, y float64) float64 {
	if math.Signbit(x) && math.Abs(y) < 1<<53 && y == math.Trunc(y) && int(y)&1 != 0 {
		return -r
	}
	return r
}

// logParts returns log a as a sum, with a relative error below 2^-70. For a = 2^k·m and a multiple c of
// 1/16 next to m, it is k·log 2 + log c + 2·(s + s³/3 + s⁵/5 ...), s = (m-c)/(m+c), |s| < 1/44.
func logParts(a float64) (high, low float64) {
	const third, thirdRest = 1.0 / 3, 1.85037170770859413132e-17
	m, k := parts(a)
	j := int(float64(16*m) + 0.5)
	c := float64(float64(j) * (1.0 / 16))
	u := m - c
	d := m + c
	dRest := u - (d - float64(2*c))
	s := u / d
	p, rest := product(s, d)
	sRest := (((u - p) - rest) - float64(s*dRest)) / d
	z, zRest := product(s, s)
	zRest += float64(2 * s * sRest)
	t, tRest := product(z, third)
	poly := 1.0/7 + float64(z*(1.0/9+float64(z*(1.0/11))))
	poly = 1.0/5 + float64(z*poly)
	tRest += float64(z*thirdRest) + float64(zRest*third) + float64(z*z*poly)
	w, wRest := product(s, t)
	wRest += float64(s*tRest) + float64(sRest*t)
	high, rest = sum(float64(k*ln2High), logs[j-11][0])
	low = rest + float64(k*ln2Low)
	high, rest = sum(high, float64(2*s))
	low += rest
	high, rest = sum(high, float64(2*w))
	low += rest
	return high, low + (logs[j-11][1] + float64(2*(sRest+wRest)))
}

// logs are the logarithms of 11/16 to 23/16, as sums.
var logs = [...][2]float64{
	{-0.3746934494414107, 3.9243112288632396e-18},
	{-0.2876820724517809, -2.607160616442564e-17},
	{-0.2076393647782445, -1.2053243216686129e-17},
	{-0.13353139262452263, 3.664457663660085e-18},
	{-0.06453852113757118, 6.470486661692933e-18},
	{0, 0},
	{0.06062462181643484, 2.6424025938726934e-18},
	{0.11778303565638346, -1.1971685747593677e-18},
	{0.17185025692665923, -6.0224538210113705e-18},
	{0.22314355131420976, -9.091270597324799e-18},
	{0.27193371548364176, 7.83319637697442e-19},
	{0.3184537311185346, 2.7114779367326236e-17},
	{0.3629054936893685, -2.1492361455310972e-17},
}

// sum returns x + y, rounded and what rounding lost.
func sum(x, y float64) (s, rest float64) {
	s = x + y
	t := s - x
	return s, (x - (s - t)) + (y - t)
}

// product returns x·y, rounded and what rounding lost (Dekker, 1971), if nothing over- or underflows.
func product(x, y float64) (p, rest float64) {
	const lower = 1<<27 - 1
	a, b := math.Float64frombits(math.Float64bits(x)&^lower), math.Float64frombits(math.Float64bits(y)&^lower)
	p = float64(x * y)
	rest = (float64(a*b) - p) + float64(a*(y-b))
	rest += float64((x - a) * b)
	return p, rest + float64((x-a)*(y-b))
}
