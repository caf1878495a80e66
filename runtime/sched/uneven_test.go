package sched

import (
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"loopc/runtime/kernel"
	"loopc/transform/plan"
)

// TestUneven compares the rows of runs, of random bands, trapezoids and triangles, with their columns one by one. Runs are as long as they
// can be: the calls are no more than the pairs of bounds that may hold, but for rows that are left over beside them.
func TestUneven(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 9))
	rows, calls := 0, 0
	for range 2000 {
		forms := []plan.Affine{{Const: rng.IntN(4), Iters: []int{1, 0}}, {Const: 1 + rng.IntN(90), Iters: []int{-1, 0}}}
		for _, sign := range []int{1, -1} {
			for range 1 + rng.IntN(2) {
				forms = append(forms, plan.Affine{Const: rng.IntN(60) - 5, Iters: []int{rng.IntN(5) - 2, sign}})
			}
		}
		f := &kernel.Front{Lanes: 4, Rows: 4, Skew: 1}
		b := &boxes{space: newSpace(forms, [][]int{{1, 0}, {0, 1}}), lo: make([]int, 2), hi: make([]int, 2), front: &front{Front: f, frame: make([]int, f.Words())}}
		b.space.bases.set(nil)
		var got, want [][3]int
		f.One = func(at *int) {
			frame := unsafe.Slice(at, f.Words())
			for k := range frame[kernel.FrontFrameRows] {
				first := b.lo[1] + (frame[f.FrameSlope(0)]-f.Skew)*k
				got = append(got, [3]int{b.lo[0] + k, first, first + frame[kernel.FrontFrameWidth] - 1 + (frame[f.FrameSlope(1)]-frame[f.FrameSlope(0)])*k})
			}
			calls++
		}
		lo, hi := b.space.extent(0)
		for row := lo; row <= hi; row++ {
			if first, last := b.columns(0, row); first <= last {
				want = append(want, [3]int{row, first, last})
			}
		}
		rows += len(want)
		if err := b.uneven(0, lo, hi); err != nil || !slices.Equal(got, want) {
			t.Fatalf("%v: %v, %v, want %v", forms, got, err, want)
		}
	}
	if rows < 10*calls {
		t.Errorf("%d rows in %d calls", rows, calls)
	}
}
