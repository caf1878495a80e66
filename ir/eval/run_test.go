package eval_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"loopc/frontend"
	"loopc/frontend/depend"
	"loopc/ir"
	"loopc/ir/eval"
	"loopc/runtime/arith"
)

// parse returns the analyzed nest of a source text.
func parse(t *testing.T, src string) *ir.Nest {
	t.Helper()
	n, diags := frontend.Parse("test.loop", []byte(src))
	if n == nil {
		t.Fatalf("%+v", diags)
	}
	if n.Analysis, diags = depend.Analyze(n); n.Analysis == nil {
		t.Fatalf("%+v", diags)
	}
	return n
}

// floats returns a float64 array with pseudo-random content.
func floats(t *testing.T, rng *rand.Rand, lo, hi []int) *eval.Array {
	t.Helper()
	a, err := eval.NewArray(ir.Float64, lo, hi)
	if err != nil {
		t.Fatal(err)
	}
	for k := range a.Floats {
		a.Floats[k] = 2*rng.Float64() - 1
	}
	return a
}

// same fails the test if two arrays differ.
func same(t *testing.T, name string, got, want *eval.Array) {
	t.Helper()
	if cell, ok := eval.Diff(got, want); !ok {
		t.Errorf("%s differs at %v", name, cell)
	}
}

// TestGaussSeidel runs a sweep in place and compares it with the same loops in
// Go, and checks that the caller's array is left alone.
func TestGaussSeidel(t *testing.T) {
	n := parse(t, `param T, N = 3, 7
array u[0..N+1, 0..N+1] float64 inout
for t = 1..T, i = 1..N, j = 1..N {
	u[i,j] = 0.25*(u[i-1,j] + u[i,j-1] + u[i+1,j] + u[i,j+1])
}
`)
	const steps, size = 3, 7
	u := floats(t, rand.New(rand.NewPCG(1, 1)), []int{0, 0}, []int{size + 1, size + 1})
	want, given := u.Clone(), u.Clone()
	w, stride := want.Floats, size+2
	for range steps {
		for i := 1; i <= size; i++ {
			for j := 1; j <= size; j++ {
				at := i*stride + j
				w[at] = 0.25 * (w[at-stride] + w[at-1] + w[at+stride] + w[at+1])
			}
		}
	}
	got, err := eval.Run(n, []int{steps, size}, map[string]*eval.Array{"u": u})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "u", got["u"], want)
	same(t, "the input", u, given)
}

// TestDiffusion runs a nest with an in array, an init, and an out slice whose
// fixed dimension is dropped; T = 0 gives the initial values back.
func TestDiffusion(t *testing.T) {
	n := parse(t, `param T, N = 4, 5
const c = 0.1
array u0[-1..N+1] float64 in
array u[0..T, -1..N+1] float64
init u[t, x] = u0[x]
out u[T, *]
for t = 1..T, i = 0..N {
	u[t,i] = u[t-1,i] + c*(u[t-1,i-1] + u[t-1,i+1] - 2*u[t-1,i])
}
`)
	const size = 5
	u0 := floats(t, rand.New(rand.NewPCG(2, 2)), []int{-1}, []int{size + 1})
	for _, steps := range []int{0, 1, 4} {
		want := u0.Clone()
		for range steps {
			old := want.Clone().Floats
			for k := 1; k < len(old)-1; k++ {
				want.Floats[k] = old[k] + float64(0.1*(old[k-1]+old[k+1]-float64(2*old[k])))
			}
		}
		got, err := eval.Run(n, []int{steps, size}, map[string]*eval.Array{"u0": u0})
		if err != nil {
			t.Fatal(err)
		}
		same(t, fmt.Sprintf("u after %d steps", steps), got["u"], want)
		if len(got) != 1 {
			t.Errorf("%d arrays given back", len(got))
		}
	}
}

