package frontend

import (
	"slices"

	"loopc/ir"
	"loopc/ir/diag"
)

// missingSign reports two operands side by side, the second of which begins with token k, and puts the sign between them that is
// most likely missing: a comma if the brackets around them lack one, else that of a product. The line begins with token head.
func (t *translator) missingSign(e edits, k, head int) bool {
	before := t.at(k - 1)
	if !t.operandEnds(k) || t.at(k).named("at") || !t.sameLine(head, k) || t.at(head).is("schedule") || !t.declared[t.at(k).text] || k-head > maxForeignTokens {
		return false
	}
	l := t.tokens[head : t.endOfLine(k)+1]
	around, closed := bracketsOf(l)
	sign := slices.IndexFunc(l, func(x token) bool { return x.is("=") })
	again := slices.ContainsFunc(l[k-head:], func(x token) bool { return x.assigns() })
	first, last := t.operandBefore(k), t.operandBehind(k-1)
	if !closed || sign < 0 || head+sign >= k || again && around[k-head] == outside || first < 0 || last < 0 || !t.sameLine(first, last) {
		return false
	}
	missing, message, kind := operator("*", before), "a product needs its *", diag.Replacement
	if open := t.bracketBefore(k); open > head && t.lacksPart(open) {
		missing, message, kind = operator(",", before), "a comma is missing here", diag.Advice
	}
	if !t.found("missing "+missing.text, join(t.at(first).span(), t.at(last).span()), message, func() string {
		return textOf(slices.Concat(t.tokens[first:k], []token{missing}, t.tokens[k:last+1]))
	}, kind) {
		return false
	}
	e.at(k - 1).behind = append(e.at(k-1).behind, missing)
	return true
}

// operandEnds reports whether an operand ends before token k.
func (t *translator) operandEnds(k int) bool {
	before := t.at(k - 1)
	return before.is("]") || before.is(")") && !t.castBefore(k) || before.kind == tokIdent && t.declared[before.text]
}

// castBefore reports whether a type in brackets, as in C, ends before token k.
func (t *translator) castBefore(k int) bool {
	for j := t.match[k-1] + 1; j > 0 && j < k-1; j++ {
		if typeElsewhere(t.at(j).text) == "" {
			return false
		}
	}
	return true
}

// bracketBefore is the innermost bracket around token k that opens on its line, -1 if there is none.
func (t *translator) bracketBefore(k int) int {
	depth := 0
	for j := k - 1; j >= 0 && t.sameLine(j, k); j-- {
		if depth == 0 && t.at(j).opens() {
			return j
		}
		depth -= change(t.at(j))
	}
	return -1
}

// lacksPart reports whether the brackets that open at token k have fewer subscripts than the array before them has dimensions, or
// fewer arguments than the function takes.
func (t *translator) lacksPart(k int) bool {
	name := t.at(k - 1)
	if k == 0 || name.kind != tokIdent || t.match[k] < k {
		return false
	}
	parts := len(commas(t.tokens[k+1 : t.match[k]]))
	if t.at(k).is("[") {
		return parts < t.dims[name.text]
	}
	least := 0
	if f, known := ir.FuncNamed(name.text); known {
		least, _ = f.Arity()
	}
	return name.named("select") && parts < 3 || parts < least
}
