package search

import (
	"testing"

	"loopc/transform/plan"
	"loopc/transform/plan/cost"
	"loopc/transform/plan/plantest"
)

// TestWholeCache: tiles in skewed storage must fill the same part of the second cache, to within
// two rows, whatever the size of the cache; a smaller cache than usual counts as the usual one.
func TestWholeCache(t *testing.T) {
	const row = 2 * 8 * 2002 // bytes of a row of two levels
	least := 0
	for _, c := range []struct {
		caches []int
		second int
	}{{[]int{32 << 10, 1 << 20, 32 << 20}, plan.UsualCache}, {[]int{32 << 10, plan.UsualCache}, plan.UsualCache}, {nil, plan.UsualCache}, {[]int{4 << 20}, 4 << 20}} {
		m := cost.DefaultMachine().With(plantest.HeatNest(), cost.Kernel{Across: plan.AlongRow})
		m.Cache = c.caches
		p, _, err := Choose(t.Context(), plantest.HeatNest(), []int{64, 2000}, plan.Options{}, m, cost.LinkInproc)
		if err != nil {
			t.Fatal(err)
		}
		most := c.second / 32 * 21
		if b := p.Footprint(); b > most || b <= most-2*row || b < least {
			t.Errorf("caches of %v: tiles of %v work on %d bytes, want nearly %d", c.caches, p.Side, b, most)
		}
		least = p.Footprint()
		if q, err := plan.New(p.Nest, p.Params, p.Options()); err != nil || q.Digest() != p.Digest() {
			t.Errorf("caches of %v: the plan's options give another plan: %v", c.caches, err)
		}
	}
}