// evaluate returns the only cell of an array of the given type that is assigned
// an expression; x is a float64 and m an int64 given by the caller.
func evaluate(t *testing.T, typ, expr string, x float64, m int64) *eval.Array {
	t.Helper()
	n := parse(t, fmt.Sprintf(`array f[0..0] float64 in
array m[0..0] int64 in
array r[0..0] %s out
for i = 0..0 {
	let x = f[i]
	let k = m[i]
	let y = float64(k) + x
	r[i] = %s
}
`, typ, expr))
	in := map[string]*eval.Array{
		"f": {Elem: ir.Float64, Lo: []int{0}, Hi: []int{0}, Floats: []float64{x}},
		"m": {Elem: ir.Int64, Lo: []int{0}, Hi: []int{0}, Ints: []int64{m}},
	}
	out, err := eval.Run(n, nil, in)
	if err != nil {
		t.Fatalf("%s: %v", expr, err)
	}
	return out["r"]
}

// TestArithmetic checks the rules of the language's types, one by one: what
// wraps, truncates, saturates and rounds.
func TestArithmetic(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	negZero := math.Copysign(0, -1)
	for _, test := range []struct {
		typ, expr string
		x         float64
		m         int64
		want      any
	}{
		// Integers wrap; division truncates.
		{"int32", "int32(k) + 1", 0, math.MaxInt32, int32(math.MinInt32)},
		{"int32", "int32(k)*int32(k)", 0, 1 << 20, int32(0)},
		{"int32", "int32(k)/(-1)", 0, math.MinInt32, int32(math.MinInt32)},
		{"int64", "k/(-1)", 0, math.MinInt64, int64(math.MinInt64)},
		{"int64", "abs(k)", 0, math.MinInt64, int64(math.MinInt64)},
		{"int32", "abs(int32(k))", 0, math.MinInt32, int32(math.MinInt32)},
		{"int64", "-k", 0, math.MinInt64, int64(math.MinInt64)},
		{"int64", "k/2", 0, -7, int64(-3)},
		{"uint8", "uint8(k) + 1", 0, 255, uint8(0)},
		{"uint8", "-uint8(k)", 0, 1, uint8(255)},
		{"uint8", "uint8(k)*3/2", 0, 100, uint8(22)}, // 300 wraps to 44 before it is halved
		{"int32", "int32(uint8(k))", 0, -1, int32(255)},
		{"int32", "int32(k)", 0, 1<<40 + 5, int32(5)},
		{"int64", "min(k, 3, -4)", 0, 5, int64(-4)},
		{"int64", "max(k, 3, -4)", 0, 5, int64(5)},
		// Floats to integers truncate and saturate; NaN gives 0.
		{"int32", "int32(x)", -2.9, 0, int32(-2)},
		{"int32", "int32(x)", 3e9, 0, int32(math.MaxInt32)},
		{"int32", "int32(x)", -3e9, 0, int32(math.MinInt32)},
		{"int64", "int64(x)", 9.3e18, 0, int64(math.MaxInt64)},
		{"int64", "int64(x)", -inf, 0, int64(math.MinInt64)},
		{"int64", "int64(x)", nan, 0, int64(0)},
		{"int64", "int64(x)", 9007199254740993, 0, int64(9007199254740992)},
		{"uint8", "uint8(x)", 255.9, 0, uint8(255)},
		{"uint8", "uint8(x)", 300, 0, uint8(255)},
		{"uint8", "uint8(x)", -0.9, 0, uint8(0)},
		// Each node rounds to its type.
		{"float32", "float32(x)*float32(x) - 1", 1 + 0x1p-23, 0, float32(0x1p-22)},
		{"float32", "float32(k)", 0, 1<<24 + 1, float32(1 << 24)},
		{"float32", "float32(k)", 0, 0x7fffff4000000001, float32(0x1.fffffep62)},
		{"float64", "x*x - 1", 1 + 0x1p-52, 0, float64(0x1p-51)},
		{"float64", "float64(float32(x))", 0.1, 0, float64(float32(0.1))},
		{"float32", "sqrt(float32(x))", 2, 0, float32(math.Sqrt(2))},
		{"float32", "exp(float32(x))", 0.3, 0, float32(arith.Exp(float64(float32(0.3))))},
		{"float64", "floor(x)", -0.5, 0, -1.0},
		{"float64", "x/0", 1, 0, inf},
		{"float64", "float64(k/2)", 0, 7, 3.0},
		// min and max are Go's.
		{"float64", "min(x, 1)", nan, 0, nan},
		{"float64", "max(1, x)", nan, 0, nan},
		{"float64", "min(0, x)", negZero, 0, negZero},
		{"float64", "max(x, 0)", negZero, 0, 0.0},
		{"float64", "abs(x)", negZero, 0, 0.0},
		{"float64", "-x", 0, 0, negZero},
		// Only what is needed is evaluated.
		{"int64", "select(k == 0, 7, 100/k)", 0, 0, int64(7)},
		{"int64", "select(k == 0 || 100/k > 3, 1, 2)", 0, 0, int64(1)},
		{"int64", "select(k != 0 && 100/k > 3, 1, 2)", 0, 0, int64(2)},
		{"int64", "select(!(k > 3) && x < 1.5, 1, 2)", 1, 3, int64(1)},
		{"int64", "select(x == x, 1, 2)", nan, 0, int64(2)},
		{"int64", "select(x != x, 1, 2)", nan, 0, int64(1)},
		{"float64", "y + 1", 0.5, 2, 3.5},
	} {
		got := evaluate(t, test.typ, test.expr, test.x, test.m)
		want := &eval.Array{Elem: got.Elem, Lo: got.Lo, Hi: got.Hi}
		switch v := test.want.(type) {
		case int32:
			want.Ints = []int64{int64(v)}
		case int64:
			want.Ints = []int64{v}
		case uint8:
			want.Ints = []int64{int64(v)}
		case float32:
			want.Floats = []float64{float64(v)}
		case float64:
			want.Floats = []float64{v}
		}
		if _, ok := eval.Diff(got, want); !ok {
			t.Errorf("%s of x = %v, k = %d as %s is %s, want %v", test.expr, test.x, test.m, test.typ, got.Text(0), test.want)
		}
	}
}

