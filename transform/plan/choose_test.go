package plan

import (
	"encoding/json"
	"flag"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"loopc/ir/irtest"
)

// TestOptions requires of random plans that their options make them again.
func TestOptions(t *testing.T) {
	rng := rand.New(rand.NewPCG(25, 9))
	same := func(p *Plan) {
		t.Helper()
		again, err := New(p.Nest, p.Params, p.Options())
		if err != nil {
			t.Fatalf("%+v: %v\n%s", p.Options(), err, p)
		}
		if again.Digest() != p.Digest() {
			t.Fatalf("%+v\nmakes\n%snot\n%s", p.Options(), again, p)
		}
		text, err := json.Marshal(p.Options())
		if err != nil {
			t.Fatal(err)
		}
		var o Options
		if err := json.Unmarshal(text, &o); err != nil || !reflect.DeepEqual(o, p.Options()) {
			t.Fatalf("%+v is written %s and read %+v, %v", p.Options(), text, o, err)
		}
	}
	plans := 0
	for plans < 4000 {
		s := randomNest(rng)
		o := randomOptions(rng, s.nest)
		if rng.IntN(4) == 0 {
			o.CPUs += rng.IntN(2)
		}
		if p, err := New(s.nest, s.params, o); err == nil {
			same(p)
			plans++
		}
		// The same, with a dimension in front that is no loop of the user's.
		if p, err := New(levelled(s.nest), s.params, Options{Ranks: o.Ranks, CPUs: o.CPUs, Assign: o.Assign, Group: o.Group, Comm: o.Comm}); err == nil {
			same(p)
		}
	}
}

// levelled returns the nest with a dimension 0 of one level in front of it.
func levelled(n *Nest) *Nest {
	out := *n
	out.Levelled = true
	out.Dims = append([]string{"level"}, n.Dims...)
	out.Space, out.Values, out.Skew = nil, nil, nil
	depth := len(out.Dims)
	for k := range depth {
		row := make([]int, depth)
		row[k] = 1
		out.Skew = append(out.Skew, row)
	}
	for _, f := range n.Space {
		f.Iters = append([]int{0}, f.Iters...)
		out.Space = append(out.Space, f)
	}
	up, down := make([]int, depth), make([]int, depth)
	up[0], down[0] = 1, -1
	out.Space = append(out.Space, Affine{Iters: up}, Affine{Iters: down})
	for _, v := range n.Values {
		var flow [][]int
		for _, d := range v.Flow {
			flow = append(flow, append([]int{0}, d...))
		}
		v.Flow = flow
		out.Values = append(out.Values, v)
	}
	return &out
}

var choices = flag.Int("choices", 400, "random nests for which a plan is chosen, and four times as many plans that are simulated")

