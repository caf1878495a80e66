package plan

import "testing"

// TestWithLevels requires that figures of lanes that are levels lead to tiles that
// fill them, with whole rows where the rows of a chain fit the caches, and that a
// machine that was measured keeps its own.
func TestWithLevels(t *testing.T) {
	n := sweepNest()
	m := DefaultMachine()
	with := m.WithLevels(n, 8, 4, false)
	if with == m || m.Knows(n) || !with.Knows(n) {
		t.Fatal("figures of levels are not those of the nest alone")
	}
	measured := *m
	measured.Measured = "2026-01-01"
	if got := measured.WithLevels(n, 8, 4, false); got != &measured {
		t.Error("what was measured is replaced")
	}
	params := []int{96, 500}
	p, _, err := Choose(n, params, Options{Ranks: 1, CPUs: 1}, with, LinkInproc)
	if err != nil {
		t.Fatal(err)
	}
	scalar, _, err := Choose(n, params, Options{Ranks: 1, CPUs: 1}, m, LinkInproc)
	if err != nil {
		t.Fatal(err)
	}
	if p.Side[0]%8 != 0 || p.Side[2] < 300 {
		t.Errorf("tiles of %v, want levels that fill vectors, and long rows", p.Side)
	}
	if a, b := p.Predict(with, LinkInproc).Seconds, scalar.Predict(with, LinkInproc).Seconds; a > 1.11*b {
		t.Errorf("%g s with tiles %v, but %g s with %v", a, p.Side, b, scalar.Side)
	}
	left := Options{Ranks: 1, CPUs: 1, Tile: []int{95, 0, 0}, Map: p.mapName()}
	whole := left
	whole.Tile = []int{96, 0, 0}
	if a, b := estimateOf(t, n, params, left, with), estimateOf(t, n, params, whole, with); a < b {
		t.Errorf("levels by themselves cost nothing: %g s with 95 levels, %g s with 96", a, b)
	}
}

// TestLines requires that rows which are streamed while they are computed fill less of the
// caches than such that are kept to be given back: if they are given back at all, and go past
// the caches.
func TestLines(t *testing.T) {
	for _, c := range []struct {
		name    string
		params  []int
		role    Role
		streams bool
	}{
		{"given back", []int{64, 41, 600}, Out, true},
		{"not given back", []int{64, 41, 600}, Internal, false},
		{"small", []int{16, 41, 600}, Out, false},
	} {
		n := boxNest(units(3), "i", "j", "k")
		n.Arrays[0].Role = c.role
		p, err := New(n, c.params, Options{Ranks: 1, CPUs: 1, Tile: []int{0, 0, 0}, Map: "i"})
		if err != nil {
			t.Fatal(err)
		}
		var bytes [2]int
		for k, lines := range []bool{false, true} {
			kernel := DefaultMachine().WithLevels(n, 8, 4, lines).Kernels[n.Digest]
			bytes[k], _ = kernel.Footprint(p)
		}
		if c.streams != (bytes[1] < bytes[0]) {
			t.Errorf("%s: tiles of %v work on %d bytes, %d if rows were streamed", c.name, p.Side, bytes[0], bytes[1])
		}
	}
}

// estimateOf is the estimated time of a run.
func estimateOf(t *testing.T, n *Nest, params []int, o Options, m *Machine) float64 {
	t.Helper()
	p, err := New(n, params, o)
	if err != nil {
		t.Fatal(err)
	}
	return p.Estimate(m, LinkInproc)
}
