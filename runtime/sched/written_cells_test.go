package sched

import (
	"math/rand/v2"
	"testing"

	"loopc/runtime/redist"
	"loopc/transform/plan"
)

// TestWrittenOf compares the written cells of random boxes with the inequalities of random values, cell by cell.
func TestWrittenOf(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 3))
	inside, outside, joined := 0, 0, 0
	for range 2000 {
		dims := r.IntN(4)
		p := &plan.Plan{Nest: &plan.Nest{}, Params: []int{4}}
		for range 1 + r.IntN(3) {
			v := plan.Value{Array: r.IntN(2)}
			for range r.IntN(2 * (dims + 1)) {
				f := plan.Affine{Const: r.IntN(6) - 1, Params: []int{r.IntN(2)}, Iters: make([]int, dims)}
				for range min(dims, 1+r.IntN(2)) {
					f.Iters[r.IntN(dims)] = r.IntN(5) - 2
				}
				v.Written = append(v.Written, f)
			}
			p.Nest.Values = append(p.Nest.Values, v)
			for m := range min(dims, 1) * r.IntN(4) { // components
				of := append([]plan.Affine{{Const: -m, Iters: make([]int, dims)}, {Const: m, Iters: make([]int, dims)}}, v.Written...)
				of[0].Iters[dims-1], of[1].Iters[dims-1] = 1, -1
				p.Nest.Values = append(p.Nest.Values, plan.Value{Array: v.Array, Written: of})
			}
		}
		least, most := make([]int, dims), make([]int, dims)
		for k := range least {
			least[k] = r.IntN(6) - 3
			most[k] = least[k] + r.IntN(5)
		}
		b := redist.Between(least, most)
		by, of := writtenOf(p, 1, b), 0
		for k := range p.Nest.Values {
			if p.Nest.Values[k].Array == 1 && !writtenBy(p, k, b).box.Empty() {
				of++
			}
		}
		if len(by) < of {
			joined++
		}
		b.Rows(func(cell []int) bool {
			lo, hi := b.Row()
			for x := lo; x <= hi; x++ {
				at := append([]int{}, cell...)
				if dims > 0 {
					at[dims-1] = x
				}
				want, got := false, false
				for _, v := range p.Nest.Values {
					all := v.Array == 1
					for _, f := range v.Written {
						all = all && f.Eval(p.Params, at) >= 0
					}
					want = want || all
				}
				for k := range by {
					from, to := by[k].span(cell)
					got = got || from <= x && x <= to
				}
				if got != want {
					t.Fatalf("cell %v of %v is written: %v, want %v: %+v", at, b, got, want, p.Nest.Values)
				}
				if want {
					inside++
				} else {
					outside++
				}
			}
			return true
		})
	}
	if inside < 1000 || outside < 1000 || joined < 50 {
		t.Errorf("only %d cells inside, %d outside, %d boxes joined", inside, outside, joined)
	}
	// Components whose index is the last one are one box, whose rows are whole.
	p := &plan.Plan{Nest: &plan.Nest{}}
	for m := range 3 {
		p.Nest.Values = append(p.Nest.Values, plan.Value{Written: []plan.Affine{{Iters: []int{1}}, {Const: 9, Iters: []int{-1}}, {Const: -m, Iters: []int{0, 1}}, {Const: m, Iters: []int{0, -1}}}})
	}
	by := writtenOf(p, 0, redist.Between([]int{-1, 0}, []int{20, 2}))
	if len(by) != 1 || by[0].box.Cells() != 30 {
		t.Errorf("three components are %+v", by)
	}
}
