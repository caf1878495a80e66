package search

import (
	"flag"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"loopc/ir/irtest"
	"loopc/transform/plan"
	"loopc/transform/plan/cost"
	"loopc/transform/plan/plantest"
)

var choices = flag.Int("choices", 400, "random nests for which a plan is chosen")

// TestChooseRandom checks the choice for random nests. The chosen plan keeps the given options; the
// list of candidates is sorted by time and has the chosen plan once, with a predicted time within
// the tie of the best; and the options of the chosen plan make the same plan again.
func TestChooseRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(26, 9))
	several, won := 0, 0
	for range *choices {
		s := plantest.RandomNest(rng)
		if rng.IntN(8) == 0 {
			s.Nest = plantest.Levelled(s.Nest)
		}
		o := plantest.RandomOptions(rng, s.Nest)
		if s.Nest.Levelled {
			o = plan.Options{Ranks: o.Ranks, CPUs: o.CPUs, Assign: o.Assign, Group: o.Group, Comm: o.Comm, Shape: plan.Shape(rng.IntN(4))}
		}
		m := cost.DefaultMachine()
		if rng.IntN(2) == 0 {
			m.Measured = "2026-01-01"
		}
		base, wrong := plan.New(s.Nest, s.Params, o)
		p, list, err := Choose(t.Context(), s.Nest, s.Params, o, m, cost.LinkTCP)
		if (err == nil) != (wrong == nil) || err != nil && err.Error() != wrong.Error() {
			t.Fatalf("%+v: Choose says %v, New %v", o, err, wrong)
		}
		if err != nil {
			continue
		}
		given := func(what string, ok bool) {
			if !ok {
				t.Fatalf("%s: %+v was given, chosen is\n%s", what, o, p)
			}
		}
		r := p.Options()
		given("map", o.Map == "" || o.Map == r.Map)
		given("grid", o.Grid == nil || slices.Equal(p.Grid, base.Grid))
		given("mesh", o.Mesh == nil || slices.Equal(p.Mesh, base.Mesh))
		given("group", o.Group == plan.Any || o.Group == p.Group)
		given("assign", o.Assign == plan.Any || o.Assign == p.Assign)
		given("comm", o.Comm == plan.Any || o.Comm == p.Comm)
		given("sub", o.Sub == 0 || p.Sub <= o.Sub) // fewer if a tile has no iterations for so many
		given("workers", p.Ranks == base.Ranks && p.CPUs == base.CPUs && plan.Product(p.Grid)*plan.Product(p.Mesh) >= plan.Product(base.Grid)*plan.Product(base.Mesh))
		for k, w := range o.Tile { // no nest with a hidden level has one here
			if w > 0 && o.Assign != plan.Retile && p.Sub == 1 {
				given("tile", p.Side[k] == min(w, max(1, p.Hi[k]-p.Lo[k]+1)) || p.Empty)
			}
		}
		if again, err := plan.New(s.Nest, s.Params, r); err != nil || again.Digest() != p.Digest() {
			t.Fatalf("%+v does not make the plan chosen: %v", r, err)
		}
		chosen, blocking := 0, false
		for i, a := range list {
			blocking = blocking || a.Options.Comm == plan.Blocking
			for _, ok := range []bool{o.Comm == plan.Any || a.Options.Comm == o.Comm, o.Group == plan.Any || a.Options.Group == o.Group, o.Assign == plan.Any || a.Options.Assign == o.Assign, o.Map == "" || a.Options.Map == o.Map} {
				if !ok {
					t.Fatalf("%+v was given, considered is %+v", o, a)
				}
			}
			if i > 0 && a.Seconds < list[i-1].Seconds {
				t.Fatalf("the list is not in order: %+v", list)
			}
			if a.Chosen {
				chosen++
				if a.What != "" || a.Seconds > list[0].Seconds*tieBuiltIn || m.Measured != "" && a.Seconds > list[0].Seconds*tieMeasured {
					t.Fatalf("chosen: %+v, best: %+v", a, list[0])
				}
				if i == 0 && p.Digest() != base.Digest() {
					won++
				}
			} else if a.What == "" {
				t.Fatalf("how does %+v differ from %+v?", a.Options, r)
			}
			if math.IsNaN(a.Seconds) || math.IsInf(a.Seconds, 0) || a.Seconds < 0 {
				t.Fatalf("%+v", a)
			}
		}
		if o.Comm == plan.Any && !p.Empty && plan.Product(p.Grid) > 1 && !blocking {
			t.Fatalf("blocking communication was not considered: %+v", list)
		}
		if chosen != 1 {
			t.Fatalf("%d plans are chosen of %+v", chosen, list)
		}
		if len(list) > 1 {
			several++
		}
	}
	if several < 100 || won < 20 {
		t.Errorf("only %d times there was a choice, %d times another plan than that of New won", several, won)
	}
}

