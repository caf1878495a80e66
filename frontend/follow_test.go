package frontend

import (
	"strings"
	"testing"

	"loopc/ir/diag"
)

// TestStatementForms gives advice of each form that has statements for several places, and requires that a source
// in which it fails is told without it.
func TestStatementForms(t *testing.T) {
	src := "param N = 9\narray a[0..N] float64 in\narray b[0..N] float64 out\nrepeat t = 1..2 {\n\tfor i = 0..N {\n\t\tb[i] = any(a)\n\t}\n}\n"
	at := diag.Span{Pos: diag.Pos{Line: 6, Col: 10}, Len: 6}
	whole := diag.Span{Pos: diag.Pos{Line: 6, Col: 3}, Len: 13}
	for _, c := range []struct {
		at          diag.Span
		advice, has string // all lines of has, in this order, are in the source that follows the advice
	}{
		{at, "before this statement, var s float64 = 0 and for j = 0..N { s += a[j] }; s stands here", "var s float64 = 0\nfor j = 0..N { s += a[j] }\n\t\tb[i] = s\n"},
		{at, "array p[-1..N] float64, init p[i] = 0, then p[i] = p[i-1] + a[i] in the body, and p[i] here", "array p[-1..N] float64\ninit p[i] = 0\nrepeat t = 1..2 {\n\tfor i = 0..N {\np[i] = p[i-1] + a[i]\n\t\tb[i] = p[i]\n"},
		{at, "array p[0..0] float64, init p[k] = 0, a nest before this one, for j = 0..N { p[0] = p[0] + a[j] }, and p[0] here", "for j = 0..N { p[0] = p[0] + a[j] }\n\tfor i = 0..N {\n\t\tb[i] = p[0]\n"},
		{whole, "let d = a[i] in this place, and before the for reduce top = max(d)", "reduce top = max(d)\n\tfor i = 0..N {\n\t\tlet d = a[i]\n"},
		{whole, "repeat t = 1..2 until top < 1 {, and leave this line out", "repeat t = 1..2 until top < 1 {\n\tfor i = 0..N {\n\t\t\n"},
		{at, "var s float64 = 0, before this inner for", "var s float64 = 0\n\tfor i = 0..N {\n"},
	} {
		got, ok := followed([]byte(src), &diag.Diagnostic{At: c.at}, c.advice)
		if !ok || !typable(c.advice) || !strings.Contains(got, c.has) {
			t.Errorf("%s: %v\n%s", c.advice, ok, got)
		}
	}
	given := []diag.Diagnostic{{Code: diag.Foreign, At: at, Message: "m", Kind: diag.Advice, Hint: "before this statement, var s float64 = 0 and for j = 0..N { s += a[j]**2 }; s stands here"}}
	if told := tried("x.loop", []byte(src), given); len(told) != 1 || told[0].Hint != "" {
		t.Errorf("advice that fails is given: %v", told)
	}
	given[0].Hint = strings.ReplaceAll(given[0].Hint, "**2", "")
	if told := tried("x.loop", []byte(src), given); len(told) != 1 || told[0].Hint == "" {
		t.Errorf("advice that holds is not given: %v", told)
	}
}
