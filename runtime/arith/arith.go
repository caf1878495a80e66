// Package arith has the arithmetic of the language that Go lacks or defines differently: conversions that saturate, absolute values that
// wrap, and divisions whose errors name the line.
//
// Emitted kernels and emitted sequential loops both compute with these functions, so their results agree in every bit. Package ir/eval, the
// reference, shares only the elementary functions (Exp, Sin and the like) and has its own versions of the others. A Sum is the exact sum of
// floats, kept in limbs and rounded once: it does not depend on the order in which ranks add.
package arith

import (
	"fmt"
	"math"
	"strings"

	"loopc/runtime/element"
)

// An Error is a run-time error of the user's nest. Kernels panic with it; executors return it.
type Error struct {
	What      string
	At        string // file:line, or file:line:column
	Loops     string // the names of the repeats and loops around, such as "t, i"
	Iteration []int  // their values
}

// Error reads "heat.loop:9: integer division by zero at t = 3, i = 7".
func (e *Error) Error() string {
	if len(e.Iteration) == 0 {
		return fmt.Sprintf("%s: %s", e.At, e.What)
	}
	parts := strings.Split(e.Loops, ", ")
	for k, x := range e.Iteration {
		parts[k] += fmt.Sprintf(" = %d", x)
	}
	return fmt.Sprintf("%s: %s at %s", e.At, e.What, strings.Join(parts, ", "))
}

// Unplaced is the error of a subscript that is beyond the bounds of its array, in an iteration that is not known.
func Unplaced(at string) *Error {
	return &Error{What: "a subscript is beyond the bounds of its array; --kernel portable tells at which iteration", At: at}
}

// Outside is the error of a subscript x that is not from lo to hi in dimension dim of an array; dim counts from 1. loops and
// iteration are the fields of Error.
func Outside(array string, dim, x, lo, hi int, at, loops string, iteration ...int) *Error {
	return &Error{What: fmt.Sprintf("subscript %d of %s is %d, and not from %d to %d", dim, array, x, lo, hi), At: at, Loops: loops, Iteration: iteration}
}

// Varying returns x. The Go compiler does not take the result for a constant: arithmetic of constants is exact, and would not wrap around.
func Varying[T element.Number](x T) T { return x }

// Quo returns x / y. If y is zero it panics with an *Error that has at, loops and iteration; the least value divided by -1 wraps.
func Quo[T element.Integer](x, y T, at, loops string, iteration ...int) T {
	if y == 0 {
		panic(&Error{What: "integer division by zero", At: at, Loops: loops, Iteration: append([]int(nil), iteration...)})
	}
	return x / y
}

// Rem returns x % y, with the sign of x. If y is zero it panics as Quo does.
func Rem[T element.Integer](x, y T, at, loops string, iteration ...int) T {
	if y == 0 {
		panic(&Error{What: "integer division by zero", At: at, Loops: loops, Iteration: append([]int(nil), iteration...)})
	}
	return x % y
}

// AbsInt returns the absolute value of x; for the least value, which has none in the type, it returns x.
func AbsInt[T element.Integer](x T) T {
	if x < 0 {
		return -x
	}
	return x
}

// Conversions of a float truncate and saturate; NaN gives 0.

// Int8 converts x.
func Int8[T element.Float](x T) int8 { return clamped[int8](float64(x), math.MinInt8, math.MaxInt8) }

// Int16 converts x.
func Int16[T element.Float](x T) int16 {
	return clamped[int16](float64(x), math.MinInt16, math.MaxInt16)
}

// Int32 converts x.
func Int32[T element.Float](x T) int32 {
	return clamped[int32](float64(x), math.MinInt32, math.MaxInt32)
}

// Int64 converts x.
func Int64[T element.Float](x T) int64 {
	return clamped[int64](float64(x), math.MinInt64, math.MaxInt64)
}

// Uint8 converts x.
func Uint8[T element.Float](x T) uint8 { return clamped[uint8](float64(x), 0, math.MaxUint8) }

// Uint16 converts x.
func Uint16[T element.Float](x T) uint16 { return clamped[uint16](float64(x), 0, math.MaxUint16) }

func clamped[T element.Integer](f float64, lo, hi T) T {
	switch {
	case f != f:
		return 0
	case f >= float64(hi):
		return hi
	case f <= float64(lo):
		return lo
	default:
		return T(f)
	}
}

// The functions of floats, for both types. For float32 they are computed in float64 and rounded once.

// Abs returns |x|.
func Abs[T element.Float](x T) T { return T(math.Abs(float64(x))) }

// Sqrt returns √x, correctly rounded.
func Sqrt[T element.Float](x T) T { return T(math.Sqrt(float64(x))) }

// Exp returns e to the power of x. Exp and the functions below give the same bits on every processor.
func Exp[T element.Float](x T) T { return T(exp(float64(x))) }

// Log returns the natural logarithm of x.
func Log[T element.Float](x T) T { return T(log(float64(x))) }

// Sin returns the sine of x.
func Sin[T element.Float](x T) T { return T(sin(float64(x))) }

// Cos returns the cosine of x.
func Cos[T element.Float](x T) T { return T(cos(float64(x))) }

// Tan returns the tangent of x.
func Tan[T element.Float](x T) T { return T(tan(float64(x))) }

// Tanh returns the hyperbolic tangent of x.
func Tanh[T element.Float](x T) T { return T(tanh(float64(x))) }

// Ceil returns ⌈x⌉.
func Ceil[T element.Float](x T) T { return T(math.Ceil(float64(x))) }

// Round returns the integer nearest to x; if two are equally near, the one farther from zero.
func Round[T element.Float](x T) T { return T(math.Round(float64(x))) }

// Trunc returns x rounded towards zero.
func Trunc[T element.Float](x T) T { return T(math.Trunc(float64(x))) }

// Pow returns x to the power of y.
func Pow[T element.Float](x, y T) T { return T(pow(float64(x), float64(y))) }

// Floor returns ⌊x⌋.
func Floor[T element.Float](x T) T { return T(math.Floor(float64(x))) }

// FromBits returns the lowest bits of x, as many as T has, as an integer.
func FromBits[T element.Integer](x float64) T { return T(int64(math.Float64bits(x))) }

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
