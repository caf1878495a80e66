package arith

import (
	"encoding/binary"
	"errors"
	"math"

	"loopc/runtime/element"
)

// A Place finds the iteration with the max or the min of a value; among several, the first in the order of the loops. NaN counts as the max
// and as the min, and -0 is less than +0. The result does not depend on the order in which iterations are offered.
type Place struct {
	least, found bool
	value        element.Value
	key          []int // the iteration; its order is that of the loops
	result       int64
}

// NewPlace returns a Place for a max or, if least, for a min, before any iteration is offered.
func NewPlace(least bool) *Place { return &Place{least: least, key: make([]int, 0, 16)} }

// Clear forgets all iterations.
func (p *Place) Clear() { *p = Place{least: p.least, key: p.key[:0]} }

// Result returns the result that was offered with the place; 0 if no iteration was offered.
func (p *Place) Result() int64 { return p.result }

// Offer offers p an iteration with value v. If it becomes the place, Result returns result. An iteration with a lower
// key comes earlier in the order of the loops; keys are compared from their first number on.
func Offer[T element.Number](p *Place, v T, result int, key ...int) {
	x := element.Value{F: float64(v)}
	if T(1)/2 == 0 {
		x = element.Value{I: int64(v)}
	}
	p.Offer(x, int64(result), key)
}

// Offer does what the function Offer does.
func (p *Place) Offer(v element.Value, result int64, key []int) {
	if order := p.order(v); order < 0 || order == 0 && !before(key, p.key) {
		return
	}
	p.found, p.value, p.result, p.key = true, v, result, append(p.key[:0], key...)
}

// Takes reports whether an iteration with value v may become the place.
func (p *Place) Takes(v element.Value) bool { return p.order(v) >= 0 }

// order is 1 if v is better than the value of the place, 0 if it is the same, else -1.
func (p *Place) order(v element.Value) int {
	if !p.found {
		return 1
	}
	order := above(v, p.value)
	if p.least && v.F == v.F && p.value.F == p.value.F {
		return -order
	}
	return order
}

// above compares two numbers of a type: 1, 0 or -1. NaN is above all.
func above(x, y element.Value) int {
	switch {
	case x.F != x.F || y.F != y.F:
		return one(x.F != x.F) - one(y.F != y.F)
	case x.F != y.F:
		return one(x.F > y.F) - one(x.F < y.F)
	case x.I != y.I:
		return one(x.I > y.I) - one(x.I < y.I)
	}
	return one(math.Signbit(y.F)) - one(math.Signbit(x.F)) // of zeros
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

// before reports whether x comes before y.
func before(x, y []int) bool {
	for k := range x {
		if x[k] != y[k] {
			return x[k] < y[k]
		}
	}
	return false
}

// Merge offers p the iterations that o was offered.
func (p *Place) Merge(o *Place) {
	if o.found {
		p.Offer(o.value, o.result, o.key)
	}
}

// MarshalBinary returns the place as little-endian words: the value, the result and the key; none without iterations.
func (p *Place) MarshalBinary() ([]byte, error) {
	if !p.found {
		return []byte{}, nil
	}
	var b []byte
	for _, x := range []uint64{math.Float64bits(p.value.F), uint64(p.value.I), uint64(p.result)} {
		b = binary.LittleEndian.AppendUint64(b, x)
	}
	for _, x := range p.key {
		b = binary.LittleEndian.AppendUint64(b, uint64(x))
	}
	return b, nil
}

// UnmarshalBinary sets p to the place that MarshalBinary has encoded.
func (p *Place) UnmarshalBinary(b []byte) error {
	p.Clear()
	if len(b) == 0 {
		return nil
	}
	if len(b)%8 != 0 || len(b) < 4*8 {
		return errors.New("not a place")
	}
	word := func(k int) uint64 { return binary.LittleEndian.Uint64(b[8*k:]) }
	p.found, p.value, p.result = true, element.Value{F: math.Float64frombits(word(0)), I: int64(word(1))}, int64(word(2))
	for k := 3; k < len(b)/8; k++ {
		p.key = append(p.key, int(word(k)))
	}
	return nil
}
