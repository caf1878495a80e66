package cost

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"loopc/transform/plan"
	"loopc/transform/plan/plantest"
)

// TestContents compares what tiles of random plans hold with their iterations,
// counted one by one, and their faces with FaceBytes.
func TestContents(t *testing.T) {
	rng := rand.New(rand.NewPCG(20, 9))
	tiles, whole, alike, cut := 0, 0, 0, 0
	for range 1500 {
		s := plantest.RandomNest(rng)
		p, err := plan.New(s.Nest, s.Params, plantest.RandomOptions(rng, s.Nest))
		if err != nil || p.Empty {
			continue
		}
		n := len(p.Tiles)
		points, rows := map[string]int{}, map[string]map[string]bool{}
		for _, j := range s.Points {
			at, row := make([]int, n), slices.Clone(j)
			row[n-1] = 0
			for x := range j {
				at[x] = (j[x] - p.Origin[x]) / p.Side[x]
			}
			points[plantest.Key(at)]++
			if rows[plantest.Key(at)] == nil {
				rows[plantest.Key(at)] = map[string]bool{}
			}
			rows[plantest.Key(at)][plantest.Key(row)] = true
		}
		c := newContents(p, lanes{}, nil, 0)
		col, lo, hi := make([]int, n), make([]int, n), make([]int, n)
		for at := range p.Columns() {
			p.ColumnAt(at, col)
			first, last, all := c.whole(col)
			for k := range p.Tiles[p.Map] {
				tiles++
				what := c.at(col, k)
				tile := slices.Clone(col)
				tile[p.Map] = k
				if what.points != points[plantest.Key(tile)] || what.rows != len(rows[plantest.Key(tile)]) {
					t.Fatalf("tile %v: %d iterations in %d rows, want %d in %d\n%s", tile, what.points, what.rows, points[plantest.Key(tile)], len(rows[plantest.Key(tile)]), p)
				}
				for d := range p.Directions() {
					if want := p.FaceBytes(col, k, &p.Directions()[d], lo, hi); what.faces[d] != want {
						t.Fatalf("tile %v: %d bytes in direction %v, want %d\n%s", tile, what.faces[d], p.Directions()[d].Step, want, p)
					}
				}
				p.TileBox(col, k, lo, hi)
				full := hi[p.Map]-lo[p.Map]+1 == p.Side[p.Map]
				for x := range lo {
					lo[x] -= c.below[x]
					hi[x] += c.above[x]
				}
				full = full && p.Space.BoxInside(lo, hi)
				if full != (k >= first && k <= last) {
					t.Fatalf("tile %v: whole %t, but those from %d to %d are said to be\n%s", tile, full, first, last, p)
				}
				if full {
					whole++
					if !reflect.DeepEqual(all, what) {
						t.Fatalf("tile %v holds %+v, and whole ones %+v", tile, what, all)
					}
				} else if what.points > 0 {
					cut++
				}
			}
		}
		alike += len(c.known)
	}
	if whole < 1000 || cut < 1000 || alike > 2*tiles/3 {
		t.Errorf("of %d tiles %d are whole, %d cut; %d were looked at", tiles, whole, cut, alike)
	}
}
