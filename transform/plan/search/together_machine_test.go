package search

import (
	"testing"

	"loopc/transform/plan"
	"loopc/transform/plan/cost"
	"loopc/transform/plan/plantest"
)

// TestRowsTogether requires of figures of rows that advance together that they lead to
// long rows, longer where rows are given back, and that a machine that was measured
// keeps its own.
func TestRowsTogether(t *testing.T) {
	nest := plantest.BoxNest(plantest.Units(3), "i", "j", "k")
	m := cost.DefaultMachine()
	with := m.With(nest, cost.Kernel{Rows: 6, Across: plan.AcrossRows})
	if with == m || m.Knows(nest) || !with.Knows(nest) {
		t.Fatal("figures of rows are not those of the nest alone")
	}
	if m.With(nest, cost.Kernel{Rows: 1, Across: plan.AcrossRows}) != m {
		t.Error("rows by themselves have figures of rows together")
	}
	measured := *m
	measured.Measured = "2026-01-01"
	if got := measured.With(nest, cost.Kernel{Rows: 6, Across: plan.AcrossRows}); got != &measured {
		t.Error("what was measured is replaced")
	}
	params := []int{128, 128, 16384}
	row := func(m *cost.Machine) int {
		p, _, err := Choose(t.Context(), nest, params, plan.Options{Ranks: 1, CPUs: 1}, m, cost.LinkInproc)
		if err != nil {
			t.Fatal(err)
		}
		return p.Side[2]
	}
	if before, now := row(m), row(with); now < 900 || before >= now {
		t.Errorf("rows of %d, without the figures of %d: long ones are faster", now, before)
	}
	costs := with.Kernels[nest.Digest]
	nest.Arrays[nest.Values[0].Array].Role = plan.InOut
	if given := m.With(nest, cost.Kernel{Rows: 6, Across: plan.AcrossRows}).Kernels[nest.Digest]; given.Row <= costs.Row || given.Point[0].Seconds <= costs.Point[0].Seconds {
		t.Errorf("rows that are given back cost %g s and %g s an iteration, others %g s and %g s", given.Row, given.Point[0].Seconds, costs.Row, costs.Point[0].Seconds)
	}
}
