package arith

import (
	"encoding/binary"
	"errors"
	"math"
	"math/bits"
)

// A Sum is the exact sum of the floats added to it, so it does not depend on their order. The
// zero Sum is empty. Only one goroutine may add at a time.
//
// The finite addends are kept as one long fixed-point number, in units of 2^-1074, the least float64:
//
//	Σ limb[k]·2^(32k)
//
// A limb is signed and has 64 bits, although it stands for 32, so that carries can wait. The 53 bits of an addend, shifted by less than 32,
// fall into two limbs: a part below 2^32 into the lower one, a part below 2^52 into the upper one. So a limb that was normalized (less than
// 2^32) has room for the parts of 2^10 addends. This is the small superaccumulator of R. M. Neal, Fast exact summation using small and
// large superaccumulators, 2015, arXiv:1505.05571, section 3.
//
// The highest bit of an addend is bit 2097, for 2^1023; the bits above it have room for 2^64 addends.
type Sum struct {
	limb [sumLimbs]int64
	left int // number of addends that still fit before carries must be moved; 0 in the beginning
	// signs has a bit for each kind of nonfinite addend so far.
	signs uint8
	lanes []float64 // see Lanes
}

const (
	sumLimbs = 68 // of 32 bits: 2176 bits
	addends  = 1 << 10
)

// The bits of Sum.signs.
const (
	sumAbove     uint8 = 1 << iota // +Inf
	sumBelow                       // -Inf
	sumUndefined                   // NaN
)

// Add adds x, which may be any float.
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
		exp = 1 // subnormal: the unit of exponent 1, without the hidden bit
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

// special records an addend that is not finite.
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

// carry normalizes the limbs: all but the highest are then from 0 to 2^32-1, and the highest has the sign.
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

// Merge adds the sum of o. It may change the representation of o, but not its value.
func (s *Sum) Merge(o *Sum) {
	s.flush()
	o.flush()
	s.carry()
	o.carry()
	for k := range s.limb {
		s.limb[k] += o.limb[k]
	}
	s.carry()
	s.signs |= o.signs
}

// Float64 returns the sum rounded once, to the nearest float64, ties to even; infinity beyond the range. An empty sum, and a sum of exactly
// zero, is +0. With infinities of one sign the sum is that infinity; with both signs, or with a NaN, it is NaN.
func (s *Sum) Float64() float64 { return s.rounded(53, -1074, 1023) }

// Float32 returns the sum rounded once, to the nearest float32, as Float64 does for float64.
func (s *Sum) Float32() float32 { return float32(s.rounded(24, -149, 127)) }

// rounded returns the sum rounded to a type whose numbers have precision bits, are multiples of 2^least, and are less than 2^(most+1).
func (s *Sum) rounded(precision, least, most int) float64 {
	s.flush()
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
	// The highest bit of the sum stands for 2^(high-1074), and the last bit that is kept for 2^(last-1074).
	high := 32*top + bits.Len64(uint64(magnitude[top])) - 1
	last := max(high-precision+1, least+1074)
	kept := bitsFrom(&magnitude, last)
	if last > 0 {
		half := bitsFrom(&magnitude, last-1)&1 != 0
		if half && (kept&1 != 0 || anyBelow(&magnitude, last-1)) {
			kept++ // a tie goes to the even number
		}
	}
	x := math.Ldexp(float64(kept), last-1074) // exact, or infinite
	if x >= math.Ldexp(1, most)*2 {
		x = math.Inf(1)
	}
	return sign * x
}

// bitsFrom returns the bits of m from the given one upward. There must be at most 53.
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

// MarshalBinary returns the sum as little-endian bytes: signs, then the normalized limbs.
func (s *Sum) MarshalBinary() ([]byte, error) {
	s.flush()
	s.carry()
	b := append(make([]byte, 0, 1+8*sumLimbs), s.signs)
	for _, limb := range s.limb {
		b = binary.LittleEndian.AppendUint64(b, uint64(limb))
	}
	return b, nil
}

// UnmarshalBinary sets s to the sum that MarshalBinary has encoded.
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
