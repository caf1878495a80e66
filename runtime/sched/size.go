package sched

import (
	"math"
	"slices"

	"loopc/runtime/kernel"
	"loopc/transform/plan"
)

// A size counts the iterations of runs of a nest.
type size struct {
	always int64 // the iterations of a run, if all runs have as many
	p      *plan.Plan
	space  *space // of the loops before skewing; nil: p estimates the iterations
}

// newSize prepares to count the iterations of runs by plan p, each with its own numbers of repeats if the nest has any.
func newSize(p *plan.Plan) size {
	s := size{p: p, space: newSpace(p.Nest.Space, p.Nest.Skew)}
	first, used := len(p.Nest.Params)-len(p.Nest.Numbers), func(c int) bool { return c != 0 }
	numbered := func(f plan.Affine) bool { return slices.ContainsFunc(f.Params[min(first, len(f.Params)):], used) }
	if p.Nest.Numbers == nil || s.space != nil && !slices.ContainsFunc(p.Nest.Space, numbered) {
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
	s.space.bases.set(params)
	return s.space.points(0)
}

// series returns the iterations of the runs with params[at] = lo..hi together, and may change params[at]. ok is false if the
// runs' numbers of iterations are not known to be an arithmetic series.
func (s *size) series(params []int, at, lo, hi int) (all int64, ok bool) {
	n := int64(hi - lo + 1)
	if s.p == nil {
		return n * s.always, true
	}
	for _, end := range []int{lo, hi} {
		params[at] = end
		one, ok := s.product(params, at)
		if !ok {
			return 0, false
		}
		all += one
	}
	return all * n / 2, true
}

// product returns what points returns. ok is false unless this is known to be a product of extents of which at most one
// depends on params[at], linearly: series then needs only the runs at lo and hi.
func (s *size) product(params []int, at int) (all int64, ok bool) {
	if s.space == nil {
		return 0, false
	}
	s.space.bases.set(params)
	all = 1
	linear := 0
	for x, bounds := range s.space.bounds {
		lo, hi := s.space.extent(x)
		depends := slices.ContainsFunc(bounds, func(b bound) bool { return at < len(b.at.Params) && b.at.Params[at] != 0 })
		if !s.space.even[x] || hi < lo-1 || depends && !onePair(bounds) {
			return 0, false
		}
		if depends {
			linear++
		}
		all *= int64(hi - lo + 1)
	}
	return all, linear <= 1
}

// onePair reports whether a coordinate has one bound below and one above, and no other bound.
func onePair(bounds []bound) bool { return len(bounds) == 2 && bounds[0].sign*bounds[1].sign == -1 }

// eachRun calls f with the plan of each run of a nest that is not skipped, and with the number of runs for which it stands: see kernel.Runs.
func (prog *Program) eachRun(plans []*plan.Plan, sampled kernel.Sampling, f func(nest int, p *plan.Plan, runs int)) {
	shared, written := sharedNests(prog.steps(), false), prog.written()
	prog.counts().Each(sampled, prog.steps(), plans[0].Params, func(nest int, params []int, runs int) {
		if !written || shared[nest] || !prog.beginsItems(nest) {
			f(nest, plans[nest].At(params), runs)
		}
	})
}

// counted is the sample of repetitions whose iterations Points counts.
var counted = kernel.Sampling{Each: 512, Nested: 1 << 11}

// counts describes the steps of a program to kernel.Runs.
func (prog *Program) counts() *kernel.Runs[Step] {
	given, parts := len(prog.Nest.Params), prog.Parts()
	beyond := func(f plan.Affine) bool { return len(f.Params) > given }
	return &kernel.Runs[Step]{
		Given: given,
		Step: func(s Step) kernel.CountedStep[Step] {
			r := s.Repeat
			if r == nil {
				return kernel.CountedStep[Step]{Nest: s.Nest, Varies: parts[s.Nest].Nest.Numbers != nil}
			}
			varies := r.Item != nil || slices.ContainsFunc(r.Lo, beyond) || slices.ContainsFunc(r.Hi, beyond)
			return kernel.CountedStep[Step]{Repeat: true, Index: r.Index, Varies: varies, Within: r.Steps}
		},
		Bounds: func(s Step, params []int) (lo, hi int) { return s.Repeat.expected(params) },
	}
}

// A space is the set of iterations of a nest. The bounds of a coordinate depend on the coordinates before it.
type space struct {
	bounds [][]bound // by coordinate
	even   []bool    // by coordinate: no bound of a later one depends on it
	at     []int     // iteration
	bases  forms     // of the bounds; set sets the parameters
}

// A bound says that sign·x + at ≥ 0 for a coordinate x. at depends on parameters and earlier coordinates. sign is 1 or
// -1, or 0 if the bound restricts only the parameters.
type bound struct {
	sign int
	at   plan.Affine
	base int // at, where all coordinates are 0: see space.bases
}

// newSpace returns the space in which forms of coordinates p are ≥ 0, in coordinates j where p = T·j. It returns nil
// if an inequality does not have the form of a bound, or if a coordinate has no bound above or below.
func newSpace(forms []plan.Affine, t [][]int) *space {
	depth := len(t)
	s := &space{bounds: make([][]bound, depth), even: make([]bool, depth), at: make([]int, depth)}
	for x := range s.even {
		s.even[x] = true
	}
	for _, f := range forms {
		at := plan.Affine{Const: f.Const, Params: f.Params, Iters: make([]int, depth)}
		for last := len(at.Params) - 1; last >= 0 && at.Params[last] == 0; last-- {
			at.Params = at.Params[:last] // so that forms.set, called for each item of a batch, takes less time
		}
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
		at.Iters[inner] = 0
		if sign < -1 || sign > 1 {
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
	for _, bounds := range s.bounds {
		for _, sign := range []int{1, -1} {
			if !slices.ContainsFunc(bounds, func(b bound) bool { return b.sign == sign }) {
				return nil
			}
		}
		for k := range bounds {
			s.bases.add(&bounds[k].base, bounds[k].at, 1)
		}
	}
	return s
}

// extent returns the least and the greatest value of coordinate x; the coordinates before x are those of s.at. lo > hi
// means that there is none.
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

// points is the number of iterations that have the coordinates s.at before coordinate x.
func (s *space) points(x int) (all int64) {
	if x == len(s.at) {
		return 1
	}
	lo, hi := s.extent(x)
	if lo > hi {
		return 0
	}
	s.at[x] = lo
	if s.even[x] {
		return int64(hi-lo+1) * s.points(x+1)
	}
	if all, ok := s.series(x, lo, hi); ok {
		return all
	}
	for s.at[x] = lo; s.at[x] <= hi; s.at[x]++ {
		all += s.points(x + 1)
	}
	return all
}

// series returns what points returns, if the numbers of iterations at the values lo..hi of coordinate x are an arithmetic series. ok is
// false if that is not known.
func (s *space) series(x, lo, hi int) (all int64, ok bool) {
	if x != len(s.at)-2 || !onePair(s.bounds[x+1]) {
		return 0, false
	}
	for _, end := range []int{lo, hi} {
		s.at[x] = end
		first, last := s.extent(x + 1)
		if last < first-1 {
			return 0, false
		}
		all += int64(last - first + 1)
	}
	return all * int64(hi-lo+1) / 2, true
}
