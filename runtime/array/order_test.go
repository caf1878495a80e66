package array

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestOrdered compares reordered boxes with the cells that they are copies of.
func TestOrdered(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	several := 0
	for range 400 {
		dims := 1 + rng.IntN(4)
		lo, hi := make([]int, dims), make([]int, dims)
		most := []int{90, 70, 20, 9}[dims-1]
		for k := range lo {
			lo[k] = rng.IntN(9) - 4
			hi[k] = lo[k] + rng.IntN(most)
		}
		large := dims == 2 && rng.IntN(8) == 0
		if large {
			hi[0], hi[1] = lo[0]+400, lo[1]+300
		}
		elem := []string{"uint8", "int32", "float32", "float64", "int64"}[rng.IntN(5)]
		v, err := Make(elem, lo, hi)
		if err != nil {
			t.Fatal(err)
		}
		for k := range v.Data {
			v.Data[k] = byte(rng.Uint32())
		}
		first, last := slices.Clone(lo), slices.Clone(hi)
		for k := range lo {
			if large {
				break
			}
			first[k] += rng.IntN(hi[k] - lo[k] + 1)
			last[k] = first[k] + rng.IntN(hi[k]-first[k]+1)
		}
		row, workers := rng.IntN(dims), 1+rng.IntN(3)
		cells := 1
		for k := range first {
			cells *= last[k] - first[k] + 1
		}
		w := v.Ordered(row, first, last, Bytes(cells*v.Size), workers)
		if w.Stride[row] != 1 {
			t.Fatalf("rows along %d: strides %v", row, w.Stride)
		}
		if w.Cells() >= workers*leastOrdered && workers > 1 {
			several++
		}
		seen := 0
		eachCell(first, last, func(cell []int) {
			a, b := v.Offset(cell)*v.Size, w.Offset(cell)*w.Size
			if !slices.Equal(v.Data[a:a+v.Size], w.Data[b:b+w.Size]) {
				t.Fatalf("cell %v of %v..%v with rows along %d differs", cell, first, last, row)
			}
			seen++
		})
		if seen != w.Cells() {
			t.Fatalf("%d cells for a box of %d", w.Cells(), seen)
		}
	}
	if several < 3 {
		t.Errorf("%d copies with several goroutines", several)
	}
}

func eachCell(lo, hi []int, f func(cell []int)) {
	cell := slices.Clone(lo)
	for {
		f(cell)
		k := len(cell) - 1
		for ; k >= 0; k-- {
			if cell[k]++; cell[k] <= hi[k] {
				break
			}
			cell[k] = lo[k]
		}
		if k < 0 {
			return
		}
	}
}
