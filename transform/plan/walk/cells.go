package walk

import (
	"loopc/transform/plan"
)

// cells tell which locations of a value are cells of its array.
type cells struct{ index []index }

// An index is the index of a cell along one dimension of the array, affine in the location.
type index struct {
	c           int // the constant term, parameters included
	iters       []int
	last        int // coefficient of the last coordinate
	least, most int // bounds of the array
}

// cellsOf returns the cells of value v.
func cellsOf(p *plan.Plan, v int) cells {
	val, last := &p.Nest.Values[v], len(p.Side)-1
	arr := &p.Nest.Arrays[val.Array]
	var c cells
	for m := range val.Cell {
		f := &val.Cell[m]
		x := index{c: f.Eval(p.Params, nil), iters: f.Iters, least: arr.Lo[m].Eval(p.Params, nil), most: arr.Hi[m].Eval(p.Params, nil)}
		if len(f.Iters) > last {
			x.iters, x.last = f.Iters[:last], f.Iters[last]
		}
		c.index = append(c.index, x)
	}
	return c
}

// Clip narrows columns lo..hi of row q to those that are cells.
func (c *cells) Clip(q []int, lo, hi int) (int, int) {
	for m := range c.index {
		x := &c.index[m]
		at := x.c
		for k, a := range x.iters {
			at += a * q[k]
		}
		lo, hi = Clip(at, x.last, x.least, x.most, lo, hi)
	}
	return lo, hi
}

// Clip narrows lo..hi to the x with least ≤ at + c·x ≤ most.
func Clip(at, c, least, most, lo, hi int) (int, int) {
	switch {
	case c == 0:
		if at < least || at > most {
			return lo, lo - 1
		}
	case c == 1: // the usual coefficients, without a division
		lo, hi = max(lo, least-at), min(hi, most-at)
	case c == -1:
		lo, hi = max(lo, at-most), min(hi, at-least)
	case c > 0:
		lo = max(lo, plan.CeilDiv(least-at, c))
		hi = min(hi, plan.FloorDiv(most-at, c))
	default:
		lo = max(lo, plan.CeilDiv(at-most, -c))
		hi = min(hi, plan.FloorDiv(at-least, -c))
	}
	return lo, hi
}
