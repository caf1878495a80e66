package explain

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"loopc/frontend"
	"loopc/ir/diag"
	"loopc/ir/irtest"
	"loopc/runtime/trace"
	"loopc/transform"
	"loopc/transform/plan"
	"loopc/transform/plan/cost"
	"loopc/transform/plan/search"
)

// compile returns the nest in text, or false if it is refused.
func compile(name, text string) (*Subject, bool) {
	nest, diags := frontend.Compile(name, []byte(text))
	if diag.HasErrors(diags) {
		return nil, false
	}
	_, p, diags := transform.Lower(nest)
	if diag.HasErrors(diags) {
		return nil, false
	}
	return &Subject{File: name, Nest: nest, Plan: &plan.Plan{Nest: p}, Machine: cost.DefaultMachine(), Link: cost.LinkTCP}, true
}

// subject compiles the nest in text and plans it.
func subject(t *testing.T, name, text string, params []int, o plan.Options) *Subject {
	t.Helper()
	s, ok := compile(name, text)
	if !ok {
		t.Fatalf("%s is refused", name)
	}
	s.plan(t, params, o)
	return s
}

func (s *Subject) plan(t *testing.T, params []int, o plan.Options) {
	t.Helper()
	p, err := plan.New(s.Plan.Nest, params, o)
	if err != nil {
		t.Fatal(err)
	}
	s.Plan, s.Asked = p, o
}

// example returns the text of a nest of the examples.
func example(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "examples", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// predicted simulates the plan of s, and returns the chart.
func (s *Subject) predicted() *Chart {
	c := NewChart(s.Plan)
	s.Prediction = cost.NewPredictor(s.Plan).Simulate(context.Background(), s.Machine, s.Link, func(x cost.Span) { c.Add(x, false) })
	return c
}

// render returns text, JSON and page of s.
func render(t *testing.T, s *Subject, c *Chart) (text, object, page string) {
	t.Helper()
	r := New(s)
	var b [3]bytes.Buffer
	for _, err := range []error{r.Text(&b[0]), r.JSON(&b[1]), Page(&b[2], NestPage{r, s.Plan, c})} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return b[0].String(), b[1].String(), b[2].String()
}

// TestGolden compares the text and the JSON of two plans with goldens. The test sets what decides
// on the plans, and the prediction, so that the search and the cost model do not change the
// goldens.
func TestGolden(t *testing.T) {
	prediction := cost.Prediction{
		Seconds: 0.0125, Fill: 0.0005, Compute: 0.01, Pack: 0.001, Waiting: 0.00075, Drain: 0.00025,
		All:        cost.Split{Fill: 0.002, Compute: 0.04, Pack: 0.004, Waiting: 0.003, Drain: 0.001},
		Core:       0.02, // CPUs share two
		Efficiency: 0.8, Workers: 4, Steps: 9, Tiles: 100, Messages: 48, Bytes: 123_456,
	}
	for _, c := range []struct {
		name   string
		params []int
		o      plan.Options
	}{
		{"pipeline/pipeline.loop", []int{64, 64, 4096}, plan.Options{Ranks: 4, CPUs: 1, Tile: []int{32, 32, 256}, Grid: []int{2, 2, 1}, Map: "k", Comm: plan.Overlap}},
		{"seidel/seidel.loop", []int{100, 2000}, plan.Options{Ranks: 2, Mesh: []int{1, 1, 2}, Tile: []int{100, 50, 250}, Grid: []int{1, 1, 2}, Map: "i", Assign: plan.Cyclic, Comm: plan.Blocking}},
	} {
		s := subject(t, filepath.Base(c.name), example(t, c.name), c.params, c.o)
		s.Prediction = prediction
		s.Kernels = []string{"vectors across levels, skewed by 1, steps along k", "avx512: 16 lanes, 4 row streams, 0.25 cycles a point from ports"}
		s.Machine.Name, s.Machine.Measured, s.Machine.Stream = "two cores", "2026-11-21", 10e9
		if c.o.Assign == plan.Cyclic { // this nest has costs of its own; the other one gets those of any nest
			s.Machine.Kernels = map[string]cost.Kernel{s.Plan.Nest.Digest: s.Machine.Kernel}
		}
		s.Alternatives = []search.Alternative{
			{Seconds: 0.0125, Steps: 9, Bytes: 123_456, Chosen: true},
			{Seconds: 0.01375, Steps: 12, Bytes: 123_456, What: "height 512"},
			{Seconds: 0.025, Steps: 7, Bytes: 1 << 21, What: "grid 1x4x1"},
		}
		text, object, _ := render(t, s, nil)
		name := strings.TrimSuffix(filepath.Base(c.name), ".loop")
		irtest.Golden(t, filepath.Join("testdata", name+".txt"), []byte(text))
		irtest.Golden(t, filepath.Join("testdata", name+".json"), []byte(object))
	}
}

// TestTileWalk compares the operations of a tile with goldens, level by level and in skewed
// storage.
func TestTileWalk(t *testing.T) {
	for _, c := range []struct {
		name   string
		params []int
		o      plan.Options
	}{
		{"pipeline/pipeline.loop", []int{32, 32, 64}, plan.Options{Ranks: 4, CPUs: 1, Tile: []int{4, 8, 16}, Grid: []int{2, 2, 1}, Map: "k", Comm: plan.Overlap}},
		{"diffusion/diffusion.loop", []int{6, 20}, plan.Options{Ranks: 1, CPUs: 1, Tile: []int{3, 12, 100}, Map: "t"}},
	} {
		s := subject(t, filepath.Base(c.name), example(t, c.name), c.params, c.o)
		var text bytes.Buffer
		if err := TileWalk(&text, s); err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(c.name), ".loop")
		irtest.Golden(t, filepath.Join("testdata", name+"_tile.txt"), text.Bytes())
	}
}

