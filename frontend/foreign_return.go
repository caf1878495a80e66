package frontend

import (
	"slices"

	"loopc/ir/diag"
)

// returnedValue rewrites the return of a value in a body as an assignment to the only cell that the body writes. Without such a cell it drops
// the return.
func (t *translator) returnedValue(s lineStart) ([]token, bool) {
	last := lastOf(s.tokens, ";")
	for last > 0 && s.tokens[last].is("}") {
		last--
	}
	value := s.tokens[1 : last+1]
	if s.depth == 0 || !s.tokens[0].named("return") || t.declared[s.tokens[0].text] || len(value) == 0 || value[0].is(";") || value[0].is("=") || value[0].is("}") || !balanced(value) {
		return nil, false
	}
	body := t.bodyAround(s.tokens[0])
	if body == nil || len(value) == 1 && value[0].kind == tokInt { // a number alone is that of a program
		return nil, false
	}
	cell := t.onlyCell(body)
	if t.isResult(value, cell) {
		return nil, false
	}
	var out []token
	if cell != nil {
		out = slices.Concat(moved(cell, s.tokens[0]), []token{operator("=", s.tokens[0])}, value)
	}
	const message = "an iteration returns nothing: an assignment gives a cell its value"
	if !t.found("returned value", join(s.tokens[0].span(), s.tokens[last].span()), message, func() string { return textOf(out) }, diag.Replacement) {
		return nil, false
	}
	if out == nil {
		t.spoil(droppedStatement)
		out = []token{operator(";", s.tokens[0])}
	}
	return append(out, s.tokens[last+1:]...), true
}

// isResult reports whether a value is an array or one of its cells, with no subscript of a cell that the body writes: it is a result of the
// whole nest.
func (t *translator) isResult(value, written []token) bool {
	moves := func(x token) bool {
		return x.kind == tokIdent && slices.ContainsFunc(written, func(y token) bool { return y.text == x.text })
	}
	return t.isArray(value[0]) && (len(value) == 1 || 1+partner(value[1:]) == len(value)-1) && !slices.ContainsFunc(value[1:], moves)
}

// bodyAround returns the tokens of the block of the innermost for around a token; nil if there is none.
func (t *translator) bodyAround(x token) []token {
	k := slices.IndexFunc(t.tokens, func(y token) bool { return y.pos == x.pos })
	if k < 0 || len(t.match) != len(t.tokens) {
		return nil
	}
	for open := t.openBefore(k); open >= 0; open = t.openBefore(open) {
		if t.blockOf(open + 1).is("for") {
			return t.tokens[open:max(open, t.match[open])]
		}
	}
	return nil
}

// onlyCell is the cell that all assignments to cells in a body write; nil if they write several.
func (t *translator) onlyCell(body []token) (cell []token) {
	for k, x := range body {
		at := slices.IndexFunc(t.tokens, func(y token) bool { return y.pos == x.pos })
		if !t.isArray(x) || !t.writes(at) {
			continue
		}
		own := body[k : k+2+partner(body[k+1:])]
		if cell != nil && textOf(own) != textOf(cell) {
			return nil
		}
		cell = own
	}
	return cell
}
