package vector

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"loopc/codegen/asm"
	"loopc/codegen/asm/asmtest"
)

// TestSpacedRows compares rows whose iterations need results of earlier ones with loops in Go, in both directions, for distances
// near the lanes of vectors, and for rows of all lengths near those of vectors. Cells beside must stay as they are.
func TestSpacedRows(t *testing.T) {
	spaced(t, "float64", (*rand.Rand).NormFloat64)
	spaced(t, "int32", (*rand.Rand).Int32)
	spaced(t, "int64", (*rand.Rand).Int64)
	spaced(t, "uint8", func(rng *rand.Rand) uint8 { return uint8(rng.Uint32()) })
}

// spaced does TestSpacedRows for a type of cells.
func spaced[T cellNumber | ~uint8](t *testing.T, elem string, random func(*rand.Rand) T) {
	rng := rand.New(rand.NewPCG(5, 13))
	var cell T
	size := int(unsafe.Sizeof(cell))
	kernels := map[asm.ISA]int{}
	for _, apart := range []int{2, 3, 4, 5, 7, 8, 9, 13, 16, 21, 31, 32, 33, 64, 70} {
		for _, step := range []int{1, -1} {
			const most = 200
			loop, read := fmt.Sprintf("%d..W", apart), fmt.Sprintf("j-%d", apart)
			if step < 0 {
				loop, read = fmt.Sprintf("W-%d..0 step -1", apart), fmt.Sprintf("j+%d", apart)
			}
			src := fmt.Sprintf("param W = %d\narray x[0..W] %s inout\nfor j = %s {\n\tx[j] = x[%s] - x[j]\n}\n", most, elem, loop, read)
			n, l, p := lowered(t, src)
			s, why := AnalyzeRows(n, l, p, []bool{true}, 0, apart)
			if s == nil {
				t.Fatalf("%s: %v", src, why)
			}
			text, functions, _ := s.Assembly("f", "the test")
			if fits := apart*size >= asm.AVX2.Bytes(); fits != (text != nil) {
				t.Fatalf("%d apart, %s: a kernel %t, want %t", apart, elem, text != nil, fits)
			}
			if text == nil {
				continue
			}
			code := asmtest.Parse(string(text))
			for _, f := range functions {
				kernels[f.ISA]++
				if f.Cost.Lanes > apart {
					t.Fatalf("%d apart, %s: vectors of %d iterations", apart, elem, f.Cost.Lanes)
				}
				for width := 1; width < most-apart-2; width += 1 + width/50*7 {
					x := make([]T, apart+width+2)
					for k := range x {
						x[k] = random(rng)
					}
					want := slices.Clone(x)
					first, back := apart+1, -apart
					if step < 0 {
						first, back = width, apart
					}
					for k := range width {
						j := first + step*k
						want[j] = want[j+back] - want[j]
					}
					frame := make([]int, s.Words())
					frame[FrameRows], frame[FrameWidth] = 1, width
					// The streams are those of cells that are written and read, and of x[0..] that are read only.
					for k := range s.Streams {
						frame[s.FrameAt(k)] = int(uintptr(unsafe.Pointer(&x[first])))
					}
					code.Call(f.Name, unsafe.Pointer(&frame[0]))
					if !slices.Equal(x, want) {
						t.Fatalf("%s, %d apart, step %d, %d columns:\n%v, want\n%v", f.Name, apart, step, width, x, want)
					}
				}
			}
		}
	}
	if kernels[asm.AVX2] < 8 || kernels[asm.AVX512] != kernels[asm.AVX2] {
		t.Errorf("%s: kernels %v: the test proves nothing", elem, kernels)
	}
}

// TestStraightDown: rows of entire arrays have a straight part in both directions, if the cells that they look up follow one another in
// the direction of the results. TestStraightRows runs such rows.
func TestStraightDown(t *testing.T) {
	for _, loop := range []string{"0..W", "W..0 step -1"} {
		for sub, straight := range map[string]bool{"j - s[i]": true, "W - j": false} {
			n, l, p := lowered(t, fmt.Sprintf(`param N, W = 20, 300
array s[0..N] uint8 in
array a[0..N, 0..W] uint8 in
array u[0..N, 0..W] uint8 inout
for i = 0..N, j = %s {
	u[i,j] = select(j >= s[i], a[i,%s + 0*s[i]], u[i,j])
}
`, loop, sub))
			s, why := AnalyzeRows(n, l, p, []bool{true}, 0, math.MaxInt)
			if s == nil {
				t.Fatalf("%s: %v", loop, why)
			}
			if text, _, _ := s.Assembly("f", "the test"); bytes.Contains(text, []byte("\nstraight:")) != straight {
				t.Errorf("j = %s, a[i,%s]: want a straight part: %v", loop, sub, straight)
			}
		}
	}
}
