package frontend

import (
	"slices"

	"loopc/ir/diag"
)

// listed reports whether the ( at token k begins the arguments of a function that are one
// list, as in min([a, b]).
func (t *translator) listed(k int) bool {
	open := t.at(k + 1)
	return k > 0 && t.at(k-1).named("min", "max", "sum", "fmin", "fmax") && open.is("[") && t.match[k] > k && t.match[k+1] == t.match[k]-1 &&
		slices.ContainsFunc(t.tokens[k+2:t.match[k+1]], func(x token) bool { return x.is(",") }) && len(commas(t.tokens[k+2:t.match[k+1]])) > 1
}

// oneOf translates x in [a, b], the in being token k.
func (t *translator) oneOf(e edits, k int) bool {
	if !t.at(k + 1).is("[") {
		return false
	}
	first, last := t.operandBefore(k), t.match[k+1]
	if first < 0 || last < 0 || last-k > mostOperand || !t.inParentheses(k) {
		return false
	}
	values := commas(t.tokens[k+2 : last])
	for n, v := range values {
		values[n] = slices.Concat(t.tokens[first:k], []token{operator("==", t.at(k))}, v)
	}
	out := between(values, "||", t.at(k))
	if !t.found("one of", join(t.at(first).span(), t.at(last).span()), "there are no lists: a comparison is with one number", func() string { return "(" + lineOf(out, maxForeignTokens) + ")" }, diag.Replacement) {
		return false
	}
	t.supersede(e, first, last, slices.Concat([]token{operator("(", t.at(k))}, out, []token{operator(")", t.at(k))}))
	return true
}

// listArgument drops the brackets of the list that is the argument of a function, from the (
// at token k on.
func (t *translator) listArgument(e edits, k int) bool {
	if !t.listed(k) {
		return false
	}
	last := t.match[k]
	inner := t.tokens[k+2 : last-1]
	if t.found("list argument", join(t.at(k-1).span(), t.at(last).span()), "a function has arguments, and there are no lists", func() string {
		return t.at(k-1).text + "(" + lineOf(inner, maxForeignTokens) + ")"
	}, diag.Replacement) {
		e.replace(k + 1)
		e.replace(last - 1)
	}
	return true
}