// TestChooseGiven: the choice keeps the sides of a tiling matrix and the given shape, although
// these are not options for sides or grid.
func TestChooseGiven(t *testing.T) {
	tiled := plantest.BoxNest(plantest.Units(3), "i", "j", "k")
	tiled.Tile = []int{10, 0, 30}
	_, list, err := Choose(t.Context(), tiled, []int{100, 200, 300}, plan.Options{Ranks: 2, CPUs: 2}, cost.DefaultMachine(), cost.LinkTCP)
	if err != nil || len(list) < 5 {
		t.Fatal(err, list)
	}
	for _, a := range list {
		// Sub-tiles are whole: five of 2 may stand for four of 2.5.
		if o := a.Options; o.Sub == 0 && (o.Tile[0] != 10 || o.Tile[2] != 30) || plan.CeilDiv(10, max(1, o.Sub)) < plan.CeilDiv(o.Tile[0], max(1, o.Sub)) {
			t.Errorf("considered: %+v", a)
		}
	}
	if _, again, _ := Choose(t.Context(), tiled, []int{100, 200, 300}, plan.Options{Ranks: 2, CPUs: 2, Tile: []int{20, 0, 0}}, cost.DefaultMachine(), cost.LinkTCP); again[0].Options.Tile[0] != 20 {
		t.Errorf("the option does not replace the nest's sides: %+v", again[0])
	}

	// [P3]: 16 × 256 × 16k on 16 processes, 4 × 4 by scheduling, 1 × 16 by volume.
	for shape, want := range map[plan.Shape][]int{plan.ShapeScheduling: {4, 4, 1}, plan.ShapeCommunication: {1, 16, 1}} {
		p, _, err := Choose(t.Context(), plantest.BoxNest(plantest.Units(3), "i", "j", "k"), []int{16, 256, 16384}, plan.Options{Ranks: 16, CPUs: 1, Shape: shape, Map: "k"}, cost.DefaultMachine(), cost.LinkTCP)
		if err != nil || !slices.Equal(p.Grid, want) {
			t.Errorf("shape %s: grid %v, %v; want %v", shape, p.Grid, err, want)
		}
	}
	if _, _, err := Choose(t.Context(), tiled, []int{9, 9, 9}, plan.Options{}, cost.DefaultMachine(), "pigeon"); err == nil {
		t.Error("a link that nobody knows is accepted")
	}
}

