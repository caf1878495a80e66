package arith

import (
	"encoding/binary"
	"errors"
	"math"
	"math/bits"
)

// A Sum is the exact sum of the floats added to it, so that their order does not
// matter. The zero Sum is empty. One goroutine adds at a time.
//
// The finite addends are kept as one long number in fixed point, in units of
// 2^-1074, the least float64:
//
//	Σ limb[k]·2^(32k)
//
// A limb is signed and takes 64 bits, though its place is 32 wide: carries may
// wait. An addend has 53 bits, which lie, shifted by less than 32, in two limbs:
// less than 2^32 goes to the lower one, less than 2^52 to the upper. 2^10 addends
// thus fit into a limb that was normalized before (to less than 2^32). This is
// the small superaccumulator of R. M. Neal, Fast exact summation using small and
// large superaccumulators, 2015, arXiv:1505.05571, section 3.
//
// The highest bit of an addend is that of 2^1023, bit 2097; there is room for
// 2^64 addends above it.
type Sum struct {
	limb [sumLimbs]int64
	left int // addends that fit before carries must go; 0 at first
	// signs has a bit per kind of addend that is not finite: see those below.
	signs uint8
}

const (
	sumLimbs = 68 // of 32 bits: 2176 bits
	addends  = 1 << 10
)

// What Sum.signs consists of.
const (
	sumAbove     uint8 = 1 << iota // +Inf
	sumBelow                       // -Inf
	sumUndefined                   // NaN
)

// Add adds x, which may be anything.
func (s *Sum) Add(x float64) {
	b := math.Float64bits(x)
	exp := uint(b>>52) & 0x7ff
	if exp == 0x7ff {
		s.special(x)
		return
	}
	if s.left == 0 {
		s.carry()
	}
	s.left--
	m := b & (1<<52 - 1)
	if exp == 0 {
		exp = 1 // subnormal: the same unit, without the hidden bit
	} else {
		m |= 1 << 52
	}
	exp-- // x is ±m·2^exp units
	at, shift := exp>>5, exp&31
	sign := int64(b) >> 63 // 0 or -1
	low, high := int64(uint32(m<<shift)), int64(m>>(32-shift))
	two := s.limb[at : at+2 : at+2]
	two[0] += (low ^ sign) - sign
	two[1] += (high ^ sign) - sign
}

// special notes an addend that is not finite.
func (s *Sum) special(x float64) {
	switch {
	case x > 0:
		s.signs |= sumAbove
	case x < 0:
		s.signs |= sumBelow
	default:
		s.signs |= sumUndefined
	}
}

// carry normalizes the limbs: all but the highest are from 0 to 2^32-1 then, and
// the highest has the sign.
func (s *Sum) carry() {
	over := int64(0)
	for k := range s.limb[:sumLimbs-1] {
		v := s.limb[k] + over
		s.limb[k] = v & (1<<32 - 1)
		over = v >> 32
	}
	s.limb[sumLimbs-1] += over
	s.left = addends
}

// Merge adds what was added to o, which stays as it is but for its
// representation.
func (s *Sum) Merge(o *Sum) {
	s.carry()
	o.carry()
	for k := range s.limb {
		s.limb[k] += o.limb[k]
	}
	s.carry()
	s.signs |= o.signs
}

// Float64 returns the sum rounded once, to the nearest float64, of two the even
// one; infinity beyond the range. A sum of no addends, and one that is exactly
// zero, is +0. With infinities of one sign it is that infinity; with both, or with
// a NaN, it is NaN.
func (s *Sum) Float64() float64 { return s.rounded(53, -1074, 1023) }

// Float32 is Float64 for float32.
func (s *Sum) Float32() float32 { return float32(s.rounded(24, -149, 127)) }

// rounded returns the sum rounded to a type with numbers of the given number of
// bits, multiples of 2^least below 2^(most+1).
func (s *Sum) rounded(precision, least, most int) float64 {
	switch s.signs {
	case 0:
	case sumAbove:
		return math.Inf(1)
	case sumBelow:
		return math.Inf(-1)
	default:
		return math.NaN()
	}
	s.carry()
	magnitude, sign := s.limb, 1.0
	if magnitude[sumLimbs-1] < 0 {
		sign = -1
		for k := range magnitude {
			magnitude[k] = -magnitude[k]
		}
		n := Sum{limb: magnitude}
		n.carry()
		magnitude = n.limb
	}
	top := sumLimbs - 1
	for top >= 0 && magnitude[top] == 0 {
		top--
	}
	if top < 0 {
		return 0
	}
	// The highest bit of the sum is that of 2^(high-1074); the last that is kept
	// is that of 2^(last-1074).
	high := 32*top + bits.Len64(uint64(magnitude[top])) - 1
	last := max(high-precision+1, least+1074)
	kept := bitsFrom(&magnitude, last)
	if last > 0 {
		half := bitsFrom(&magnitude, last-1)&1 != 0
		if half && (kept&1 != 0 || anyBelow(&magnitude, last-1)) {
			kept++ // to the even one if it lies in the middle
		}
	}
	x := math.Ldexp(float64(kept), last-1074) // exact, or infinite
	if x >= math.Ldexp(1, most)*2 {
		x = math.Inf(1)
	}
	return sign * x
}

// bitsFrom returns the bits of m from the given one upward. There are no more
// than 53.
func bitsFrom(m *[sumLimbs]int64, bit int) uint64 {
	k, shift := bit>>5, uint(bit&31)
	var v uint64
	for i := range 3 {
		if k+i >= sumLimbs {
			break
		}
		limb := uint64(m[k+i])
		if place := 32*uint(i) - shift; i == 0 {
			v = limb >> shift
		} else if place < 64 {
			v |= limb << place
		}
	}
	return v
}

// anyBelow reports whether a bit of m below the given one is set.
func anyBelow(m *[sumLimbs]int64, bit int) bool {
	k := bit >> 5
	for _, limb := range m[:k] {
		if limb != 0 {
			return true
		}
	}
	return m[k]&(1<<(bit&31)-1) != 0
}

// MarshalBinary returns the sum as bytes, little-endian: signs, then the
// normalized limbs.
func (s *Sum) MarshalBinary() ([]byte, error) {
	s.carry()
	b := append(make([]byte, 0, 1+8*sumLimbs), s.signs)
	for _, limb := range s.limb {
		b = binary.LittleEndian.AppendUint64(b, uint64(limb))
	}
	return b, nil
}

// UnmarshalBinary makes s what MarshalBinary returned.
func (s *Sum) UnmarshalBinary(b []byte) error {
	if len(b) != 1+8*sumLimbs || b[0] > sumAbove|sumBelow|sumUndefined {
		return errors.New("not a sum of floats")
	}
	*s = Sum{signs: b[0]}
	for k := range s.limb {
		s.limb[k] = int64(binary.LittleEndian.Uint64(b[1+8*k:]))
	}
	for _, limb := range s.limb[:sumLimbs-1] {
		if limb < 0 || limb >= 1<<32 {
			return errors.New("not a sum of floats")
		}
	}
	return nil
}
