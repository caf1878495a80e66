package vector

import (
	"fmt"
	"go/constant"
	"math"
	"math/big"
	"math/bits"

	"loopc/codegen/asm"
	"loopc/ir"
)

// A reciprocal is how x/c is computed for a constant c without the divider, which
// is the slowest unit, with the bits of the division for every x.
//
// If c is a power of two, x·(1/c) rounds the same number as x/c, once. Else let
// c = B·2^e with B ≥ 3 odd, p be the precision, y = 1/c, h = y rounded towards zero
// and l = RN(y - h), which is not zero and has the sign of c. Then
//
//	q = RN(x·h + RN(x·l))	two products, the second one fused with the sum
//
// is RN(x/c): Brisebarre, Muller and Raina, Accelerating Correctly Rounded
// Floating-Point Division when the Divisor is Known in Advance, IEEE Transactions on
// Computers 53(8), 2004. Of their conditions on c, the simplest is used here. Proof:
// |y - h| < 2^(1-p)·|y|, and the relative errors of l and x·l are at most 2^-p each. So
// the sum, before its rounding, differs from x/c by less than
//
//	|x/c|·2^(1-p)·(2^(1-p) + 2^(-2p)) < 2^(2-p)·(1 + 2^(-p-1)) units in the last place
//
// of x/c. If x/c is normal, it is at least 1/(2B) units from the middle between two
// neighboring numbers: in units of the last place, x/c and the middle are multiples of
// 1/(2B), and they differ, because x has p bits, too few for B times the p+1 bits of the
// middle. (At a power of two, the middle below is 1/4 away.) So B < 2^(p-3) is enough;
// mostOdd leaves room.
//
// Infinities, NaN and both zeros have the right quotients, because h and l have the same
// sign. An x other than zero for which x·l is denormal remains: the relative error of x·l
// then exceeds 2^-p. A vector with such an x in a lane is divided, in separate code
// (asm.Machine.DivideTiny).
//
// Markstein's correction by the remainder is not used (Computation of Elementary Functions
// on the IBM RISC System/6000 Processor, 1990). Its q - (c·q - x)·y is right for nearly all
// such x, too, but takes three dependent products, and one more instruction for infinities.
type reciprocal struct {
	high, low uint64 // h and l as bits of a lane; low is 0 for a power of two
	divisor   uint64 // c
	// High bits of the exponent. If at least one of them is set in x, x·l is not denormal.
	large uint64
}

// mostOdd bounds the odd part of divisors.
const mostOdd = 1 << 20

// floatLayouts has, for each type, the precision, the number of exponent bits, and how many of the
// lowest exponent bits reciprocal.large may leave out at most. Then every |x| ≥ 2^-511 in float64, or
// 2^-63 in float32, is large enough; few numbers in computations are smaller, except zero.
var floatLayouts = map[ir.Type]struct{ precision, exponent, most int }{
	ir.Float64: {53, 11, 9},
	ir.Float32: {24, 8, 6},
}

// reciprocalOf returns the reciprocal that replaces the divider if e is a division by a suitable
// constant, and nil otherwise.
func reciprocalOf(e ir.Expr) *reciprocal {
	quo, ok := e.(*ir.Binary)
	if !ok || quo.Op != ir.Quo || !quo.T.Float() {
		return nil
	}
	lit, ok := quo.Y.(*ir.Lit)
	if !ok {
		return nil
	}
	c, _ := constant.Float64Val(lit.Value)
	if quo.T == ir.Float32 {
		f, _ := constant.Float32Val(lit.Value)
		c = float64(f)
	}
	return newReciprocal(c, quo.T)
}

// newReciprocal returns the reciprocal that computes x/c for x and c of type t; nil if there is none.
func newReciprocal(c float64, t ir.Type) *reciprocal {
	if c == 0 || math.IsInf(c, 0) || math.IsNaN(c) {
		return nil
	}
	f := floatLayouts[t]
	bias := 1<<(f.exponent-1) - 1
	size := t.Size()
	mantissa, exponent := math.Frexp(math.Abs(c))
	if exponent < -bias/2 || exponent > bias/2 {
		return nil // 1/c or its error may be denormal
	}
	odd := uint64(mantissa * (1 << 53))
	odd >>= bits.TrailingZeros64(odd)
	exact := new(big.Float).SetPrec(4 * 53).SetFloat64(c)
	one := big.NewFloat(1)
	high := new(big.Float).SetPrec(uint(f.precision)).SetMode(big.ToZero).Quo(one, exact)
	r := &reciprocal{high: floatBits(high, size), divisor: floatBits(exact, size)}
	if odd == 1 {
		return r
	}
	rest := new(big.Float).SetPrec(4*53).Mul(high, exact)
	rest.Sub(one, rest) // exact, like the product
	low := new(big.Float).SetPrec(uint(f.precision)).Quo(rest, exact)
	// 2^(1-bias) is the least normal number, and |l| ≥ 2^(lowExponent-1). So x·l is normal if |x| ≥ 2^least.
	lowExponent := low.MantExp(nil)
	least := 1 - bias - (lowExponent - 1)
	// If the exponent of x has a bit from bit k on, |x| is at least 2^(2^k-bias).
	k := 1
	for 1<<k-bias < least {
		k++
	}
	if odd >= mostOdd || k > f.most {
		return nil
	}
	r.low = floatBits(low, size)
	r.large = (1<<f.exponent - 1<<k) << (f.precision - 1)
	return r
}

