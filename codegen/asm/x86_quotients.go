package asm

import "math/bits"

// DivideIndex: the high half of a product with 2^(32+s)/by, rounded up, then shifted by s; one more
// where the quotient is negative (H. S. Warren, Hacker's Delight, 10-1). VPMULDQ multiplies every
// other lane, so the even and the odd lanes are multiplied one after the other.
func (m *x86) DivideIndex(x Reg, by int) Reg {
	switch by {
	case 1:
		return x
	case -1:
		return m.Binary(Sub, false, m.Splat(0), x)
	}
	factor, shift := indexFactor(by)
	factors, odd := m.Splat(uint64(uint32(factor))), m.Vec()
	even := m.unary("VPMULDQ", factors, x)
	m.Emit("VPSRLQ", Imm(32), x, odd)
	m.Emit("VPMULDQ", factors, odd, odd)
	m.Emit("VPSRLQ", Imm(32), even, even)
	high := m.Bits(And, odd, m.Each(4, func(l int) int { return -(l % 2) }))
	q := m.Bits(Or, even, high)
	switch {
	case by > 0 && factor < 0:
		q = m.Binary(Add, false, q, x)
	case by < 0 && factor > 0:
		q = m.Binary(Sub, false, q, x)
	}
	if shift > 0 {
		q = m.unary("VPSRAD", Imm(uint64(shift)), q)
	}
	return m.Binary(Add, false, q, m.unary("VPSRLD", Imm(31), q))
}

// indexFactor returns the factor and the shift for a divisor that is not 0, 1 or -1: the least shift
// with which the error of the factor is small enough for every dividend.
func indexFactor(by int) (factor int32, shift int) {
	d := uint64(max(by, -by))
	most := uint64(1)<<31 + uint64(bits.Reverse32(uint32(by))&1) // 2^31, or one more if by is negative
	most = most - 1 - most%d                                     // the greatest multiple of d, less one
	for p := 32; ; p++ {
		power := uint64(1) << p
		if rest := d - power%d; power > most*rest {
			f := (power + rest) / d
			if by < 0 {
				f = -f
			}
			return int32(uint32(f)), p - 32
		}
	}
}
