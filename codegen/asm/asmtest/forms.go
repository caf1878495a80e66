package asmtest

import (
	"fmt"
	"math"
	"strings"
)

// forms are the instructions on vectors.
var forms = map[string]form{}

// integerForms are instructions on integers, of the sizes that letters name.
var integerForms = []struct {
	name, sizes string
	f           func(size int, a, b uint64) uint64
}{
	{"VPADD", "BWDQ", func(_ int, a, b uint64) uint64 { return a + b }},
	{"VPSUB", "BWDQ", func(_ int, a, b uint64) uint64 { return a - b }},
	{"VPMULL", "WDQ", func(_ int, a, b uint64) uint64 { return a * b }},
	{"VPMULHU", "W", func(_ int, a, b uint64) uint64 { return a * b >> 16 }},
	{"VPMULH", "W", func(_ int, a, b uint64) uint64 { return uint64(signed(a, 2) * signed(b, 2) >> 16) }},
	{"VPMULUD", "Q", func(_ int, a, b uint64) uint64 { return uint64(uint32(a)) * uint64(uint32(b)) }},
	{"VPMULD", "Q", func(_ int, a, b uint64) uint64 { return uint64(signed(a, 4) * signed(b, 4)) }},
	{"VPMINS", "BWD", func(size int, a, b uint64) uint64 { return uint64(min(signed(a, size), signed(b, size))) }},
	{"VPMAXS", "BWD", func(size int, a, b uint64) uint64 { return uint64(max(signed(a, size), signed(b, size))) }},
	{"VPMINU", "BWD", func(_ int, a, b uint64) uint64 { return min(a, b) }},
	{"VPMAXU", "BWD", func(_ int, a, b uint64) uint64 { return max(a, b) }},
	{"VPAND", "D", func(_ int, a, b uint64) uint64 { return a & b }},
	{"VPOR", "D", func(_ int, a, b uint64) uint64 { return a | b }},
	{"VPSLLV", "D", func(_ int, a, by uint64) uint64 { return a << by }}, // each lane has a number of its own
	{"VPXOR", "D", func(_ int, a, b uint64) uint64 { return a ^ b }},
}

// integerTests are comparisons of integers.
var integerTests = []struct {
	name, sizes string
	f           func(size int, imm, a, b uint64) bool
}{
	{"VPCMPEQ", "BWDQ", func(_ int, _, a, b uint64) bool { return a == b }},
	{"VPCMPGT", "BWDQ", func(size int, _, a, b uint64) bool { return signed(a, size) > signed(b, size) }},
	{"VPCMP", "BWDQ", func(size int, imm, a, b uint64) bool { return compared(imm, signed(a, size), signed(b, size)) }},
	{"VPCMPU", "BWDQ", func(_ int, imm, a, b uint64) bool { return compared(imm, a, b) }},
	{"VPTESTM", "DQ", func(_ int, _, a, b uint64) bool { return a&b != 0 }},
	{"VPTESTNM", "DQ", func(_ int, _, a, b uint64) bool { return a&b == 0 }},
}

// integerUnary are instructions on one vector of integers.
var integerUnary = []struct {
	name, sizes string
	f           func(size int, imm, a uint64) uint64
}{
	{"VPABS", "BWD", func(size int, _, a uint64) uint64 { return uint64(max(signed(a, size), -signed(a, size))) }},
	{"VPSLL", "WDQ", func(_ int, by, a uint64) uint64 { return a << by }},
	{"VPSRL", "WDQ", func(_ int, by, a uint64) uint64 { return a >> by }},
	{"VPSRA", "WDQ", func(size int, by, a uint64) uint64 { return uint64(signed(a, size) >> by) }},
}

// floatForms are instructions on floats of 4 bytes (PS) and of 8 (PD). The sum, the difference, the
// product and the quotient of numbers of 4 bytes are the rounded ones of 8 bytes; so is the root
// (S. A. Figueroa, When is double rounding innocuous?, 1995). If one of a and b is NaN, or both are
// zeros, the least and the greatest are b.
var floatForms = map[string]func(a, b float64) float64{
	"VADD": func(a, b float64) float64 { return a + b },
	"VSUB": func(a, b float64) float64 { return a - b },
	"VMUL": func(a, b float64) float64 { return a * b },
	"VDIV": func(a, b float64) float64 { return a / b },
	"VMIN": func(a, b float64) float64 {
		if a < b {
			return a
		}
		return b
	},
	"VMAX": func(a, b float64) float64 {
		if a > b {
			return a
		}
		return b
	},
}

