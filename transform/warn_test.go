package transform_test

import (
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
