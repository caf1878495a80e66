package cost

import (
	"testing"

	"loopc/transform/plan"
	"loopc/transform/plan/plantest"
)

// TestLines: rows of large returned arrays that are streamed while they are computed must take less
// cache than rows that are kept and copied later. Small arrays, and arrays that are not returned,
// are not streamed and must take no less.
func TestLines(t *testing.T) {
	for _, c := range []struct {
		name    string
		params  []int
		role    plan.Role
		streams bool
	}{
		{"given back", []int{64, 41, 600}, plan.Out, true},
		{"not given back", []int{64, 41, 600}, plan.Internal, false},
		{"small", []int{16, 41, 600}, plan.Out, false},
	} {
		n := plantest.BoxNest(plantest.Units(3), "i", "j", "k")
		n.Arrays[0].Role = c.role
		p, err := plan.New(n, c.params, plan.Options{Ranks: 1, CPUs: 1, Tile: []int{0, 0, 0}, Map: "i"})
		if err != nil {
			t.Fatal(err)
		}
		var bytes [2]int
		for k, lines := range []bool{false, true} {
			kernel := DefaultMachine().With(n, Kernel{Rows: 32, Lanes: 8, Across: plan.AcrossLevels, Lines: lines}).Kernels[n.Digest]
			bytes[k], _ = kernel.footprint(p)
		}
		if c.streams != (bytes[1] < bytes[0]) {
			t.Errorf("%s: tiles of %v work on %d bytes, %d if rows were streamed", c.name, p.Side, bytes[0], bytes[1])
		}
	}
}
