package sched

import (
	"math"

	"loopc/transform/plan"
)

// A size counts the iterations of runs of a nest.
type size struct {
	always int64 // if all runs have as many
	p      *plan.Plan
	bounds [][]bound // by loop of the nest before skewing; nil: p estimates the iterations
	even   []bool    // by loop: no bound of an inner loop depends on it
	at     []int     // iteration
}

// A bound says that sign·x + at ≥ 0 for a loop x, where at depends on parameters and outer loops; sign is 1 or -1,
// or 0 if the bound is one of the parameters alone.
type bound struct {
	sign int
	at   plan.Affine
}

// newSize returns the sizes of runs by plan p, with other numbers of repeats if the nest has them.
func newSize(p *plan.Plan) size {
	depth := len(p.Nest.Dims)
	s := size{p: p, bounds: make([][]bound, depth), even: make([]bool, depth), at: make([]int, depth)}
	for x := range s.even {
		s.even[x] = true
	}
	for _, f := range p.Nest.Space {
		s.add(f)
	}
	if p.Nest.Numbers == nil {
		s.always = s.points(p.Params)
		s.p = nil
	}
	return s
}

// add adds an inequality of the skewed space.
func (s *size) add(f plan.Affine) {
	if s.bounds == nil {
		return
	}
	at := plan.Affine{Const: f.Const, Params: f.Params, Iters: make([]int, len(s.at))}
	inner := 0
	for x := range s.at {
		for k, c := range f.Iters {
			at.Iters[x] += c * s.p.Nest.Skew[k][x]
		}
		if at.Iters[x] != 0 {
			inner = x
		}
	}
	sign := at.Iters[inner]
	if at.Iters[inner] = 0; sign < -1 || sign > 1 {
		s.bounds = nil
		return
	}
	for x, c := range at.Iters {
		s.even[x] = s.even[x] && c == 0
	}
	s.bounds[inner] = append(s.bounds[inner], bound{sign, at})
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
	return s.within(params, 0)
}

// within is the number of iterations of loop x and of those inside it, where outer loops are at s.at.
func (s *size) within(params []int, x int) (all int64) {
	if x == len(s.at) {
		return 1
	}
	lo, hi := math.MinInt/2, math.MaxInt/2
	for k := range s.bounds[x] {
		b := &s.bounds[x][k]
		switch at := b.at.Eval(params, s.at); {
		case b.sign > 0:
			lo = max(lo, -at)
		case b.sign < 0:
			hi = min(hi, at)
		case at < 0:
			return 0
		}
	}
	if lo > hi {
		return 0
	}
	if s.at[x] = lo; s.even[x] {
		return int64(hi-lo+1) * s.within(params, x+1)
	}
	for ; s.at[x] <= hi; s.at[x]++ {
		all += s.within(params, x+1)
	}
	return all
}
