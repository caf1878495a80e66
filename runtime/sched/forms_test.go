package sched

import (
	"math/rand"
	"testing"

	"loopc/transform/plan"
)

// TestForms sets parameters again and again, as the numbers of repeats: values are those of their forms.
func TestForms(t *testing.T) {
	r := rand.New(rand.NewSource(7))
	for range 200 {
		var f forms
		values, sums := make([]int, 5), make([][]plan.Affine, 5)
		params := make([]int, 4)
		for range 9 {
			form := plan.Affine{Const: r.Intn(9) - 4, Params: make([]int, r.Intn(len(params)+1))}
			for x := range form.Params {
				form.Params[x] = r.Intn(5) - 2
			}
			k := r.Intn(len(values))
			times := r.Intn(7) - 3
			f.add(&values[k], form, times)
			form.Const *= times
			for x := range form.Params {
				form.Params[x] *= times
			}
			sums[k] = append(sums[k], form)
		}
		for range 6 {
			for x := range params {
				if r.Intn(2) == 0 {
					params[x] = r.Intn(2000) - 1000
				}
			}
			f.set(params)
			for k := range values {
				want := 0
				for _, form := range sums[k] {
					want += form.Eval(params, nil)
				}
				if values[k] != want {
					t.Fatalf("value %d of parameters %v is %d, not %d", k, params, values[k], want)
				}
			}
		}
	}
}
