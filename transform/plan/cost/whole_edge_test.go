package cost

import (
	"math"
	"testing"

	"loopc/transform/plan"
	"loopc/transform/plan/plantest"
)

// TestWholeContents compares the iterations and exterior cells of tiles in skewed storage with a
// count of single locations. The tile that owns an exterior cell fills it if an iteration reads it
// and its place has other content: this concerns only the rim of the first two levels and of the
// levels before them.
func TestWholeContents(t *testing.T) {
	n := plantest.HeatNest()
	p, err := plan.New(n, []int{23, 11}, plan.Options{Tile: []int{4, 3, 40}, Map: "i"})
	if err != nil {
		t.Fatal(err)
	}
	if !p.KeepsWhole() {
		t.Fatal("levels are not kept whole")
	}
	points, rows, filled := map[string]float64{}, map[string]float64{}, map[string]float64{}
	plantest.EachPoint(plantest.At(p.Lo, -1, p.HaloWidth), p.Hi, func(q []int) {
		tile := make([]int, len(q))
		for x := range q {
			tile[x] = max(0, plan.FloorDiv(q[x]-p.Lo[x], p.Side[x]))
		}
		owner := plantest.Key(tile)
		if plantest.Contains(p.Space, q) {
			points[owner]++
			if !plantest.Contains(p.Space, plantest.At(q, -1, []int{0, 0, 1})) {
				rows[owner]++
			}
			return
		}
		read := false
		for _, d := range n.Values[0].Need {
			read = read || plantest.Contains(p.Space, plantest.At(q, 1, d))
		}
		if read && q[0] < p.Lo[0]+p.StorageOffset()[0] {
			filled[owner]++
		}
	})
	c := newContents(p, lanes{}, nil, 0)
	col := make([]int, 3)
	idle, total, all := 0, 0.0, 0.0
	for k := range p.Columns() {
		p.ColumnAt(k, col)
		for i := range p.Tiles[p.Map] {
			what := c.at(col, i)
			tile := plantest.Key([]int{col[0], i, col[2]})
			all, total = all+filled[tile], total+what.edge.filled
			if float64(what.points) != points[tile] || float64(what.rows) != rows[tile] {
				t.Errorf("tile %s: %d iterations in %d rows, want %g in %g", tile, what.points, what.rows, points[tile], rows[tile])
			}
			if d := what.edge.filled - filled[tile]; what.edge.checked != 0 || d < 0 || d > 0 && col[0] > 0 {
				t.Errorf("tile %s: %g cells are filled, want %g; %g rows are looked at", tile, what.edge.filled, filled[tile], what.edge.checked)
			}
			if what.edge.levels == 0 {
				idle++
				if points[tile] > 0 || filled[tile] > 0 {
					t.Errorf("tile %s is taken to be idle", tile)
				}
			}
		}
	}
	// Below the first level a box is looked at, of which nobody reads the corners.
	if total != all+4 || idle < p.Columns()*p.Tiles[p.Map]/3 {
		t.Errorf("%g cells are filled, want %g; %d tiles of %d are idle", total, all, idle, p.Columns()*p.Tiles[p.Map])
	}
}

// TestWholeLong requires, of runs much longer than levels are wide, that a tile works on
// as much, and that they are predicted, and estimated, to take as long as they are.
func TestWholeLong(t *testing.T) {
	n := plantest.HeatNest()
	m := DefaultMachine().With(n, Kernel{Across: plan.AlongRow})
	for _, cpus := range []int{1, 2} {
		var seconds, estimates, footprints []float64
		for _, levels := range []int{3000, 6000} {
			p, err := plan.New(n, []int{levels, 200}, plan.Options{CPUs: cpus, Tile: []int{50, 40, 0}})
			if err != nil {
				t.Fatal(err)
			}
			seconds = append(seconds, Predict(p, m, LinkInproc).Seconds)
			estimates = append(estimates, Estimate(p, m, LinkInproc, 0).Seconds)
			footprints = append(footprints, float64(p.Footprint()))
		}
		if r := seconds[1] / seconds[0]; math.Abs(r-2) > 0.1 {
			t.Errorf("%d CPUs: twice as many levels are predicted to take %.2f times as long, %g s", cpus, r, seconds[1])
		}
		if r := estimates[1] / estimates[0]; math.Abs(r-2) > 0.1 {
			t.Errorf("%d CPUs: twice as many levels are estimated to take %.2f times as long, %g s", cpus, r, estimates[1])
		}
		if r := estimates[0] / seconds[0]; math.Abs(r-1) > 0.2 {
			t.Errorf("%d CPUs: %g s are estimated, %g predicted", cpus, estimates[0], seconds[0])
		}
		if want := 2 * 8 * 42.0 * 202; footprints[0] != want || footprints[1] != want {
			t.Errorf("%d CPUs: tiles work on %g bytes, want %g", cpus, footprints, want)
		}
	}
}
