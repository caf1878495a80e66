package frontend

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"loopc/ir/diag"
)

// kindText matches a number with a kind of Fortran, as in 1.0_8.
var kindText = regexp.MustCompile(`^(.*[0-9.])_(?:4|8|16)$`)

// misread reports whether a source has a habit of other languages that this grammar accepts with
// another meaning.
func misread(tokens []token) bool {
	for k, x := range tokens {
		role := (x.is("out") || x.is("in") || x.is("inout")) && k+1 < len(tokens) && tokens[k+1].is("[") && tokens[k+1].glued // the name of an array
		if role || x.kind != tokIdent && kindText.MatchString(x.text) {
			return true
		}
	}
	return false
}

// countsAhead reports whether tokens behind the given one, in the same line, begin with ++ or -- in front of an operand: here
// these are two signs, which change nothing.
func countsAhead(before token, l []token) bool {
	return len(l) > 2 && (l[0].is("+") || l[0].is("-")) && l[1].is(l[0].text) && l[1].glued && l[2].glued && (l[2].operand() || l[2].is("(")) &&
		(before.kind == tokOp || before.kind == tokKeyword) && !before.operand() && before.pos.Line == l[0].pos.Line
}

// signsTwice warns of ++ and -- in front of operands.
func signsTwice(tokens []token) (out []diag.Diagnostic) {
	for k := 1; k < len(tokens); k++ {
		if countsAhead(tokens[k-1], tokens[k:]) {
			out = append(out, diag.Diagnostic{
				Severity: diag.Warning, Code: diag.Foreign, At: join(tokens[k].span(), tokens[k+1].span()),
				Message: fmt.Sprintf("there is no %[1]s%[1]s, and no assignment within an expression: these are two signs, which change nothing", tokens[k].text),
			})
		}
	}
	return out
}

// kindSuffix drops the kind of a number: its digits would extend those of the number.
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

// equality reports whether the = at token k compares: it stands in the brackets of a select.
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

// comparisonsElsewhere are the comparisons of other languages that consist of several signs, longer ones first.
var comparisonsElsewhere = []struct {
	signs []string
	here  string
}{
	{[]string{"=", "/", "="}, "!="}, {[]string{"==", "="}, "=="}, {[]string{"!=", "="}, "!="}, {[]string{"=", "!"}, "!="}, {[]string{"=", "<"}, "<="},
	{[]string{"=", ">"}, ">="}, {[]string{"/", "="}, "!="}, {[]string{"<", ">"}, "!="}, {[]string{"~="}, "!="}, {[]string{"="}, "=="},
}

// compares translates = in a condition, /=, <> and the like, which begin at token k.
func (t *translator) compares(e edits, k int) bool {
	for _, x := range comparisonsElsewhere {
		if !t.comparedForeign(k, x.signs) {
			continue
		}
		last := k + len(x.signs) - 1
		if t.found("compares "+strings.Join(x.signs, ""), join(t.at(k).span(), t.at(last).span()), "a comparison has the sign "+x.here, func() string { return x.here }, diag.Replacement) {
			e.drop(k, last)
			e.replace(k, operator(x.here, t.at(k)))
		}
		t.done = max(t.done, last)
		return true
	}
	return false
}

// comparedForeign reports whether the given signs stand at token k and compare: those that begin with = only in
// the brackets of a select, and /= only in parentheses.
func (t *translator) comparedForeign(k int, signs []string) bool {
	for n, sign := range signs {
		if x := t.at(k + n); !x.is(sign) || n > 0 && !(x.glued && t.sameLine(k, k+n)) {
			return false
		}
	}
	switch signs[0] {
	case "=":
		return t.equality(k)
	case "/":
		return t.inParentheses(k) || t.inIf(k)
	case "==", "!=":
		return t.at(k+1).pos.Col == t.at(k).pos.Col+2 // of JavaScript
	}
	return true
}

// inIf reports whether token k stands in a line that begins with if, elseif or while.
func (t *translator) inIf(k int) bool {
	head := k
	for head > 0 && k-head < maxForeignTokens && t.sameLine(head-1, k) && !t.at(head-1).is("{") && !t.at(head-1).is(";") {
		head--
	}
	return t.at(head).named("if", "elif", "elseif", "while") || t.at(head).is("if") || t.at(head).is("else")
}

// shiftOfJava translates >>>, which shifts zeros in from the left.
func (t *translator) shiftOfJava(e edits, k int) bool {
	if !t.at(k+1).is(">") || !t.at(k+2).is(">") || !t.at(k+1).glued || !t.at(k+2).glued || !t.at(k-1).operand() || t.at(k-1).is(">") {
		return false
	}
	if t.found("shift of Java", join(t.at(k).span(), t.at(k+2).span()), "the language has no operator >>>: >> keeps the sign, and & with a mask behind it makes the bits from the left 0",
		func() string { return ">>" }, diag.Replacement) {
		e.drop(k, k+2)
		e.replace(k, operator(">", t.at(k)), glued(operator(">", t.at(k))))
	}
	t.done = k + 2
	return true
}

// glued is a token that touches the one before.
func glued(x token) token {
	x.glued = true
	return x
}

// suffix drops the f of 1.0f.
func (t *translator) suffix(e edits, k int) {
	tail := t.at(k + 1)
	if t.product(e, k) || t.kindSuffix(e, k) {
		return
	}
	if !tail.glued || tail.kind != tokIdent || strings.Trim(strings.ToLower(tail.text), "ful") != "" && typeElsewhere(tail.text) == "" {
		return
	}
	e.replace(k + 1)
	t.found("suffix", join(t.at(k).span(), tail.span()), "numbers have no suffix: they are exact until they meet a type", func() string { return t.at(k).text }, diag.Replacement)
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
