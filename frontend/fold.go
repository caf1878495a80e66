package frontend

import (
	"fmt"
	"go/constant"
	gotoken "go/token"
	"math"
	"slices"

	"loopc/ir"
	"loopc/ir/diag"
)

// goOps are the arithmetic operators as package go/constant knows them.
var goOps = map[ir.Op]gotoken.Token{
	ir.Add: gotoken.ADD, ir.Sub: gotoken.SUB, ir.Mul: gotoken.MUL, ir.Quo: gotoken.QUO,
	ir.Rem: gotoken.REM, ir.BitAnd: gotoken.AND, ir.BitOr: gotoken.OR, ir.BitXor: gotoken.XOR, ir.Shl: gotoken.SHL, ir.Shr: gotoken.SHR,
}

// untyped returns x if it is a constant that has no type yet, else nil.
func untyped(x ir.Expr) *ir.Lit {
	if l, ok := x.(*ir.Lit); ok && l.T == ir.Invalid {
		return l
	}
	return nil
}

// foldBinary computes x op y for constants, as Go computes with untyped constants: exactly,
// except that the quotient of two integers is truncated, with a warning. It returns nil after a
// mistake.
func (c *checker) foldBinary(v *view, e *expr, x, y constant.Value) ir.Expr {
	op := goOps[e.op]
	if e.op.Divides() && constant.Sign(y) == 0 {
		c.errorf(diag.DivisionByZero, e.args[1].at, "constant %s is divided by zero", c.text(e.args[0].at))
		return nil
	}
	if e.op.OfIntegers() {
		return c.foldIntegers(e, x, y)
	}
	if e.op == ir.Quo {
		if x.Kind() == constant.Int && y.Kind() == constant.Int {
			op = gotoken.QUO_ASSIGN // truncated division, to go/constant
			if constant.Sign(constant.BinaryOp(x, gotoken.REM, y)) != 0 {
				c.warnTruncated(v, e, x, y)
			}
		}
	}
	return c.folded(e, constant.BinaryOp(x, op, y))
}

// betweenCells completes the report of a fraction e with the given quotient in a subscript such as i-1/2, which means a face between
// two cells; it returns false for others.
func (v *view) betweenCells(r report, e *expr, quotient constant.Value) bool {
	n, exact := constant.Int64Val(quotient)
	if w := v.whole; exact && w != nil && n >= 0 && n < maxUnrolled && w.kind == binaryExpr && w.args[1] == e && w.args[0].kind == nameExpr && (w.op == ir.Add || w.op == ir.Sub) {
		if w.op == ir.Sub {
			n = -n - 1
		}
		name := w.args[0].name
		r.advise("number the faces with integers: %s or %s", shiftedName(name, n), shiftedName(name, n+1))
		return true
	}
	return false
}

// shiftedName is the text of a name plus a number, as a subscript.
func shiftedName(name string, by int64) string {
	if by == 0 {
		return name
	}
	return fmt.Sprintf("%s%+d", name, by)
}

// warnTruncated warns of the division e of two integer constants, x by y. The hint is the quotient if
// an integer is wanted, otherwise a division that keeps its fraction.
func (c *checker) warnTruncated(v *view, e *expr, x, y constant.Value) {
	quotient := constant.BinaryOp(x, gotoken.QUO_ASSIGN, y)
	r := c.warn(diag.ConstantDivision, e.at, "%s is a division of integers and gives %s", c.text(e.at), short(quotient))
	if v.what == aSubscript {
		r.d.Message += ": cells have whole numbers, those of a staggered grid, too"
	}
	switch a, b := e.args[0], e.args[1]; {
	case v.what == aSubscript && v.betweenCells(r, e, quotient):
	case v.integer && constant.Sign(quotient) == 0 && v.what == bodyOf:
		r.advise("of a factor, the product comes first, as in %s*x/%s", exprText(a, quotientPrecedence), exprText(b, quotientPrecedence+1))
	case v.what == paramDefault:
		r.advise("%s if an integer is meant; float64 = 1.0*%s/%s if not", short(quotient), exprText(a, quotientPrecedence+1), exprText(b, quotientPrecedence+1))
	case v.integer && constant.Sign(quotient) >= 0 && len(short(quotient)) < 20:
		r.fixOf(e, "%s", short(quotient))
	case v.integer:
	case v.what == constantDefinition: // its uses decide the type
		r.advise("%s if an integer is meant, 1.0*%s/%s if not", short(quotient), exprText(a, quotientPrecedence+1), exprText(b, quotientPrecedence+1))
	case a.decimal():
		r.fixOf(e, "%s.0/%s", a.name, exprText(b, quotientPrecedence+1))
	case b.decimal():
		r.fixOf(e, "%s/%s.0", exprText(a, quotientPrecedence), b.name)
	default:
		r.fixOf(e, "1.0*%s/%s", exprText(a, quotientPrecedence+1), exprText(b, quotientPrecedence+1))
	}
}

// folded returns the value of e as a literal, unless it is too large.
func (c *checker) folded(e *expr, v constant.Value) ir.Expr {
	if v.Kind() == constant.Unknown || v.Kind() == constant.Int && constant.BitLen(v) > maxConstantBits {
		c.errorf(diag.ConstantOverflow, e.at, "constant %s is too large", c.text(e.at))
		return nil
	}
	return &ir.Lit{Value: v, At: e.at}
}

// foldCall computes min, max and abs of constants. It returns nil for other calls, and for a
// result that is too large, which it reports.
func (c *checker) foldCall(e *expr, call *ir.Call) ir.Expr {
	const lastFolded = ir.Abs // min, max and abs are the first functions
	if call.Fn > lastFolded || slices.ContainsFunc(call.Args, func(x ir.Expr) bool { return untyped(x) == nil }) {
		return nil
	}
	v := untyped(call.Args[0]).Value
	if call.Fn == ir.Abs {
		if constant.Sign(v) < 0 {
			v = constant.UnaryOp(gotoken.SUB, v, 0)
		}
		return c.folded(e, v)
	}
	float := v.Kind() == constant.Float
	for _, x := range call.Args[1:] {
		w := untyped(x).Value
		float = float || w.Kind() == constant.Float
		op := gotoken.LSS
		if call.Fn == ir.Max {
			op = gotoken.GTR
		}
		if constant.Compare(w, op, v) {
			v = w
		}
	}
	if float {
		v = constant.ToFloat(v)
	}
	return c.folded(e, v)
}

// representable returns v as a constant of type t, or nil if t cannot hold it: for an integer
// type v must be an integer in range; for a floating-point type it must not round to infinity.
func representable(v constant.Value, t ir.Type) constant.Value {
	if t.Integer() {
		v = constant.ToInt(v)
		if v.Kind() != constant.Int {
			return nil
		}
		n, exact := constant.Int64Val(v)
		if !exact || !t.Cell().Has(n) {
			return nil
		}
		return v
	}
	v = constant.ToFloat(v)
	if v.Kind() != constant.Float {
		return nil
	}
	if math.IsInf(nearest(v, t), 0) {
		return nil
	}
	return v
}

// nearest is a constant rounded to a floating-point type.
func nearest(v constant.Value, t ir.Type) float64 {
	if t == ir.Float32 {
		f, _ := constant.Float32Val(v)
		return float64(f)
	}
	f, _ := constant.Float64Val(v)
	return f
}

// short returns a constant as messages show it.
func short(v constant.Value) string {
	s := v.String()
	if len(s) > 40 {
		s = s[:40] + "..."
	}
	return s
}

// plural is "1 loop" or "2 loops".
func plural(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}
