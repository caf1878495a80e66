package plan

import (
	"strings"
	"testing"
	"time"
)

// TestHugeCounts refuses, or plans, absurd numbers at once.
func TestHugeCounts(t *testing.T) {
	began := time.Now()
	for _, c := range []struct {
		params []int
		o      Options
		want   string // "" if the plan is good
	}{
		{[]int{9, 9}, Options{Grid: []int{1, 1_000_000_000}}, "1x1000000000 ranks are too many: 131072 at most"},
		{[]int{9, 9}, Options{Grid: []int{1 << 40, 1 << 40}}, "ranks are too many"},
		{[]int{9, 9}, Options{Ranks: 1 << 62}, "ranks are too many"},
		{[]int{9, 9}, Options{CPUs: 1 << 62}, "CPUs are too many"},
		{[]int{1 << 47, 3}, Options{}, ""},
		{[]int{1 << 20, 1 << 30}, Options{}, ""},
		{[]int{9, 9}, Options{Tile: []int{1 << 40, 1 << 40}}, ""},
	} {
		p, err := New(boxNest(units(2), "i", "j"), c.params, c.o)
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

// TestHugeRuns requires plans, with all left to the planner, where there are more
// workers than columns that a run can have, and that sub-tiles are no more than
// iterations.
func TestHugeRuns(t *testing.T) {
	p, err := New(boxNest(units(3), "i", "j", "k"), []int{1e5, 1e6, 1e6}, Options{Ranks: 100000, CPUs: 64})
	if err != nil {
		t.Fatal(err)
	}
	if c := p.Columns(); c > mostColumns || c < mostColumns/2 {
		t.Errorf("%d columns for 6,400,000 CPUs", c)
	}
	p, err = New(boxNest(units(2), "i", "j"), []int{10, 10}, Options{Ranks: 2, Map: "i", Tile: []int{10, 5}, Group: Vertical, Sub: 1 << 48})
	if err != nil {
		t.Fatal(err)
	}
	if p.Sub != 10 || p.Side[0] != 1 {
		t.Errorf("%d sub-tiles %d high of a tile of 10 iterations", p.Sub, p.Side[0])
	}
	if m, _, _ := p.Volume(); m != 1 {
		t.Errorf("%d messages", m)
	}
}
