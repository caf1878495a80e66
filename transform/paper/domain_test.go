package paper

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"loopc/transform/plan"
	"loopc/transform/plan/plantest"
)

// introduction is the example of [P3] 3.2: X = 4Y, dependences of length
// 2, and its time window.
func introduction() (d Domain, xt, yt int) {
	d = Domain{X: []int{400, 100}, D: []int{2, 2}, Z: 1000}
	return d, d.X[0] * d.Z, d.X[1] * d.Z
}

// TestIntroductoryExample is [P3] 3.2: on 16 processes 4 × 4 sends 6XT + 6YT in
// all and 8 × 2 sends 2XT + 14YT, 27 % less for X = 4Y; their last tiles run at
// steps 8 + T/p_t and 10 + T/p_t, counted from tile (1, 1, 1).
func TestIntroductoryExample(t *testing.T) {
	d, xt, yt := introduction()
	square, long := d.VTotal([]int{4, 4}), d.VTotal([]int{8, 2})
	if square != 6*xt+6*yt {
		t.Errorf("4 × 4 sends %d, want %d", square, 6*xt+6*yt)
	}
	if long != 2*xt+14*yt {
		t.Errorf("8 × 2 sends %d, want %d", long, 2*xt+14*yt)
	}
	if less := math.Round(100 * (1 - float64(long)/float64(square))); less != 27 {
		t.Errorf("8 × 2 sends %g %% less, want 27", less)
	}
	for _, c := range []struct{ grid, step int }{{4, 8}, {8, 10}} {
		const tiles = 50 // T/p_t
		s := TileSpace{U: []int{c.grid, 16 / c.grid, tiles}, M: []int{1, 1, 1}, Map: 2}
		// Tile j runs at step Π·j with Π = (1, 1, 1), so the first tile, (1, 1, 1), runs at step 3.
		if got := s.EnoughNodes(plan.Hyperplane, plan.Blocking) - 1 + len(s.U); got != c.step+tiles {
			t.Errorf("%d × %d: the last tile is at step %d, want %d", c.grid, 16/c.grid, got, c.step+tiles)
		}
	}
	for by, want := range map[plan.Shape][]int{plan.ShapeScheduling: {4, 4}, plan.ShapeCommunication: {8, 2}} {
		if got := d.Grid(16, by); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", by, got, want)
		}
	}
}

// TestADIGrids are the grids of [P3] section 5 for ADI, X × 256 × 16k with unit
// dependences on 12 processes. For X = 128 the paper has 2 × 6. Grid prefers 3 × 4,
// which sends as much in fewer steps.
func TestADIGrids(t *testing.T) {
	for _, c := range []struct {
		x    int
		want []int
	}{
		{16, []int{1, 12}}, {32, []int{1, 12}}, {64, []int{2, 6}}, {128, []int{3, 4}}, {256, []int{3, 4}},
	} {
		d := Domain{X: []int{c.x, 256}, D: []int{1, 1}, Z: 16 << 10}
		if got := d.Grid(12, plan.ShapeCommunication); !slices.Equal(got, c.want) {
			t.Errorf("X = %d: %v, want %v", c.x, got, c.want)
		}
		if got := d.Grid(12, plan.ShapeScheduling); !slices.Equal(got, []int{3, 4}) {
			t.Errorf("X = %d, by steps: %v, want 3 × 4", c.x, got)
		}
	}
	d := Domain{X: []int{128, 256}, D: []int{1, 1}, Z: 16 << 10}
	if a, b := d.VComm([]int{2, 6}), d.VComm([]int{3, 4}); math.Abs(a-b) > alike*a {
		t.Errorf("X = 128: 2 × 6 sends %g, 3 × 4 sends %g", a, b)
	}
}

