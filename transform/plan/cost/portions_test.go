package cost

import (
	"testing"

	"loopc/transform/plan"
	"loopc/transform/plan/plantest"
	"loopc/transform/plan/walk"
)

// TestPortions counts by hand into how many portions the time of a tile falls whose face is
// handed over while it is packed: columns beside one another follow by rows of a slab, as
// many as SlackInSlab says, and blocks of whole rows by slabs.
func TestPortions(t *testing.T) {
	for _, c := range []struct{ rows, ahead int }{{1, 8}, {8, 8}, {256, 8}, {320, 10}, {4096, 128}} {
		if n := walk.SlackInSlab(c.rows); n != c.ahead {
			t.Errorf("of %d rows of a slab one gets %d ahead, want %d", c.rows, n, c.ahead)
		}
	}
	for _, c := range []struct{ rows, ahead int }{{255, 0}, {256, 1}, {25600, 100}} {
		if n := c.rows / walk.SlackInFace; n != c.ahead {
			t.Errorf("of %d rows of a face one gets %d ahead, want %d", c.rows, n, c.ahead)
		}
	}
	n := plantest.BoxNest([][]int{{0, 0, 1}, {0, 1, 0}, {1, 0, 0}}, "t", "i", "j")
	l := lanes{across: plan.AcrossLevels, all: 32, vector: 8}
	for _, c := range []struct {
		what string
		o    plan.Options
		step [3]int
		want int
	}{
		// 13 slabs of 8 levels. 639 rows and a ghost, of which 20 get ahead: 32 portions.
		{"columns beside one another", plan.Options{Map: "i", Tile: []int{100, 639, 0}, CPUs: 2, Mesh: []int{1, 1, 2}}, [3]int{0, 0, 1}, 13 * 32},
		{"blocks of rows", plan.Options{Map: "j", Tile: []int{100, 320, 0}, CPUs: 2, Mesh: []int{1, 2, 1}}, [3]int{0, 1, 0}, 13},
	} {
		p, err := plan.New(n, []int{100, 640, 640}, c.o)
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for d := range p.Directions() {
			if [3]int(p.Directions()[d].Step) == c.step {
				found = true
				if got := portions(p, l, d, p.Side[0]); got != c.want {
					t.Errorf("%s, %v: %d portions, want %d", c.what, p.Side, got, c.want)
				}
			}
		}
		if !found {
			t.Errorf("%s: no faces in direction %v", c.what, c.step)
		}
	}
}
