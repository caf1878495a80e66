package transform_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"loopc/frontend"
	"loopc/ir"
	"loopc/ir/diag"
	"loopc/transform"
	"loopc/transform/plan"
)

// compile returns the analysed nest of a source that has no mistakes.
func compile(t *testing.T, src string) *ir.Nest {
	t.Helper()
	n, diags := frontend.Compile("nest.loop", []byte(src))
	for _, d := range diag.Heard([]byte(src), diags) {
		t.Fatalf("%d:%d: %s", d.At.Line, d.At.Col, d.Message)
	}
	return n
}

func lower(t *testing.T, src string) (*ir.Lowered, *plan.Nest) {
	t.Helper()
	l, p, diags := transform.Lower(compile(t, src))
	if len(diags) > 0 {
		t.Fatalf("%+v", diags)
	}
	return l, p
}

// values describes the values of a nest, a line each.
func values(p *plan.Nest) string {
	var b strings.Builder
	for _, v := range p.Values {
		fmt.Fprintf(&b, "%s flow %v need %v fallbacks %v overwrites %v direct %t levels %d\n",
			v.Name, v.Flow, v.Need, v.Fallbacks, v.Overwrites, v.Direct, v.Levels())
	}
	return b.String()
}

// TestLower has nests of every kind with the values that follow from them.
func TestLower(t *testing.T) {
	for _, c := range []struct {
		name, src, want string
		skew            [][]int
	}{
		{
			// Every read may leave the space, upwards of t or aside.
			"Jacobi", `param T, N = 10, 20
array A[0..T, 0..N+1] float64 out
init A[t,i] = t + i
for t = 1..T, i = 1..N {
	A[t,i] = A[t-1,i-1] + A[t-1,i+1]
}
`, "A flow [[1 0] [1 2]] need [[1 0] [1 2]] fallbacks [] overwrites [] direct true levels 2\n", [][]int{{1, 0}, {1, 1}},
		},
		{
			// In place: the cell of the row above was written in this sweep, that
			// of the row below in the one before. Outside, the other is found.
			"Gauss-Seidel", `param T, N = 10, 20
array u[0..N+1] float64 inout
for t = 1..T, i = 1..N {
	u[i] = u[i-1] + u[i+1]
}
`, "u flow [[0 1] [1 0]] need [[0 1] [1 0]] fallbacks [] overwrites [[1 1]] direct false levels 2\n", [][]int{{1, 0}, {1, 1}},
		},
		{
			// The second statement reads the first of the same iteration.
			"two statements", `param N = 20
array A[0..N] float64 out
array B[0..N] float64 out
init A[i] = 1
init B[i] = 2
for i = 1..N {
	A[i] = A[i-1] + 1
	B[i] = A[i] + B[i-1]
}
`, "A flow [[0 1]] need [[0 1]] fallbacks [] overwrites [] direct true levels 1\n" +
				"B flow [[0 1]] need [[0 1]] fallbacks [] overwrites [] direct true levels 1\n", [][]int{{1, 0}, {0, 1}},
		},
		{
			// Two assignments of one array: the later one is seen, and overwrites.
			"twice", `param N = 20
array A[0..N] float64 out
init A[i] = 1
for i = 1..N {
	A[i] = A[i-1] + 1 //loopc:ignore no-result
	A[i] = A[i-1] * 2
}
`, "A#1 flow [] need [] fallbacks [] overwrites [[0 0]] direct false levels 1\n" +
				"A#2 flow [[0 1]] need [[0 1]] fallbacks [] overwrites [] direct true levels 1\n", [][]int{{1, 0}, {0, 1}},
		},
		{
			// The last index follows the outer loop: rows do not lie side by side.
			"transposed", `param N = 9
array A[0..N, 0..N] float64 out
init A[i,j] = 1
for i = 1..N, j = 1..N {
	A[j,i] = A[j,i-1] + A[j-1,i]
}
`, "A flow [[0 1] [1 0]] need [[0 1] [1 0]] fallbacks [] overwrites [] direct false levels 2\n", [][]int{{1, 0}, {0, 1}},
		},
	} {
		l, p := lower(t, c.src)
		if got := values(p); got != c.want {
			t.Errorf("%s: got\n%swant\n%s", c.name, got, c.want)
		}
		if !slices.EqualFunc(l.Skew, c.skew, slices.Equal[[]int]) {
			t.Errorf("%s: T = %v, want %v", c.name, l.Skew, c.skew)
		}
	}
}

