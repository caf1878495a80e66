package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"loopc/frontend"
	"loopc/ir"
	"loopc/ir/diag"
	"loopc/ir/irtest"
	"loopc/transform"
	"loopc/transform/plan"
	"loopc/transform/plan/cost"
)

// lowerAs returns a function that lowers nests with the tiling matrix in the text.
func lowerAs(t *testing.T, tiling string) func(*ir.Nest) (*ir.Lowered, *plan.Nest, []diag.Diagnostic) {
	t.Helper()
	h, err := transform.ParseTiling(tiling)
	if err != nil {
		t.Fatal(err)
	}
	return func(n *ir.Nest) (*ir.Lowered, *plan.Nest, []diag.Diagnostic) { return transform.LowerTiled(n, h) }
}

// TestTiledExamples builds every example, shrunk, with tiling matrices of other
// kinds than its skew, without -full with one of them, and runs it under many plans
// against the interpreter, bit for bit.
func TestTiledExamples(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(4, 5))
	var nests []builtNest
	all := map[string][]string{
		"pipeline":     {"0,0,1;0,1,0;1,0,0", "1/3,0,0;1/4,1/4,0;1/5,1/5,1/5"},
		"seidel":       {"1,1,0;1,0,0;1,0,1", "2/4,1/2,0;1/3,0,0;2/6,1/6,1/6"},
		"sor":          {"1,0,1;1,1,0;1,0,0"},
		"diffusion":    {"1,1,0;1,0,1;1,0,0"},
		"adi":          {"1,-1,-1;0,0,1;0,1,0", "1/4,-1/4,-1/4;0,1/5,0;0,0,1/6"},
		"editdistance": {"1,1;0,1", "0,1/8;1/8,1/8"},
		"triangle":     {"1,1;0,-1", "0,-1/7;1/5,1/5"},
	}
	plans := irtest.OfAll(24, 8)
	for _, file := range examples(t) {
		name := strings.TrimSuffix(filepath.Base(file), ".loop")
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if len(all[name]) == 0 {
			t.Errorf("no tiling for %s", name)
		}
		tilings := all[name]
		for k, h := range tilings[len(tilings)-irtest.OfAll(len(tilings), min(1, len(tilings))):] {
			b, ok := buildNestAs(t, fmt.Sprint(name, k), shrunk(string(src)), rng, plans, lowerAs(t, h))
			if !ok {
				t.Fatalf("%s is refused with H = %s", name, h)
			}
			nests = append(nests, b)
		}
	}
	for _, r := range runNests(t, nests) {
		if r.Ran < plans/2 {
			t.Errorf("%s: only %d plans were run", r.Nest, r.Ran)
		}
	}
}

// TestLateFallbacks runs nests in which a location outside the iteration space
// holds the result of an iteration that T puts after it: of a later row, a later
// level, and the same row as the reader; and the results of several iterations,
// one overwritten by the next, that T runs in another order.
func TestLateFallbacks(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(4, 6))
	var nests []builtNest
	for k, c := range []struct {
		tiling   string
		reorders bool
		src      string
	}{
		{"-1,1;-2,3", false, `param N = 17
array v[0..N+1] float64 out
init v[x] = sin(44*x + 97)
for i = 0..N, j = max(1, i-2)..min(N+1, i+2) {
	v[j] = j/3 + 0.3325*v[j-1]
}
`},
		{"1,2;1,1", false, `param N, M = 8, 27
array u[0..M+1] int32
init u[x] = 39*x + 76 + x*x
out u[*]
for i = -1..N, j = 1..M {
	u[j] = 3*u[j-1] - u[j]
	u[j+1] = 7*u[j-1] + i
}
`},
		{"0,0,1;-1,1,1;1,0,0", false, `param N, M, T = 13, 14, 11
array u[0..N, -1..T] uint8 out
init u[x, y] = 51*x + 9*y + 8 + x*y
for i = 1..N, j = 1..i, k = i..T {
	u[j,k] = u[j-1,k]/3 + 7*u[j-1,k-2] - 7*u[j-1,k-1]
}
`},
		{"0,1/5,1/5;-1,2,1;1/5,0,0", true, `param N, M, T = 13, 10, 6
array u[0..M, -2..T+1] int64 inout
for i = 1..N, j = max(2, i-3)..min(M, i+3), k = -1..T {
	u[j,k] = 7*u[j-1,k+1] - 3*u[j-1,k-1] + u[j-2,k]
}
`},
		{"-2/2,1/2,-1/2;1/2,0,0;2/5,0,1/5", false, `param N = 13
array u[0..N, -1..N-1, 0..N+2] int32 out
init u[x, y, z] = 74*x + 62*y + 29*z + 63 + x*z
for i = 1..N, j = 1..min(N-1, N-i+2), k = 0..N {
	u[i,j,k] = u[i-1,j-2,k+1]/3 - u[i-1,j-2,k+2]
	u[i,j,k+1] = u[i-1,j-1,k+2] + (3*k + 5*u[i,j-2,k])
}
`},
	} {
		late, reorders := false, false
		b, ok := buildNestAs(t, fmt.Sprint("late", k), c.src, rng, irtest.OfAll(40, 16), func(n *ir.Nest) (*ir.Lowered, *plan.Nest, []diag.Diagnostic) {
			l, p, diags := lowerAs(t, c.tiling)(n)
			for _, v := range p.Values {
				late = late || slices.ContainsFunc(v.Fallbacks, func(s plan.Source) bool { return ir.Vec(s.Dist).Sign() < 0 })
				reorders = reorders || !slices.IsSortedFunc(v.Fallbacks, func(a, b plan.Source) int { return slices.Compare(a.Dist, b.Dist) })
			}
			return l, p, diags
		})
		if !ok || !late && !c.reorders || c.reorders && !reorders {
			t.Fatalf("nest %d is refused, or has not the fallbacks that it is here for", k)
		}
		nests = append(nests, b)
	}
	for _, r := range runNests(t, nests) {
		if r.Ran < irtest.OfAll(20, 8) {
			t.Errorf("%s: only %d plans were run", r.Nest, r.Ran)
		}
	}
}

