package kernel

import (
	"math"

	"loopc/transform/plan"
)

// parts is about how many parts the loops of the nest of p have as they are written, before each of which they look whether the
// run must end (Fields.Due): pieces of a single loop, or iterations of the outermost one. At least one.
func parts(p *plan.Plan) int {
	if p.Nest.Levelled {
		points, _ := p.Points()
		return int(max(1, points/Piece))
	}
	return outermost(p)
}

// Within is about how many iterations of the nest of p are within one iteration of its outermost loop.
func Within(p *plan.Plan) int {
	if p.Nest.Levelled {
		return 1
	}
	points, _ := p.Points()
	return int(max(1, points/int64(outermost(p))))
}

// outermost is the number of iterations of the outermost loop of the nest of p, at least 1. It is 1 if the loop has other bounds
// than forms of parameters.
func outermost(p *plan.Plan) int {
	lo, hi := math.MinInt/2, math.MaxInt/2
	for _, f := range p.Nest.Space {
		at := make([]int, len(p.Nest.Skew)) // the coefficients of f by loop
		others := false
		for x, c := range f.Iters {
			for k, s := range p.Nest.Skew[x] {
				at[k] += c * s
			}
		}
		for _, c := range at[1:] {
			others = others || c != 0
		}
		switch end := (plan.Affine{Const: f.Const, Params: f.Params}).Eval(p.Params, nil); {
		case others:
		case at[0] == 1:
			lo = max(lo, -end)
		case at[0] == -1:
			hi = min(hi, end)
		}
	}
	if lo == math.MinInt/2 || hi == math.MaxInt/2 {
		return 1
	}
	return max(1, hi-lo+1)
}
