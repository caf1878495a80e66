package eval

import (
	"fmt"
	"math"

	"loopc/ir"
	"loopc/ir/diag"
	"loopc/runtime/arith"
)

// eval returns the value of e at the machine's iteration. It fails on integer
// division by zero and on a subscript out of bounds.
func (m *machine) eval(e ir.Expr) (value, error) {
	switch e := e.(type) {
	case *ir.Lit:
		return m.literal(e), nil
	case *ir.ParamRef:
		return converted(ir.Int64, e.T, value{i: int64(m.params[e.Param])}), nil
	case *ir.FloatRef:
		if e.T.Integer() {
			return value{i: int64(math.Float64bits(m.floats[e.Float]))}, nil
		}
		return converted(ir.Float64, e.T, value{f: m.floats[e.Float]}), nil
	case *ir.IterRef:
		return converted(ir.Int64, e.T, value{i: int64(m.iter[e.Iter])}), nil
	case *ir.ReduceRef:
		return m.ended[e.Reduce], nil
	case *ir.LocalRef:
		return m.locals[e.Stmt], nil
	case *ir.Read:
		return m.read(e)
	case *ir.Lookup:
		return m.lookup(e)
	case *ir.ConstCell:
		return m.constCell(e)
	case *ir.Convert:
		x, err := m.eval(e.X)
		if err != nil {
			return value{}, err
		}
		return converted(e.X.Type(), e.T, x), nil
	case *ir.Unary:
		return m.unary(e)
	case *ir.Binary:
		return m.binary(e)
	case *ir.Call:
		return m.call(e)
	case *ir.ExternCall:
		return m.extern(e)
	case *ir.Select:
		cond, err := m.eval(e.Cond)
		switch {
		case err != nil:
			return value{}, err
		case cond.b:
			return m.eval(e.A)
		}
		return m.eval(e.B)
	}
	panic(fmt.Sprintf("BUG: unknown expression %T", e))
}

// literal returns the value of e, which is computed once per run.
func (m *machine) literal(e *ir.Lit) value {
	v, ok := m.literals[e]
	if !ok {
		v = literal(e.T, e.Value)
		m.literals[e] = v
	}
	return v
}

// read returns the content of a cell.
func (m *machine) read(e *ir.Read) (value, error) {
	offset, err := m.offset(e.Array, e.Subs, e.At, true)
	if err != nil {
		return value{}, err
	}
	if m.trace != nil && e.ID >= 0 {
		m.trace(Access{Stmt: m.stmt, Read: e.ID, Iter: m.iter, Array: e.Array, Offset: offset})
	}
	return m.arrays[e.Array].at(offset), nil
}

// lookup returns the content of a cell whose subscripts are computed.
func (m *machine) lookup(e *ir.Lookup) (value, error) {
	a := m.arrays[e.Array]
	cell, err := m.subscripts(e.Subs, m.nest.Arrays[e.Array].Name, a.Lo, a.Hi, e.At)
	if err != nil {
		return value{}, err
	}
	offset, _ := a.Offset(cell)
	return a.at(offset), nil
}

// constCell returns the content of a cell of a constant array.
func (m *machine) constCell(e *ir.ConstCell) (value, error) {
	cell, err := m.subscripts(e.Subs, e.Of.Name, e.Of.Lo, e.Of.Hi, e.At)
	if err != nil {
		return value{}, err
	}
	return literal(e.T, e.Of.Values[e.Of.Position(cell)]), nil
}

// subscripts computes the subscripts of a cell of an array with the given bounds.
func (m *machine) subscripts(subs []ir.Expr, array string, lo, hi []int, span diag.Span) ([]int, error) {
	cell := make([]int, len(subs))
	for d, sub := range subs {
		x, err := m.eval(sub)
		if err != nil {
			return nil, err
		}
		if cell[d] = int(x.i); cell[d] < lo[d] || cell[d] > hi[d] {
			at := fmt.Sprintf("%d:%d", span.Line, span.Col)
			return nil, m.errorf(at, "subscript %d of %s is %d, and not from %d to %d", d+1, array, cell[d], lo[d], hi[d])
		}
	}
	return cell, nil
}

func (m *machine) unary(e *ir.Unary) (value, error) {
	x, err := m.eval(e.X)
	if err != nil {
		return value{}, err
	}
	switch {
	case e.Op == ir.Not:
		return value{b: !x.b}, nil
	case e.Op == ir.Neg && e.T.Float():
		return value{f: -x.f}, nil
	case e.Op == ir.Neg:
		return wrapped(e.T, -x.i), nil
	}
	panic("BUG: unary " + e.Op.String())
}

