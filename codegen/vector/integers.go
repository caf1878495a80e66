package vector

import (
	"go/constant"
	"slices"

	"loopc/ir"
)

// Integers of types that lanes do not have are computed in the lanes' type, float64 or int32, where
// intervals of values prove that the result is the same: every intermediate value lies in the range
// of its own type, so that it does not wrap, and the lanes' type represents it exactly. In lanes of
// int32, values of narrower types may leave that range: lanes then wrap them (see within).

// An integer is an expression in the type of lanes that has the value of an expression of another
// type. The value is from lo to hi.
type integer struct {
	e      ir.Expr
	lo, hi int
}

// laneInt is the type in which lanes hold integers, and the greatest integer that it holds exactly.
func (s *Shape) laneInt() (t ir.Type, most int) {
	switch {
	case s.integers == ir.Uint8:
		return ir.Uint8, 255
	case s.integers == ir.Int16:
		return ir.Int16, 1<<15 - 1
	case s.integers == ir.Int64: // in whose lanes narrower integers without lanes of their own are computed
		return ir.Int64, 1<<31 - 1
	case s.integers == ir.Int32, s.integers == ir.Invalid && s.lane == 4:
		return ir.Int32, 1<<31 - 1
	}
	return ir.Float64, 1 << 53
}

// foreign reports whether t is a type of integers that lanes do not have.
func (s *Shape) foreign(t ir.Type) bool {
	if s.sized {
		return t.Integer() && !s.holds(t)
	}
	return t == ir.Int64 || short(t) || t == ir.Int32 && s.lane == 8
}

// rangeOf are the bounds of a type of integers, limited to what lanes hold exactly.
func (w *narrowing) rangeOf(t ir.Type) (lo, hi int) {
	in, most := w.s.laneInt()
	least := -most
	if in.Integer() {
		least = int(in.Cell().Lo)
	}
	return max(least, int(t.Cell().Lo)), min(most, int(t.Cell().Hi))
}

// integer returns e, of a type of integers, in the type of lanes; nil if that might give another number.
func (w *narrowing) integer(e ir.Expr) *integer {
	x, known := w.seen[e]
	if !known {
		x = w.find(e)
		w.seen[e] = x
	}
	return x
}

// find does what integer does, for an expression that integer has not seen yet. integer must remember
// results: conditions of selects contain the same integers again, which would take exponential time.
func (w *narrowing) find(e ir.Expr) *integer {
	t, most := w.s.laneInt()
	if f := w.form(e); f != nil {
		if b := w.bound(f); b <= most {
			lo, hi := -b, b
			if !slices.ContainsFunc(f[1:], func(c int) bool { return c != 0 }) {
				lo, hi = f[0], f[0]
			}
			if x := w.within(e.Type(), w.sum(f, t), lo, hi); x != nil {
				return x
			}
		}
	}
	if !w.s.foreign(e.Type()) {
		lo, hi := int(e.Type().Cell().Lo), int(e.Type().Cell().Hi)
		if e.Type() != ir.Int64 { // whose ends an interval rounds
			own := w.s.interval(e)
			lo, hi = int(own.Lo), int(own.Hi)
		}
		return &integer{w.inLanes(w.rewrite(e)), lo, hi}
	}
	switch e := e.(type) {
	case *ir.Read:
		return w.cell(e)
	case *ir.Lookup:
		return w.found(e)
	case *ir.ConstCell:
		return w.constCell(e)
	case *ir.LocalRef:
		if x := w.retyped(e.Stmt); x != nil {
			return &integer{&ir.LocalRef{T: t, Stmt: e.Stmt, At: e.At}, x.lo, x.hi}
		}
	case *ir.Convert:
		if e.X.Type().Float() {
			return w.fromFloat(e)
		}
		if x := w.integer(e.X); x != nil {
			return w.within(e.T, x.e, x.lo, x.hi)
		}
	case *ir.Unary:
		return w.arithmetic(e.T, ir.Sub, &integer{w.number(0), 0, 0}, w.integer(e.X))
	case *ir.Binary:
		return w.binary(e)
	case *ir.Call:
		return w.called(e)
	case *ir.Select:
		return w.selected(e)
	}
	return nil
}

