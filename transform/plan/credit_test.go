package plan_test

import (
	"math/rand/v2"
	"testing"

	"loopc/transform/plan"
	"loopc/transform/plan/plantest"
)

// TestCredits: the slots of every edge suffice, for any nest and plan. Two slots suffice where a
// worker runs only one round of columns.
func TestCredits(t *testing.T) {
	edges, lacking := 0, 0
	plantest.RandomPlans(t, 6, 3000, func(_ *rand.Rand, s plantest.Tiled) {
		if err := s.Plan.CheckCredits(nil); err != nil {
			t.Errorf("%s: %v", s.Plan, err)
		}
		if s.Plan.Chunked() {
			// Faces that wrap around wait for the next round.
			if s.Plan.CheckCredits(func(plan.EdgeOf) int { return 2 }) != nil {
				lacking++
			}
		} else if err := s.Plan.CheckCredits(func(plan.EdgeOf) int { return 2 }); err != nil {
			t.Errorf("%s: with two slots: %v", s.Plan, err)
		}
		edges += len(s.Plan.Edges())
	})
	if edges < 5000 || lacking == 0 {
		t.Errorf("only %d edges, two slots lack in %d plans", edges, lacking)
	}
}

// TestSlotsNoMoreThanMessages requires that no edge within a rank has a slot for which
// there is no message, and that those between workers have three where there are as many;
// those between ranks always, for a nest may be repeated.
func TestSlotsNoMoreThanMessages(t *testing.T) {
	few, many, remote := 0, 0, 0
	plantest.RandomPlans(t, 6, 1000, func(_ *rand.Rand, s plantest.Tiled) {
		for _, e := range s.Plan.Edges() {
			stream, ok := s.Plan.Stream(&e)
			if !ok {
				continue // nothing ever travels there
			}
			first, last := stream.Tiles()
			messages := last - first + 1
			alone := e.Rank[0] == e.Rank[1] && e.CPU[0] == e.CPU[1]
			switch {
			case e.Remote() && e.Slots < plan.LeastSlots, !e.Remote() && e.Slots > messages, !alone && e.Slots < min(plan.LeastSlots, messages):
				t.Errorf("%s: an edge of %d messages has %d slots, remote: %v", s.Plan, messages, e.Slots, e.Remote())
			case e.Remote():
				remote++
			case messages < plan.LeastSlots && !alone:
				few++
			case !alone:
				many++
			}
		}
	})
	if few < 100 || many < 100 || remote < 100 {
		t.Errorf("only %d edges with few messages and %d with many, %d between ranks", few, many, remote)
	}
}

// TestCreditsLacking plants edges without slots, and requires that the check
// finds the worker that waits.
func TestCreditsLacking(t *testing.T) {
	p, err := plan.New(plantest.BoxNest(plantest.Units(2), "i", "j"), []int{20, 6}, plan.Options{Tile: []int{5, 2}, Map: "i", Ranks: 3})
	if err != nil {
		t.Fatal(err)
	}
	err = p.CheckCredits(func(e plan.EdgeOf) int {
		if e.From == 1 {
			return 0
		}
		return e.Slots
	})
	if err == nil || err.Error() != "the credits of the plan form a cycle: rank 0, CPU 0 waits for ever at tile 3 of column 0" {
		t.Errorf("an edge without slots: %v", err)
	}
	// One slot is enough to make progress: two are for overlap.
	if err := p.CheckCredits(func(plan.EdgeOf) int { return 1 }); err != nil {
		t.Errorf("one slot: %v", err)
	}
}
