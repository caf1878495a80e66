package vector

import (
	"fmt"
	"math"

	"loopc/codegen/asm"
	"loopc/ir"
)

// A sharedDivisor is how several quotients a/b of a step that have the same divisor are
// computed with one division, y = RN(1/b), and three products for each of them,
//
//	q₀ = RN(a·y)	r = RN(b·q₀ - a)	q = RN(q₀ - r·y)
//
// with the bits of the divisions: Markstein, Computation of Elementary Functions on the
// IBM RISC System/6000 Processor, 1990. His theorem requires that q₀ is within a unit in
// the last place of a/b. RN(a·y) is not always so close; the proof for it follows.
//
// Let nothing be denormal or infinite, and signs be positive. For p bits, let A and B be the
// integers of p bits, 2^(p-1) ≤ A, B < 2^p, that a and b are but for powers of two. In units
// of the last place of a/b, let Q be a/b and N be q₀, an integer; the remainder R = B·(Q - N)
// is an integer, too. y is rounded correctly: y = (1+d)/b with |d| ≤ B·2^-2p, because 2^p/B
// is rounded to an integer of p bits, or to 2^p, or is exact. (No exception is needed for a
// b of all ones: only iterated reciprocals need it.) So |Q - N| ≤ 1/2 + Q·|d|.
//
//   - A ≥ B: Q = 2^(p-1)·A/B, and Q·|d| ≤ A·2^(-p-1) < 1/2.
//   - A < B: Q = 2^p·A/B, and Q·|d| ≤ A·2^-p < 1.
//
// If |Q - N| ≤ 1 then |R| ≤ B, so that r is exact. The result is N + R·(1+d)/B, rounded, and
// rounds as Q = N + R/B does if both lie on the same side of N ± 1/2. Q is never the
// middle, for then A would need more bits; if |R| ≥ (B+1)/2 then
//
//	|R|·(1+d)/B ≥ 1/2 + 1/(2B) - (B+1)·2^(-2p-1) > 1/2, as B·(B+1) < 2^2p,
//
// and if |R| ≤ (B-1)/2 it is less than 1/2 in the same way. (Where A = B, N may be 1/2 below
// a power of two; then R = B/2, and the sum is within 1/4 of Q.)
//
// Else A < B and 1 < |Q - N| ≤ 1/2 + A·2^-p. |R| has at most one bit too many, so that r
// differs from R by at most 1, and only if |R| > 2^p, which requires B > 2^p·2/3. So the sum
// differs from Q by at most 3/2·B·2^-2p + (1+d)/B, which is less than 3·2^-p. Q is at least
// 1/2 away from the middle N ± 1/2, and 1 - A·2^-p from the middle N ± 3/2. That is 4·2^-p or
// more, except for three pairs of A ≥ 2^p - 3 and B > A; TestSharedPairs shows that these
// are right.
//
// Bounds on the numbers: let |b| and |q₀| be in [2^L, 2^(L+W)), where W is half of the number
// of exponents and 2L ≥ p - bias. Then y and q are normal, a is neither infinite nor NaN, and
// r, a multiple of 2^(2L-2p+2), is zero or at least the least denormal number. Zeros, whose
// sign r would lose, denormals, infinities and NaN are outside these bounds. The test in a
// lane is one bit of the number's bits minus the bits of 2^L; it does not depend on the
// sign. The bits of all numbers are joined, so that a step has one test. If a lane fails it,
// the vector is divided, in separate code.
type sharedDivisor struct {
	divisor ir.Expr
	// The numerators, and the names of their quotients.
	numerators []ir.Expr
	names      []string
}

// sharedLeast is L for type t.
func sharedLeast(t ir.Type) int {
	f := floatLayouts[t]
	bias := 1<<(f.exponent-1) - 1
	return -(bias - f.precision) / 2
}

// sharedBits are the constants that test lanes of type t: the bits of 1, the negated bits of 2^L,
// and the bit that is set if a number is outside the bounds.
func sharedBits(t ir.Type) (one, least, beyond uint64) {
	f := floatLayouts[t]
	bias := uint64(1)<<(f.exponent-1) - 1
	place := f.precision - 1
	one = bias << place
	least = -((bias + uint64(sharedLeast(t))) << place) & (math.MaxUint64 >> (64 - 8*t.Size()))
	return one, least, 1 << (f.precision + f.exponent - 2)
}

