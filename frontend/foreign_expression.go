package frontend

import (
	"cmp"
	"slices"
	"strings"

	"loopc/ir/diag"
)

// Expressions are translated token by token. Each sign, and each kind of token without a sign,
// has a list of rules; the first rule that applies translates the token.

// An expressionRule translates an expression that contains token k. The line of the token begins
// with token head. The rule returns false if it does not apply.
type expressionRule func(t *translator, e edits, k, head int) bool

// anywhere turns a function that needs no head into a rule. last turns a function into a rule that
// always applies, and so must be the last one of its list.
func anywhere(f func(*translator, edits, int) bool) expressionRule {
	return func(t *translator, e edits, k, head int) bool { return f(t, e, k) }
}

func last(f func(*translator, edits, int)) expressionRule {
	return func(t *translator, e edits, k, head int) bool { f(t, e, k); return true }
}

// The rules for tokens without a sign.
const (
	nameRules   = "name"
	numberRules = "number"
	textRules   = "text"
)

// expressionRules are the rules by sign or keyword.
func expressionRules() map[string][]expressionRule {
	compares, power := anywhere((*translator).compares), anywhere((*translator).power)
	return map[string][]expressionRule{
		nameRules: {
			(*translator).missingSign, anywhere((*translator).castOfCpp), anywhere((*translator).castOfRust), anywhere((*translator).infinity), (*translator).aggregated, anywhere((*translator).nothing), anywhere((*translator).withKind), anywhere((*translator).ofTheFile),
			anywhere((*translator).words), anywhere((*translator).chosen), anywhere((*translator).lambda),
		},
		numberRules: {last((*translator).suffix)},
		textRules:   {(*translator).text},
		"[":         {(*translator).slices, (*translator).list},
		"]":         {last((*translator).brackets)},
		"(":         {anywhere((*translator).declaredRound), anywhere((*translator).listArgument), (*translator).subscriptsRound, last((*translator).cast)},
		"let":       {anywhere((*translator).letInside)},
		"in":        {anywhere((*translator).oneOf)},
		".":         {anywhere((*translator).elementwise), anywhere((*translator).fieldOf), anywhere((*translator).words)},
		"..":        {last((*translator).halfOpen)},
		"?":         {last((*translator).ternary)},
		"=":         {compares}, "==": {compares}, "!=": {compares}, "/": {compares},
		"<": {compares}, "~=": {compares}, ">": {anywhere((*translator).shiftOfJava)},
		"//": {anywhere((*translator).quotient)}, "*": {power}, "^": {power}, "%": {anywhere((*translator).remainder)},
		"|": {(*translator).barred}, "+": {(*translator).incremented}, "-": {(*translator).incremented},
	}
}

// rulesFor is the key of the rules for a token.
func rulesFor(x token) string {
	switch x.kind {
	case tokIdent:
		return nameRules
	case tokInt, tokFloat:
		return numberRules
	case tokString:
		return textRules
	case tokOp, tokKeyword:
		return x.text
	}
	return ""
}

// expressions translates the expressions in statements.
func (t *translator) expressions() {
	t.dotted()
	t.remainderCalls()
	t.pair()
	e, rules := edits{}, expressionRules()
	t.done = -1
	around := loopStack{}
	head := 0 // where the line of the token begins
	for k, x := range t.tokens {
		if k > 0 && (!t.sameLine(k-1, k) || t.at(k-1).is(";") || t.at(k-1).is("{") || t.at(k-1).is("}")) {
			head = k
		}
		if around.see(t, k) {
			t.loops = around.names()
		}
		if k > t.done && !t.passedOver(head) {
			for _, rule := range rules[rulesFor(x)] {
				if rule(t, e, k, head) {
					break
				}
			}
		}
	}
	t.tokens = e.apply(t.tokens, 0, len(t.tokens))
}

// ofTheFile reports whether the file declares the name at token k. The name is then not a word of
// another language.
func (t *translator) ofTheFile(e edits, k int) bool { return t.declared[t.at(k).text] }

// declaredRound translates the round brackets of the declaration of an array.
func (t *translator) declaredRound(e edits, k int) bool {
	if k < 2 || !t.at(k-2).is("array") || t.at(k-1).kind != tokIdent || t.match[k] < k {
		return false
	}
	t.subscripts(e, k-1, t.match[k])
	for j := k; j < t.match[k]; j++ {
		if t.at(j).is(":") {
			e.replace(j, operator("..", t.at(j)))
		}
	}
	return true
}

