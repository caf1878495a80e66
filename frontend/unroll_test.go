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

// TestWrittenOut has small loops that write cells of their own, and how many statements the nests of the file then have.
func TestWrittenOut(t *testing.T) {
	const arrays = "param N = 9\nconst S = 3\nconst d[0..2] int32 = [0, 1, -1]\narray w[0..N] float64 in\narray u[0..N] float64 inout\narray e[-1..40, 0..N] float64 inout\narray f[-1..40, 0..N] float64 inout\n"
	for name, x := range map[string]struct {
		nest string
		want []int
	}{
		"beside a statement": {"for i = 1..N {\n\tu[i] = w[i]\n\tfor m = 0..4 { e[m,i] = u[i] + e[m,i-1] }\n}\n", []int{6}},
		"bounds with consts": {"for i = 1..N {\n\tu[i] = w[i]\n\tfor m = 1..S-1 { e[m,i] = u[i] + e[m-1,i] }\n}\n", []int{3}},
		"backward":           {"for i = 1..N {\n\tu[i] = w[i]\n\tfor m = S..0 step -1 { e[m,i] = u[i] + e[m-1,i] }\n}\n", []int{5}},
		"alone":              {"for i = 1..N {\n\tfor m = 0..4 { e[m,i] = e[m,i-1] }\n}\n", []int{1}},
		"alone, of states":   {"for i = 1..N {\n\tfor m = 0..2 {\n\t\tvar s float64 = 0\n\t\tfor n = 0..S-1 { s += e[n,i-1] }\n\t\te[m,i] = s*m\n\t}\n}\n", []int{15}},
		"alone, of shifts":   {"for i = 1..N-1 {\n\tfor m = 0..2 { e[m,i] = f[m,i+d[m]] }\n}\n", []int{3}},
		"shifts in a header": {"for m = 0..2, i = 1..N-1 {\n\te[m,i] = f[d[m],i]\n}\n", []int{3}},
		"alone, of a sum":    {"for i = 1..N-1 {\n\tfor m = 0..2 { u[i] += f[m,i-d[m]] }\n}\n", []int{3}},
		"alone, of weights":  {"for i = 1..N-1 {\n\tfor m = 0..2 { e[m,i] = d[m]*f[m,i] }\n}\n", []int{1}},
		"in a header":        {"for i = 1..N, m = 0..2 {\n\te[m,i] = e[0,i-1] + m\n}\n", []int{3}},
		"moved inward":       {"for m = 0..2, i = 1..N, n = 0..1 {\n\tf[3*m+n,i] = w[i]\n\te[m,i] = f[2,i] + f[3*m+1,i]\n}\n", []int{12}},
		"not moved inward":   {"for m = 0..2, i = 1..N {\n\te[m,i] = 0.5*e[m,i-1] + f[0,N-i]\n}\n", []int{1}},
		"several that share": {"for i = 1..N {\n\tfor m = 0..1 { e[m,i] = e[m,i-1] }\n\tfor m = 0..2 { f[m,i] = e[0,i] }\n}\n", []int{5}},
		"others":             {"for i = 1..N {\n\tfor m = 0..1 { e[m,i] = e[m,i-1] }\n\tfor m = 0..2 { f[m,i] = w[i] }\n}\n", []int{1, 1}},
		"in a block":         {"for i = 1..N {\n\tu[i] = w[i]\n\tif w[i] > 1 {\n\t\tfor m = 0..1, n = 0..1 { e[2*m+n,i] = u[i] }\n\t}\n}\n", []int{5}},
		"a reduction":        {"reduce r = max(e[1,i])\nfor i = 1..N {\n\tu[i] = w[i]\n\tfor m = 0..1 { e[m,i] = u[i] + e[m,i-1] }\n}\n", []int{4}},
		"within another for": {"for t = 1..N {\n\tfor i = 1..N {\n\t\tu[i] = w[i]\n\t\tfor m = 0..1 { e[m,i] = u[i] + e[m,i-1] }\n\t}\n\tfor i = 1..N { u[i] = u[i] + e[0,N-i] }\n}\n", []int{3, 1}},
		"too many":           {"for i = 1..N {\n\tu[i] = w[i]\n\tfor m = 0..31, n = 0..31 { e[m,i] += n*u[i] }\n}\n", []int{1, 1}},
		"refused as one nest": {"for i = 1..N {\n\tu[i] = w[i]\n\tfor m = 0..2 { e[m,i] = u[1] + e[m,i-1] }\n}\n" +
			"for i = 1..N {\n\tu[i] = w[i]\n\tfor m = 0..2 { f[m,i] = u[i] }\n}\n", []int{1, 1, 4}},
	} {
		p, diags := CompileProgram("nest.loop", []byte(arrays+x.nest))
		if p == nil {
			t.Errorf("%s: %v", name, diags)
			continue
		}
		var got []int
		for _, n := range p.Nests {
			got = append(got, len(n.Body))
		}
		if !slices.Equal(got, x.want) {
			t.Errorf("%s: nests of %v statements, want %v", name, got, x.want)
		}
	}
}
