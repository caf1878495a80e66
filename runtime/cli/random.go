package cli

import (
	"fmt"
	"math"

	"loopc/runtime/array"
)

// A seed makes pseudo-random arrays. The content of a cell depends on the seed,
// the array and the cell only, so that every process makes the same.
type seed struct {
	Value uint64 `json:"value"`
	// Special mixes in what arithmetic treats in special ways: zeros of both
	// signs, infinities, NaN, the least and greatest integers.
	Special bool `json:"special,omitempty"`
}

// String is what --random takes.
func (s seed) String() string {
	if s.Special {
		return fmt.Sprintf("%d:special", s.Value)
	}
	return fmt.Sprint(s.Value)
}

// fill gives the cells of v, a box of array arr with the given origin and
// extents, their content.
func (s seed) fill(v *array.View, arr int, origin, extent []int) {
	n := len(v.Lo)
	key := mix(s.Value ^ mix(uint64(arr)+1))
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
		s.put(v, v.Offset(cell), mix(key+flat*0x9e3779b97f4a7c15))
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

// put makes a number of the cell's type of 64 random bits: floats in [0, 1),
// small integers of both signs, bytes below 8.
func (s seed) put(v *array.View, at int, bits uint64) {
	pick := -1
	if s.Special && bits>>40%16 == 0 {
		pick = int(bits >> 32 % 8)
	}
	unit := float64(bits>>11) / (1 << 53)
	switch v.Elem {
	case "float32":
		x := float32(bits>>40) / (1 << 24)
		if pick >= 0 {
			x = float32(specialFloats[pick])
		}
		array.Cells[float32](*v)[at] = x
	case "float64":
		if pick >= 0 {
			unit = specialFloats[pick]
		}
		array.Cells[float64](*v)[at] = unit
	case "int32":
		x := int32(bits%201) - 100
		if pick >= 0 {
			x = [...]int32{math.MinInt32, math.MaxInt32, 0, -1, 1, 2, math.MinInt32 + 1, 1 << 16}[pick]
		}
		array.Cells[int32](*v)[at] = x
	case "int64":
		x := int64(bits%201) - 100
		if pick >= 0 {
			x = [...]int64{math.MinInt64, math.MaxInt64, 0, -1, 1, 2, math.MinInt64 + 1, 1 << 32}[pick]
		}
		array.Cells[int64](*v)[at] = x
	case "uint8":
		x := uint8(bits % 8)
		if pick >= 0 {
			x = uint8(bits)
		}
		v.Data[at] = x
	}
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
