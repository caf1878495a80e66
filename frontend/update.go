package frontend

import (
	"slices"
	"strings"
)

// A[i] += x means A[i] = A[i] + (x): the cell is read as it is before the statement. The
// statement is lowered when its value is resolved, so that nothing behind the frontend knows it.

// updateSigns are the operators that can stand before the = of an assignment.
var updateSigns = []string{"+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"}

// assigns reports whether t is the sign of an assignment, = or += and its like.
func (t token) assigns() bool {
	return t.is("=") || t.kind == tokOp && len(t.text) > 1 && slices.Contains(updateSigns, strings.TrimSuffix(t.text, "="))
}

// withUpdates returns the tokens with an operator after an operand and the = that touches it as one
// token, and the two signs of a shift. The scanner does not join them, because other languages read
// /=, *= and << differently.
func withUpdates(tokens []token) []token {
	var out []token
	for _, t := range tokens {
		if n := len(out); t.glued && n > 1 && out[n-1].kind == tokOp && out[n-2].operand() && (out[n-1].text == "<" || out[n-1].text == ">") && (t.is(out[n-1].text) || t.is(out[n-1].text+"=")) {
			out[n-1].text += t.text
			continue
		}
		if n := len(out); t.is("=") && t.glued && n > 1 && out[n-1].kind == tokOp && slices.Contains(updateSigns, out[n-1].text) && out[n-2].operand() {
			out[n-1].text += "="
			continue
		}
		out = append(out, t)
	}
	return out
}

// whole returns the value that the cell gets: for a plain assignment what is written, otherwise
// the cell, the operator, and what is written as if it stood in brackets.
func (a *assignSyntax) whole() *exprSyntax {
	sign := strings.TrimSuffix(a.Sign.Op, "=")
	if sign == "" {
		return a.Value
	}
	cell := &primarySyntax{Pos: a.Cell.Tokens[0].Pos, Tokens: a.Cell.Tokens, Name: a.Cell.Name.Name, Cell: len(a.Cell.Subs) > 0, Subs: a.Cell.Subs}
	value := &primarySyntax{Pos: a.Value.Tokens[0].Pos, Tokens: a.Value.Tokens, Paren: a.Value}
	return &exprSyntax{
		Tokens: slices.Concat(a.Cell.Tokens, a.Value.Tokens),
		First:  &operandSyntax{Primary: cell},
		Rest:   []*tailSyntax{{Pos: a.Sign.Pos, Update: true, Op: sign, Operand: &operandSyntax{Primary: value}}},
	}
}
