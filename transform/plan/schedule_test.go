package plan

import (
	"reflect"
	"testing"
)

// TestScheduled checks what a schedule fills in, and what yields to options.
func TestScheduled(t *testing.T) {
	n := &Nest{
		Dims: []string{"i", "j", "k"}, Skew: [][]int{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
		Schedule: Options{Tile: []int{4, 0, 8}, Grid: []int{2, 2, 1}, Mesh: []int{1, 2, 1}, Map: "k", Group: Vertical, Sub: 3, Comm: Blocking},
	}
	for _, c := range []struct {
		name    string
		given   Options
		changed func(want *Options) // from the schedule
	}{
		{"nothing given", Options{}, func(*Options) {}},
		{"as many ranks", Options{Ranks: 4}, func(o *Options) { o.Ranks = 4 }},
		{"other ranks", Options{Ranks: 3}, func(o *Options) { o.Ranks, o.Grid = 3, nil }},
		{"another grid", Options{Grid: []int{4, 1, 1}}, func(o *Options) { o.Grid = []int{4, 1, 1} }},
		{"CPUs", Options{CPUs: 4}, func(o *Options) { o.CPUs, o.Mesh = 4, nil }},
		{"mapping", Options{Map: "j"}, func(o *Options) { o.Map, o.Grid, o.Mesh = "j", nil, nil }},
		{"mapping where there is one", Options{Map: "i"}, func(o *Options) { o.Map, o.Grid = "i", nil }},
		{"a grid along the mapping", Options{Grid: []int{1, 1, 4}}, func(o *Options) { o.Grid, o.Map = []int{1, 1, 4}, "" }},
		{"tile", Options{Tile: []int{1, 1, 1}}, func(o *Options) { o.Tile = []int{1, 1, 1} }},
		{"other words", Options{Comm: Overlap, Group: Hyperplane}, func(o *Options) { o.Comm, o.Group, o.Sub = Overlap, Hyperplane, 0 }},
	} {
		want := n.Schedule
		c.changed(&want)
		if got := n.Scheduled(c.given); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, want %+v", c.name, got, want)
		}
	}
}
