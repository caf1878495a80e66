package plantest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"

	"loopc/transform/plan"
)

// A Sample is a random nest with its parameters and its iterations, which are enumerated without the
// functions of package plan.
type Sample struct {
	Nest   *plan.Nest
	Params []int
	Points [][]int         // skewed, in lexicographic order
	Inside map[string]bool // the points, by Key
}

// RandomNest returns a nest of two to four loops with a few iterations: bounds that may depend
// on outer loops and on the parameters, negative coordinates, sometimes another half-space, a
// skew, and one to three values that are read at random nonnegative distances. Some nests have
// no iterations.
func RandomNest(rng *rand.Rand) *Sample {
	n := 2 + rng.IntN(3)
	if rng.IntN(3) == 0 {
		n = 2
	}
	most := []int{0, 0, 12, 7, 5}[n]
	s := &Sample{Params: []int{rng.IntN(9) - 4, rng.IntN(3)}, Inside: map[string]bool{}}
	nest := &plan.Nest{Name: "random", Params: []string{"M", "N"}, Digest: "random"}
	skew, unskew := randomSkew(rng, n)
	nest.Skew = skew
	var bounds []plan.Affine // not negative at the iterations j, before the skew
	for k := range n {
		nest.Dims = append(nest.Dims, string(rune('i'+k)))
		lo := plan.Affine{Const: rng.IntN(9) - 4, Params: []int{rng.IntN(2), 0}, Iters: make([]int, n)}
		for l := range k {
			if rng.IntN(3) == 0 {
				lo.Iters[l] = rng.IntN(3) - 1
			}
		}
		extent := rng.IntN(most) + 1
		if rng.IntN(40) == 0 {
			extent = 0
		}
		// lo ≤ j_k ≤ lo + extent - 1 + N, and sometimes one more inequality.
		up := plan.Affine{Const: lo.Const + extent - 1, Params: []int{lo.Params[0], 1}, Iters: slices.Clone(lo.Iters)}
		bounds = append(bounds, bound(k, 1, lo), bound(k, -1, up))
		if rng.IntN(4) == 0 && k > 0 {
			extra := plan.Affine{Const: rng.IntN(2*most) - 2, Iters: make([]int, n)}
			for l := range k {
				extra.Iters[l] = rng.IntN(5) - 2
			}
			extra.Iters[k] = rng.IntN(5) - 2
			bounds = append(bounds, extra)
		}
	}
	for _, f := range bounds {
		out := plan.Affine{Const: f.Const, Params: f.Params, Iters: make([]int, n)}
		for k, c := range f.Iters {
			for x, u := range unskew[k] {
				out.Iters[x] += c * u
			}
		}
		nest.Space = append(nest.Space, out)
	}
	for v := range 1 + rng.IntN(3) {
		val := plan.Value{Name: fmt.Sprint("v", v), Array: v}
		for range rng.IntN(4) {
			d := make([]int, n)
			for k := range d {
				if rng.IntN(2) == 0 {
					d[k] = rng.IntN(3)
				}
			}
			if slices.Max(d) > 0 {
				val.Flow = append(val.Flow, d)
			}
		}
		val.Flow = Distinct(val.Flow)
		nest.Values = append(nest.Values, val)
		nest.Arrays = append(nest.Arrays, plan.Array{Name: val.Name, Elem: "int64", Size: []int{8, 4, 1}[rng.IntN(3)]})
	}
	s.Nest = nest
	s.enumerate(bounds, skew)
	return s
}

// enumerate finds the iterations j, at which no bound is negative, and skews them.
func (s *Sample) enumerate(bounds []plan.Affine, skew [][]int) {
	n := len(skew)
	j := make([]int, n)
	var walk func(k int)
	walk = func(k int) {
		if k == n {
			for _, f := range bounds {
				if f.Eval(s.Params, j) < 0 {
					return
				}
			}
			p := make([]int, n)
			for x, row := range skew {
				for l, c := range row {
					p[x] += c * j[l]
				}
			}
			s.Points = append(s.Points, p)
			s.Inside[Key(p)] = true
			return
		}
		// The loop's own two bounds use loops further out only.
		lo, hi := -1<<30, 1<<30 // far beyond these bounds
		for _, f := range bounds {
			c := f.Iters[k]
			if (c != 1 && c != -1) || slices.ContainsFunc(f.Iters[k+1:], func(c int) bool { return c != 0 }) {
				continue
			}
			if rest := f.Eval(s.Params, j[:k]); c == 1 {
				lo = max(lo, -rest)
			} else {
				hi = min(hi, rest)
			}
		}
		for j[k] = lo; j[k] <= hi; j[k]++ {
			walk(k + 1)
		}
		j[k] = 0
	}
	walk(0)
	slices.SortFunc(s.Points, slices.Compare[[]int])
}

