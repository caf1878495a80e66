package frontend

import (
	"slices"
	"strings"
	"testing"

	"loopc/ir"
	"loopc/ir/diag"
)

// TestBareFor: a body without braces, however it is marked, gives one error, and no error within
// the body.
func TestBareFor(t *testing.T) {
	const head = "param N = 9\narray a[0..N, 0..N] float64 inout\n"
	for _, c := range []struct{ loops, hint string }{
		{"for i = 1..N, j = 1..N:\n\tlet s = a[i-1,j]\n\ta[i,j] = s\n", "for i = 1..N, j = 1..N {"},
		{"for i = 1..N, j = 1..N\n\tlet s = a[i-1,j]\n\ta[i,j] = s\n", "for i = 1..N, j = 1..N {"},
	} {
		_, diags := Compile("x.loop", []byte(head+c.loops))
		if len(diags) != 1 || diags[0].Hint != c.hint || diags[0].Code != diag.Foreign {
			t.Errorf("want one error with the hint %s; got\n%s", c.hint, rendered("x.loop", head+c.loops, diags))
		}
		fixed := head + strings.Replace(c.loops, strings.SplitAfter(c.loops, "\n")[0], c.hint+"\n", 1) + "}\n"
		if _, diags := Compile("x.loop", []byte(fixed)); len(diags) > 0 {
			t.Errorf("the hint makes it wrong:\n%s", rendered("x.loop", fixed, diags))
		}
	}
}

// TestCarried wants an array for a scalar that iterations update and read, and an init for
// its first value.
func TestCarried(t *testing.T) {
	for _, before := range []string{"float s = 0;", "s = 0.0", "let s = 0"} {
		src := before + "\narray x[0..9] float64 inout\nfor i = 1..9 {\n\ts += x[i]\n\tx[i] = 2*s\n}\n"
		_, diags := Compile("x.loop", []byte(src))
		if len(diags) != 2 || !strings.HasPrefix(diags[0].Hint, "init s[i] = 0") || diags[1].Hint != "s[i] = s[i-1] + x[i]" {
			t.Errorf("%s: want an init and a cell; got\n%s", before, rendered("x.loop", src, diags))
		}
	}
}

// TestForeignNest: a whole nest of C is read as the nest that it means.
func TestForeignNest(t *testing.T) {
	const c = `/* Gauss-Seidel */
param T, N;
double u[N+2][N+2];
for (int t = 1; t <= T; t++)
{
	for (int i = 1; i < N + 1; ++i)
		for (int j = N; j >= 1; j--) {
			double s = u[i-1][j] + u[i][j-1];
			u[i][j] = 0.25f * (s + u[i+1][j] + u[i][j+1]);
		}
}
`
	const loop = `param T, N
array u[0..N+1, 0..N+1] float64 inout
for t = 1..T, i = 1..N, j = N..1 step -1 {
	let s float64 = u[i-1,j] + u[i,j-1]
	u[i,j] = 0.25*(s + u[i+1,j] + u[i,j+1])
}
`
	ch := newChecker("u.loop", []byte(c))
	tokens, lexical := scan([]byte(c))
	tokens, foreign, _ := translate(tokens)
	s := split(tokens)
	f := ch.parseFile(s.top)
	ch.declareAll(f)
	ch.resolveAll(f)
	if len(lexical) != 1 || len(s.diags) != 0 || len(ch.diags) != 0 || len(foreign) < 4 {
		t.Fatalf("more than foreign habits is found:\n%s", rendered("u.loop", c, append(append(lexical, s.diags...), ch.diags...)))
	}
	ch.finish()
	// Places and lines of the source differ; what is computed does not.
	var bodies []string
	for _, n := range []string{ch.nest.String(), mustParse(t, "u.loop", loop).String()} {
		_, rest, _ := strings.Cut(n, "array")
		bodies = append(bodies, rest)
	}
	if bodies[0] != bodies[1] {
		t.Errorf("is read as\n%s\nwant\n%s", bodies[0], bodies[1])
	}
	for _, d := range foreign {
		if d.Code != diag.Foreign || d.Hint == "" {
			t.Errorf("%+v has no hint", d)
		}
	}
}

// TestElse wants the braces of an if, and of its else.
func TestElse(t *testing.T) {
	_, diags := Compile("x.loop", []byte("param N = 9\narray a[0..N] float64 inout\nfor i = 1..N {\n\tif (a[i] > 3) a[i] = 3;\n\telse if (i > 3) a[i] = 4;\n}\n"))
	var hints []string
	for _, d := range diags {
		hints = append(hints, d.Hint)
	}
	if want := []string{"if a[i] > 3 { a[i] = 3 }", "} else if i > 3 {"}; !slices.Equal(hints, want) {
		t.Errorf("%v; want the hints %q", diags, want)
	}
}

