package frontend

import (
	"fmt"
	"go/constant"
	gotoken "go/token"
	"slices"

	"loopc/ir"
	"loopc/ir/diag"
)

// The operators % & | ^ << >> are Go's, on integers. Shifts are by constants.

// maxShift bounds the shift of a constant.
const maxShift = 1 << 10

// foldIntegers computes x op y for constants, which must be integers.
func (c *checker) foldIntegers(e *expr, x, y constant.Value) ir.Expr {
	x, y = constant.ToInt(x), constant.ToInt(y)
	for k, v := range []constant.Value{x, y} {
		if v.Kind() != constant.Int {
			c.errorf(diag.ConstantOverflow, e.args[k].at, "constant %s is not an integer, as %s needs", c.text(e.args[k].at), e.op)
			return nil
		}
	}
	if b := e.args[0]; e.op == ir.BitXor && b.kind == numberExpr && (b.name == "2" || b.name == "10") && e.args[1].kind != cellExpr {
		c.errorf(diag.Foreign, e.at, "^ is the exclusive or of bits, and no power").advise("1e-5 for a power of ten, 1<<5 for one of two, a product for others")
		return nil
	}
	if e.op != ir.Shl && e.op != ir.Shr {
		return c.folded(e, constant.BinaryOp(x, goOps[e.op], y))
	}
	n, exact := constant.Int64Val(y)
	if !exact || n < 0 || n > maxShift {
		c.errorf(diag.ConstantOverflow, e.args[1].at, "a constant is shifted by 0 to %d bits, not by %s", maxShift, short(y))
		return nil
	}
	return c.folded(e, constant.Shift(x, goOps[e.op], uint(n)))
}

// ofIntegers reports an operator of integers in a context of floats, and a shift whose count is not a
// constant from 0 to the number of bits less one. It returns false if it reports one.
func (c *checker) ofIntegers(e *ir.Binary, t ir.Type) bool {
	if !t.Integer() {
		v, q := c.types.judge(e), c.quotients[e]
		if q.power() && (v.float || v.t.Float()) {
			c.powerOfFloats(q)
			return false
		}
		r := c.errorf(diag.TypeMismatch, e.At, "%s is an operator of integers, and here it would compute in %s", e.Op, t)
		replaceable := q != nil && !q.update                                      // x %= y has no text for x % y that could be replaced
		if replaceable && q.oneLine() && !v.float && !v.clashes && !v.t.Float() { // no operand is a float
			r.fixOf(q, "%s(%s)", t, bare(q))
		} else if replaceable {
			c.adviseConversion(r, e, q, t)
		}
		return false
	}
	if e.Op != ir.Shl && e.Op != ir.Shr {
		return true
	}
	count, bits := untyped(e.Y), 8*t.Size()
	if count == nil {
		c.errorf(diag.NotConstant, e.Y.Span(), "%s is not a constant: a shift of %s is by a constant from 0 to %d", c.text(e.Y.Span()), t, bits-1).
			advise("a product with a power of two that is computed, or an in array with powers of two")
		return false
	}
	if n, exact := constant.Int64Val(constant.ToInt(count.Value)); !exact || n < 0 || n >= int64(bits) {
		c.errorf(diag.ConstantOverflow, count.At, "a shift of %s is by 0 to %d bits, not by %s", t, bits-1, short(count.Value))
		return false
	}
	return true
}

// power reports whether e, which may be nil, may be a power as other languages write it.
func (e *expr) power() bool { return e != nil && e.op == ir.BitXor && !e.update && !e.ofBits() }

// ofBits reports whether an operand of e is computed with operators that no power has beside it.
func (e *expr) ofBits() bool {
	return slices.ContainsFunc(e.args, func(x *expr) bool {
		return x.kind == binaryExpr && (x.op == ir.Shl || x.op == ir.Shr || x.op == ir.BitAnd || x.ofBits())
	})
}

// powerOfFloats reports x^y among floats, which is meant as a power. e is the exclusive or: it binds less tightly than a
// power would, so the base is the last operand of its left side, and the exponent is the first operand of its right side.
func (c *checker) powerOfFloats(e *expr) {
	base, exponent := e.args[0], e.args[1]
	for len(base.args) > 0 && !base.round && (base.kind == binaryExpr || base.kind == unaryExpr) {
		base = base.args[len(base.args)-1]
	}
	for exponent.kind == binaryExpr && !exponent.round {
		exponent = exponent.args[0]
	}
	power := raised(base.String(), exponent.String(), false)
	r := c.errorf(diag.Foreign, e.opAt, powerMessage)
	if base.at.Line == exponent.at.Line && base.oneLine() && exponent.oneLine() {
		at := join(base.at, exponent.at)
		r.d.At = at
		r.fix(at, "%s", power.hint)
		return
	}
	r.hint("%s", power.hint)
}

