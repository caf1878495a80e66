package asm

import (
	"math/big"
	"math/bits"
)

// Quotient divides integers of w bits by a number that is not 0, as Go does. If by is a power of two,
// x is shifted; negative numbers are first made to round towards zero. Otherwise the factor is
// 2^(w+s)/by, rounded away from zero. The quotient is the high half of x·factor, shifted by s; if it is
// negative, 1 is added (H. S. Warren, Hacker's Delight, 10-1). A lane holds the factor modulo 2^w: if
// this changes the factor's sign, x is added to the high half, or subtracted if by < 0.
func (m *x86) Quotient(x Reg, by int) Reg {
	switch {
	case by == 1:
		return x
	case by == -1:
		return m.Binary(Sub, false, m.Splat(0), x)
	case m.lane == 1 && m.unsigned:
		return m.quotientOfBytes(x, by)
	case m.lane == 1:
		q := m.In(1, true).Quotient(m.Abs(x), max(by, -by))
		minus, zero := m.Binary(Sub, false, m.Splat(0), q), m.Splat(0)
		if by < 0 {
			return m.Choose(m.Compare(Lt, false, x, zero), q, minus)
		}
		return m.Choose(m.Compare(Lt, false, x, zero), minus, q)
	case m.lane == 2 && m.unsigned:
		return m.quotientOfPairs(x, by)
	case by > 0 && by&(by-1) == 0:
		return m.halved(x, bits.TrailingZeros(uint(by)))
	}
	width := 8 * m.lane
	factor, shift := indexFactor(by, width)
	q := m.highProduct(x, factor)
	switch {
	case by > 0 && factor < 0:
		q = m.Binary(Add, false, q, x)
	case by < 0 && factor > 0:
		q = m.Binary(Sub, false, q, x)
	}
	if shift > 0 {
		q = m.shiftedDown(shift, q)
	}
	return m.Binary(Add, false, q, m.unary("VPSRL"+m.d(), Imm(uint64(width-1)), q))
}

// highProduct returns the high half of the product of integers of 2 bytes or more. VPMULDQ multiplies every
// other lane, so the even and the odd lanes of 4 bytes are multiplied one after the other.
func (m *x86) highProduct(x Reg, factor int) Reg {
	factors := m.Splat(uint64(factor))
	switch m.lane {
	case 2:
		return m.unary("VPMULHW", factors, x)
	case 8:
		return m.highLong(x, factor)
	}
	odd := m.Vec()
	even := m.unary("VPMULDQ", factors, x)
	m.Emit("VPSRLQ", Imm(32), x, odd)
	m.Emit("VPMULDQ", factors, odd, odd)
	m.Emit("VPSRLQ", Imm(32), even, even)
	high := m.Bits(And, odd, m.Each(4, func(l int) int { return -(l % 2) }))
	return m.Bits(Or, even, high)
}

// highLong returns the high half of the product of signed integers of 8 bytes: the high half of the product of the same bits
// as unsigned integers, minus factor if x is negative, and minus x if factor is negative (Warren, 8-3). The unsigned product is
// the sum of four products of halves, as in long multiplication by hand.
func (m *x86) highLong(x Reg, factor int) Reg {
	low, upper := m.Splat(uint64(uint32(factor))), m.Splat(uint64(factor)>>32)
	down := func(x Operand) Reg { return m.ShiftLanesDown(32, x) }
	product := func(f Mem, x Reg) Reg { return m.unary("VPMULUDQ", f, x) }
	sum := func(x, y Reg) Reg { return m.Binary(Add, false, x, y) }
	above := down(x)
	middle := sum(product(low, above), down(product(low, x)))
	other := sum(product(upper, x), m.Bits(And, middle, m.Splat(1<<32-1)))
	high := sum(sum(product(upper, above), down(middle)), down(other))
	high = m.Binary(Sub, false, high, m.Choose(m.Negative(x), m.Splat(uint64(factor)), m.Splat(0)))
	if factor < 0 {
		high = m.Binary(Sub, false, high, x)
	}
	return high
}

// shiftedDown moves the bits of signed integers of more than a byte to lower places. AVX2 has no instruction for integers of
// 8 bytes.
func (m *x86) shiftedDown(by int, x Reg) Reg {
	if m.lane < 8 || m.MovesLanes() {
		return m.unary("VPSRA"+m.d(), Imm(uint64(by)), x)
	}
	sign := m.Greater(m.Load(m.Splat(0)), x)
	return m.Bits(Or, m.ShiftLanesDown(by, x), m.ShiftLanes(64-by, sign))
}

// FloorHalved divides integers of more than a byte by 2^times, and rounds down.
func (m *x86) FloorHalved(times int, x Reg) Reg {
	if m.unsigned {
		return m.ShiftLanesDown(times, x)
	}
	return m.shiftedDown(times, x)
}

