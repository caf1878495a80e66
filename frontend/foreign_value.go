package frontend

import (
	"slices"
	"strings"

	"loopc/ir"
	"loopc/ir/diag"
)

// Values that other languages write with words around them: the if of Rust and Julia, methods of numbers, and the end of a
// dimension. They become a select, a call, and the bound of the array, before lines and blocks are read.

// values translates such values.
func (t *translator) values() {
	t.pair()
	e := edits{}
	t.done = -1
	for k, x := range t.tokens {
		switch {
		case k <= t.done:
		case x.kind == tokIdent && (t.size(e, k, false) || t.transposed(e, k)):
		case x.named("if"):
			t.ifOfRust(e, k)
		case x.is(".") && x.glued:
			t.method(e, k)
		case x.kind != tokIdent && !x.is("%") || t.declared[x.text]:
		case x.text == "end":
			t.endOfDimension(e, k)
		case x.is("%"):
			t.wordOfMatlab(e, k)
		}
	}
	t.tokens = e.apply(t.tokens, 0, len(t.tokens))
	t.done = -1
}

// wordOfMatlab drops a comment of one word behind a %: a name that occurs nowhere else. Token k is the sign.
func (t *translator) wordOfMatlab(e edits, k int) {
	name := t.at(k + 1)
	if name.kind != tokIdent || !t.sameLine(k, k+1) || t.sameLine(k, k+2) && t.at(k+2).kind != tokEOF || t.at(k-1).is("{") {
		return
	}
	others := slices.ContainsFunc(t.tokens, func(x token) bool { return x.text == name.text && x.pos != name.pos })
	if !others && t.found("comment of MATLAB", t.at(k).span(), commentMessage, func() string { return "// ..." }) {
		e.drop(k, k+1)
	}
}

// ifOfRust translates let x = if c { a } else { b }, and if c; a else b end of Julia. Token k is the if.
func (t *translator) ifOfRust(e edits, k int) {
	if before := t.at(k - 1); k == 0 || before.kind != tokOp || !t.sameLine(k-1, k) || before.operand() || before.is(";") || before.is("{") {
		return
	}
	out, last := t.choiceOfRust(k)
	if out == nil {
		out, last = t.choiceOfJulia(k)
	}
	if out == nil {
		return
	}
	kind := diag.Replacement
	if !t.sameLine(k, last) {
		kind = diag.Example
	}
	if t.found("ternary", join(t.at(k).span(), t.at(last).span()), choiceMessage, func() string { return lineOf(out, maxForeignTokens) }, kind) {
		t.supersede(e, k, last, out)
	}
}

// choiceOfRust returns the select for if c { a } else { b }, and its last token. Token k is the if.
func (t *translator) choiceOfRust(k int) (out []token, last int) {
	then := t.outsideBrackets(k+1, min(k+maxForeignTokens, len(t.tokens)-1), "{", ";")
	if then < k+2 || !t.at(then).is("{") || t.match[then] < then+2 || !t.at(t.match[then]+1).named("else") {
		return nil, 0
	}
	var b []token
	switch other := t.match[then] + 2; {
	case t.at(other).named("if"):
		b, last = t.choiceOfRust(other)
	case t.at(other).is("{") && t.match[other] > other+1:
		b, last = t.tokens[other+1:t.match[other]], t.match[other]
	}
	return t.chosenValue(k, t.tokens[k+1:then], t.tokens[then+1:t.match[then]], b), last
}

// choiceOfJulia returns the select for if c; a else b end, and its last token. Token k is the if.
func (t *translator) choiceOfJulia(k int) (out []token, last int) {
	line := k
	for t.sameLine(k, line+1) {
		line++
	}
	find := func(from int, text string) int { return t.outsideBrackets(from, line, text) }
	then := find(k+1, ";")
	other := find(max(then, k)+1, "else")
	last = find(max(other, k)+1, "end")
	if then < 0 || other < 0 || last < 0 || other < then || last < other {
		return nil, 0
	}
	return t.chosenValue(k, t.tokens[k+1:then], t.tokens[then+1:other], t.tokens[other+1:last]), last
}

// chosenValue is the select of a or b by c; nil if one of them is no expression.
func (t *translator) chosenValue(k int, c, a, b []token) []token {
	for _, l := range [][]token{c, a, b} {
		if len(l) == 0 || slices.ContainsFunc(l, func(x token) bool { return x.is(";") || x.is("{") || x.is("=") && !l[0].named("select") }) {
			return nil
		}
	}
	return selectOf(t.at(k), c, a, b)
}

