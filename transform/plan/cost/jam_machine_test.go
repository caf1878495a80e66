package cost

import (
	"slices"
	"testing"

	"loopc/transform/plan"
	"loopc/transform/plan/plantest"
	"loopc/transform/plan/walk"
)

// shearedNest is an in-place nest in which each row begins and ends one column further than the
// row above.
func shearedNest() *plan.Nest {
	n := plantest.SweepNest()
	n.Digest = "sheared"
	n.Skew = [][]int{{1, 0, 0}, {0, 1, 0}, {0, 1, 1}}
	n.Space = []plan.Affine{{Const: -1, Iters: []int{1}}, {Params: []int{1}, Iters: []int{-1}}, {Const: -1, Iters: []int{0, 1}}, {Params: []int{0, 1}, Iters: []int{0, -1}}, {Const: -1, Iters: []int{0, -1, 1}}, {Params: []int{0, 1}, Iters: []int{0, 1, -1}}}
	v := &n.Values[0]
	v.Flow = [][]int{{0, 0, 1}, {0, 1, 0}, {0, 1, 1}, {1, 0, 0}}
	v.Need, v.Cell, v.Overwrites = v.Flow, []plan.Affine{{Iters: []int{0, 1}}, {Iters: []int{0, -1, 1}}}, [][]int{{1, 0, 0}}
	return n
}

// aloneByRows counts the iterations of a level of the tile lo..hi that the runtime
// computes row by row: it collects rows as long as they have columns in common.
func aloneByRows(p *plan.Plan, level int, lo, hi []int) (alone int) {
	var spans [][2]int
	from, to := 0, 0 // columns in common
	flush := func() {
		for _, s := range spans {
			alone += s[1] - s[0] - (to - from)
		}
		spans = nil
	}
	for r := lo[1]; r <= hi[1]; r++ {
		a, b := p.Space.Span([]int{level, r, 0}, lo[2], hi[2])
		if a > b {
			continue
		}
		if f, t := max(from, a), min(to, b); len(spans) > 0 && len(spans) < walk.RaggedMost && t-f+1 >= walk.RaggedLeast {
			from, to = f, t
		} else {
			flush()
			from, to = a, b
		}
		spans = append(spans, [2]int{a, b})
	}
	flush()
	return alone
}

// TestAlone compares the estimated number of iterations that sheared rows compute by themselves
// with the runtime's count, over all tiles of a run. Where iterations of a row do not wait for one
// another, nearly all iterations must be counted, if tiles have whole rows.
func TestAlone(t *testing.T) {
	const levels, n = 3, 300
	for _, tile := range [][]int{{3, 24, 600}, {3, 48, 600}, {3, 300, 600}, {3, 24, 100}, {3, 12, 150}} {
		estimate := func(nest *plan.Nest) (got, want, all float64) {
			p, err := plan.New(nest, []int{levels, n}, plan.Options{Tile: tile})
			if err != nil {
				t.Fatal(err)
			}
			w := newEdgeCounter(p, lanes{plan.AcrossRows, 6, 6})
			col, lo, hi := make([]int, 3), make([]int, 3), make([]int, 3)
			for c := range p.Columns() {
				p.ColumnAt(c, col)
				for k := range p.Tiles[p.Map] {
					got += w.tile(col, k).scalar
					p.TileBox(col, k, lo, hi)
					for level := lo[0]; level <= hi[0]; level++ {
						want += float64(aloneByRows(p, level, lo, hi))
					}
				}
			}
			points, _ := p.Points()
			return got, want, float64(points)
		}
		got, want, all := estimate(shearedNest())
		if got < 0.6*want-0.02*all || got > 1.5*want+0.02*all {
			t.Errorf("tiles of %v: %.3g iterations by themselves, the runtime has %.3g, of %.3g", tile, got, want, all)
		}
		free := shearedNest()
		free.Values[0].Flow = slices.Clone(free.Values[0].Flow[1:])
		if got, _, all := estimate(free); got < 0.9*all && tile[2] == 600 {
			t.Errorf("tiles of %v: %.3g iterations by themselves, but rows do not wait: all of %.3g are", tile, got, all)
		}
	}
}
