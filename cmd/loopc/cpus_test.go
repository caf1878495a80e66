package main

import (
	"io"
	"path/filepath"
	"slices"
	"testing"

	"loopc/codegen"
	"loopc/transform/plan"
	"loopc/transform/plan/cost"
	"loopc/transform/plan/search"
)

// TestTwoCPUs plans the measured nests for two CPUs with vectors of 512 bits, and asks
// for the arrangement that keeps both of them busy; testdata/peers/RESULTS.md has the times.
func TestTwoCPUs(t *testing.T) {
	for _, c := range []struct {
		file   string
		params []int
		mesh   []int // CPUs per dimension
		assign plan.Assign
		// In skewed storage, a CPU begins when the one before it has run a tile: there must be
		// at least steps tiles along the mapping dimension, in all or in a level. Elsewhere a CPU
		// follows the one before it within a tile, whose faces are handed over while it is
		// computed, so that tiles may be large.
		steps int
	}{
		{"diffusion2d", []int{64, 4000}, []int{1, 1, 2}, plan.Retile, 90},
		{"diffusion2d", []int{1000, 500}, []int{1, 2, 1}, plan.Cyclic, 16},         // columns in time: blocks of levels, or of rows, would have one CPU wait for the other
		{"diffusion2d", []int{1000, 2100}, []int{1, 2, 1}, plan.Cyclic, 16},        // long rows that move by half of their length
		{"jacobi3d", []int{40, 256}, []int{1, 1, 2, 1}, plan.Cyclic, 48},           // thin tiles: levels go through memory
		{"heat3d", []int{1000, 118}, []int{1, 1, 2, 1}, plan.Cyclic, 48},           // the same, although levels move by eight times their extent
		{"heat3d", []int{200, 60}, []int{1, 1, 2, 1}, plan.Cyclic, 16},             // tiles of a fourth of a level, of which there are too few in time
		{"adi", []int{64, 2000}, []int{2, 1, 1}, plan.Retile, 45},                  // levels do not move: each CPU its half of them
		{"pipeline_faces", []int{32, 512, 16384}, []int{1, 1, 2}, plan.Cyclic, 2},  // long rows, and no face along them
		{"pipeline_whole", []int{128, 128, 16384}, []int{1, 1, 2}, plan.Cyclic, 1}, // rows of thousands of cells are given back
		{"seidel5", []int{100, 2000}, []int{1, 2, 1}, plan.Cyclic, 1},              // whole rows
		{"seidel9", []int{50, 2000}, []int{1, 2, 1}, plan.Cyclic, 1},               // whole rows, which lie slanted
		{"sw_affine", []int{20000, 20000}, []int{1, 2}, plan.Retile, 1},
		{"sw_table", []int{16000, 16000}, []int{1, 2}, plan.Retile, 1},
	} {
		p := plannedFor(t, c.file, c.params, 2)
		if !slices.Equal(p.Mesh, c.mesh) || p.Assign != c.assign || p.Tiles[p.Map] < c.steps {
			t.Errorf("%s %v: mesh %v, %s, %d tiles along dimension %d; want %v, %s, %d and more\n%s", c.file, c.params, p.Mesh, p.Assign, p.Tiles[p.Map], p.Map, c.mesh, c.assign, c.steps, p)
		}
	}
}

// plannedFor returns the plan that built-in figures choose for a nest of testdata/peers, on one
// rank of a processor with vectors of 512 bits, even if this processor has none.
func plannedFor(t *testing.T, file string, params []int, cpus int) *plan.Plan {
	t.Helper()
	s, err := readSource(filepath.Join("..", "..", "testdata", "peers", file+".loop"))
	if err != nil {
		t.Fatal(err)
	}
	a := &app{stdout: io.Discard, stderr: io.Discard}
	l, err := a.lower(s, false)
	if err != nil {
		t.Fatal(err)
	}
	v, _ := codegen.UsableKernel(l.program.Nests[0], l.lower[0], l.whole, func(isa string) bool { return isa == "avx512" })
	if v.Temporal != nil {
		v.Temporal.Streaming = nil // rows that are returned stay in memory
	}
	m := v.Figures(cost.DefaultMachine(), l.whole)
	p, _, err := search.Choose(t.Context(), l.whole, params, plan.Options{CPUs: cpus}, m, cost.LinkInproc)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
