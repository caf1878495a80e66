package codegen

import (
	"fmt"
	"strings"
	"testing"

	"loopc/frontend"
	"loopc/ir/diag"
)

// TestVersions counts the versions of the loop along a row, and conditional moves, by the select in the body.
func TestVersions(t *testing.T) {
	const head = `param N = 40
array f[0..N] uint8 in
array g[0..N, 0..N] uint8 in
array s[0..N, 0..N] float64 inout
array k[0..N, 0..N] int32 inout
reduce most = max(s[i,j])
for i = 1..N, j = 1..N-1 {
	let a = int64(f[i])
`
	const chain = "if int64(fHere) == int64("
	doubled := "let b0 = a\n"
	for k := range 60 {
		doubled += fmt.Sprintf("let b%d = (b%d + b%d)/2\n", k+1, k, k)
	}
	for _, c := range []struct {
		choice string
		want   int
		has    string
	}{
		{"s[i,j] = s[i-1,j+1] + select(f[i] > 3, s[i,j-1], 1)", 2, ""},
		{"s[i,j] = s[i-1,j+1] + select(a == 0, s[i,j-1], select(a == 1, 2, select(a == 2, 3, 4)))", 4, chain},
		{"s[i,j] = s[i-1,j+1] + select(a == 0, s[i,j-1], 1) + select(a == 0, 2, 3)", 2, ""},
		{"s[i,j] = s[i-1,j+1] + select(i > 3 && a/2 == N, s[i,j-1], 1)", 2, ""},
		{"s[i,j] = s[i-1,j+1] + select(N/a > 3, s[i,j-1], 1)", 1, ""}, // it may fail
		{"s[i,j] = s[i-1,j+1] + select(g[i,j] > 3, s[i,j-1], 1)", 1, ""},
		{"s[i,j] = s[i-1,j+1] + select(j > 3, s[i,j-1], 1)", 1, ""},
		{"s[i,j] = s[i-1,j+1] + select(s[i,0] > 3, s[i,j-1], 1)", 2, ""},        // a cell that no iteration writes
		{"s[i,j] = 0.5*s[i,j-1] + select(f[i] > 3, s[i-1,j], 1)", 1, "rows"},    // a group of rows
		{doubled + "s[i,j] = s[i-1,j+1] + select(b60 > 3, s[i,j-1], 1)", 1, ""}, // 2^60 operands
		{"k[i,j] = k[i-1,j+1] + select(k[i,j-1] > 2 && k[i-1,j] < 3, k[i,j-1], 5)", 1, "chosen_ := value_\n"},
		{"k[i,j] = k[i-1,j+1] + select(k[i,j-1] > 2, k[i,j-1], 5)", 1, "} else {"},
		{"k[i,j] = k[i-1,j+1] + select(j > 2 && k[i-1,j] < 3, k[i,j-2], 5)", 1, "} else {"}, // a guard
	} {
		text := strings.Replace(head, "reduce most = max(s[i,j])\n", "", 1) + c.choice + "\n}"
		n, diags := frontend.Compile("rows.loop", []byte(text))
		if diag.HasErrors(diags) {
			t.Fatalf("%s: %v", c.choice, diags)
		}
		w, got := writerOf(t, n), 0
		w.versions.each(func(*seqVersion) { got++ })
		w.sequential()
		if text := w.generator.buf.String(); got != c.want || !strings.Contains(text, c.has) {
			t.Errorf("%s: %d versions, want %d, and %q in\n%s", c.choice, got, c.want, c.has, text)
		}
	}
	n, diags := frontend.Compile("rows.loop", []byte(head+"s[i,j] = s[i-1,j+1] + select(f[i] > 3, s[i,j-1], 1)\n}"))
	if diag.HasErrors(diags) || writerOf(t, n).versions.holds != nil {
		t.Errorf("a loop with a reduction is divided")
	}
}