// TestForces checks what the dependences of Gauss-Seidel in place force.
func TestForces(t *testing.T) {
	s := subject(t, "seidel.loop", example(t, "seidel/seidel.loop"), []int{100, 2000}, plan.Options{Ranks: 4, CPUs: 1, Map: "i", Grid: []int{1, 1, 4}, Tile: []int{50, 0, 0}})
	got := map[string]Dependence{}
	for _, d := range New(s).Dependences {
		got[d.Kind+" "+vector(d.Distance)] = d
	}
	for name, want := range map[string]Dependence{
		"flow (1, 0, -1)":  {Skews: []string{"j"}, Sides: []string{"t", "i"}, Crosses: []string{"t"}, Stays: true, Carried: true},
		"flow (1, -1, 0)":  {Skews: []string{"i"}, Sides: []string{"t", "j"}, Crosses: []string{"j", "t", "t+j"}, Carried: true},
		"flow (0, 1, 0)":   {Skews: []string{}, Sides: []string{"i"}, Crosses: []string{}, Stays: true, Carried: true},
		"output (1, 0, 0)": {Skews: []string{}, Sides: []string{}, Crosses: []string{}},
	} {
		d := got[name]
		if !slices.Equal(d.Skews, want.Skews) || !slices.Equal(d.Sides, want.Sides) || !slices.Equal(d.Crosses, want.Crosses) || d.Stays != want.Stays || d.Carried != want.Carried {
			t.Errorf("%s: %+v, want %+v", name, d, want)
		}
		if d.From.Line != 6 || d.To.Line != 6 || !strings.HasPrefix(d.From.Text, "u[") {
			t.Errorf("%s is from %+v to %+v", name, d.From, d.To)
		}
	}
}

// TestSides checks which sides of a tile each dependence forces, being the longest one
// along them; one of the nest's dependences forces none.
func TestSides(t *testing.T) {
	s := subject(t, "triangle.loop", example(t, "triangle/triangle.loop"), []int{600}, plan.Options{Ranks: 2, CPUs: 1})
	for _, d := range New(s).Dependences {
		want := map[string][]string{"(1, -1)": {}, "(1, 0)": {"i"}, "(2, -1)": {"d", "i"}}[vector(d.Distance)]
		if !slices.Equal(d.Sides, want) {
			t.Errorf("%v forces the sides %v, want %v", d.Distance, d.Sides, want)
		}
	}
}

// TestHugeTile requires that a tile of more iterations than an int64 counts is not
// said to have another number of them.
func TestHugeTile(t *testing.T) {
	s := subject(t, "seidel.loop", example(t, "seidel/seidel.loop"), []int{1 << 30, 64}, plan.Options{Ranks: 1, CPUs: 1, Map: "j", Tile: []int{1 << 29, 1 << 30, 256}})
	if size := tilingOf(s.Plan).Size; size != math.MaxInt64 {
		t.Errorf("tiles of %v iterations have %d", s.Plan.Side, size)
	}
}

// TestInverse multiplies random unimodular matrices by their inverses.
func TestInverse(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		n := 1 + rng.IntN(4)
		m := make([][]int, n)
		for k := range m {
			m[k] = make([]int, n)
			m[k][k] = 1
		}
		for range 3 * n { // elementary operations keep the determinant ±1
			a, b := rng.IntN(n), rng.IntN(n)
			switch f := rng.IntN(5) - 2; {
			case a != b && f == 2:
				m[a], m[b] = m[b], m[a]
			case a != b:
				for c := range n {
					m[a][c] += f * m[b][c]
				}
			case f < 0:
				for c := range n {
					m[a][c] *= -1
				}
			}
		}
		inv := inverse(m)
		for k := range n {
			unit := make([]int, n)
			unit[k] = 1
			if got := times(m, times(inv, unit)); !slices.Equal(got, unit) {
				t.Fatalf("%v times %v is not the identity", m, inv)
			}
		}
	}
}

