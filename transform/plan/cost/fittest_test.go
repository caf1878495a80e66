package cost

import (
	"testing"

	"loopc/transform/plan"
	"loopc/transform/plan/plantest"
)

// The kernel that takes the least time is the fittest, but the first one unless another takes
// clearly less; few levels leave lanes across levels idle; and given
// arrays have a price for each row.
func TestFittest(t *testing.T) {
	n := plantest.SweepNest()
	at := func(k Kernel, seconds float64) Kernel {
		k.Point = []Rate{{Seconds: seconds}}
		return k
	}
	levels := Kernel{Rows: 8, Lanes: 8, Across: plan.AcrossLevels}
	across := Kernel{Rows: 16, Lanes: 8, Across: plan.AcrossRows}
	inGo := Kernel{Rows: 4, Across: plan.AcrossRows}
	for _, c := range []struct {
		params             []int
		levels, rows, inGo float64
		given              float64 // Run of levels
		want               int
	}{
		{[]int{64, 1000}, 0.3e-9, 1e-9, 2e-9, 0, 0},
		{[]int{64, 1000}, 5e-9, 1e-9, 2e-9, 0, 1},
		{[]int{64, 1000}, 5e-9, 4e-9, 1e-9, 0, 2},
		{[]int{64, 1000}, 2e-9, 3e-9, 1.9e-9, 0, 0},
		{[]int{2, 1000}, 2e-9, 3e-9, 1.9e-9, 0, 2},
		{[]int{64, 100}, 0.5e-9, 3e-9, 1.9e-9, 0, 0},
		{[]int{64, 100}, 0.5e-9, 3e-9, 1.9e-9, 4e-6, 2},
		{[]int{0, 1000}, 5e-9, 1e-9, 2e-9, 0, 0},
	} {
		levels.Run = c.given
		if got := Fittest(n, c.params, []Kernel{at(levels, c.levels), at(across, c.rows), at(inGo, c.inGo)}); got != c.want {
			t.Errorf("%v: kernel %d, want %d", c, got, c.want)
		}
	}
}
