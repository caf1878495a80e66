package ir

import (
	"math/rand/v2"
	"testing"
)

// TestNeverMeet compares NeverMeet with all iterations of small triangles k < i ≤ N: where two accesses never meet, no two
// iterations have the same cell. Row i and row k of one iteration may meet, row N+1 and row i never do.
func TestNeverMeet(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	affine := func(c, n, k, i int) Affine { return Affine{Const: c, Params: []int{n}, Iters: []int{k, i}} }
	n := &Nest{Params: []Param{{Name: "N"}}, Loops: []Loop{{Name: "k"}, {Name: "i"}}, Analysis: &Analysis{Space: []Constraint{
		affine(-1, 0, 1, 0), affine(-1, 0, -1, 1), affine(0, 1, 0, -1),
	}}}
	meets := func(a, b Affine) bool {
		cells := map[int]bool{}
		for size := range 7 {
			clear(cells)
			for _, x := range []Affine{a, b} {
				for k := 1; k < size; k++ {
					for i := k + 1; i <= size; i++ {
						cell := x.Const + x.Param(0)*size + x.Iter(0)*k + x.Iter(1)*i
						if x.Equal(b) && cells[cell] {
							return true
						}
						cells[cell] = cells[cell] || x.Equal(a) && !x.Equal(b)
					}
				}
			}
		}
		return false
	}
	apart := 0
	for range 2000 {
		draw := func() Affine { return affine(rng.IntN(5)-2, rng.IntN(2), rng.IntN(3)-1, rng.IntN(3)-1) }
		a, b := draw(), draw()
		if a.Equal(b) || !n.NeverMeet([]Affine{a}, []Affine{b}) {
			continue
		}
		if apart++; meets(a, b) {
			t.Errorf("%v and %v meet", a, b)
		}
	}
	if apart < 50 {
		t.Errorf("only %d pairs are apart", apart)
	}
	if !n.NeverMeet([]Affine{affine(1, 1, 0, 0)}, []Affine{affine(0, 0, 0, 1)}) || n.NeverMeet([]Affine{affine(0, 0, 1, 0)}, []Affine{affine(0, 0, 0, 1)}) {
		t.Error("row N+1 is no row i, and row k of one iteration is row i of another")
	}
	n.Params, n.Loops = append(n.Params, Param{Name: "r"}), n.Loops[:1]
	n.Numbers = []Number{{Param: 1, Lo: []Affine{{Const: 1}}, Hi: []Affine{{Params: []int{1}}}}}
	n.Analysis = &Analysis{Space: []Constraint{{Const: -1, Iters: []int{1}}, {Params: []int{1}, Iters: []int{-1}}}}
	number := func(c int) []Affine { return []Affine{{Const: c, Params: []int{0, 1}}} }
	if k := []Affine{{Iters: []int{1}}}; !n.NeverMeet([]Affine{{}}, number(0)) || !n.NeverMeet([]Affine{{Const: 1, Params: []int{1}}}, number(0)) || n.NeverMeet(k, number(0)) {
		t.Error("number r of a repeat is neither 0 nor N+1, and it may be k")
	}
}
