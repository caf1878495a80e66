package paper

import (
	"slices"

	"loopc/transform/plan"
)

// boxNest returns a nest over 0 ≤ x_k < N_k, one parameter per loop, with the
// given distances, and a float64 array of those extents.
func boxNest(dists [][]int, loops ...string) *plan.Nest {
	n := len(loops)
	nest := &plan.Nest{
		Name: "sample", Dims: loops, Digest: "sample",
		Values: []plan.Value{{Name: "A", Flow: dists}},
		Arrays: []plan.Array{{Name: "A", Elem: "float64", Size: 8}},
	}
	for k := range n {
		nest.Params = append(nest.Params, "N"+loops[k])
		unit, up, down := make([]int, n), make([]int, n), make([]int, n)
		unit[k], up[k], down[k] = 1, 1, -1
		nest.Skew = append(nest.Skew, unit)
		nest.Space = append(nest.Space, plan.Affine{Iters: up}, plan.Affine{Const: -1, Params: unit, Iters: down})
		nest.Arrays[0].Lo = append(nest.Arrays[0].Lo, plan.Affine{})
		nest.Arrays[0].Hi = append(nest.Arrays[0].Hi, plan.Affine{Const: -1, Params: unit})
		cell := make([]int, n)
		cell[k] = 1
		nest.Values[0].Cell = append(nest.Values[0].Cell, plan.Affine{Iters: cell})
	}
	return nest
}

// units are the n unit vectors.
func units(n int) [][]int {
	var d [][]int
	for k := range n {
		u := make([]int, n)
		u[k] = 1
		d = append(d, u)
	}
	return d
}

// eachPoint calls f with every point of the box lo..hi, in lexicographic order.
// f must not keep it.
func eachPoint(lo, hi []int, f func(p []int)) {
	p := slices.Clone(lo)
	var rec func(k int)
	rec = func(k int) {
		if k == len(p) {
			f(p)
			return
		}
		for p[k] = lo[k]; p[k] <= hi[k]; p[k]++ {
			rec(k + 1)
		}
	}
	rec(0)
}

// eachVector calls f with the vectors 1 ≤ v ≤ top of a product of at most most.
func eachVector(top []int, most int, f func(v []int)) {
	low, high := make([]int, len(top)), make([]int, len(top))
	for k := range top {
		low[k], high[k] = 1, min(top[k], most)
	}
	eachPoint(low, high, func(v []int) {
		if product(v) <= most {
			f(v)
		}
	})
}

func product(v []int) int {
	x := 1
	for _, f := range v {
		x *= max(1, f)
	}
	return x
}

func sum(v []int) (total int) {
	for _, x := range v {
		total += x
	}
	return total
}

// alike is how much numbers may differ that are computed in different orders.
const alike = 1e-12
