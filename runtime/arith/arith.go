// Package arith has the arithmetic of the language that Go lacks or defines differently:
// conversions that saturate, absolute values that wrap, and divisions whose errors name the
// line.
//
// Emitted kernels and emitted sequential loops both compute with these functions, so that they
// agree in every bit. Package ir/eval, the reference, has its own. A Sum is the exact sum of
// floats, kept in limbs and rounded once: it does not depend on the order in which ranks add.
package arith

import (
	"fmt"
	"math"
	"strings"

	"loopc/runtime/element"
)

// An Error is a run-time error of the user's nest. Kernels panic with it;
// executors return it.
type Error struct {
	What      string
	At        string // file:line
	Iteration []int
}

// Error reads "heat.loop:9: integer division by zero at iteration (3, 7)".
func (e *Error) Error() string {
	var b strings.Builder
	for k, x := range e.Iteration {
		if k > 0 {
			b.WriteString(", ")
		}
		fmt.Fprint(&b, x)
	}
	return fmt.Sprintf("%s: %s at iteration (%s)", e.At, e.What, b.String())
}

// Quo returns x / y. If y is zero it panics with an *Error; the least value
// divided by -1 wraps.
func Quo[T element.Integer](x, y T, at string, iteration ...int) T {
	if y == 0 {
		panic(&Error{What: "integer division by zero", At: at, Iteration: append([]int(nil), iteration...)})
	}
	return x / y
}

// AbsInt returns the absolute value of x; that of the least value wraps to
// itself.
func AbsInt[T element.Integer](x T) T {
	if x < 0 {
		return -x
	}
	return x
}

// Int32 converts x: truncating, saturating, and 0 for NaN.
func Int32[T element.Float](x T) int32 {
	switch f := float64(x); {
	case f != f:
		return 0
	case f >= math.MaxInt32:
		return math.MaxInt32
	case f <= math.MinInt32:
		return math.MinInt32
	default:
		return int32(f)
	}
}

// Int64 converts x: truncating, saturating, and 0 for NaN.
func Int64[T element.Float](x T) int64 {
	switch f := float64(x); {
	case f != f:
		return 0
	case f >= math.MaxInt64:
		return math.MaxInt64
	case f <= math.MinInt64:
		return math.MinInt64
	default:
		return int64(f)
	}
}

// Uint8 converts x: truncating, saturating, and 0 for NaN.
func Uint8[T element.Float](x T) uint8 {
	switch f := float64(x); {
	case f >= math.MaxUint8:
		return math.MaxUint8
	case f >= 0:
		return uint8(f)
	default:
		return 0
	}
}

// The functions of package math, for both float types. For float32 they are computed in float64
// and rounded once.

// Abs returns |x|.
func Abs[T element.Float](x T) T { return T(math.Abs(float64(x))) }

// Sqrt returns √x, correctly rounded.
func Sqrt[T element.Float](x T) T { return T(math.Sqrt(float64(x))) }

// Exp returns e to the power of x.
func Exp[T element.Float](x T) T { return T(math.Exp(float64(x))) }

// Log returns the natural logarithm of x.
func Log[T element.Float](x T) T { return T(math.Log(float64(x))) }

// Sin returns the sine of x.
func Sin[T element.Float](x T) T { return T(math.Sin(float64(x))) }

// Cos returns the cosine of x.
func Cos[T element.Float](x T) T { return T(math.Cos(float64(x))) }

// Floor returns ⌊x⌋.
func Floor[T element.Float](x T) T { return T(math.Floor(float64(x))) }

// Mod returns a modulo m > 0, from 0 to m-1, also for negative a.
func Mod(a, m int) int {
	if a %= m; a < 0 {
		a += m
	}
	return a
}

// Catch, deferred, turns a panic with an *Error into an error.
func Catch(err *error) {
	switch what := recover().(type) {
	case nil:
	case *Error:
		*err = what
	default:
		panic(what)
	}
}
