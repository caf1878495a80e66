package kernel_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"loopc/runtime/kernel"
	"loopc/transform/plan"
)

// TestSplit checks, on random boxes and forms, that every iteration is computed once, with vectors only where all
// forms of cells hold, without vectors only where one does not, and after the iterations below it; and that a form of rows that
// does not hold is constant in a box of vectors.
func TestSplit(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	divided := 0
	for range 3000 {
		n := 1 + rng.IntN(3)
		params := []int{rng.IntN(9) - 4}
		var forms [2][]plan.Affine
		for k := range forms {
			for range 1 + rng.IntN(3) - k {
				f := plan.Affine{Const: rng.IntN(13) - 6, Params: []int{rng.IntN(3) - 1}}
				for range rng.IntN(n + 1) {
					f.Iters = append(f.Iters, rng.IntN(5)-2)
				}
				forms[k] = append(forms[k], f)
			}
		}
		within, rows := forms[0], forms[1]
		lo, hi := make([]int, n), make([]int, n)
		for x := range lo {
			lo[x] = rng.IntN(9) - 4
			hi[x] = lo[x] + rng.IntN(7)
		}
		seen := map[string]bool{}
		calls := 0
		each := func(lo, hi []int, vectors bool) {
			calls++
			for _, f := range rows {
				least, most := f.Eval(params, lo), f.Eval(params, lo)
				for x, c := range f.Iters {
					least, most = least+min(0, c*(hi[x]-lo[x])), most+max(0, c*(hi[x]-lo[x]))
				}
				if vectors && least < 0 && least < most {
					t.Fatalf("form %v of rows is %d to %d in box %v..%v of vectors", f, least, most, lo, hi)
				}
			}
			var walk func(p []int)
			walk = func(p []int) {
				if len(p) < n {
					for v := lo[len(p)]; v <= hi[len(p)]; v++ {
						walk(append(slices.Clip(p), v))
					}
					return
				}
				holds := !slices.ContainsFunc(within, func(f plan.Affine) bool { return f.Eval(params, p) < 0 })
				if seen[fmt.Sprint(p)] || holds != vectors {
					t.Fatalf("iteration %v: computed before %v, forms hold %v, vectors %v", p, seen[fmt.Sprint(p)], holds, vectors)
				}
				seen[fmt.Sprint(p)] = true
			}
			walk(nil)
		}
		wantLo, wantHi := slices.Clone(lo), slices.Clone(hi)
		first := slices.Clone(lo)
		split := kernel.NewSplit(within, rows, []int{rng.IntN(9) - 4},
			func(lo, hi []int) { checkOrder(t, first, lo, hi, seen); each(lo, hi, true) },
			func(lo, hi []int) { checkOrder(t, first, lo, hi, seen); each(lo, hi, false) })
		split.With(params)
		split.Box(lo, hi)
		if !slices.Equal(lo, wantLo) || !slices.Equal(hi, wantHi) {
			t.Fatalf("the corners are %v and %v, not %v and %v", lo, hi, wantLo, wantHi)
		}
		points := 1
		for x := range lo {
			points *= hi[x] - lo[x] + 1
		}
		if len(seen) != points {
			t.Fatalf("%d of %d iterations are computed", len(seen), points)
		}
		if calls > 1 {
			divided++
		}
	}
	if divided < 300 {
		t.Errorf("only %d boxes were divided", divided)
	}
}

// checkOrder checks that what lies next to the low faces of a box has been computed.
func checkOrder(t *testing.T, first, lo, hi []int, seen map[string]bool) {
	t.Helper()
	for x := range lo {
		if lo[x] == first[x] {
			continue
		}
		for _, corner := range [][]int{lo, hi} {
			p := slices.Clone(corner)
			if p[x] = lo[x] - 1; !seen[fmt.Sprint(p)] {
				t.Fatalf("box %v..%v is computed before iteration %v", lo, hi, p)
			}
		}
	}
}