// fromFloat returns the conversion of a float to an integer type narrower than int32: a number that the
// type does not have becomes its least or greatest.
func (w *narrowing) fromFloat(e *ir.Convert) *integer {
	in, _ := w.s.laneInt()
	if in != ir.Int32 || !short(e.T) {
		return nil
	}
	lo, hi := int(e.T.Cell().Lo), int(e.T.Cell().Hi)
	extreme := func(fn ir.Func, x ir.Expr, c int) ir.Expr {
		return &ir.Call{T: in, Fn: fn, Args: []ir.Expr{x, w.number(c)}}
	}
	x := &ir.Convert{T: in, X: w.rewrite(e.X), At: e.At}
	return &integer{extreme(ir.Min, extreme(ir.Max, x, lo), hi), lo, hi}
}

// inLanes returns e converted to the type in which lanes hold integers.
func (w *narrowing) inLanes(e ir.Expr) ir.Expr {
	if t, _ := w.s.laneInt(); e.Type() != t {
		return &ir.Convert{T: t, X: e}
	}
	return e
}

// number is a constant in the type of lanes.
func (w *narrowing) number(c int) ir.Expr {
	t, _ := w.s.laneInt()
	return &ir.Lit{T: t, Value: constant.MakeInt64(int64(c))}
}

// within returns e, whose values are from lo to hi, as a number of type t. If t is narrower than lanes of
// int32, values that t does not have wrap: for that, only the low bits of the lanes need to be right.
func (w *narrowing) within(t ir.Type, e ir.Expr, lo, hi int) *integer {
	if least, most := w.rangeOf(t); lo >= least && hi <= most {
		return &integer{e, lo, hi}
	}
	if in, _ := w.s.laneInt(); short(t) && in == ir.Int32 {
		return &integer{&ir.Convert{T: in, X: &ir.Convert{T: t, X: e}}, int(t.Cell().Lo), int(t.Cell().Hi)}
	}
	return nil
}

// cell returns a cell of a given array, or a result that lanes hold.
func (w *narrowing) cell(e *ir.Read) *integer {
	if w.s.l.Reads[e.ID].From != ir.FromInitial && !w.s.widens || e.T == ir.Int64 || w.s.sized && w.s.holds(e.T) {
		return nil
	}
	t, _ := w.s.laneInt()
	lo, hi := w.rangeOf(e.T)
	return &integer{&ir.Convert{T: t, X: e, At: e.At}, lo, hi}
}

// binary returns an operation on two integers.
func (w *narrowing) binary(e *ir.Binary) *integer {
	if e.Op == ir.Quo {
		return w.divided(e)
	}
	if x := w.remainder(e); x != nil {
		return x
	}
	return w.arithmetic(e.T, e.Op, w.integer(e.X), w.integer(e.Y))
}

// found returns the cell of a lookup, if lanes convert it: see foundAs.
func (w *narrowing) found(e *ir.Lookup) *integer {
	if t, _ := w.s.laneInt(); !w.s.sized && (t.Float() && e.T.Size() <= 4 || t == ir.Int32 && short(e.T)) {
		lo, hi := w.rangeOf(e.T)
		return &integer{&ir.Convert{T: t, X: w.lookup(e), At: e.At}, lo, hi}
	}
	return nil
}

// lookup returns e, a cell with computed subscripts, with its subscripts in the type of lanes, as far as possible.
func (w *narrowing) lookup(e ir.Expr) ir.Expr {
	return ir.Map(e, func(sub ir.Expr) ir.Expr {
		if x := w.subscript(sub); x != nil {
			return x
		}
		return w.rewrite(sub)
	})
}