// quotientOfPairs divides unsigned integers of 2 bytes. If by is a power of two, x is shifted. Otherwise the
// factor is that of pairFactor. A factor of 17 bits is 2^16 + f: with t, the high half of f·x, the quotient is
// (x+t)/2^shift, and the sum of x and t is halved before it overflows.
func (m *x86) quotientOfPairs(x Reg, by int) Reg {
	if by&(by-1) == 0 {
		return m.ShiftLanesDown(bits.TrailingZeros(uint(by)), x)
	}
	factor, shift := pairFactor(by)
	q := m.unary("VPMULHUW", m.Splat(uint64(factor&0xffff)), x)
	if factor > 0xffff {
		q = m.Binary(Add, false, q, m.ShiftLanesDown(1, m.Binary(Sub, false, x, q)))
		shift--
	}
	if shift == 0 {
		return q
	}
	return m.ShiftLanesDown(shift, q)
}

// pairFactor returns the factor 2^(16+shift)/by, rounded up, for the least shift such that x·factor/2^(16+shift) is x/by for
// all x below 2^16. It is enough that x·(factor·by − 2^(16+shift)) is less than 2^(16+shift).
func pairFactor(by int) (factor, shift int) {
	for shift = range 17 {
		power := 1 << (16 + shift)
		factor = (power + by - 1) / by
		if most := 1<<16 - 1; most*(factor*by-power) < power {
			return factor, shift
		}
	}
	panic("BUG: asm: no factor for a quotient of 2 bytes")
}

// QuotientUpTo is Quotient for numbers from 0 to most.
// Numbers of 4 bytes are multiplied by a factor and shifted, see factorUpTo.
func (m *x86) QuotientUpTo(x Reg, by, most int) Reg {
	factor, shift := factorUpTo(by, most)
	if m.lane != 4 || factor == 0 {
		return m.Quotient(x, by)
	}
	if factor > 1 {
		x = m.Binary(Mul, false, x, m.Splat(uint64(factor)))
	}
	if shift == 0 {
		return x
	}
	return m.unary("VPSRLD", Imm(uint64(shift)), x)
}

// factorUpTo returns a factor, (2^shift + e)/by with 0 ≤ e < by, such that x/by is x·factor/2^shift for x from 0 to most,
// and the product has at most 32 bits; 0 if there is none. It is enough that x·e < 2^shift, because x/by lies at least 1/by
// below the next integer.
func factorUpTo(by, most int) (factor, shift int) {
	for ; shift < 32 && by > 0 && most < 1<<31; shift++ {
		factor = (1<<shift + by - 1) / by
		if factor*most >= 1<<32 {
			return 0, 0
		}
		if most*(factor*by-1<<shift) < 1<<shift {
			return factor, shift
		}
	}
	return 0, 0
}

// halved returns x/2^times. It first adds 2^times-1 to negative numbers.
func (m *x86) halved(x Reg, times int) Reg {
	width, sign := 8*m.lane, x
	if times > 1 {
		sign = m.shiftedDown(width-1, x)
	}
	more := m.unary("VPSRL"+m.d(), Imm(uint64(width-times)), sign)
	return m.shiftedDown(times, m.Binary(Add, false, more, x))
}

// quotientOfBytes divides unsigned bytes. If by is a power of two, pairs of bytes are shifted, and the
// bits that came from the other byte are cleared. Otherwise the even and the odd bytes are multiplied
// as numbers of 2 bytes. The factor 2^16/by, rounded up by less than 1, is near enough, because the
// error times 255 is less than 2^16.
func (m *x86) quotientOfBytes(x Reg, by int) Reg {
	if by&(by-1) == 0 {
		times := bits.TrailingZeros(uint(by))
		return m.Bits(And, m.unary("VPSRLW", Imm(uint64(times)), x), m.Splat(0xff>>times))
	}
	factor := (1<<16 + by - 1) / by
	factors := m.eachByte(func(b int) int { return factor >> (8 * (b % 2)) & 0xff })
	even := m.unary("VPMULHUW", factors, m.Bits(And, x, m.evenBytes()))
	odd := m.unary("VPMULHUW", factors, m.unary("VPSRLW", Imm(8), x))
	return m.Bits(Or, even, m.unary("VPSLLW", Imm(8), odd))
}

// indexFactor returns the factor and the shift for integers of width bits and a divisor that is not 0, 1 or -1: the
// least shift with which the error of the factor is small enough for every dividend.
func indexFactor(by, width int) (factor, shift int) {
	one, d := big.NewInt(1), new(big.Int).Abs(big.NewInt(int64(by)))
	most := new(big.Int).Lsh(one, uint(width-1)) // the absolute value of the least dividend; one more if by < 0
	if by < 0 {
		most.Add(most, one)
	}
	most.Sub(most, new(big.Int).Rem(most, d)).Sub(most, one) // one less than the greatest multiple of d
	for p := width; ; p++ {
		power := new(big.Int).Lsh(one, uint(p))
		rest := new(big.Int).Sub(d, new(big.Int).Rem(power, d))
		if power.Cmp(new(big.Int).Mul(most, rest)) > 0 {
			f := new(big.Int).Quo(new(big.Int).Add(power, rest), d)
			if by < 0 {
				f.Neg(f)
			}
			bits := new(big.Int).And(f, new(big.Int).SetUint64(1<<64-1)).Uint64()
			return int(int64(bits) << (64 - width) >> (64 - width)), p - width
		}
	}
}
