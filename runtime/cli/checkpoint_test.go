package cli

import (
	"strings"
	"testing"

	"loopc/transform/plan"
)

// TestFitCutsRuns requires that a run whose tiles need more memory than there is is cut into
// epochs, as long as possible, and that another one is not.
func TestFitCutsRuns(t *testing.T) {
	prog := programs["diffusion"]
	c := &command{planned: planned{prog: prog}, settings: &settings{}}
	with := func(epoch int) (*plan.Plan, error) {
		return plan.New(prog.Nest, []int{4000, 20}, plan.Options{Ranks: 3, Tile: []int{8, 8, 8}, Map: prog.Nest.Dims[1], Epoch: epoch})
	}
	p, err := with(0)
	if err != nil {
		t.Fatal(err)
	}
	need := c.nestNeeds(0, p)
	for _, limit := range []int64{0, need} {
		if q, err := c.fit(0, p, limit, with); err != nil || q != p {
			t.Errorf("of %d bytes and a limit of %d, the run is cut: %v", need, limit, err)
		}
	}
	q, err := c.fit(0, p, need/3, with)
	if err != nil {
		t.Fatal(err)
	}
	longer, err := with(2 * q.Epoch)
	if err != nil {
		t.Fatal(err)
	}
	switch got := c.nestNeeds(0, q); {
	case q.Windows < 2 || got > need/3:
		t.Errorf("of %d bytes and a limit of %d, there are %d epochs that need %d", need, need/3, q.Windows, got)
	case c.nestNeeds(0, longer) <= need/3:
		t.Errorf("epochs of %d levels would fit, and there are %d of %d", longer.Epoch, q.Windows, q.Epoch)
	case len(q.Warnings) == 0 || !strings.Contains(q.Warnings[len(q.Warnings)-1], "the run is cut into epochs of"):
		t.Errorf("the warnings are %q", q.Warnings)
	}
	if q, err := c.fit(0, p, 1, with); err != nil || q != p {
		t.Errorf("no epoch fits into a byte, and the plan is another one: %v", err)
	}
}
