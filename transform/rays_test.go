package transform

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"loopc/frontend"
	"loopc/ir"
	"loopc/ir/diag"
	"loopc/ir/irtest"
	"loopc/transform/plan"
	"loopc/transform/plan/plantest"
)

// rank returns the rank of vectors by elimination without fractions.
func rank(vectors [][]int) int {
	var m [][]int
	for _, v := range vectors {
		m = append(m, slices.Clone(v))
	}
	r := 0
	for x := 0; len(m) > 0 && x < len(m[0]); x++ {
		at := slices.IndexFunc(m[r:], func(v []int) bool { return v[x] != 0 })
		if at < 0 {
			continue
		}
		m[r], m[r+at] = m[r+at], m[r]
		for k := r + 1; k < len(m); k++ {
			a, b := m[k][x], m[r][x]
			for y := range m[k] {
				m[k][y] = m[k][y]*b - m[r][y]*a
			}
		}
		if r++; r == len(m) {
			break
		}
	}
	return r
}

// TestRays compares the extreme rays with those that the definition finds among
// all small vectors: h·d ≥ 0 for every d, and = 0 for n-1 independent ones.
func TestRays(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 2))
	const most = 4
	seen, lines := 0, 0
	for range 1500 {
		depth := 2 + rng.IntN(2)
		dists := randomDistances(rng, depth, 2)
		if len(dists) == 0 {
			continue
		}
		var want [][]int
		h := make([]int, depth)
		var try func(k int)
		try = func(k int) {
			if k < depth {
				for h[k] = -most; h[k] <= most; h[k]++ {
					try(k + 1)
				}
				return
			}
			var tight [][]int
			for _, d := range dists {
				switch x := dot(h, d); {
				case x < 0:
					return
				case x == 0:
					tight = append(tight, d)
				}
			}
			if gcd(h) == 1 && rank(tight) == depth-1 {
				want = append(want, slices.Clone(h))
			}
		}
		try(0)
		var got [][]int
		for _, r := range rays(depth, dists) {
			if longest(r) <= most {
				got = append(got, r)
			}
			neg := slices.Clone(r)
			for k := range neg {
				neg[k] *= -1
			}
			if slices.ContainsFunc(rays(depth, dists), func(s []int) bool { return slices.Equal(s, neg) }) {
				lines++
			}
		}
		slices.SortFunc(want, slices.Compare[[]int])
		if !slices.EqualFunc(got, want, slices.Equal[[]int]) {
			t.Fatalf("D = %v: rays %v, want %v", dists, got, want)
		}
		seen += len(got)
	}
	if seen < 500 || lines < 20 {
		t.Errorf("only %d rays, %d in both senses", seen, lines)
	}
}

// TestCandidates: the matrices compared with the skew are unimodular and legal and keep the
// direction of rows. If T = D⁻¹ is a matrix of integers, it must be among them.
func TestCandidates(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 3))
	found := 0
	for range 8000 {
		depth := 2 + rng.IntN(3)
		dists := randomDistances(rng, depth, 2)
		skew := Skew(depth, dists)
		for _, c := range candidates(depth, dists, skew) {
			if det := determinant(c); det != 1 && det != -1 || slices.EqualFunc(c, skew, slices.Equal[[]int]) {
				t.Fatalf("D = %v: candidate %v with determinant %d", dists, c, det)
			}
			for _, d := range dists {
				if slices.Min(apply(c, d)) < 0 {
					t.Fatalf("candidate %v is not legal for %v", c, d)
				}
			}
			_, u := invert(c, 1<<40)
			for k, row := range u {
				want := 0
				if k == depth-1 {
					want = 1
				}
				if row[depth-1] != want {
					t.Fatalf("with the candidate %v rows do not run along the innermost loop", c)
				}
			}
			found++
		}
	}
	if found < 1000 {
		t.Errorf("only %d candidates", found)
	}
	got := candidates(3, []ir.Vec{{3, 2, 0}, {1, 1, 0}, {0, 0, 1}}, identity(3))
	if want := [][]int{{1, -1, 0}, {-2, 3, 0}, {0, 0, 1}}; len(got) == 0 || !slices.EqualFunc(got[0], want, slices.Equal[[]int]) {
		t.Errorf("candidates %v, want %v first", got, want)
	}
}

// TestCheapest requires that the cost decides among tilings that send less, and
// that the skew wins ties and where nothing is known.
func TestCheapest(t *testing.T) {
	n := compiled(t, `param N = 20
array A[0..N, -1..N] float64 out
init A[i,j] = i + j
for i = 1..N, j = 1..N {
	A[i,j] = A[i-1,j-2] + A[i,j-1]
}
`)
	skew, better := identity(2), [][]int{{1, 0}, {-2, 1}}
	for _, c := range []struct {
		name string
		cost func(*plan.Nest) float64
		want [][]int
	}{
		{"equal", func(*plan.Nest) float64 { return 1 }, skew},
		{"unknown", func(*plan.Nest) float64 { return math.Inf(1) }, skew},
		{"communication", Communication, better},
		{"the opposite", func(p *plan.Nest) float64 { return 1 / Communication(p) }, skew},
		{"hardly less", func(p *plan.Nest) float64 { return 100 + Communication(p)/100 }, skew},
	} {
		l, p, diags := lowerCheapest(n, c.cost)
		if len(diags) > 0 || !slices.EqualFunc(l.Skew, c.want, slices.Equal[[]int]) {
			t.Errorf("%s: T = %v, want %v; %+v", c.name, l.Skew, c.want, diags)
		}
		if (l.Why == "") != slices.EqualFunc(c.want, skew, slices.Equal[[]int]) {
			t.Errorf("%s: T = %v because %q", c.name, l.Skew, l.Why)
		}
		if c.name == "communication" && Communication(p) != 16 { // one cell of 8 bytes across each face
			t.Errorf("communication %v", Communication(p))
		}
	}
}

