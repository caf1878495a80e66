package plan_test

import (
	"strings"
	"testing"
	"time"

	"loopc/transform/plan"
	"loopc/transform/plan/plantest"
)

// TestHugeCounts refuses, or plans, absurd numbers at once.
func TestHugeCounts(t *testing.T) {
	began := time.Now()
	for _, c := range []struct {
		params []int
		o      plan.Options
		want   string // "" if the plan is good
	}{
		{[]int{9, 9}, plan.Options{Grid: []int{1, 1_000_000_000}}, "1x1000000000 ranks are too many: 131072 at most"},
		{[]int{9, 9}, plan.Options{Grid: []int{1 << 40, 1 << 40}}, "ranks are too many"},
		{[]int{9, 9}, plan.Options{Ranks: 1 << 62}, "ranks are too many"},
		{[]int{9, 9}, plan.Options{CPUs: 1 << 62}, "CPUs are too many"},
		{[]int{1 << 47, 3}, plan.Options{}, ""},
		{[]int{1 << 20, 1 << 30}, plan.Options{}, ""},
		{[]int{9, 9}, plan.Options{Tile: []int{1 << 40, 1 << 40}}, ""},
	} {
		p, err := plan.New(plantest.BoxNest(plantest.Units(2), "i", "j"), c.params, c.o)
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%v, %+v: %v", c.params, c.o, err)
		case c.want == "":
			for k, s := range p.Side {
				if s > p.Hi[k]-p.Lo[k]+1 {
					t.Errorf("%+v: side %d along %s is longer than the space", c.o, s, p.Nest.Dims[k])
				}
			}
		case err == nil || !strings.Contains(err.Error(), c.want):
			t.Errorf("%v, %+v: got %v, want %q", c.params, c.o, err, c.want)
		}
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("took %v", took)
	}
}
