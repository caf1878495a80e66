package frontend

import (
	"fmt"
	"go/constant"
	"slices"
	"strings"

	"loopc/ir"
	"loopc/ir/diag"
)

// keepsFraction warns of a division of integers in a context of floating-point type t: C,
// Fortran and Go would truncate it, but here the operands are converted first. Array cells do
// not count as integers: dividing them, as in pixel[i]/255, is scaling. In a context of integers it
// warns of a divisor with a decimal point, whose author expects a fraction.
func (c *checker) keepsFraction(q *ir.Binary, t ir.Type) {
	e := c.quotients[q]
	if e != nil && t.Integer() && e.args[1].kind == numberExpr && strings.Contains(e.args[1].name, ".") && untyped(q.X) == nil {
		whole, _, _ := strings.Cut(e.args[1].name, ".")
		c.warn(diag.IntegerDivision, e.at, "%s truncates: it is %s, and %s becomes the integer %s", c.text(e.at), t, e.args[1].name, whole).
			advise("float64(...) around what is to have a fraction, or /%s if it is to truncate", whole)
		return
	}
	if y := untyped(q.Y); e == nil || c.reals || y != nil && constant.Sign(y.Value) == 0 || !t.Float() || !c.wholeNumber(q.X) || !c.wholeNumber(q.Y) {
		return
	}
	r := c.warn(diag.IntegerDivision, e.at, "%s keeps its fraction: its integers become %s before they are divided; %s(%s) truncates", c.text(e.at), t, t, bare(e))
	switch x, y := e.args[0], e.args[1]; {
	case y.decimal():
		r.fixOf(e, "%s/%s.0", exprText(x, quotientPrecedence), y.name)
	case x.decimal():
		r.fixOf(e, "%s.0/%s", x.name, exprText(y, quotientPrecedence+1))
	default:
		r.fixOf(e, "1.0*%s/%s", exprText(x, quotientPrecedence+1), exprText(y, quotientPrecedence+1))
	}
}

// quotientPrecedence is the precedence of a division.
var quotientPrecedence = binaryOps["/"].precedence

// withFraction is e with a decimal point in the quotients of integers that do not divide, which languages without types
// do not truncate.
func withFraction(e *expr) *expr {
	x := *e
	x.args = slices.Clone(e.args)
	for k, a := range e.args {
		x.args[k] = withFraction(a)
	}
	if e.kind != binaryExpr || e.op != ir.Quo {
		return &x
	}
	n, ok := wholeOf(e.args[0])
	d, also := wholeOf(e.args[1])
	if !ok || !also || d == 0 || n%d == 0 {
		return &x
	}
	for k, a := range x.args {
		if a.decimal() {
			y := *a
			y.name += ".0"
			x.args[k] = &y
			break
		}
	}
	return &x
}

// wholeOf is the value of an expression of integers and the operators + - and *; ok is false for another one.
func wholeOf(e *expr) (n int64, ok bool) {
	if e.decimal() && len(e.name) < 10 {
		_, err := fmt.Sscan(e.name, &n)
		return n, err == nil
	}
	if e.kind != binaryExpr {
		return 0, false
	}
	x, ok := wholeOf(e.args[0])
	y, also := wholeOf(e.args[1])
	if ok = ok && also; !ok || max(x, -x) >= 1<<30 || max(y, -y) >= 1<<30 {
		return 0, false
	}
	switch e.op {
	case ir.Add:
		return x + y, true
	case ir.Sub:
		return x - y, true
	case ir.Mul:
		return x * y, true
	}
	return 0, false
}

// decimal reports whether e is an integer written in digits, to which .0 can be added.
func (e *expr) decimal() bool {
	return e.kind == numberExpr && strings.Trim(e.name, "0123456789") == "" && (e.name[0] != '0' || e.name == "0")
}

// wholeNumber reports whether e, whose leaves have no type yet, consists of indices,
// parameters, integer constants, and lets of these.
func (c *checker) wholeNumber(e ir.Expr) bool {
	whole := !floatCalls(e)
	leaves(e, func(x ir.Expr) {
		switch x := x.(type) {
		case *ir.Lit:
			whole = whole && x.Value.Kind() == constant.Int
		case *ir.ParamRef, *ir.IterRef:
		case *ir.LocalRef:
			whole = whole && c.types.ranges[x.Stmt] != nil
		default:
			whole = false
		}
	})
	return whole
}
