package frontend

import (
	"fmt"
	"slices"

	"loopc/ir/diag"
)

// A value that is declared above the loops, updated by an inner loop and read behind it is most likely meant to begin anew in each
// iteration of the body around the inner loop, as in languages that declare all names at the top: a var of that body.

// countsAnew translates the declaration of such a value, from token k to token end, with the given name. It reports whether it is one.
func (t *translator) countsAnew(e edits, k, name, end int) bool {
	open := t.bodyOf(t.at(name).text, end)
	value := t.tokens[name+2 : end+1]
	number := func(x token) bool { return x.kind == tokInt || x.kind == tokFloat || x.is("-") }
	if open < 0 || t.around(k) != nil || slices.ContainsFunc(value, func(x token) bool { return !number(x) }) {
		return false
	}
	near, typ := t.at(open+1), t.typeOfVar(t.at(name), value)
	for _, x := range t.source { // the type that it is declared with, which was read before
		if elem, known := aType(x); known && x.pos.Line == t.at(k).pos.Line && x.pos.Col < value[0].pos.Col {
			typ = elem.text
		}
	}
	declared := slices.Concat([]token{word(tokIdent, "var", near), t.at(name), word(tokIdent, typ, near), operator("=", near)}, value)
	const message = "a var belongs in the body of a for, where it begins with its first value in each iteration: what one iteration hands to the next is a cell of an array"
	if !t.found("var above", join(t.at(k).span(), t.at(end).span()), message, func() string {
		return fmt.Sprintf("%s at the beginning of the body of the for in line %d, if it begins anew in each iteration", textOf(declared), t.at(open).pos.Line)
	}, diag.Advice) {
		return false
	}
	t.isVar(t.at(name).text)
	e.drop(k, end)
	e.at(open + 1).before = append(moved(declared, near), operator(";", near))
	return true
}

// bodyOf is the brace that begins the innermost block around all that is behind token k of a name, if this is the body of a for, inner
// loops of it update the name, and it reads the name itself; -1 for other names.
func (t *translator) bodyOf(name string, k int) int {
	var uses []int
	for j := k + 1; j < len(t.tokens); j++ {
		if x := t.at(j); x.kind == tokIdent && x.text == name {
			uses = append(uses, j)
		}
	}
	open := t.innermost(uses)
	if open < 0 || !t.blockOf(open+1).is("for") {
		return -1
	}
	inner := false
	for _, j := range uses {
		within := t.openBefore(j)
		inner = inner || within != open && t.blockOf(j).is("for") && t.updates(j) > 0
	}
	first := uses[0]
	read := slices.ContainsFunc(uses, func(j int) bool { return t.openBefore(j) == open && !t.at(j+1).assigns() && t.updates(j) == 0 })
	if !inner || !read || t.updates(first) == 0 || t.openBefore(first) == open {
		return -1
	}
	return open
}

// innermost returns the brace of the innermost block around all of the tokens, which are in order; -1 if there is none.
func (t *translator) innermost(tokens []int) int {
	open := -1
	for j := range t.tokens {
		if t.at(j).is("{") && len(tokens) > 0 && j < tokens[0] && t.match[j] > tokens[len(tokens)-1] {
			open = j
		}
	}
	return open
}
