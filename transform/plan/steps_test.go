package plan_test

import (
	"testing"

	"loopc/transform/plan"
	"loopc/transform/plan/plantest"
)

// TestIndependentTogether requires that workers side by side along a dimension
// that no dependence crosses run their tiles in the same steps, for every way to
// group, to assign and to communicate, and that the order can be kept.
func TestIndependentTogether(t *testing.T) {
	for _, dists := range [][][]int{nil, {{1, 0, 0}}, {{0, 1, 0}}, {{1, 0, 0}, {0, 0, 1}}, {{1, 1, 0}}} {
		for _, group := range []plan.Group{plan.Hyperplane, plan.Vertical} {
			for _, comm := range []plan.Comm{plan.Overlap, plan.Blocking} {
				for _, assign := range plan.Assign(plan.Any).All() {
					o := plan.Options{Map: "i", Grid: []int{1, 2, 3}, Mesh: []int{1, 2, 1}, Tile: []int{2, 2, 2}, Group: group, Comm: comm, Assign: assign}
					p, err := plan.New(plantest.BoxNest(dists, "i", "j", "k"), []int{8, 16, 24}, o)
					if err != nil {
						t.Fatal(err)
					}
					if err := p.CheckOrder(nil); err != nil {
						t.Fatalf("%v: %v\n%s", dists, err, p)
					}
					for x := 1; x < 3; x++ {
						free := true
						for _, d := range dists {
							free = free && d[x] == 0
						}
						if p.Linked(x) == free {
							t.Errorf("%v: dimension %d is linked: %t", dists, x, p.Linked(x))
						}
						at, here, last := make([]int, 3), p.StepOf([]int{0, 0, 0}, 0), 0
						for at[x] = range min(p.Tiles[x], p.Grid[x]*p.Mesh[x]*p.Block[x]) {
							last = p.StepOf(at, 0)
							if free && (last != here || p.SubStep(at, 0) != 0) {
								t.Errorf("%v, %s: tile %v runs at step %d.%d, that at the origin at %d", dists, p, at, last, p.SubStep(at, 0), here)
							}
						}
						if !free && last == here && group == plan.Hyperplane {
							t.Errorf("%v, %s: all tiles along dimension %d run at once", dists, p, x)
						}
					}
				}
			}
		}
	}
}