// fusedForms are products and sums that are rounded once: of the result before and two operands.
var fusedForms = map[string]func(a, b, c float64) (x, y, plus float64){
	"VFMADD231":  func(a, b, c float64) (x, y, plus float64) { return b, c, a },
	"VFNMADD231": func(a, b, c float64) (x, y, plus float64) { return -b, c, a },
	"VFMSUB213":  func(a, b, c float64) (x, y, plus float64) { return b, a, -c },
}

// compared reports whether a and b compare as a code of VPCMPD says.
func compared[T int64 | uint64](code uint64, a, b T) bool {
	switch code {
	case 0:
		return a == b
	case 1:
		return a < b
	case 2:
		return a <= b
	case 4:
		return a != b
	case 5:
		return a >= b
	case 6:
		return a > b
	}
	panic(fmt.Sprintf("code %#x", code))
}

// comparedFloats reports whether a and b compare as a code of VCMPPS says.
func comparedFloats(code uint64, a, b float64) bool {
	switch code {
	case 0x00:
		return a == b
	case 0x03:
		return a != a || b != b
	case 0x04:
		return a != b
	case 0x07:
		return a == a && b == b
	case 0x11:
		return a < b
	case 0x12:
		return a <= b
	case 0x1d:
		return a >= b
	case 0x1e:
		return a > b
	}
	panic(fmt.Sprintf("code %#x", code))
}

// rounding rounds as the constants of VROUNDPS and VRNDSCALEPS say.
func rounding(imm uint64, a float64) float64 {
	switch imm {
	case 0x9:
		return math.Floor(a)
	case 0xa:
		return math.Ceil(a)
	case 0xb:
		return math.Trunc(a)
	}
	panic(fmt.Sprintf("mode %#x", imm))
}

// leastNumber is the least or the greatest of two floats, as the constant of VRANGEPS says; if one of them is NaN, it is the other one.
func leastNumber(imm uint64, a, b float64) float64 {
	f := map[uint64]func(a, b float64) float64{0x4: math.Min, 0x5: math.Max}[imm]
	switch {
	case math.IsNaN(a):
		return b
	case math.IsNaN(b):
		return a
	}
	return f(a, b)
}

// truncated is the integer towards zero, or the least one if there is none.
func truncated(a float64) uint64 {
	if a > math.MinInt32-1 && a < math.MaxInt32+1 {
		return uint64(int64(a))
	}
	return 1 << 31
}

// product returns x·y + plus, rounded once. The product of floats of 4 bytes is exact in 8 bytes. If
// the sum is not, it is rounded to 8 bytes with an odd last bit, so that rounding it to 4 bytes gives
// the same as rounding the exact sum (S. Boldo and G. Melquiond, Emulation of a FMA and correctly
// rounded sums, 2008).
func product(size int, x, y, plus float64) float64 {
	if size == 8 {
		return math.FMA(x, y, plus)
	}
	p := x * y
	sum := p + plus
	if math.IsNaN(sum) || math.IsInf(sum, 0) {
		return sum
	}
	addend := sum - p
	rest := (p - (sum - addend)) + (plus - addend)
	if bits := math.Float64bits(sum); rest != 0 && bits&1 == 0 {
		return math.Nextafter(sum, math.Copysign(math.Inf(1), rest))
	}
	return sum
}

// float returns the number of a lane, and bitsOf the lane of a number.
func float(size int, a uint64) float64 {
	if size == 4 {
		return float64(math.Float32frombits(uint32(a)))
	}
	return math.Float64frombits(a)
}

func bitsOf(size int, x float64) uint64 {
	if size == 4 {
		return uint64(math.Float32bits(float32(x)))
	}
	return math.Float64bits(x)
}

