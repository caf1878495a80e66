package frontend

import (
	"go/constant"
	"math"

	"loopc/ir"
)

// A let of indices, parameters and integer constants alone is computed in int64, and its value
// converts to the type of each context, as an index does. If the bits are the same, it is
// computed in the type of its uses instead, so that a kernel has one type less.

// A valueRange is the range lo to hi of an integer expression. If it is not known, the value may be any
// int64, and lo and hi mean nothing.
type valueRange struct {
	lo, hi int64
	known  bool
}

// fits reports whether every integer of s is a value of type t.
func (s valueRange) fits(t ir.Type) bool {
	lo, hi := t.Cell().Lo, t.Cell().Hi
	return s.known && lo <= s.lo && s.hi <= hi
}

// has reports whether the value may be x.
func (s valueRange) has(x int64) bool { return s.lo <= x && x <= s.hi }

// rangeOf returns the range of e, whose leaves are integers without a type.
func (t *typer) rangeOf(e ir.Expr) valueRange {
	switch e := e.(type) {
	case *ir.Lit:
		if v, exact := constant.Int64Val(constant.ToInt(e.Value)); exact {
			return valueRange{v, v, true}
		}
	case *ir.LocalRef:
		if s := t.ranges[e.Stmt]; s != nil {
			return *s
		}
	case *ir.Unary:
		return hull(t.rangeOf(e.X), valueRange{known: true}, func(x, _ constant.Value) constant.Value {
			return constant.UnaryOp(goOps[ir.Sub], x, 0)
		})
	case *ir.Binary:
		x, y := t.rangeOf(e.X), t.rangeOf(e.Y)
		if e.Op > ir.Mul {
			return valueRange{} // the divisor may be 0, and of bits nothing is known
		}
		return hull(x, y, func(a, b constant.Value) constant.Value { return constant.BinaryOp(a, goOps[e.Op], b) })
	case *ir.Select:
		return union(t.rangeOf(e.A), t.rangeOf(e.B))
	case *ir.Call:
		s := t.rangeOf(e.Args[0])
		for _, a := range e.Args[1:] {
			s = union(s, t.rangeOf(a))
		}
		if e.Fn == ir.Abs {
			return valueRange{}
		}
		return s
	}
	return valueRange{}
}

// union returns the range of a value that is x or y.
func union(x, y valueRange) valueRange {
	return valueRange{min(x.lo, y.lo), max(x.hi, y.hi), x.known && y.known}
}

// hull returns the range of op of x and y, where op is monotone in each of them.
func hull(x, y valueRange, op func(a, b constant.Value) constant.Value) valueRange {
	s := valueRange{math.MaxInt64, math.MinInt64, x.known && y.known}
	for _, a := range []int64{x.lo, x.hi} {
		for _, b := range []int64{y.lo, y.hi} {
			v, exact := constant.Int64Val(op(constant.MakeInt64(a), constant.MakeInt64(b)))
			s = valueRange{min(s.lo, v), max(s.hi, v), s.known && exact}
		}
	}
	return s
}

// exactIn reports whether e, whose leaves are integers without a type, surely has the same value in
// type f as in int64, and so have all parts of e. It is false if a range is not known.
func (t *typer) exactIn(e ir.Expr, f ir.Type) bool {
	s := t.rangeOf(e)
	if !s.fits(f) {
		return false
	}
	switch e := e.(type) {
	case *ir.Unary:
		return t.exactIn(e.X, f) && !(f.Float() && s.has(0)) // it would be -0
	case *ir.Binary:
		return t.exactIn(e.X, f) && t.exactIn(e.Y, f) && !(f.Float() && e.Op == ir.Mul && s.has(0))
	case *ir.Select:
		return t.exactIn(e.A, f) && t.exactIn(e.B, f)
	case *ir.Call:
		for _, a := range e.Args {
			if !t.exactIn(a, f) {
				return false
			}
		}
	}
	return true
}

// commutes reports whether e, whose leaves are integers without a type, may be computed in type
// f if its int64 value is only converted to f. Sums and products may if f is an integer type,
// because they wrap alike; min and max may if f is a float type, because conversion keeps the order.
func commutes(e ir.Expr, f ir.Type) bool {
	switch e := e.(type) {
	case *ir.Unary:
		return f.Integer() && commutes(e.X, f)
	case *ir.Binary:
		return f.Integer() && (e.Op <= ir.Mul || e.Op == ir.BitAnd || e.Op == ir.BitOr || e.Op == ir.BitXor) && commutes(e.X, f) && commutes(e.Y, f)
	case *ir.Select:
		return commutes(e.A, f) && commutes(e.B, f)
	case *ir.Call:
		for _, a := range e.Args {
			if f.Integer() || e.Fn > ir.Max || !commutes(a, f) {
				return false
			}
		}
	case *ir.Lit:
		return representable(e.Value, f) != nil
	}
	return true
}

// stored returns the type in which let k, of integers without a type, is computed: int64, or a
// type that makes no difference.
func (c *checker) stored(k int, uses []*use) ir.Type {
	e := c.body[k].expr
	if t := c.firstUse(uses); t != ir.Invalid && c.types.exactIn(e, t) {
		return t
	}
	only := ir.Invalid
	for _, u := range uses {
		t := u.t
		switch {
		case t != ir.Invalid:
		case u.context != nil:
			t = c.types.judge(u.context...).alone()
		default:
			t = c.typeOfStatement(u.stmt)
		}
		if only != ir.Invalid && t != only {
			return ir.Int64
		}
		only = t
	}
	if only != ir.Invalid && commutes(e, only) {
		return only
	}
	return ir.Int64
}

// adapted returns a use of let e, of integers without a type, in a context of another type.
func (t *typer) adapted(e *ir.LocalRef, to ir.Type) ir.Expr {
	switch {
	case e.T == to:
		return e
	case e.T.Float() && to.Integer() && to != ir.Int64 && !t.ranges[e.Stmt].fits(to):
		// It must wrap, as from int64; a conversion from a float would saturate.
		return &ir.Convert{T: to, X: &ir.Convert{T: ir.Int64, X: e, At: e.At}, At: e.At}
	}
	return &ir.Convert{T: to, X: e, At: e.At}
}

// compared returns the type in which a comparison of x and y is computed. If both sides have only
// constants and lets of constants, this is the type of one of these lets, provided that x and y
// have the same values in that type as in int64.
func (c *checker) compared(x, y ir.Expr) ir.Type {
	t := c.context(x, y)
	v := c.types.judge(x, y)
	if t != ir.Int64 || v.t != ir.Invalid || v.index {
		return t
	}
	for _, e := range []ir.Expr{x, y} {
		leaves(e, func(l ir.Expr) {
			if r, ok := l.(*ir.LocalRef); ok && t == ir.Int64 {
				if s := c.types.lets[r.Stmt]; c.types.exactIn(x, s) && c.types.exactIn(y, s) {
					t = s
				}
			}
		})
	}
	return t
}
