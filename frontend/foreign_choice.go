package frontend

import (
	"fmt"
	"slices"

	"loopc/ir/diag"
)

// The conditional expressions of other languages become selects: "c ? a : b", "a if c else b" and
// "if c then a else b".

// selectOf makes a select: a if the condition c holds, else b.
func selectOf(near token, c, a, b []token) []token {
	comma := []token{operator(",", near)}
	return slices.Concat([]token{word(tokIdent, "select", near), operator("(", near)}, c, comma, a, comma, b, []token{operator(")", near)})
}

const choiceMessage = "the language has no if inside an expression but select"

// operandEnd is the last token of the expression that begins behind token k.
func (t *translator) operandEnd(k int) int {
	for step := 0; step < maxForeignTokens; step++ {
		x := t.at(k + 1)
		switch {
		case x.opens() && t.match[k+1] > 0:
			k = t.match[k+1]
		case x.kind == tokEOF || x.closes() || x.is(",") || x.is(";") || x.is("}") || x.pos.Line > t.at(k).pos.Line && t.at(k).operand():
			return k
		default:
			k++
		}
	}
	return k
}

// outsideBrackets returns the first of tokens first to last that is outside brackets and whose
// text is in texts; -1 if there is none.
func (t *translator) outsideBrackets(first, last int, texts ...string) int {
	for k := first; k <= last; k++ {
		if x := t.at(k); x.opens() && t.match[k] > k {
			k = t.match[k]
		} else if slices.Contains(texts, x.text) {
			return k
		}
	}
	return -1
}

// chosen translates "x if c else y" and "if c then x else y". Token k is the if.
func (t *translator) chosen(e edits, k int) bool {
	if t.at(k).text != "if" || k == 0 || !t.sameLine(k-1, k) {
		return false
	}
	if !t.at(k - 1).operand() {
		return t.conditional(e, k)
	}
	first, last := t.operandStart(k), t.operandEnd(k)
	other := t.outsideBrackets(k+1, last, "else")
	if other < 0 || other == last || first == k || other == k+1 {
		return false
	}
	near := t.at(first)
	a, c, b := t.tokens[first:k], t.tokens[k+1:other], t.tokens[other+1:last+1]
	ca, one := t.cleaned(a, mostOperand)
	cc, two := t.cleaned(c, mostOperand)
	cb, three := t.cleaned(b, mostOperand)
	text, out := selectOf(near, c, a, b), []token{word(tokIdent, hole, near)}
	if one && two && three {
		text = selectOf(near, cc, ca, cb)
		out = text
	}
	message := choiceMessage
	if slices.ContainsFunc(t.tokens[first:last+1], func(x token) bool { return x.is("//") }) {
		message += ", a comment begins at //, and the quotient is /"
	}
	if !t.found("ternary", join(near.span(), t.at(last).span()), message, func() string { return lineOf(text, maxForeignTokens) }, diag.Replacement) {
		return false
	}
	t.supersede(e, first, last, out)
	return true
}

// conditional translates "if c then x else y". Token k is the if.
func (t *translator) conditional(e edits, k int) bool {
	last := t.operandEnd(k)
	then := t.outsideBrackets(k+1, last, "then", "if")
	other := t.outsideBrackets(then+1, last, "else", "if")
	if before := t.at(k - 1); before.is("{") || before.is("}") || before.is(";") || then < k+2 || other < then+2 || other == last ||
		!t.at(then).named("then") || !t.at(other).named("else") || !t.sameLine(k, last) {
		return false
	}
	out := selectOf(t.at(k), t.tokens[k+1:then], t.tokens[then+1:other], t.tokens[other+1:last+1])
	if t.found("ternary", join(t.at(k).span(), t.at(last).span()), choiceMessage, func() string { return lineOf(out, maxForeignTokens) }, diag.Replacement) {
		t.supersede(e, k, last, out)
	}
	return true
}

// ternary translates c ? a : b. Token k is the question mark.
func (t *translator) ternary(e edits, k int) {
	first, last := t.operandStart(k), t.operandEnd(k)
	colon := t.outsideBrackets(k+1, last, ":")
	for inner := t.outsideBrackets(k+1, colon, "?"); inner > 0; inner = t.outsideBrackets(inner+1, colon, "?") {
		colon = t.outsideBrackets(colon+1, last, ":") // the one before belongs to the inner ?:
	}
	if colon < 0 || colon == last || first == k {
		return
	}
	near := t.at(first)
	if head := t.lineBegin(k); t.at(head).is("for") || t.at(head).is("repeat") {
		if t.found("ternary in a range", join(near.span(), t.at(last).span()), "the end of a range is no choice: a lower one may be a max, and an upper one a min", func() string { return "" }) {
			t.supersede(e, first, last, []token{word(tokIdent, hole, near)})
		}
		return
	}
	if t.looseCondition(first, k) {
		message := "the language has no ?: but select, and ?: binds less tightly than what stands before its condition: brackets around all of it say what it has"
		if t.found("ternary loose", join(near.span(), t.at(last).span()), message, func() string { return "" }) {
			t.supersede(e, first, last, []token{word(tokIdent, hole, near)})
		}
		return
	}
	if !t.found("ternary", join(near.span(), t.at(last).span()), "the language has no ?: but select", func() string {
		return fmt.Sprintf("select(%s, %s, %s)", textOf(truth(t.tokens[first:k])), textOf(t.tokens[k+1:colon]), textOf(t.tokens[colon+1:last+1]))
	}) {
		return
	}
	e.at(first).before = slices.Concat([]token{word(tokIdent, "select", near), operator("(", near)}, e.at(first).before)
	e.replace(k, operator(",", t.at(k)))
	e.replace(colon, operator(",", t.at(colon)))
	e.at(last).behind = append(e.at(last).behind, operator(")", t.at(last)))
}

// looseCondition reports whether tokens first to k-1 are a sum or a product whose last operand is a condition in brackets: the author
// of x + (c) ? a : b means x + (c ? a : b).
func (t *translator) looseCondition(first, k int) bool {
	open := t.match[max(k-1, 0)]
	if !t.at(k-1).is(")") || open <= first || binaryOps[t.at(open-1).text].precedence < binaryOps["+"].precedence {
		return false
	}
	return t.outsideBrackets(open+1, k-2, "<", ">", "<=", ">=", "==", "!=", "&&", "||") > 0
}
