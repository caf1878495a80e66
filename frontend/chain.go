package frontend

import (
	"fmt"
	"strings"

	"loopc/ir"
	"loopc/ir/diag"
)

// Comparisons do not chain: 0 < x < 1 compares a condition with a number, which no type allows.
// With the condition converted to a number, it would compile but compute something unintended. So
// operands of comparisons are never converted to numbers.

// isCondition reports whether e is a condition by its outermost operator.
func isCondition(e *expr) bool {
	return e.kind == unaryExpr && e.op == ir.Not || e.kind == binaryExpr && !e.op.Arithmetic()
}

// isComparison reports whether e is a comparison by its outermost operator.
func isComparison(e *expr) bool {
	return e.kind == binaryExpr && !e.op.Arithmetic() && e.op != ir.And && e.op != ir.Or
}

// isChain reports whether e compares a comparison with a number, as in a < b < c.
func isChain(e *expr) bool {
	return isComparison(e) && isComparison(e.args[0]) && !isCondition(e.args[1]) && !isChainEnd(e)
}

// isChainEnd reports whether e tests the truth of a comparison in brackets, as in (a < b) == 0. The
// place of an operand in brackets begins before that of its first name or number.
func isChainEnd(e *expr) bool {
	x, y := e.args[0], e.args[1]
	return (e.op == ir.Eq || e.op == ir.Ne) && y.kind == numberExpr && (y.name == "0" || y.name == "1") && x.at.Col < leftmost(x).at.Col
}

// leftmost is the first operand of e.
func leftmost(e *expr) *expr {
	for e.kind == binaryExpr {
		e = e.args[0]
	}
	return e
}

// chainText returns the meaning of a chain as text: one comparison for each of its operators.
func chainText(e *expr) string {
	between := exprText(e.args[1], binaryOps["+"].precedence)
	if !isComparison(e.args[0]) {
		return exprText(e.args[0], binaryOps["+"].precedence) + " " + e.op.String() + " " + between
	}
	middle := exprText(e.args[0].args[1], binaryOps["+"].precedence)
	return chainText(e.args[0]) + " && " + middle + " " + e.op.String() + " " + between
}

// chained reports the chain e of comparisons. The hint is to write text instead.
func (c *checker) chained(e *expr, text string) {
	c.errorf(diag.NotCondition, e.at, "comparisons do not chain: each compares two numbers, and && joins them").fixOf(e, "%s", text)
}

// unequalText is the text of a condition: one of two conditions is true, and the other is not.
func unequalText(x, y *expr) string {
	p, q := conditionText(x), conditionText(y)
	return fmt.Sprintf("(((%[1]s) && !(%[2]s)) || (!(%[1]s) && (%[2]s)))", p, q)
}

// comparedCondition reports a comparison that has a condition as an operand.
func (c *checker) comparedCondition(e *expr) {
	x, y := e.args[0], e.args[1]
	if isChain(e) {
		text := chainText(e)
		if at := c.text(e.at); strings.HasPrefix(at, "(") && strings.HasSuffix(at, ")") {
			text = "(" + text + ")"
		}
		c.chained(e, text)
		return
	}
	r := c.errorf(diag.NotCondition, e.at, "a condition is compared in %s: comparisons are of numbers", c.text(e.at))
	truth := e.op == ir.Eq || e.op == ir.Ne
	switch {
	case truth && isCondition(x) && isCondition(y):
		p, q := conditionText(x), conditionText(y)
		if e.op == ir.Eq {
			r.fixOf(e, "(((%s) && (%s)) || (!(%s) && !(%s)))", p, q, p, q)
		} else {
			r.fixOf(e, "%s", unequalText(x, y))
		}
	case truth && y.kind == numberExpr && (y.name == "0" || y.name == "1") && isCondition(x):
		if (y.name == "1") == (e.op == ir.Eq) {
			r.fixOf(e, "(%s)", conditionText(x))
		} else {
			r.fixOf(e, "!(%s)", conditionText(x))
		}
	default:
		r.advise("compare numbers, and join the comparisons by && or ||")
	}
}

// otherNumber reports a number in place of the second comparison of n == 3 || 2, which other languages have in n in (3, 2); it returns
// false for other conditions.
func (c *checker) otherNumber(v *view, e *expr) bool {
	compared, number := e.args[0], e.args[1]
	for compared.kind == binaryExpr && compared.op == e.op { // n == 3 || 2 || 1
		last := compared.args[1]
		if last.kind == binaryExpr {
			compared = last
			break
		}
		compared = compared.args[0]
	}
	alike := map[ir.Op]ir.Op{ir.Or: ir.Eq, ir.And: ir.Ne}[e.op]
	if compared.kind != binaryExpr || compared.op != alike || !number.computes(func(*expr) bool { return false }) {
		return false
	}
	c.condition(v, e.args[0])
	c.errorf(diag.NotCondition, number.at, "number %s is used as a condition: each comparison has both of its numbers", c.text(number.at)).
		fixOf(number, "%s %s %s", bare(compared.args[0]), compared.op, bare(number))
	return true
}