// constCell returns a cell of a constant array in the type of lanes.
func (w *narrowing) constCell(e *ir.ConstCell) *integer {
	t, _ := w.s.laneInt()
	x, _ := e.Of.Values64()
	if lo, hi := w.rangeOf(t); x.Lo < float64(lo) || x.Hi > float64(hi) {
		return nil
	}
	cell := *w.lookup(e).(*ir.ConstCell)
	cell.T = t
	return &integer{&cell, int(x.Lo), int(x.Hi)}
}

// subscript returns a subscript of a lookup in the type of lanes; nil if it has that type, or cannot have it.
func (w *narrowing) subscript(e ir.Expr) ir.Expr {
	if !w.s.foreign(e.Type()) {
		return nil
	}
	x := w.integer(e)
	if x == nil {
		return nil
	}
	w.any = true
	return x.e
}

// retyped returns the let at Body[k] in the type of lanes.
func (w *narrowing) retyped(k int) *integer {
	x, known := w.integers[k]
	if !known {
		x = w.integer(w.s.n.Body[k].(*ir.Let).Expr)
		w.integers[k] = x
	}
	return x
}

// arithmetic returns x op y of type t. No float is -0: a product of 0 and a negative number is added to 0.
func (w *narrowing) arithmetic(t ir.Type, op ir.Op, x, y *integer) *integer {
	if op >= ir.BitAnd && op <= ir.BitXor {
		return w.bitwise(t, op, x, y)
	}
	if x == nil || y == nil || op > ir.Mul {
		return nil
	}
	in, most := w.s.laneInt()
	e := ir.Expr(&ir.Binary{T: in, Op: op, X: x.e, Y: y.e})
	lo, hi := x.lo+y.lo, x.hi+y.hi
	switch op {
	case ir.Sub:
		lo, hi = x.lo-y.hi, x.hi-y.lo
	case ir.Mul:
		a, b := max(abs(x.lo), abs(x.hi)), max(abs(y.lo), abs(y.hi))
		if b > 0 && a > most/b && !(short(t) && in == ir.Int32) {
			return nil
		}
		lo, hi = min(x.lo*y.lo, x.lo*y.hi, x.hi*y.lo, x.hi*y.hi), max(x.lo*y.lo, x.lo*y.hi, x.hi*y.lo, x.hi*y.hi)
		if in.Float() && (x.lo < 0 || y.lo < 0) {
			e = &ir.Binary{T: in, Op: ir.Add, X: e, Y: w.number(0)}
		}
	}
	return w.within(t, e, lo, hi)
}

// bitwise returns the bits of x and y joined by op. Lanes of int32 hold a number of another type t with
// its sign extended or its upper bits cut off, and op on extended numbers gives the extended result. In floats, the low
// bits are a remainder.
func (w *narrowing) bitwise(t ir.Type, op ir.Op, x, y *integer) *integer {
	in, most := w.s.laneInt()
	if x == nil || y == nil {
		return nil
	}
	lo, hi := max(-most-1, int(t.Cell().Lo)), min(most, int(t.Cell().Hi))
	if op == ir.BitAnd && y.lo >= 0 {
		lo, hi = 0, y.hi
	}
	switch {
	case in == ir.Int32:
		return &integer{&ir.Binary{T: in, Op: op, X: x.e, Y: y.e}, lo, hi}
	case in.Float() && op == ir.BitAnd && y.lo == y.hi && y.lo >= 0 && y.lo&(y.lo+1) == 0:
		by := w.number(y.lo + 1)
		floor := &ir.Call{T: in, Fn: ir.Floor, Args: []ir.Expr{&ir.Binary{T: in, Op: ir.Quo, X: x.e, Y: by}}}
		return &integer{w.less(x.e, floor, by), lo, hi}
	}
	return nil
}

// less returns x - q·by in the type of lanes.
func (w *narrowing) less(x, q, by ir.Expr) ir.Expr {
	in, _ := w.s.laneInt()
	return &ir.Binary{T: in, Op: ir.Sub, X: x, Y: &ir.Binary{T: in, Op: ir.Mul, X: q, Y: by}}
}

