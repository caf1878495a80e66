package simd_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"loopc/runtime/element"
	"loopc/runtime/simd"
)

// TestConverts compares conversions of rows with those of single cells; nothing around a row changes.
func TestConverts(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	wide := element.Named("int32")
	for _, name := range []string{"uint8", "int8", "uint16", "int16"} {
		elem := element.Named(name)
		widen, narrow := simd.Converts(name)
		if (widen == nil) == simd.AVX2() {
			t.Fatalf("%s: functions %v, AVX2 %v", name, widen != nil, simd.AVX2())
		}
		for n := simd.ConvertLeast; widen != nil && n < 70; n++ {
			cells, first := make([]byte, 200), elem.Size*rng.IntN(7)
			for k := range cells {
				cells[k] = byte(rng.Uint32())
			}
			got, want := make([]int32, n+4), make([]int32, n+4)
			for k := range n {
				want[k+2] = int32(elem.Value(cells[first:], k).I)
			}
			widen(got[2:n+2], cells[first:])
			if !slices.Equal(got, want) {
				t.Fatalf("%s, %d cells: %d, want %d", name, n, got, want)
			}
			back := slices.Clone(cells)
			clear(back[first : first+n*elem.Size])
			narrow(back[first:], got[2:n+2])
			if !slices.Equal(back, cells) {
				t.Fatalf("%s, %d cells back: %d, want %d", name, n, back, cells)
			}
		}
		// One by one.
		for _, lanes := range []*element.Type{wide, element.Named("float64")} {
			src, dst, cells := make([]byte, 160), make([]byte, 8), make([]byte, 8)
			for k := range 8 {
				elem.Set(cells[:], k%(8/elem.Size), element.Value{I: elem.Hi - int64(k)})
			}
			elem.ToLanes(lanes)(src, 1, 2, cells, 0, 1, 8/elem.Size)
			elem.FromLanes(lanes)(dst, 0, 1, src, 1, 2, 8/elem.Size)
			if !slices.Equal(dst[:8], cells) {
				t.Errorf("%s by way of %s: %d, want %d", name, lanes.Name, dst[:8], cells)
			}
		}
	}
	if widen, _ := simd.Converts("float32"); widen != nil {
		t.Error("floats are converted")
	}
}
