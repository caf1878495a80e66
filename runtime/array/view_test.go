package array_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"loopc/runtime/array"
)

// TestViews checks that offsets of a view enumerate its cells in C order, that
// it shares the caller's memory, and that it is aligned.
func TestViews(t *testing.T) {
	cells := make([]float64, 3*4*2)
	v, err := array.Of(cells, []int{-1, 2, 0}, []int{1, 5, 1})
	if err != nil {
		t.Fatal(err)
	}
	next := 0
	for i := -1; i <= 1; i++ {
		for j := 2; j <= 5; j++ {
			for k := 0; k <= 1; k++ {
				if o := v.Offset([]int{i, j, k}); o != next {
					t.Errorf("cell (%d, %d, %d) is at %d, want %d", i, j, k, o, next)
				}
				if o := v.Origin() + i*v.Stride[0] + j*v.Stride[1] + k*v.Stride[2]; o != next {
					t.Errorf("cell (%d, %d, %d) is at %d from the origin, want %d", i, j, k, o, next)
				}
				next++
			}
		}
	}
	array.Cells[float64](v)[7] = 1.5
	if cells[7] != 1.5 || v.Cells() != 24 || v.Elem != "float64" || v.Size != 8 {
		t.Errorf("the view is %+v of %v", v, cells)
	}
	if _, err := array.Of(cells, []int{0}, []int{24}); err == nil || err.Error() != "24 cells given, 25 needed" {
		t.Errorf("one cell too few: %v", err)
	}
	if v, err := array.Of([]int32{}, []int{0, 5}, []int{9, 4}); err != nil || v.Cells() != 0 || v.Data != nil {
		t.Errorf("an empty view: %+v, %v", v, err)
	}
	if (&array.View{}).Cells() != 0 {
		t.Error("the zero view holds cells")
	}
	for n := range 200 {
		b := array.Bytes(n)
		if len(b) != n || n > 0 && uintptr(unsafe.Pointer(&b[0]))%64 != 0 {
			t.Fatalf("Bytes(%d) has length %d, or is not aligned", n, len(b))
		}
	}
}

// TestMake checks names, sizes and refusals.
func TestMake(t *testing.T) {
	for elem, size := range map[string]int{
		array.ElemOf[float32](): 4, array.ElemOf[float64](): 8, array.ElemOf[int32](): 4, array.ElemOf[int64](): 8, array.ElemOf[uint8](): 1,
	} {
		v, err := array.Make(elem, []int{1, 1}, []int{3, 5})
		if err != nil || v.Size != size || len(v.Data) != 15*size || v.Elem != elem {
			t.Errorf("%s: %+v, %v", elem, v, err)
		}
	}
	if _, err := array.Make("complex128", []int{0}, []int{1}); err == nil || err.Error() != "no such cell type: complex128" {
		t.Errorf("an unknown type: %v", err)
	}
	for _, top := range []int{1 << 47, 1 << 60} {
		if _, err := array.Make("uint8", []int{0, 0}, []int{3, top}); err == nil || err.Error() != "too many cells" {
			t.Errorf("4 × 2^47 or more cells: %v", err)
		}
	}
}

// TestCopy compares copies of all sizes and strides with copying cell by cell.
func TestCopy(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 4))
	for range 3000 {
		size := []int{1, 2, 3, 4, 8}[rng.IntN(5)]
		n := rng.IntN(13)
		toStride, fromStride := []int{-1, 1, 2, 3}[rng.IntN(4)], rng.IntN(4)-1
		if rng.IntN(2) == 0 {
			toStride, fromStride = 1, 1
		}
		to, from := rng.IntN(4)+12, rng.IntN(4)+12
		src, dst := make([]byte, size*55), make([]byte, size*55)
		for k := range src {
			src[k], dst[k] = byte(rng.Uint32()), byte(rng.Uint32())
		}
		want := slices.Clone(dst)
		for x := range n {
			for b := range size {
				want[(to+x*toStride)*size+b] = src[(from+x*fromStride)*size+b]
			}
		}
		array.Copy(dst, to, toStride, src, from, fromStride, n, size)
		if !slices.Equal(dst, want) {
			t.Fatalf("Copy(%d by %d from %d by %d, %d cells of %d bytes): got %v, want %v", to, toStride, from, fromStride, n, size, dst, want)
		}
	}
	array.Copy(nil, 0, 1, nil, 0, 1, -3, 8) // nothing to do
}
