package transform

import (
	"fmt"

	"loopc/ir"
)

// Skew returns the unit lower triangular matrix T whose rows have the least sums, outer rows first,
// for which T·d ≥ 0 for every distance d. For long distances the sums may be greater (searchMost).
//
//	rewrite:
//	  for j1 { for j2 { S(j1, j2) } }
//	    =>
//	  for p1 { for p2 { S(p1, p2 - f·p1) } }     p = T·j, T = [1 0; f 1]
//
// Rectangular tiling of the skewed space is legal if H·T·d ≥ 0 for every dependence d. H is diagonal
// and positive, so that is T·d ≥ 0.
//
// Every distance is lexicographically positive, so a T always exists: if component k of d is
// negative, an earlier component is positive, and adding enough of it makes component k
// nonnegative.
func Skew(depth int, dists []ir.Vec) [][]int {
	t := identity(depth)
	skewed := make([]ir.Vec, len(dists))
	for i, d := range dists {
		if d.Sign() <= 0 {
			panic(fmt.Sprintf("BUG: flow distance %v is not lexicographically positive", d))
		}
		skewed[i] = append(ir.Vec(nil), d...)
	}
	for k := 1; k < depth; k++ {
		f := factors(k, t, dists, skewed)
		for l, c := range f {
			// Row k of T is e_k + Σ f_l · row l, with factors for the loops l that are already
			// skewed.
			for x := range t[k] {
				t[k][x] += c * t[l][x]
			}
			for i := range skewed {
				skewed[i][k] += c * skewed[i][l]
			}
		}
	}
	return t
}

// SkewOf does what Skew does, for loops of n that may run backward: T·d ≥ 0 for distances d that
// are lexicographically positive in the order in which the loops run. The diagonal matrix R has the
// entry -1 for a loop that runs backward, otherwise 1. T = S·R, where S is Skew of the vectors R·d:
//
//	rewrite:
//	  for j1 = lo..hi { for j2 = hi..lo step -1 { S(j1, j2) } }
//	    =>
//	  for p1 { for p2 { S(p1, f·p1 - p2) } }     p = S·R·j, S = [1 0; f 1], R = [1 0; 0 -1]
func SkewOf(n *ir.Nest, dists []ir.Vec) [][]int {
	steps := make([]ir.Vec, len(dists))
	for i, d := range dists {
		steps[i] = n.Steps(d)
	}
	t := Skew(n.Depth(), steps)
	for _, row := range t {
		copy(row, n.Steps(row))
	}
	return t
}

// searchMost bounds the search for the least factors: beyond it, the skew is long in any case.
const searchMost = 24

// factors returns the multiples of the loops before k, which are already skewed, to add to loop k.
// Row k of T gets the least sum; among equals, the factors of outer loops are the greatest. The sum
// of the factors themselves is not minimized: for a stencil of radius 2 in time, that would add loop
// k-1 once instead of the time loop twice, and so shift every row against the row before it.
func factors(k int, t [][]int, dists, skewed []ir.Vec) []int {
	f, rowSum := make([]int, k), make([]int, k) // rowSum[l] is the sum of row l of T
	total := 0
	for l := range rowSum {
		for _, x := range t[l] {
			rowSum[l] += x
		}
		total += rowSum[l]
	}
	ok := func() bool {
		for _, s := range skewed {
			v := s[k]
			for l, c := range f {
				v += c * s[l]
			}
			if v < 0 {
				return false
			}
		}
		return true
	}
	// back is the longest step of a distance against loop k. To add back times every earlier loop is
	// always enough, so the search ends at the sum back·total.
	back := 0
	for _, d := range dists {
		back = max(back, -d[k])
	}
	// try sets the factors from loop l on, so that they add sum to the sum of row k.
	var try func(l, sum int) bool
	try = func(l, sum int) bool {
		if l == k-1 {
			f[l] = sum / rowSum[l]
			return sum%rowSum[l] == 0 && ok()
		}
		for c := sum / rowSum[l]; c >= 0; c-- {
			f[l] = c
			if try(l+1, sum-c*rowSum[l]) {
				return true
			}
		}
		return false
	}
	for sum := 0; ; sum++ {
		if sum > searchMost || sum > back*total {
			// Long distances: add enough of every loop, without a search.
			for l := range f {
				f[l] = back
			}
			return f
		}
		if try(0, sum) {
			return f
		}
	}
}
