package frontend

import (
	"slices"

	"loopc/ir"
	"loopc/ir/diag"
)

// A name that a body assigns to more than once is a var, declared with its type. In other languages the declaration has
// no type, or looks like that of a constant, or is missing.

// varMessage is said of a var without a type, or with a colon between name and type.
const varMessage = "a var has its type behind its name"

// letMessage and changedVar are said of values that a body declares.
const (
	letMessage = "a value of the iteration is a let"
	changedVar = "a value that the body changes is a var"
)

// untypedVar gives a var of a body its type, if the file assigns to it: other vars are lets.
func (t *translator) untypedVar(s lineStart) ([]token, bool) {
	l := s.tokens
	if s.depth == 0 || len(l) < 3 || !l[0].named("var") || l[1].kind != tokIdent || !t.assignedBelow(l[1]) {
		return nil, false
	}
	name, typ, value := l[1], []token{word(tokIdent, t.typeOfVar(l[1], l[3:]), l[1])}, l[2:]
	switch own := typeElsewhere(l[2].text); {
	case l[2].is("=") && !l[2].glued:
	case len(l) == 3 && own != "": // of Go
		typ, value = []token{word(tokIdent, own, l[1])}, append([]token{operator("=", l[2])}, t.firstOfVar(name, own)...)
	case shortVar(l):
		value, typ[0].text = l[3:], t.typeOfVar(name, l[4:])
	case l[2].is(":") && len(l) > 5 && l[3].kind == tokIdent && l[4].is("="):
		value = l[4:]
		if elem := typeElsewhere(l[3].text); elem != "" {
			typ[0].text = elem
		}
	default:
		return nil, false
	}
	declared := slices.Concat([]token{l[0], name}, typ)
	last, message, hint := l[len(l)-1], "a var has a first value", textOf(slices.Concat(declared, value))
	if len(l) > 3 {
		last, message, hint = l[len(l)-len(value)-1], varMessage, textOf(declared)
		if len(value) == 2 {
			last, hint = l[len(l)-1], textOf(slices.Concat(declared, value))
		}
	}
	if !t.found("var without type", join(l[0].span(), last.span()), message, func() string { return hint }, diag.Replacement) {
		return nil, false
	}
	t.isVar(name.text)
	return slices.Concat(declared, value), true
}

// shortVar reports whether a line is var s := x, half of Go.
func shortVar(l []token) bool { return len(l) > 4 && l[2].is(":") && l[3].is("=") }

// firstOfVar returns a first value for a var of this type that has none: 0 or, if the var s occurs next in s = max(...)
// or s = min(...), a number below or above all that occurs.
func (t *translator) firstOfVar(name token, elem string) []token {
	zero := []token{word(tokInt, "0", name)}
	at := slices.IndexFunc(t.tokens, func(x token) bool { return x.pos.Line > name.pos.Line && x.kind == tokIdent && x.text == name.text })
	if at < 0 || !t.at(at+1).is("=") || !t.at(at+2).named("max", "min") {
		return zero
	}
	far := beyondAll(ir.TypeNamed(elem))
	if far == "" {
		return zero
	}
	first := []token{word(tokFloat, far, name)}
	if ir.TypeNamed(elem).Integer() {
		first[0] = word(tokInt, far, name)
	}
	if t.at(at + 2).named("max") {
		return slices.Insert(first, 0, operator("-", name))
	}
	return first
}

// mutable returns the var or the let that let mut s = x or let mut s: f64 = x means, and the message for it; nil for others.
// left has the tokens between mut and =, and value those from = on.
func (t *translator) mutable(keyword token, left, value []token) ([]token, string) {
	name, typ := left[0], word(tokIdent, t.typeOfVar(left[0], value[1:]), left[0])
	typed := len(left) == 3 && left[1].is(":")
	if elem, known := aType(left[len(left)-1]); typed && known {
		typ = elem
	}
	switch last := value[len(value)-1]; {
	case !typed && len(left) > 1:
		return nil, ""
	case last.glued && last.kind == tokIdent && typeElsewhere(last.text) != "":
		typ, value = word(tokIdent, typeElsewhere(last.text), last), value[:len(value)-1]
	}
	if !t.assignedBelow(name) {
		return slices.Concat([]token{keyword, name}, value), letMessage
	}
	t.isVar(name.text)
	return slices.Concat([]token{word(tokIdent, "var", keyword), name, typ}, value), changedVar
}

// isVar records that a name is declared as a var, and forgets earlier assumptions about it.
func (t *translator) isVar(name string) {
	t.vars[name] = true
	for _, kind := range []map[string]bool{t.sums, t.carries, t.lets, t.locals} {
		delete(kind, name)
	}
}

// assignedBelow reports whether the file assigns to a name, or updates it, behind its declaration.
func (t *translator) assignedBelow(name token) bool {
	return slices.ContainsFunc(t.assignmentsTo(name.text), func(k int) bool { return t.at(k).pos.Line > name.pos.Line })
}

// assignmentsTo returns the tokens at which statements assign to the name, or update it: see assignsAt.
func (t *translator) assignmentsTo(name string) (at []int) {
	for k, x := range t.tokens {
		if x.kind == tokIdent && x.text == name && t.assignsAt(k) {
			at = append(at, k)
		}
	}
	return at
}

// summedInside finds an update, from token k on, of an undeclared name in an inner loop: if the body around the loop reads
// the name behind the loop, the name becomes a var of that body. The result is the update's last token; k if nothing was found.
func (t *translator) summedInside(e edits, k int) int {
	name, b := t.at(k), t.around(k)
	u, ok := t.updateAt(k)
	if !ok || u.sign.text == "" || u.over != k+1 || b == nil || !b.inner || t.vars[name.text] || t.arrays[name.text] || t.reduced[name.text] {
		return k
	}
	outer, loop := t.around(b.first), b.first
	for loop > 0 && !t.at(loop).is("for") {
		loop--
	}
	if outer == nil || loop <= outer.first {
		return k
	}
	if !t.varForgotten(e, k, loop, b.last, outer.last) {
		return k
	}
	t.isVar(name.text)
	return u.end
}

// varForgotten declares the name at token k before the for at token loop, if nothing declares it, and it is read
// between the end of that loop and the last token of the body around.
func (t *translator) varForgotten(e edits, k, loop, end, last int) bool {
	name := t.at(k)
	if t.declaredBefore(k) || !t.readBetween(name.text, end, last) {
		return false
	}
	declared := []token{word(tokIdent, "var", t.at(loop)), name, word(tokIdent, t.typeOfVar(name, nil), name), operator("=", name), word(tokInt, "0", name)}
	if !t.found("var forgotten", name.span(), name.text+" is not declared: what an inner loop adds up is a var of the body around it", func() string {
		return textOf(declared) + ", before this inner for"
	}, diag.Advice) {
		return false
	}
	e.at(loop).before = append(moved(declared, t.at(loop)), operator(";", t.at(loop)))
	return true
}

// declaredBefore reports whether the file declares the name at token k, or has the name before that token.
func (t *translator) declaredBefore(k int) bool {
	return t.declared[t.at(k).text] || slices.ContainsFunc(t.tokens[:k], func(x token) bool { return x.kind == tokIdent && x.text == t.at(k).text })
}

// readBetween reports whether the name is read from token first on, and before token last: it stands there without the sign of an assignment behind it.
func (t *translator) readBetween(name string, first, last int) bool {
	for k := first; k < min(last, len(t.tokens)); k++ {
		if x := t.at(k); x.kind == tokIdent && x.text == name && !t.at(k+1).assigns() {
			return true
		}
	}
	return false
}