// TestMerge checks that merging keeps the order, begins and ends where the row
// does, and leaves long spans alone.
func TestMerge(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		var spans []cost.Span
		at := 0.0
		for range 1 + rng.IntN(80) {
			s := cost.Span{Kind: trace.Kind(rng.IntN(5)), Begin: at + rng.Float64()*float64(rng.IntN(2)), Step: len(spans)}
			s.End = s.Begin + rng.Float64()*rng.Float64()*3
			at = s.End
			spans = append(spans, s)
		}
		const least = 1.0
		out := merge(spans, least)
		if out[0].Begin != spans[0].Begin || out[len(out)-1].End != spans[len(spans)-1].End {
			t.Fatalf("%v became %v", spans, out)
		}
		for k := 1; k < len(out); k++ {
			if out[k].Begin < out[k-1].End {
				t.Fatalf("spans %d and %d overlap: %v", k-1, k, out)
			}
		}
		for _, s := range spans {
			if s.End-s.Begin >= least && !slices.Contains(out, s) {
				t.Fatalf("%v is lost", s)
			}
		}
		if float64(len(out)) > 2*at/least+2+float64(len(spans))/2 {
			t.Fatalf("%d spans became %d in %g s", len(spans), len(out), at)
		}
	}
}

// TestUnits pins how numbers are printed.
func TestUnits(t *testing.T) {
	for _, c := range [][2]string{
		{seconds(0), "0 s"}, {seconds(1.6283e-9), "1.63 ns"}, {seconds(9.9996e-7), "1.00 µs"}, {seconds(0.0412), "41.2 ms"},
		{seconds(0.9999), "1.00 s"}, {seconds(123.4), "123 s"}, {seconds(2.5e-13), "0.25 ps"}, {seconds(2.5e-12), "2.50 ps"},
		{lengthText(1023), "1023 B"}, {lengthText(1024), "1.00 KiB"}, {lengthText(1 << 20), "1.00 MiB"}, {lengthText(1<<40 - 1), "1.00 TiB"},
		{count(0), "0"}, {count(-1234567), "-1,234,567"}, {count(999), "999"}, {count(1000), "1,000"},
		{percent(0.1234), "12.3 %"}, {percent(1), "100 %"}, {percent(-0.05), "-5.0 %"},
		{ratio(2, 4), "1/2"}, {ratio(-3, 9), "-1/3"}, {ratio(0, 7), "0"}, {ratio(8, 4), "2"},
		{joined([]string{"a", "b", "c"}), "a, b and c"}, {fmt.Sprint(wrap("aa bb cc", 5)), "[aa bb cc]"},
	} {
		if c[0] != c[1] {
			t.Errorf("%q, want %q", c[0], c[1])
		}
	}
}

// TestMeasure: measured times begin where the prediction begins, and the page says by how much they
// were shifted.
func TestMeasure(t *testing.T) {
	s := subject(t, "seidel.loop", example(t, "seidel/seidel.loop"), []int{10, 40}, plan.Options{Ranks: 4, CPUs: 1, Tile: []int{5, 10, 10}})
	c := s.predicted()
	c.Measure([]cost.Span{
		{Kind: trace.WaitData, Rank: 1, Begin: 0.0125, End: 0.014},
		{Kind: trace.Compute, Rank: 0, Begin: 0.012, End: 0.013},
		{Kind: trace.Send, Rank: 0, CPU: -1, Begin: 0.011, End: 0.0135},
	})
	got := c.rows[rowKey{0, 0, true}]
	if len(got) != 1 || got[0].Begin != 0 || math.Abs(got[0].End-0.001) > 1e-12 {
		t.Errorf("the first tile is %v", got)
	}
	if w := c.rows[rowKey{1, 0, true}]; math.Abs(w[0].Begin-0.0005) > 1e-12 {
		t.Errorf("the wait of rank 1 is %v", w)
	}
	if math.Abs(c.end[1]-0.002) > 1e-12 {
		t.Errorf("the run ends at %v", c.end[1])
	}
	_, _, page := render(t, s, c)
	if !strings.Contains(page, "Measured times are shifted by 12.0 ms") {
		t.Error("the page does not say what was shifted")
	}
}

