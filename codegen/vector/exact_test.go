package vector

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"loopc/codegen/asm/asmtest"
	"loopc/ir"
	"loopc/runtime/arith"
	"loopc/runtime/kernel"
)

// TestExactSumOfRows compares exact sums of all cells, and of those of one color, with arith.Sum, and counts the addends that lanes cannot
// take: one that is much smaller than the others has no others in the list.
func TestExactSumOfRows(t *testing.T) {
	sumsOfRows(t, "float64", 1e-40, (*rand.Rand).NormFloat64)
	sumsOfRows(t, "float32", 1e-30, func(rng *rand.Rand) float32 { return float32(rng.NormFloat64()) })
}

// sumsOfRows does TestExactSumOfRows for a type of cells.
func sumsOfRows[T float32 | float64](t *testing.T, elem string, tiny T, random func(*rand.Rand) T) {
	const rows, lists = 9, kernel.SumFirst + 4*kernel.SumPair
	rng := rand.New(rand.NewPCG(5, 8))
	for _, c := range []struct {
		cond  string // of the addends that are not zero
		holds func(i, j int) bool
		pairs bool // the sum takes two vectors at once
	}{
		{"1 > 0", func(int, int) bool { return true }, false},
		{"(i + j)%2 == 0", func(i, j int) bool { return (i+j)%2 == 0 }, true},
		{"(3*j - i) & 1 == 1 && a[i,j] > 0", func(i, j int) bool { return (i+j)%2 != 0 }, true},
		{"i%2 == j - j/2*2", func(i, j int) bool { return (i+j)%2 == 0 }, true},
		{"(i + j)%4 == 3", func(i, j int) bool { return (i+j)%4 == 3 }, true},
		{"(i + 2*j)%4 == 1", func(i, j int) bool { return (i+2*j)%4 == 1 }, true},
		{"(i + 4*j)%4 == 1", func(i, j int) bool { return i%4 == 1 }, false},
		{"(i + j)%3 == 0", func(i, j int) bool { return (i+j)%3 == 0 }, false},
		{"(i + j)%2 != 0", func(i, j int) bool { return (i+j)%2 != 0 }, false},
	} {
		src := fmt.Sprintf("param R, W = 9, 70\narray y[0..R-1, 0..W-1] %s inout\narray a[0..R-1, 0..W-1] %s in\n"+
			"reduce s = sum(select(%s, a[i,j], 0.0))\nfor i = 0..R-1, j = 0..W-1 {\n\ty[i,j] = a[i,j]\n}\n", elem, elem, c.cond)
		s := rowsOf(t, src)
		text, functions, why := s.Assembly("f", "the test")
		if text == nil {
			t.Fatalf("%s: %v", src, why)
		}
		if got := bytes.Contains(text, []byte("VPALIGNR")); got != c.pairs {
			t.Errorf("%s, %s: two vectors at once %v, want %v", elem, c.cond, got, c.pairs)
		}
		code := asmtest.Parse(string(text))
		for _, f := range functions {
			for width := 1; width < 500; width += 1 + width/4 {
				a, y, few := make([]T, rows*width), make([]T, rows*width), 0
				var sum, want arith.Sum
				for k := range a {
					if a[k] = random(rng); strings.Contains(c.cond, "a[i,j]") {
						a[k] = max(a[k], -a[k])
					}
					if rng.IntN(500) == 0 {
						few++
						a[k] *= tiny
					}
					if c.holds(k/width, k%width) {
						want.Add(float64(a[k]))
					}
				}
				frame := make([]int, s.Words())
				frame[FrameRows], frame[FrameWidth] = rows, width
				memory := make([]float64, lists+rows*(width+16))
				frame[s.FrameReduced(0)] = int(uintptr(unsafe.Pointer(&memory[0])))
				next := (*int)(unsafe.Pointer(&memory[0]))
				*next = int(uintptr(unsafe.Pointer(&memory[lists])))
				first := *next
				for k, x := range s.Streams {
					cells := a
					if s.n.Arrays[x.Array].Role == ir.InOut {
						cells = y
					}
					frame[s.FrameAt(k)], frame[s.FrameStep(k)] = int(uintptr(unsafe.Pointer(&cells[0]))), width*int(unsafe.Sizeof(tiny))
				}
				code.Call(f.Name, unsafe.Pointer(&frame[0]))
				runtime.KeepAlive([][]T{a, y})
				lanes := f.Cost.Lanes
				if vectors := (*next - first) / 8 / lanes; vectors > 8*few {
					t.Errorf("%s, %s, %s, %d columns: %d vectors in the list, for %d addends that are small", elem, c.cond, f.Name, width, vectors, few)
				}
				for _, x := range memory[kernel.SumFirst:] {
					sum.Add(x)
				}
				if got, want := sum.Float64(), want.Float64(); got != want {
					t.Fatalf("%s, %s, %s, %d columns: %v, want %v", elem, c.cond, f.Name, width, got, want)
				}
			}
		}
	}
}
