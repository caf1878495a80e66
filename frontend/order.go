package frontend

import (
	"fmt"

	"loopc/ir"
	"loopc/ir/diag"
)

// orderElsewhere is how tightly operators bind in C and Python, where they differ from those of this language.
var orderElsewhere = map[ir.Op]int{ir.Mul: 6, ir.Quo: 6, ir.Rem: 6, ir.Add: 5, ir.Sub: 5, ir.Shl: 4, ir.Shr: 4, ir.BitAnd: 3, ir.BitXor: 2, ir.BitOr: 1}

// warnOrder warns of an operand without brackets whose operator C and Python apply after that of e: x + y>>1 is
// (x + y)>>1 there.
func (c *checker) warnOrder(e *expr) {
	for k, x := range e.args {
		if e.update || x.round || x.kind != binaryExpr || x.square() || orderElsewhere[x.op] == 0 || orderElsewhere[x.op] >= orderElsewhere[e.op] {
			continue
		}
		here := *e
		here.args = []*expr{e.args[0], e.args[1]}
		there, inner := *x, *e
		if k == 1 {
			inner.args = []*expr{e.args[0], x.args[0]}
			there.args = []*expr{&inner, x.args[1]}
		} else {
			inner.args = []*expr{x.args[1], e.args[1]}
			there.args = []*expr{x.args[0], &inner}
		}
		c.warn(diag.Foreign, e.at, "%s is applied before %s here, and after it in C and Python: brackets make them agree", x.op, e.op).
			advise("one of these: %s, which it is here; or %s, which it is there", inBrackets(&here, k), inBrackets(&there, 1-k))
		return
	}
}

// inBrackets is the text of a binary expression with brackets around its operand k.
func inBrackets(e *expr, k int) string {
	text := [2]string{bare(e.args[0]), bare(e.args[1])}
	for a, x := range e.args {
		if a == k || x.kind == binaryExpr && (x.round || orderElsewhere[x.op] <= orderElsewhere[e.op]) {
			text[a] = x.String()
		}
	}
	return text[0] + " " + e.op.String() + " " + text[1]
}

// square reports whether e looks like x^2.
func (e *expr) square() bool {
	return e.kind == binaryExpr && e.op == ir.BitXor && !e.update && e.args[0].kind != numberExpr && e.args[1].decimal() && e.args[1].name == "2"
}

// warnPower warns of i ^ 2, which is a square in other languages, and here an exclusive or.
func (c *checker) warnPower(e *expr) {
	if !e.square() {
		return
	}
	base, signs := e.args[0], ""
	for !base.round && (base.kind == binaryExpr || base.kind == unaryExpr) { // elsewhere, signs and other operators come after a power
		if base.kind == unaryExpr {
			signs += base.op.String()
		}
		base = base.args[len(base.args)-1]
	}
	square := fmt.Sprintf("%[1]s*%[1]s", base)
	if signs != "" {
		square = signs + "(" + square + ")"
	}
	c.warn(diag.Foreign, e.at, "^ is the exclusive or of bits, and no power").
		advise("%s, if a square is meant; or 0x2 in place of 2, if bits are", square)
}
