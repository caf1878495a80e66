package plan_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"loopc/transform/plan"
	"loopc/transform/plan/plantest"
)

// TestFactorize compares the ways to write a number as a product with
// enumeration.
func TestFactorize(t *testing.T) {
	for _, c := range []struct {
		total, mapped int
		limit         []int
	}{
		{1, 0, []int{1, 1}}, {12, 0, []int{1, 12, 12}}, {12, 1, []int{4, 1, 6}}, {7, 2, []int{3, 7, 1}}, {13, 0, []int{1, 5, 5}}, {16, 3, []int{16, 16, 16, 1}},
	} {
		n := len(c.limit)
		ones, lo, hi := make([]int, n), make([]int, n), slices.Clone(c.limit)
		for k := range n {
			ones[k], lo[k] = 1, 1
		}
		hi[c.mapped] = 1
		var want, got [][]int
		plantest.EachPoint(lo, hi, func(v []int) {
			if plan.Product(v) == c.total {
				want = append(want, slices.Clone(v))
			}
		})
		(&plan.Search{}).Factorize(c.total, hi, func(v []int) bool {
			got = append(got, slices.Clone(v))
			return true
		})
		if !slices.IsSortedFunc(got, func(a, b []int) int { return slices.Compare(b, a) }) {
			t.Errorf("factorize(%d) within %v: outer dimensions do not have the larger factors first: %v", c.total, c.limit, got)
		}
		slices.SortFunc(got, slices.Compare[[]int])
		if !slices.EqualFunc(got, want, slices.Equal[[]int]) {
			t.Errorf("factorize(%d) within %v: got %v, want %v", c.total, c.limit, got, want)
		}
	}
}

// TestChooseMesh requires of the grid and mesh chosen that no other arrangement
// uses more workers, and that none of those with as many costs less.
func TestChooseMesh(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	shared := 0
	for range 300 {
		n := 2 + rng.IntN(2)
		names := []string{"i", "j", "k"}[:n]
		var dists [][]int
		for range 1 + rng.IntN(3) {
			d := make([]int, n)
			for k := range d {
				d[k] = rng.IntN(4)
			}
			if slices.Max(d) > 0 {
				dists = append(dists, d)
			}
		}
		var params []int
		for range n {
			params = append(params, 1+rng.IntN(40))
		}
		p, err := plan.New(plantest.BoxNest(dists, names...), params, plan.Options{Ranks: 1 + rng.IntN(12), CPUs: 1 + rng.IntN(4)})
		if err != nil {
			continue
		}
		limit := p.ColumnLimits(params, make([]int, n))
		s := plan.NewShare(p.Nest, p.Map, params)
		most, cost := 0, math.Inf(1)
		ones, top := make([]int, n), make([]int, n)
		for k := range n {
			ones[k], top[k] = 1, min(limit[k], p.Ranks)
		}
		plantest.EachPoint(ones, top, func(grid []int) {
			if plan.Product(grid) > p.Ranks {
				return
			}
			cpus := make([]int, n)
			for k := range n {
				cpus[k] = min(limit[k], p.CPUs)
			}
			plantest.EachPoint(ones, cpus, func(mesh []int) {
				if plan.Product(mesh) > p.CPUs {
					return
				}
				for k := range n {
					if grid[k]*mesh[k] > limit[k] {
						return
					}
				}
				workers := plan.Product(grid) * plan.Product(mesh)
				if c := s.Cost(grid, mesh); workers > most || workers == most && c < cost {
					most, cost = workers, c
				}
			})
		})
		if got := plan.Product(p.Grid) * plan.Product(p.Mesh); got != most {
			t.Errorf("%v iterations on %d ranks of %d CPUs: %d workers as %v, %v; %d are possible", params, p.Ranks, p.CPUs, got, p.Grid, p.Mesh, most)
		} else if c := s.Cost(p.Grid, p.Mesh); c > cost*(1+1e-12) {
			t.Errorf("%v iterations on %d ranks of %d CPUs: %v, %v cost %g, the least is %g", params, p.Ranks, p.CPUs, p.Grid, p.Mesh, c, cost)
		}
		if most > 4 {
			shared++
		}
	}
	if shared < 100 {
		t.Errorf("only %d plans with more than four workers", shared)
	}
}

// TestSidesFit requires of sides that the planner chose that they hold the
// longest dependence, or the whole extent, and cover the space.
func TestSidesFit(t *testing.T) {
	rng := rand.New(rand.NewPCG(10, 9))
	for range 500 {
		params := []int{1 + rng.IntN(3000), 1 + rng.IntN(3000), 1 + rng.IntN(3000)}
		d := []int{rng.IntN(5), rng.IntN(5), 1 + rng.IntN(5)}
		nest := plantest.BoxNest([][]int{d}, "i", "j", "k")
		p, err := plan.New(nest, params, plan.Options{Ranks: 1 + rng.IntN(9), CPUs: 1 + rng.IntN(4)})
		if err != nil {
			t.Errorf("%v, distance %v: %v", params, d, err)
			continue
		}
		for k := range params {
			if p.Side[k] < min(d[k], params[k]) || p.Side[k]*p.Tiles[k] < params[k] || p.Side[k]*(p.Tiles[k]-1) >= params[k] {
				t.Errorf("%v iterations, distance %v: sides %v, tiles %v", params, d, p.Side, p.Tiles)
			}
			if k != p.Map && p.Grid[k]*p.Mesh[k]*p.Block[k] < p.Tiles[k] {
				t.Errorf("%d tiles along %d for %d × %d workers with %d columns each", p.Tiles[k], k, p.Grid[k], p.Mesh[k], p.Block[k])
			}
		}
	}
}
