package frontend

import (
	"fmt"
	"slices"
	"strings"

	"loopc/ir/diag"
)

// operandBefore is the first token of the operand that ends before token k, -1 if
// there is none.
func (t *translator) operandBefore(k int) int {
	first := k - 1
	switch x := t.at(first); {
	case first < 0:
		return -1
	case x.is(")") || x.is("]"):
		if first = t.match[first]; first < 0 {
			return -1
		}
		for first > 0 && (t.at(first-1).is("]") && t.match[first-1] >= 0) && t.at(first).is("[") {
			first = t.match[first-1]
		}
		if first > 0 && t.at(first-1).kind == tokIdent && !t.at(first-1).named("if", "elif", "while", "and", "or", "not", "else", "return") {
			first--
		}
		return first
	case x.kind == tokIdent || x.kind == tokInt || x.kind == tokFloat:
		return first
	}
	return -1
}

// operandBehind is the last token of the operand that begins behind token k, -1 if
// there is none.
func (t *translator) operandBehind(k int) int {
	last := k + 1
	if t.at(last).is("-") || t.at(last).is("+") {
		last++
	}
	switch x := t.at(last); {
	case x.is("("):
		return t.match[last]
	case x.kind == tokIdent:
		for t.at(last+1).is("[") || t.at(last+1).is("(") {
			if t.match[last+1] < 0 {
				return -1
			}
			last = t.match[last+1]
		}
		return last
	case x.kind == tokInt || x.kind == tokFloat:
		return last
	}
	return -1
}

// mostOperand and mostQuiet limit the translation of operands for hints.
const (
	mostOperand = 60 // tokens
	mostQuiet   = 2  // depth of nested translators
)

// cleaned returns the tokens of an expression without foreign habits; false if that takes too
// much work.
func (t *translator) cleaned(tokens []token, most int) ([]token, bool) {
	if t.quiet >= mostQuiet || len(tokens) > most || len(tokens) == 0 {
		return nil, false
	}
	sub := &translator{
		tokens: append(slices.Clone(tokens), token{kind: tokEOF, pos: tokens[len(tokens)-1].pos}), quiet: t.quiet + 1,
		arrays: t.arrays, floats: t.floats, dims: t.dims, given: t.given, loops: t.loops, counts: map[string]int{}, first: map[string]int{},
	}
	sub.expressions()
	return sub.tokens[:len(sub.tokens)-1], true
}

// bracketed is the text of an operand, in brackets if it has a sign or an operator; false
// if it is too long.
func (t *translator) bracketed(first, last int) (string, bool) {
	tokens, ok := t.cleaned(t.tokens[first:last+1], mostOperand)
	text := textOf(tokens)
	if sum := func(x token) bool { return x.is("*") || x.is("/") }; ok && (tokens[0].is("-") || tokens[0].is("+") || last > first && !t.at(first).is("(") && slices.ContainsFunc(tokens, sum) && t.operandBehind(first-1) < last) {
		text = "(" + text + ")"
	}
	return text, ok
}

// An instead replaces an operation of another language. hint, of the given kind, is what the user can
// type. inline takes the place of the operation for the rest of the translation; "" stands for a hole.
type instead struct {
	hint   string
	kind   diag.HintKind
	inline string
	note   string // addition to the message
}

// operation translates x op y, where op is the n tokens from k on. replacement returns what stands instead, for the
// texts of x and y and the last token of y. If one of them is too long, the hint calls them x and y, and a hole
// replaces the operation.
func (t *translator) operation(e edits, k, n int, habit, message string, replacement func(x, y string, number token) instead) bool {
	first, last := t.operandBefore(k), t.operandBehind(k+n-1)
	if first < 0 || last < 0 || !t.sameLine(first, k) || !t.sameLine(k, last) {
		return false
	}
	for t.at(k).is("%") && (t.at(first-1).is("*") || t.at(first-1).is("/") || t.at(first-1).is("%")) && t.operandBefore(first-1) >= 0 {
		first = t.operandBefore(first - 1) // operators of the same precedence
	}
	for t.isPower(k) && n > 0 && t.isPower(last+1) { // powers associate to the right
		behind := t.operandBehind(last + len(powerSign(t, last+1)))
		if behind < 0 {
			return false
		}
		last = behind
	}
	x, short := t.bracketed(first, k-1)
	y, also := t.bracketed(k+n, last)
	what := replacement("x", "y", token{})
	what.kind = diag.Example
	if short && also {
		what = replacement(x, y, t.at(last))
	} else {
		what.inline = ""
	}
	if !t.found(habit+what.note, join(t.at(first).span(), t.at(last).span()), message+what.note, func() string { return what.hint }, what.kind) {
		return false
	}
	tokens := []token{word(tokIdent, hole, t.at(first))}
	if what.inline != "" {
		tokens, _ = scan([]byte(what.inline))
		tokens = tokens[:len(tokens)-1]
	}
	for j := range tokens {
		tokens[j].pos = t.at(first).pos
	}
	t.supersede(e, first, last, tokens)
	return true
}

