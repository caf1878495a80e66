package walk

import (
	"math/rand/v2"
	"testing"

	"loopc/transform/plan"
)

// TestMovedBoxes compares three levelEdges: one that may move boxes from the level before, one that
// finds the boxes of each level alone, and one without a space, which can only move boxes. Where the
// first says that an earlier level has filled the exterior cells, the second must find the same cells.
func TestMovedBoxes(t *testing.T) {
	rng := rand.New(rand.NewPCG(24, 1))
	ran, moved, filled := 0, 0, 0
	for tried := 0; ran < 60; tried++ {
		if tried > 3000 {
			t.Fatalf("only %d of %d random nests are kept whole", ran, tried)
		}
		n := randomLevels(rng)
		o := levelOptions(rng, n)
		o.CompressFrom = rng.IntN(2)
		p, err := plan.New(n, nil, o)
		if err != nil || p.Empty || !p.KeepsWhole() {
			continue
		}
		ran++
		blind := *p
		e, alone, moves := newLevelEdge(p), newLevelEdge(p), newLevelEdge(&blind)
		alone.move = nil
		moves.box(p.Lo[0])
		blind.Space = &plan.Space{Depth: p.Space.Depth}
		for level := p.Lo[0] - p.HaloWidth[0]; level <= p.Hi[0]+p.HaloWidth[0]; level++ {
			b, want := e.box(level), alone.box(level)
			if !b.same(want) || b.iterates && (b.lo[0] != level || b.hi[0] != level) {
				t.Fatalf("%v: level %d has the box %v to %v, not %v to %v", n.Space, level, b.lo, b.hi, want.lo, want.hi)
			}
			if e.move != nil && level > p.Lo[0] && level <= e.top && b.exact {
				if moved++; !moves.box(level).same(b) {
					t.Errorf("%v: the box of level %d is not moved", n.Space, level)
				}
			}
			if before := level - e.Offset[0]; b.iterates && b.exact && e.steady && e.drifts && before >= p.Lo[0] && level <= e.top {
				filled++
				if !alone.alike(before, level, e.Offset) {
					t.Errorf("%v: the cells of level %d are not those of level %d", n.Space, level, before)
				}
			}
		}
	}
	if t.Logf("%d plans, %d boxes moved, %d levels filled before", ran, moved, filled); moved < 100 || filled < 20 {
		t.Error("too few cases")
	}
}
