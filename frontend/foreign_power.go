package frontend

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"loopc/ir/diag"
)

// mostFactors is the greatest number of factors of a power that is written out.
const mostFactors = 8

// wholePower is a power of whole numbers as a number; "" if it has a fraction or is beyond int64.
func wholePower(b, n float64) string {
	value := math.Pow(b, n)
	if b != math.Trunc(b) || n != math.Trunc(n) || n < 0 || math.Abs(value) > 1<<53 {
		return ""
	}
	return strconv.FormatInt(int64(value), 10)
}

// raised returns what to write for x to the power of y, both given as operands: a product, if the exponent
// is a small whole number. Most powers have no equivalent in an integer context.
func raised(x, y string, integer bool) instead {
	base, exponent := unbracketed(x), unbracketed(y)
	if base != x {
		x = "(" + base + ")"
	}
	if exponent != y {
		y = "(" + exponent + ")"
	}
	b, known := numberIn(base)
	n, constant := numberIn(exponent)
	if text := written(x, base, n, integer); constant && text != "" {
		return fixed(text)
	}
	switch {
	case known && b == -1 && integral(exponent):
		sign := fixed(fmt.Sprintf("select(%s/2*2 == %s, 1, -1)", y, exponent))
		sign.note = ": a power of -1 is a choice by whether the exponent is even"
		return sign
	case integer && known && constant && wholePower(b, n) != "":
		return fixed(wholePower(b, n))
	case integer:
		return instead{hint: "a product, or an in array with the powers", kind: diag.Advice, note: ", and integers have no powers but products"}
	}
	return fixed(fmt.Sprintf("pow(%s, %s)", base, exponent))
}

// fixed returns text as the replacement of an operation.
func fixed(text string) instead { return instead{hint: text, kind: diag.Replacement, inline: text} }

// numberIn returns the value of text; false if text is not a number.
func numberIn(text string) (float64, bool) {
	v, err := strconv.ParseFloat(strings.ReplaceAll(text, " ", ""), 64)
	return v, err == nil && strings.Trim(text, "0123456789.-+eE ") == ""
}

// written returns x to the power of n as a product or a root; "" if that is too long, or if
// integer is set and it would be a fraction.
func written(x, base string, n float64, integer bool) string {
	times := strings.Join(slices.Repeat([]string{x}, int(min(mostFactors, math.Abs(n)))), "*")
	whole := n == math.Trunc(n) && math.Abs(n) <= mostFactors
	switch {
	case whole && n == 0:
		return "1"
	case whole && n == 1:
		return x
	case whole && n > 0:
		return "(" + times + ")"
	case integer:
		return ""
	case whole && n == -1:
		return "(1.0/" + x + ")"
	case whole:
		return "(1.0/(" + times + "))"
	case n == 0.5:
		return "sqrt(" + base + ")"
	case n == -0.5:
		return "(1.0/sqrt(" + base + "))"
	}
	return ""
}

// integral reports whether an exponent is made of names and whole numbers, without
// cells and calls.
func integral(text string) bool {
	return text != "" && strings.IndexFunc(text, func(r rune) bool { return !letter(r) && !digit(r) && !strings.ContainsRune(" +-*()", r) }) < 0
}

// unbracketed is text without brackets around all of it.
func unbracketed(text string) string {
	for strings.HasPrefix(text, "(") && strings.HasSuffix(text, ")") {
		depth := 0
		for k, r := range text {
			switch r {
			case '(':
				depth++
			case ')':
				depth--
			}
			if depth == 0 && k < len(text)-1 {
				return text
			}
		}
		text = text[1 : len(text)-1]
	}
	return text
}

// powerSign is the operator ** or ^ at token k, "" if there is none.
func powerSign(t *translator, k int) string {
	switch {
	case t.at(k).is("^"):
		return "^"
	case t.at(k).is("*") && t.at(k+1).is("*") && t.at(k+1).glued:
		return "**"
	}
	return ""
}

// powerMessage is what is said of ^ where a power is meant.
const powerMessage = "^ is the exclusive or of integers, and no power"

// isPower reports whether a power's operator begins at token k.
func (t *translator) isPower(k int) bool { return powerSign(t, k) != "" }