// TestShown checks that a chart of too many workers says so above it.
func TestShown(t *testing.T) {
	const flat = "param N\narray a[0..N, 0..N] float64 out\ninit a[i, j] = 1\nfor i = 1..N, j = 1..N {\n\ta[i,j] = a[i-1,j] + a[i,j-1]\n}\n"
	for cpus, want := range map[int]string{2: "", 4: "Only the first 32 CPUs of 64 are drawn: those of ranks 0 to 7, of 16."} {
		s := subject(t, "flat.loop", flat, []int{640}, plan.Options{Ranks: 16, CPUs: cpus, Tile: []int{10, 10}})
		_, _, page := render(t, s, s.predicted())
		if got := strings.Contains(page, "are drawn:"); got != (want != "") || !strings.Contains(page, want) {
			t.Errorf("%d CPUs each: the page does not say %q", cpus, want)
		}
	}
}

// TestSharing: if a plan has more CPUs than there are cores, CPUs take turns. Then text and page
// must not show an efficiency, since computing includes waiting for the core, and the roof excludes
// the time in which other CPUs have the core.
func TestSharing(t *testing.T) {
	for _, c := range []struct {
		cores, node int
		say         string
		cpus        int
	}{
		{64, 0, "", 64},
		{2, 0, "64 CPUs on 2 cores of this machine: they take turns; `loopc simulate --nodes 16`", 64},
		{2, 1, "4 CPUs on 2 cores of a node: they take turns", 4},
		{4, 1, "", 4},
	} {
		s := subject(t, "pipeline.loop", example(t, "pipeline/pipeline.loop"), []int{64, 64, 4096}, plan.Options{Ranks: 16, CPUs: 4, Tile: []int{8, 8, 256}})
		s.Machine.Cores, s.Machine.Node, s.Machine.Stream = c.cores, c.node, 10e9
		s.predicted()
		s.Prediction.Seconds, s.Prediction.Core = 1, 16_777_216e-9
		s.Prediction.All.Compute = s.Prediction.Core * max(1, float64(c.cpus)/float64(c.cores))
		r := New(s)
		if math.Abs(r.Roof.Predicted-1e-9) > 1e-15 || math.Abs(r.Roof.Fraction-r.Roof.Least/1e-9) > 1e-9 {
			t.Errorf("%+v: %g s of a core per iteration, want 1 ns; fraction %g", c, r.Roof.Predicted, r.Roof.Fraction)
		}
		text, _, page := render(t, s, nil)
		if strings.Contains(text, "efficiency") != (c.say == "") || strings.Contains(page, "</b> efficiency") != (c.say == "") {
			t.Errorf("%+v: efficiency is told when CPUs take turns, or not when they do not", c)
		}
		if got := r.sharing(); !strings.HasPrefix(got, c.say) || (got == "") != (c.say == "") {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

// TestOneTime checks that the chosen plan has the time of the prediction, also if
// the planner has only estimated it, and that long names are not cut.
func TestOneTime(t *testing.T) {
	s := subject(t, "pipeline.loop", example(t, "pipeline/pipeline.loop"), []int{64, 64, 4096}, plan.Options{Ranks: 4, CPUs: 1, Tile: []int{32, 32, 256}, Group: plan.Vertical, Sub: 1})
	s.Prediction = cost.Prediction{Seconds: 7.39, Workers: 4}
	long := strings.Repeat("width 20 along i, ", 9) + "mirror"
	s.Alternatives = []search.Alternative{
		{Seconds: 7.36, Chosen: true, Estimated: true}, {Seconds: 7.38, What: "near"}, {Seconds: 14.72, What: long, Estimated: true},
	}
	text, _, _ := render(t, s, nil)
	if strings.Contains(text, "7.36") || !strings.Contains(text, "~14.8 s  +100 %") || !strings.Contains(text, "  7.39 s ") {
		t.Errorf("the text has\n%s", text)
	}
	if r := New(s); r.Alternatives[0].What != "near" || !strings.Contains(r.Chosen.Why, "near would take 0.1 % less") {
		t.Errorf("%q, %+v", r.Chosen.Why, r.Alternatives)
	}
	if strings.Contains(text, "…") || strings.Count(text, "width 20 along i") != 9 && strings.Count(strings.Join(strings.Fields(text), " "), "width 20 along i") != 9 {
		t.Errorf("the long name is cut:\n%s", text)
	}
	if strings.Contains(text, "cut into") {
		t.Error("a tile is cut into one sub-tile")
	}
}

// TestEstimatedSaid requires that a time that is estimated is called so.
func TestEstimatedSaid(t *testing.T) {
	s := subject(t, "pipeline.loop", example(t, "pipeline/pipeline.loop"), []int{64, 64, 4096}, plan.Options{Ranks: 4, CPUs: 1})
	for _, estimated := range []bool{false, true} {
		s.Prediction.Estimated = estimated
		if text, _, _ := render(t, s, nil); strings.Contains(text, "; estimated, for") != estimated {
			t.Errorf("estimated is %t, but the text says\n%s", estimated, text)
		}
	}
}
