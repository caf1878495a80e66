package ir

import (
	"go/constant"
	"math"

	"loopc/ir/diag"
)

// An Expr is a typed expression. Every conversion that the language makes silently is a Convert
// node. Every constant subexpression is one Lit: it is folded exactly, and then converted. So an
// Expr is evaluated exactly as it stands, with rounding at each node.
type Expr interface {
	Type() Type
	Span() diag.Span
}

// A Lit is a constant: an integer within T, or an exact number that evaluation rounds to a finite T.
type Lit struct {
	T     Type
	Value constant.Value
	// Name is the name of the declared constant that the literal stands for, or "".
	Name string
	At   diag.Span
}

// A ParamRef is the value of a parameter, converted to T.
type ParamRef struct {
	T     Type
	Param int
	At    diag.Span
}

// A FloatRef is the value of a float parameter, rounded to T, a floating-point type.
type FloatRef struct {
	T     Type
	Float int // index into Nest.Floats
	At    diag.Span
}

// An IterRef is the value of an iterator, converted to T. In the body it is a loop
// variable, in an init expression an index of the array.
type IterRef struct {
	T    Type
	Iter int
	At   diag.Span
}

// A LocalRef is the value of the Let at Body[Stmt].
type LocalRef struct {
	T    Type
	Stmt int
	At   diag.Span
}

// A Read is the value of an array cell; T is the array's element type.
type Read struct {
	T     Type
	ID    int // index into Nest.Reads, -1 in an init expression
	Array int
	Subs  []Affine
	At    diag.Span
}

// A Lookup is the value of an array cell whose subscripts, int64s, are computed. The nest does not write the
// array, and a subscript beyond its bounds is an error of the run. T is the array's element type.
type Lookup struct {
	T     Type
	Array int
	Subs  []Expr
	At    diag.Span
}

// A ConstCell is a cell of a constant array. Its subscripts are int64s, not all of which are constant; one that
// is beyond the bounds is an error of the run. T is the array's element type. Inside says that none is: see FindInside.
type ConstCell struct {
	T      Type
	Of     *ConstArray
	Subs   []Expr
	Inside bool
	At     diag.Span
}

// A Convert is X converted to T: integers wrap, floats to integers truncate and
// saturate with NaN giving 0.
type Convert struct {
	T  Type
	X  Expr
	At diag.Span
}

// A ReduceRef is the result of a reduction, in the condition of a repeat.
type ReduceRef struct {
	T      Type
	Reduce int // index into Until.Reduces
	Name   string
	At     diag.Span
}

// An Op is an operator.
type Op uint8

// The operators. Neg and Not are unary.
const (
	Add Op = iota
	Sub
	Mul
	Quo
	Rem
	BitAnd
	BitOr
	BitXor
	Shl // by a constant that is less than the number of bits, as is Shr
	Shr
	Neg
	Eq
	Ne
	Lt
	Le
	Gt
	Ge
	And
	Or
	Not
)

var opNames = [...]string{"+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "-", "==", "!=", "<", "<=", ">", ">=", "&&", "||", "!"}

// String returns the operator as the language and Go write it.
func (o Op) String() string { return opNames[o] }

// Arithmetic reports whether o combines two numbers to a number.
func (o Op) Arithmetic() bool { return o <= Shr }

// OfIntegers reports whether o is arithmetic on integers only.
func (o Op) OfIntegers() bool { return Rem <= o && o <= Shr }

// Divides reports whether o fails if the integer on its right is zero.
func (o Op) Divides() bool { return o == Quo || o == Rem }

// A Unary is -X or !X.
type Unary struct {
	T  Type
	Op Op
	X  Expr
	At diag.Span
}

// A Binary is X op Y. For arithmetic X, Y and the result have type T; for a
// comparison X and Y have one type and T is Bool; for && and || all are Bool,
// and Y is evaluated only if needed.
type Binary struct {
	T    Type
	Op   Op
	X, Y Expr
	At   diag.Span // of the operator
}

// A Func is a built-in function.
type Func uint8

// The built-in functions. Min and Max take two or more arguments, the others
// one.
const (
	Min Func = iota
	Max
	Abs
	Sqrt
	Exp
	Log
	Sin
	Cos
	Tan
	Tanh
	Floor
	Ceil
	Round
	Trunc
	Pow
)

var funcNames = [...]string{"min", "max", "abs", "sqrt", "exp", "log", "sin", "cos", "tan", "tanh", "floor", "ceil", "round", "trunc", "pow"}

// String returns the function's name in the language.
func (f Func) String() string { return funcNames[f] }

// Arity returns the least and the greatest number of arguments.
func (f Func) Arity() (least, most int) {
	switch f {
	case Min, Max:
		return 2, math.MaxInt
	case Pow:
		return 2, 2
	}
	return 1, 1
}

// Funcs returns the built-in functions.
func Funcs() (all []Func) {
	for f := range funcNames {
		all = append(all, Func(f))
	}
	return all
}

// FuncNamed returns the built-in of that name.
func FuncNamed(name string) (Func, bool) {
	for k, s := range funcNames {
		if s == name {
			return Func(k), true
		}
	}
	return 0, false
}

// A Call applies a built-in; arguments and result have type T. Those from Sqrt on are defined
// on floats only; for float32 they are computed in float64 and rounded once. Round rounds halves away
// from zero. Min and Max apply Go's min and max from left to right.
type Call struct {
	T    Type
	Fn   Func
	Args []Expr
	At   diag.Span
}

// An ExternCall applies a function written in Go, Nest.Externs[Extern], to arguments
// of the types of its parameters.
type ExternCall struct {
	T      Type
	Extern int
	Args   []Expr
	At     diag.Span
}

// A Select is A if Cond, else B; only the one that is needed is evaluated.
type Select struct {
	T          Type
	Cond, A, B Expr
	At         diag.Span
}

// Type and Span of each kind of expression.

func (e *Lit) Type() Type        { return e.T }
func (e *ParamRef) Type() Type   { return e.T }
func (e *FloatRef) Type() Type   { return e.T }
func (e *IterRef) Type() Type    { return e.T }
func (e *ReduceRef) Type() Type  { return e.T }
func (e *LocalRef) Type() Type   { return e.T }
func (e *Read) Type() Type       { return e.T }
func (e *Lookup) Type() Type     { return e.T }
func (e *ConstCell) Type() Type  { return e.T }
func (e *Convert) Type() Type    { return e.T }
func (e *Unary) Type() Type      { return e.T }
func (e *Binary) Type() Type     { return e.T }
func (e *Call) Type() Type       { return e.T }
func (e *ExternCall) Type() Type { return e.T }
func (e *Select) Type() Type     { return e.T }

func (e *Lit) Span() diag.Span        { return e.At }
func (e *ParamRef) Span() diag.Span   { return e.At }
func (e *FloatRef) Span() diag.Span   { return e.At }
func (e *IterRef) Span() diag.Span    { return e.At }
func (e *ReduceRef) Span() diag.Span  { return e.At }
func (e *LocalRef) Span() diag.Span   { return e.At }
func (e *Read) Span() diag.Span       { return e.At }
func (e *Lookup) Span() diag.Span     { return e.At }
func (e *ConstCell) Span() diag.Span  { return e.At }
func (e *Convert) Span() diag.Span    { return e.At }
func (e *Unary) Span() diag.Span      { return e.At }
func (e *Binary) Span() diag.Span     { return e.At }
func (e *Call) Span() diag.Span       { return e.At }
func (e *ExternCall) Span() diag.Span { return e.At }
func (e *Select) Span() diag.Span     { return e.At }
