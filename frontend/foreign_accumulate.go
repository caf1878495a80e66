package frontend

import (
	"slices"
	"strings"

	"loopc/ir/diag"
)

// In other languages an inner loop collects a sum in a scalar, which is then assigned to a cell: double s = 0;
// for k { s += x }; c[i,j] = s. In this language the cell itself collects the sum, and an init gives the cell
// its first value.

// accumulated translates the update of such a scalar, from token k on.
func (t *translator) accumulated(e edits, k int) int {
	b, name := t.around(k), t.at(k).text
	if b == nil || !b.inner || !t.lets[name] && !t.locals[name] {
		return k
	}
	end := t.end(k)
	op, added := t.addedTo(k, end)
	first := t.firstOf(k)
	cell, last := t.resultOf(end, name)
	if added == nil || first < 0 || cell == nil {
		return k
	}
	sum := slices.Concat(cell, []token{operator("=", t.at(k))}, collectedIn(cell, op, added))
	const message = "what an inner loop adds up is collected by the cell itself: a let has one value in each iteration"
	if !t.found("accumulated", join(t.at(k).span(), t.at(end).span()), message, func() string { return textOf(sum) }, diag.Replacement) {
		return k
	}
	e.drop(k, end)
	e.replace(k, moved(sum, t.at(k))...)
	t.gone(e, first, t.end(first), "accumulated first", "the cell begins with what its init gives: init "+t.cellText(cell[0].text)+" = "+t.at(t.end(first)).text, func() string { return leaveOut }, diag.Advice)
	t.gone(e, last-len(cell)-1, last, "accumulated last", "the cell has the value already", func() string { return leaveOut }, diag.Advice)
	t.spoil(name)
	return end
}

// collectedIn returns the new value of a cell as text: the cell plus added, or the max or min of both.
func collectedIn(cell []token, op string, added []token) []token {
	near := cell[0]
	if op == "+" {
		return slices.Concat(cell, []token{operator("+", near)}, added)
	}
	return slices.Concat([]token{word(tokIdent, op, near), operator("(", near)}, cell, []token{operator(",", near)}, added, []token{operator(")", near)})
}

// addedTo reads the update, tokens k to end, of the scalar at token k. It returns the operator (+, max or min)
// and the other operand; nil if the update has another form.
func (t *translator) addedTo(k, end int) (op string, added []token) {
	name := t.at(k).text
	l := t.tokens[k+1 : end+1]
	if len(l) > 2 && l[0].is("+") && l[1].is("=") {
		return "+", l[2:]
	}
	if t.updates(k) != 2 || !l[0].is("=") {
		return "", nil
	}
	if l[1].text == name {
		return "+", l[3:]
	}
	args := commas(l[3 : len(l)-1])
	if len(args) != 2 || reductionsElsewhere[l[1].text] == "" {
		return "", nil
	}
	other := args[0]
	if len(other) == 1 && other[0].text == name {
		other = args[1]
	}
	return reductionsElsewhere[l[1].text], other
}

// firstOf returns the first token of the declaration, before token k, that gives the scalar at token k a
// number; -1 if there is none.
func (t *translator) firstOf(k int) int {
	for j := k - 1; j > 0 && k-j < maxForeignTokens; j-- {
		if t.at(j).text != t.at(k).text || !t.at(j+1).is("=") {
			continue
		}
		head := j
		for head > 0 && t.sameLine(head-1, j) && !t.at(head-1).is(";") && !t.at(head-1).is("{") {
			head--
		}
		if head < j && t.startValue(j+2, t.end(head)) {
			return head
		}
	}
	return -1
}

// resultOf finds the statement behind token k that assigns the scalar, and nothing else, to a cell. It
// returns the cell and the last token of the statement; nil if there is none.
func (t *translator) resultOf(k int, name string) (cell []token, last int) {
	for j := k + 1; j < len(t.tokens) && j-k < maxForeignTokens; j++ {
		if t.at(j).text == name && t.at(j-1).is("=") && t.at(j-2).is("]") && (!t.sameLine(j, j+1) || t.at(j+1).is(";") || t.at(j+1).is("}")) {
			if first := t.operandBefore(j - 1); first > k {
				return t.tokens[first : j-1], j
			}
		}
	}
	return nil, 0
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
