package halo

import (
	"loopc/runtime/array"
	"loopc/transform/plan"
)

// A form is an affine form in which parameters have their values.
type form struct {
	c    int   // the constant term, parameters included
	a    []int // coefficients of all coordinates but the last
	last int   // coefficient of the last coordinate
}

// formsOf evaluates the parameters in affine forms over p.
func formsOf(p *plan.Plan, all []plan.Affine) []form {
	out := make([]form, len(all))
	last := len(p.Side) - 1
	for k, f := range all {
		out[k] = form{c: f.Eval(p.Params, nil), a: make([]int, last)}
		copy(out[k].a, f.Iters)
		if last < len(f.Iters) {
			out[k].last = f.Iters[last]
		}
	}
	return out
}

// positionOf returns the position in view of the cell with the given indices. Without data the view has no cells, and the position is 0.
func positionOf(index []form, view *array.View, n int) form {
	out := form{a: make([]int, n-1)}
	if view.Data == nil {
		return out
	}
	for m := range index {
		f, stride := &index[m], view.Stride[m]
		out.c += (f.c - view.Lo[m]) * stride
		for x, a := range f.a {
			out.a[x] += a * stride
		}
		out.last += f.last * stride
	}
	return out
}

// along returns the value of f on row q where the last coordinate is 0, and the coefficient of the last coordinate.
func (f *form) along(q []int) (at, c int) {
	at = f.c
	for k, a := range f.a {
		at += a * q[k]
	}
	return at, f.last
}

// across does what along does, for a line along coordinate x instead of the last coordinate.
func (f *form) across(q []int, x int) (at, c int) {
	at, c = f.along(q)
	if x == len(f.a) {
		return at, c
	}
	return at + c*q[len(f.a)] - f.a[x]*q[x], f.a[x]
}

// AtLeast narrows lo..hi to the x with at + c·x ≥ 0.
func AtLeast(at, c, lo, hi int) (int, int) {
	switch {
	case c == 1: // the usual coefficients, without a division
		lo = max(lo, -at)
	case c == -1:
		hi = min(hi, at)
	case c > 0:
		lo = max(lo, plan.CeilDiv(-at, c))
	case c < 0:
		hi = min(hi, plan.FloorDiv(at, -c))
	case at < 0:
		hi = lo - 1
	}
	return lo, hi
}
