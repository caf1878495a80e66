package search

import (
	"slices"
	"testing"

	"loopc/transform/plan"
	"loopc/transform/plan/cost"
	"loopc/transform/plan/plantest"
)

// TestGivenTile: the choice keeps the sides that the user gives, even heights with which lanes or
// rows computed together stay idle, and it chooses a side that is left open.
func TestGivenTile(t *testing.T) {
	nest := plantest.SweepNest()
	nest.Digest = "sweep"
	params := []int{48, 300}
	for name, m := range map[string]*cost.Machine{
		"no lanes": cost.DefaultMachine(), "levels": cost.DefaultMachine().With(nest, cost.Kernel{Rows: 32, Lanes: 8, Across: plan.AcrossLevels}), "rows": cost.DefaultMachine().With(nest, cost.Kernel{Rows: 6, Across: plan.AcrossRows}),
	} {
		for _, tile := range [][]int{{13, 0, 0}, {7, 0, 130}, {0, 31, 0}, {19, 45, 101}} {
			for _, o := range []plan.Options{{Ranks: 1, CPUs: 1}, {Ranks: 1, CPUs: 2, Map: "i"}, {Ranks: 2, CPUs: 1, Map: "t"}, {Ranks: 1, CPUs: 2, Assign: plan.Cluster}} {
				o.Tile = slices.Clone(tile)
				p, _, err := Choose(t.Context(), nest, params, o, m, cost.LinkInproc)
				if err != nil {
					t.Fatal(err)
				}
				for x, s := range o.Tile {
					got := p.Side[x]
					if x == p.Map && p.Group == plan.Vertical {
						got = min(s, got*p.Sub) // that of all sub-tiles, of which the last may be lower
					}
					if s != 0 && got != s {
						t.Errorf("%s, %+v: tiles of %v\n%s", name, o, p.Side, p)
					}
				}
			}
		}
	}
}
