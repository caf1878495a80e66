package frontend

import (
	"slices"
	"strings"

	"loopc/ir/diag"
)

// In other languages an inner loop collects a sum in a scalar, which is then assigned to a cell: double s = 0;
// for k { s += x }; c[i,j] = s. In this language the scalar is a var of the body around the inner loop.

// collector translates the first value, from token k on, of a scalar of a body that an inner loop updates: let s =
// 0, double s = 0, or s = 0 alone. It returns the name, and k for another statement.
func (t *translator) collector(e edits, k int) int {
	name, elem, message := k, "", "what an inner loop changes is a var of the body around it"
	if t.at(k).is("let") {
		name, message = k+1, "a let has one value: "+message
	} else if typed := t.declares(k); typed > k {
		name, elem = typed, t.wide(t.declarationAt(k).elem).text
	} else if t.declared[t.at(k).text] {
		return k
	}
	last := name
	if typ := typeName(t.at(name + 1).text); name > k && elem == "" && typ != "" {
		last, elem = name+1, typ
	}
	value := t.tokens[last+1 : max(last+1, t.end(k)+1)]
	if t.at(name).kind != tokIdent || t.around(k) == nil || len(value) < 2 || !value[0].is("=") || len(commas(value)) > 1 || !t.inLoopBelow(name) {
		return k
	}
	if elem == "" {
		elem = t.typeOfVar(t.at(name), value[1:])
	}
	declared := []token{word(tokIdent, "var", t.at(k)), t.at(name), word(tokIdent, elem, t.at(name))}
	if len(value) == 2 { // shown with the declaration
		declared, last = append(declared, value...), last+len(value)
	}
	if !t.rewritten(e, k, last, "let of a loop", message, declared, diag.Replacement) {
		return k
	}
	t.isVar(t.at(name).text)
	return t.end(k)
}

// inLoopBelow reports whether an inner loop later in the block updates the scalar at token k, and the scalar is also
// read elsewhere.
func (t *translator) inLoopBelow(k int) bool {
	name, depth, loop := t.at(k).text, 0, false
	if t.vars[name] || t.arrays[name] || t.reduced[name] || t.sums[name] {
		return false
	}
	for j := t.end(k) + 1; depth >= 0 && j < len(t.tokens) && j-k < maxForeignTokens; j++ {
		switch x := t.at(j); {
		case x.is("{"):
			depth++
		case x.is("}"):
			depth--
		case x.is("for"):
			loop = true
		case loop && x.kind == tokIdent && x.text == name && t.assignsAt(j):
			return true
		}
	}
	return false
}

// leastOf rewrites u[i] min= x or u[i] max= x as an assignment.
func (t *translator) leastOf(s lineStart) ([]token, bool) {
	l, first := s.tokens, 1
	if l[1].is("[") {
		first = 2 + partner(l[1:])
	}
	last := lastOf(l, ";") + 1
	if s.depth == 0 || first+2 >= last || l[0].kind != tokIdent || !l[first].named("min", "max") || !l[first+1].is("=") || !l[first+1].glued {
		return nil, false
	}
	near := l[first]
	out := slices.Concat(l[:first], []token{operator("=", near), word(tokIdent, strings.ToLower(near.text), near), operator("(", near)}, l[:first],
		[]token{operator(",", near)}, l[first+2:last], []token{operator(")", near)})
	if !t.found("least "+near.text, join(l[0].span(), l[last-1].span()), "the language has no operator "+near.text+"=", func() string { return textOf(out) }, diag.Replacement) {
		return nil, false
	}
	for k := range out {
		out[k].pos.Line = l[0].pos.Line
	}
	return append(out, l[last:]...), true
}