// remainder returns x - x/c*c, the remainder of a division by a constant (see writtenOut), whose range is known; nil if e
// is anything else. A quotient by 1 or -1 may wrap.
func (w *narrowing) remainder(e *ir.Binary) *integer {
	product, _ := e.Y.(*ir.Binary)
	if e.Op != ir.Sub || product == nil || product.Op != ir.Mul {
		return nil
	}
	quotient, _ := product.X.(*ir.Binary)
	c, ok := small(product.Y)
	if !ok || abs(c) < 2 || quotient == nil || quotient.Op != ir.Quo || quotient.X != e.X || quotient.Y != product.Y {
		return nil
	}
	x, q := w.integer(e.X), w.integer(quotient)
	if x == nil || q == nil {
		return nil
	}
	out := &integer{w.less(x.e, q.e, w.number(c)), 1 - abs(c), abs(c) - 1}
	if x.lo >= 0 {
		out.lo = 0
	}
	return out
}

// divided returns a quotient by a constant c, rounded towards zero. In floats that is the floor of the
// rounded quotient of absolute values: if c does not divide x < 2^52, the exact quotient lies at least
// 1/c below the next integer, and rounding changes it by less.
func (w *narrowing) divided(e *ir.Binary) *integer {
	x := w.integer(e.X)
	c, ok := small(e.Y)
	t, most := w.s.laneInt()
	if x == nil || !ok || c == 0 || abs(c) > most {
		return nil
	}
	by := w.number(abs(c))
	q := func(x ir.Expr) ir.Expr { return &ir.Binary{T: t, Op: ir.Quo, X: x, Y: by} }
	minus := func(x ir.Expr) ir.Expr { return &ir.Binary{T: t, Op: ir.Sub, X: w.number(0), Y: x} }
	var out ir.Expr
	if t.Float() {
		if max(abs(x.lo), abs(x.hi)) >= 1<<52 {
			return nil
		}
		floor := func(x ir.Expr) ir.Expr { return &ir.Call{T: t, Fn: ir.Floor, Args: []ir.Expr{q(x)}} }
		out = floor(x.e)
		if x.lo < 0 {
			out = &ir.Select{T: t, Cond: &ir.Binary{T: ir.Bool, Op: ir.Lt, X: x.e, Y: w.number(0)}, A: minus(floor(minus(x.e))), B: out}
		}
	} else {
		out = q(x.e)
	}
	lo, hi := x.lo/abs(c), x.hi/abs(c)
	if c < 0 {
		out, lo, hi = minus(out), -hi, -lo
	}
	return w.within(e.T, out, lo, hi)
}

// called returns the least, the greatest or the absolute value.
func (w *narrowing) called(e *ir.Call) *integer {
	out := *e
	out.T, _ = w.s.laneInt()
	out.Args = nil
	var lo, hi int
	for k, a := range e.Args {
		x := w.integer(a)
		if x == nil {
			return nil
		}
		out.Args = append(out.Args, x.e)
		switch {
		case k == 0:
			lo, hi = x.lo, x.hi
		case e.Fn == ir.Min:
			lo, hi = min(lo, x.lo), min(hi, x.hi)
		default:
			lo, hi = max(lo, x.lo), max(hi, x.hi)
		}
	}
	switch e.Fn {
	case ir.Min, ir.Max:
	case ir.Abs:
		lo, hi = 0, max(abs(lo), abs(hi))
	default:
		return nil
	}
	return w.within(e.T, &out, lo, hi)
}

// selected returns one of two integers.
func (w *narrowing) selected(e *ir.Select) *integer {
	a, b := w.integer(e.A), w.integer(e.B)
	if a == nil || b == nil {
		return nil
	}
	out := *e
	out.T, _ = w.s.laneInt()
	out.Cond, out.A, out.B = w.rewrite(e.Cond), a.e, b.e
	return w.within(e.T, &out, min(a.lo, b.lo), max(a.hi, b.hi))
}
