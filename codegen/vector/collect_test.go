package vector

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"unsafe"

	"loopc/codegen/asm/asmtest"
	"loopc/frontend"
	"loopc/ir"
	"loopc/transform"
	"loopc/transform/plan"
)

// A cellNumber is a type of cells that collect.
type cellNumber interface {
	~float32 | ~float64 | ~int32 | ~int64
}

// TestCollect compares cells that collect the values of rows with loops in Go, in both directions, for special
// values among random ones, and for rows of all lengths near those of vectors. Cells beside must stay as they are.
func TestCollect(t *testing.T) {
	collects(t, "float64", []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), 5e-324, -5e-324, math.MaxFloat64}, (*rand.Rand).NormFloat64)
	collects(t, "float32", []float32{0, float32(math.Copysign(0, -1)), float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN()), 1e-45, -1e-45, math.MaxFloat32},
		func(rng *rand.Rand) float32 { return float32(rng.NormFloat64()) })
	collects(t, "int32", []int32{0, 1, -1, math.MaxInt32, math.MinInt32}, (*rand.Rand).Int32)
	collects(t, "int64", []int64{0, 1, -1, math.MaxInt64, math.MinInt64}, (*rand.Rand).Int64)
}

// collects does TestCollect for a type of cells.
func collects[T cellNumber](t *testing.T, elem string, special []T, random func(*rand.Rand) T) {
	const rows = 7
	rng := rand.New(rand.NewPCG(3, 11))
	for _, c := range []struct {
		expr      string
		of        func(x, a, b T) T
		floats    bool // integers have no such kernel
		different bool // all values occur in other rows, too: the result is seldom NaN or infinite
	}{
		{"max(x[i], a[i,j])", func(x, a, b T) T { return max(x, a) }, false, false},
		{"min(a[i,j], x[i], b[j])", func(x, a, b T) T { return min(a, x, b) }, false, false},
		{"x[i]", func(x, a, b T) T { return x }, false, false},
		{"x[i] + a[i,j]", func(x, a, b T) T { return x + a }, false, true},
		{"b[j] + (x[i] - a[i,j])", func(x, a, b T) T { return b + (x - a) }, false, true},
		{"a[i,j] + b[j]*x[i]", func(x, a, b T) T { p := b * x; return a + T(p) }, true, true},
	} {
		if c.floats && elem[0] == 'i' {
			continue
		}
		for _, step := range []int{1, -1} {
			loop := map[int]string{1: "0..W-1", -1: "W-1..0 step -1"}[step]
			src := fmt.Sprintf("param R, W = 7, 70\narray x[0..R-1] %s inout\narray a[0..R-1, 0..W-1] %s in\narray b[0..W-1] %s in\nfor i = 0..R-1, j = %s {\n\tx[i] = %s\n}\n", elem, elem, elem, loop, c.expr)
			s := rowsOf(t, src)
			text, functions, why := s.Assembly("f", "the test")
			if text == nil {
				t.Fatalf("%s: %v", src, why)
			}
			code := asmtest.Parse(string(text))
			for _, f := range functions {
				for width := 1; width < 70; width++ {
					value := func() T {
						if n := len(special); !c.different && rng.IntN(3) == 0 || c.different && rng.IntN(150) == 0 {
							return special[rng.IntN(n)]
						}
						return random(rng)
					}
					fill := func(n int) (all []T) {
						for range n {
							all = append(all, value())
						}
						return all
					}
					x, a, b := fill(rows+2), fill(rows*width), fill(width)
					want := slices.Clone(x)
					for i := range rows {
						for k := range width {
							j := k
							if step < 0 {
								j = width - 1 - k
							}
							want[1+i] = c.of(want[1+i], a[i*width+j], b[j])
						}
					}
					first := 0
					if step < 0 {
						first = width - 1
					}
					frame := make([]int, s.Words())
					frame[FrameRows], frame[FrameWidth] = rows, width
					size := int(unsafe.Sizeof(x[0]))
					for k, y := range s.Streams {
						at, by := unsafe.Pointer(&x[1]), size
						switch y.Array {
						case 1:
							at, by = unsafe.Pointer(&a[first]), width*size
						case 2:
							at, by = unsafe.Pointer(&b[first]), 0
						}
						frame[s.FrameAt(k)], frame[s.FrameStep(k)] = int(uintptr(at)), by
					}
					code.Call(f.Name, unsafe.Pointer(&frame[0]))
					runtime.KeepAlive([][]T{a, b})
					for i := range x {
						if !same(x[i], want[i]) {
							t.Fatalf("%s, %d columns, %s, row %d: %v, want %v", f.Name, width, c.expr, i-1, x[i], want[i])
						}
					}
				}
			}
		}
	}
}

// same reports whether two numbers have the same bits, or both are NaN.
func same[T cellNumber](x, y T) bool {
	return x == y && math.Signbit(float64(x)) == math.Signbit(float64(y)) || x != x && y != y
}

// lowered returns the nest of a source, lowered.
func lowered(t *testing.T, src string) (*ir.Nest, *ir.Lowered, *plan.Nest) {
	t.Helper()
	n, diags := frontend.Compile("test.loop", []byte(src))
	if n == nil {
		t.Fatalf("%v\n%s", diags, src)
	}
	l, p, diags := transform.Lower(n)
	if l == nil {
		t.Fatal(diags)
	}
	return n, l, p
}

// rowsOf returns the kernel with lanes along rows of a nest.
func rowsOf(t *testing.T, src string) *Shape {
	t.Helper()
	n, l, p := lowered(t, src)
	s, why := AnalyzeRows(n, l, p, slices.Repeat([]bool{true}, len(n.Body)), jams[0], math.MaxInt)
	if s == nil {
		t.Fatalf("%s: %v", src, why)
	}
	return s
}

// TestCollectRefused has statements that write one cell in all iterations of a row, and collect nothing in any order.
func TestCollectRefused(t *testing.T) {
	for _, c := range []struct{ elem, expr string }{
		{"float64", "a[i,j]"}, {"float64", "a[i,j] - x[i]"}, {"float64", "x[i] + x[i]*a[i,j]"}, {"float64", "max(x[i] + a[i,j], 1)"},
		{"float64", "x[i]/a[i,j]"}, {"int32", "x[i]*a[i,j]"}, {"int32", "max(x[i], a[i,j]) + 1"}, {"int32", "max(min(x[i], a[i,j]), 3)"},
	} {
		src := fmt.Sprintf("param R, W = 7, 70\narray x[0..R-1] %s inout\narray a[0..R-1, 0..W-1] %s in\nfor i = 0..R-1, j = 0..W-1 {\n\tx[i] = %s\n}\n", c.elem, c.elem, c.expr)
		n, diags := frontend.Compile("test.loop", []byte(src))
		if n == nil {
			t.Fatalf("%v\n%s", diags, src)
		}
		l, p, _ := transform.Lower(n)
		if s, _ := AnalyzeRows(n, l, p, slices.Repeat([]bool{true}, len(n.Body)), jams[0], math.MaxInt); s != nil {
			t.Errorf("%s has a kernel", c.expr)
		}
	}
}
