package eval

import (
	"math"
	"math/big"

	"loopc/ir"
)

// A reduction is the state of a reduce that has combined some values.
type reduction struct {
	op  ir.ReduceOp
	t   ir.Type
	v   value    // the max, the min, or the sum of integers
	sum *big.Rat // the exact sum of the finite floats
	// signs has a bit for each kind of nonfinite value seen: +Inf, -Inf and NaN.
	signs uint8
}

// The bits of reduction.signs.
const (
	above uint8 = 1 << iota
	below
	undefined
)

// newReduction returns the reduction of no values.
func newReduction(op ir.ReduceOp, t ir.Type) *reduction {
	r := &reduction{op: op, t: t, sum: new(big.Rat)}
	switch cell := t.Cell(); op {
	case ir.ReduceMax:
		r.v = value{f: cell.Lowest().F, i: cell.Lowest().I}
	case ir.ReduceMin:
		r.v = value{f: cell.Highest().F, i: cell.Highest().I}
	case ir.ReduceSum:
	}
	return r
}

// add adds one more value.
func (r *reduction) add(x value) {
	switch {
	case r.op == ir.ReduceMax:
		r.v = extreme(ir.Max, r.v, x)
	case r.op == ir.ReduceMin:
		r.v = extreme(ir.Min, r.v, x)
	case r.t.Integer():
		r.v = wrapped(r.t, r.v.i+x.i)
	case math.IsNaN(x.f):
		r.signs |= undefined
	case math.IsInf(x.f, 1):
		r.signs |= above
	case math.IsInf(x.f, -1):
		r.signs |= below
	default:
		r.sum.Add(r.sum, new(big.Rat).SetFloat64(x.f))
	}
}

// result returns the reduction of the values so far.
func (r *reduction) result() value {
	switch {
	case r.op != ir.ReduceSum || r.t.Integer():
		return r.v
	case r.signs == above:
		return value{f: math.Inf(1)}
	case r.signs == below:
		return value{f: math.Inf(-1)}
	case r.signs != 0:
		return value{f: math.NaN()}
	case r.t == ir.Float32:
		f, _ := r.sum.Float32()
		return value{f: float64(f)}
	}
	f, _ := r.sum.Float64()
	return value{f: f}
}