func (m *machine) binary(e *ir.Binary) (value, error) {
	x, err := m.eval(e.X)
	if err != nil {
		return value{}, err
	}
	if e.Op == ir.And && !x.b || e.Op == ir.Or && x.b {
		return x, nil
	}
	y, err := m.eval(e.Y)
	if err != nil {
		return value{}, err
	}
	switch e.Op {
	case ir.And, ir.Or:
		return y, nil
	case ir.Add, ir.Sub, ir.Mul, ir.Quo, ir.Rem, ir.BitAnd, ir.BitOr, ir.BitXor, ir.Shl, ir.Shr:
		if e.T.Float() {
			return rounded(e.T, floatArith(e.Op, x.f, y.f)), nil
		}
		if e.Op.Divides() && y.i == 0 {
			return value{}, m.errorf(fmt.Sprint(e.At.Line), "integer division by zero")
		}
		return wrapped(e.T, intArith(e.Op, x.i, y.i)), nil
	case ir.Eq, ir.Ne, ir.Lt, ir.Le, ir.Gt, ir.Ge:
		if e.X.Type().Float() {
			return value{b: compare(e.Op, x.f, y.f)}, nil
		}
		return value{b: compare(e.Op, x.i, y.i)}, nil
	case ir.Neg, ir.Not:
	}
	panic("BUG: binary " + e.Op.String())
}

// floatArith returns x op y in float64. A separate call for each operation keeps the Go
// compiler from fusing a product and a sum.
//
//go:noinline
func floatArith(op ir.Op, x, y float64) float64 {
	switch op {
	case ir.Add:
		return x + y
	case ir.Sub:
		return x - y
	case ir.Mul:
		return float64(x * y)
	default:
		return x / y
	}
}

// intArith returns x op y modulo 2^64; y is not zero in a division. The caller
// wraps the result to its type, which is exact for narrower types too.
func intArith(op ir.Op, x, y int64) int64 {
	switch op {
	case ir.Rem:
		return x % y
	case ir.BitAnd:
		return x & y
	case ir.BitOr:
		return x | y
	case ir.BitXor:
		return x ^ y
	case ir.Shl:
		return x << uint64(y)
	case ir.Shr:
		return x >> uint64(y)
	case ir.Add:
		return x + y
	case ir.Sub:
		return x - y
	case ir.Mul:
		return x * y
	default:
		return x / y
	}
}

// compare returns x op y for a comparison op.
func compare[T int64 | float64](op ir.Op, x, y T) bool {
	switch op {
	case ir.Eq:
		return x == y
	case ir.Ne:
		return x != y
	case ir.Lt:
		return x < y
	case ir.Le:
		return x <= y
	case ir.Gt:
		return x > y
	default:
		return x >= y
	}
}

func (m *machine) call(e *ir.Call) (value, error) {
	x, err := m.eval(e.Args[0])
	if err != nil {
		return value{}, err
	}
	if e.Fn == ir.Min || e.Fn == ir.Max {
		for _, arg := range e.Args[1:] {
			y, err := m.eval(arg)
			if err != nil {
				return value{}, err
			}
			x = extreme(e.Fn, x, y)
		}
		return x, nil
	}
	if !e.T.Float() {
		if e.Fn != ir.Abs {
			panic("BUG: " + e.Fn.String() + " of " + e.T.String())
		}
		if x.i < 0 {
			return wrapped(e.T, -x.i), nil
		}
		return x, nil
	}
	if e.Fn == ir.Pow {
		y, err := m.eval(e.Args[1])
		return rounded(e.T, arith.Pow(x.f, y.f)), err
	}
	return rounded(e.T, floatCall(e.Fn, x.f)), nil
}

// extreme returns Go's min or max of x and y. Each field is computed by itself: the one that the
// type does not use is zero in x and y. Widening a float32 does not change the answer.
func extreme(fn ir.Func, x, y value) value {
	if fn == ir.Min {
		return value{f: min(x.f, y.f), i: min(x.i, y.i)}
	}
	return value{f: max(x.f, y.f), i: max(x.i, y.i)}
}

// floatCall returns fn(x) for the functions of one float.
func floatCall(fn ir.Func, x float64) float64 {
	switch fn {
	case ir.Abs:
		return math.Abs(x)
	case ir.Sqrt:
		return math.Sqrt(x)
	case ir.Exp:
		return arith.Exp(x)
	case ir.Log:
		return arith.Log(x)
	case ir.Sin:
		return arith.Sin(x)
	case ir.Cos:
		return arith.Cos(x)
	case ir.Tan:
		return arith.Tan(x)
	case ir.Tanh:
		return arith.Tanh(x)
	case ir.Floor:
		return math.Floor(x)
	case ir.Ceil:
		return math.Ceil(x)
	case ir.Round:
		return math.Round(x)
	case ir.Trunc:
		return math.Trunc(x)
	case ir.Min, ir.Max, ir.Pow:
	}
	panic("BUG: call of " + fn.String())
}
