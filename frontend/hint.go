package frontend

import (
	"slices"
	"strings"

	"loopc/ir/diag"
)

// readable reports whether the grammar accepts a hint, in which ... stands for open parts: as
// statements, an expression, a condition, a loop, the parameter of a Go function, or an entry
// of a schedule.
func readable(hint string) bool {
	text := hint
	if strings.HasPrefix(text, "//") || text == elseIf {
		return true
	}
	for _, s := range scheduleNames {
		if strings.HasPrefix(text, s.name+" ") {
			return true
		}
	}
	text = strings.ReplaceAll(strings.ReplaceAll(text, "{ ... }", "{ A[i] = 0 }"), "...", "0")
	if strings.HasSuffix(text, "{") {
		text += "\n}"
	}
	for _, whole := range []string{
		text, "let x = " + text, "for " + text + " {\n}", "for i = " + text + " {\n}", "let x = select(1 == 1 " + text + " 1 == 1, 1, 0)",
		"let x = select(" + text + " (1 == 1), 1, 0)", "repeat t = 1..2 " + text + " {\n}", text + " = 1",
		"extern func f(" + text + ") float64", "extern func f(a float64) float64 = " + text, "boundary u[" + text + "]", "array u[0..1] " + text, "array " + text + " float64", "A[i] " + text + " 1",
	} {
		if grammatical(whole) {
			return true
		}
	}
	return false
}

// grammatical reports whether a text consists of statements of the grammar.
func grammatical(text string) bool {
	tokens, lexical := scan([]byte(text))
	s := split(tokens)
	c := newChecker("hint.loop", []byte(text))
	for _, st := range s.top {
		c.parseIdle(st)
	}
	return len(lexical)+len(s.diags)+len(c.diags) == 0 && len(s.top) > 0
}

// onlyExamples turns replacements into examples, or drops them, if something foreign was translated, because
// tokens that the source does not have may stand in their places. For the same reason it drops
// warnings about lines with something foreign, and steps that are idle beside other mistakes.
func onlyExamples(diags, foreign []diag.Diagnostic) []diag.Diagnostic {
	lines := map[int]bool{}
	for _, d := range foreign {
		lines[d.At.Line] = true
	}
	for k := range diags {
		if d := &diags[k]; len(foreign) > 0 && d.Kind == diag.Replacement && d.Code != diag.Foreign {
			d.Kind = diag.Example
			if !readable(d.Hint) { // a part of a line, which is nothing by itself
				d.Hint = ""
			}
		}
	}
	idle := func(d diag.Diagnostic) bool {
		return d.Code == diag.BoundShape && strings.HasSuffix(d.Message, unknownStep)
	}
	others := slices.ContainsFunc(diags, func(d diag.Diagnostic) bool { return d.Severity == diag.Error && !idle(d) })
	return slices.DeleteFunc(diags, func(d diag.Diagnostic) bool {
		return others && idle(d) || d.Severity == diag.Warning && d.Code != diag.Foreign && lines[d.At.Line]
	})
}
