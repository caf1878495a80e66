package codegen_test

import (
	"fmt"
	"go/constant"
	"math"

	"loopc/ir"
	"loopc/runtime/arith"
)

// A laneValue is the value of an expression in a lane: an integer or a bool in i,
// a float in f.
type laneValue struct {
	i int64
	f float64
}

func laneOf(t ir.Type, bits uint64) laneValue {
	switch t {
	case ir.Float64:
		return laneValue{f: math.Float64frombits(bits)}
	case ir.Float32:
		return laneValue{f: float64(math.Float32frombits(uint32(bits)))}
	}
	return whole(t, int64(bits))
}

// whole is an integer of type t, or a condition.
func whole(t ir.Type, x int64) laneValue {
	if t == ir.Bool {
		return laneValue{i: x}
	}
	return laneValue{i: t.Cell().Wrapped(x)}
}

func (v laneValue) bits(t ir.Type, size int) uint64 {
	switch t {
	case ir.Float64:
		return math.Float64bits(v.f)
	case ir.Float32:
		return uint64(math.Float32bits(float32(v.f)))
	}
	if size == 8 {
		return uint64(v.i)
	}
	return uint64(uint32(v.i))
}

// A laneEval evaluates expressions of one iteration.
type laneEval struct {
	b      *levelNest
	params []int
	lets   map[int]laneValue
	read   func(r *ir.Read, t ir.Type) laneValue
	iter   func(loop int) int
	lookup func(e *ir.Lookup, subs []int64) laneValue
	wrong  func(bits uint64) // of a subscript of a constant array
}

func ofInt(t ir.Type, x int) laneValue {
	switch t {
	case ir.Float32:
		return laneValue{f: float64(float32(x))}
	case ir.Float64:
		return laneValue{f: float64(x)}
	}
	return whole(t, int64(x))
}

func truth(b bool) laneValue {
	if b {
		return laneValue{i: 1}
	}
	return laneValue{}
}

func (e *laneEval) eval(x ir.Expr) laneValue {
	t := x.Type()
	switch x := x.(type) {
	case *ir.Lit:
		switch t {
		case ir.Bool:
			return truth(constant.BoolVal(x.Value))
		case ir.Float32:
			f, _ := constant.Float32Val(x.Value)
			return laneValue{f: float64(f)}
		case ir.Float64:
			f, _ := constant.Float64Val(x.Value)
			return laneValue{f: f}
		}
		i, _ := constant.Int64Val(x.Value)
		return laneValue{i: i}
	case *ir.ParamRef:
		return ofInt(t, e.params[x.Param])
	case *ir.IterRef:
		return ofInt(t, e.iter(x.Iter))
	case *ir.LocalRef:
		return e.lets[x.Stmt]
	case *ir.Read:
		return e.read(x, t)
	case *ir.Lookup:
		var subs []int64
		for _, sub := range x.Subs {
			subs = append(subs, e.eval(sub).i)
		}
		return e.lookup(x, subs)
	case *ir.ConstCell:
		return e.constCell(x)
	case *ir.Convert:
		if r, ok := x.X.(*ir.Read); ok && (t == ir.Float64 || t == ir.Int64) && r.T.Size() < t.Size() {
			return e.read(r, t) // memory has it converted
		}
		v, from := e.eval(x.X), x.X.Type()
		switch {
		case from == t:
			return v
		case !from.Float() && t.Float():
			return ofInt(t, int(v.i))
		case from.Float() && !t.Float():
			least, most := max(t.Cell().Lo, math.MinInt32), min(t.Cell().Hi, math.MaxInt32)
			switch {
			case math.IsNaN(v.f):
				return laneValue{}
			case v.f >= float64(most):
				return laneValue{i: most}
			case v.f <= float64(least):
				return laneValue{i: least}
			}
			return laneValue{i: int64(v.f)}
		case !t.Float():
			return whole(t, v.i)
		}
		return v
	case *ir.Unary:
		v := e.eval(x.X)
		if x.Op == ir.Not {
			return truth(v.i == 0)
		}
		return laneValue{i: whole(t, -v.i).i, f: -v.f}
	case *ir.Binary:
		return e.binary(x)
	case *ir.Select:
		if e.eval(x.Cond).i != 0 {
			return e.eval(x.A)
		}
		return e.eval(x.B)
	case *ir.Call:
		v := e.eval(x.Args[0])
		switch x.Fn {
		case ir.Min, ir.Max:
			for _, a := range x.Args[1:] {
				w := e.eval(a)
				if x.Fn == ir.Min {
					v = laneValue{min(v.i, w.i), min(v.f, w.f)}
				} else {
					v = laneValue{max(v.i, w.i), max(v.f, w.f)}
				}
			}
			return v
		case ir.Abs:
			return laneValue{i: whole(t, max(v.i, -v.i)).i, f: math.Abs(v.f)}
		case ir.Sqrt:
			return rounded(t, math.Sqrt(v.f))
		case ir.Floor:
			return laneValue{f: math.Floor(v.f)}
		case ir.Ceil:
			return laneValue{f: math.Ceil(v.f)}
		case ir.Round:
			return laneValue{f: math.Round(v.f)}
		case ir.Trunc:
			return laneValue{f: math.Trunc(v.f)}
		case ir.Pow:
			return rounded(t, v.f*v.f)
		case ir.Exp:
			return rounded(t, arith.Exp(v.f))
		case ir.Log:
			return rounded(t, arith.Log(v.f))
		}
	}
	panic(fmt.Sprintf("no value of %T", x))
}

