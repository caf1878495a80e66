package diag

import "testing"

// TestHeard: a comment silences the warnings that it names, on its line or the next, and no others.
func TestHeard(t *testing.T) {
	src := []byte("a //loopc:ignore slow no-result\nb\n\t// loopc:ignore slow\nc\nd")
	for _, c := range []struct {
		line  int
		code  Code
		as    Severity
		heard bool
	}{
		{1, Slow, Warning, false},
		{1, NoResult, Warning, false},
		{1, EmptyLoop, Warning, true},
		{1, Slow, Error, true},
		{2, Slow, Warning, true}, // the comment above belongs to its own line
		{4, Slow, Warning, false},
		{4, NoResult, Warning, true},
		{5, Slow, Warning, true},
		{0, Slow, Warning, true},
		{9, Slow, Warning, true},
	} {
		d := Diagnostic{Severity: c.as, Code: c.code, At: Span{Pos: Pos{Line: c.line, Col: 1}}}
		if got := len(Heard(src, []Diagnostic{d})) == 1; got != c.heard {
			t.Errorf("line %d, %s %s: heard is %t", c.line, c.as, c.code, got)
		}
	}
}
