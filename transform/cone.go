package transform

import (
	"cmp"
	"math"
	"slices"

	"loopc/ir"
	"loopc/transform/plan"
	"loopc/transform/plan/cost"
)

// Limits of the search for a tiling. If it would exceed them, the skew is taken.
const (
	mostDepth      = 5    // loops
	mostEntry      = 1000 // absolute value of an entry of a distance, or of a row of T
	mostDistances  = 24   // distinct distances
	mostRows       = 24   // rows of which a T can consist
	mostCandidates = 8    // matrices that are lowered and compared
)

// worthwhile bounds the cost of another T relative to that of the skew. It is less than 1, because
// predictions err, and parameters may differ from the defaults.
const worthwhile = 0.95

// PredictedTime is the time in seconds that the planner predicts for the declared parameters
// and built-in figures: the geometric mean of a run on one rank and a run on four, each on a
// node of its own and with one CPU. A T other than the skew makes the space more oblique, which
// costs ghost cells and empty corners. The mean takes such a T only if four ranks gain more, by
// shorter messages, than one rank loses. PredictedTime is +Inf if a parameter has no default.
func PredictedTime(n *plan.Nest) float64 {
	params := make([]int, len(n.Params))
	for k, name := range n.Params {
		value, ok := n.Defaults[name]
		if !ok {
			return math.Inf(1)
		}
		params[k] = value
	}
	m := cost.DefaultMachine()
	m.Node = 1
	product := 1.0
	for _, ranks := range []int{1, 4} {
		p, err := plan.New(n, params, plan.Options{Ranks: ranks, CPUs: 1})
		if err != nil {
			return math.Inf(1)
		}
		seconds := cost.Estimate(p, m, cost.LinkTCP, 0).Seconds
		if tiles := p.Columns() * p.Tiles[p.Map]; tiles <= mostPredicted {
			seconds = cost.NewPredictor(p).Predict(m, cost.LinkTCP).Seconds
		}
		product *= seconds
	}
	return math.Sqrt(product)
}

// mostPredicted is the most tiles of a run that is simulated when a nest is compiled, so that
// compiling stays fast. Longer runs are estimated.
const mostPredicted = 1 << 13

// Communication is the number of bytes that a tile sends per point, relative to other tilings
// with tiles of equal volume:
//
//	Σ_k Σ_v size_v · max_{d of v} (T·d)_k
//
// where size_v is the bytes of a result of value v, and d its distances. A tile with sides s sends
// size_v · g/s_k · max (T·d)_k bytes of value v across its face k, where g = Π s_k is its volume
// ([P3] (6), with one distance for each value and dimension). T is unimodular, so g is the number of
// points for every T. With equal sides s_k = g^(1/n), the bytes per point are the sum above, divided
// by g^(1/n).
func Communication(n *plan.Nest) float64 {
	sum := 0
	for v := range n.Values {
		val := &n.Values[v]
		for k := range n.Dims {
			far := 0
			for _, d := range val.Flow {
				far = max(far, d[k])
			}
			sum += far * n.Arrays[val.Array].Size
		}
	}
	return float64(sum)
}

// rays returns the extreme rays of the dual cone { h : h·d ≥ 0 for every d }, each with coprime
// entries, in lexicographic order. They are the normals of the steepest hyperplanes that can
// bound a tile: if the distances span the space, the rows of every legal tiling are nonnegative
// combinations of the rays. If the distances span a hyperplane, its normal is a ray in both
// directions; if they span less, there are no extreme rays.
//
// An extreme ray is orthogonal to n-1 independent distances. rays tries each set of n-1 distances,
// and keeps the set's normal if it has a nonnegative product with every distance.
func rays(depth int, dists []ir.Vec) [][]int {
	var out [][]int
	chosen := make([][]int, 0, depth)
	var choose func(from int)
	choose = func(from int) {
		if len(chosen) < depth-1 {
			for k := from; k < len(dists); k++ {
				chosen = append(chosen, dists[k])
				choose(k + 1)
				chosen = chosen[:len(chosen)-1]
			}
			return
		}
		h := normal(chosen, depth)
		if gcd(h) == 0 {
			return // the vectors are dependent
		}
		for range 2 {
			if !slices.ContainsFunc(dists, func(d ir.Vec) bool { return dot(h, d) < 0 }) {
				out = append(out, slices.Clone(h))
			}
			for k := range h {
				h[k] = -h[k]
			}
		}
	}
	choose(0)
	return distinct(out)
}

