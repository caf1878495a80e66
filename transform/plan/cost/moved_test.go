package cost

import (
	"math"
	"testing"

	"loopc/transform/plan"
	"loopc/transform/plan/plantest"
)

// TestMoved compares what tiles move through memory with counts by hand.
func TestMoved(t *testing.T) {
	n := plantest.CuboidNest(8)
	const cell, all = 8.0, 1 << 40
	for _, c := range []struct {
		what   string
		levels int // of the run: many are not compressed
		o      plan.Options
		cache  int
		want   float64
	}{
		// A tile of 20 levels goes through 23 x 63 rows; the next one finds all but 3 x 63.
		{"planes in turn", 400, plan.Options{Tile: []int{20, 3, 43, 0}, Assign: plan.Cyclic}, 64 << 20, 2 * 2 * cell * 3 * 63 / (20 * 3 * 43)},
		{"rows in turn", 400, plan.Options{Tile: []int{20, 3, 43, 0}, Assign: plan.Cluster}, 64 << 20, 2 * 2 * cell * 43 * 23 / (20 * 3 * 43)},
		{"levels in turn", 400, plan.Options{Tile: []int{20, 40, 60, 0}, Assign: plan.Cyclic, Map: "t"}, 64 << 20, 2 * 2 * cell * (60*80 - 40*60) / (20 * 40 * 60)},
		{"nothing stays", 400, plan.Options{Tile: []int{20, 3, 43, 0}, Assign: plan.Cyclic}, 1 << 20, 2 * 2 * cell * 23 * 63 / (20 * 3 * 43)},
		{"all stays", 400, plan.Options{Tile: []int{20, 3, 43, 0}, Assign: plan.Cyclic}, all, 0},
		// Through 43 x 83 rows, of a single level.
		{"compressed", 40, plan.Options{Tile: []int{20, 3, 43, 0}, Assign: plan.Cyclic}, 64 << 20, 2 * cell * 3 * 83 / (20 * 3 * 43)},
		{"nothing of compressed ones stays", 40, plan.Options{Tile: []int{20, 3, 43, 0}, Assign: plan.Cyclic}, 1 << 20, 2 * cell * 43 * 83 / (20 * 3 * 43)},
	} {
		p, err := plan.New(n, []int{c.levels, 256, 256, 256}, c.o)
		if err != nil {
			t.Fatal(err)
		}
		if p.Compressed() != (c.levels == 40) {
			t.Errorf("%s: compressed is %v", c.what, p.Compressed())
		}
		if got := moved(p, c.cache); math.Abs(got/c.want-1) > 1e-9 && got != c.want {
			t.Errorf("%s: an iteration moves %g bytes, want %g", c.what, got, c.want)
		}
	}
}