// TestPredictedTime requires that the default parameters decide: the same nest
// is tiled by its cone where faces are large, and skewed where the space would
// become too oblique; and that without defaults there is no prediction.
func TestPredictedTime(t *testing.T) {
	for params, want := range map[string]bool{
		"X, Y, Z = 20, 20, 20000": true,
		"X, Y, Z = 400, 400, 9":   false,
		"X, Y, Z":                 false,
	} {
		n := compiled(t, "param "+params+`
array A[0..X, 0..Y, 0..Z] float64 out
init A[i,j,k] = i + j + k
for i = 1..X, j = 1..Y, k = 1..Z {
	A[i,j,k] = A[i-1,j-1,k] + A[i,j,k-1]
}
`)
		l, p, _ := Lower(n)
		if chosen := l.Why != ""; chosen != want {
			t.Errorf("param %s: T = %v, chosen from the cone: %t", params, l.Skew, chosen)
		}
		if known := !math.IsInf(PredictedTime(p), 1); known != strings.Contains(params, "=") {
			t.Errorf("param %s: predicted time %v s", params, PredictedTime(p))
		}
	}
}

// TestBound requires of the inequalities of random nests with random unimodular
// T that they hold the iterations and nothing else, and that the planner finds
// a bounding box that holds them, mostly the least.
func TestBound(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 4))
	tight, loose, points := 0, 0, 0
	for range 150 {
		n, _ := frontend.Compile("nest.loop", []byte(irtest.RandomNest(rng)))
		if n == nil || n.Depth() < 2 {
			continue
		}
		var params []int
		for _, x := range n.Params {
			params = append(params, min(*x.Default, 7))
		}
		u := randomUnimodular(rng, n.Depth())
		l, p, diags := lowerAs(n, u, nil, "") // the dependences do not matter here
		if diag.HasErrors(diags) {
			t.Fatal(diags)
		}
		_, straight, _ := lowerAs(n, identity(n.Depth()), nil, "")
		at, err := plan.New(straight, params, plan.Options{})
		if err != nil || at.Empty {
			continue
		}
		// The iterations j, from the loops as they are written.
		lo, hi := make([]int, n.Depth()), make([]int, n.Depth())
		inside := map[string]bool{}
		j := slices.Clone(at.Lo)
		for k := 0; k >= 0; {
			if plantest.Contains(at.Space, j) {
				q := apply(u, j)
				for x := range q {
					if len(inside) == 0 {
						lo[x], hi[x] = q[x], q[x]
					}
					lo[x], hi[x] = min(lo[x], q[x]), max(hi[x], q[x])
				}
				inside[fmt.Sprint(q)] = true
			}
			for k = n.Depth() - 1; k >= 0; k-- {
				if j[k]++; j[k] <= at.Hi[k] {
					break
				}
				j[k] = at.Lo[k]
			}
		}
		if len(inside) == 0 {
			continue
		}
		skewed, err := plan.New(p, params, plan.Options{})
		if err != nil || skewed.Empty {
			t.Fatalf("T = %v: %v\n%+v", l.Skew, err, p.Space)
		}
		q, size := make([]int, n.Depth()), 1
		for x := range q {
			if skewed.Lo[x] > lo[x] || skewed.Hi[x] < hi[x] {
				t.Fatalf("T = %v: the box %v..%v does not hold %v..%v", l.Skew, skewed.Lo, skewed.Hi, lo, hi)
			}
			size *= hi[x] - lo[x] + 3
		}
		if slices.Equal(skewed.Lo, lo) && slices.Equal(skewed.Hi, hi) {
			tight++
		} else {
			loose++
		}
		if size > 200_000 {
			continue
		}
		points += len(inside)
		for x := range q {
			q[x] = lo[x] - 1
		}
		for k := 0; k >= 0; {
			if got := plantest.Contains(skewed.Space, q); got != inside[fmt.Sprint(q)] {
				t.Fatalf("T = %v: %v in the space: %t", l.Skew, q, got)
			}
			for k = len(q) - 1; k >= 0; k-- {
				if q[k]++; q[k] <= hi[k]+1 {
					break
				}
				q[k] = lo[k] - 1
			}
		}
	}
	t.Logf("%d boxes are the least, %d are not; %d iterations", tight, loose, points)
	if tight < 60 || loose > tight/4 || points < 3000 {
		t.Errorf("%d boxes are the least, %d are not; %d iterations", tight, loose, points)
	}
}
