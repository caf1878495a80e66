package codegen

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"loopc/frontend"
	"loopc/ir"
	"loopc/ir/diag"
	"loopc/ir/irtest"
	"loopc/transform"
	"loopc/transform/plan"
)

// TestFrontSkew has for each nest the least skew with which lanes across rows find in entire arrays what the loops find
// there; -1 if there is none.
func TestFrontSkew(t *testing.T) {
	const head = "param T, N = 4, 40\narray x[0..N+1, 0..N+1] float64 in\narray a[-3..N+3, -3..N+3] float64 inout\n"
	for body, want := range map[string]int{
		"for i = 1..N, j = 1..N {\n a[i,j] = a[i,j-1] + x[i,j]\n}":                         0,
		"for i = 1..N, j = 1..N {\n a[i,j] = a[i-1,j] + a[i,j-1]\n}":                       1,
		"for i = 1..N, j = 1..N {\n a[i,j] = a[i,j-1] + a[i+1,j-1]\n}":                     1, // overwritten later
		"for i = 1..N, j = 1..N {\n a[i,j] = a[i,j-1] + a[i-1,j+1]\n}":                     2,
		"for t = 1..T, i = N..1 step -1, j = 1..N {\n a[i,j] = a[i+1,j+1] + a[i-1,j-1]\n}": 2,
		"for i = 1..N, j = N..1 step -1 {\n a[i,j] = a[i-1,j-1] + a[i,j+1]\n}":             2,
		"for i = 1..N, j = 1..N {\n a[i,j] = a[i,j-1] + a[i-2,j+3]\n}":                     2,
		"for i = 1..N, j = 1..N {\n a[i,j] = a[i,j-1] + a[i-1,j+3]\n}":                     -1,
		"for i = 1..N, j = 1..N {\n a[j,i] = a[j,i-1] + x[i,j]\n}":                         -1,
		"for i = 1..N, j = 1..i {\n a[i,j] = a[i-1,j] + a[i,j-1]\n}":                       1, // rows of several lengths
		"for i = N..1 step -1, j = i..N {\n a[i,j] = a[i+1,j-1] + a[i,j-1]\n}":             0,
		"for i = 1..N, j = 1..i {\n a[i,j] = a[i-1,j+1] + a[i,j-1]\n}":                     2,
		"for i = 1..N, j = i..N {\n a[i,j] = a[i+1,j-1] + a[i,j-1]\n}":                     1, // overwritten later
		"for t = 1..T, i = 1..N, j = 1..N {\n a[t,j] = a[t,j-1] + x[i,j]\n}":               -1,
	} {
		n, diags := frontend.Compile("order.loop", []byte(head+body))
		if diag.HasErrors(diags) {
			t.Fatalf("%s: %v", body, diags)
		}
		l, p, diags := transform.Lower(n)
		if diag.HasErrors(diags) {
			t.Fatalf("%s: %v", body, diags)
		}
		got, ok := decided(n, l, p).frontSkew()
		if !ok {
			got = -1
		}
		if got != want {
			t.Errorf("%s: %d, not %d", body, got, want)
		}
	}
}