// TestAccumulated: for a scalar that iterations update and nothing else reads, the hint is a
// reduction, however the scalar is declared. If the body reads the scalar, the hint is a second
// name for the updated value, or a cell.
func TestAccumulated(t *testing.T) {
	for _, c := range []struct{ before, body, hint string }{
		{"", "let err = 0; err = max(err, x[i])", "reduce err = max(x[i])"},
		{"", "let err = 0; err += x[i]", "reduce err = sum(x[i])"},
		{"let best = 0", "best = max(best, x[i-1])", "reduce best = max(x[i-1])"},
		{"best = 0", "best = fmax(x[i-1], best)", "reduce best = max(x[i-1])"},
		{"int best = 0;", "best = min(best, x[i-1])", "reduce best = min(x[i-1])"},
		{"param s = 0", "s = s + x[i-1]", "reduce s = sum(x[i-1])"},
		{"", "double s = 0; s += x[i]; s += 3; x[i] = s", "let s1 = s + x[i], and s1 for s below; or var s, with its type, in place of the let s"},
		{"", "s += x[i]; x[i] = s", "s[i] = s[i-1] + x[i]"},
		{"", "let s = x[i]; s = max(s, 3); x[i] = s", "let s1 = max(s, 3), and s1 for s below; or var s, with its type, in place of the let s"},
		{"", "let s = x[i]; s += 3; x[i] = s", "let s1 = s + 3, and s1 for s below; or var s, with its type, in place of the let s"},
	} {
		src := c.before + "\narray x[0..9] float64 inout\nfor i = 1..9 {\n\tx[i] = x[i-1]\n" + c.body + "\n}\n"
		_, diags := Compile("x.loop", []byte(src))
		var hints []string
		for _, d := range diags {
			if strings.Contains(d.Hint, "=") && !strings.HasSuffix(d.Hint, "= 0") {
				hints = append(hints, d.Hint)
			}
		}
		if len(hints) != 1 || hints[0] != c.hint {
			t.Errorf("%s: the hints are %q; want %s\n%s", c.body, hints, c.hint, rendered("x.loop", src, diags))
		}
	}
}

// TestNegated: the ! of a condition begins no comment of Fortran.
func TestNegated(t *testing.T) {
	head := "param N = 9\narray a[0..N] float64 inout\nfor i = 1..N {\n\t"
	for _, s := range []string{"if !(a[i] > 3) {\n\t\ta[i] = 3\n\t}", "if a[i] > 3 {\n\t\ta[i] = 3\n\t} else if !(a[i] < 1) && i > 1 {\n\t\ta[i] = 2\n\t}", "a[i] = select(!(a[i] > 3), a[i], 3)"} {
		if n, diags := Compile("x.loop", []byte(head+s+"\n}\n")); n == nil {
			t.Errorf("%s is refused: %v", s, diags)
		}
	}
}

// TestExchanged: for subscripts that are beyond the bounds unless exchanged, the hint is to exchange the subscripts of
// one read, the bounds of the array, or either: if other accesses are within the bounds, only the read can be wrong.
func TestExchanged(t *testing.T) {
	for _, c := range []struct{ src, hint string }{
		{"param T, N = 20, 50\narray a[0..N] float64 in\narray u[0..N, 0..T] float64 out\ninit u[t, i] = a[i]\nfor t = 1..T, i = 1..N {\n\tu[t,i] = 0.5*u[t-1,i] + 0.5*u[t-1,i-1]\n}\n",
			"bounds u[0..T, 0..N], with its bounds exchanged: all its subscripts are within them then"},
		{"param C, N = 8, 40\narray s[1..C, -1..N] float64 in\narray e[1..C, 1..N] float64 out\nfor c = 1..C, n = 1..N {\n\te[c,n] = s[n,c] + s[c,n-1]\n}\n",
			"s[c,n], with its subscripts exchanged, is within the bounds"},
		{"param L, M = 40, 50\narray A[1..M, 1..L] float64 in\narray e[1..L, 1..M] float64 out\nfor i = 1..L, j = 1..M {\n\te[i,j] = A[i,j]\n}\n",
			"one of these: A[j,i], with its subscripts exchanged, is within the bounds; or bounds A[1..L, 1..M], with its bounds exchanged"},
	} {
		n, diags := Compile("x.loop", []byte(c.src))
		if n == nil || !slices.ContainsFunc(n.Analysis.Checks, func(x ir.Check) bool { return x.Hint == c.hint }) {
			t.Errorf("%s: want %s\n%v", c.src, c.hint, diags)
		}
	}
}