// TestCone has a nest whose dependences lie in a plane: its tiling is chosen from
// their cone, runs with the bits of the interpreter, and sends what the
// enumeration of its tiles says, which is less than with the skew.
func TestCone(t *testing.T) {
	t.Parallel()
	const src = `param X, Y, Z = 20, 20, 20000
array A[0..X, 0..Y, 0..Z] float64 out
init A[i, j, k] = sin(i + 3*j) + 0.01*k
for i = 1..X, j = 1..Y, k = 1..Z {
	A[i,j,k] = 0.3*A[i-1,j-1,k] + 0.2*A[i,j,k-1]
}
`
	compile := func(lower func(*ir.Nest) (*ir.Lowered, *plan.Nest, []diag.Diagnostic)) (*ir.Lowered, *plan.Nest) {
		n, diags := frontend.Compile("cone.loop", []byte(src))
		if len(diags) > 0 {
			t.Fatal(diags)
		}
		l, p, diags := lower(n)
		if len(diags) > 0 {
			t.Fatal(diags)
		}
		return l, p
	}
	l, p := compile(transform.Lower)
	if l.Why == "" {
		t.Fatalf("T = %v is not chosen from the cone", l.Skew)
	}
	ls, skewed := compile(lowerAs(t, "1,0,0;0,1,0;0,0,1"))
	if chosen, plain := surface(l.Skew, p.Distances()), surface(ls.Skew, skewed.Distances()); chosen != 64+64-8 || plain != 3*64-3*8+1 {
		t.Errorf("of 512 iterations of a tile others need %d, and %d with the skew", chosen, plain)
	}
	// So do the runs that were compared.
	bytes := func(p *plan.Nest) int64 {
		at, err := plan.New(p, []int{20, 20, 20000}, plan.Options{Ranks: 4})
		if err != nil {
			t.Fatal(err)
		}
		_, bytes, _ := cost.Volume(at)
		return bytes
	}
	if chosen, plain := bytes(p), bytes(skewed); chosen >= plain {
		t.Errorf("4 ranks send %d bytes, with the skew %d", chosen, plain)
	}
	// The parameters of the comparison make too long a run for the interpreter.
	rng := rand.New(rand.NewPCG(4, 7))
	small := strings.Replace(src, "20, 20, 20000", "14, 17, 40", 1)
	b, ok := buildNestAs(t, "cone", small, rng, 30, func(*ir.Nest) (*ir.Lowered, *plan.Nest, []diag.Diagnostic) { return l, p, nil })
	if !ok {
		t.Fatal("the nest is refused")
	}
	runNests(t, []builtNest{b})
	if !strings.Contains(string(b.code[0].Text), "chosen: it sends less than the skew") {
		t.Errorf("the header does not tell of the tiling:\n%s", b.code[0].Text[:3000])
	}
}

// surface counts the iterations j of the tile ⌊T·j / 8⌋ = 0, found among all
// those around the origin, whose results an iteration of another tile needs.
// dists are skewed.
func surface(skew [][]int, dists [][]int) int {
	inTile := func(p []int) bool {
		return !slices.ContainsFunc(p, func(x int) bool { return x < 0 || x > 7 })
	}
	points, needed := 0, 0
	p, q := make([]int, 3), make([]int, 3)
	const far = 30 // T⁻¹·p for p in the tile lies within
	for i := -far; i <= far; i++ {
		for j := -far; j <= far; j++ {
			for k := -far; k <= far; k++ {
				for x, row := range skew {
					p[x] = row[0]*i + row[1]*j + row[2]*k
				}
				if !inTile(p) {
					continue
				}
				points++
				for _, d := range dists {
					for x := range q {
						q[x] = p[x] + d[x]
					}
					if !inTile(q) {
						needed++
						break
					}
				}
			}
		}
	}
	if points != 512 {
		panic(fmt.Sprintf("a tile holds %d iterations", points))
	}
	return needed
}
