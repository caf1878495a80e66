package plan

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// heatNest is diffusion on a square of N·N cells whose levels are kept whole: two levels
// that take turns, each cell from itself and its four neighbors of the level before, and
// a rim that stays as it is. The last level is given back.
func heatNest() *Nest {
	need := [][]int{{1, 0, 1}, {1, 1, 0}, {1, 1, 1}, {1, 1, 2}, {1, 2, 1}}
	return &Nest{
		Name:     "heat",
		Params:   []string{"T", "N"},
		Dims:     []string{"t", "i", "j"},
		Skew:     [][]int{{1, 0, 0}, {1, 1, 0}, {1, 0, 1}},
		Space:    []Affine{{Const: -1, Iters: []int{1}}, {Params: []int{1}, Iters: []int{-1}}, {Const: -1, Iters: []int{-1, 1}}, {Params: []int{0, 1}, Iters: []int{1, -1}}, {Const: -1, Iters: []int{-1, 0, 1}}, {Params: []int{0, 1}, Iters: []int{1, 0, -1}}},
		Arrays:   []Array{{Name: "u", Elem: "float64", Size: 8, Lo: []Affine{{}, {}, {}}, Hi: []Affine{{Params: []int{1}}, {Const: 1, Params: []int{0, 1}}, {Const: 1, Params: []int{0, 1}}}, Initial: Computed, InitIgnores: []int{0}}},
		Values:   []Value{{Name: "u", Flow: need, Need: need, Cell: []Affine{{Iters: []int{1}}, {Iters: []int{-1, 1}}, {Iters: []int{-1, 0, 1}}}}},
		Whole:    true,
		Listed:   true,
		Digest:   "heat",
		Defaults: map[string]int{"T": 10, "N": 10},
	}
}

// TestWholeContents compares what tiles of whole levels hold, and what they fill outside
// the space, with a count of iterations and locations one by one. A location is filled by
// the tile that owns it if an iteration reads it, and if its place has another content:
// the rim of the levels before the first two of the space, and of these.
func TestWholeContents(t *testing.T) {
	n := heatNest()
	p, err := New(n, []int{23, 11}, Options{Tile: []int{4, 3, 40}, Map: "i"})
	if err != nil {
		t.Fatal(err)
	}
	if !p.KeepsWhole() {
		t.Fatal("levels are not kept whole")
	}
	points, rows, filled := map[string]float64{}, map[string]float64{}, map[string]float64{}
	eachPoint(at(p.Lo, -1, p.Margin), p.Hi, func(q []int) {
		tile := make([]int, len(q))
		for x := range q {
			tile[x] = max(0, FloorDiv(q[x]-p.Lo[x], p.Side[x]))
		}
		owner := key(tile)
		if p.Space.Contains(q) {
			points[owner]++
			if !p.Space.Contains(at(q, -1, []int{0, 0, 1})) {
				rows[owner]++
			}
			return
		}
		read := false
		for _, d := range n.Values[0].Need {
			read = read || p.Space.Contains(at(q, 1, d))
		}
		if read && q[0] < p.Lo[0]+p.Drift()[0] {
			filled[owner]++
		}
	})
	c := newContents(p, lanes{}, nil, fidelity{})
	col := make([]int, 3)
	idle, total, all := 0, 0.0, 0.0
	for k := range p.Columns() {
		p.ColumnAt(k, col)
		for i := range p.Tiles[p.Map] {
			what := c.at(col, i)
			tile := key([]int{col[0], i, col[2]})
			all, total = all+filled[tile], total+what.edge.filled
			if float64(what.points) != points[tile] || float64(what.rows) != rows[tile] {
				t.Errorf("tile %s: %d iterations in %d rows, want %g in %g", tile, what.points, what.rows, points[tile], rows[tile])
			}
			if d := what.edge.filled - filled[tile]; what.edge.checked != 0 || d < 0 || d > 0 && col[0] > 0 {
				t.Errorf("tile %s: %g cells are filled, want %g; %g rows are looked at", tile, what.edge.filled, filled[tile], what.edge.checked)
			}
			if what.edge.levels == 0 {
				idle++
				if points[tile] > 0 || filled[tile] > 0 {
					t.Errorf("tile %s is taken to be idle", tile)
				}
			}
		}
	}
	// Below the first level a box is looked at, of which nobody reads the corners.
	if total != all+4 || idle < p.Columns()*p.Tiles[p.Map]/3 {
		t.Errorf("%g cells are filled, want %g; %d tiles of %d are idle", total, all, idle, p.Columns()*p.Tiles[p.Map])
	}
}

// TestWholeLong requires, of runs much longer than levels are wide, that a tile works on
// as much, and that they are predicted, and estimated, to take as long as they are.
func TestWholeLong(t *testing.T) {
	n := heatNest()
	m := DefaultMachine().WithRows(n)
	for _, cpus := range []int{1, 2} {
		var seconds, estimates, footprints []float64
		for _, levels := range []int{3000, 6000} {
			p, err := New(n, []int{levels, 200}, Options{CPUs: cpus, Tile: []int{50, 40, 0}})
			if err != nil {
				t.Fatal(err)
			}
			seconds = append(seconds, p.Predict(m, LinkInproc).Seconds)
			estimates = append(estimates, p.Estimate(m, LinkInproc))
			footprints = append(footprints, float64(p.Footprint()))
		}
		if r := seconds[1] / seconds[0]; math.Abs(r-2) > 0.1 {
			t.Errorf("%d CPUs: twice as many levels are predicted to take %.2f times as long, %g s", cpus, r, seconds[1])
		}
		if r := estimates[1] / estimates[0]; math.Abs(r-2) > 0.1 {
			t.Errorf("%d CPUs: twice as many levels are estimated to take %.2f times as long, %g s", cpus, r, estimates[1])
		}
		if r := estimates[0] / seconds[0]; math.Abs(r-1) > 0.2 {
			t.Errorf("%d CPUs: %g s are estimated, %g predicted", cpus, estimates[0], seconds[0])
		}
		if want := 2 * 8 * 42.0 * 202; footprints[0] != want || footprints[1] != want {
			t.Errorf("%d CPUs: tiles work on %g bytes, want %g", cpus, footprints, want)
		}
	}
}

