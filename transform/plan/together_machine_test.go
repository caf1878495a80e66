package plan

import (
	"slices"
	"testing"
)

// shearedNest is a nest in place whose rows each begin and end a column behind those of
// the row above.
func shearedNest() *Nest {
	n := sweepNest()
	n.Digest = "sheared"
	n.Skew = [][]int{{1, 0, 0}, {0, 1, 0}, {0, 1, 1}}
	n.Space = []Affine{{Const: -1, Iters: []int{1}}, {Params: []int{1}, Iters: []int{-1}}, {Const: -1, Iters: []int{0, 1}}, {Params: []int{0, 1}, Iters: []int{0, -1}}, {Const: -1, Iters: []int{0, -1, 1}}, {Params: []int{0, 1}, Iters: []int{0, 1, -1}}}
	v := &n.Values[0]
	v.Flow = [][]int{{0, 0, 1}, {0, 1, 0}, {0, 1, 1}, {1, 0, 0}}
	v.Need, v.Cell, v.Overwrites = v.Flow, []Affine{{Iters: []int{0, 1}}, {Iters: []int{0, -1, 1}}}, [][]int{{1, 0, 0}}
	return n
}

// aloneByRows counts the iterations of a level of the tile lo..hi that the runtime
// computes row by row: it collects rows as long as they have columns in common.
func aloneByRows(p *Plan, level int, lo, hi []int) (alone int) {
	var spans [][2]int
	from, to := 0, 0 // columns in common
	flush := func() {
		for _, s := range spans {
			alone += s[1] - s[0] - (to - from)
		}
		spans = nil
	}
	for r := lo[1]; r <= hi[1]; r++ {
		a, b := p.Space.Span([]int{level, r, 0}, lo[2], hi[2])
		if a > b {
			continue
		}
		if f, t := max(from, a), min(to, b); len(spans) > 0 && len(spans) < RaggedMost && t-f+1 >= RaggedLeast {
			from, to = f, t
		} else {
			flush()
			from, to = a, b
		}
		spans = append(spans, [2]int{a, b})
	}
	flush()
	return alone
}

// TestAlone compares the estimate of what rows that are sheared compute by themselves
// with what the runtime does, over all tiles of a run, and requires all of it where
// iterations of a row do not wait for one another.
func TestAlone(t *testing.T) {
	const levels, n = 3, 300
	for _, tile := range [][]int{{3, 24, 600}, {3, 48, 600}, {3, 300, 600}, {3, 24, 100}, {3, 12, 150}} {
		estimate := func(nest *Nest) (got, want, all float64) {
			p, err := New(nest, []int{levels, n}, Options{Tile: tile})
			if err != nil {
				t.Fatal(err)
			}
			w := newEdgeCounter(p, lanes{AcrossRows, 6, 6})
			col, lo, hi := make([]int, 3), make([]int, 3), make([]int, 3)
			for c := range p.Columns() {
				p.ColumnAt(c, col)
				for k := range p.Tiles[p.Map] {
					got += w.tile(col, k).scalar
					p.TileBox(col, k, lo, hi)
					for level := lo[0]; level <= hi[0]; level++ {
						want += float64(aloneByRows(p, level, lo, hi))
					}
				}
			}
			points, _ := p.Points()
			return got, want, float64(points)
		}
		got, want, all := estimate(shearedNest())
		if got < 0.6*want-0.02*all || got > 1.5*want+0.02*all {
			t.Errorf("tiles of %v: %.3g iterations by themselves, the runtime has %.3g, of %.3g", tile, got, want, all)
		}
		free := shearedNest()
		free.Values[0].Flow = slices.Clone(free.Values[0].Flow[1:])
		if got, _, all := estimate(free); got < 0.9*all && tile[2] == 600 {
			t.Errorf("tiles of %v: %.3g iterations by themselves, but rows do not wait: all of %.3g are", tile, got, all)
		}
	}
}

// TestWithTogether requires of figures of rows that advance together that they lead to
// long rows, longer where rows are given back, and that a machine that was measured
// keeps its own.
func TestWithTogether(t *testing.T) {
	nest := boxNest(units(3), "i", "j", "k")
	m := DefaultMachine()
	with := m.WithTogether(nest, 6)
	if with == m || m.Knows(nest) || !with.Knows(nest) {
		t.Fatal("figures of rows are not those of the nest alone")
	}
	if m.WithTogether(nest, 1) != m {
		t.Error("rows by themselves have figures of rows together")
	}
	measured := *m
	measured.Measured = "2026-01-01"
	if got := measured.WithTogether(nest, 6); got != &measured {
		t.Error("what was measured is replaced")
	}
	params := []int{128, 128, 16384}
	row := func(m *Machine) int {
		p, _, err := Choose(nest, params, Options{Ranks: 1, CPUs: 1}, m, LinkInproc)
		if err != nil {
			t.Fatal(err)
		}
		return p.Side[2]
	}
	if before, now := row(m), row(with); now < 900 || before >= now {
		t.Errorf("rows of %d, without the figures of %d: long ones are faster", now, before)
	}
	costs := with.KernelOf(nest)
	nest.Arrays[nest.Values[0].Array].Role = InOut
	if given := m.WithTogether(nest, 6).KernelOf(nest); given.Row <= costs.Row || given.Point[0].Seconds <= costs.Point[0].Seconds {
		t.Errorf("rows that are given back cost %g s and %g s an iteration, others %g s and %g s", given.Row, given.Point[0].Seconds, costs.Row, costs.Point[0].Seconds)
	}
}
