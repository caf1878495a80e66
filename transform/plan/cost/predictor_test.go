package cost

import (
	"math"
	"math/rand/v2"
	"testing"

	"loopc/runtime/boundary"
	"loopc/transform/plan"
	"loopc/transform/plan/plantest"
)

// TestPredictor compares the predictions of one Predictor for several machines, one after the
// other, with those of Predict.
func TestPredictor(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 11))
	compared := 0
	for range 200 {
		s := plantest.RandomNest(rng)
		p, err := plan.New(s.Nest, s.Params, plantest.RandomOptions(rng, s.Nest))
		if err != nil || p.Empty {
			continue
		}
		again := NewPredictor(p)
		for k := range 3 {
			m := DefaultMachine()
			m.Kernel.Tile *= float64(1 + k)
			m.Kernel.Fill = float64(k) * 1e-8
			link := []string{LinkInproc, LinkTCP}[k%2]
			if got, want := again.Predict(m, link), Predict(p, m, link); got != want {
				t.Fatalf("a predictor says %+v, Predict %+v\n%s", got, want, p)
			}
			compared++
		}
	}
	if compared < 200 {
		t.Errorf("only %d predictions were compared", compared)
	}
}

// TestPredictorMost: a Predictor that may simulate 60 tiles simulates a run of 60 tiles, and one
// with a lower limit estimates it. Predict estimates a run of more than 2^23 tiles.
func TestPredictorMost(t *testing.T) {
	p, err := plan.New(plantest.BoxNest(plantest.Units(2), "i", "j"), []int{60, 100}, plan.Options{Tile: []int{10, 10}, Map: "j"})
	if err != nil {
		t.Fatal(err)
	}
	for most, estimated := range map[float64]bool{60: false, 59: true} {
		r := NewPredictor(p)
		r.Most = most
		if got := r.Predict(DefaultMachine(), LinkTCP).Estimated; got != estimated {
			t.Errorf("a predictor for %g tiles: estimated is %t", most, got)
		}
	}
	if p, err = plan.New(plantest.BoxNest(plantest.Units(2), "i", "j"), []int{1 << 12, 1<<11 + 1}, plan.Options{Tile: []int{1, 1}}); err != nil {
		t.Fatal(err)
	}
	if !Predict(p, DefaultMachine(), LinkTCP).Estimated {
		t.Error("more than 2^23 tiles are simulated")
	}
}

// TestPredictorKinds: if nearly all of many tiles differ, because their sides are large and oblique
// to the bounds, the run is estimated. If as many tiles are of few kinds, it is simulated.
func TestPredictorKinds(t *testing.T) {
	predicted := func(nest *plan.Nest, params []int, o plan.Options) Prediction {
		t.Helper()
		p, err := plan.New(nest, params, o)
		if err != nil {
			t.Fatal(err)
		}
		if tiles := plan.Product(p.Tiles); tiles <= mostKinds || tiles > mostSimulated {
			t.Fatalf("there are %d tiles", tiles)
		}
		return Predict(p, DefaultMachine(), LinkInproc)
	}
	if !predicted(plantest.SweepNest(), []int{1_000_000_000, 64}, plan.Options{Map: "j", Tile: []int{500_000_000, 1 << 30, 256}}).Estimated {
		t.Error("millions of tiles that differ are simulated")
	}
	if predicted(plantest.BoxNest(plantest.Units(2), "i", "j"), []int{520, 520}, plan.Options{Tile: []int{1, 1}}).Estimated {
		t.Error("tiles that are alike are estimated")
	}
}

// TestEdgeWork compares counts at the edges of a space with known ones: in-place sweeps over a
// square of N·N cells, in one tile.
func TestEdgeWork(t *testing.T) {
	s := plantest.SweepNest()
	const sweeps, n = 7, 20
	p, err := plan.New(s, []int{sweeps, n}, plan.Options{Tile: []int{100, 100, 100}})
	if err != nil {
		t.Fatal(err)
	}
	check := func(got edgeWork) {
		t.Helper()
		// All N² results of the last sweep are final. The cells around the square are
		// read in each sweep, and the square before the first.
		if math.Abs(got.stored/(n*n)-1) > 0.1 { // rows are sampled
			t.Errorf("%g results are stored, want about %d", got.stored, n*n)
		}
		least := float64(n*n + 2*n + sweeps*2*n)
		if got.filled < 0.9*least || got.filled > 2*least {
			t.Errorf("%g cells are filled, want %g and a little more", got.filled, least)
		}
	}
	got := newEdgeCounter(p, lanes{}).tile(make([]int, 3), 0)
	check(got)
	if got.checked != 0 {
		t.Errorf("%g rows are looked at, of levels that are boxes", got.checked)
	}
	// Cells beyond a boundary are found row by row.
	s.Arrays[0].Boundary = make([]boundary.Ends, 2)
	got = newEdgeCounter(p, lanes{}).tile(make([]int, 3), 0)
	check(got)
	if got.checked < sweeps*n || got.checked > 2*(sweeps+1)*(n+2*sweeps) {
		t.Errorf("%g rows are looked at, of %d", got.checked, sweeps*n)
	}
}

