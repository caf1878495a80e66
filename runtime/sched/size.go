package sched

import (
	"math"

	"loopc/transform/plan"
)

// A size counts the iterations of each run of a nest.
type size struct {
	always int64      // if all runs have as many
	p      *plan.Plan // of the nest, if numbers of repeats change its loops; otherwise nil
	bounds []bound    // of the loops, if each bound depends on parameters only; otherwise nil
	lo, hi []int
}

// A bound says of the parameters that sign·x + at ≥ 0 for loop x; sign is 1 or -1. If sign is 0, at ≥ 0.
type bound struct {
	loop, sign int
	at         plan.Affine
}

// newSize returns the sizes of runs by plan p, with other numbers of repeats.
func newSize(p *plan.Plan) size {
	if p.Nest.Numbers == nil {
		n, _ := p.Points()
		return size{always: n}
	}
	s := size{p: p, lo: make([]int, len(p.Nest.Dims)), hi: make([]int, len(p.Nest.Dims))}
	for _, f := range p.Nest.Space {
		b := bound{at: plan.Affine{Const: f.Const, Params: f.Params}}
		for loop := range p.Nest.Dims { // of the user, before skewing
			c := 0
			for x, k := range f.Iters {
				c += k * p.Nest.Skew[x][loop]
			}
			switch {
			case c == 0:
			case b.sign != 0 || c != 1 && c != -1:
				return size{p: p}
			default:
				b.loop, b.sign = loop, c
			}
		}
		s.bounds = append(s.bounds, b)
	}
	return s
}

// points is the number of iterations of a run with these parameters.
func (s *size) points(params []int) int64 {
	switch {
	case s.p == nil:
		return s.always
	case s.bounds == nil:
		n, _ := s.p.At(params).Points()
		return n
	}
	for x := range s.lo {
		s.lo[x], s.hi[x] = math.MinInt/2, math.MaxInt/2
	}
	for k := range s.bounds {
		b := &s.bounds[k]
		switch at := b.at.Eval(params, nil); {
		case b.sign > 0:
			s.lo[b.loop] = max(s.lo[b.loop], -at)
		case b.sign < 0:
			s.hi[b.loop] = min(s.hi[b.loop], at)
		case at < 0:
			return 0
		}
	}
	all := int64(1)
	for x, lo := range s.lo {
		all *= int64(max(0, s.hi[x]-lo+1))
	}
	return all
}