// TestBusiestProcess has the two spaces on which [P3] (6) and the actual volume of the busiest
// process disagree. For X = 64 and 12 processes, (6) and the total choose 2 × 6, but the busiest
// process sends least with 1 × 12. For 32 × 256 and 16 processes, it sends least with 1 × 16,
// whereas (6) and the total tie with 2 × 8.
func TestBusiestProcess(t *testing.T) {
	least := func(grids [][]int, v func(g []int) float64) (best [][]int) {
		low := math.Inf(1)
		for _, g := range grids {
			low = min(low, v(g))
		}
		for _, g := range grids {
			if v(g) <= low*(1+alike) {
				best = append(best, g)
			}
		}
		return best
	}
	for _, c := range []struct {
		x, processes     int
		byVComm, byTotal [][]int
		model            []int
	}{
		{64, 12, [][]int{{2, 6}}, [][]int{{2, 6}}, []int{1, 12}},
		{32, 16, [][]int{{1, 16}, {2, 8}}, [][]int{{1, 16}, {2, 8}}, []int{1, 16}},
	} {
		d := Domain{X: []int{c.x, 256}, D: []int{1, 1}, Z: 16 << 10}
		var grids [][]int
		for p := 1; p <= c.processes; p++ {
			if c.processes%p == 0 {
				grids = append(grids, []int{p, c.processes / p})
			}
		}
		if got := least(grids, d.VComm); !slices.EqualFunc(got, c.byVComm, slices.Equal[[]int]) {
			t.Errorf("%d × 256: (6) is least for %v, want %v", c.x, got, c.byVComm)
		}
		total := func(g []int) float64 { return float64(d.VTotal(g)) }
		if got := least(grids, total); !slices.EqualFunc(got, c.byTotal, slices.Equal[[]int]) {
			t.Errorf("%d × 256: the total is least for %v, want %v", c.x, got, c.byTotal)
		}
		if got := least(grids, d.VMax); !slices.EqualFunc(got, [][]int{c.model}, slices.Equal[[]int]) {
			t.Errorf("%d × 256: the busiest process sends least with %v, want %v", c.x, got, c.model)
		}
		if got := d.Grid(c.processes, plan.ShapeModel); !slices.Equal(got, c.model) {
			t.Errorf("%d × 256: %v by model, want %v", c.x, got, c.model)
		}
	}
	// As published, ties go to fewer steps: 2 × 8 needs 10, 1 × 16 needs 17.
	d := Domain{X: []int{32, 256}, D: []int{1, 1}, Z: 16 << 10}
	if got := d.Grid(16, plan.ShapeCommunication); !slices.Equal(got, []int{2, 8}) {
		t.Errorf("32 × 256: %v by (6), want 2 × 8", got)
	}
}

// TestIdealGrid is [P3] (3) and (4): the ideal P_j, which are real numbers, make all
// d_i·P_i/X_i equal, and their product is P. Grids near the ideal one send no less.
func TestIdealGrid(t *testing.T) {
	d, _, _ := introduction()
	for j, want := range []float64{8, 2} {
		if got := d.Ideal(16)[j]; math.Abs(got-want) > 1e-9 {
			t.Errorf("P_%d = %g, want %g", j+1, got, want)
		}
	}
	rng := rand.New(rand.NewPCG(1, 3))
	for range 500 {
		n := 1 + rng.IntN(3)
		d := Domain{X: make([]int, n), D: make([]int, n), Z: 1}
		for i := range n {
			d.X[i], d.D[i] = 1+rng.IntN(1000), 1+rng.IntN(4)
		}
		processes := 1 + rng.IntN(1000)
		ideal := d.Ideal(processes)
		volume := func(p []float64) float64 { // Σ d_i·P_i/X_i
			v := 0.0
			for i := range p {
				v += float64(d.D[i]) * p[i] / float64(d.X[i])
			}
			return v
		}
		all := 1.0
		for i, p := range ideal {
			all *= p
			if a, b := float64(d.D[i])*p/float64(d.X[i]), volume(ideal)/float64(n); math.Abs(a-b) > 1e-9*b {
				t.Errorf("%+v: d·P/X = %g along %d, the mean is %g", d, a, i, b)
			}
		}
		if math.Abs(all-float64(processes)) > 1e-9*all {
			t.Errorf("%+v: the product is %g, not %d", d, all, processes)
		}
		for i := range n - 1 {
			for _, f := range []float64{0.9, 1.1} {
				near := slices.Clone(ideal)
				near[i] *= f
				near[i+1] /= f
				if volume(near) < volume(ideal) {
					t.Errorf("%+v: %v sends less than the ideal %v", d, near, ideal)
				}
			}
		}
	}
}