// TestSwept counts cells of long rows that a cache fills: the square before the first of several
// in-place sweeps and the rows above and below it, but neither the columns beside it nor, of a
// larger square, any.
func TestSwept(t *testing.T) {
	const sweeps = 7
	for n, want := range map[int]int{longRow - 6: 0, 2 * longRow: 1, 3000: 0} {
		p, err := plan.New(plantest.SweepNest(), []int{sweeps, n}, plan.Options{Tile: []int{100, 10000, 10000}})
		if err != nil {
			t.Fatal(err)
		}
		got := newEdgeCounter(p, lanes{}).tile(make([]int, 3), 0)
		least, most := float64(want*n*n), float64(want)*(got.filled-sweeps*float64(n))
		if got.swept < least || got.swept > most {
			t.Errorf("%d x %d: of %g filled cells, %g are in long rows of a cache, want %g to %g", n, n, got.filled, got.swept, least, most)
		}
		// Such cells cost what stored results do, the others more.
		c := costs{kernel: Kernel{Fill: 10, Store: 1}, shape: 1}
		what := content{edge: edgeWork{filled: 5, swept: float64(2 * want), stored: 1}}
		if time, should := c.tile(p, &what, true, true), float64(10*(5-2*want)+2*want+1); time != should {
			t.Errorf("%+v take %g, want %g", what.edge, time, should)
		}
	}
}

// TestFar: cells of long rows that no cache holds take the time in which their bytes move, not that of cells filled one by one.
// In skewed storage each byte moves three times, where tiles have blocks in a cache once.
func TestFar(t *testing.T) {
	const sweeps, n = 7, 3000
	for _, whole := range []bool{true, false} {
		nest := plantest.SweepNest()
		nest.Whole = whole
		p, err := plan.New(nest, []int{sweeps, n}, plan.Options{Tile: []int{100, 10000, 10000}})
		if err != nil {
			t.Fatal(err)
		}
		got := newEdgeCounter(p, lanes{}).tile(make([]int, 3), 0)
		if got.far < n*n || got.far > got.filled {
			t.Errorf("whole %v: of %g filled cells, %g are in long rows of memory, want %d", whole, got.filled, got.far, n*n)
		}
		moves := 1.0
		if p.KeepsWhole() {
			moves = 3
		}
		if each := got.flow / got.far; each != 1+moves*8/storedBytes {
			t.Errorf("whole %v: a cell takes the time of %g results, want %g", whole, each, 1+moves*8/storedBytes)
		}
		if whole != p.KeepsWhole() {
			t.Errorf("whole %v, and the storage is skewed: %v", whole, p.KeepsWhole())
		}
		if whole {
			continue
		}
		c := costs{kernel: Kernel{Fill: 10, Store: 1}, shape: 1}
		what := content{edge: edgeWork{filled: 5, far: 4, flow: 6, stored: 1}}
		if time := c.tile(p, &what, true, true); time != 10+6+1 {
			t.Errorf("%+v take %g, want 17", what.edge, time)
		}
	}
}

// TestLanes counts the work of lanes in rows: for kernels that take two rows at a time,
// and for vectors of eight, two of them at a time.
func TestLanes(t *testing.T) {
	two, vectors, none := (&Kernel{Rows: 2, Lanes: 1}).lanesOf(), (&Kernel{Rows: 16, Lanes: 8}).lanesOf(), (&Kernel{}).lanesOf()
	for rows, want := range map[int][2]laneCount{
		1:  {{runs: 1, ungrouped: 1}, {runs: 1, scalar: 1}},
		2:  {{runs: 2}, {runs: 2, scalar: 2}},
		3:  {{runs: 3, ungrouped: 1}, {runs: 3, scalar: 3}},
		7:  {{runs: 7, ungrouped: 1}, {runs: 1, ungrouped: 8, masked: 8}},
		8:  {{runs: 8}, {runs: 1, ungrouped: 8}},
		14: {{runs: 14}, {runs: 2, ungrouped: 16, masked: 8}},
		16: {{runs: 16}, {runs: 2}},
		17: {{runs: 17, ungrouped: 1}, {runs: 3, scalar: 1}},
		18: {{runs: 18}, {runs: 3, ungrouped: 8}},
		31: {{runs: 31, ungrouped: 1}, {runs: 4, ungrouped: 16}},
	} {
		if got := [2]laneCount{two.count(rows), vectors.count(rows)}; got != want {
			t.Errorf("%d rows: %+v, want %+v", rows, got, want)
		}
	}
	if got := none.count(17); got != (laneCount{}) {
		t.Errorf("rows that do not matter come to %+v", got)
	}
}

// TestLaneWork counts the work of lanes in boxes, with lanes along each coordinate.
func TestLaneWork(t *testing.T) {
	lo, hi := []int{5, 0, 10}, []int{5, 16, 109} // a level of 17 rows of 100
	for across, want := range map[int]laneWork{
		plan.AcrossRows:   {runs: 3 * 3, scalar: 3 * 100},
		plan.AcrossLevels: {}, // see TestSlabs
		plan.AlongRow:     {runs: 3 * 17, lone: 3 * 17 * 4},
	} {
		var got laneWork
		l := lanes{across, 16, 8}
		if across != plan.AcrossRows {
			l = lanes{across, 8, 4}
		}
		got.box(l, lo, hi, 3)
		if got != want {
			t.Errorf("across %d: %+v, want %+v", across, got, want)
		}
	}
}

// Predict simulates p on m.
func Predict(p *plan.Plan, m *Machine, link string) Prediction {
	return NewPredictor(p).Predict(m, link)
}