// bound returns f as the bound of loop k: c·(j_k - f) ≥ 0.
func bound(k, c int, f plan.Affine) plan.Affine {
	out := plan.Affine{Const: -c * f.Const, Iters: make([]int, len(f.Iters))}
	for _, p := range f.Params {
		out.Params = append(out.Params, -c*p)
	}
	for l, x := range f.Iters {
		out.Iters[l] = -c * x
	}
	out.Iters[k] += c
	return out
}

// randomSkew returns a unit lower triangular matrix and its inverse.
func randomSkew(rng *rand.Rand, n int) (skew, unskew [][]int) {
	for k := range n {
		skew, unskew = append(skew, make([]int, n)), append(unskew, make([]int, n))
		skew[k][k], unskew[k][k] = 1, 1
	}
	for k := 1; k < n; k++ {
		if rng.IntN(2) == 0 {
			continue
		}
		// p_k = j_k + c·p_l, and so j_k = p_k - c·p_l.
		l, c := rng.IntN(k), 1+rng.IntN(2)
		for x := range n {
			skew[k][x] += c * skew[l][x]
		}
		unskew[k][l] = -c
	}
	return skew, unskew
}

// Key is a text for point p, for maps.
func Key(p []int) string {
	var b []byte
	for _, x := range p {
		b = strconv.AppendInt(append(b, ' '), int64(x), 10)
	}
	return string(b)
}

// At returns p + c·d.
func At(p []int, c int, d []int) []int {
	q := slices.Clone(p)
	for k := range q {
		q[k] += c * d[k]
	}
	return q
}

// RandomOptions returns options for a nest. It leaves some of them to the planner; plan.New refuses
// some.
func RandomOptions(rng *rand.Rand, nest *plan.Nest) plan.Options {
	n := len(nest.Dims)
	o := plan.Options{Ranks: 1 + rng.IntN(5), CPUs: 1 + rng.IntN(3), Comm: plan.Comm(rng.IntN(1 + len(plan.Comm(plan.Any).All()))), Group: plan.Group(rng.IntN(1 + len(plan.Group(plan.Any).All()))), Assign: plan.Assign(rng.IntN(1 + len(plan.Assign(plan.Any).All())))}
	along := rng.IntN(n)
	if rng.IntN(2) == 0 {
		o.Map = nest.Dims[along]
	}
	if rng.IntN(3) > 0 {
		margin := nest.HaloWidth()
		for k := range n {
			o.Tile = append(o.Tile, max(1, margin[k])+rng.IntN(4))
			if rng.IntN(5) == 0 {
				o.Tile[k] = 0
			}
		}
	}
	if o.Group == plan.Vertical && rng.IntN(2) == 0 {
		o.Sub = 1 + rng.IntN(3)
	}
	workers := func() []int {
		v := make([]int, n)
		for k := range v {
			v[k] = 1
			if k != along && rng.IntN(2) == 0 {
				v[k] = 1 + rng.IntN(3)
			}
		}
		return v
	}
	if rng.IntN(3) == 0 {
		o.Grid = workers()
		o.Ranks = plan.Product(o.Grid) + rng.IntN(2)
	}
	if rng.IntN(4) == 0 {
		o.Mesh = workers()
		o.CPUs = plan.Product(o.Mesh)
	}
	if !nest.Whole && o.Group != plan.Vertical && rng.IntN(6) == 0 {
		narrowFirst(rng, nest, along, &o)
	}
	return o
}

// narrowFirst makes CPUs take tiles cyclically, and the first tile narrower.
func narrowFirst(rng *rand.Rand, nest *plan.Nest, along int, o *plan.Options) {
	n, margin := len(nest.Dims), nest.HaloWidth()
	x := (along + 1 + rng.IntN(n-1)) % n
	o.Map, o.Assign, o.Ranks, o.Grid = nest.Dims[along], plan.Cyclic, 1, nil
	o.Mesh, o.Tile, o.First = slices.Repeat([]int{1}, n), make([]int, n), make([]int, n)
	o.Mesh[x] = 2 + rng.IntN(2)
	o.CPUs = o.Mesh[x]
	o.First[x] = max(1, margin[x]) + rng.IntN(3)
	o.Tile[x] = o.First[x] + 1 + rng.IntN(3)
}

// Distinct returns the distinct ones of the given vectors, in lexicographic order.
func Distinct(all [][]int) [][]int {
	out := slices.Clone(all)
	slices.SortFunc(out, slices.Compare[[]int])
	return slices.CompactFunc(out, slices.Equal[[]int])
}

// EachPoint calls f with every point of the box lo..hi, in lexicographic order.
// f must not keep it.
func EachPoint(lo, hi []int, f func(p []int)) {
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
