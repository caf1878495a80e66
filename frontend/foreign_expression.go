package frontend

import (
	"loopc/ir/diag"
)

// What stands inside statements is translated token by token: by rules for the sign, or for
// names, numbers and texts, of which the first that knows the token takes it.

// An expressionRule translates what begins with, or is around, token k, on a line that begins
// with token head. It is false of what it does not know.
type expressionRule func(t *translator, e edits, k, head int) bool

// anywhere is a rule that does not look at the line, and last one that moreover knows
// whatever no rule before it knew.
func anywhere(f func(*translator, edits, int) bool) expressionRule {
	return func(t *translator, e edits, k, head int) bool { return f(t, e, k) }
}

func last(f func(*translator, edits, int)) expressionRule {
	return func(t *translator, e edits, k, head int) bool { f(t, e, k); return true }
}

// The rules for tokens without a sign of their own.
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
			(*translator).aggregated, anywhere((*translator).nothing), anywhere((*translator).withKind), anywhere((*translator).ofTheFile),
			anywhere((*translator).words), anywhere((*translator).chosen), anywhere((*translator).lambda),
		},
		numberRules: {last((*translator).suffix)},
		textRules:   {(*translator).text},
		"[":         {(*translator).slices, (*translator).list},
		"]":         {last((*translator).brackets)},
		"(":         {anywhere((*translator).declaredRound), anywhere((*translator).listArgument), (*translator).subscriptsRound, last((*translator).cast)},
		"let":       {anywhere((*translator).letInside)},
		"in":        {anywhere((*translator).oneOf)},
		".":         {anywhere((*translator).elementwise), anywhere((*translator).words)},
		"..":        {last((*translator).halfOpen)},
		"?":         {last((*translator).ternary)},
		"=":         {compares}, "==": {compares}, "!=": {compares}, "/": {compares},
		"<": {compares, anywhere((*translator).shift)}, ">": {anywhere((*translator).shift)},
		"//": {anywhere((*translator).quotient)}, "*": {power}, "^": {power}, "%": {anywhere((*translator).remainder)},
		"+": {(*translator).incremented}, "-": {(*translator).incremented},
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

// expressions translates what stands inside statements.
func (t *translator) expressions() {
	t.dotted()
	t.pair()
	e, rules := edits{}, expressionRules()
	t.done = -1
	around := loopStack{}
	head := 0 // where the line of the token begins
	for k, x := range t.tokens {
		if k > 0 && (!t.sameLine(k-1, k) || t.at(k-1).is(";") || t.at(k-1).is("{")) {
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

// ofTheFile reports whether the file declares a name, which then is no word of another
// language.
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
	if t.found("dot "+sign.text, join(t.at(k).span(), sign.span()), "a body works on one cell at a time: the operator is "+sign.text, func() string { return sign.text }, diag.Replacement) {
		e.replace(k)
	}
	return true
}

// subscripted reports whether the ( at token k begins the subscripts of an array.
func (t *translator) subscripted(k int) bool {
	return k > 0 && t.match[k] > k+1 && t.at(k-1).kind == tokIdent && t.arrays[t.at(k-1).text] && !(k > 1 && t.at(k-2).is("array"))
}
