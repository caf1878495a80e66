package vector

import (
	"math"

	"loopc/codegen/asm"
	"loopc/ir"
)

// Exponentials and logarithms in lanes have the bits of package arith: the same operations in
// the same order. Where arith branches, all branches are computed, and lanes choose.

// Latencies of the chains of operations below.
const (
	latencyExp = 18*asm.LatencyFloat + asm.LatencyFloor + asm.LatencyDiv64 + 6*asm.LatencyBlend + 4*asm.LatencyLogic
	latencyLog = 18*asm.LatencyFloat + asm.LatencyDiv64 + 6*asm.LatencyBlend + 4*asm.LatencyLogic
)

// inFloat64 returns what writes a function of one float, computed in float64. If lanes have 4 bytes, a vector
// has too many float32s for one vector of float64: its two halves are computed separately.
func inFloat64(of func(*body, asm.Reg) asm.Reg) func(*body, *ir.Call) asm.Operand {
	return func(b *body, e *ir.Call) asm.Operand {
		x := b.Load(b.expr(e.Args[0]))
		switch {
		case e.T == ir.Float64:
			return of(b, x)
		case b.s.lane == 8:
			wide := b.as(ir.Float64)
			return b.Round(of(wide, wide.FromFloats(x)))
		}
		half := *b
		half.Machine = b.Half()
		part := func(x asm.Reg) asm.Reg { return half.In(4, false).Round(of(&half, half.FromFloats(x))) }
		low := part(x.As(b.Bytes() / 2))
		return b.Join(low, part(b.Upper(x)))
	}
}

// The operations of the formulas below, on float64. Their first operands may be constants.
func (b *body) num(x float64) asm.Operand        { return b.HeldOrMemory(b.Splat(math.Float64bits(x))) }
func (b *body) add(x, y asm.Operand) asm.Reg     { return b.Binary(asm.Add, true, x, y) }
func (b *body) mul(x, y asm.Operand) asm.Reg     { return b.Binary(asm.Mul, true, x, y) }
func (b *body) sub(x, y asm.Operand) asm.Reg     { return b.Binary(asm.Sub, true, b.Load(x), y) }
func (b *body) div(x, y asm.Operand) asm.Reg     { return b.Binary(asm.Div, true, b.Load(x), y) }
func (b *body) less(x, y asm.Operand) asm.Reg    { return b.Compare(asm.Lt, true, b.Load(x), y) }
func (b *body) greater(x, y asm.Operand) asm.Reg { return b.Compare(asm.Gt, true, b.Load(x), y) }

// horner returns the polynomial in x whose coefficients begin with that of the highest power.
func (b *body) horner(x asm.Reg, coefficients ...float64) asm.Reg {
	sum := b.Load(b.num(coefficients[0]))
	for _, c := range coefficients[1:] {
		sum = b.add(b.mul(x, sum), b.num(c))
	}
	return sum
}

// exp is arith.Exp.
func (b *body) exp(x asm.Reg) asm.Reg {
	magnitude := b.Bits(asm.And, x, b.Splat(b.SignBit()-1))
	half := b.Bits(asm.Or, b.Bits(asm.And, x, b.Splat(b.SignBit())), b.num(0.5))
	k := b.Load(b.Trunc(b.add(b.mul(x, b.num(math.Log2E)), half)))
	high := b.sub(x, b.mul(k, b.num(6.93147180369123816490e-01)))
	low := b.mul(k, b.num(1.90821492927058770002e-10))
	r := b.sub(high, low)
	t := b.mul(r, r)
	c := b.horner(t, 4.13813679705723846039e-08, -1.65339022054652515390e-06, 6.61375632143793436117e-05, -2.77777777770155933842e-03, 1.66666666666666019037e-01)
	c = b.sub(r, b.mul(t, c))
	y := b.sub(b.num(1), b.sub(b.sub(low, b.div(b.mul(r, c), b.sub(b.num(2), c))), high))
	y = b.scaled(y, k)
	y = b.Choose(b.less(magnitude, b.num(1.0/(1<<28))), b.add(x, b.num(1)), y)
	y = b.Choose(b.greater(x, b.num(7.09782712893383973096e+02)), b.num(math.Inf(1)), y)
	y = b.Choose(b.less(x, b.num(-7.45133219101941108420e+02)), b.num(0), y)
	return b.Choose(b.Compare(asm.Ne, true, x, x), x, y)
}

// scaled returns y·2^k for integers k, rounded once: by a power of two that is a normal number, then by
// a factor that is not 1 for the greatest and the least k.
func (b *body) scaled(y, k asm.Reg) asm.Reg {
	const units = 3 << 51 // units + k has k in its low bits
	least, greatest := b.less(k, b.num(-1021)), b.greater(k, b.num(1023))
	by := b.add(k, b.Choose(least, b.num(64), b.Choose(greatest, b.num(-1), b.num(0))))
	power := b.Vec()
	b.AddLanes(b.Splat(1023), b.add(by, b.num(units)), power)
	y = b.mul(y, b.ShiftLanes(52, power))
	return b.mul(y, b.Choose(least, b.num(1.0/(1<<64)), b.Choose(greatest, b.num(2), b.num(1))))
}

// log is arith.Log.
func (b *body) log(x asm.Reg) asm.Reg {
	const units = 1 << 52 // the bits of units + n are those of units, and n
	tiny := b.less(x, b.num(0x1p-1022))
	n := b.Choose(tiny, b.mul(x, b.num(0x1p54)), x)
	k := b.sub(b.Bits(asm.Or, b.ShiftLanesDown(52, n), b.num(units)), b.num(units+1022))
	k = b.sub(k, b.Choose(tiny, b.num(54), b.num(0)))
	m := b.Bits(asm.Or, b.Bits(asm.And, n, b.Splat(1<<52-1)), b.num(0.5))
	small := b.less(m, b.num(math.Sqrt2/2))
	m = b.Choose(small, b.add(m, m), m)
	k = b.sub(k, b.Choose(small, b.num(1), b.num(0)))
	f := b.sub(m, b.num(1))
	s := b.div(f, b.add(f, b.num(2)))
	z := b.mul(s, s)
	w := b.mul(z, z)
	odd := b.mul(z, b.horner(w, 1.479819860511658591e-01, 1.818357216161805012e-01, 2.857142874366239149e-01, 6.666666666666735130e-01))
	even := b.mul(w, b.horner(w, 1.531383769920937332e-01, 2.222219843214978396e-01, 3.999999999940941908e-01))
	half := b.mul(b.mul(f, b.num(0.5)), f)
	y := b.mul(s, b.add(half, b.add(odd, even)))
	y = b.sub(b.sub(half, b.add(y, b.mul(k, b.num(1.90821492927058770002e-10)))), f)
	y = b.sub(b.mul(k, b.num(6.93147180369123816490e-01)), y)
	y = b.Choose(b.less(x, b.num(0)), b.Splat(math.Float64bits(math.NaN())), y)
	y = b.Choose(b.Compare(asm.Eq, true, x, b.num(0)), b.num(math.Inf(-1)), y)
	y = b.Choose(b.greater(x, b.num(math.MaxFloat64)), x, y)
	return b.Choose(b.Compare(asm.Ne, true, x, x), x, y)
}
