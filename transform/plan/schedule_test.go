package plan_test

import (
	"reflect"
	"testing"

	"loopc/transform/plan"
)

// TestScheduled checks which options a schedule fills in, and that given options override it.
func TestScheduled(t *testing.T) {
	n := &plan.Nest{
		Dims: []string{"i", "j", "k"}, Skew: [][]int{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
		Schedule: plan.Options{Tile: []int{4, 0, 8}, Grid: []int{2, 2, 1}, Mesh: []int{1, 2, 1}, Map: "k", Group: plan.Vertical, Sub: 3, Comm: plan.Blocking},
	}
	for _, c := range []struct {
		name    string
		given   plan.Options
		changed func(want *plan.Options) // from the schedule
	}{
		{"nothing given", plan.Options{}, func(*plan.Options) {}},
		{"as many ranks", plan.Options{Ranks: 4}, func(o *plan.Options) { o.Ranks = 4 }},
		{"other ranks", plan.Options{Ranks: 3}, func(o *plan.Options) { o.Ranks, o.Grid = 3, nil }},
		{"another grid", plan.Options{Grid: []int{4, 1, 1}}, func(o *plan.Options) { o.Grid = []int{4, 1, 1} }},
		{"CPUs", plan.Options{CPUs: 4}, func(o *plan.Options) { o.CPUs, o.Mesh = 4, nil }},
		{"mapping", plan.Options{Map: "j"}, func(o *plan.Options) { o.Map, o.Grid, o.Mesh = "j", nil, nil }},
		{"mapping where there is one", plan.Options{Map: "i"}, func(o *plan.Options) { o.Map, o.Grid = "i", nil }},
		{"a grid along the mapping", plan.Options{Grid: []int{1, 1, 4}}, func(o *plan.Options) { o.Grid, o.Map = []int{1, 1, 4}, "" }},
		{"tile", plan.Options{Tile: []int{1, 1, 1}}, func(o *plan.Options) { o.Tile = []int{1, 1, 1} }},
		{"other words", plan.Options{Comm: plan.Overlap, Group: plan.Hyperplane}, func(o *plan.Options) { o.Comm, o.Group, o.Sub = plan.Overlap, plan.Hyperplane, 0 }},
	} {
		want := n.Schedule
		c.changed(&want)
		if got := n.Scheduled(c.given); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, want %+v", c.name, got, want)
		}
	}
}