// TestChooseRandom requires of what is chosen for random nests that it is what
// was given where something was, that the list is in order and has the plan
// chosen once, which is within the tie of the best, and that it is made again of
// its options.
func TestChooseRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(26, 9))
	several, won := 0, 0
	for range *choices {
		s := randomNest(rng)
		if rng.IntN(8) == 0 {
			s.nest = levelled(s.nest)
		}
		o := randomOptions(rng, s.nest)
		if s.nest.Levelled {
			o = Options{Ranks: o.Ranks, CPUs: o.CPUs, Assign: o.Assign, Group: o.Group, Comm: o.Comm, Shape: Shape(rng.IntN(4))}
		}
		m := DefaultMachine()
		if rng.IntN(2) == 0 {
			m.Measured = "2026-01-01"
		}
		base, wrong := New(s.nest, s.params, o)
		p, list, err := Choose(s.nest, s.params, o, m, LinkTCP)
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
		given("group", o.Group == AnyGroup || o.Group == p.Group)
		given("assign", o.Assign == AnyAssign || o.Assign == p.Assign)
		given("comm", o.Comm == AnyComm || o.Comm == p.Comm)
		given("sub", o.Sub == 0 || p.Sub <= o.Sub) // fewer if a tile has no iterations for so many
		given("workers", p.Ranks == base.Ranks && p.CPUs == base.CPUs && product(p.Grid)*product(p.Mesh) >= product(base.Grid)*product(base.Mesh))
		for k, w := range o.Tile { // no nest with a hidden level has one here
			if w > 0 && o.Assign != Retile && p.Sub == 1 {
				given("tile", p.Side[k] == min(w, max(1, p.Hi[k]-p.Lo[k]+1)) || p.Empty)
			}
		}
		if again, err := New(s.nest, s.params, r); err != nil || again.Digest() != p.Digest() {
			t.Fatalf("%+v does not make the plan chosen: %v", r, err)
		}
		chosen, blocking := 0, false
		for i, a := range list {
			blocking = blocking || a.Options.Comm == Blocking
			for _, ok := range []bool{o.Comm == AnyComm || a.Options.Comm == o.Comm, o.Group == AnyGroup || a.Options.Group == o.Group, o.Assign == AnyAssign || a.Options.Assign == o.Assign, o.Map == "" || a.Options.Map == o.Map} {
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
		if o.Comm == AnyComm && !p.Empty && product(p.Grid) > 1 && !blocking {
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

// TestChooseGiven requires of what is given in other ways than by options of its
// own that it is kept: the sides that a tiling matrix gave, and the shape by which
// the grid is chosen.
func TestChooseGiven(t *testing.T) {
	tiled := boxNest(units(3), "i", "j", "k")
	tiled.Tile = []int{10, 0, 30}
	_, list, err := Choose(tiled, []int{100, 200, 300}, Options{Ranks: 2, CPUs: 2}, DefaultMachine(), LinkTCP)
	if err != nil || len(list) < 5 {
		t.Fatal(err, list)
	}
	for _, a := range list {
		// Sub-tiles are whole: five of 2 may stand for four of 2.5.
		if o := a.Options; o.Sub == 0 && (o.Tile[0] != 10 || o.Tile[2] != 30) || CeilDiv(10, max(1, o.Sub)) < CeilDiv(o.Tile[0], max(1, o.Sub)) {
			t.Errorf("considered: %+v", a)
		}
	}
	if _, again, _ := Choose(tiled, []int{100, 200, 300}, Options{Ranks: 2, CPUs: 2, Tile: []int{20, 0, 0}}, DefaultMachine(), LinkTCP); again[0].Options.Tile[0] != 20 {
		t.Errorf("the option does not replace the nest's sides: %+v", again[0])
	}

	// [P3]: 16 × 256 × 16k on 16 processes, 4 × 4 by scheduling, 1 × 16 by volume.
	for shape, want := range map[Shape][]int{ShapeScheduling: {4, 4, 1}, ShapeCommunication: {1, 16, 1}} {
		p, _, err := Choose(boxNest(units(3), "i", "j", "k"), []int{16, 256, 16384}, Options{Ranks: 16, CPUs: 1, Shape: shape, Map: "k"}, DefaultMachine(), LinkTCP)
		if err != nil || !slices.Equal(p.Grid, want) {
			t.Errorf("shape %s: grid %v, %v; want %v", shape, p.Grid, err, want)
		}
	}
	if _, _, err := Choose(tiled, []int{9, 9, 9}, Options{}, DefaultMachine(), "pigeon"); err == nil {
		t.Error("a link that nobody knows is accepted")
	}
}

// TestChooseBetter has machines on which something costs much, and requires that
// it is avoided.
func TestChooseBetter(t *testing.T) {
	nest := boxNest(units(3), "i", "j", "k")
	params := []int{60, 200, 4000}
	free := func() *Machine {
		return &Machine{
			Schema: 1, Measured: "2026-01-01", Cores: 8, Node: 1, Kernel: Kernel{Point: []Rate{{0, 1e-9}}},
			Links: map[string]Link{LinkLocal: {Overlap: 1}, LinkTCP: {Overlap: 1}},
		}
	}
	choose := func(m *Machine, o Options) *Plan {
		t.Helper()
		p, _, err := Choose(nest, params, o, m, LinkTCP)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	height := func(m *Machine) int {
		return choose(m, Options{Ranks: 4, CPUs: 1, Map: "k", Grid: []int{1, 4, 1}, Assign: Retile}).Side[2]
	}
	m := free()
	m.Kernel.Tile = 1e-3
	if low, high := height(free()), height(m); high <= 4*low {
		t.Errorf("tiles are %d high where they cost nothing, %d where they cost 1 ms", low, high)
	}

	// Messages by their bytes: the grid with the least faces. By their start: no
	// matter, but fewer of them.
	m = free()
	m.Links[LinkTCP] = Link{Bandwidth: 1e7, Overlap: 1}
	if p := choose(m, Options{Ranks: 4, CPUs: 1, Map: "k"}); !slices.Equal(p.Grid, []int{1, 4, 1}) {
		t.Errorf("with a slow network the grid is %v", p.Grid)
	}

	// Data that leave the cache: narrower columns.
	m = free()
	m.Kernel.Point = []Rate{{64 << 10, 1e-9}, {128 << 10, 9e-9}}
	if p := choose(m, Options{Ranks: 1, CPUs: 1}); p.Footprint() > 80<<10 {
		t.Errorf("tiles of %v have a footprint of %d bytes, where 64 KiB are fast", p.Side, p.Footprint())
	}

	// Where acknowledgements cost nothing both ways to communicate take as long,
	// and overlap is simpler.
	if p := choose(free(), Options{Ranks: 4, CPUs: 1}); p.Comm != Overlap {
		t.Errorf("for nothing, the plan is %s", p.Comm)
	}
}

// TestChooseLong plans a nest that is skewed by time over fifty times as many levels as
// it is wide. Tiles as long as the space, as New chooses them, lie outside of it for the
// most part: one of some levels, about as wide as these, takes a tenth of that at most.
// All finalists are weighed, New's plan too; else needing memory would cost it nothing.
func TestChooseLong(t *testing.T) {
	n := sweepNest()
	m := DefaultMachine().WithLevels(n, 8, 4, false)
	params := []int{10000, 200}
	p, list, err := Choose(n, params, Options{Ranks: 1, CPUs: 1}, m, LinkInproc)
	if err != nil {
		t.Fatal(err)
	}
	by, err := New(n, params, Options{Ranks: 1, CPUs: 1})
	if err != nil {
		t.Fatal(err)
	}
	if a, b := p.Estimate(m, LinkInproc), by.Estimate(m, LinkInproc); slices.Max(p.Side) > mostBand+params[1]+1 || a > b/10 {
		t.Errorf("tiles of %v are estimated to take %g s, of %v as New has it %g s", p.Side, a, by.Side, b)
	}
	for _, a := range list {
		if !a.Estimated && a.Memory == 0 {
			t.Errorf("%v of %v was not weighed", a.What, a.Options.Tile)
		}
	}
}

// TestChooseFiner requires that of plans whose CPUs take tiles in turn, and that take about
// as long, the one with the most tiles is chosen, though coarser ones are predicted to take
// less; and that those with more tiles take longer.
func TestChooseFiner(t *testing.T) {
	n := sweepNest()
	m := DefaultMachine().WithLevels(n, 8, 4, false)
	chosen, list, err := Choose(n, []int{100, 2000}, Options{Ranks: 1, CPUs: 2, First: []int{0, 0, 0}}, m, LinkInproc)
	if err != nil {
		t.Fatal(err)
	}
	if !chosen.turns() {
		t.Fatalf("CPUs do not take tiles in turn:\n%s", chosen)
	}
	of := func(a Alternative) *Plan {
		p, err := New(n, []int{100, 2000}, a.Options)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	seconds, least, finer := 0.0, math.Inf(1), 0
	for _, a := range list {
		if p := of(a); !a.Estimated && p.turnsLike(chosen) {
			least = min(least, a.Seconds)
		}
		if a.Chosen {
			seconds = a.Seconds
		}
	}
	for _, a := range list {
		if p := of(a); !a.Estimated && p.turnsLike(chosen) && p.Columns() > chosen.Columns() {
			finer++
			if a.Seconds <= least*tieTurns {
				t.Errorf("%v in %d tiles take %g s, chosen are %d of %g s, the least is %g s", p.Side, p.Columns(), a.Seconds, chosen.Columns(), seconds, least)
			}
		}
	}
	if seconds <= least || seconds > least*tieTurns || finer == 0 {
		t.Errorf("%d tiles that take %g s are chosen, the least is %g s, and %d are finer", chosen.Columns(), seconds, least, finer)
	}
}

// TestChooseNarrow requires that the first and the last of such tiles are narrower than others,
// where each CPU takes some and the time that is predicted is about as short.
func TestChooseNarrow(t *testing.T) {
	n := sweepNest()
	m := DefaultMachine().WithLevels(n, 8, 4, false)
	choose := func(first []int) (*Plan, float64) {
		p, list, err := Choose(n, []int{100, 2000}, Options{Ranks: 1, CPUs: 2, First: first}, m, LinkInproc)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range list {
			if !a.Chosen {
				continue
			}
			if again, err := New(n, []int{100, 2000}, a.Options); err != nil || again.Digest() != p.Digest() {
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
	width := func(p *Plan, tile int) int {
		col := make([]int, 3)
		col[k] = tile
		p.TileBox(col, 0, lo, hi)
		return hi[k] - lo[k] + 1
	}
	tiles := p.Tiles[k]
	if first := p.FirstSide(k); width(p, 0) != first || first > p.Side[k]/2 || width(p, 1) != p.Side[k] || width(p, tiles-1) > p.Side[k]/2 {
		t.Errorf("the first, the second and the last tile have %d, %d and %d iterations:\n%s", width(p, 0), width(p, 1), width(p, tiles-1), p)
	}
	if fast > slow*narrowTie || tiles < narrowTurns*2 {
		t.Errorf("%d tiles take %g s, %d that are alike %g s", tiles, fast, alike.Tiles[k], slow)
	}
}

// TestNarrowFirstRefused requires an error for first tiles that there cannot be.
func TestNarrowFirstRefused(t *testing.T) {
	turns := Options{CPUs: 2, Map: "i", Assign: Cyclic, Mesh: []int{1, 2}, Tile: []int{0, 5}}
	for _, c := range []struct {
		change func(o *Options)
		want   string
	}{
		{func(o *Options) { o.First = []int{0, 3} }, ""},
		{func(o *Options) { o.First = []int{0, 5} }, ""},
		{func(o *Options) { o.First = []int{0, 6} }, "the side of tiles is 5"},
		{func(o *Options) { o.First = []int{0, -1} }, "first: -1 is negative"},
		{func(o *Options) { o.First = []int{3} }, "first has 1 entry"},
		{func(o *Options) { o.First = []int{3, 0} }, "only where CPUs of one rank take tiles in turn"},
		{func(o *Options) { o.First, o.Assign, o.Mesh, o.Map = []int{0, 3}, AnyAssign, nil, "" }, ""},
		{func(o *Options) { o.First, o.Assign = []int{0, 3}, Cluster }, "only where CPUs of one rank take tiles in turn"},
		{func(o *Options) { o.First, o.Mesh, o.CPUs = []int{0, 3}, nil, 1 }, "only where CPUs of one rank take tiles in turn"},
	} {
		o := turns
		c.change(&o)
		p, err := New(boxNest([][]int{{1, 0}, {0, 1}}, "i", "j"), []int{20, 21}, o)
		switch {
		case err != nil && (c.want == "" || !strings.Contains(err.Error(), c.want)), err == nil && c.want != "":
			t.Errorf("%v: %v, want %q", o.First, err, c.want)
		case err == nil && (p.Tiles[1] != map[int]int{3: 5, 5: 5}[o.First[1]] || p.FirstSide(1) != o.First[1]):
			t.Errorf("%v: %s", o.First, p)
		}
	}
}

// TestChooseTime bounds the time of a choice at launch.
func TestChooseTime(t *testing.T) {
	for _, c := range []struct {
		name   string
		nest   *Nest
		params []int
		o      Options
	}{
		{"3-D", boxNest(units(3), "i", "j", "k"), []int{400, 500, 600}, Options{Ranks: 4, CPUs: 2}},
		{"3-D, many ranks", boxNest(units(3), "i", "j", "k"), []int{4000, 5000, 6000}, Options{Ranks: 1024, CPUs: 8}},
		{"2-D", boxNest(units(2), "i", "j"), []int{20000, 30000}, Options{Ranks: 1, CPUs: 2}},
		{"skewed", skewedNest(), []int{300, 1000}, Options{Ranks: 2, CPUs: 2}},
		{"small", boxNest(units(2), "i", "j"), []int{50, 60}, Options{Ranks: 2, CPUs: 1}},
		{"many sub-tiles", boxNest(units(3), "i", "j", "k"), []int{2, 1373, 2}, Options{Ranks: 201, CPUs: 50, Group: Vertical, Sub: 1 << 16}},
		{"more ranks than rows", boxNest(units(2), "i", "j"), []int{176256, 7}, Options{Ranks: 5040, CPUs: 1}},
		{"5-D, many divisors", boxNest(units(5), "i", "j", "k", "l", "m"), []int{21245, 203, 25, 2350, 1325}, Options{Ranks: 110880, CPUs: 1, Group: Vertical, Assign: Cyclic, Sub: 8}},
	} {
		best := time.Hour
		for range 5 {
			var p *Plan
			var list []Alternative
			var err error
			best = min(best, irtest.Took(func() { p, list, err = Choose(c.nest, c.params, c.o, DefaultMachine(), LinkTCP) }))
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

// skewedNest is a sweep over a row of N cells, T times, in skewed coordinates
// (t, i + 2t), as that of a Gauss-Seidel iteration.
func skewedNest() *Nest {
	n := boxNest([][]int{{0, 1}, {1, 0}, {1, 1}, {1, 2}}, "t", "i")
	n.Skew = [][]int{{1, 0}, {2, 1}}
	n.Space[2].Iters = []int{-2, 1}
	n.Space[3].Iters = []int{2, -1}
	return n
}