// floatBits returns the bits of x as a number of size bytes.
func floatBits(x *big.Float, size int) uint64 {
	if size == 4 {
		f, _ := x.Float32()
		return uint64(math.Float32bits(f))
	}
	f, _ := x.Float64()
	return math.Float64bits(f)
}

// constants are the bits of the constants of a lane.
func (r *reciprocal) constants() []uint64 {
	if r.low == 0 {
		return []uint64{r.high}
	}
	return []uint64{r.low, r.high, r.large}
}

// divisorOf returns the constant by which e divides an integer; 0 if e is no such division, or if lanes do not hold
// its type: all lanes of integers hold int32, and those of their own size (sized) hold other types.
func (s *Shape) divisorOf(e ir.Expr) int {
	quo, ok := e.(*ir.Binary)
	if !ok || quo.Op != ir.Quo || quo.T != ir.Int32 && !(s.sized && s.holds(quo.T) && quo.T.Integer()) {
		return 0
	}
	c, _ := small(quo.Y)
	return c
}

// factorOf returns k > 0 and x if e is the product of 2^k and an integer x.
func (s *Shape) factorOf(e *ir.Binary) (k int, x ir.Expr) {
	for _, operands := range [][2]ir.Expr{{e.X, e.Y}, {e.Y, e.X}} {
		if c, ok := small(operands[1]); ok && e.Op == ir.Mul && e.T.Integer() && c > 1 && c&(c-1) == 0 {
			return bits.TrailingZeros(uint(c)), operands[0]
		}
	}
	return 0, nil
}

// constants are the bits of the constants that a step reads, of the size of a lane.
func (s *Shape) constants() []uint64 {
	var all []uint64
	replaced := map[ir.Expr]bool{} // divisors and powers of two: other constants or shifts take their places
	s.each(func(e ir.Expr) {
		if reciprocalOf(e) != nil || s.divisorOf(e) != 0 {
			replaced[e.(*ir.Binary).Y] = true
		}
		if b, ok := e.(*ir.Binary); ok {
			if k, x := s.factorOf(b); k > 0 && x == b.X {
				replaced[b.Y] = true
			} else if k > 0 {
				replaced[b.X] = true
			}
		}
	})
	s.each(func(e ir.Expr) {
		if r := reciprocalOf(e); r != nil && e.Type().Size() == s.lane {
			all = append(all, r.constants()...)
		} else if lit, ok := e.(*ir.Lit); ok && lit.T != ir.Bool && lit.T.Size() == s.lane && !replaced[e] {
			all = append(all, literal(lit, s.lane))
		}
	})
	return all
}

// Divisions says in a few words which divisions by constants are computed as products.
func (s *Shape) Divisions() []string {
	var all []string
	seen := map[uint64]bool{}
	s.each(func(e ir.Expr) {
		r := reciprocalOf(e)
		if r == nil || seen[r.divisor] {
			return
		}
		seen[r.divisor] = true
		how := "two products"
		if r.low == 0 {
			how = "a product"
		}
		all = append(all, fmt.Sprintf("division by %s as %s", e.(*ir.Binary).Y.(*ir.Lit).Value, how))
	})
	return all
}

// quotient returns x divided by the constant of r.
func (b *body) quotient(x asm.Reg, r *reciprocal) asm.Reg {
	q := b.Vec()
	high := b.HeldOrMemory(b.Splat(r.high))
	if r.low == 0 {
		b.Into(asm.Mul, true, x, high, q)
		return q
	}
	b.Into(asm.Mul, true, x, b.HeldOrMemory(b.Splat(r.low)), q)
	b.AddProduct(high, x, q)
	b.DivideTiny(x, q, r.large, r.divisor)
	return q
}

// dividedBy returns the integer x divided by a constant.
func (b *body) dividedBy(x ir.Expr, by int) asm.Reg {
	if y := b.s.rounded(x, by); y != nil && b.LaneSize() > 1 {
		return b.FloorHalved(bits.TrailingZeros(uint(by)), b.Load(b.expr(y)))
	}
	if all := b.s.interval(x); all.Lo >= 0 {
		return b.QuotientUpTo(b.Load(b.expr(x)), by, int(all.Hi))
	}
	return b.Quotient(b.Load(b.expr(x)), by)
}

// rounded returns y if x is y - y&(by-1), and by is a power of two, 2^k; otherwise nil. The quotient x/by is then y >> k, which
// writeout.go has written in this form.
func (s *Shape) rounded(x ir.Expr, by int) ir.Expr {
	sub, ok := x.(*ir.Binary)
	if !ok || sub.Op != ir.Sub || by < 2 || by&(by-1) != 0 {
		return nil
	}
	low, ok := sub.Y.(*ir.Binary)
	if !ok || low.Op != ir.BitAnd {
		return nil
	}
	mask, ok := small(low.Y)
	if name := s.nameOf(sub.X); !ok || mask != by-1 || low.X != sub.X && (name == "" || name != s.nameOf(low.X)) {
		return nil
	}
	return sub.X
}
