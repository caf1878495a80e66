package codegen

import (
	"math/rand/v2"
	"testing"

	"loopc/frontend"
	"loopc/ir/diag"
	"loopc/ir/irtest"
	"loopc/transform"
)

// TestUnevenFronts requires that lanes across rows of entire arrays compute most random bands: TestTriangles of package main runs
// such nests.
func TestUnevenFronts(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 30))
	uneven, fronts, backward := 0, 0, 0
	for range 60 {
		text := irtest.RandomBand(rng)
		n, diags := frontend.Compile("random.loop", []byte(text))
		if diag.HasErrors(diags) {
			t.Fatalf("%s: %v", text, diags)
		}
		l, lowered, diags := transform.Lower(n)
		if diag.HasErrors(diags) {
			t.Fatalf("%s: %v", text, diags)
		}
		g := decided(n, l, lowered)
		if len(n.Loops) < 2 || g.evenRows() {
			continue
		}
		uneven++
		if g.fronts(); g.front.shape != nil && !g.front.shape.Rows() {
			fronts++
			if n.Loops[len(n.Loops)-1].Step() < 0 {
				backward++
			}
		}
	}
	t.Logf("%d nests have rows of different columns; lanes across rows compute %d of them, %d backward along rows", uneven, fronts, backward)
	if fronts < 40 || backward < 10 {
		t.Errorf("of %d nests with rows of different columns, lanes across rows compute %d, %d of them backward along rows", uneven, fronts, backward)
	}
}
