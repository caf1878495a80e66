package ir

import (
	"go/constant"
	"math"
)

// An Interval holds the integers that an expression may be, if nothing wraps, from Lo to Hi. Ends beyond 2^53 are
// rounded.
type Interval struct{ Lo, Hi float64 }

// ValuesOf returns all values of an integer type, and those of int64 for other types.
func ValuesOf(t Type) Interval {
	if !t.Integer() {
		t = Int64
	}
	return Interval{float64(t.Cell().Lo), float64(t.Cell().Hi)}
}

// Within returns x if type t has all of its values. It returns all values of t if not, since values may wrap then, and if
// an end of x is rounded.
func (x Interval) Within(t Type) Interval {
	const exact = 1 << 53
	if all := ValuesOf(t); x.Lo < max(all.Lo, -exact) || x.Hi > min(all.Hi, exact) {
		return all
	}
	return x
}

// Or returns an interval that holds x and y.
func (x Interval) Or(y Interval) Interval { return Interval{min(x.Lo, y.Lo), max(x.Hi, y.Hi)} }

// Operated returns the interval of x op y, where op is an operation on integers.
func (x Interval) Operated(op Op, y Interval) Interval {
	switch {
	case op == Rem:
		most := max(math.Abs(y.Lo), math.Abs(y.Hi)) - 1
		return Interval{max(min(x.Lo, 0), -most), min(max(x.Hi, 0), most)}
	case op == BitAnd && max(x.Lo, y.Lo) >= 0: // from 0 to the lesser of the operands that are not negative
		return Interval{0, min(x.mask(), y.mask())}
	case op == BitAnd || op == BitOr || op == BitXor:
		_, bits := math.Frexp(max(x.Hi, y.Hi, -x.Lo-1, -y.Lo-1, 0))
		most := math.Ldexp(1, bits) - 1
		return Interval{map[bool]float64{true: -most - 1}[min(x.Lo, y.Lo) < 0], most}
	case op == Quo && y.Lo <= 0 && y.Hi >= 0: // the divisor may have any sign, and the quotient is at most as large as x
		most := max(math.Abs(x.Lo), math.Abs(x.Hi))
		return Interval{-most, most}
	}
	out := Interval{math.Inf(1), math.Inf(-1)}
	for _, a := range []float64{x.Lo, x.Hi} {
		for _, b := range []float64{y.Lo, y.Hi} {
			v := map[Op]float64{Add: a + b, Sub: a - b, Mul: a * b, Shl: math.Ldexp(a, int(b)), Shr: math.Floor(math.Ldexp(a, -int(b)))}[op]
			if op == Quo {
				v = math.Trunc(a / b)
			}
			out = out.Or(Interval{v, v})
		}
	}
	return out
}

// mask returns an upper bound of x & y for any y: the greatest x, or infinity if x may be negative.
func (x Interval) mask() float64 {
	if x.Lo < 0 {
		return math.Inf(1)
	}
	return x.Hi
}

// Computed returns the interval of a constant or an operation on integers; of gives those of its operands. ok is false for
// what is neither, such as a read.
func Computed(e Expr, of func(Expr) Interval) (x Interval, ok bool) {
	switch e := e.(type) {
	case *Lit:
		v, _ := constant.Float64Val(e.Value)
		return Interval{v, v}, true
	case *Unary:
		x := of(e.X)
		return Interval{-x.Hi, -x.Lo}, true
	case *ConstCell:
		return e.Of.Values64()
	case *Select:
		return of(e.A).Or(of(e.B)), true
	case *Binary:
		return of(e.X).Operated(e.Op, of(e.Y)), true
	case *Call:
		if e.Fn == Min || e.Fn == Max || e.Fn == Abs {
			var args []Interval
			for _, a := range e.Args {
				args = append(args, of(a))
			}
			return Extreme(e.Fn, args...), true
		}
	}
	return Interval{}, false
}

// Extreme returns the interval of fn, which is Min, Max or Abs, of numbers in the given intervals.
func Extreme(fn Func, args ...Interval) Interval {
	out := args[0]
	for _, x := range args[1:] {
		if fn == Min {
			out = Interval{min(out.Lo, x.Lo), min(out.Hi, x.Hi)}
		} else {
			out = Interval{max(out.Lo, x.Lo), max(out.Hi, x.Hi)}
		}
	}
	if fn == Abs {
		return Interval{max(0, out.Lo, -out.Hi), max(out.Hi, -out.Lo)}
	}
	return out
}