func rounded(t ir.Type, x float64) laneValue {
	if t == ir.Float32 {
		return laneValue{f: float64(float32(x))}
	}
	return laneValue{f: x}
}

func (e *laneEval) binary(x *ir.Binary) laneValue {
	v := e.eval(x.X)
	if x.Op == ir.And && v.i == 0 || x.Op == ir.Or && v.i != 0 {
		return v
	}
	w := e.eval(x.Y)
	if x.Op >= ir.Eq && x.Op <= ir.Ge {
		less, equal := v.i < w.i, v.i == w.i
		if x.X.Type().Float() {
			less, equal = v.f < w.f, v.f == w.f
			if math.IsNaN(v.f) || math.IsNaN(w.f) {
				return truth(x.Op == ir.Ne)
			}
		}
		return truth(map[ir.Op]bool{ir.Eq: equal, ir.Ne: !equal, ir.Lt: less, ir.Le: less || equal, ir.Gt: !less && !equal, ir.Ge: !less}[x.Op])
	}
	a, b := float32(v.f), float32(w.f)
	single := x.T == ir.Float32
	switch {
	case x.Op == ir.And:
		return truth(v.i != 0 && w.i != 0)
	case x.Op == ir.Or:
		return truth(v.i != 0 || w.i != 0)
	case x.Op == ir.Add && single:
		return laneValue{f: float64(a + b)}
	case x.Op == ir.Sub && single:
		return laneValue{f: float64(a - b)}
	case x.Op == ir.Mul && single:
		return laneValue{f: float64(a * b)}
	case x.Op == ir.Quo && single:
		return laneValue{f: float64(a / b)}
	case x.Op == ir.Add:
		return laneValue{whole(x.T, v.i+w.i).i, v.f + w.f}
	case x.Op == ir.Sub:
		return laneValue{whole(x.T, v.i-w.i).i, v.f - w.f}
	case x.Op == ir.Mul:
		return laneValue{whole(x.T, v.i*w.i).i, v.f * w.f}
	case !x.T.Float():
		return whole(x.T, ofIntegers(x.Op, v.i, w.i))
	}
	return laneValue{f: v.f / w.f}
}

// ofIntegers computes what only integers have. Divisors and shift counts are constants.
func ofIntegers(op ir.Op, x, y int64) int64 {
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
		return x << y
	case ir.Shr:
		return x >> y
	}
	return x / y
}
