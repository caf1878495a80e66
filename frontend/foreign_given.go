package frontend

import (
	"strings"

	"loopc/ir/diag"
)

// Subscripts as filters are written on paper: x[t|t-1] is what is predicted for t from t-1, and x[t-1|t-1] what is known at t-1.

// barred translates such a subscript, whose bar is token k.
func (t *translator) barred(e edits, k, _ int) bool {
	if !t.inSubscript(k) {
		return false
	}
	first, last := k, k
	for n := 0; n < maxForeignTokens && first > 0 && !t.at(first-1).is("[") && !t.at(first-1).is(","); n++ {
		first--
	}
	for n := 0; n < maxForeignTokens && t.sameLine(k, last+1) && !t.at(last+1).is("]") && !t.at(last+1).is(","); n++ {
		last++
	}
	x, alsoX := linear(t.tokens[first:k])
	y, alsoY := linear(t.tokens[k+1 : last+1])
	array := t.subscriptedBy(k)
	if !alsoX || !alsoY || len(x.names) != 1 || len(y.names) != 1 || x.names[0] != y.names[0] || !t.arrays[array.text] || !t.uses[array.text].written {
		return false
	}
	at, of := strings.ReplaceAll(textOf(t.tokens[first:k]), " ", ""), strings.ReplaceAll(textOf(t.tokens[k+1:last+1]), " ", "")
	message, kind := "a subscript has no bar: of a dimension of time, what is known at "+of+" is the cell at "+at, diag.Replacement
	hint, habit := at, "given "+at+"|"+of
	if !x.plus(y, -1).zero() {
		name := t.fresh(array.text + "p")
		message, kind = "a subscript has no bar: what is predicted for "+at+" from "+of+" is a let of the body", diag.Advice
		hint = "let " + name + " = ... in place of the assignment, and " + name + " where it is read"
	}
	if !t.found(habit, join(t.at(first).span(), t.at(last).span()), message, func() string { return hint }, kind) {
		return false
	}
	t.supersede(e, first, last, t.tokens[first:k])
	return true
}
