package calibrate

import (
	"bytes"
	"maps"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"loopc/testdata/emit/diffusion"
	"loopc/testdata/emit/seidel"
	"loopc/transform/plan"
	"loopc/transform/plan/cost"
)

// trueMachine has the figures that fits have to find.
func trueMachine(digest string) *cost.Machine {
	m := cost.DefaultMachine()
	m.Kernels = map[string]cost.Kernel{digest: {
		Tile: 3e-6, Level: 250e-9, Row: 40e-9, Byte: 0.2e-9, Lone: 0.8e-9, Check: 150e-9, Fill: 2e-9, Store: 1.5e-9,
		Point:      []cost.Rate{{Bytes: 16 << 10, Seconds: 1.2e-9}, {Bytes: 64 << 10, Seconds: 1.3e-9}, {Bytes: 256 << 10, Seconds: 1.7e-9}, {Bytes: 1 << 20, Seconds: 2.6e-9}},
		Contention: []float64{1, 1.15}, Rows: 2, Lanes: 1,
	}}
	m.Links = map[string]cost.Link{
		cost.LinkLocal:  {Open: 100e-6, Start: 200e-9, Receive: 200e-9, Wakeup: 20e-6, Overlap: 1},
		cost.LinkInproc: {Open: 150e-6, Start: 1e-6, Receive: 1e-6, Wakeup: 25e-6, Latency: 1e-6, Credit: 1e-6, Sync: 30e-6, Overlap: 1},
		cost.LinkTCP:    {Open: 400e-6, Start: 6e-6, Receive: 6e-6, Byte: 0.3e-9, Wakeup: 30e-6, Latency: 40e-6, Credit: 40e-6, Sync: 50e-6, Bandwidth: 2e9, Overlap: 1},
	}
	m.Cores = 2
	return m
}

// synthetic draws runs and gives them the times that m foretells, with so much
// noise.
func synthetic(t *testing.T, m *cost.Machine, seed uint64, noise float64, count int) []*Sample {
	return syntheticOf(t, seidel.Program.Nest, m, seed, noise, count)
}

// syntheticOf does what synthetic does, for a nest with parameters T and N.
func syntheticOf(t *testing.T, nest *plan.Nest, m *cost.Machine, seed uint64, noise float64, count int) []*Sample {
	prog := &Program{Nest: nest}
	rng := rand.New(rand.NewPCG(seed, 1))
	d := &designer{prog, rng}
	var samples []*Sample
	for _, w := range []Setup{{1, 1, cost.LinkInproc}, {1, 2, cost.LinkInproc}, {2, 1, cost.LinkInproc}, {2, 1, cost.LinkTCP}} {
		for i := range count {
			params, err := sized(prog.Nest, []int{20, 200}, 3e6*float64(1+3*(i%3)), i%3-1, 3)
			if err != nil {
				t.Fatal(err)
			}
			o := plan.Options{Ranks: w.Ranks, CPUs: w.CPUs, Comm: plan.Overlap}
			if i%2 == 1 {
				o.Comm = plan.Blocking
			}
			c, err := d.tiles(params, o, w.Link)
			if err != nil {
				t.Fatal(err)
			}
			s := &Sample{Config: c, predictor: cost.NewPredictor(c.Plan), rows: 2, lanes: 1}
			exact := s.predict(m)
			for range 5 {
				f := 1 + noise*rng.NormFloat64()
				s.Seconds, s.Work = append(s.Seconds, exact[inRun]*f), append(s.Work, exact[inTiles]*f)
			}
			slices.Sort(s.Seconds)
			slices.Sort(s.Work)
			samples = append(samples, s)
		}
	}
	return samples
}

// TestFit fits a machine to noisy times that another one foretold, and requires
// that it foretells the time of runs that it has not seen as well, and that the
// figures that matter most come out.
func TestFit(t *testing.T) {
	digest := seidel.Program.Nest.Digest
	want := trueMachine(digest)
	m := cost.DefaultMachine()
	m.Cores = 2
	m.Kernels = nil
	seen := synthetic(t, want, 1, 0.02, 36)
	seen[3].Seconds, seen[3].Work = []float64{3 * seen[3].Seconds[0]}, []float64{3 * seen[3].Work[0]} // one was disturbed without anybody noticing
	Fit(m, seen)
	if err := m.Check(); err != nil {
		t.Fatal(err)
	}
	unseen := synthetic(t, want, 2, 0, 6)
	var errors []float64
	for _, s := range unseen {
		got := s.predict(m)[inRun]
		exact := s.predict(want)[inRun]
		errors = append(errors, math.Abs(got/exact-1))
	}
	slices.Sort(errors)
	if quantile(errors, 0.5) > 0.02 || quantile(errors, 0.9) > 0.06 {
		t.Errorf("runs that were not seen are foretold with errors of %.3f, nine of ten below %.3f\n%+v", quantile(errors, 0.5), quantile(errors, 0.9), m)
	}
	got, exact := m.Kernels[digest], want.Kernels[digest]
	for i, r := range exact.Point {
		if found := got.PointAt(r.Bytes); math.Abs(found/r.Seconds-1) > 0.15 {
			t.Errorf("an iteration in %d bytes takes %g s, want %g", r.Bytes, found, exact.Point[i].Seconds)
		}
	}
	for _, f := range []struct {
		name      string
		got, want float64
	}{
		{"row", got.Row, exact.Row}, {"lone", got.Lone, exact.Lone}, {"check", got.Check, exact.Check}, {"busy", got.Contention[1] - 1, exact.Contention[1] - 1},
	} {
		if math.Abs(f.got/f.want-1) > 0.5 {
			t.Errorf("%s is %g, want %g", f.name, f.got, f.want)
		}
	}
}

