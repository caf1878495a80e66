package codegen

import (
	"math/rand/v2"
	"testing"

	"loopc/ir"
	"loopc/ir/irtest"
)

// TestFold names nests whose last two loops are one, and others whose cells do not follow one another so, or whose values depend on one of
// the two loops.
func TestFold(t *testing.T) {
	const head = "param N = 40\nconst C = 4\narray k[0..N] float64 in\narray g[0..N+1, 0..3] float64 in\narray u[0..N+1, 0..N+1, 0..3] float64 inout\narray v[0..N+1, 0..N+1, 1..4] float64 inout\narray w[0..N+1, 0..N+1, 0..4] float64 inout\narray z[0..N+1, 0..N+1, 0..31] float64 inout\n"
	for nest, want := range map[string]bool{
		"for i = 1..N, j = 1..N, c = 0..3 {\n u[i,j,c] += u[i-1,j,c] + g[j,c]\n}":            true,
		"for i = N..1 step -1, j = 1..N, c = 0..3 {\n u[i,j,c] += u[i,j+1,c] + k[i]\n}":      true,
		"for i = 1..N, j = 1..N, c = 0..3 {\n u[i,j,c] = 2*v[i,j-1,c+1]\n v[i,j,c+1] = i\n}": true,
		"for i = 1..N, j = 1..N, c = 1..4 {\n v[i,j,c] += u[i-1,j,c-1]\n}":                   true,
		"for i = 1..N, j = 1..N, c = 0..3 {\n u[i,j,c] += k[j]\n}":                           false, // one cell for four iterations
		"for i = 1..N, j = 1..N, c = 0..3 {\n u[i,j,c] += u[i-1,j,0]\n}":                     false,
		"for i = 1..N, j = 1..N, c = 0..3 {\n u[i,j,c] += g[i,c]\n}":                         false,
		"for i = 1..N, j = 1..N, c = 0..3 {\n u[i,j,c] += j\n}":                              false,
		"for i = 1..N, j = 1..N, c = 0..3 {\n u[i,j,c] += c\n}":                              false,
		"for i = 1..N, j = 1..N, c = 0..3 {\n u[j,i,c] += u[j,i-1,c]\n}":                     false, // points of a row are no neighbors
		"for i = 1..N, j = 1..N, c = 1..3 {\n u[i,j,c] += u[i,j,c-1]\n}":                     false, // not all components
		"for i = 1..N, j = 1..N, c = 0..3 {\n w[i,j,c] += w[i-1,j,c]\n}":                     false,
		"for i = 1..N, j = 1..N, c = 3..0 step -1 {\n u[i,j,c] += u[i-1,j,c]\n}":             false,
		"for i = 1..N, j = 1..i, c = 0..3 {\n u[i,j,c] += u[i-1,j,c]\n}":                     false, // rows have different columns
		"for i = 1..N, j = 1..N, c = 0..31 {\n z[i,j,c] += z[i-1,j,c]\n}":                    false, // rows fill vectors
		"for j = 1..N, c = 0..3 {\n u[1,j,c] += u[1,j-1,c]\n}":                               false,
	} {
		if got := decide(t, head+nest+"\n").fold() != nil; got != want {
			t.Errorf("folded %v, want %v:\n%s", got, want, nest)
		}
	}
}

// TestFoldedPlaces compares the places in memory of all cells of random nests with components: iteration C·j + c of the folded nest, where
// C is the number of components, has the cells of iteration j, c of the nest. Most have kernels of the folded nest, in both orders of lanes:
// TestComponents of package main runs such nests.
func TestFoldedPlaces(t *testing.T) {
	rng, folded, fronts, rows := rand.New(rand.NewPCG(5, 60)), 0, 0, 0
	for range 60 {
		text := irtest.RandomComponents(rng)
		g := decide(t, text)
		f := g.fold()
		if f == nil {
			t.Fatalf("not folded:\n%s", text)
		}
		folded++
		switch s := g.front.shape; {
		case s == nil:
		case s.Rows():
			rows++
		default:
			fronts++
		}
		params, last := irtest.RandomParams(rng, g.n), len(g.n.Loops)-1
		place := func(n *ir.Nest, array int, subs []ir.Affine, loops []int) (at int) {
			arr := &n.Arrays[array]
			for m, sub := range subs {
				lo, hi := arr.Lo[m].Eval(params, nil), arr.Hi[m].Eval(params, nil)
				at = at*(hi-lo+1) + sub.Eval(params, loops) - lo
			}
			return at
		}
		compare := func(array int, subs, of []ir.Affine) {
			loops := make([]int, last+1)
			for k := range loops[:last] {
				loops[k] = rng.IntN(20)
			}
			lo := g.n.Loops[last].Lo[0].Const
			loops[last] = lo + rng.IntN(f.folds)
			one := append(append([]int{}, loops[:last-1]...), f.folds*loops[last-1]+loops[last]-lo)
			want := place(g.n, array, subs, loops)
			if got := place(f.n, array, of, one); got != want {
				t.Fatalf("cell of %v is at %d, want %d:\n%s", loops, got, want, text)
			}
			if got := place(g.n, array, g.unfold(array, of, f.folds), loops); got != want {
				t.Fatalf("unfolded, the cell of %v is at %d, want %d:\n%s", loops, got, want, text)
			}
		}
		for id, r := range g.n.Reads {
			compare(r.Array, r.Subs, f.n.Reads[id].Subs)
		}
		for k, s := range g.n.Body {
			if w, ok := s.(*ir.Assign); ok {
				compare(w.Array, w.Subs, f.n.Body[k].(*ir.Assign).Subs)
			}
		}
	}
	t.Logf("%d nests are folded, %d have lanes across rows and %d along them", folded, fronts, rows)
	if fronts < 10 || rows < 5 {
		t.Errorf("of %d nests that are folded, %d have lanes across rows and %d along them", folded, fronts, rows)
	}
}
