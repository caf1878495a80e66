package search

import (
	"math"
	"slices"
	"testing"

	"loopc/transform/plan"
	"loopc/transform/plan/cost"
	"loopc/transform/plan/plantest"
)

// TestThinTiles asks for thin tiles, one column after the other along the outermost dimension
// of a level, of levels that go through memory, whichever of its extents is the longest; and for
// others where rows wait for one another, or sides or something else were asked for that does
// not go with them.
func TestThinTiles(t *testing.T) {
	for _, c := range []struct {
		what   string
		size   int
		params []int
		o      plan.Options
		change func(*plan.Nest)
		side   []int // of t, i, j; nil: not thin
	}{
		{"a cube", 8, []int{40, 256, 256, 256}, plan.Options{}, nil, []int{20, 3, 59}},
		{"j is longer", 8, []int{40, 256, 257, 256}, plan.Options{}, nil, []int{20, 3, 60}},
		{"j is longest", 8, []int{40, 100, 800, 200}, plan.Options{}, nil, []int{20, 4, 70}},
		{"i is longest", 8, []int{40, 800, 100, 200}, plan.Options{}, nil, []int{20, 4, 70}},
		{"long rows", 8, []int{40, 128, 129, 1000}, plan.Options{}, nil, []int{20, 3, 11}},
		{"small cells", 4, []int{40, 256, 257, 256}, plan.Options{}, nil, []int{20, 7, 60}},
		{"more levels than they are long", 8, []int{20000, 40, 100, 100}, plan.Options{}, nil, nil},
		{"two CPUs", 8, []int{40, 256, 257, 256}, plan.Options{CPUs: 2}, nil, []int{20, 3, 33}},
		{"two CPUs that would not end together", 8, []int{40, 300, 300, 300}, plan.Options{CPUs: 2}, nil, []int{14, 3, 38}},
		{"along j", 8, []int{40, 256, 256, 256}, plan.Options{Map: "j"}, nil, []int{20, 59, 3}},
		{"too many levels to be compressed", 8, []int{100, 256, 256, 256}, plan.Options{}, nil, []int{25, 3, 45}},
		{"a side is given", 8, []int{40, 256, 256, 256}, plan.Options{Tile: []int{0, 0, 20, 0}}, nil, nil},
		{"along the levels", 8, []int{40, 256, 256, 256}, plan.Options{Map: "t"}, nil, nil},
		{"blocks of columns", 8, []int{40, 256, 256, 256}, plan.Options{Assign: plan.Cluster}, nil, nil},
		{"rows read rows of their level", 8, []int{40, 256, 256, 256}, plan.Options{}, func(n *plan.Nest) {
			n.Values[0].Flow = append([][]int{{0, 0, 1, 0}}, n.Values[0].Flow...)
		}, nil},
		{"rows replace others", 8, []int{40, 256, 256, 256}, plan.Options{}, func(n *plan.Nest) { n.InPlace = true }, nil},
	} {
		n := plantest.CuboidNest(c.size)
		if c.change != nil {
			c.change(n)
		}
		kernel := cost.Kernel{Across: plan.AlongRow, Point: []cost.Rate{{Seconds: 0.03e-9 * float64(c.size)}}} // about what its rows in the second cache take
		p, _, err := Choose(t.Context(), n, c.params, c.o, cost.DefaultMachine().With(n, kernel), cost.LinkInproc)
		if err != nil {
			t.Fatalf("%s: %v", c.what, err)
		}
		along := 1
		if c.o.Map == "j" {
			along = 2
		}
		thin := p.Assign == plan.Cyclic && p.Map == along && p.Side[along] < plan.FewPlanes
		if want := c.side != nil; thin != want || want && (!slices.Equal(p.Side[:3], c.side) || p.Tiles[3] != 1) {
			t.Errorf("%s: tiles of %v, want %v\n%s", c.what, p.Side, c.side, p)
		}
	}
}

// TestTurns compares how long CPUs that take turns need with counts by hand.
func TestTurns(t *testing.T) {
	var square, skewed []reach
	for level := range 4 {
		square = append(square, reach{0, 11})
		skewed = append(skewed, reach{level, level + 11})
	}
	for _, c := range []struct {
		what         string
		levels       []reach
		height, wide int
		cpus         int
		want         float64
	}{
		{"alone", skewed, 2, 4, 1, 1},
		{"two each", square, 4, 3, 2, 1},
		{"two and one", square, 4, 4, 2, 4.0 / 3},
		// The one with a column less of some levels has one more of the next.
		{"two and one of all levels", square, 2, 4, 2, 4.0 / 3},
		// 7 8 8 1 below, 3 8 8 5 above: 15 and 9, then 3 + 8 behind them, and 8 + 5.
		{"skewed", skewed, 2, 4, 2, 28.0 / 24},
		{"nothing to do", []reach{{0, -1}}, 2, 4, 2, 1},
	} {
		if got := cyclicTime(c.levels, c.height, c.wide, c.cpus); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s: %g times as long, want %g", c.what, got, c.want)
		}
	}
}
