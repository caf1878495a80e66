package frontend

import (
	"slices"
	"strings"

	"loopc/ir/diag"
)

// reducesInFor adds to the reports that offer a reduction, before the for, what becomes of a for around that for: a for has no
// reductions of each of its iterations, and a repeat does. Fors that have nothing but another for are one nest.
func reducesInFor(src []byte, diags []diag.Diagnostic) {
	offers := func(d diag.Diagnostic) bool {
		return d.Severity == diag.Error && strings.HasPrefix(d.Hint, "reduce ") && strings.HasSuffix(d.Message, "before the for")
	}
	if !slices.ContainsFunc(diags, offers) || len(src) > mostTried>>6 {
		return
	}
	tokens, _ := scan(src)
	s := split(tokens)
	for k := range diags {
		if d := &diags[k]; offers(*d) {
			if outer := forWithNests(s.top, d.At.Line, nil); outer != nil {
				d.Message += ", and the for around it, " + lineOf(outer.tokens, maxTokens) + ", is a repeat then"
			}
		}
	}
}

// forWithNests is the for with several statements in its block around the for that has a line in its block; nil if there is none.
func forWithNests(list []*statement, line int, around *statement) *statement {
	for _, st := range list {
		if len(st.tokens) == 0 || st.first().pos.Line > line || linesOf(st)[1] < line {
			continue
		}
		if st.keyword() == "for" {
			within := func(x *statement) bool {
				return x.keyword() == "for" && x.first().pos.Line <= line && line <= linesOf(x)[1]
			}
			if !slices.ContainsFunc(st.body, within) {
				return around
			}
			if len(st.body) > 1 {
				return forWithNests(st.body, line, st)
			}
		}
		return forWithNests(st.body, line, around)
	}
	return nil
}
