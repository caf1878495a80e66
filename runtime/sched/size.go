package sched

import (
	"math"
	"slices"

	"loopc/transform/plan"
)

// A size counts the iterations of runs of a nest.
type size struct {
	always int64 // if all runs have as many
	p      *plan.Plan
	space  *space // of the loops of the nest before skewing; nil: p estimates the iterations
}

// newSize returns the sizes of runs by plan p, with other numbers of repeats if the nest has them.
func newSize(p *plan.Plan) size {
	s := size{p: p, space: newSpace(p.Nest, p.Nest.Skew)}
	if p.Nest.Numbers == nil {
		s.always = s.points(p.Params)
		s.p = nil
	}
	return s
}

// points is the number of iterations of a run with these parameters.
func (s *size) points(params []int) int64 {
	switch {
	case s.p == nil:
		return s.always
	case s.space == nil:
		n, _ := s.p.At(params).Points()
		return n
	}
	s.space.with(params)
	return s.space.points(0)
}

// A space is the iterations of a nest, with bounds for each coordinate that depend on the ones before it.
type space struct {
	bounds [][]bound // by coordinate
	even   []bool    // by coordinate: no bound of a later one depends on it
	at     []int     // iteration
}

// A bound says that sign·x + at ≥ 0 for a coordinate x, where at depends on parameters and earlier coordinates; sign is
// 1 or -1, or 0 if the bound is one of the parameters alone.
type bound struct {
	sign int
	at   plan.Affine
	base int // at, where all coordinates are 0: see space.with
}

// newSpace returns the space of a nest in coordinates j with p = T·j, where p are those of the nest; nil if a bound
// does not have the form above.
func newSpace(n *plan.Nest, t [][]int) *space {
	depth := len(n.Dims)
	s := &space{bounds: make([][]bound, depth), even: make([]bool, depth), at: make([]int, depth)}
	for x := range s.even {
		s.even[x] = true
	}
	for _, f := range n.Space {
		at := plan.Affine{Const: f.Const, Params: f.Params, Iters: make([]int, depth)}
		inner := 0
		for x := range at.Iters {
			for k, c := range f.Iters {
				at.Iters[x] += c * t[k][x]
			}
			if at.Iters[x] != 0 {
				inner = x
			}
		}
		sign := at.Iters[inner]
		if at.Iters[inner] = 0; sign < -1 || sign > 1 {
			return nil
		}
		at.Iters = at.Iters[:inner]
		if !slices.ContainsFunc(at.Iters, func(c int) bool { return c != 0 }) {
			at.Iters = nil
		}
		for x, c := range at.Iters {
			s.even[x] = s.even[x] && c == 0
		}
		s.bounds[inner] = append(s.bounds[inner], bound{sign: sign, at: at})
	}
	return s
}

// with takes the parameters from now on.
func (s *space) with(params []int) {
	for x := range s.bounds {
		for k := range s.bounds[x] {
			b := &s.bounds[x][k]
			b.base = b.at.Eval(params, nil)
		}
	}
}

// extent returns the bounds of coordinate x where the ones before it are at s.at; lo > hi if it has none.
func (s *space) extent(x int) (lo, hi int) {
	lo, hi = math.MinInt/2, math.MaxInt/2
	for k := range s.bounds[x] {
		b := &s.bounds[x][k]
		at := b.base
		for y, c := range b.at.Iters {
			at += c * s.at[y]
		}
		switch {
		case b.sign > 0:
			lo = max(lo, -at)
		case b.sign < 0:
			hi = min(hi, at)
		case at < 0:
			return 0, -1
		}
	}
	return lo, hi
}

// points is the number of iterations with all values of coordinate x and of later ones, where the ones before are at
// s.at.
func (s *space) points(x int) (all int64) {
	if x == len(s.at) {
		return 1
	}
	lo, hi := s.extent(x)
	if lo > hi {
		return 0
	}
	if s.at[x] = lo; s.even[x] {
		return int64(hi-lo+1) * s.points(x+1)
	}
	for ; s.at[x] <= hi; s.at[x]++ {
		all += s.points(x + 1)
	}
	return all
}