// TestFallbacks has a read whose cell may last have been written by another
// iteration than the nearest.
func TestFallbacks(t *testing.T) {
	// A[i] of iteration (t, i) with i < N is overwritten at (t, i+1) as A[i+1-1];
	// at the end of the row it is not, so that (t+1, i) finds it there.
	_, p := lower(t, `param T, N = 5, 9
array A[0..N+1] float64 inout
for t = 1..T, i = 1..N {
	A[i] = A[i-1] + A[i+1]
	A[i-1] = A[i] + 1
}
`)
	fallbacks := 0
	for _, v := range p.Values {
		fallbacks += len(v.Fallbacks)
		for _, f := range v.Fallbacks {
			// Whoever reads the location may read the source instead.
			for _, d := range v.Need {
				far := make([]int, len(d))
				for k := range d {
					far[k] = d[k] + f.Dist[k]
				}
				if slices.Min(far) < 0 {
					t.Errorf("%s needs %v, and its fallback %v leads to %v", v.Name, d, f, far)
				}
			}
		}
	}
	if fallbacks == 0 {
		t.Errorf("no value has a fallback:\n%s", values(p))
	}
}

// TestReads checks where reads find their values, and which reads of given arrays are listed.
func TestReads(t *testing.T) {
	l, p := lower(t, `param N = 20
array A[0..N] float64 out
array g[0..N] float64 in
array h[0..N] float64 in
init A[k] = h[N-k]
for i = 1..N {
	A[i] = A[i-1] + g[i]
}
`)
	if len(l.Reads) != 2 || l.Reads[0].From != ir.FromBlock || !slices.Equal(l.Reads[0].Dist, ir.Vec{0, 1}) || l.Reads[1].From != ir.FromInitial {
		t.Errorf("reads %+v", l.Reads)
	}
	if !p.Listed || len(p.Reads) != 1 || p.Reads[0].Array != 1 || p.Reads[0].Subs[0].Eval([]int{20}, []int{0, 7}) != 7 {
		t.Errorf("given reads %+v", p.Reads)
	}
	if len(p.InitReads) != 1 || p.InitReads[0].Of != 0 || p.InitReads[0].Array != 2 || p.InitReads[0].Subs[0].Eval([]int{20}, []int{3}) != 17 {
		t.Errorf("reads of init %+v", p.InitReads)
	}
	if !p.Levelled || !slices.Equal(p.Dims, []string{"level", "i"}) {
		t.Errorf("a single loop has the dimensions %v", p.Dims)
	}
}

// TestDead: a value that no later iteration reads, of an array that is not returned, is known as
// dead.
func TestDead(t *testing.T) {
	l, _ := lower(t, `param N = 20
array A[0..N] float64 out
array scratch[0..N] float64
init A[i] = 1
for i = 1..N {
	scratch[i] = A[i-1] * 2
	A[i] = scratch[i] + 1
}
`)
	if !slices.Equal(l.Dead, []bool{true, false}) {
		t.Errorf("dead: %v", l.Dead)
	}
}

// TestTooFar requires a diagnostic for a dependence that no tile can hold.
func TestTooFar(t *testing.T) {
	src := `array A[0..4000000] float64 out
init A[i] = 1
for i = %d..4000000 {
	A[i] = A[i-%[1]d] + 1
}
`
	lower(t, fmt.Sprintf(src, 1<<20))
	l, p, diags := transform.Lower(compile(t, fmt.Sprintf(src, 1<<20+1)))
	if l != nil || p != nil || len(diags) != 1 {
		t.Fatalf("%v, %v, %+v", l, p, diags)
	}
	d := diags[0]
	if d.Code != diag.TileIllegal || d.Message != "flow dependence (1048577) of A is too long to tile: a tile side would exceed 1048576" || d.At.Line != 4 || d.At.Col != 9 {
		t.Errorf("%+v", d)
	}
}

// TestDigests requires of the digest that it follows the source.
func TestDigests(t *testing.T) {
	src := `param N = 20
array A[0..N] float64 out
init A[i] = 1
for i = 1..N {
	A[i] = A[i-1] + 1
}
`
	_, a := lower(t, src)
	_, b := lower(t, src)
	_, c := lower(t, strings.Replace(src, "+ 1", "+ 2", 1))
	if a.Digest != b.Digest || a.Digest == c.Digest || len(a.Digest) != 64 {
		t.Errorf("digests %s, %s and %s", a.Digest, b.Digest, c.Digest)
	}
}

// TestNotAnalysed requires a panic for a nest that is not analysed.
func TestNotAnalysed(t *testing.T) {
	defer func() {
		if what := recover(); what != "BUG: lower: the nest is not analysed" {
			t.Errorf("panic(%v)", what)
		}
	}()
	transform.Lower(&ir.Nest{})
}