// remainder translates x % y of floats, and any in a subscript. Elsewhere this language has the
// operator for integers.
func (t *translator) remainder(e edits, k int) bool {
	if t.at(k + 1).is("=") {
		return false // x %= y, an update
	}
	if t.inSubscript(k) {
		return t.wrapped(e, k)
	}
	if first, last := t.operandBefore(k), t.operandBehind(k); first < 0 || last < 0 || t.at(last).kind != tokFloat && !t.floatCell(textOf(t.tokens[first:k])) {
		return false // of integers, as far as the text tells
	}
	message := "the operator % is one of integers"
	if target := t.targetType(t.operandBefore(k)); target.Integer() { // the remainder has a fraction, and what it is assigned to has none
		message += ", and what this is assigned to is " + target.String()
		return t.operation(e, k, 1, message, message, func(_, _ string, _ token) instead { return instead{kind: diag.Example} })
	}
	return t.operation(e, k, 1, message, message, func(x, y string, _ token) instead {
		rest := fmt.Sprintf("(%s - %s*floor(%s/%s))", x, y, x, y)
		return instead{rest, diag.Replacement, rest, ": " + remainderMessage(true, "%")}
	})
}

// wrapped translates x % y in a subscript. In other languages, the remainder selects one of y time
// levels that are used in turn: here the compiler stores as many levels as are needed. Or it wraps
// around the end of a dimension: here x goes beyond the bound, and a periodic boundary wraps.
func (t *translator) wrapped(e edits, k int) bool {
	const message = "a subscript has no operator %, and needs none: of a dimension of time only the levels that are still needed are stored, and around an end a boundary that is periodic reads"
	array := t.subscriptedBy(k)
	levels := t.selectsLevel(k)
	if u := t.uses[array.text]; !u.written {
		return false // of an array that is only read, subscripts may be computed
	}
	if first := t.operandBefore(k); first >= 0 && slices.ContainsFunc(t.tokens[first:k], func(x token) bool { return x.kind == tokIdent && t.lets[x.text] }) {
		return false // no loop is wrapped
	}
	r, inTurn := t.ringAround(k, array)
	if inTurn && t.ringLevels(e, k, array, &r) {
		return true
	}
	if levels && t.otherLevel(e, k, message) {
		return true
	}
	if !levels && t.twoNests(k, array.text) == "" && t.wrapsInPlace(k, array) {
		return t.operation(e, k, 1, inPlaceMessage, inPlaceMessage, func(_, _ string, _ token) instead { return instead{kind: diag.Example} })
	}
	return t.operation(e, k, 1, message, message, func(x, y string, _ token) instead {
		if levels {
			x = strings.ReplaceAll(unbracketed(x), " ", "")
			return instead{hint: x, kind: diag.Replacement, inline: x}
		}
		beyond, ends := around(strings.ReplaceAll(unbracketed(x), " ", ""), y), "0.."+y+"-1"
		if t.cellsFromOne(k) {
			ends = "1.." + y
			if less, ok := strings.CutSuffix(beyond, "-1"); ok {
				beyond = less
			} else {
				beyond += "+1"
			}
		}
		return instead{hint: beyond + " here, " + t.periodic(k, array, y, ends), kind: diag.Advice, inline: beyond}
	})
}

// subscriptedBy is the name of the array in whose subscripts token k lies, an empty token for none.
func (t *translator) subscriptedBy(k int) token {
	around, _ := bracketsOf(t.tokens[max(0, k-maxForeignTokens) : k+1])
	for at := around[len(around)-2]; at > 0; at = around[at] {
		if x := t.tokens[max(0, k-maxForeignTokens)+at]; x.is("[") {
			return t.at(max(0, k-maxForeignTokens) + at - 1)
		}
	}
	return token{}
}

// relation reports whether t compares.
func relation(t token) bool {
	return slices.Contains([]string{"==", "!=", "<", "<=", ">", ">="}, t.text)
}

// inSubscript reports whether token k lies in square brackets.
func (t *translator) inSubscript(k int) bool {
	depth := 0
	for j := k; j >= 0 && k-j < maxForeignTokens; j-- {
		switch x := t.at(j); {
		case x.closes():
			depth++
		case x.opens() && depth > 0:
			depth--
		case x.is("["):
			return t.match[j] > k
		}
	}
	return false
}

// floatCell reports whether text is a cell of an array that is declared with floats.
func (t *translator) floatCell(text string) bool {
	name, _, cell := strings.Cut(text, "[")
	return cell && t.floats[name]
}

// wordOperators are the operators that other languages write as words.
var wordOperators = map[string]string{
	"and": "&&", "or": "||", "is": "==", "is not": "!=", ".and.": "&&", ".or.": "||",
	"xor": "^", "mod": "%", "eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "shl": "<<", "shr": ">>", "div": "/", ".xor.": "^", ".eqv.": "==", ".neqv.": "!=",
	".eq.": "==", ".ne.": "!=", ".lt.": "<", ".le.": "<=", ".gt.": ">", ".ge.": ">=",
}

// truths are Fortran's truth values as numbers.
var truths = map[string]string{".true.": "1", ".false.": "0"}