// methodsElsewhere are methods of numbers whose names are not those of functions here.
var methodsElsewhere = map[string]string{"ln": "log", "powi": "pow", "powf": "pow", "powc": "pow"}

// method translates x.sqrt() and x.max(y), one behind the other. Token k is the point.
func (t *translator) method(e edits, k int) {
	first := t.receiver(k)
	if first < 0 {
		return
	}
	out, last := t.tokens[first:k], k-1
	for t.at(last+1).is(".") && t.sameLine(k, last+3) && t.at(last+3).is("(") && t.match[last+3] > 0 {
		name, open := t.at(last+2), last+3
		text := name.text
		if own := methodsElsewhere[text]; own != "" {
			text = own
		}
		args, elem := t.tokens[open+1:t.match[open]], ""
		if name.named("astype") {
			elem = typeOfPython(args)
		}
		if _, known := ir.FuncNamed(text); !known && text != "pow" && elem == "" {
			break
		}
		if elem != "" { // the conversion has no other argument
			text, out, args = elem, withoutRound(out), nil
		}
		call := slices.Concat([]token{word(tokIdent, text, name), operator("(", name)}, out)
		if len(args) > 0 {
			call = append(call, operator(",", name))
		}
		out, last = slices.Concat(call, args, []token{operator(")", name)}), t.match[open]
	}
	if last < k {
		return
	}
	if t.found("method", join(t.at(first).span(), t.at(last).span()), "a number has no methods: a function has all its arguments in brackets", func() string { return textOf(out) }, diag.Replacement) {
		t.supersede(e, first, last, out)
	}
}

// typeOfPython is the type that the arguments of astype name, "" if it is not known: int16, np.int16, "int16" or dtype=int. The int and the
// float of NumPy have 64 bits.
func typeOfPython(args []token) string {
	if len(args) > 2 && args[0].named("dtype") && args[1].is("=") {
		args = args[2:]
	}
	if len(args) == 3 && args[0].named(modules...) && args[1].is(".") {
		args = args[2:]
	}
	if len(args) != 1 || args[0].kind != tokIdent && args[0].kind != tokString {
		return ""
	}
	switch name := strings.Trim(args[0].text, `"'`); name {
	case "int":
		return ir.Int64.String()
	case "float":
		return ir.Float64.String()
	default:
		return typeElsewhere(name)
	}
}

// receiver is the first token of the number before the point at token k: a cell, a call, a value in brackets, or a name that the file
// declares for a number; -1 if there is none.
func (t *translator) receiver(k int) int {
	first := k - 1
	if t.at(first).closes() && t.match[first] >= 0 {
		if first = t.match[first]; first > 0 && t.at(first-1).kind == tokIdent && t.at(first).glued {
			first--
		}
	} else if x := t.at(first); x.kind != tokIdent || t.arrays[x.text] || !t.lets[x.text] && !t.declared[x.text] && !t.vars[x.text] {
		return -1
	}
	if slices.ContainsFunc(t.tokens[first:k], func(x token) bool { return x.is(":") }) {
		return -1 // a slice
	}
	if before := t.at(first - 1); first > 0 && (before.is(".") || before.is(":") || !t.sameLine(first, k)) {
		return -1
	}
	return first
}

// endOfDimension translates a[i,end], with the upper bound of the dimension. Token k is the end.
func (t *translator) endOfDimension(e edits, k int) {
	open, dim := k-1, 0
	for ; open > 0 && t.sameLine(open, k) && !t.at(open).opens(); open-- {
		switch x := t.at(open); {
		case x.closes() && t.match[open] >= 0:
			open = t.match[open]
		case x.is(","):
			dim++
		case x.is(":"):
			return
		}
	}
	array := t.at(open - 1)
	if open < 1 || !t.at(open).opens() || t.at(k-1).operand() || !t.arrays[array.text] || t.match[open] < k || slices.ContainsFunc(t.tokens[k:t.match[open]], func(x token) bool { return x.is(":") }) {
		return
	}
	if slices.ContainsFunc(t.tokens[max(0, open-2):open], func(x token) bool { return x.named("out", "return", "print", "disp", "println") }) {
		return
	}
	ends := t.extentOf(array, dim)
	if len(ends) != 2 || len(ends[1]) == 0 {
		return
	}
	hi := slices.Clone(ends[1])
	for n := range hi {
		hi[n].pos = t.at(k).pos
	}
	if t.found("end of dimension", t.at(k).span(), fromEndMessage, func() string { return textOf(hi) }, diag.Replacement) {
		e.replace(k, hi...)
	}
}
