package search

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"loopc/transform/plan"
	"loopc/transform/plan/cost"
	"loopc/transform/plan/plantest"
)

// TestPlanningEnds requires that planning ends with its context, with the cause of that, before
// it begins and while it searches.
func TestPlanningEnds(t *testing.T) {
	cause := errors.New("enough")
	ended, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	rng := rand.New(rand.NewPCG(28, 8))
	refused := 0
	for range 300 {
		s := plantest.RandomNest(rng)
		o := plantest.RandomOptions(rng, s.Nest)
		if p, err := plan.New(s.Nest, s.Params, o); err != nil || p.Empty {
			continue
		}
		refused++
		if p, err := plan.NewContext(ended, s.Nest, s.Params, o); p != nil || !errors.Is(err, cause) {
			t.Fatalf("NewContext: %v, %v", p, err)
		}
		if p, all, err := Choose(ended, s.Nest, s.Params, o, cost.DefaultMachine(), cost.LinkTCP); p != nil || all != nil || !errors.Is(err, cause) {
			t.Fatalf("Choose: %v, %v, %v", p, all, err)
		}
	}
	if refused < 100 {
		t.Errorf("%d nests: too few to tell anything", refused)
	}
	// A search among very many arrangements, and one among many plans.
	wide := plantest.BoxNest([][]int{{0, 0, 0, 1}, {0, 0, 1, 0}, {0, 1, 0, 0}, {1, 0, 0, 0}}, "i", "j", "k", "l")
	wide.Arrays[0].Lo, wide.Arrays[0].Hi = nil, nil
	for _, o := range []plan.Options{{Ranks: 110_880, CPUs: 9}, {Ranks: 64, CPUs: 4}} {
		for _, after := range []time.Duration{time.Millisecond, 5 * time.Millisecond, 20 * time.Millisecond} {
			ctx, cancel := context.WithTimeoutCause(t.Context(), after, cause)
			began := time.Now()
			_, _, err := Choose(ctx, wide, []int{5000, 5000, 5000, 5000}, o, cost.DefaultMachine(), cost.LinkTCP)
			late := time.Since(began) - after
			cancel()
			if err != nil && !errors.Is(err, cause) || late > 500*time.Millisecond {
				t.Errorf("%+v, canceled after %v, returned %v later: %v", o, after, late, err)
			}
		}
	}
}