// wordAt returns, in small letters, the operator or truth that begins with token k and is a
// word, and the last of its tokens; "" if there is none.
func (t *translator) wordAt(k int) (text string, last int) {
	tok, next := t.at(k), t.at(k+1)
	switch {
	case tok.is("."):
		if t.at(k+2).is(".") && next.glued && t.at(k+2).glued && next.kind == tokIdent {
			return "." + strings.ToLower(next.text) + ".", k + 2
		}
	case tok.glued && k > 0 && t.at(k-1).is("."): // of .not.
	case tok.text == "is" && next.named("not"):
		return "is not", k + 1
	case tok.text == "is" || tok.named("and", "or", "not") || t.operatorWord(k):
		return strings.ToLower(tok.text), k
	}
	return "", k
}

// operatorWord reports whether token k is an operator as a word, such as xor or mod, between two operands.
func (t *translator) operatorWord(k int) bool {
	x, next := t.at(k), t.at(k+1)
	return x.named("xor", "mod", "eq", "ne", "lt", "le", "gt", "ge", "shl", "shr", "div") && t.operandBefore(k) >= 0 && t.sameLine(k-1, k) && t.sameLine(k, k+1) &&
		(next.kind == tokIdent || next.kind == tokInt || next.kind == tokFloat || next.is("(") || next.is("-"))
}

// words translates and, or, not, and Fortran's .and. .lt. and the like.
func (t *translator) words(e edits, k int) bool {
	text, last := t.wordAt(k)
	if text == "" {
		return t.at(k).is(".")
	}
	behind := k > 0 && t.at(k-1).operand() && t.sameLine(k-1, k) && !t.at(k-1).named("and", "or", "not", "if", "elif", "while", "until")
	assigns, round := t.at(last+1).is("="), t.at(last+1).is("(")
	is := func(sign token, message string, kind diag.HintKind) {
		habit := "word " + text
		if sign.is("!") {
			habit = "word not" // the same habit as in negation
		}
		if t.found(habit, join(t.at(k).span(), t.at(last).span()), message, func() string { return sign.text }, kind) {
			e.drop(k, last)
			e.replace(k, sign)
		}
	}
	switch sign := wordOperators[text]; {
	case sign != "" && behind && !assigns:
		is(operator(sign, t.at(k)), "the language has no operator "+text+": it is "+sign, diag.Replacement)
	case (text == ".not." || text == "not" && !behind) && round:
		is(operator("!", t.at(k)), "the language has no operator "+text+": it is !", diag.Replacement)
	case (text == ".not." || text == "not") && !behind && !assigns:
		t.negation(e, k, last)
	case truths[text] != "":
		is(word(tokInt, truths[text], t.at(k)), "there is no "+text+": a condition is made of comparisons, and a number is 1 or 0", diag.Example)
	}
	return true
}

// negation translates not x < y, the word being tokens k to last.
func (t *translator) negation(e edits, k, last int) {
	end := last
	for step := 0; step < maxForeignTokens; step++ {
		x := t.at(end + 1)
		if x.opens() && t.match[end+1] > 0 {
			end = t.match[end+1]
			continue
		}
		if x.kind == tokEOF || x.closes() || x.is(",") || x.is("{") || x.is("}") || x.is(";") || x.is(":") || x.is("?") || x.is("&&") || x.is("||") || x.is(".") && t.at(end+2).named("and", "or", "not") ||
			x.named("and", "or", "else", "then") || x.pos.Line > t.at(k).pos.Line {
			break
		}
		end++
	}
	if end == last {
		return
	}
	text := "!(" + textOf(truth(t.tokens[last+1:end+1])) + ")"
	if t.found("word not", join(t.at(k).span(), t.at(end).span()), "the language has no operator not: it is !", func() string { return text }, diag.Replacement) {
		e.drop(k, last)
		e.replace(k, operator("!", t.at(k)), operator("(", t.at(k)))
		e.at(end).behind = append(e.at(end).behind, operator(")", t.at(end)))
	}
}

// supersede replaces the tokens from first to last by others, and drops earlier edits of them.
// Tokens that earlier edits put before or behind them stay.
func (t *translator) supersede(e edits, first, last int, tokens []token) {
	before, behind := e.at(first).before, e.at(last).behind
	for k := first; k <= last; k++ {
		e[k] = &edit{replaced: true}
	}
	e[first].before, e[first].instead, e[last].behind = before, tokens, behind
	t.done = max(t.done, last)
}

// operandStart is the first token of the expression that ends before token k.
func (t *translator) operandStart(k int) int {
	first := k
	for step := 0; step < maxForeignTokens && first > 0; step++ {
		p := t.at(first - 1)
		if p.pos.Line < t.at(first).pos.Line && p.operand() {
			break
		}
		if p.is(")") || p.is("]") {
			if t.match[first-1] < 0 {
				return k
			}
			first = t.match[first-1]
			continue
		}
		if p.is("(") || p.is("[") || p.is(",") || p.is("=") || p.is("?") || p.is(":") || p.is(";") || p.is("{") || p.is("}") {
			break
		}
		first--
	}
	return first
}