// TestInArraysOrder names nests whose results may overwrite the cells of arrays at once, and others in which a read
// would come too late, or too early.
func TestInArraysOrder(t *testing.T) {
	const head = "param T, N = 4, 40\narray x[0..N+1, 0..N+1] float64 in\narray a[0..N+1, 0..N+1] float64 inout\narray b[0..N+1, 0..N+1] float64 inout\n" +
		"array c[1..N, 1..N] float64 inout\narray d[1..2, 1..N+5, 0..N+1] float64 inout\narray e[0..N+1, 0..N+1, 1..N] float64 inout\n"
	for body, want := range map[string]bool{
		"for i = 1..N, j = 1..N {\n a[i,j] = a[i,j+1] + x[i,j]\n}":                                                            true,
		"for i = 1..N, j = 1..N {\n a[i,j] = x[i,j]\n c[i,j] = x[i,j]\n}":                                                     false, // rows of other lengths
		"for i = 1..N, j = 1..N {\n a[i,j] = x[i,j]\n d[1,i,j] = x[i,j]\n}":                                                   true,  // a component
		"for i = 1..N, j = 1..N {\n a[i,j] = x[i,j]\n b[j,i] = x[i,j]\n}":                                                     false,
		"for i = 1..N, j = 1..N {\n a[i,j] = a[i-1,j] + x[i,j]\n}":                                                            true,
		"for i = 1..N, j = 1..N {\n a[i,j] = a[i+1,j-1] + x[i,j]\n}":                                                          true,  // of another level
		"for i = 1..N, j = 1..N {\n a[i,j] -= a[i,0]*a[0,j]\n}":                                                               true,  // cells that are never written
		"for i = 1..N, j = 1..N {\n a[i,j] = x[i,j]\n b[i,j] = 2*a[i,j+1]\n}":                                                 false, // a vector of a is written first
		"for i = 1..N, j = 1..N {\n b[i,j] = 2*a[i,j+1]\n a[i,j] = x[i,j]\n}":                                                 true,  // a vector reads first
		"for t = 1..T, i = 1..N, j = 1..N {\n a[i,j] = a[i+1,j-1] + x[i,j]\n}":                                                false, // skewed
		"for t = 1..T, i = 1..N, j = 1..N, k = 1..N {\n e[i,j,k] = e[i+1,j-1,k] + e[i-1,j,k]\n}":                              true,
		"for t = 1..T, i = 1..N, j = 1..N, k = 1..N {\n e[i,j,k] = e[i+1,j-1,k] + e[i-1,j,k] + select(j > 2, x[j-3,k], 0)\n}": false, // boxes are divided along j
	} {
		n, diags := frontend.Compile("order.loop", []byte(head+body))
		if diag.HasErrors(diags) {
			t.Fatalf("%s: %v", body, diags)
		}
		l, lowered, diags := transform.Lower(n)
		if diag.HasErrors(diags) {
			t.Fatalf("%s: %v", body, diags)
		}
		if got := decided(n, l, lowered).inArrays(); got != want {
			t.Errorf("on entire arrays %t, want %t:\n%s", got, want, body)
		}
	}
}

// TestInArraysGuards names nests that are computed in entire arrays, with vectors along rows, though guards keep iterations from results
// beyond the bounds: slots have memory there, and in the caller's arrays vectors load other cells.
func TestInArraysGuards(t *testing.T) {
	const head = "param T, N = 4, 40\narray x[0..T, 0..N] float64 in\narray a[0..T, 0..N] float64\nout a[T, *]\n"
	for _, body := range []string{
		"for t = 0..T, j = 0..N {\n a[t,j] = x[t,j] + select(t > 0, a[t-1,j], 0)\n}",
		"for t = T..0 step -1, j = 0..N {\n a[t,j] = x[t,j] + select(t < T && j > 0, a[t+1,j-1], 0)\n}",
		"for t = 0..T, j = 0..N {\n a[t,j] = x[t,j]\nif t > 1 {\n a[t,j] = a[t,j] + select(j < N-2, a[t-2,j+3], 0) + select(j > 0, a[t-1,j-1], 0)\n}\n}",
		"boundary a[*, copied]\nfor t = 0..T, j = 0..N {\n a[t,j] = x[t,j] + select(t > 0, a[t-1,j-1], 0)\n}",
	} {
		if g := decide(t, head+body); g.rotating == nil || !g.inArrays() {
			t.Errorf("levels rotate: %t, on entire arrays: %t:\n%s", g.rotating != nil, g.inArrays(), body)
		}
	}
	const given = "param T, N = 4, 40\narray x[0..N, 0..N] float64 in\narray a[0..N, 0..N] float64 inout\narray b[0..9, 0..N, 0..N] float64 inout\nboundary b[*, *, copied]\n"
	for body, want := range map[string]struct{ yes, rows, ends bool }{
		"for t = 0..N, j = 0..N {\n a[t,j] = x[t,j] + select(t > 0, a[t-1,j], 0)\n}":                            {true, true, false},
		"for t = 0..N, j = 0..N {\n a[t,j] = x[t,j] + select(j > 0 && t > 0, a[t-1,j-1], a[t,j])\n}":            {true, true, true},
		"for t = 1..N, j = 0..N {\n a[t,j] = x[t,j] + select(j < N-1, a[t-1,j+2], 0)\n}":                        {true, false, true},
		"for t = 1..T, i = N..0 step -1, j = 0..N {\n a[i,j] = x[i,j] + select(i < N, a[i+1,j], 0)\n}":          {true, true, false},
		"for t = 1..N, j = 0..N {\n a[t,j] = x[t,j] + select(j < N-9, a[t-1,j+10], 0)\n}":                       {false, false, false}, // too far
		"for t = 0..9, i = 0..N, j = 0..N {\n b[t,i,j] = x[i,j] + select(i > 0 && t > 0, b[t-1,i-1,j+1], j)\n}": {false, false, true},  // some iterations need the boundary in Go
		"for t = 0..N, j = 0..t {\n a[t,j] = x[t,j] + select(t > 0 && j < t, a[t-1,j], 0)\n}":                   {false, false, false}, // triangles
	} {
		g := decide(t, given+body)
		_, rows := g.within(false)
		if got := g.inArrays(); got != want.yes || got && (len(rows) > 0) != want.rows || len(g.vector.shape.Ends) > 0 != want.ends {
			t.Errorf("on entire arrays: %t, rows by themselves: %t, ends of rows: %t, want %+v:\n%s", got, len(rows) > 0, len(g.vector.shape.Ends) > 0, want, body)
		}
	}
}

