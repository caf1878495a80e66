package transform

import (
	"math/rand/v2"
	"slices"
	"testing"

	"loopc/ir"
)

// TestKnownSkews has the skews that the literature gives these stencils.
func TestKnownSkews(t *testing.T) {
	for _, c := range []struct {
		name  string
		dists []ir.Vec
		want  [][]int
	}{
		{"none needed", []ir.Vec{{1, 0}, {0, 1}, {1, 1}}, [][]int{{1, 0}, {0, 1}}},
		{"no dependence", nil, [][]int{{1, 0}, {0, 1}}},
		{"Jacobi, 1-D", []ir.Vec{{1, -1}, {1, 0}, {1, 1}}, [][]int{{1, 0}, {1, 1}}},
		{"Jacobi, 1-D, reach 2", []ir.Vec{{1, -2}, {1, 2}}, [][]int{{1, 0}, {2, 1}}},
		{"Jacobi, 2-D, reach 2", []ir.Vec{{1, -2, 0}, {1, 2, 0}, {1, 0, -2}, {1, 0, 2}}, [][]int{{1, 0, 0}, {2, 1, 0}, {2, 0, 1}}},
		{"Jacobi, 2-D", []ir.Vec{{1, 0, 0}, {1, -1, 0}, {1, 1, 0}, {1, 0, -1}, {1, 0, 1}}, [][]int{{1, 0, 0}, {1, 1, 0}, {1, 0, 1}}},
		{"Jacobi, 3-D", []ir.Vec{{1, -1, 0, 0}, {1, 1, 0, 0}, {1, 0, -1, 0}, {1, 0, 1, 0}, {1, 0, 0, -1}, {1, 0, 0, 1}},
			[][]int{{1, 0, 0, 0}, {1, 1, 0, 0}, {1, 0, 1, 0}, {1, 0, 0, 1}}},
		{"Gauss-Seidel, 5 points", []ir.Vec{{0, 1, 0}, {0, 0, 1}, {1, -1, 0}, {1, 0, -1}}, [][]int{{1, 0, 0}, {1, 1, 0}, {1, 0, 1}}},
		// (0, 1, -1) skews k by p_i = t + i; that is 0 for (1, -1, -1), which
		// skews k by t once more.
		{"Gauss-Seidel, 9 points", []ir.Vec{{0, 1, 1}, {0, 1, 0}, {0, 1, -1}, {0, 0, 1}, {1, -1, -1}, {1, -1, 0}, {1, -1, 1}, {1, 0, -1}, {1, 0, 0}},
			[][]int{{1, 0, 0}, {1, 1, 0}, {2, 1, 1}}},
		{"far", []ir.Vec{{1, -100}}, [][]int{{1, 0}, {100, 1}}},
	} {
		depth := len(c.want)
		if got := Skew(depth, c.dists); !slices.EqualFunc(got, c.want, slices.Equal[[]int]) {
			t.Errorf("%s: T = %v, want %v", c.name, got, c.want)
		}
	}
}

// randomDistances returns lexicographically positive vectors.
func randomDistances(rng *rand.Rand, depth, most int) []ir.Vec {
	var dists []ir.Vec
	for range rng.IntN(5) {
		d := make(ir.Vec, depth)
		for k := range d {
			d[k] = rng.IntN(2*most+1) - most
		}
		if d.Sign() > 0 {
			dists = append(dists, d)
		}
	}
	return dists
}

// TestSkew requires of the skew of random distances what makes tiling legal,
// T·d ≥ 0 for every d, that T is unit lower triangular with no negative entry,
// and that invert gives its inverse.
func TestSkew(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	skewed := 0
	for range 20000 {
		depth := 1 + rng.IntN(4)
		most := []int{1, 2, 3, 60}[rng.IntN(4)]
		dists := randomDistances(rng, depth, most)
		m := Skew(depth, dists)
		for k, row := range m {
			for x, c := range row {
				if x == k && c != 1 || x > k && c != 0 || c < 0 {
					t.Fatalf("%v: T = %v", dists, m)
				}
				if x < k && c > 0 {
					skewed++
				}
			}
		}
		for _, d := range dists {
			if v := apply(m, d); slices.Min(v) < 0 {
				t.Fatalf("T·%v = %v with T = %v", d, v, m)
			}
		}
		_, u := invert(m, 1<<62)
		for k := range m {
			e := make([]int, depth)
			e[k] = 1
			if got := apply(u, apply(m, e)); !slices.Equal(got, e) {
				t.Fatalf("%v is not the inverse of %v", u, m)
			}
		}
	}
	if skewed < 5000 {
		t.Errorf("only %d entries of the skews are not trivial", skewed)
	}
}

// TestSkewIsLeast compares each row of T with all that have a lesser sum and are made of the
// rows before it: none of those is legal.
func TestSkewIsLeast(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	for range 2000 {
		depth := 2 + rng.IntN(2)
		dists := randomDistances(rng, depth, 3)
		m := Skew(depth, dists)
		for k := 1; k < depth; k++ {
			// Row k is e_k + Σ f_l · row l, which determines f from the last.
			rest, f := slices.Clone(m[k]), make([]int, k)
			sum := 0
			for l := k - 1; l >= 0; l-- {
				f[l] = rest[l]
				sum += f[l] * total(m[l])
				for x := range rest {
					rest[x] -= f[l] * m[l][x]
				}
			}
			legal := func(g []int) bool {
				for _, d := range dists {
					p := apply(m, d)
					v := d[k]
					for l, c := range g {
						v += c * p[l]
					}
					if v < 0 {
						return false
					}
				}
				return true
			}
			if !legal(f) {
				t.Fatalf("%v: factors %v of loop %d of T = %v are not legal", dists, f, k, m)
			}
			g := make([]int, k)
			var try func(l, rest int)
			try = func(l, rest int) {
				if l == k {
					if legal(g) {
						t.Fatalf("%v: loop %d of T = %v has the factors %v, but %v suffice", dists, k, m, f, g)
					}
					return
				}
				for g[l] = 0; g[l]*total(m[l]) <= rest; g[l]++ {
					try(l+1, rest-g[l]*total(m[l]))
				}
				g[l] = 0
			}
			if sum > 0 {
				try(0, sum-1)
			}
		}
	}
}

// total is the sum of a row.
func total(row []int) (sum int) {
	for _, x := range row {
		sum += x
	}
	return sum
}

// TestSkewRefuses requires a panic where the frontend has promised something
// else.
func TestSkewRefuses(t *testing.T) {
	for _, d := range []ir.Vec{{0, 0}, {0, -1}, {-1, 5}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%v is skewed", d)
				}
			}()
			Skew(2, []ir.Vec{d})
		}()
	}
}
