package frontend

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"loopc/ir"
	"loopc/ir/diag"
	"loopc/ir/irtest"
)

// nestOf puts lines into the body of a small nest.
func nestOf(lines ...string) string {
	return "param N\narray A[0..N] float64 out\ninit A[i] = 0\nfor i = 1..N {\n\t" + strings.Join(lines, "\n\t") + "\n}\n"
}

// TestHugeInputs checks that inputs built to be slow, or to overflow a stack,
// are refused quickly and with the right code.
func TestHugeInputs(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	k := irtest.OfAll(100_000, 25_000)
	some := irtest.OfAll(9_000, 1_500) // of what takes longer than its size lets expect
	most := irtest.OfAll(maxSourceBytes, maxSourceBytes/6) - 200
	chain := irtest.OfAll(10_000, 2_500)
	var consts, params, lets, bodies strings.Builder
	for n := range chain {
		fmt.Fprintf(&consts, "const c%d = c%d*c%d\n", n, n+1, n+1)
		fmt.Fprintf(&params, "param p%d\n", n)
	}
	fmt.Fprintf(&consts, "const c%d = 1e300\n", chain)
	for n := range maxStatements {
		fmt.Fprintf(&lets, "let h%d = x%d + %s1\n", n, n, strings.Repeat("1 + ", irtest.OfAll(50, 12)))
		fmt.Fprintf(&bodies, "A[i] = A[i-1]\n")
	}
	for _, c := range []struct {
		name, src string
		want      diag.Code // "" for none
	}{
		{"10 MB", strings.Repeat("param N = 3 // long\n", 500_000), diag.TooLarge},
		{"parentheses", nestOf("A[i] = " + strings.Repeat("(", k) + "1" + strings.Repeat(")", k)), diag.TooDeep},
		{"open parentheses", nestOf("A[i] = " + strings.Repeat("(", k)), diag.TooDeep},
		{"subscripts", nestOf("A[i] = " + strings.Repeat("A[", k)), diag.TooDeep},
		{"calls", nestOf("A[i] = " + strings.Repeat("max(", k/2)), diag.TooDeep},
		{"parentheses at the limit", nestOf("A[i] = " + strings.Repeat("(", 999) + "1" + strings.Repeat(")", 999)), ""},
		{"signs", nestOf("A[i] = " + strings.Repeat("-", most) + "1"), diag.TooMany},
		{"nots", nestOf("A[i] = select(" + strings.Repeat("!", most) + "(i < 3), 1, 2)"), diag.TooMany},
		{"longest sum", nestOf("A[i] = 1" + strings.Repeat("+i", 9990)), diag.TooDeep},
		{"highest sum", nestOf("A[i] = i" + strings.Repeat("+i", 998)), ""},
		{"sum", nestOf("A[i] = 1" + strings.Repeat("+i", most/2)), diag.TooMany},
		{"affine sum", "param N\narray A[0..1" + strings.Repeat("+N", most/2) + "] float64\n", diag.TooMany},
		{"affine product", "param N\narray A[0..1" + strings.Repeat("*N*2", 400) + "] float64\n", diag.NotAffine},
		{"growing constant", "const a = 3" + strings.Repeat("*0x7fffffffffffffff", 900) + "\n", diag.ConstantOverflow},
		{"chain of constants", consts.String(), diag.ConstantOverflow},
		{"parameters", params.String(), diag.TooMany},
		{"digits", nestOf("A[i] = " + strings.Repeat("9", most)), diag.IllegalCharacter},
		{"exponent", nestOf("A[i] = 1e999999999"), diag.IllegalCharacter},
		{"negative exponent", nestOf("A[i] = 1e-999999999"), ""},
		{"exponent beyond package big", nestOf("A[i] = 1e99999999999999999999"), diag.IllegalCharacter},
		{"name", nestOf("A[i] = " + strings.Repeat("x", most)), diag.IllegalCharacter},
		{"unknown names", nestOf(lets.String()), diag.UnknownName},
		{"statements", nestOf(bodies.String(), "A[i] = 1"), diag.TooMany},
		{"deep loops", "param N\nfor i = 1..N" + strings.Repeat(", i = 1..N", 50) + "{\n}\n", diag.TooDeep},
		{"one let, many uses", nestOf("let h = 3", "A[i] = select(min(h"+strings.Repeat(",h", some)+") < 1, 1, 2)"), ""},
		{"blocks", strings.Repeat("{\n", most/2), diag.Syntax},
		{"ends of blocks", strings.Repeat("}\n", most/2), diag.Syntax},
		{"loops", strings.Repeat("for i = 1..2 {\n", 5*some/3), diag.OneNest},
		{"loops of C", strings.Repeat("for (i = 0; i < 3; i++) {\n", some), diag.Foreign},
		{"loops of Go in a line", strings.Repeat("for i = 0; i < 3; i++ ; ", some), diag.Foreign},
		{"halves of loops", strings.Repeat("for;", most/40), diag.Syntax},
		{"choices", nestOf("A[i] = " + strings.Repeat("i?", 9_000) + "1" + strings.Repeat(":2", 9_000)), diag.Foreign},
		{"updates", nestOf(strings.Repeat("A[i] += 1;", 5_000)), diag.TooMany},
		{"casts", nestOf("A[i] = " + strings.Repeat("(int)", 5_000) + "i"), diag.Foreign},
		{"many loops", "param N\nfor i = 1..N" + strings.Repeat(", i = 1..N", k/5) + "{\n}\n", diag.TooMany},
		{"many dimensions", "param N\narray A[1..N" + strings.Repeat(", 1..N", k/3) + "] float64\n", diag.TooMany},
		{"many bounds", "param N\nfor i = max(1" + strings.Repeat(", N", k/2) + ")..N {\n}\n", diag.TooMany},
		{"illegal characters", nestOf("A[i] = " + strings.Repeat("$", most)), diag.IllegalCharacter},
		{"lines of illegal characters", strings.Repeat("$\n", most/2), diag.IllegalCharacter},
		{"brackets that never close", nestOf(strings.Repeat("A[i = 3\n", k/4)), diag.Syntax},
		{"one line that never ends", nestOf("A[i] = max(" + strings.Repeat("i,\n", most/4)), diag.TooMany},
	} {
		t.Run(c.name, func(t *testing.T) {
			var n *ir.Nest
			var diags []diag.Diagnostic
			took := irtest.Took(func() {
				n, diags = Parse("huge.loop", []byte(c.src))
				rendered("huge.loop", c.src, diags)
				Format("huge.loop", []byte(c.src))
			})
			if took > 5*time.Second {
				t.Errorf("took %v", took)
			}
			if n != nil {
				if c.want != "" {
					t.Errorf("parses; want %s", c.want)
				}
				return
			}
			if !slices.ContainsFunc(diags, func(d diag.Diagnostic) bool { return d.Code == c.want }) {
				t.Errorf("want %q; got\n%s", c.want, rendered("huge.loop", "", diags))
			}
		})
	}
}

