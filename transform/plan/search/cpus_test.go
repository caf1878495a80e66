package search

import (
	"strings"
	"testing"
	"time"

	"loopc/transform/plan"
	"loopc/transform/plan/cost"
	"loopc/transform/plan/plantest"
)

// TestChooseUpTo: unless the user gives a number of CPUs, a small nest gets one CPU and a large one
// all CPUs, by estimates and by search.
func TestChooseUpTo(t *testing.T) {
	m := cost.DefaultMachine()
	m.Cores = 4
	for _, trifle := range []float64{0, 1e-3} {
		for _, c := range []struct{ sweeps, side, least, most int }{
			{1, 60, 1, 1},
			{100, 2000, 4, 4},
		} {
			p, _, err := ChooseUpTo(t.Context(), plantest.SweepNest(), []int{c.sweeps, c.side}, plan.Options{CPUs: 4}, m, cost.LinkInproc, trifle)
			if err != nil || p.CPUs < c.least || p.CPUs > c.most {
				t.Errorf("%d sweeps of %d, trifle %g: %v CPUs, %v, want %d", c.sweeps, c.side, trifle, p.CPUs, err, c.least)
			}
		}
	}
	p, _, err := ChooseUpTo(t.Context(), plantest.SweepNest(), []int{2, 3}, plan.Options{CPUs: 4, Tile: []int{2, 3, 3}}, m, cost.LinkInproc, 0)
	if err != nil || p.CPUs != 1 {
		t.Errorf("a single tile: %v", err)
	}
	if _, _, err := ChooseUpTo(t.Context(), plantest.SweepNest(), []int{2}, plan.Options{CPUs: 4}, m, cost.LinkInproc, 0); err == nil {
		t.Error("a missing parameter is no error")
	}
}

// TestAdvice requires a line where workers wait for much of the time, with the reason, and
// none where they compute, or where the run is short.
func TestAdvice(t *testing.T) {
	m := cost.DefaultMachine()
	m.Cores = 8
	advice := func(side, sweeps int, o plan.Options) string {
		p, err := plan.New(plantest.SweepNest(), []int{sweeps, side}, o)
		if err != nil {
			t.Fatal(err)
		}
		return Advice(p, t.Context(), m, cost.LinkInproc)
	}
	// Each CPU has one tile, which waits for the one before.
	if text := advice(2000, 2, plan.Options{CPUs: 8, Map: "i", Tile: []int{2, 2000, 250}}); !strings.HasPrefix(text, "8 CPUs are predicted to compute for ") ||
		!strings.Contains(text, "; 4 CPUs would take ") {
		t.Errorf("eight CPUs that wait: %q", text)
	}
	if text := advice(2000, 2, plan.Options{Ranks: 8, CPUs: 1, Map: "i", Tile: []int{2, 2000, 250}}); !strings.HasPrefix(text, "8 ranks are predicted to compute for ") ||
		!strings.Contains(text, "; 4 ranks would take ") {
		t.Errorf("eight ranks that wait: %q", text)
	}
	for _, text := range []string{
		advice(4000, 100, plan.Options{CPUs: 2}),
		advice(2000, 2, plan.Options{CPUs: 1}),
		advice(20, 2, plan.Options{CPUs: 8, Map: "i", Tile: []int{2, 20, 3}}),
	} {
		if text != "" {
			t.Errorf("advice that nobody needs: %q", text)
		}
	}
}

// TestAdviceEffort requires that advice on plans whose tiles are of very many kinds takes far
// less than the search that found the plan: it is an afterthought.
func TestAdviceEffort(t *testing.T) {
	m := cost.DefaultMachine()
	m.Cores = 8
	began := time.Now()
	p, _, err := Choose(t.Context(), plantest.SweepNest(), []int{100003, 3001}, plan.Options{Ranks: 100, CPUs: 3}, m, cost.LinkTCP)
	if err != nil {
		t.Fatal(err)
	}
	search := time.Since(began)
	began = time.Now()
	text := Advice(p, t.Context(), m, cost.LinkTCP)
	if took := time.Since(began); took > search/2+50*time.Millisecond {
		t.Errorf("the search took %v, advice %v: %q", search, took, text)
	}
	t.Logf("search %v, advice %v: %q", search, time.Since(began), text)
}
