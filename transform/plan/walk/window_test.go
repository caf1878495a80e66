package walk_test

import (
	"slices"
	"testing"

	"loopc/runtime/kernel"
	"loopc/transform/plan"
	"loopc/transform/plan/walk"
)

// TestWindowFills: a tile fills only exterior cells that iterations of its window read, because a
// rank may lack the content of other cells.
func TestWindowFills(t *testing.T) {
	fills := 0
	eachPlan(t, 13, 300, func(whole *plan.Plan, traits kernel.Traits) {
		o := whole.Options()
		o.Epoch = max(1, whole.HaloWidth[0]) + len(whole.Side)
		p, err := plan.New(whole.Nest, whole.Params, o)
		if err != nil || p.Windows == 1 {
			return
		}
		at, lo, hi := make([]int, len(p.Side)), make([]int, len(p.Side)), make([]int, len(p.Side))
		for k := range p.Windows {
			w := p.Window(k*p.Epoch, p.Epoch)
			for c := range w.Columns() {
				w.ColumnAt(c, at)
				first, last := w.Active(at, lo, hi)
				for tile := first; tile <= last; tile++ {
					for op := range walk.Tile(w, at, tile) {
						if op.Kind != walk.Fill {
							continue
						}
						fills++
						read := slices.ContainsFunc(w.Nest.Values[op.Value].Need, func(d []int) bool {
							return op.Lo[0]+d[0] >= w.Lo[0] && op.Lo[0]+d[0] <= w.Hi[0]
						})
						if !read {
							t.Fatalf("window %d, levels %d to %d, tile %d of column %v: nobody reads %+v\n%s", k, w.Lo[0], w.Hi[0], tile, at, op, p)
						}
					}
				}
			}
		}
	})
	if fills < 10000 {
		t.Errorf("only %d fills", fills)
	}
}
