package frontend

import (
	"slices"
	"strings"
	"testing"

	"loopc/ir/diag"
)

// TestLeftLoop leaves a loop when a reduction is small enough: the hint is the header of that loop, as a repeat with an until.
func TestLeftLoop(t *testing.T) {
	for _, c := range []struct{ name, header, want string }{
		{"a loop to a parameter", "for k = 2..T", "repeat k = 2..T until s < 1e-6 {, and leave this line out"},
		{"a loop downward", "for k = T..2 step -1", "repeat k = T..2 step -1 until s < 1e-6 {, and leave this line out"},
		{"two loops", "for k = 1..T, l = 1..2", "repeat t = 1..1000 until s < 1e-6 { around the nests, and leave this line out"},
	} {
		src := "param T, N = 3, 9\narray u[0..N] float64 inout\n" + c.header + " {\n\treduce s = max(u[i])\n\tfor i = 1..N {\n\t\tu[i] = 0.5*u[i-1]\n\t}\n\tif s < 1e-6 { break }\n}\n"
		_, diags := CompileProgram("x.loop", []byte(src))
		if !slices.ContainsFunc(diags, func(d diag.Diagnostic) bool { return d.Hint == c.want }) {
			t.Errorf("%s: want %s; got\n%s", c.name, c.want, rendered("x.loop", src, diags))
		}
	}
	src := "param T, N, M\narray u[1..N, 1..M] float64 inout\nboundary u[periodic, periodic]\nfor t = 1..T, i = 1..N, j = 1..M {\n\tu[i,j] = u[i-1,j] + u[i,j+1]\n}\n"
	_, diags := CompileProgram("x.loop", []byte(src))
	if want := "repeat t = 1..T in place of the loop t, around two nests: next[i,j] = ... from u, and then u[i,j] = next[i,j]"; len(diags) != 1 || !strings.Contains(diags[0].Hint, want) {
		t.Errorf("want %s; got\n%s", want, rendered("x.loop", src, diags))
	}
}

// TestRepeatHints applies the hints for loops that read their own results by broadcast, and
// compares the results with those of the original loops.
func TestRepeatHints(t *testing.T) {
	const square = "param N = 6\narray A[1..N, 1..N] float64 inout\n"
	const line = "param N = 6\narray L[1..N, 1..N] float64 in\narray x[1..N] float64 inout\n"
	for _, c := range []struct{ name, declarations, loops, lacks string }{
		{"shortest paths", square, "for k = 1..N, i = 1..N, j = 1..N {\n\tA[i,j] = min(A[i,j], abs(A[i,k]) + abs(A[k,j]))\n}\n", ""},
		{"paths by select", square, "for k = 1..N {\n\tfor i = 1..N {\n\t\tfor j = 1..N {\n\t\t\tA[i,j] = select(A[i,k] + A[k,j] < A[i,j], A[i,k] + A[k,j], A[i,j])\n\t\t}\n\t}\n}\n", ""},
		{"paths by if", square, "for k = 1..N, i = 1..N, j = 1..N {\n\tif A[i,k] + A[k,j] < A[i,j] {\n\t\tA[i,j] = A[i,k] + A[k,j]\n\t}\n}\n", ""},
		{"paths in a repeat", square, "repeat k = 1..N {\n\tfor i = 1..N, j = 1..N {\n\t\tA[i,j] = min(A[i,j], A[i,k] + A[k,j])\n\t}\n}\n", ""},
		{"elimination", square, "for k = 1..N-1, i = k+1..N, j = k+1..N {\n\tA[i,j] -= A[i,k]/A[k,k]*A[k,j]\n}\n", "array"},
		{"elimination, lower half", square, "for k = 1..N-1, i = k+1..N, j = k+1..i {\n\tA[i,j] -= A[i,k]*A[j,k]\n}\n", "array"},
		{"forward substitution", line, "for i = 1..N, j = 1..i-1 {\n\tx[i] -= L[i,j]*x[j]\n}\n", "array"},
		{"by columns", line, "for j = 1..N {\n\tfor i = j+1..N {\n\t\tx[i] = x[i] - L[i,j]*x[j]\n\t}\n}\n", "array"},
		{"states of items", "param B, TT = 3, 5\narray len[1..B] int32 in\narray a[1..B, 0..TT, 1..40] float64 inout\n",
			"batch b = 1..B, T = len[b] {\n\tfor t = 1..T {\n\t\tfor s = 1..40 {\n\t\t\ta[b,t,s] = a[b,t-1,1] - 0.5*a[b,t-1,2]\n\t\t}\n\t}\n}\n", "array"},
		{"splits", square, "for i = N..1 step -1, j = i+1..N, k = i..j-1 {\n\tA[i,j] = min(A[i,j], A[i,k] + A[k+1,j])\n}\n", "array"},
		{"splits by length", square, "for len = 2..N, i = 1..N-len+1, j = i+len-1..i+len-1, k = i..j-1 {\n\tA[i,j] = min(A[i,j], A[i,k] + A[k+1,j])\n}\n", "array"},
		{"splits, a sum as subscript", square, "for len = 2..N {\n\tfor i = 1..N-len+1 {\n\t\tfor k = i..i+len-2 {\n\t\t\tA[i,i+len-1] = min(A[i,i+len-1], A[i,k] + A[k+1,i+len-1])\n\t\t}\n\t}\n}\n", "array"},
		{"loads by weight", "param N, W = 4, 9\narray w[1..N] int32 in\narray K[0..N, 0..W] int32 inout\n", "for i = 1..N, j = 1..W {\n\tK[i,j] = max(K[i-1,j], K[i-1,max(0, min(W, j-w[i]))] + i)\n}\n", ""},
		{"back substitution", line, "for i = N..1 step -1, j = i+1..N {\n\tx[i] -= L[i,j]*x[j]\n}\n", "array"},
	} {
		src := c.declarations + c.loops
		_, diags := CompileProgram("x.loop", []byte(src))
		if len(diags) != 1 || diags[0].Kind != diag.Advice {
			t.Errorf("%s:\n%s", c.name, rendered("x.loop", src, diags))
			continue
		}
		at := max(strings.Index(diags[0].Hint, ", array "), strings.Index(diags[0].Hint, ", repeat "))
		if at < 0 || c.lacks != "" && strings.Contains(diags[0].Hint, c.lacks) {
			t.Errorf("%s: %s", c.name, diags[0].Hint)
			continue
		}
		form := diags[0].Hint[at+2:]
		if k := strings.Index(diags[0].Hint, ", array "); k >= 0 {
			form = diags[0].Hint[k+2:]
		}
		if head, _, ok := strings.Cut(c.loops, "{\n"); ok && strings.HasPrefix(head, "batch") {
			form = head + "{\n" + form + "\n}"
		}
		if p, more := formAsStands(t, c.name, src, c.declarations+form+"\n"); p == nil {
			t.Errorf("%s: %s\n%v", c.name, form, more)
		}
	}
}