// TestChooseBetter has machines on which something costs much, and requires that
// it is avoided.
func TestChooseBetter(t *testing.T) {
	nest := plantest.BoxNest(plantest.Units(3), "i", "j", "k")
	params := []int{60, 200, 4000}
	free := func() *cost.Machine {
		return &cost.Machine{
			Schema: 1, Measured: "2026-01-01", Cores: 8, Node: 1, Kernel: cost.Kernel{Point: []cost.Rate{{Seconds: 1e-9}}},
			Links: map[string]cost.Link{cost.LinkLocal: {Overlap: 1}, cost.LinkTCP: {Overlap: 1}},
		}
	}
	choose := func(m *cost.Machine, o plan.Options) *plan.Plan {
		t.Helper()
		p, _, err := Choose(t.Context(), nest, params, o, m, cost.LinkTCP)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	height := func(m *cost.Machine) int {
		return choose(m, plan.Options{Ranks: 4, CPUs: 1, Map: "k", Grid: []int{1, 4, 1}, Assign: plan.Retile}).Side[2]
	}
	m := free()
	m.Kernel.Tile = 1e-3
	if low, high := height(free()), height(m); high <= 4*low {
		t.Errorf("tiles are %d high where they cost nothing, %d where they cost 1 ms", low, high)
	}

	// Messages by their bytes: the grid with the least faces. By their start: no
	// matter, but fewer of them.
	m = free()
	m.Links[cost.LinkTCP] = cost.Link{Bandwidth: 1e7, Overlap: 1}
	if p := choose(m, plan.Options{Ranks: 4, CPUs: 1, Map: "k"}); !slices.Equal(p.Grid, []int{1, 4, 1}) {
		t.Errorf("with a slow network the grid is %v", p.Grid)
	}

	// Data that leave the cache: narrower columns.
	m = free()
	m.Kernel.Point = []cost.Rate{{Bytes: 64 << 10, Seconds: 1e-9}, {Bytes: 128 << 10, Seconds: 9e-9}}
	if p := choose(m, plan.Options{Ranks: 1, CPUs: 1}); p.Footprint() > 80<<10 {
		t.Errorf("tiles of %v have a footprint of %d bytes, where 64 KiB are fast", p.Side, p.Footprint())
	}

	// Where acknowledgements cost nothing both ways to communicate take as long,
	// and overlap is simpler.
	if p := choose(free(), plan.Options{Ranks: 4, CPUs: 1}); p.Comm != plan.Overlap {
		t.Errorf("for nothing, the plan is %s", p.Comm)
	}
}

// TestChooseLong plans a nest that is skewed by time over fifty times as many levels as
// it is wide. Tiles as long as the space, as New chooses them, lie outside of it for the
// most part: one of some levels, about as wide as these, takes a tenth of that at most.
// All finalists are weighed, New's plan too; else needing memory would cost it nothing.
func TestChooseLong(t *testing.T) {
	n := plantest.SweepNest()
	m := cost.DefaultMachine().With(n, cost.Kernel{Rows: 32, Lanes: 8, Across: plan.AcrossLevels})
	params := []int{10000, 200}
	p, list, err := Choose(t.Context(), n, params, plan.Options{Ranks: 1, CPUs: 1}, m, cost.LinkInproc)
	if err != nil {
		t.Fatal(err)
	}
	by, err := plan.New(n, params, plan.Options{Ranks: 1, CPUs: 1})
	if err != nil {
		t.Fatal(err)
	}
	if a, b := cost.Estimate(p, m, cost.LinkInproc, 0).Seconds, cost.Estimate(by, m, cost.LinkInproc, 0).Seconds; slices.Max(p.Side) > mostBand+params[1]+1 || a > b/10 {
		t.Errorf("tiles of %v are estimated to take %g s, of %v as New has it %g s", p.Side, a, by.Side, b)
	}
	for _, a := range list {
		if !a.Estimated && a.Memory == 0 {
			t.Errorf("%v of %v was not weighed", a.What, a.Options.Tile)
		}
	}
}

// TestChooseContinued plans a long run of several ranks that continues after some levels: it is cut as a run is that begins there.
func TestChooseContinued(t *testing.T) {
	n := plantest.SweepNest()
	m := cost.DefaultMachine().With(n, cost.Kernel{Rows: 32, Lanes: 8, Across: plan.AcrossLevels})
	const done = 1000
	var windows [2]int
	for k, d := range []int{0, done} {
		p, _, err := Choose(t.Context(), n, []int{60000 + d, 200}, plan.Options{Ranks: 3, CPUs: 1, Done: d}, m, cost.LinkInproc)
		if err != nil {
			t.Fatal(err)
		}
		windows[k] = p.Windows
	}
	if windows[0] < 2 || windows[1] != windows[0] {
		t.Errorf("a run is cut into %d windows, and after %d levels into %d", windows[0], done, windows[1])
	}
}

// TestChooseFiner: among plans whose CPUs take tiles cyclically and whose predicted times are
// within a tie (tieCyclic), the choice has the most tiles, although a coarser plan is predicted to
// be slightly faster. Plans with still more tiles must be slower than the tie allows.
func TestChooseFiner(t *testing.T) {
	n := plantest.SweepNest()
	m := cost.DefaultMachine().With(n, cost.Kernel{Rows: 32, Lanes: 8, Across: plan.AcrossLevels})
	chosen, list, err := Choose(t.Context(), n, []int{100, 2500}, plan.Options{Ranks: 1, CPUs: 2, First: []int{0, 0, 0}}, m, cost.LinkInproc)
	if err != nil {
		t.Fatal(err)
	}
	if !chosen.CyclicOnRank() {
		t.Fatalf("CPUs do not take tiles in turn:\n%s", chosen)
	}
	of := func(a Alternative) *plan.Plan {
		p, err := plan.New(n, []int{100, 2500}, a.Options)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	seconds, least, finer := 0.0, math.Inf(1), 0
	for _, a := range list {
		if p := of(a); !a.Estimated && cyclicLike(p, chosen) {
			least = min(least, a.Seconds)
		}
		if a.Chosen {
			seconds = a.Seconds
		}
	}
	for _, a := range list {
		if p := of(a); !a.Estimated && cyclicLike(p, chosen) && p.Columns() > chosen.Columns() {
			finer++
			if a.Seconds <= least*tieCyclic {
				t.Errorf("%v in %d tiles take %g s, chosen are %d of %g s, the least is %g s", p.Side, p.Columns(), a.Seconds, chosen.Columns(), seconds, least)
			}
		}
	}
	if seconds <= least || seconds > least*tieCyclic || finer == 0 {
		t.Errorf("%d tiles that take %g s are chosen, the least is %g s, and %d are finer", chosen.Columns(), seconds, least, finer)
	}
}

// TestChooseNarrow: if every CPU takes several tiles cyclically, the first and the last tile are
// narrower than the others, and the predicted time is about as short as with a first tile like the
// others.
func TestChooseNarrow(t *testing.T) {
	n := plantest.SweepNest()
	m := cost.DefaultMachine().With(n, cost.Kernel{Rows: 32, Lanes: 8, Across: plan.AcrossLevels})
	choose := func(first []int) (*plan.Plan, float64) {
		p, list, err := Choose(t.Context(), n, []int{100, 2000}, plan.Options{Ranks: 1, CPUs: 2, First: first}, m, cost.LinkInproc)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range list {
			if !a.Chosen {
				continue
			}
			if again, err := plan.New(n, []int{100, 2000}, a.Options); err != nil || again.Digest() != p.Digest() {
				t.Errorf("the options of the plan are of another: %v\n%s", err, p)
			}
			return p, a.Seconds
		}
		t.Fatal("nothing is chosen")
		return nil, 0
	}
	alike, slow := choose([]int{0, 0, 0})
	p, fast := choose(nil)
	k := slices.IndexFunc(p.Mesh, func(m int) bool { return m > 1 })
	lo, hi := make([]int, 3), make([]int, 3)
	width := func(p *plan.Plan, tile int) int {
		col := make([]int, 3)
		col[k] = tile
		p.TileBox(col, 0, lo, hi)
		return hi[k] - lo[k] + 1
	}
	tiles := p.Tiles[k]
	if first := p.FirstSide(k); width(p, 0) != first || first > p.Side[k]/2 || width(p, 1) != p.Side[k] || width(p, tiles-1) > p.Side[k]/2 {
		t.Errorf("the first, the second and the last tile have %d, %d and %d iterations:\n%s", width(p, 0), width(p, 1), width(p, tiles-1), p)
	}
	if fast > slow*narrowTie || tiles < narrowTiles*2 {
		t.Errorf("%d tiles take %g s, %d that are alike %g s", tiles, fast, alike.Tiles[k], slow)
	}
}

// TestChooseTime bounds the time of a choice at launch.
func TestChooseTime(t *testing.T) {
	for _, c := range []struct {
		name   string
		nest   *plan.Nest
		params []int
		o      plan.Options
	}{
		{"3-D", plantest.BoxNest(plantest.Units(3), "i", "j", "k"), []int{400, 500, 600}, plan.Options{Ranks: 4, CPUs: 2}},
		{"3-D, many ranks", plantest.BoxNest(plantest.Units(3), "i", "j", "k"), []int{4000, 5000, 6000}, plan.Options{Ranks: 1024, CPUs: 8}},
		{"2-D", plantest.BoxNest(plantest.Units(2), "i", "j"), []int{20000, 30000}, plan.Options{Ranks: 1, CPUs: 2}},
		{"skewed", skewedNest(), []int{300, 1000}, plan.Options{Ranks: 2, CPUs: 2}},
		{"small", plantest.BoxNest(plantest.Units(2), "i", "j"), []int{50, 60}, plan.Options{Ranks: 2, CPUs: 1}},
		{"many sub-tiles", plantest.BoxNest(plantest.Units(3), "i", "j", "k"), []int{2, 1373, 2}, plan.Options{Ranks: 201, CPUs: 50, Group: plan.Vertical, Sub: 1 << 16}},
		{"more ranks than rows", plantest.BoxNest(plantest.Units(2), "i", "j"), []int{176256, 7}, plan.Options{Ranks: 5040, CPUs: 1}},
		{"5-D, many divisors", plantest.BoxNest(plantest.Units(5), "i", "j", "k", "l", "m"), []int{21245, 203, 25, 2350, 1325}, plan.Options{Ranks: 110880, CPUs: 1, Group: plan.Vertical, Assign: plan.Cyclic, Sub: 8}},
	} {
		best := time.Hour
		for range 5 {
			var p *plan.Plan
			var list []Alternative
			var err error
			best = min(best, irtest.Took(func() { p, list, err = Choose(t.Context(), c.nest, c.params, c.o, cost.DefaultMachine(), cost.LinkTCP) }))
			if err != nil {
				t.Fatal(err)
			}
			if len(list) < 10 {
				t.Errorf("%s: only %d plans were considered for\n%s", c.name, len(list), p)
			}
		}
		t.Logf("%s: %s", c.name, best)
		if best > 250*time.Millisecond { // a quarter of that at most, but for race detectors and other work
			t.Errorf("%s: a choice takes %s", c.name, best)
		}
	}
}

// skewedNest is a sweep over a row of N cells, T times, in skewed coordinates (t, i + 2t), as for
// Gauss-Seidel.
func skewedNest() *plan.Nest {
	n := plantest.BoxNest([][]int{{0, 1}, {1, 0}, {1, 1}, {1, 2}}, "t", "i")
	n.Skew = [][]int{{1, 0}, {2, 1}}
	n.Space[2].Iters = []int{-2, 1}
	n.Space[3].Iters = []int{2, -1}
	return n
}