// TestInArraysNumbers names nests in repeats that are computed in entire arrays, with vectors along rows, though what they read
// beyond bounds, or where guards allow it, or what they compute, depends on the number of the repetition.
func TestInArraysNumbers(t *testing.T) {
	const head = "const T = 4\nparam N = 40\narray x[0..N-1, 0..N-1] float64 inout\narray y[0..N-1, 0..N-1] float64 inout\narray s[1..T] float64 in\n" +
		"array z[0..N-1, 0..N-1] float64 in\nboundary x[periodic, *]\nrepeat t = 1..T {\nfor i = 0..N-1, j = 0..N-1 {\n"
	for _, body := range []string{
		"y[i,j] = x[i-1,j] + x[i+1,j] + select(j == 20, s[t], 0)",
		"y[i,j] = x[i-1,j] + t",
		"y[i,j] = x[i-t,j]",
		"y[i,j] = select(j >= t, z[i,j-t], 1)",
	} {
		p, diags := frontend.CompileProgram("numbers.loop", []byte(head+body+"\n}\nfor i = 0..N-1, j = 0..N-1 {\nx[i,j] = y[i,j]\n}\n}\n"))
		if diag.HasErrors(diags) {
			t.Fatalf("%s: %v", body, diags)
		}
		lowered, nests, _, diags := transform.LowerProgram(p, nil)
		if diag.HasErrors(diags) {
			t.Fatalf("%s: %v", body, diags)
		}
		if g := decidedNests(p, lowered, nests)[0]; !g.usesNumbers() || !g.splits() || !g.inArrays() {
			t.Errorf("uses numbers %t, splits boxes %t, on entire arrays %t:\n%s", g.usesNumbers(), g.splits(), g.inArrays(), body)
		}
	}
}

// TestApart checks the coordinates along which CPUs may share iterations, in random nests, against
// all accesses: no iteration may access a cell that an iteration with another such coordinate
// writes.
func TestApart(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	shared, linked := 0, 0
	for range irtest.OfAll(800, 120) {
		text := irtest.RandomNest(rng)
		n, diags := frontend.Compile("random.loop", []byte(text))
		if diag.HasErrors(diags) {
			continue
		}
		l, lowered, diags := transform.Lower(n)
		if diag.HasErrors(diags) {
			continue
		}
		g := decided(n, l, lowered)
		if !g.inArrays() {
			continue
		}
		p, err := plan.New(lowered, irtest.RandomParams(rng, n), plan.Options{Ranks: 1, CPUs: 1})
		if err != nil || p.Empty {
			continue
		}
		apart := g.apart()
		shared, linked = shared+len(apart), linked+len(lowered.Dims)-len(apart)
		written, read := map[[5]int][][]int{}, map[[5]int][][]int{} // by array and subscripts
		eachPoint(p, func(at []int) {
			loops := make([]int, len(n.Loops))
			for k := range loops {
				for x, c := range l.Unskew[k+g.shift] {
					loops[k] += c * at[x]
				}
			}
			cell := func(array int, subs []ir.Affine) (where [5]int) {
				where[0] = array
				for k, sub := range subs {
					where[1+k] = sub.Eval(p.Params, loops)
				}
				return where
			}
			for _, s := range n.Body {
				if w, ok := s.(*ir.Assign); ok {
					where := cell(w.Array, w.Subs)
					written[where] = append(written[where], at)
				}
			}
			for _, r := range n.Reads {
				where := cell(r.Array, r.Subs)
				read[where] = append(read[where], at)
			}
		})
		for where, by := range written {
			for _, other := range append(by[1:], read[where]...) {
				for _, x := range apart {
					if other[x] != by[0][x] {
						t.Fatalf("iterations %v and %v are not apart along %s:\n%s", by[0], other, lowered.Dims[x], text)
					}
				}
			}
		}
	}
	t.Logf("%d coordinates are shared, %d are not", shared, linked)
	if least := irtest.OfAll(20, 4); shared < least || linked < least {
		t.Errorf("too few nests: the test proves nothing")
	}
}

