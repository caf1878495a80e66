package search

import (
	"testing"

	"loopc/transform/plan"
	"loopc/transform/plan/cost"
	"loopc/transform/plan/plantest"
)

// TestFiguresOfLevels adds the figures of a kernel whose lanes are levels to a machine. The planner must
// then choose tiles whose levels fill the vectors, and whose rows are long. A machine that was
// measured must keep its figures.
func TestFiguresOfLevels(t *testing.T) {
	n := plantest.SweepNest()
	m := cost.DefaultMachine()
	with := m.With(n, cost.Kernel{Rows: 32, Lanes: 8, Across: plan.AcrossLevels})
	if with == m || m.Knows(n) || !with.Knows(n) {
		t.Fatal("With does not add the figures for this nest, or changes the machine")
	}
	measured := *m
	measured.Measured = "2026-01-01"
	if got := measured.With(n, cost.Kernel{Rows: 32, Lanes: 8, Across: plan.AcrossLevels}); got != &measured {
		t.Error("With replaces measured figures")
	}
	params := []int{96, 500}
	p, _, err := Choose(t.Context(), n, params, plan.Options{Ranks: 1, CPUs: 1}, with, cost.LinkInproc)
	if err != nil {
		t.Fatal(err)
	}
	scalar, _, err := Choose(t.Context(), n, params, plan.Options{Ranks: 1, CPUs: 1}, m, cost.LinkInproc)
	if err != nil {
		t.Fatal(err)
	}
	if p.Side[0]%8 != 0 || p.Side[2] < 300 {
		t.Errorf("tiles of %v, want levels that fill vectors, and long rows", p.Side)
	}
	if a, b := cost.NewPredictor(p).Predict(with, cost.LinkInproc).Seconds, cost.NewPredictor(scalar).Predict(with, cost.LinkInproc).Seconds; a > 1.11*b {
		t.Errorf("%g s with tiles %v, but %g s with %v", a, p.Side, b, scalar.Side)
	}
	left := plan.Options{Ranks: 1, CPUs: 1, Tile: []int{95, 0, 0}, Map: p.Options().Map}
	whole := left
	whole.Tile = []int{96, 0, 0}
	if a, b := estimateOf(t, n, params, left, with), estimateOf(t, n, params, whole, with); a < b {
		t.Errorf("95 levels, which leave a lane empty, take %g s, less than the %g s of 96", a, b)
	}
}

// estimateOf is the estimated time of a run.
func estimateOf(t *testing.T, n *plan.Nest, params []int, o plan.Options, m *cost.Machine) float64 {
	t.Helper()
	p, err := plan.New(n, params, o)
	if err != nil {
		t.Fatal(err)
	}
	return cost.Estimate(p, m, cost.LinkInproc, 0).Seconds
}