// power translates x**y and x^y, the operator being token k.
func (t *translator) power(e edits, k int) bool {
	if !t.isPower(k) {
		return false
	}
	sign, integer := powerSign(t, k), t.integerTarget(k)
	if sign == "^" && (integer || t.inSubscript(k) || !t.floatsNear(k) || t.bitsNear(k)) {
		return false // of bits
	}
	message := "the language has no operator " + sign
	if sign == "^" {
		message = powerMessage
	}
	return t.operation(e, k, len(sign), "power", message, func(x, y string, _ token) instead {
		return raised(x, y, integer)
	})
}

// floatsNear reports whether the line of token k has a cell of an array of floats, a number that is no integer, or
// the name of one.
func (t *translator) floatsNear(k int) bool {
	first := k
	for step := 0; first > 0 && t.sameLine(first-1, k) && step < maxForeignTokens; step++ {
		first--
	}
	for j := first; t.sameLine(j, k) && t.at(j).kind != tokEOF && j-first < maxForeignTokens; j++ {
		if t.at(j).kind == tokFloat || t.floats[t.at(j).text] || t.fractions[t.at(j).text] {
			return true
		}
	}
	return false
}

// bitsNear reports whether the line of token k has operators of bits besides.
func (t *translator) bitsNear(k int) bool {
	l := t.tokens[max(0, k-maxForeignTokens):min(len(t.tokens), k+maxForeignTokens)]
	return slices.ContainsFunc(l, func(x token) bool { return x.pos.Line == t.at(k).pos.Line && (x.is("<<") || x.is(">>") || x.is("&")) })
}

// integerTarget reports whether the line of token k assigns to an array of integers.
func (t *translator) integerTarget(k int) bool {
	for step := 0; k > 0 && t.sameLine(k-1, k); step++ {
		k--
		if step > maxForeignTokens {
			return false
		}
	}
	for t.at(k).kind != tokEOF && t.sameLine(k, k+1) && !t.at(k).is("=") {
		if name := t.at(k).text; t.at(k+1).is("[") && t.arrays[name] {
			return !t.floats[name]
		}
		k++
	}
	return false
}

// remainderMessage says how to write a remainder, and where the hint differs from the operator or
// function that other languages call name.
func remainderMessage(float bool, name string) string {
	switch {
	case float && name == "modulo":
		return "the remainder of floats is what a floor leaves"
	case float:
		return "the remainder of floats is what a floor leaves; what is offered differs: it has the sign of the divisor"
	case name == "fmod" || name == "rem":
		return "the remainder of integers is x%y"
	}
	return "the remainder of integers is x%y, and has the sign of x, as in C"
}

// remainderCalls rewrites mod(x, y) and mod1(x, y) in subscripts and in the headers of fors with the operator %. In the subscripts
// of a written array, wrapped reports it.
func (t *translator) remainderCalls() {
	t.pair()
	e := edits{}
	header := false
	for k, x := range t.tokens {
		if k == 0 || !t.sameLine(k-1, k) {
			header = x.is("for")
		}
		header = header && !x.is("{")
		open := k + 1
		if !x.named("mod", "modulo", "mod1", "rem") || t.declared[x.text] || !t.at(open).is("(") || t.match[open] < 0 || t.match[open]-open > maxForeignTokens {
			continue
		}
		args := commas(t.tokens[open+1 : t.match[open]])
		if len(args) != 2 || anyEmpty(args) || !header && !t.inSubscript(k) {
			continue
		}
		left, right, behind := args[0], args[1], []token(nil)
		if x.text == "mod1" {
			left, behind = slices.Concat(left, []token{operator("-", x), word(tokInt, "1", x)}), []token{operator("+", x), word(tokInt, "1", x)}
		}
		out := slices.Concat(factor(left, x), []token{operator("%", x)}, factor(right, x), behind)
		if array := t.subscriptedBy(k); !header && t.uses[array.text].written {
			t.renamed = true
		} else if !t.found("remainder of integers", join(x.span(), t.at(t.match[open]).span()), "the remainder of integers is x%y", func() string { return textOf(out) }, diag.Replacement) {
			return
		}
		e.drop(k, t.match[open])
		e.replace(k, out...)
	}
	t.tokens = e.apply(t.tokens, 0, len(t.tokens))
}

// factor puts brackets, at the place of token near, around several tokens, so that they can be multiplied or divided.
func factor(l []token, near token) []token {
	if len(l) == 1 {
		return l
	}
	return slices.Concat([]token{operator("(", near)}, l, []token{operator(")", near)})
}