// TestErrors checks that a run that cannot be is refused with the reason.
func TestErrors(t *testing.T) {
	src := `param N = 4
array a[1..N] int32 in
array u[0..N] int32 out
init u[i] = 5
for i = 1..N {
	let s = 12/a[i]
	u[i] = u[i-1] + s
}
`
	n := parse(t, src)
	ints := func(elem ir.Type, lo, hi int, v ...int64) map[string]*eval.Array {
		return map[string]*eval.Array{"a": {Elem: elem, Lo: []int{lo}, Hi: []int{hi}, Ints: v}}
	}
	for _, test := range []struct {
		name   string
		params []int
		in     map[string]*eval.Array
		want   string
	}{
		{"division by zero", []int{4}, ints(ir.Int32, 1, 4, 1, 2, 0, 3), "test.loop:6: integer division by zero at i = 3"},
		{"no input", []int{4}, nil, "array a: not given"},
		{"wrong type", []int{4}, ints(ir.Int64, 1, 4, 1, 2, 0, 3), "given as int64, declared int32"},
		{"wrong bounds", []int{4}, ints(ir.Int32, 0, 3, 1, 2, 0, 3), "dimension 1 given as 0..3, declared 1..4"},
		{"too few cells", []int{4}, ints(ir.Int32, 1, 4, 1, 2), "2 cells given, its bounds hold 4"},
		{"too few parameters", nil, nil, "0 parameters given, 1 wanted"},
		{"negative extent", []int{-2}, nil, "negative extent"},
	} {
		if _, err := eval.Run(n, test.params, test.in); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
	}
	if out, err := eval.Run(n, []int{0}, ints(ir.Int32, 1, 0)); err != nil || out["u"].Len() != 1 || out["u"].Ints[0] != 5 {
		t.Errorf("an empty loop: %v, %v", out["u"], err)
	}

	checked := parse(t, `param N, M = 4, 4
array u[0..N] float64 inout
for i = 1..M {
	u[i] = u[i-1] + 1
}
`)
	in := map[string]*eval.Array{"u": floats(t, rand.New(rand.NewPCG(3, 3)), []int{0}, []int{4})}
	if _, err := eval.Run(checked, []int{4, 5}, in); !errors.Is(err, eval.ErrRefused) || !strings.Contains(err.Error(), "out-of-bounds") {
		t.Errorf("M = 5 beyond N = 4: %v", err)
	}
	if _, err := eval.Run(checked, []int{4, 4}, in); err != nil {
		t.Error(err)
	}
	checked.Analysis = nil
	if _, err := eval.Run(checked, []int{4, 5}, in); err == nil || !strings.Contains(err.Error(), "test.loop:4: u[5] is out of bounds at i = 5") {
		t.Errorf("M = 5 beyond N = 4, without analysis: %v", err)
	}
}

