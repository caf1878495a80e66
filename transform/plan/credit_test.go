package plan

import (
	"math/rand/v2"
	"testing"
)

// TestCredits requires that the slots of every edge suffice, and even two of
// them, whatever the nest and the plan.
func TestCredits(t *testing.T) {
	edges := 0
	randomPlans(t, 6, 3000, func(_ *rand.Rand, s tiled) {
		if err := s.plan.CheckCredits(nil); err != nil {
			t.Errorf("%s: %v", s.plan, err)
		}
		if err := s.plan.CheckCredits(func(EdgeOf) int { return 2 }); err != nil {
			t.Errorf("%s: with two slots: %v", s.plan, err)
		}
		edges += len(s.plan.Edges())
	})
	if edges < 5000 {
		t.Errorf("only %d edges", edges)
	}
}

// TestCreditsLacking plants edges without slots, and requires that the check
// finds the worker that waits.
func TestCreditsLacking(t *testing.T) {
	p, err := New(boxNest(units(2), "i", "j"), []int{20, 6}, Options{Tile: []int{5, 2}, Map: "i", Ranks: 3})
	if err != nil {
		t.Fatal(err)
	}
	err = p.CheckCredits(func(e EdgeOf) int {
		if e.From == 1 {
			return 0
		}
		return Slots
	})
	if err == nil || err.Error() != "the credits of the plan form a cycle: rank 0, CPU 0 waits for ever at tile 3 of column 0" {
		t.Errorf("an edge without slots: %v", err)
	}
	// One slot is enough to make progress: two are for overlap.
	if err := p.CheckCredits(func(EdgeOf) int { return 1 }); err != nil {
		t.Errorf("one slot: %v", err)
	}
}