// TestVolumes compares VTotal and VMax with a count. A process sends an element along i if another
// process computes the iteration that needs it, d_i further along i.
func TestVolumes(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 3))
	for range 200 {
		d := Domain{X: []int{0, 0}, D: []int{rng.IntN(3), rng.IntN(3)}, Z: 1 + rng.IntN(3)}
		grid := []int{1 + rng.IntN(4), 1 + rng.IntN(4)}
		side := make([]int, 2)
		for i := range side {
			side[i] = max(1, d.D[i]) + rng.IntN(3)
			d.X[i] = side[i] * grid[i]
		}
		total, sent := 0, map[[2]int]int{}
		plantest.EachPoint([]int{0, 0}, []int{d.X[0] - 1, d.X[1] - 1}, func(at []int) {
			for i := range at {
				// Every element within d_i of the upper boundary is needed there.
				last := (at[i]/side[i]+1)*side[i] - 1
				if at[i]+d.D[i] > last && last < d.X[i]-1 {
					total += d.Z
					sent[[2]int{at[0] / side[0], at[1] / side[1]}] += d.Z
				}
			}
		})
		if got := d.VTotal(grid); got != total {
			t.Errorf("%+v on %v: %d elements in all, counted %d", d, grid, got, total)
		}
		most := 0
		for _, v := range sent {
			most = max(most, v)
		}
		if got := d.VMax(grid); math.Abs(got-float64(most)) > 1e-9*got {
			t.Errorf("%+v on %v: the busiest process sends %g elements, counted %d", d, grid, got, most)
		}
		if grid[0] > 1 && grid[1] > 1 && math.Abs(d.VComm(grid)-d.VMax(grid)) > 1e-9*d.VMax(grid) {
			t.Errorf("%+v on %v: (6) is %g, the busiest process sends %g", d, grid, d.VComm(grid), d.VMax(grid))
		}
	}
}

// TestDomainGrids compares the grids of all shapes with enumeration, over random
// spaces of up to three dimensions and up to 60 processes.
func TestDomainGrids(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	fewer := 0
	for range 600 {
		n := 1 + rng.IntN(3)
		d := Domain{X: make([]int, n), D: make([]int, n), Z: 1 + rng.IntN(100)}
		limit := make([]int, n)
		for i := range n {
			d.X[i], d.D[i] = 1+rng.IntN(60), 1+rng.IntN(3)
			limit[i] = plan.CeilDiv(d.X[i], d.D[i])
		}
		processes := 1 + rng.IntN(60)
		for by, v := range map[plan.Shape]func(g []int) float64{
			plan.ShapeModel: d.VMax, plan.ShapeCommunication: d.VComm,
			plan.ShapeScheduling: func(g []int) float64 { return float64(sum(g)) },
		} {
			most, low := 0, 0.0
			eachVector(limit, processes, func(g []int) {
				if w := product(g); w > most || w == most && v(g) < low {
					most, low = w, v(g)
				}
			})
			got := d.Grid(processes, by)
			if product(got) != most || v(got) > low*(1+1e-9) {
				t.Errorf("%+v, %d processes, %s: %v has %d and %g; %d and %g is possible", d, processes, by, got, product(got), v(got), most, low)
			}
			if most < processes {
				fewer++
			}
		}
	}
	if fewer < 100 {
		t.Errorf("only %d grids with fewer processes than there are", fewer)
	}
}

// TestShapesOfPlans plans a space like that of ADI in [P3] on 12 ranks by each shape. Sides of
// shares are whole numbers: with an extent of 256 instead of 252, the largest share of 1 × 12 would
// be 22 long, and 2 × 6 would be better.
func TestShapesOfPlans(t *testing.T) {
	for by, want := range map[plan.Shape][]int{
		plan.Any: {1, 12, 1}, plan.ShapeModel: {1, 12, 1}, plan.ShapeCommunication: {2, 6, 1}, plan.ShapeScheduling: {3, 4, 1},
	} {
		p, err := plan.New(plantest.BoxNest(plantest.Units(3), "i", "j", "k"), []int{64, 252, 16 << 10}, plan.Options{Ranks: 12, Shape: by})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(p.Grid, want) {
			t.Errorf("%s: %v, want %v", by, p.Grid, want)
		}
	}
	// Where the innermost loop is not mapped, equal extents are cut along the outer
	// one first: rows stay long.
	p, err := plan.New(plantest.BoxNest(plantest.Units(3), "i", "j", "k"), []int{4096, 256, 256}, plan.Options{Ranks: 12, Shape: plan.ShapeCommunication})
	if err != nil {
		t.Fatal(err)
	}
	if want := []int{1, 4, 3}; !slices.Equal(p.Grid, want) {
		t.Errorf("mapped along i: %v, want %v", p.Grid, want)
	}
}
