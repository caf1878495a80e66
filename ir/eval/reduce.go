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
	// found says that there was a value, for the places of the reduction.
	found bool
}

// The bits of reduction.signs.
const (
	above uint8 = 1 << iota
	below
	undefined
)

// newReduction returns the reduction of no values.
func newReduction(of *ir.Reduce) *reduction {
	r := &reduction{op: of.Op, t: of.Type, sum: new(big.Rat)}
	switch cell := of.Type.Cell(); {
	case of.Place || of.Op == ir.ReduceSum:
	case of.Op == ir.ReduceMax:
		r.v = value{f: cell.Lowest().F, i: cell.Lowest().I}
	case of.Op == ir.ReduceMin:
		r.v = value{f: cell.Highest().F, i: cell.Highest().I}
	}
	return r
}

// add combines one more value. For max and min it reports whether the result has changed, or x is the first value.
func (r *reduction) add(x value) (replaced bool) {
	before := r.v
	defer func() {
		same := before.i == r.v.i && (math.Float64bits(before.f) == math.Float64bits(r.v.f) || math.IsNaN(before.f) && math.IsNaN(r.v.f))
		replaced, r.found = !same || !r.found, true
	}()
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
	return false
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
