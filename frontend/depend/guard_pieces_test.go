package depend

import (
	"math/rand/v2"
	"slices"
	"testing"

	"loopc/ir"
)

// TestGuardPieces intersects and unites random guards, and compares what they hold at with the points of both. A union or an
// intersection may only hold at more points if it has more pieces than a guard may have.
func TestGuardPieces(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 9))
	random := func() guard {
		g := guard{}
		for range rng.IntN(4) {
			var piece []ir.Constraint
			for range rng.IntN(3) {
				f := ir.Affine{Const: rng.IntN(5) - 2}
				f.Iters = []int{rng.IntN(3) - 1, rng.IntN(3) - 1}[:rng.IntN(3)]
				f.Params = []int{rng.IntN(3) - 1}[:rng.IntN(2)]
				piece = append(piece, f)
			}
			g = append(g, piece)
		}
		return g
	}
	holds := func(g guard, n, i, j int) bool {
		return slices.ContainsFunc(g, func(piece []ir.Constraint) bool {
			return !slices.ContainsFunc(piece, func(c ir.Constraint) bool { return c.Eval([]int{n}, []int{i, j}) < 0 })
		})
	}
	fewer := 0
	for range 5000 {
		g, h := random(), random()
		both, any := g.and(h), g.or(h)
		if len(both) < len(g)*len(h) && len(any) < len(g)+len(h) {
			fewer++
		}
		for n := -2; n <= 2; n++ {
			for i := -3; i <= 3; i++ {
				for j := -3; j <= 3; j++ {
					p, q := holds(g, n, i, j), holds(h, n, i, j)
					if got, want := holds(both, n, i, j), p && q; got != want && len(g)*len(h) <= maxPieces || want && !got {
						t.Fatalf("%v and %v: %v, at n = %d, i = %d, j = %d", g, h, both, n, i, j)
					}
					if holds(any, n, i, j) != (p || q) {
						t.Fatalf("%v or %v: %v, at n = %d, i = %d, j = %d", g, h, any, n, i, j)
					}
				}
			}
		}
	}
	if fewer < 500 {
		t.Errorf("only %d guards became simpler", fewer)
	}
}
