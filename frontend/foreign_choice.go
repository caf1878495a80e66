package frontend

import (
	"fmt"
	"loopc/ir/diag"
	"slices"
)

// The choices of other languages within an expression, c ? a : b, a if c else b and
// if c then a else b, are selects.

// chosen translates x if c else y, k being the if.
func (t *translator) chosen(e edits, k int) bool {
	if t.at(k).text != "if" || k == 0 || !t.sameLine(k-1, k) {
		return false
	}
	if !t.at(k - 1).operand() {
		t.conditional(e, k)
		return true
	}
	first := t.operandStart(k)
	other, last := -1, k
	for step := 0; step < maxForeignTokens; step++ {
		x := t.at(last + 1)
		if x.opens() && t.match[last+1] > 0 {
			last = t.match[last+1]
			continue
		}
		if x.kind == tokEOF || x.closes() || x.is(",") || x.is(";") || x.is("}") || x.pos.Line > t.at(last).pos.Line && t.at(last).operand() {
			break
		}
		if x.named("else") && other < 0 {
			other = last + 1
		}
		last++
	}
	if other < 0 || other == last || first == k || other == k+1 {
		return false
	}
	a, c, b := t.tokens[first:k], t.tokens[k+1:other], t.tokens[other+1:last+1]
	ca, one := t.cleaned(a, mostOperand)
	cc, two := t.cleaned(c, mostOperand)
	cb, three := t.cleaned(b, mostOperand)
	text := fmt.Sprintf("select(%s, %s, %s)", textOf(c), textOf(a), textOf(b))
	if one && two && three {
		text = fmt.Sprintf("select(%s, %s, %s)", textOf(cc), textOf(ca), textOf(cb))
	}
	message := "the language has no if inside an expression but select"
	if slices.ContainsFunc(t.tokens[first:last+1], func(x token) bool { return x.is("//") }) {
		message += ", a comment begins at //, and the quotient is /"
	}
	if !t.found("ternary", join(t.at(first).span(), t.at(last).span()), message, func() string { return text }, diag.Replacement) {
		return false
	}
	tokens := []token{word(tokIdent, hole, t.at(first))}
	if near := t.at(first); one && two && three {
		tokens = slices.Concat([]token{word(tokIdent, "select", near), operator("(", near)}, cc, []token{operator(",", near)}, ca, []token{operator(",", near)}, cb, []token{operator(")", near)})
	}
	t.supersede(e, first, last, tokens)
	return true
}

// conditional translates if c then x else y in an expression, k being the if.
func (t *translator) conditional(e edits, k int) {
	then, other, last := -1, -1, k
	for step := 0; step < mostOperand; step++ {
		next := last + 1
		x := t.at(next)
		if x.opens() && t.match[next] > 0 {
			last = t.match[next]
			continue
		}
		if !t.sameLine(k, next) || x.closes() || x.is(",") || x.is(";") || x.is("}") || x.kind == tokEOF || x.named("if") {
			break
		}
		if x.named("then") {
			then = next
		} else if x.named("else") && other < 0 {
			other = next
		}
		last = next
	}
	if then < k+2 || other < then+2 || last == other || t.at(k-1).is("{") || t.at(k-1).is("}") || t.at(k-1).is(";") {
		return
	}
	near := t.at(k)
	comma := []token{operator(",", near)}
	out := slices.Concat([]token{word(tokIdent, "select", near), operator("(", near)}, t.tokens[k+1:then], comma, t.tokens[then+1:other], comma, t.tokens[other+1:last+1], []token{operator(")", near)})
	if t.found("ternary", join(near.span(), t.at(last).span()), "the language has no if inside an expression but select", func() string { return lineOf(out, maxForeignTokens) }, diag.Replacement) {
		t.supersede(e, k, last, out)
	}
}

// ternary translates c ? a : b, k being the question mark.
func (t *translator) ternary(e edits, k int) {
	first, colon, last := t.operandStart(k), -1, k
	waiting := 0
	for step := 0; step < maxForeignTokens; step++ {
		x := t.at(last + 1)
		if x.is("(") || x.is("[") {
			if t.match[last+1] < 0 {
				return
			}
			last = t.match[last+1]
			continue
		}
		if x.is("?") {
			waiting++
		}
		if x.is(":") && waiting == 0 && colon < 0 {
			colon = last + 1
		} else if x.is(":") {
			waiting--
		}
		if x.is(")") || x.is("]") || x.is(",") || x.is(";") || x.is("}") || x.kind == tokEOF ||
			x.pos.Line > t.at(last).pos.Line && t.at(last).operand() {
			break
		}
		last++
	}
	if colon < 0 || colon == last || first == k {
		return
	}
	if !t.found("ternary", join(t.at(first).span(), t.at(last).span()), "the language has no ?: but select", func() string {
		return fmt.Sprintf("select(%s, %s, %s)", textOf(t.tokens[first:k]), textOf(t.tokens[k+1:colon]), textOf(t.tokens[colon+1:last+1]))
	}) {
		return
	}
	near := t.at(first)
	e.at(first).before = slices.Concat([]token{word(tokIdent, "select", near), operator("(", near)}, e.at(first).before)
	e.replace(k, operator(",", t.at(k)))
	e.replace(colon, operator(",", t.at(colon)))
	e.at(last).behind = append(e.at(last).behind, operator(")", t.at(last)))
}
