package plan

import (
	"strings"
	"testing"
)

// TestChooseUpTo requires that a small nest gets one CPU where nobody asks for more, by
// estimates and by search, and a large one all that there are.
func TestChooseUpTo(t *testing.T) {
	m := DefaultMachine()
	m.Cores = 4
	for _, trifle := range []float64{0, 1e-3} {
		for _, c := range []struct{ sweeps, side, least, most int }{
			{1, 60, 1, 1},
			{100, 2000, 4, 4},
		} {
			p, _, err := ChooseUpTo(t.Context(), sweepNest(), []int{c.sweeps, c.side}, Options{CPUs: 4}, m, LinkInproc, trifle)
			if err != nil || p.CPUs < c.least || p.CPUs > c.most {
				t.Errorf("%d sweeps of %d, trifle %g: %v CPUs, %v, want %d", c.sweeps, c.side, trifle, p.CPUs, err, c.least)
			}
		}
	}
	p, _, err := ChooseUpTo(t.Context(), sweepNest(), []int{2, 3}, Options{CPUs: 4, Tile: []int{2, 3, 3}}, m, LinkInproc, 0)
	if err != nil || p.CPUs != 1 {
		t.Errorf("a single tile: %v", err)
	}
	if _, _, err := ChooseUpTo(t.Context(), sweepNest(), []int{2}, Options{CPUs: 4}, m, LinkInproc, 0); err == nil {
		t.Error("a missing parameter is no error")
	}
}

// TestAdvice requires a line where workers wait for much of the time, with the reason, and
// none where they compute, or where the run is short.
func TestAdvice(t *testing.T) {
	m := DefaultMachine()
	m.Cores = 8
	advice := func(side, sweeps int, o Options) string {
		p, err := New(sweepNest(), []int{sweeps, side}, o)
		if err != nil {
			t.Fatal(err)
		}
		return p.Advice(t.Context(), m, LinkInproc)
	}
	// Each CPU has one tile, which waits for the one before.
	if text := advice(2000, 2, Options{CPUs: 8, Map: "i", Tile: []int{2, 2000, 250}}); !strings.HasPrefix(text, "8 CPUs are predicted to compute for ") ||
		!strings.Contains(text, "; 4 CPUs would take ") {
		t.Errorf("eight CPUs that wait: %q", text)
	}
	if text := advice(2000, 2, Options{Ranks: 8, CPUs: 1, Map: "i", Tile: []int{2, 2000, 250}}); !strings.HasPrefix(text, "8 ranks are predicted to compute for ") ||
		!strings.Contains(text, "; 4 ranks would take ") {
		t.Errorf("eight ranks that wait: %q", text)
	}
	for _, text := range []string{
		advice(4000, 100, Options{CPUs: 2}),
		advice(2000, 2, Options{CPUs: 1}),
		advice(20, 2, Options{CPUs: 8, Map: "i", Tile: []int{2, 20, 3}}),
	} {
		if text != "" {
			t.Errorf("advice that nobody needs: %q", text)
		}
	}
}
