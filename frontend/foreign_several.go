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

// chosenReduction rewrites reduce m = x > m ? x : m, which other languages have in a loop, as reduce m = max(x).
func (t *translator) chosenReduction(s lineStart) ([]token, bool) {
	l := s.tokens[:lastOf(s.tokens, ";")+1]
	if len(l) < 9 || !l[0].is("reduce") || !l[2].is("=") {
		return nil, false
	}
	name, value := l[1].text, l[3:]
	question := slices.IndexFunc(value, func(x token) bool { return x.is("?") })
	if question < 0 {
		return nil, false
	}
	results := cut(value[question+1:], ":")
	test := withoutRound(value[:question])
	sign := slices.IndexFunc(test, func(x token) bool { return x.is("<") || x.is(">") || x.is("<=") || x.is(">=") })
	if len(results) != 2 || sign < 1 || sign+1 >= len(test) {
		return nil, false
	}
	less := test[sign].text[0] == '<'
	left, right, first, second := textOf(test[:sign]), textOf(test[sign+1:]), textOf(results[0]), textOf(results[1])
	taken := results[0]
	switch {
	case left == first && right == second: // the least if it is less
	case left == second && right == first:
		less = !less
	default:
		return nil, false
	}
	switch name {
	case first:
		taken = results[1]
	case second:
	default:
		return nil, false
	}
	op := "max"
	if less {
		op = "min"
	}
	out := slices.Concat(l[:3], []token{word(tokIdent, op, l[3]), operator("(", l[3])}, taken, []token{operator(")", l[3])})
	if !t.found("chosen reduction", join(l[0].span(), l[len(l)-1].span()), "a reduction has an expression of the body, and compares by itself", func() string { return textOf(out) }, diag.Replacement) {
		return nil, false
	}
	return append(out, s.tokens[lastOf(s.tokens, ";")+1:]...), true
}