// TestTrace checks the accesses that are reported, and their order.
func TestTrace(t *testing.T) {
	n := parse(t, `array u[0..2] float64 inout
for i = 1..2 {
	let s = u[i-1]
	u[i] = select(i > 1, u[i] + s, s)
}
`)
	in := map[string]*eval.Array{"u": floats(t, rand.New(rand.NewPCG(4, 4)), []int{0}, []int{2})}
	var got []string
	_, err := eval.RunTraced(n, nil, in, func(a eval.Access) {
		got = append(got, fmt.Sprintf("%d/%d %v @%d", a.Stmt, a.Read, a.Iter, a.Offset))
	})
	if err != nil {
		t.Fatal(err)
	}
	want := "0/0 [1] @0, 1/-1 [1] @1, 0/0 [2] @1, 1/1 [2] @2, 1/-1 [2] @2"
	if s := strings.Join(got, ", "); s != want {
		t.Errorf("got  %s\nwant %s", s, want)
	}
}

// TestShown: what is shown after an iteration of the outermost loop is the result of a run that ends with it.
func TestShown(t *testing.T) {
	const array = "array u[0..9, 0..5] float64 inout\n"
	in := map[string]*eval.Array{"u": floats(t, rand.New(rand.NewPCG(4, 4)), []int{0, 0}, []int{9, 5})}
	for _, nest := range []string{
		array + "for i = 1..9, j = 1..5 {\n\tu[i,j] = u[i-1,j] + 0.5*u[i,j-1]\n}\n",
		array + "for i = 8..0 step -1, j = max(1, i-3)..5 {\n\tu[i,j] = u[i+1,j] + 0.5*u[i,j-1]\n}\n",
	} {
		n, shown := parse(t, nest), 0
		_, err := eval.RunShown(n, nil, in, func(x int, now func() (map[string]*eval.Array, error)) error {
			short := *n
			short.Loops = slices.Clone(n.Loops)
			end := &short.Loops[0].Hi
			if n.Loops[0].Backward {
				end = &short.Loops[0].Lo
			}
			*end = append(slices.Clone(*end), ir.Affine{Const: x})
			want, err := eval.Run(&short, nil, in)
			if err != nil {
				return err
			}
			got, err := now()
			if at, same := eval.Diff(want["u"], got["u"]); !same {
				t.Errorf("%safter iteration %d: %v differs", nest, x, at)
			}
			shown++
			return err
		})
		if err != nil || shown != 9 {
			t.Errorf("%d iterations shown: %v", shown, err)
		}
	}
}

// TestDiff checks what counts as a difference.
func TestDiff(t *testing.T) {
	array := func(v ...float64) *eval.Array {
		return &eval.Array{Elem: ir.Float64, Lo: []int{-1, 0}, Hi: []int{0, len(v)/2 - 1}, Floats: v}
	}
	payload := math.Float64frombits(math.Float64bits(math.NaN()) ^ 1)
	for _, test := range []struct {
		a, b *eval.Array
		want string
	}{
		{array(1, 2, 3, 4), array(1, 2, 3, 4), "[] true"},
		{array(1, 2, 3, 4), array(1, 2, 5, 6), "[0 0] false"},
		{array(1, 2, 3, 4), array(1, math.Nextafter(2, 3), 3, 4), "[-1 1] false"},
		{array(0, 0), array(0, math.Copysign(0, -1)), "[0 0] false"},
		{array(0, math.NaN()), array(0, payload), "[] true"},
		{array(0, 1), array(0, 1, 2, 3), "[] false"},
		{&eval.Array{Elem: ir.Float32, Floats: []float64{1}}, &eval.Array{Elem: ir.Float32, Floats: []float64{1}}, "[] true"},
		{&eval.Array{Elem: ir.Float32, Floats: []float64{1}}, &eval.Array{Elem: ir.Int32, Ints: []int64{1}}, "[] false"},
	} {
		cell, ok := eval.Diff(test.a, test.b)
		if got := fmt.Sprint(cell, ok); got != test.want {
			t.Errorf("Diff(%v, %v) = %s, want %s", test.a.Floats, test.b.Floats, got, test.want)
		}
	}
}