// TestVaries checks which nests are said to depend on the processor.
func TestVaries(t *testing.T) {
	for _, c := range []struct {
		extern, init, body string
		want               bool
	}{
		{"", "k", "sqrt(abs(A[i-1]))*0.5 + floor(A[i-1])", false},
		{"", "sin(0.5*k)", "max(log(A[i-1]), 2.0) + exp(0.5)*A[i-1]", false},
		{"extern func cbrt(x float64) float64 = \"math\".Cbrt\n", "k", "cbrt(A[i-1])", true},
	} {
		_, p := lower(t, c.extern+"param N = 20\narray A[0..N] float64 out\ninit A[k] = "+c.init+"\nfor i = 1..N {\n\tA[i] = "+c.body+"\n}\n")
		if p.Varies != c.want {
			t.Errorf("%s, %s: %v", c.init, c.body, p.Varies)
		}
	}
}

// TestLookups checks that every rank has the whole of a table, and that pseudo-random cells which are subscripts are
// within the bounds of the dimensions in which they stand.
func TestLookups(t *testing.T) {
	_, p := lower(t, `param N = 40
array a[1..N] uint8 in
array order[0..9] int64 in
array score[-2..9, 0..3] float64 in
array u[0..N, 0..N] float64 out
init u[i, j] = score[order[min(i, 9)],2]
for i = 1..N, j = 1..N {
	let x = a[i]
	u[i,j] = 0.5*u[i-1,j] + score[x,j%4] + score[a[j]%4,3]
}`)
	q, err := plan.New(p, []int{40}, plan.Options{Ranks: 3})
	if err != nil {
		t.Fatal(err)
	}
	for rank := range 3 {
		if lo, hi, ok := q.GivenBox(rank, 2); !ok || !slices.Equal(lo, []int{-2, 0}) || !slices.Equal(hi, []int{9, 3}) {
			t.Errorf("rank %d has %v to %v of the table, %v", rank, lo, hi, ok)
		}
	}
	bounds := [][2]plan.Affine{{{Const: -2}, {Const: 9}}}
	for _, a := range p.Arrays[:2] {
		if !reflect.DeepEqual(a.Indexes, bounds) {
			t.Errorf("%s has cells that are subscripts in the bounds %v", a.Name, a.Indexes)
		}
	}
}

// TestIndexes checks which bounds of pseudo-random cells follow from subscripts that are sums with other terms, also where max or a
// condition keeps one of the bounds of the dimension.
func TestIndexes(t *testing.T) {
	const before = "param N, C = 7, 30\narray w[1..N] int32 in\narray a[0..C+2] float64 in\narray u[1..N, 0..C] float64 out\nfor i = 1..N, c = 0..C {\n\tu[i,c] = "
	c := plan.Affine{Params: []int{0, 1}}
	number := func(x int) plan.Affine { return plan.Affine{Const: x} }
	for _, x := range []struct {
		body string
		want [][2]plan.Affine
	}{
		{"a[w[i]]", [][2]plan.Affine{{number(0), {Const: 2, Params: []int{0, 1}}}}},
		{"a[c-w[i]]", [][2]plan.Affine{{number(-2), number(0)}}}, // of all c
		{"a[max(c-w[i], 0)]", [][2]plan.Affine{{number(-2), c}}},
		{"a[max(0, c+2-w[i])]", [][2]plan.Affine{{number(0), {Const: 2, Params: []int{0, 1}}}}},
		{"select(c >= w[i], a[c-w[i]], 1.0)", [][2]plan.Affine{{number(-2), c}}},
		{"select(w[i] > c || c == 3, 1.0, a[c-w[i]])", [][2]plan.Affine{{number(-2), c}}},
		{"select(c < 3, a[c-w[i]], 1.0)", [][2]plan.Affine{{number(-2), number(0)}}}, // says nothing of w
		{"a[min(c/1+w[i], C)]", nil},
		{"a[min(2*c+w[i], C)]", [][2]plan.Affine{{number(0), {Const: 2, Params: []int{0, 1}}}}},
		{"a[max(0, min(c-w[i], C))]", nil},
		{"a[w[i]*w[i]]", nil},
	} {
		_, p := lower(t, before+x.body+"\n}\n")
		if got := p.Arrays[0].Indexes; fmt.Sprint(got) != fmt.Sprint(x.want) {
			t.Errorf("%s: cells have the bounds %v, want %v", x.body, got, x.want)
		}
	}
}
