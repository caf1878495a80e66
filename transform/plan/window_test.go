package plan_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"loopc/transform/plan"
	"loopc/transform/plan/plantest"
)

// TestDone: a run that continues after some levels begins with the next one, even if that level has no iterations, and its
// windows are as long as they say.
func TestDone(t *testing.T) {
	rng := rand.New(rand.NewPCG(20261127, 1))
	continued, without := 0, 0
	for range 400 {
		s := plantest.RandomNest(rng)
		o := plan.Options{Ranks: 1, CPUs: 1}
		whole, err := plan.New(s.Nest, s.Params, o)
		if err != nil || whole.Empty {
			continue
		}
		for o.Done = 1; o.Done <= whole.Hi[0]-whole.Lo[0]; o.Done++ {
			o.Epoch = max(1, whole.HaloWidth[0]) + rng.IntN(6)
			p, err := plan.New(s.Nest, s.Params, o)
			if err != nil {
				break
			}
			continued++
			if last := min(p.Lo[0]+p.Epoch-1, whole.Hi[0]); p.Lo[0] != whole.Lo[0]+o.Done || p.Epoch > 0 && p.Hi[0] != last {
				t.Fatalf("after %d of the levels %d..%d, epochs of %d: levels %d..%d\n%s", o.Done, whole.Lo[0], whole.Hi[0], p.Epoch, p.Lo[0], p.Hi[0], p)
			}
			lo, hi := slices.Clone(p.Lo), slices.Clone(p.Hi)
			if hi[0] = lo[0]; !p.Space.Shrink(lo, hi) {
				without++
			}
		}
	}
	if continued < 1000 || without < 10 {
		t.Errorf("%d runs continue, %d of them with a level that has no iterations", continued, without)
	}
}