// subscriptsRound translates the round brackets around subscripts.
func (t *translator) subscriptsRound(e edits, k, head int) bool {
	if !t.subscripted(k) {
		return false
	}
	if !t.sliced(k) || !t.slices(e, k, head) {
		t.subscripts(e, k-1, t.match[k])
	}
	return true
}

// elementwise translates the .* of Julia and MATLAB, and their like.
func (t *translator) elementwise(e edits, k int) bool {
	sign := t.at(k + 1)
	if !sign.glued || binaryOps[sign.text].precedence == 0 && !sign.is("^") {
		return false
	}
	if sign.is("^") {
		integer := t.integerTarget(k)
		return t.operation(e, k, 2, "power", "^ is the exclusive or of integers, and no power", func(x, y string, _ token) instead { return raised(x, y, integer) })
	}
	if t.found("dot "+sign.text, join(t.at(k).span(), sign.span()), "a body works on one cell at a time: the operator is "+sign.text, func() string { return sign.text }, diag.Replacement) {
		e.replace(k)
	}
	return true
}

// noStructs is said of structs and their fields.
const noStructs = "there are no structs: each field is an array of its own"

// fieldOf drops the .x of p[i].x.
func (t *translator) fieldOf(e edits, k int) bool {
	name := t.at(k + 1)
	if k == 0 || !t.at(k-1).is("]") || t.match[k-1] < 1 || !t.at(k).glued || !name.glued || name.kind != tokIdent || t.at(k+2).is("(") || t.at(k+2).is(".") {
		return false
	}
	if t.found("field", join(t.at(t.match[k-1]-1).span(), name.span()), noStructs, func() string { return "" }) {
		e.drop(k, k+1)
		t.done = max(t.done, k+1)
	}
	return true
}

// subscripted reports whether the ( at token k begins the subscripts of an array.
func (t *translator) subscripted(k int) bool {
	name := t.at(k - 1)
	array := t.arrays[name.text] || t.uses[name.text].inBody && !t.declared[name.text] && t.dims[name.text] == 0
	return k > 0 && t.match[k] > k+1 && name.kind == tokIdent && array && !name.named("if", "elif", "while") && !(k > 1 && t.at(k-2).is("array"))
}

// brackets translates a[i][j], k being the first ] of it.
func (t *translator) brackets(e edits, k int) {
	if !t.at(k+1).is("[") || !t.sameLine(k, k+1) || t.match[k] < 0 || t.match[k+1] < 0 {
		return
	}
	first, last := t.match[k]-1, t.match[k+1]
	if first < 0 || t.at(first).kind != tokIdent {
		// Another pair of brackets of the same cell is handled together with the first.
		if first >= 0 && t.at(first).is("]") && e[first] != nil {
			e.replace(k)
			e.replace(k+1, operator(",", t.at(k)))
		}
		return
	}
	e.replace(k)
	e.replace(k+1, operator(",", t.at(k)))
	for t.at(last+1).is("[") && t.match[last+1] >= 0 {
		last = t.match[last+1]
	}
	whole := func() string {
		f := edits{}
		for j := k; j < last; j++ {
			if t.at(j).is("]") && t.at(j+1).is("[") {
				f.replace(j)
				f.replace(j+1, operator(",", t.at(j)))
			}
		}
		return textOf(f.apply(t.tokens, first, last+1))
	}
	if t.at(first-1).is("array") || t.declaredInC(first) {
		return // another rule reports the declaration
	}
	t.found("brackets", join(t.at(first).span(), t.at(last).span()), "all subscripts stand in one pair of brackets", whole)
}

// declaredInC reports whether token k is a name that a declaration of C declares.
func (t *translator) declaredInC(k int) bool {
	head := k
	for head > 0 && k-head < maxForeignTokens && t.sameLine(head-1, k) && !t.at(head-1).is(";") && !t.at(head-1).is("{") {
		head--
	}
	name := t.declares(head)
	return name > head && name <= k && !slices.ContainsFunc(t.tokens[name:k], func(x token) bool { return x.is("=") })
}

