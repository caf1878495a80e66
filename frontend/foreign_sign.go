package frontend

import (
	"regexp"
	"slices"
	"strings"

	"loopc/ir/diag"
)

// kindText is a number with a kind of Fortran, as in 1.0_8.
var kindText = regexp.MustCompile(`^(.*[0-9.])_(?:4|8|16)$`)

// misread reports whether a source has a habit of other languages that this grammar accepts with
// another meaning.
func misread(tokens []token) bool {
	return slices.ContainsFunc(tokens, func(x token) bool { return x.kind != tokIdent && kindText.MatchString(x.text) })
}

// kindSuffix drops the kind of a number, whose digits would extend the number.
func (t *translator) kindSuffix(e edits, k int) bool {
	tok := t.at(k)
	m := kindText.FindStringSubmatch(tok.text)
	if m == nil || literal(tok.kind, m[1]) == nil || !t.found("suffix", tok.span(), "numbers have no suffix: they are exact until they meet a type", func() string { return m[1] }, diag.Replacement) {
		return false
	}
	e.replace(k, word(tok.kind, m[1], tok))
	return true
}

// product adds the * between a number and its factor, as in 4x[i] and 0.25(x + y).
func (t *translator) product(e edits, k int) bool {
	next := t.at(k + 1)
	factor := next.is("(") && next.glued || next.kind == tokIdent && t.sameLine(k, k+1) && (t.at(k+2).is("[") || t.at(k+2).is("(") && next.glued)
	if !factor || t.match[k+1] < 0 && next.is("(") {
		return false
	}
	last := t.operandBehind(k)
	if last < 0 || !t.sameLine(k, last) || next.named("if", "else", "and", "or", "step", "until") {
		return false
	}
	if !t.found("product", join(t.at(k).span(), t.at(last).span()), "a product needs its *", func() string {
		return t.at(k).text + "*" + textOf(t.tokens[k+1:last+1])
	}) {
		return false
	}
	e.at(k).behind = append(e.at(k).behind, operator("*", next))
	return true
}

// inParentheses reports whether token k stands in the arguments of a call or in round
// brackets.
func (t *translator) inParentheses(k int) bool {
	depth := 0
	for j := k - 1; j >= 0 && k-j < maxForeignTokens && t.sameLine(j, k); j-- {
		switch x := t.at(j); {
		case x.closes():
			depth++
		case x.opens() && depth == 0:
			return x.is("(")
		case x.opens():
			depth--
		}
	}
	return false
}

// equality reports whether the = at token k compares: in the first argument of a select.
func (t *translator) equality(k int) bool {
	depth := 0
	for j := k - 1; j > 0 && k-j < maxForeignTokens && t.sameLine(j, k); j-- {
		switch x := t.at(j); {
		case x.closes():
			depth++
		case x.opens() && depth == 0:
			return x.is("(") && t.at(j-1).named("select", "where", "merge") && !slices.ContainsFunc([]string{"=", "==", "!=", "<", ">", "!", "/", "+", "-", "*"}, t.at(k-1).is)
		case x.opens():
			depth--
		}
	}
	return false
}

// compares translates = in a condition, /= and <>, which begin at token k.
func (t *translator) compares(e edits, k int) bool {
	if !t.comparedForeign(k) {
		return false
	}
	sign, last := "!=", k+1
	if t.at(k).is("==") {
		sign = "=="
	} else if t.at(k).is("=") {
		sign, last = "==", k
	}
	if t.found("compares "+t.at(k).text, join(t.at(k).span(), t.at(last).span()), "a comparison has the sign "+sign, func() string { return sign }, diag.Replacement) {
		e.drop(k, last)
		e.replace(k, operator(sign, t.at(k)))
	}
	return true
}

// comparedForeign reports whether token k begins a comparison of another language: a single =
// in a condition, === and !==, /= in parentheses, or <>.
func (t *translator) comparedForeign(k int) bool {
	next := t.at(k + 1)
	switch tok := t.at(k); {
	case tok.is("="):
		return t.equality(k)
	case tok.is("==") || tok.is("!="):
		return next.is("=") && next.glued && next.pos.Line == tok.pos.Line && next.pos.Col == tok.pos.Col+2 // of JavaScript
	case tok.is("/"):
		return next.is("=") && next.glued && t.inParentheses(k)
	case tok.is("<"):
		return next.is(">") && next.glued
	}
	return false
}

// suffix drops the f of 1.0f.
func (t *translator) suffix(e edits, k int) {
	tail := t.at(k + 1)
	if t.product(e, k) || t.kindSuffix(e, k) {
		return
	}
	if !tail.glued || tail.kind != tokIdent || strings.Trim(strings.ToLower(tail.text), "ful") != "" {
		return
	}
	e.replace(k + 1)
	t.found("suffix", join(t.at(k).span(), tail.span()), "numbers have no suffix: they are exact until they meet a type", func() string { return t.at(k).text })
}

// exponent reads the d of 1.5d0 and 1d-3 as e.
func (t *translator) exponent(e edits, k int) bool {
	tail := t.at(k + 1)
	if !tail.glued || tail.kind != tokIdent || tail.text[0] != 'd' && tail.text[0] != 'D' || strings.Trim(tail.text[1:], "0123456789") != "" {
		return false
	}
	last, digits := k+1, tail.text[1:]
	if sign := t.at(k + 2); digits == "" && (sign.is("-") || sign.is("+")) && sign.glued && t.at(k+3).glued && t.at(k+3).kind == tokInt {
		last, digits = k+3, sign.text+t.at(k+3).text
	}
	if digits == "" {
		return false
	}
	number := t.at(k).text + "e" + digits
	if digits == "0" {
		number = t.at(k).text
	}
	if literal(tokFloat, number) == nil || !t.found("exponent", join(t.at(k).span(), t.at(last).span()), "the exponent of a number begins with e, and numbers are exact until they meet a type", func() string { return number }, diag.Replacement) {
		return false
	}
	e.drop(k, last)
	e.replace(k, word(tokFloat, number, t.at(k)))
	return true
}