// adviseConversion advises a conversion to integers if operands of e, an operator of integers written as q, are floats. If
// all floats are cells of one array that the nest writes, that array's type may be wrong, and the advice says so.
func (c *checker) adviseConversion(r report, e *ir.Binary, q *expr, t ir.Type) {
	array, others := -1, false
	leaves(e, func(x ir.Expr) {
		if cell, ok := x.(*ir.Read); ok && cell.T.Float() && (array < 0 || cell.Array == array) {
			array = cell.Array
		} else if untyped(x) == nil {
			others = true
		}
	})
	y := q.args[0]
	whole := fmt.Sprintf("%s(int64(%s)%s%s), which drops the fraction", t, bare(y), e.Op, exprText(q.args[1], binaryOps[e.Op.String()].precedence+1))
	if array < 0 || others || !c.written[c.nest.Arrays[array].Name] {
		r.advise("%s", whole)
		return
	}
	if q.ofBits() { // its operands are computed so, too
		r.advise("declare %s as int64", c.nest.Arrays[array].Name)
		return
	}
	r.advise("declare %s as int64, or %s", c.nest.Arrays[array].Name, whole)
}

// literalOf returns x if it is a constant with a type, else nil.
func literalOf(x ir.Expr) *ir.Lit {
	l, _ := x.(*ir.Lit)
	return l
}

// wrappedLit computes e, whose operands x and y are constants with a type, as a run would: the
// result wraps. The exact result may exceed int64: its lowest 64 bits are an int64, which wraps to e.T.
func wrappedLit(e *ir.Binary, x, y *ir.Lit) ir.Expr {
	v := x.Value
	switch e.Op {
	case ir.Shl, ir.Shr:
		n, _ := constant.Int64Val(y.Value)
		v = constant.Shift(v, goOps[e.Op], uint(n))
	default:
		v = constant.BinaryOp(v, goOps[e.Op], y.Value)
	}
	low, _ := constant.Int64Val(constant.BinaryOp(v, gotoken.AND, constant.MakeUint64(1<<63-1)))
	if constant.Sign(constant.BinaryOp(constant.Shift(v, gotoken.SHR, 63), gotoken.AND, constant.MakeInt64(1))) != 0 {
		low -= 1<<63 - 1 // and 1 more: 1<<63, the weight of the highest bit, is no int64
		low--
	}
	return &ir.Lit{T: e.T, Value: constant.MakeInt64(e.T.Cell().Wrapped(low)), At: e.At}
}

// joinedBits reports &, | and ^ where other languages join conditions. Here they bind tighter than comparisons:
// a < b & c < d is the chain a < (b & c) < d. It returns false for anything else.
func (c *checker) joinedBits(whole *expr) bool {
	e, chain := whole, false
	bits := func(x *expr) bool { return x.op == ir.BitAnd || x.op == ir.BitOr || x.op == ir.BitXor }
	if isComparison(e) && isComparison(e.args[0]) && !e.args[0].round {
		e, chain = e.args[0].args[1], true
		for e.kind == binaryExpr && !e.round && !bits(e) {
			e = e.args[0]
		}
		if e.round {
			return false
		}
	} else if e.kind != binaryExpr || !isCondition(e.args[0]) && !isCondition(e.args[1]) {
		return false
	}
	if e.kind != binaryExpr || !bits(e) {
		return false
	}
	if e.op == ir.BitXor {
		c.exclusive(whole, e, chain)
		return true
	}
	c.errorf(diag.NotCondition, e.opAt, "%s is an operator of integers; conditions are joined by %s%s", e.op, e.op, e.op).fix(e.opAt, "%s%s", e.op, e.op)
	return true
}

// exclusive reports ^ between the conditions of whole. e has the operator; in a chain, one comparison ends with its left operand
// and another begins with the right one.
func (c *checker) exclusive(whole, e *expr, chain bool) {
	r := c.errorf(diag.NotCondition, e.opAt, "^ is an operator of integers: of conditions, either is true and the other is not")
	sides := e.args
	if chain {
		first := whole.args[0]
		if e != first.args[1] || isComparison(first.args[0]) {
			return // more than two
		}
		left, right := *first, *whole
		left.args, right.args = []*expr{first.args[0], e.args[0]}, []*expr{e.args[1], whole.args[1]}
		sides = []*expr{&left, &right}
	}
	if isCondition(sides[0]) && isCondition(sides[1]) {
		r.fixOf(whole, "%s", unequalText(sides[0], sides[1]))
	}
}

// leaf reports whether x is a single name, number or cell: its span has the complete text of x, and not only an operator.
func leaf(x ir.Expr) bool {
	switch x.(type) {
	case *ir.Unary, *ir.Binary, *ir.Call, *ir.Select, *ir.Convert:
		return false
	}
	return true
}