// cast translates (double)x, k being the first bracket.
func (t *translator) cast(e edits, k int) {
	typ := k + 1
	if t.at(typ).named("unsigned", "signed", "const") {
		typ++
	}
	name, first := cmp.Or(integerOfC(t.tokens[k+1:typ+1]), typeName(t.at(typ).text)), typ+2 // first is the first token of the operand
	if name == "" || !t.at(typ+1).is(")") || k > 0 && t.at(k-1).operand() {
		return
	}
	end := first // the last token of the operand
	switch x := t.at(end); {
	case x.kind == tokIdent:
		for (t.at(end+1).is("[") || t.at(end+1).is("(")) && t.match[end+1] >= 0 {
			end = t.match[end+1]
		}
	case x.is("(") && t.match[end] >= 0:
		end = t.match[end]
	case x.kind != tokInt && x.kind != tokFloat:
		return
	}
	if !t.found("cast", join(t.at(k).span(), t.at(end).span()), "a type converts like a function", func() string {
		if t.at(first).is("(") {
			return name + textOf(t.tokens[first:end+1])
		}
		return name + "(" + textOf(t.tokens[first:end+1]) + ")"
	}) {
		return
	}
	e.replace(k, word(tokIdent, name, t.at(k)), operator("(", t.at(k)))
	e.drop(k+1, first-1)
	e.at(end).behind = append(e.at(end).behind, operator(")", t.at(end)))
}

// castOfRust translates x as f64, k being the as.
func (t *translator) castOfRust(e edits, k int) bool {
	if !t.at(k).named("as") || t.declared["as"] || k == 0 || !t.sameLine(k-1, k+1) {
		return false
	}
	elem, known := aType(t.at(k + 1))
	first := t.operandBefore(k)
	if !known || first < 0 {
		return false
	}
	elem.pos = t.at(first).pos
	message, out := "a type converts like a function", slices.Concat([]token{elem, operator("(", t.at(first))}, t.tokens[first:k], []token{operator(")", t.at(k))})
	if t.inSubscript(k) {
		message, out = "a subscript is an integer without a conversion", slices.Clone(t.tokens[first:k])
	}
	if t.found("cast "+message, join(t.at(first).span(), t.at(k+1).span()), message, func() string { return textOf(out) }, diag.Replacement) {
		t.supersede(e, first, k+1, out)
	}
	return true
}

// castOfCpp translates static_cast<double>(x), k being the first word.
func (t *translator) castOfCpp(e edits, k int) bool {
	if !t.at(k).named("static_cast", "reinterpret_cast", "dynamic_cast") || !t.at(k+1).is("<") || !t.at(k+3).is(">") || !t.at(k+4).is("(") || t.match[k+4] < 0 {
		return false
	}
	elem, known := aType(t.at(k + 2))
	if !known {
		return false
	}
	last := t.match[k+4]
	if t.found("cast", join(t.at(k).span(), t.at(last).span()), "a type converts like a function", func() string {
		return elem.text + textOf(t.tokens[k+4:last+1])
	}, diag.Replacement) {
		e.replace(k, elem)
		e.drop(k+1, k+3)
		t.done = max(t.done, k+3)
	}
	return true
}

// infinity translates float('inf'), k being the first word.
func (t *translator) infinity(e edits, k int) bool {
	text := t.at(k + 2)
	if !t.at(k).named("float", "float64", "double") || !t.at(k+1).is("(") || text.kind != tokString || t.match[k+1] != k+3 {
		return false
	}
	value := strings.ToLower(strings.Trim(text.text, "'\""))
	number := map[string]string{"inf": "1e300", "infinity": "1e300", "+inf": "1e300", "-inf": "-1e300"}[value]
	if number == "" && value != "nan" {
		return false
	}
	message := notNumbers[strings.Trim(value, "+-")]
	if t.found("infinite "+value, join(t.at(k).span(), t.at(k+3).span()), message, func() string { return number }, diag.Replacement) {
		t.supersede(e, k, k+3, []token{word(tokIdent, hole, t.at(k))})
	}
	return true
}

// halfOpen translates 0..<N, 0..=N and 0...N.
func (t *translator) halfOpen(e edits, k int) {
	sign := t.at(k + 1)
	if !sign.is("<") && !sign.is("<=") && !sign.is("=") && !sign.is(".") {
		return
	}
	first, last := t.operandBefore(k), t.operandBehind(k+1)
	if first < 0 || last < 0 || !t.sameLine(first, last) {
		return
	}
	for (t.at(last+1).is("+") || t.at(last+1).is("-") || t.at(last+1).is("*")) && t.operandBehind(last+1) > 0 {
		last = t.operandBehind(last + 1)
	}
	end := t.tokens[k+2 : last+1]
	if sign.is("<") {
		end = plus(end, -1)
	}
	text := strings.ReplaceAll(textOf(slices.Concat(t.tokens[first:k+1], end)), " ", "")
	t.found("half-open", join(t.at(first).span(), t.at(last).span()), "both ends of a range belong to it", func() string { return text }, diag.Replacement)
	closed := t.at(k)
	closed.translated = true
	t.supersede(e, k, last, append([]token{closed}, end...))
}