// sharedDivisor returns the divisor of most quotients in a step, at least two, whose operands are
// known when the step begins; nil if there is none. If a second divisor were shared, multipliers
// would take as long as the divider [note vector-constants].
func (s *Shape) sharedDivisor() *sharedDivisor {
	all := map[string]*sharedDivisor{}
	seen := map[string]bool{}
	var best *sharedDivisor
	s.each(func(e ir.Expr) {
		quo, ok := e.(*ir.Binary)
		if !ok || quo.Op != ir.Quo || !quo.T.Float() || quo.T.Size() != s.lane || reciprocalOf(e) != nil {
			return
		}
		name, by := s.nameOf(e), s.nameOf(quo.Y)
		if name == "" || seen[name] || divides(quo.X) || !s.early(quo) {
			return
		}
		seen[name] = true
		if all[by] == nil {
			all[by] = &sharedDivisor{divisor: quo.Y}
		}
		x := all[by]
		x.numerators = append(x.numerators, quo.X)
		x.names = append(x.names, name)
		if len(x.names) > 1 && (best == nil || len(x.names) > len(best.names)) {
			best = x
		}
	})
	return best
}

// divides reports whether e contains a division: it may have the same divisor.
func divides(e ir.Expr) (any bool) {
	ir.Walk(e, func(e ir.Expr) {
		quo, ok := e.(*ir.Binary)
		any = any || ok && quo.Op == ir.Quo
	})
	return any
}

// shares reports whether quotients with one divisor should be computed together: if the divider
// bounds a step, and the step becomes shorter.
func (s *Shape) shares(isa asm.ISA) bool {
	if isa != asm.AVX2 || s.sharedDivisor() == nil {
		return false
	}
	cost := func(share bool) Function {
		f := s.trial(isa)
		f.contiguous(1, 0, share, 0)
		return f.result(0, 1)
	}
	apart := cost(false)
	shared := cost(true)
	return apart.Divides() && shared.Cost.Ports.Sum() < apart.Cost.Ports.Sum()
}

// sharesIn reports whether an attempt computes quotients with one divisor together.
func (s *Shape) sharesIn(a attempt) bool {
	return s.Scheme == Contiguous && a.keeps > 0 && s.shares(asm.AVX2)
}

// Shared says in a few words which divisions the assembly computes together.
func (s *Shape) Shared() string {
	if !s.sharing {
		return ""
	}
	return fmt.Sprintf("%d divisions by the same number as one and %d products", len(s.sharedDivisor().names), 3*len(s.sharedDivisor().names))
}

// holdShared keeps in registers the constants with which every step shares a division.
func (f *function) holdShared(d *sharedDivisor) {
	one, least, beyond := sharedBits(d.divisor.Type())
	for _, c := range []uint64{one, least, beyond} {
		f.HoldConstant(f.Splat(c))
	}
}

// divideOnce writes the quotients of d, and puts them into b.shared.
func (b *body) divideOnce(d *sharedDivisor) {
	t := d.divisor.Type()
	one, least, beyond := sharedBits(t)
	y := b.Load(b.expr(d.divisor))
	inverse := b.Binary(asm.Div, true, b.Load(b.HeldOrMemory(b.Splat(one))), y)
	a, q := make([]asm.Reg, len(d.names)), make([]asm.Reg, len(d.names))
	for k, e := range d.numerators {
		a[k] = b.Load(b.expr(e))
		q[k] = b.Binary(asm.Mul, true, a[k], inverse)
	}
	test := b.beyond(y, least)
	for _, x := range q {
		test = b.Bits(asm.Or, b.beyond(x, least), test)
	}
	apart, back := b.NewLabel("outside"), b.NewLabel("divided")
	b.JumpIfAny(b.HeldOrMemory(b.Splat(beyond)), test, apart)
	for k := range q {
		r := b.Vec()
		b.Move(q[k], r)
		b.ProductMinus(y, a[k], r)
		b.SubProduct(r, inverse, q[k])
		b.shared[d.names[k]] = q[k]
	}
	b.Label(back)
	b.Later(func() {
		b.Label(apart)
		for k := range q {
			b.Into(asm.Div, true, a[k], y, q[k])
		}
		b.Jump(back)
	})
}

// beyond returns lanes in which the bit beyond of sharedBits is set if x is outside the bounds.
func (b *body) beyond(x asm.Reg, least uint64) asm.Reg {
	r := b.Vec()
	b.AddLanes(b.HeldOrMemory(b.Splat(least)), x, r)
	return r
}
