package transform_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"loopc/frontend"
	"loopc/ir/diag"
	"loopc/transform"
)

// TestFailsByDefault warns of a nest that its own default parameters refuse, and
// of no other.
func TestFailsByDefault(t *testing.T) {
	const text = `param N = %N%
array a[0..3] float64 in
array u[0..N] float64 out
init u[i] = 0
for i = 1..N { u[i] = u[i-1] + a[i] }
`
	for size, want := range map[string]string{
		"20": "with the default parameters (N = 20)", "3": "",
	} {
		n, diags := frontend.Compile("a.loop", []byte(strings.Replace(text, "%N%", size, 1)))
		if n == nil {
			t.Fatal(diags)
		}
		l, p, diags := transform.Lower(n)
		if l == nil || p == nil || diag.HasErrors(diags) {
			t.Fatalf("N = %s: refused: %v", size, diags)
		}
		switch {
		case want == "" && len(diags) > 0:
			t.Errorf("N = %s: %v", size, diags)
		case want != "" && (len(diags) != 1 || !strings.Contains(diags[0].Message, want)):
			t.Errorf("N = %s: got %v, want one warning %q", size, diags, want)
		}
	}
}

// TestFailsByDefaultInRepeat warns of a check that fails for some number of a repeat.
func TestFailsByDefaultInRepeat(t *testing.T) {
	for last, want := range map[string]string{"10": "(T = 10, t = 10)", "9": ""} {
		p, diags := frontend.CompileProgram("a.loop", []byte("param T = "+last+"\narray u[0..9, 0..5] float64 inout\nrepeat t = 0..T {\n\tfor i = 0..5 { u[t,i] = u[t,i] + 1 }\n}\n"))
		if p == nil {
			t.Fatal(diags)
		}
		_, _, diags = transform.Lower(p.Nests[len(p.Nests)-1])
		if want == "" && len(diags) > 0 || want != "" && (len(diags) != 1 || !strings.Contains(diags[0].Message, want)) {
			t.Errorf("T = %s: got %v, want one warning %q", last, diags, want)
		}
	}
}

// TestExchangedByDefault warns once of loops whose ranges are exchanged: the cells that they do not write have the same remedy.
func TestExchangedByDefault(t *testing.T) {
	n, diags := frontend.Compile("a.loop", []byte("param H, W = 20, 30\narray x[0..H, 0..W] float64 in\narray y[0..H, 0..W] float64 out\nfor i = 0..W, j = 0..H {\n\ty[i,j] = x[i,j]\n}\n"))
	if n == nil {
		t.Fatal(diags)
	}
	_, _, diags = transform.Lower(n)
	if len(diags) != 1 || diags[0].Code != diag.OutOfBounds || !strings.Contains(diags[0].Hint, "i = 0..H, j = 0..W, with their ranges exchanged") {
		t.Errorf("got %v, want one warning of the ranges", diags)
	}
}

// TestOnceByDefault warns once of a cause: cells that nothing supplies follow from a write beyond the bounds, and subscripts beyond the
// bounds from an array without cells, of which the frontend warns.
func TestOnceByDefault(t *testing.T) {
	for text, want := range map[string][]diag.Code{
		"param H, W = 20, 30\narray x[0..H, 0..W] float64 in\narray y[0..H, 0..W] float64 out\nfor i = 0..H, j = 0..W {\n\ty[j,i] = x[i,j]\n}\n": {diag.OutOfBounds},
		"param N = 20\narray x[N..1] float64 in\narray y[0..N] float64 out\ninit y[i] = 0\nfor i = 1..N {\n\ty[i] = y[i-1] + x[i]\n}\n":          nil,
		"param N = 20\narray x[1..9] float64 in\narray y[0..N] float64 out\ninit y[i] = 0\nfor i = 1..N {\n\ty[i] = y[i-1] + x[i]\n}\n":          {diag.OutOfBounds},
	} {
		n, given := frontend.Compile("a.loop", []byte(text))
		if n == nil {
			t.Fatal(given)
		}
		_, _, diags := transform.Lower(n)
		var got []diag.Code
		for _, d := range diags {
			got = append(got, d.Code)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", text, diags, want)
		}
	}
}

// TestFailsByDefaultHints requires the remedies of nests that their default parameters refuse.
func TestFailsByDefaultHints(t *testing.T) {
	const levels = "param S, N = 50, 365\nconst P = 7\narray x[%s] float64 in\narray level[1..S, 0..N] float64\narray fc[1..S, 1-P..N] float64 out\ninit level[s, t] = x[s,1]\ninit fc[s, t] = 0\n" +
		"for %s {\n\tlevel[s,t] = 0.5*(x[s,t] + fc[s,t-P]) + level[s,t-1]\n\tfc[s,t] = level[s,t]\n}\n"
	const sweep = "param A, X, Y = 4, 30, 31\narray w[1..A] float64 in\narray q[1..X, 1..Y] float64 in\narray phi[1..X, 1..Y] float64 out\ninit phi[i, j] = 0\nfor m = 1..A, i = 1..X, j = 1..Y { phi[j,i] += w[m]*q[i,j] }\n"
	const band = "param N, w = 200, 10\narray A[1..N, 1..N] float64 inout\nrepeat k = 1..N-1 {\n\tfor i = k+1..k+w { A[i,k] = A[i,k]/A[k,k] }\n}\n"
	const items = "param B, M = 20, 200\narray len[1..B] int32 in\narray al[%s, 0..M] float64 %s\n%s\nbatch b = 1..B, L = len[b] {\n\tfor t = 1..L { al[b,t] = 0.5*al[b,t-1] }\n}\n"
	for src, want := range map[string]string{
		fmt.Sprintf(levels, "1..S, 1..N", "s = 1..S, t = 1..N"): "",
		fmt.Sprintf(levels, "1..S, 1..N", "s = 1..N, t = 1..S"): "the loops s = 1..S, t = 1..N, with their ranges exchanged",
		fmt.Sprintf(levels, "1..N, 1..S", "s = 1..S, t = 1..N"): "or bounds x[1..S, 1..N], with its bounds exchanged",
		sweep:                                   "one of these: phi[i,j], with its subscripts exchanged",
		band:                                    "the loop i = k+1..min(N, w+k)",
		fmt.Sprintf(items, "1..B", "inout", ""): "",
		fmt.Sprintf(items, "2..B", "inout", ""): "bounds 1..B for dimension 1 of al",
		fmt.Sprintf(items, "1..B-1", "inout", ""): "bounds 1..B for dimension 1 of al",
	} {
		p, diags := frontend.CompileProgram("a.loop", []byte(src))
		if p == nil || diag.HasErrors(diags) {
			t.Fatal(src, diags)
		}
		var found []diag.Diagnostic
		for _, n := range p.Nests {
			_, _, diags := transform.Lower(n)
			found = append(found, diags...)
		}
		told := slices.ContainsFunc(found, func(d diag.Diagnostic) bool { return want != "" && strings.Contains(d.Hint, want) })
		if want == "" && len(found) > 0 || want != "" && (!told || len(found) != 1) {
			t.Errorf("%s\ngot %v, want one warning %q", src, found, want)
		}
	}
}