// normal returns the vector with coprime entries that is orthogonal to n-1 vectors of n entries; zero
// if these are dependent. Its entries are, up to a factor, the cofactors of a further row above the
// vectors.
func normal(vectors [][]int, n int) []int {
	h := make([]int, n)
	for k := range h {
		h[k] = determinant(minor(vectors, k))
		if k%2 == 1 {
			h[k] = -h[k]
		}
	}
	if g := gcd(h); g > 1 {
		for k := range h {
			h[k] /= g
		}
	}
	return h
}

// candidates returns unimodular matrices T with T·d ≥ 0 for every distance, other than the
// skew, in ascending order of Σ_k max (T·d)_k. Their rows are extreme rays, completed if
// necessary by rows of the skew and by loops along which no distance is negative.
//
// With every candidate T, as with the skew, rows of tiles lie along the innermost loop: T⁻¹·e_n = ±e_n.
// Otherwise, neighbors in a row would be far apart in the arrays, which in most nests costs more time
// than smaller faces save.
func candidates(depth int, dists []ir.Vec, skew [][]int) [][][]int {
	dists = slices.Clone(dists)
	slices.SortFunc(dists, slices.Compare[ir.Vec])
	dists = slices.CompactFunc(dists, slices.Equal[ir.Vec])
	if depth < 2 || depth > mostDepth || len(dists) == 0 || len(dists) > mostDistances {
		return nil
	}
	for _, d := range dists {
		if longest(d) > mostEntry {
			return nil
		}
	}
	var rows [][]int
	for _, row := range slices.Concat(rays(depth, dists), skew, identity(depth)) {
		legal := longest(row) <= mostEntry && len(rows) < mostRows &&
			!slices.ContainsFunc(dists, func(d ir.Vec) bool { return dot(row, d) < 0 }) &&
			!slices.ContainsFunc(rows, func(r []int) bool { return slices.Equal(r, row) })
		if legal {
			rows = append(rows, row)
		}
	}
	// Rows without the innermost loops come first, so that T is triangular if possible.
	slices.SortFunc(rows, func(a, b []int) int {
		return cmp.Or(cmp.Compare(lastUsed(a), lastUsed(b)), slices.Compare(b, a))
	})
	var all [][][]int
	chosen := make([][]int, 0, depth)
	var choose func(from int)
	choose = func(from int) {
		if len(chosen) == depth {
			if rowsInnermost(chosen, skew[depth-1][depth-1]) && !slices.EqualFunc(chosen, skew, slices.Equal[[]int]) {
				if det := determinant(chosen); det == 1 || det == -1 {
					all = append(all, slices.Clone(chosen))
				}
			}
			return
		}
		for k := from; k < len(rows); k++ {
			chosen = append(chosen, rows[k])
			choose(k + 1)
			chosen = chosen[:len(chosen)-1]
		}
	}
	choose(0)
	reach := func(t [][]int) int {
		sum := 0
		for _, row := range t {
			far := 0
			for _, d := range dists {
				far = max(far, dot(row, d))
			}
			sum += far
		}
		return sum
	}
	slices.SortStableFunc(all, func(a, b [][]int) int { return cmp.Compare(reach(a), reach(b)) })
	return all[:min(len(all), mostCandidates)]
}

// rowsInnermost reports whether only the last coordinate of T·j depends on the innermost loop,
// with the given factor: 1, or -1 for a loop that runs backward, so that the coordinate grows.
func rowsInnermost(t [][]int, factor int) bool {
	last := len(t) - 1
	for k, row := range t {
		if k < last && row[last] != 0 || k == last && row[last] != factor {
			return false
		}
	}
	return true
}

// longest returns the greatest absolute value in v.
func longest(v []int) int {
	most := 0
	for _, x := range v {
		most = max(most, x, -x)
	}
	return most
}

// lastUsed returns the index of the last entry of v that is not zero, -1 if
// there is none.
func lastUsed(v []int) int {
	for k := len(v) - 1; k >= 0; k-- {
		if v[k] != 0 {
			return k
		}
	}
	return -1
}
