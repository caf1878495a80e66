package eval

import (
	"go/constant"
	"math"

	"loopc/ir"
)

// A value is a number or a truth value. The type of its expression determines which field
// holds it. Floats of either width are in f, a float32 exactly; integers of any width are
// in i, sign extended, a uint8 from 0 to 255.
type value struct {
	f float64
	i int64
	b bool
}

// literal returns a constant rounded once to type t.
func literal(t ir.Type, c constant.Value) value {
	switch {
	case t == ir.Bool:
		return value{b: constant.BoolVal(c)}
	case t == ir.Float32:
		f, _ := constant.Float32Val(constant.ToFloat(c))
		return value{f: float64(f)}
	case t == ir.Float64:
		f, _ := constant.Float64Val(constant.ToFloat(c))
		return value{f: f}
	case t.Integer():
		i, ok := constant.Int64Val(constant.ToInt(c))
		if !ok {
			panic("BUG: literal " + c.String() + " is no " + t.String())
		}
		return wrapped(t, i)
	}
	panic("BUG: literal of type " + t.String())
}

// wrapped returns x in the integer type t, modulo its size.
func wrapped(t ir.Type, x int64) value {
	if !t.Integer() {
		panic("BUG: " + t.String() + " does not wrap")
	}
	return value{i: t.Cell().Wrapped(x)}
}

// rounded returns x in the float type t. Sums, products, quotients and square roots of float32
// values may be computed in float64 and then rounded: two roundings give the same as one, because
// the precisions are 53 ≥ 2·24 + 2.
func rounded(t ir.Type, x float64) value {
	if t == ir.Float32 {
		return value{f: float64(float32(x))}
	}
	return value{f: x}
}

// converted returns v, of type from, as a value of type to: floats to integers
// truncate and saturate, with NaN giving 0; narrowing integers wrap.
func converted(from, to ir.Type, v value) value {
	switch {
	case from.Float() && to.Float():
		return rounded(to, v.f)
	case from.Float() && to.Integer():
		return value{i: saturated(to, v.f)}
	case from.Integer() && to.Integer():
		return wrapped(to, v.i)
	case from.Integer() && to == ir.Float32:
		return value{f: float64(float32(v.i))} // a single rounding, without float64 in between
	case from.Integer() && to == ir.Float64:
		return value{f: float64(v.i)}
	}
	panic("BUG: conversion from " + from.String() + " to " + to.String())
}

// saturated returns the integer of type t that is nearest to x truncated.
func saturated(t ir.Type, x float64) int64 {
	if math.IsNaN(x) {
		return 0
	}
	lo, hi := t.Cell().Lo, t.Cell().Hi
	// float64(MaxInt64) is 2^63, the first value that does not fit: hence ≥.
	switch {
	case x >= float64(hi):
		return hi
	case x <= float64(lo):
		return lo
	}
	return int64(x)
}
