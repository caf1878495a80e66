package frontend

import (
	"fmt"
	"slices"
	"strings"

	"loopc/ir"
)

// String returns e as text for hints, in the layout of loopc fmt and on one line. It shows what
// the compiler has understood, not what the source has. The text can be used as an operand: if
// its outermost operator binds less tightly, there are brackets around it.
func (e *expr) String() string {
	if e.kind == binaryExpr || e.kind == unaryExpr && e.op == ir.Not {
		return "(" + bare(e) + ")"
	}
	return bare(e)
}

// bare is e without brackets around it.
func bare(e *expr) string { return exprText(e, 0) }

// exprText lays e out, in brackets if its precedence is less than least.
func exprText(e *expr, least int) string {
	list := func() string {
		var parts []string
		for _, a := range e.args {
			parts = append(parts, bare(a))
		}
		if e.kind == cellExpr { // as loopc fmt has subscripts
			return strings.ReplaceAll(strings.Join(parts, ","), " ", "")
		}
		return strings.Join(parts, ", ")
	}
	switch e.kind {
	case numberExpr:
		return e.name
	case cellExpr:
		return e.name + "[" + list() + "]"
	case callExpr:
		return e.name + "(" + list() + ")"
	case unaryExpr:
		sign := e.op.String()
		if e.op == ir.Add {
			sign = "+"
		}
		if x := e.args[0]; x.kind == unaryExpr {
			return sign + "(" + bare(x) + ")" // two signs in a row have another meaning in other languages
		}
		return sign + exprText(e.args[0], unaryPrecedence)
	case binaryExpr:
		sign := e.op.String()
		precedence := binaryOps[sign].precedence
		s := fmt.Sprintf("%s %s %s", exprText(e.args[0], precedence), sign, exprText(e.args[1], precedence+1))
		if precedence == binaryOps["*"].precedence {
			s = exprText(e.args[0], precedence) + sign + exprText(e.args[1], precedence+1)
		}
		if precedence < least {
			return "(" + s + ")"
		}
		return s
	}
	return e.name
}

// unaryPrecedence is the precedence of a sign: higher than any binary operator.
const unaryPrecedence = 6

// oneLine reports whether all of e stands on one line, as far as its parts tell.
func (e *expr) oneLine() bool {
	for _, a := range e.args {
		if a.at.Line != e.at.Line || a.opAt.Line != e.at.Line && a.opAt.Line > 0 || !a.oneLine() {
			return false
		}
	}
	return true
}

// fixOf adds the text that the user can type in place of e. If e has several lines, the text is
// only an example.
func (r report) fixOf(e *expr, format string, args ...any) report {
	text := fmt.Sprintf(format, args...)
	if e.round && !operandLike(text) {
		text = "(" + text + ")" // it replaces an expression together with its brackets
	}
	if e.update {
		text = bare(e.args[0]) + " = " + text // it replaces the statement
	}
	if !e.oneLine() {
		return r.hint("%s", text)
	}
	return r.fix(e.at, "%s", text)
}

// operandLike reports whether a text binds like an operand: it has no operator outside of brackets.
func operandLike(text string) bool {
	tokens, _ := scan([]byte(text))
	around, _ := bracketsOf(tokens)
	for k, x := range tokens {
		if around[k] == outside && (binaryOps[x.text].precedence > 0 || x.is("!")) {
			return false
		}
	}
	return true
}

// conditionText returns e as a condition: numbers that stand where conditions belong are compared
// with 0.
func conditionText(e *expr) string {
	switch {
	case e.kind == unaryExpr && e.op == ir.Not:
		return "!(" + conditionText(e.args[0]) + ")"
	case e.kind == binaryExpr && (e.op == ir.And || e.op == ir.Or):
		var sides []string
		for _, a := range e.args {
			side := conditionText(a)
			if a.kind == binaryExpr && (a.op == ir.And || a.op == ir.Or) && a.op != e.op {
				side = "(" + side + ")"
			}
			sides = append(sides, side)
		}
		return strings.Join(sides, " "+e.op.String()+" ")
	case e.kind == binaryExpr && !e.op.Arithmetic():
		return bare(e)
	}
	return e.String() + " != 0"
}

// constantSide reports whether a number as such is an operand of && or ||: of c && 2, which is 2 in some languages, and true in others.
func constantSide(e *expr) bool {
	return e.kind == binaryExpr && (e.op == ir.And || e.op == ir.Or) && slices.ContainsFunc(e.args, func(x *expr) bool { return x.kind == numberExpr || constantSide(x) })
}