// TestFitWhole fits a nest that has skewed storage on one rank, and not on several: both
// kinds of tiles get figures of their own, and runs of both are predicted.
func TestFitWhole(t *testing.T) {
	nest := diffusion.Program.Nest
	want := trueMachine(nest.Digest)
	alone, err := plan.New(nest, []int{20, 200}, plan.Options{})
	if err != nil {
		t.Fatal(err)
	}
	whole := cost.KernelKey(alone)
	want.Kernels[whole] = scaled(want.Kernels[nest.Digest], 0.3)
	m := cost.DefaultMachine()
	m.Cores, m.Kernels = 2, nil
	seen := syntheticOf(t, nest, want, 1, 0.02, 18)
	Fit(m, seen)
	if keys := keysOf(seen); len(keys) != 2 || len(m.Kernels) != 2 || m.Kernels[whole].Point == nil {
		t.Fatalf("figures are those of %q, tiles of %q: %+v", slices.Collect(maps.Keys(m.Kernels)), keys, m.Kernels)
	}
	var errors []float64
	for _, s := range syntheticOf(t, nest, want, 2, 0, 6) {
		got := s.predict(m)[inRun]
		exact := s.predict(want)[inRun]
		errors = append(errors, math.Abs(got/exact-1))
	}
	slices.Sort(errors)
	if quantile(errors, 0.5) > 0.03 || quantile(errors, 0.9) > 0.10 {
		t.Errorf("runs that were not seen are foretold with errors of %.3f, nine of ten below %.3f", quantile(errors, 0.5), quantile(errors, 0.9))
	}
}

// TestLeastSquares solves a problem whose solution without bounds would be
// negative in one unknown: the others must be refit.
func TestLeastSquares(t *testing.T) {
	rows := [][3]float64{{1, 2, 8}, {2, 1, 1}, {1, 1, 3}, {3, 1, 0}} // a·x + b·y ≈ c
	const often = 10_000                                             // far more than priorWeight counts
	x := leastSquares([]unknown{{"x", 1, 1, 0, 0}, {"y", 1, 1, 0, 0}}, often*len(rows), func(x, out []float64) {
		for i := range out {
			r := rows[i%len(rows)]
			out[i] = (r[0]*x[0] + r[1]*x[1] - r[2]) * 4e-3 // small: nothing is an outlier
		}
	})
	// With x = 0 the rest gives y = (2·8 + 1·1 + 1·3 + 1·0)/(4 + 1 + 1 + 1).
	if want := 20.0 / 7; x[0] != 0 || math.Abs(x[1]-want) > 1e-2 {
		t.Errorf("the solution is %v, want [0 %g]", x, want)
	}
}

// TestNonnegative solves the problem of TestLeastSquares, which is linear, and the
// same with a row that contradicts all others, which must not count for much.
func TestNonnegative(t *testing.T) {
	rows, rest := [][]float64{}, []float64{}
	add := func(times int, a, b, c float64) {
		for range times {
			rows, rest = append(rows, []float64{a * 4e-3, b * 4e-3}), append(rest, c*4e-3)
		}
	}
	const often = 1000
	add(often, 1, 2, 8)
	add(often, 2, 1, 1)
	add(often, 1, 1, 3)
	add(often, 3, 1, 0)
	unknowns := []unknown{{"x", 1, 1, 0, 0}, {"y", 1, 1, 0, 0}}
	if x := linearLeastSquares(unknowns, rows, rest); x[0] != 0 || math.Abs(x[1]-20.0/7) > 2e-2 {
		t.Errorf("the solution is %v, want [0 %g]", x, 20.0/7)
	}
	add(often/100, 0, 1, 3000)
	if x := linearLeastSquares(unknowns, rows, rest); x[0] != 0 || math.Abs(x[1]-20.0/7) > 0.3 {
		t.Errorf("with an outlier the solution is %v, want [0 %g]", x, 20.0/7)
	}
}

// TestSamplesFile writes samples and reads them again.
func TestSamplesFile(t *testing.T) {
	nest := seidel.Program.Nest
	want := synthetic(t, trueMachine(nest.Digest), 3, 0.01, 2)
	var file bytes.Buffer
	if err := WriteSamples(&file, want); err != nil {
		t.Fatal(err)
	}
	got, err := ReadSamples(&file, []*Program{want[0].Program})
	if err != nil || len(got) != len(want) {
		t.Fatalf("%d samples were read, %d written; %v", len(got), len(want), err)
	}
	for k := range want {
		if got[k].Plan.Digest() != want[k].Plan.Digest() || got[k].Link != want[k].Link || !reflect.DeepEqual(got[k].Seconds, want[k].Seconds) {
			t.Errorf("sample %d is %+v, was %+v", k, got[k], want[k])
		}
	}
}
