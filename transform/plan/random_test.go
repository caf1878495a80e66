package plan_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"loopc/transform/plan/plantest"
)

// TestSamples checks that the random nests suit the tests below: most have iterations, many of them
// at negative coordinates, and some have none.
func TestSamples(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	empty, negative, points := 0, 0, 0
	for range 500 {
		s := plantest.RandomNest(rng)
		if len(s.Points) == 0 {
			empty++
		} else if slices.Min(s.Points[0]) < 0 {
			negative++
		}
		points += len(s.Points)
		for _, p := range s.Points {
			for _, f := range s.Nest.Space {
				if f.Eval(s.Params, p) < 0 {
					t.Fatalf("iteration %v violates %v", p, f)
				}
			}
		}
	}
	if empty == 0 || empty > 250 || negative < 100 || points < 10000 {
		t.Errorf("%d spaces of 500 are empty, %d have negative coordinates, %d points in all", empty, negative, points)
	}
}
