package frontend

import (
	"slices"
	"strings"

	"loopc/ir/diag"
)

// A[i] += x means A[i] = A[i] + (x): the cell is read as it is before the statement. The
// statement is lowered when its value is resolved, so that nothing behind the frontend knows it.

// updateSigns are the operators that can stand before the = of an assignment.
var updateSigns = []string{"+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"}

// assigns reports whether t is the sign of an assignment, = or += and its like.
func (t token) assigns() bool {
	return t.is("=") || t.kind == tokOp && len(t.text) > 1 && slices.Contains(updateSigns, strings.TrimSuffix(t.text, "="))
}

// withUpdates returns the tokens. It joins an operator after an operand with the = that touches it, and
// the two signs of a shift. The scanner does not join them, because other languages read /=, *= and <<
// differently.
func withUpdates(tokens []token) []token {
	out := make([]token, 0, len(tokens))
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

// sumAlong completes the report of a wrong number of subscripts, if this is the only diagnostic from told on:
// the += of a cell without the subscript of one loop collects a sum along this loop.
func (c *checker) sumAlong(told int, a *assignSyntax, subs []*expr) {
	loops := c.loopNames()
	if told+1 != len(c.diags) || c.diags[told].Code != diag.Dimensions || a.Sign.Op != "+=" || len(subs)+1 != len(loops) ||
		len(loops) != len(c.arrays[c.names[a.Cell.Name.Name].index].syntax.Dims) {
		return
	}
	for d, loop := range loops {
		rest := slices.Delete(slices.Clone(loops), d, d+1)
		if !slices.EqualFunc(rest, subs, func(name string, e *expr) bool { return bare(e) == name }) {
			continue
		}
		before := slices.Clone(loops)
		before[d] += "-1"
		if c.nest.Loops[d].Backward {
			before[d] = loop + "+1"
		}
		name := a.Cell.Name.Name
		report{&c.diags[told]}.advise("%s[%s] = %s[%s] + %s, which sums along %s", name, strings.Join(loops, ","), name, strings.Join(before, ","),
			exprText(flatTree(a.Value), binaryOps["+"].precedence+1), loop)
	}
}