func init() {
	each := func(sizes string, enter func(letter string, size int)) {
		for _, letter := range sizes {
			enter(string(letter), 1<<strings.IndexRune(letters, letter))
		}
	}
	for _, r := range integerForms {
		each(r.sizes, func(letter string, size int) {
			forms[r.name+letter] = pairwise(size, func(_, a, b uint64) uint64 { return r.f(size, a, b) })
		})
	}
	for _, r := range integerTests {
		each(r.sizes, func(letter string, size int) {
			forms[r.name+letter] = test(size, func(imm, a, b uint64) bool { return r.f(size, imm, a, b) })
		})
	}
	for _, r := range integerUnary {
		each(r.sizes, func(letter string, size int) {
			forms[r.name+letter] = single(size, func(imm, a uint64) uint64 { return r.f(size, imm, a) })
		})
	}
	each("BWDQ", func(letter string, size int) {
		f := single(size, func(_, a uint64) uint64 { return a })
		f.compares = true
		forms["VPMOV"+letter+"2M"] = f
	})
	// Names of operations on bits have a size only where masks may apply.
	for _, name := range []string{"VPAND", "VPOR", "VPXOR"} {
		forms[name] = forms[name+"D"]
	}
	forms["VXORPS"] = forms["VPXORD"]
	forms["VPANDN"] = pairwise(4, func(_, a, b uint64) uint64 { return ^a & b })
	for suffix, size := range map[string]int{"PS": 4, "PD": 8} {
		floats(suffix, size)
	}
	conversions()
}

// floats enters the instructions on floats of a size.
func floats(suffix string, size int) {
	onBits := func(f func(imm uint64, a, b float64) float64) func(imm, a, b uint64) uint64 {
		return func(imm, a, b uint64) uint64 { return bitsOf(size, f(imm, float(size, a), float(size, b))) }
	}
	for name, f := range floatForms {
		forms[name+suffix] = pairwise(size, onBits(func(_ uint64, a, b float64) float64 { return f(a, b) }))
	}
	forms["VRANGE"+suffix] = pairwise(size, onBits(leastNumber))
	for name, f := range map[string]func(imm uint64, a float64) float64{
		"VSQRT": func(_ uint64, a float64) float64 { return math.Sqrt(a) }, "VROUND": rounding, "VRNDSCALE": rounding,
	} {
		forms[name+suffix] = single(size, func(imm, a uint64) uint64 { return bitsOf(size, f(imm, float(size, a))) })
	}
	for _, name := range []string{"VADD", "VSUB", "VMUL"} {
		forms[name+"S"+suffix[1:]] = lowest(size, onBits(func(_ uint64, a, b float64) float64 { return floatForms[name](a, b) }))
	}
	for name, f := range fusedForms {
		forms[name+suffix] = fused(size, func(a, b, c uint64) uint64 {
			x, y, plus := f(float(size, a), float(size, b), float(size, c))
			return bitsOf(size, product(size, x, y, plus))
		})
	}
	forms["VCMP"+suffix] = test(size, func(imm, a, b uint64) bool { return comparedFloats(imm, float(size, a), float(size, b)) })
}

// conversions enters the instructions that convert numbers.
func conversions() {
	for from := range 4 {
		for to := range from {
			wide, narrow := 1<<from, 1<<to
			name := letters[to:to+1] + letters[from:from+1]
			forms["VPMOVZX"+name] = resized(narrow, wide, func(a uint64) uint64 { return a })
			forms["VPMOVSX"+name] = resized(narrow, wide, func(a uint64) uint64 { return uint64(signed(a, narrow)) })
			forms["VPMOV"+letters[from:from+1]+letters[to:to+1]] = resized(wide, narrow, func(a uint64) uint64 { return a })
		}
	}
	forms["VCVTQQ2PD"] = resized(8, 8, func(a uint64) uint64 { return bitsOf(8, float64(int64(a))) })
	forms["VCVTDQ2PS"] = resized(4, 4, func(a uint64) uint64 { return bitsOf(4, float64(signed(a, 4))) })
	forms["VCVTDQ2PD"] = resized(4, 8, func(a uint64) uint64 { return bitsOf(8, float64(signed(a, 4))) })
	forms["VCVTPS2PD"] = resized(4, 8, func(a uint64) uint64 { return bitsOf(8, float(4, a)) })
	forms["VCVTPD2PS"] = resized(8, 4, func(a uint64) uint64 { return bitsOf(4, float(8, a)) })
	forms["VCVTTPS2DQ"] = resized(4, 4, func(a uint64) uint64 { return truncated(float(4, a)) })
	forms["VCVTTPD2DQ"] = resized(8, 4, func(a uint64) uint64 { return truncated(float(8, a)) })
	for _, name := range []string{"VCVTPD2PS", "VCVTTPD2DQ"} {
		forms[name+"Y"] = forms[name] // of 32 bytes
	}
}