// TestWholeCache requires tiles of whole levels to fill the same part of the second cache
// that the machine has, to within a row, or of the one that is usual if that is larger.
func TestWholeCache(t *testing.T) {
	const row = 2 * 8 * 2002 // bytes of a row of two levels
	least := 0
	for _, c := range []struct {
		caches []int
		second int
	}{{[]int{32 << 10, 1 << 20, 32 << 20}, usualCache}, {[]int{32 << 10, usualCache}, usualCache}, {nil, usualCache}, {[]int{4 << 20}, 4 << 20}} {
		m := DefaultMachine().WithRows(heatNest())
		m.Cache = c.caches
		p, _, err := Choose(heatNest(), []int{64, 2000}, Options{}, m, LinkInproc)
		if err != nil {
			t.Fatal(err)
		}
		most := c.second / 32 * 21
		if b := p.Footprint(); b > most || b <= most-2*row || b < least {
			t.Errorf("caches of %v: tiles of %v work on %d bytes, want nearly %d", c.caches, p.Side, b, most)
		}
		least = p.Footprint()
		if q, err := New(p.Nest, p.Params, p.Options()); err != nil || q.Digest() != p.Digest() {
			t.Errorf("caches of %v: the plan's options give another plan: %v", c.caches, err)
		}
	}
}

// TestWholeOrder requires, of tiles of whole levels, that each that writes a location has
// a way of signals from those that read, or wrote, what it takes the place of, and to
// those that read it, though tiles far from the space are not run.
func TestWholeOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 4))
	pairs, skipped, ran := 0, 0, 0
	for ran < 150 {
		s := randomNest(rng)
		s.nest.Whole = true
		o := randomOptions(rng, s.nest)
		o.Ranks, o.Grid = 1, nil
		for v := range s.nest.Values {
			s.nest.Values[v].Need = s.nest.Values[v].Flow
		}
		p, err := New(s.nest, s.params, o)
		if err != nil || p.Empty || !p.whole || p.reach == nil || len(s.points) > 1500 {
			continue
		}
		ran++
		n := len(p.Side)
		tileOf := func(q []int) []int {
			tile := make([]int, n)
			for x := range q {
				tile[x] = max(0, FloorDiv(q[x]-p.Lo[x], p.Side[x]))
			}
			return tile
		}
		lo, hi := make([]int, n), make([]int, n)
		runs := func(tile []int) bool {
			first, last := p.Active(tile, lo, hi)
			return first <= tile[p.Map] && tile[p.Map] <= last
		}
		for c := range p.Columns() {
			first, last := p.Active(columnOf(p, c), lo, hi)
			skipped += p.Tiles[p.Map] - max(0, last-first+1)
		}
		known := map[string]bool{}
		require := func(from, to []int) {
			a, b := tileOf(from), tileOf(to)
			if k := key(a) + key(b); known[k] {
				return
			} else {
				known[k] = true
			}
			pairs++
			if !slices.ContainsFunc(waysBetween(p, a, b, runs), func(end []int) bool { return slices.Equal(end, b) }) {
				t.Fatalf("%v is in tile %v, %v in tile %v, which does not wait for that\n%s", from, a, to, b, p)
			}
		}
		drift := p.Drift()
		for v := range s.nest.Values {
			flow := s.nest.Values[v].Flow
			write := func(q []int) { // an iteration, or read
				before := at(q, -1, drift)
				if s.inside[key(before)] {
					require(before, q)
				}
				for _, d := range flow {
					if r := at(before, 1, d); s.inside[key(r)] {
						require(r, q)
						if !s.inside[key(before)] {
							require(before, q)
						}
					}
					if r := at(q, 1, d); s.inside[key(r)] {
						require(q, r)
					}
				}
			}
			for _, r := range s.points {
				write(r)
				for _, d := range flow {
					if q := at(r, -1, d); !s.inside[key(q)] {
						write(q)
					}
				}
			}
		}
	}
	if pairs < 2000 || skipped < 300 {
		t.Errorf("%d pairs of tiles in %d plans, %d tiles are not run: that proves little", pairs, ran, skipped)
	}
}

// columnOf is ColumnAt.
func columnOf(p *Plan, c int) []int {
	col := make([]int, len(p.Tiles))
	p.ColumnAt(c, col)
	return col
}

// waysBetween returns the tiles that are run, between a and b, to which signals lead from a.
func waysBetween(p *Plan, a, b []int, runs func(tile []int) bool) [][]int {
	if !runs(a) {
		return nil
	}
	seen := map[string]bool{key(a): true}
	all := [][]int{a}
	for i := 0; i < len(all); i++ {
		for x := range a {
			next := slices.Clone(all[i])
			next[x]++
			if next[x] > b[x] || seen[key(next)] || !runs(next) || x != p.Map && p.Margin[x] == 0 {
				continue
			}
			seen[key(next)] = true
			all = append(all, next)
		}
	}
	return all
}
