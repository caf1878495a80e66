package frontend

import (
	"slices"

	"loopc/ir/diag"
)

// severalVars rewrites let a, b and var a, b float64, which have no values, as a var for each name: the body gives them values
// later.
func (t *translator) severalVars(s lineStart) ([]token, bool) {
	l := s.tokens[:lastOf(s.tokens, ";")+1]
	if s.depth == 0 || len(l) < 4 || !l[0].named("let", "var") || slices.ContainsFunc(l, func(x token) bool { return x.is("=") || x.opens() || x.is(":") }) {
		return nil, false
	}
	var out []token
	elem := ""
	if last := l[len(l)-1]; typeName(last.text) != "" && l[len(l)-2].kind == tokIdent {
		elem, l = typeName(last.text), l[:len(l)-1]
	}
	names := commas(l[1:])
	for _, name := range names {
		if len(name) != 1 || name[0].kind != tokIdent || len(names) < 2 {
			return nil, false
		}
		own := elem
		if own == "" {
			own = t.typeOfVar(name[0], nil)
		}
		if out != nil {
			out = append(out, operator(";", l[0]))
		}
		out = append(out, word(tokIdent, "var", l[0]), name[0], word(tokIdent, own, l[0]), operator("=", l[0]), word(tokInt, "0", l[0]))
	}
	at := join(s.tokens[0].span(), s.tokens[lastOf(s.tokens, ";")].span())
	if !t.found("several vars", at, "a value that the body changes is a var, and each has a declaration and a first value of its own", func() string { return statementsText(out) }, diag.Replacement) {
		return nil, false
	}
	for _, name := range names {
		t.isVar(name[0].text)
	}
	for k := range out {
		out[k].pos.Line = s.tokens[0].pos.Line
	}
	return append(out, s.tokens[lastOf(s.tokens, ";")+1:]...), true
}
