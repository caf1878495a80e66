package transform_test

import (
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
