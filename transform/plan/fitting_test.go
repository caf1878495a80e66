package plan_test

import (
	"reflect"
	"testing"

	"loopc/transform/plan"
)

// TestForEach checks that all nests of a program have as many ranks, and where their
// number comes from.
func TestForEach(t *testing.T) {
	skew := [][]int{{1, 0}, {0, 1}}
	plain := &plan.Nest{Dims: []string{"i", "j"}, Skew: skew}
	scheduled := &plan.Nest{Dims: []string{"i", "j"}, Skew: skew, Schedule: plan.Options{Grid: []int{1, 3}, Tile: []int{8, 8}, Comm: plan.Blocking}}
	for _, c := range []struct {
		name  string
		given plan.Options
		want  [2]plan.Options
	}{
		{"the largest grid of a schedule", plan.Options{}, [2]plan.Options{{Ranks: 3}, {Ranks: 3, Grid: []int{1, 3}, Tile: []int{8, 8}, Comm: plan.Blocking}}},
		{"ranks", plan.Options{Ranks: 2}, [2]plan.Options{{Ranks: 2}, {Ranks: 2, Tile: []int{8, 8}, Comm: plan.Blocking}}},
		{"a grid", plan.Options{Grid: []int{4, 1}, Comm: plan.Overlap}, [2]plan.Options{{Ranks: 4, Grid: []int{4, 1}, Comm: plan.Overlap}, {Ranks: 4, Grid: []int{4, 1}, Tile: []int{8, 8}, Comm: plan.Overlap}}},
	} {
		each, err := plan.ForEach([]*plan.Nest{plain, scheduled}, c.given)
		if err != nil || !reflect.DeepEqual(each, c.want[:]) {
			t.Errorf("%s: got %+v, error %v, want %+v", c.name, each, err, c.want)
		}
	}
}

// TestFitting checks which options of a program a nest of it takes, and which no nest
// takes.
func TestFitting(t *testing.T) {
	unit := func(n int) (skew [][]int) {
		for k := range n {
			skew = append(skew, make([]int, n))
			skew[k][k] = 1
		}
		return skew
	}
	two := &plan.Nest{Dims: []string{"i", "j"}, Skew: unit(2)}
	three := &plan.Nest{Dims: []string{"t", "t-i", "k"}, Loops: []string{"t", "i", "k"}, Skew: unit(3)}
	one := &plan.Nest{Dims: []string{"level", "i"}, Levelled: true, Skew: unit(2)}
	for _, c := range []struct {
		name  string
		nest  *plan.Nest
		given plan.Options
		want  plan.Options
	}{
		{"nothing given", two, plan.Options{}, plan.Options{}},
		{"as many loops", two, plan.Options{Tile: []int{4, 0}, Grid: []int{2, 2}, Mesh: []int{1, 2}, Map: "j"}, plan.Options{Tile: []int{4, 0}, Grid: []int{2, 2}, Mesh: []int{1, 2}, Map: "j"}},
		{"more loops", three, plan.Options{Tile: []int{4, 0}, Grid: []int{2, 3}, Mesh: []int{1, 2}, Map: "j"}, plan.Options{Ranks: 6, CPUs: 2}},
		{"a level is no loop", one, plan.Options{Tile: []int{4}, Grid: []int{0}, Map: "i"}, plan.Options{Tile: []int{4}, Grid: []int{0}, Map: "i"}},
		{"nor has it a name", one, plan.Options{Grid: []int{3, 0}, Map: "level"}, plan.Options{Ranks: 3}},
		{"a sum of loops", three, plan.Options{Ranks: 4, Grid: []int{2, 2}, Map: "i"}, plan.Options{Ranks: 4, Map: "i"}},
	} {
		if got := c.nest.Fitting(c.given); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: got %+v, want %+v", c.name, got, c.want)
		}
	}
	for want, o := range map[string]plan.Options{
		"": {Tile: []int{4}, Grid: []int{1, 2}, Mesh: []int{1, 2, 1}, Map: "k"},
		"the tile [1 2 3 4] is for 4 loops, and no nest has so many":         {Tile: []int{1, 2, 3, 4}},
		"the grid [1 2 3 4] is for 4 loops, and no nest has so many":         {Grid: []int{1, 2, 3, 4}},
		"the mesh of CPUs [1 1 1 1] is for 4 loops, and no nest has so many": {Mesh: []int{1, 1, 1, 1}},
		"no nest has a loop x to map along":                                  {Map: "x"},
	} {
		_, err := plan.ForEach([]*plan.Nest{one, two, three}, o)
		if got := ""; err != nil && err.Error() != want || err == nil && got != want {
			t.Errorf("%+v: error %v, want %q", o, err, want)
		}
	}
}