// TestManyRefusals checks that a nest with hundreds of pairs of accesses that are refused is refused quickly: each is tried with
// many changes. A small loop that is written out, with two subscripts exchanged, makes such a nest.
func TestManyRefusals(t *testing.T) {
	const src = `param T = 20
const ex[0..8] int32 = [0, 1, 0, -1, 0, 1, -1, -1, 1]
const ey[0..8] int32 = [0, 0, 1, 0, -1, 1, 1, -1, -1]
array f0[0..8, 0..63, 0..47] float64 in
array f[0..8, 0..T, 0..63, 0..47] float64
init f[q, t, i, j] = f0[q,i,j]
boundary f[*, *, periodic, periodic]
out f[*, T, *, *]
for t = 1..T, i = 0..63, j = 0..47 {
	var rho float64 = 0
	var ux float64 = 0
	var uy float64 = 0
	for q = 0..8 {
		rho += f[q,t-1,i-ex[q],j-ey[q]]
		ux += ex[q]*f[q,t-1,i-ex[q],j-ey[q]]
		uy += ey[q]*f[q,t-1,i-ex[q],j-ey[q]]
	}
	for q = 0..8 {
		f[t,q,i,j] = f[q,t-1,i-ex[q],j-ey[q]] + rho*(ux + uy)
	}
}
`
	var diags []diag.Diagnostic
	took := irtest.Took(func() { _, diags = CompileProgram("many.loop", []byte(src)) })
	if took > 5*time.Second || !diag.HasErrors(diags) {
		t.Errorf("took %v:\n%s", took, rendered("many.loop", src, diags))
	}
}

// TestEncodings checks line ends, byte order marks, and bytes that are not text.
func TestEncodings(t *testing.T) {
	plain := nestOf("A[i] = A[i-1] + 1 // größer", "A[i] = 2")
	want := mustParse(t, "x.loop", plain).String()
	for name, src := range map[string]string{
		"CRLF":            strings.ReplaceAll(plain, "\n", "\r\n"),
		"byte order mark": "\ufeff" + plain,
		"both":            "\ufeff" + strings.ReplaceAll(plain, "\n", "\r\n"),
		"no final end":    strings.TrimSuffix(plain, "\n"),
		"final CR":        strings.TrimSuffix(plain, "\n") + "\r",
		"form":            strings.ReplaceAll(plain, "\t", "  "),
	} {
		if got := mustParse(t, "x.loop", src).String(); got != want {
			t.Errorf("%s: read as\n%s\nwant\n%s", name, got, want)
		}
		formatted, _ := Format("x.loop", []byte(src))
		if string(formatted) != plain {
			t.Errorf("%s: formatted as %q, want %q", name, formatted, plain)
		}
	}
	for _, c := range []struct {
		line string
		col  int
	}{
		{"A[i] = \x00", 8}, {"A[i] = 1 + \xff", 12}, {"A[i] = \xc3(", 8}, {"A[i] = \ufeff", 8}, {"A[i] = \ry", 8},
		{"A[i] = 1 // \x1b[31m", 13}, {"A[i] = 1 // \xff", 13}, {"A[i] = 1 // \r2", 13},
	} {
		_, diags := Parse("x.loop", []byte(nestOf(c.line, "A[i] = 2")))
		if len(diags) != 1 || diags[0].Code != diag.IllegalCharacter || diags[0].At.Pos != (diag.Pos{Line: 5, Col: c.col + 1}) {
			t.Errorf("%q gives %+v", c.line, diags)
		}
	}
}

// TestColumns checks that columns count runes, not bytes.
func TestColumns(t *testing.T) {
	_, diags := Parse("x.loop", []byte("param größe = ö // unknown\nfor i = 1..größe {\n\tA[i] = 3\n}\n"))
	if len(diags) == 0 || diags[0].At != (diag.Span{Pos: diag.Pos{Line: 1, Col: 15}, Len: 1}) {
		t.Errorf("got %+v", diags)
	}
}
