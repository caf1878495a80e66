package vector

import (
	"go/constant"
	"slices"

	"loopc/ir"
)

// writeOut replaces operations on integers by operations that lanes have.
func (s *Shape) writeOut() {
	n := *s.n
	n.Body = slices.Clone(n.Body)
	any := false
	for k, stmt := range n.Body {
		e := ir.Value(stmt)
		ir.Walk(e, func(e ir.Expr) {
			b, ok := e.(*ir.Binary)
			any = any || ok && b.Op.OfIntegers()
		})
		if doublings(e) <= mostDoublings {
			n.Body[k] = ir.With(stmt, writtenOut(e))
		}
	}
	if any {
		s.n = &n
	}
}

// mostDoublings bounds how often remainders and shifts stand inside one another: each writes its operand
// twice.
const mostDoublings = 6

// doublings returns how often remainders and shifts to the right stand inside one another in e.
func doublings(e ir.Expr) (depth int) {
	for _, x := range ir.Operands(e) {
		depth = max(depth, doublings(x))
	}
	if b, ok := e.(*ir.Binary); ok && (b.Op == ir.Rem || b.Op == ir.Shr) {
		depth++
	}
	return depth
}

// writtenOut returns e without remainders by a constant and without shifts, as far as the constants
// are numbers of forms. All of this holds in integers that wrap: x % c is x - x/c*c, also where the
// quotient wraps; x << k is x*2^k; x >> k is the quotient by 2^k of x without its low k bits, which
// leaves no remainder.
func writtenOut(e ir.Expr) ir.Expr {
	e = ir.Map(e, writtenOut)
	b, ok := e.(*ir.Binary)
	if !ok || !b.Op.OfIntegers() {
		return e
	}
	c, ok := small(b.Y)
	binary := func(op ir.Op, x, y ir.Expr) ir.Expr { return &ir.Binary{T: b.T, Op: op, X: x, Y: y, At: b.At} }
	number := func(c int) ir.Expr { return &ir.Lit{T: b.T, Value: constant.MakeInt64(int64(c)), At: b.At} }
	power := 1
	if ok && (b.Op == ir.Shl || b.Op == ir.Shr) {
		if power <<= min(c, 62); power > large || !b.T.Cell().Has(int64(power)) {
			return e
		}
	}
	switch {
	case !ok, b.Op == ir.Rem && c == 0:
	case b.Op == ir.Rem:
		return binary(ir.Sub, b.X, binary(ir.Mul, binary(ir.Quo, b.X, b.Y), b.Y))
	case power == 1 && (b.Op == ir.Shl || b.Op == ir.Shr):
		return b.X
	case b.Op == ir.Shl:
		return binary(ir.Mul, b.X, number(power))
	case b.Op == ir.Shr:
		return binary(ir.Quo, binary(ir.Sub, b.X, binary(ir.BitAnd, b.X, number(power-1))), number(power))
	}
	return e
}
