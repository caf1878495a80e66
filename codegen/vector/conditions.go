package vector

import (
	"fmt"
	"go/constant"

	"loopc/codegen/asm"
	"loopc/ir"
)

// A truth is a condition for lanes of size bytes. In a mask register, the size does not matter.
type truth struct {
	lanes asm.Reg
	size  int
}

// resized returns a condition for lanes of another size.
func (b *body) resized(c truth, size int) asm.Reg {
	switch {
	case b.MovesLanes() || c.size == size:
		return c.lanes
	case c.size < size:
		return b.In(size, false).Widen(c.lanes, c.size, false)
	}
	return b.In(size, false).Narrow(c.lanes, c.size)
}

// cond returns the condition e.
func (b *body) cond(e ir.Expr) truth {
	if c, known := b.patterns[e]; known {
		return c
	}
	switch e := e.(type) {
	case *ir.Lit:
		bits := uint64(0)
		if constant.BoolVal(e.Value) {
			bits = b.AllOnes()
		}
		return truth{b.Negative(b.Load(b.Splat(bits))), b.LaneSize()}
	case *ir.Unary:
		c := b.cond(e.X)
		return truth{b.In(c.size, false).Not(c.lanes), c.size}
	case *ir.Binary:
		if e.Op == ir.And || e.Op == ir.Or {
			x := b.cond(e.X)
			if e.Op == ir.And && b.MovesLanes() {
				return b.condWithin(x, e.Y)
			}
			y := b.where(x, e.Op == ir.And, e.Y).cond(e.Y)
			size := max(x.size, y.size)
			return truth{b.In(size, false).Logic(logic[e.Op], b.resized(x, size), b.resized(y, size)), size}
		}
		if b.compareNarrow != nil {
			if c := b.compareNarrow(e); c != 0 {
				return truth{c, b.LaneSize()}
			}
		}
		x := b.expr(e.X)
		m := b.as(e.X.Type())
		return truth{m.Compare(tests[e.Op], e.X.Type().Float(), x, b.expr(e.Y)), m.LaneSize()}
	}
	panic(fmt.Sprintf("BUG: vector: unexpected condition %T", e))
}

// condWithin returns the condition c && e. A comparison takes c, in a mask register, as its mask.
func (b *body) condWithin(c truth, e ir.Expr) truth {
	b = b.where(c, true, e)
	compare, ok := e.(*ir.Binary)
	_, known := b.patterns[e]
	switch {
	case ok && compare.Op == ir.And && !known:
		return b.condWithin(b.condWithin(c, compare.X), compare.Y)
	case known || !ok || compare.Op == ir.Or || b.compareNarrow != nil:
		y := b.cond(e)
		return truth{b.Logic(asm.And, c.lanes, y.lanes), y.size}
	}
	x := b.expr(compare.X)
	m := b.as(compare.X.Type())
	return truth{m.CompareWithin(c.lanes, tests[compare.Op], compare.X.Type().Float(), x, b.expr(compare.Y)), m.LaneSize()}
}

// chained returns a select with the value of e. If the condition of e is a chain of comparisons under ||, the new condition is
// its negation, a chain under &&, which takes an instruction less for each comparison. Only comparisons of integers are
// negated: with NaN, neither a comparison of floats nor its opposite holds.
func (b *body) chained(e *ir.Select) *ir.Select {
	if c, ok := e.Cond.(*ir.Binary); ok && c.Op == ir.Or && b.MovesLanes() {
		if no := negated(c); no != nil {
			return &ir.Select{T: e.T, Cond: no, A: e.B, B: e.A}
		}
	}
	return e
}

// opposites are the comparisons of integers that hold where others do not.
var opposites = map[ir.Op]ir.Op{ir.Eq: ir.Ne, ir.Ne: ir.Eq, ir.Lt: ir.Ge, ir.Ge: ir.Lt, ir.Le: ir.Gt, ir.Gt: ir.Le}

// negated returns !e if e is a comparison of integers, or several under ||; nil if it is not.
func negated(e ir.Expr) ir.Expr {
	c, ok := e.(*ir.Binary)
	if !ok {
		return nil
	}
	if c.Op == ir.Or {
		x, y := negated(c.X), negated(c.Y)
		if x == nil || y == nil {
			return nil
		}
		return &ir.Binary{T: c.T, Op: ir.And, X: x, Y: y, At: c.At}
	}
	if op, ok := opposites[c.Op]; ok && c.X.Type().Integer() {
		return &ir.Binary{T: c.T, Op: op, X: c.X, Y: c.Y, At: c.At}
	}
	return nil
}
