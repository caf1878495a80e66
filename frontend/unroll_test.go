package frontend

import (
	"slices"
	"strings"
	"testing"

	"loopc/ir/diag"
)

// TestDeclaredTwice has loops within a nest that declare a name again: small loops, which must not be written out, as
// copies of the body would hide this mistake, and others. One error must say so.
func TestDeclaredTwice(t *testing.T) {
	const arrays = "param N = 9\narray w[0..N] float64 in\narray u[0..N] float64 inout\n"
	codes := []diag.Code{diag.Redeclared, diag.OneNest}
	for name, nest := range map[string]string{
		"a loop":             "for i = 1..N {\n\tvar s float64 = 0\n\tfor i = 0..2 { s += w[i] }\n\tu[i] = s\n}\n",
		"a let":              "for i = 1..N {\n\tvar s float64 = 0\n\tlet k int64 = 1\n\tfor k = 0..2 { s += w[k] }\n\tu[i] = s\n}\n",
		"a let within":       "for i = 1..N {\n\tvar s float64 = 0\n\tfor k = 0..1 {\n\t\tlet q int64 = i%2\n\t\tfor q = 0..2 { s += w[q] }\n\t}\n\tu[i] = s\n}\n",
		"a let of the loop":  "for i = 1..N {\n\tvar s float64 = 0\n\tfor k = 0..2 {\n\t\tlet k int64 = i%2\n\t\ts += w[k]\n\t}\n\tu[i] = s\n}\n",
		"a let twice":        "for i = 1..N {\n\tvar s float64 = 0\n\tfor k = 0..2 {\n\t\tlet q = w[k]\n\t\tlet q = 2*w[k]\n\t\ts += q\n\t}\n\tu[i] = s\n}\n",
		"a let beside loops": "for i = 1..N {\n\tlet q = w[i]\n\tlet q = 2*w[i]\n\tfor k = 0..2 {\n\t\tu[k] += q\n\t}\n}\n",
		"a repeat":           "repeat k = 1..3 {\n\tfor i = 1..N {\n\t\tvar s float64 = 0\n\t\tfor k = 0..2 { s += w[k] }\n\t\tu[i] = s\n\t}\n}\n",
		"a reduction":        "reduce k = sum(u[i])\nfor i = 1..N {\n\tvar s float64 = 0\n\tfor k = 0..2 { s += w[k] }\n\tu[i] = s\n}\n",
	} {
		for _, end := range []string{"2", "N"} {
			_, diags := CompileProgram("nest.loop", []byte(arrays+strings.ReplaceAll(nest, "0..2", "0.."+end)))
			diags = slices.DeleteFunc(diags, func(d diag.Diagnostic) bool { return d.Severity != diag.Error })
			if len(diags) != 1 || !slices.Contains(codes, diags[0].Code) {
				t.Errorf("%s, for a loop to %s: %v", name, end, diags)
			}
		}
	}
	siblings := "for i = 1..N {\n\tvar s float64 = 0\n\tfor k = 0..2 { s += w[k] }\n\tfor k = 0..1 {\n\t\tlet q = w[k]\n\t\ts += q\n\t}\n\tu[i] = s\n}\n"
	if n, diags := Compile("nest.loop", []byte(arrays+siblings)); n == nil {
		t.Errorf("two loops with one name: %v", diags)
	}
}