// eachPoint calls f with every iteration of a plan, in coordinates.
func eachPoint(p *plan.Plan, f func(at []int)) {
	var walk func(at []int)
	walk = func(at []int) {
		if x := len(at); x < len(p.Lo) {
			for v := p.Lo[x]; v <= p.Hi[x]; v++ {
				walk(append(at[:x:x], v))
			}
			return
		}
		for _, form := range p.Nest.Space {
			if form.Eval(p.Params, at) < 0 {
				return
			}
		}
		f(at)
	}
	walk(nil)
}

// TestWrittenOnce names arrays of which only the cells that no iteration writes need initial content, before runs in entire arrays.
func TestWrittenOnce(t *testing.T) {
	const head = "param T, N = 4, 40\narray x[0..N+1, 0..N+1] float64 in\narray u[0..2, 0..T, 0..N+1, 0..N+1] float64 out\ninit u[c,t,i,j] = x[i,j]\nfor t = 1..T, i = 1..N, j = 1..N {\n"
	for body, want := range map[string]bool{
		"u[0,t,i,j] = u[0,t-1,i+1,j]":                                            true,
		"u[0,t,i,j] = u[1,t-1,i+1,j]\nu[1,t,i,j] = u[0,t-1,i,j]\nu[2,t,i,j] = 1": true,  // components
		"u[0,t,i,j] = u[0,t-1,i,j]\nu[0,t,i+1,j] = 2":                            false, // the second one writes after the first
		"u[0,t,i,j] = u[0,t-1,i,j]\nu[1,t,i,j] = 1\nu[1,t,i,j+1] = 2":            false,
	} {
		n, diags := frontend.Compile("once.loop", []byte(head+body+"\n}"))
		if diag.HasErrors(diags) {
			t.Fatalf("%s: %v", body, diags)
		}
		l, lowered, diags := transform.Lower(n)
		if diag.HasErrors(diags) {
			t.Fatalf("%s: %v", body, diags)
		}
		if got := decided(n, l, lowered).writtenOnce(); len(got) > 0 != want {
			t.Errorf("written once: %v, want %t:\n%s", got, want, body)
		}
	}
}

// TestFrontPlaces requires that lanes across rows of entire arrays collect the places of a max or min, as the same nest without places.
func TestFrontPlaces(t *testing.T) {
	const head = "param N = 40\narray x[0..N+1, 0..N+1] %s in\narray a[0..N+1, 0..N+1] %[1]s inout\n"
	for _, elem := range []string{"int32", "float32", "float64"} {
		for _, reduce := range []string{"r = max(a[i,j])", "r, p, q = max(a[i,j]) at (i, j)", "r, q, p = min(a[i,j]) at (j, i)"} {
			g := decide(t, fmt.Sprintf(head, elem)+"reduce "+reduce+"\nfor i = 1..N, j = N..1 step -1 {\na[i,j] = max(a[i-1,j] + x[i,j], a[i,j+1], a[i-1,j+1])\n}\n")
			if g.front.shape == nil || g.front.shape.Rows() {
				t.Errorf("%s of %s: no lanes across rows", reduce, elem)
			}
		}
	}
}
