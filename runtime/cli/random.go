package cli

import (
	"fmt"
	"math"

	"loopc/runtime/array"
	"loopc/runtime/element"
)

// A seed makes pseudo-random arrays. The content of a cell depends only on the seed, the array
// and the cell, so all processes make the same.
type seed struct {
	Value uint64 `json:"value"`
	// Special mixes in values with special arithmetic: zeros of both signs, infinities, NaN,
	// the least and greatest integers.
	Special bool `json:"special,omitempty"`
}

// String returns the seed as a value of --random.
func (s seed) String() string {
	if s.Special {
		return fmt.Sprintf("%d:special", s.Value)
	}
	return fmt.Sprint(s.Value)
}

// fill fills v, a box of array g.
func (s seed) fill(v *array.View, g *given) {
	origin, extent := g.lo, g.extent
	n, t := len(v.Lo), element.Named(v.Elem)
	key := mix(s.Value ^ mix(uint64(g.arr)+1))
	cell := append([]int(nil), v.Lo...)
	for k := range cell {
		if v.Lo[k] > v.Hi[k] {
			return
		}
	}
	for {
		flat := uint64(0)
		for k := range cell {
			flat = flat*uint64(extent[k]) + uint64(cell[k]-origin[k])
		}
		s.put(v, t, v.Offset(cell), mix(key+flat*0x9e3779b97f4a7c15), g.index)
		k := n - 1
		for ; k >= 0; k-- {
			if cell[k]++; cell[k] <= v.Hi[k] {
				break
			}
			cell[k] = v.Lo[k]
		}
		if k < 0 {
			return
		}
	}
}

// put makes a number of the cell's type from 64 random bits: floats in [0, 1), small integers
// of both signs, and unsigned integers below 8; or a subscript from the least to the greatest of index.
func (s seed) put(v *array.View, t *element.Type, at int, bits uint64, index *[2]int) {
	special, pick := s.Special && bits>>40%16 == 0, int(bits>>32%8)
	var x element.Value
	switch {
	case index != nil:
		x.I = int64(index[0]) + int64(bits>>1)%int64(index[1]-index[0]+1)
	case t.Float && special:
		x.F = specialFloats[pick]
	case t.Float:
		x.F = float64(bits>>11/uint64(1<<53/t.Hi)) / float64(t.Hi) // a multiple of 1/Hi: the type has all integers up to Hi
	case special && t.Lo == 0:
		x.I = int64(bits & uint64(t.Hi))
	case special:
		x.I = [...]int64{t.Lo, t.Hi, 0, -1, 1, 2, t.Lo + 1, 1 << (4 * t.Size)}[pick]
	case t.Lo == 0:
		x.I = int64(bits % 8)
	default:
		x.I = int64(bits%201) - 100
	}
	t.Set(v.Data, at, x)
}

var specialFloats = [...]float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), 1e-42, -1e30, 1}

// mix is the finalizer of splitmix64: every bit of the result depends on every
// bit of x.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
