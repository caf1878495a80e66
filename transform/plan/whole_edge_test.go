package plan_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"loopc/transform/plan"
	"loopc/transform/plan/plantest"
)

// TestWholeOrder checks the signals between tiles in skewed storage. A tile that writes a location
// must be reached by signals from all tiles that read or wrote the content that it overwrites, and
// must reach all tiles that read the new content, although tiles far from the space do not run.
func TestWholeOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 4))
	pairs, skipped, ran := 0, 0, 0
	for ran < 150 {
		s := plantest.RandomNest(rng)
		s.Nest.Whole = true
		o := plantest.RandomOptions(rng, s.Nest)
		o.Ranks, o.Grid = 1, nil
		for v := range s.Nest.Values {
			s.Nest.Values[v].Need = s.Nest.Values[v].Flow
		}
		p, err := plan.New(s.Nest, s.Params, o)
		if err != nil || p.Empty || !p.KeepsWhole() || p.WholeReach() == nil || len(s.Points) > 1500 {
			continue
		}
		ran++
		n := len(p.Side)
		tileOf := func(q []int) []int {
			tile := make([]int, n)
			for x := range q {
				tile[x] = max(0, plan.FloorDiv(q[x]-p.Lo[x], p.Side[x]))
			}
			return tile
		}
		lo, hi := make([]int, n), make([]int, n)
		runs := func(tile []int) bool {
			first, last := p.Active(tile, lo, hi)
			return first <= tile[p.Map] && tile[p.Map] <= last
		}
		for c := range p.Columns() {
			first, last := p.Active(plantest.ColumnOf(p, c), lo, hi)
			skipped += p.Tiles[p.Map] - max(0, last-first+1)
		}
		known := map[string]bool{}
		require := func(from, to []int) {
			a, b := tileOf(from), tileOf(to)
			if k := plantest.Key(a) + plantest.Key(b); known[k] {
				return
			} else {
				known[k] = true
			}
			pairs++
			if !slices.ContainsFunc(waysBetween(p, a, b, runs), func(end []int) bool { return slices.Equal(end, b) }) {
				t.Fatalf("%v is in tile %v, %v in tile %v, which does not wait for that\n%s", from, a, to, b, p)
			}
		}
		drift := p.StorageOffset()
		for v := range s.Nest.Values {
			flow := s.Nest.Values[v].Flow
			write := func(q []int) { // an iteration, or read
				before := plantest.At(q, -1, drift)
				if s.Inside[plantest.Key(before)] {
					require(before, q)
				}
				for _, d := range flow {
					if r := plantest.At(before, 1, d); s.Inside[plantest.Key(r)] {
						require(r, q)
						if !s.Inside[plantest.Key(before)] {
							require(before, q)
						}
					}
					if r := plantest.At(q, 1, d); s.Inside[plantest.Key(r)] {
						require(q, r)
					}
				}
			}
			for _, r := range s.Points {
				write(r)
				for _, d := range flow {
					if q := plantest.At(r, -1, d); !s.Inside[plantest.Key(q)] {
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

// waysBetween returns the tiles between a and b that run and that signals from a reach.
func waysBetween(p *plan.Plan, a, b []int, runs func(tile []int) bool) [][]int {
	if !runs(a) {
		return nil
	}
	seen := map[string]bool{plantest.Key(a): true}
	all := [][]int{a}
	for i := 0; i < len(all); i++ {
		for x := range a {
			next := slices.Clone(all[i])
			next[x]++
			if next[x] > b[x] || seen[plantest.Key(next)] || !runs(next) || x != p.Map && p.HaloWidth[x] == 0 {
				continue
			}
			seen[plantest.Key(next)] = true
			all = append(all, next)
		}
	}
	return all
}
