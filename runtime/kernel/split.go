package kernel

import "loopc/transform/plan"

// A Split divides boxes of iterations for loops that load more than iterations use. Guards keep some
// iterations from cells that given arrays do not have. Vectors load such cells nevertheless, so they
// compute only boxes in which all of these cells are there; other loops compute the others.
//
// A box is divided by planes across one coordinate, and the lower part is computed first. Flow distances are
// nonnegative along every coordinate, so this is as good an order as the lexicographic one.
type Split struct {
	within  []splitForm
	vectors func(lo, hi []int)
	others  func(lo, hi []int)
}

// A splitForm is at + a·p, at iteration p.
type splitForm struct {
	at int
	a  []int
}

// NewSplit returns the Split for loops called vectors, where every form of within is ≥ 0, and others.
func NewSplit(within []plan.Affine, params []int, vectors, others func(lo, hi []int)) *Split {
	s := &Split{vectors: vectors, others: others}
	for _, f := range within {
		s.within = append(s.within, splitForm{f.Eval(params, nil), f.Iters})
	}
	return s
}

// Box computes the iterations lo..hi. It changes the corners, and restores them.
func (s *Split) Box(lo, hi []int) {
	var across *splitForm // a form that is not ≥ 0 in all of the box
	for k := range s.within {
		f := &s.within[k]
		least, most := f.at, f.at
		for x, c := range f.a {
			least += min(c*lo[x], c*hi[x])
			most += max(c*lo[x], c*hi[x])
		}
		if most < 0 {
			s.others(lo, hi)
			return
		}
		if least < 0 && across == nil {
			across = f
		}
	}
	if across == nil {
		s.vectors(lo, hi)
		return
	}
	x, first := across.cut(lo, hi)
	from, to := lo[x], hi[x]
	hi[x] = first - 1
	s.Box(lo, hi)
	lo[x], hi[x] = first, to
	s.Box(lo, hi)
	lo[x] = from
}

// cut returns the coordinate x along which a box is divided, and the first value of x in the upper part. f changes its
// sign in the box. If f varies along one coordinate only, cut divides the box where the sign changes. Otherwise cut
// halves the box along a long one of these coordinates, but not along rows.
func (f *splitForm) cut(lo, hi []int) (x, first int) {
	moving := 0
	for k, c := range f.a {
		if c == 0 || lo[k] == hi[k] {
			continue
		}
		if moving++; moving == 1 || hi[k]-lo[k] > hi[x]-lo[x] && k < len(lo)-1 {
			x = k
		}
	}
	if moving > 1 {
		return x, lo[x] + (hi[x]-lo[x]+1)/2
	}
	// Along x, the form is ≥ 0 from first on, or, if c < 0, below it.
	at := f.at
	for k, c := range f.a {
		if k != x {
			at += c * lo[k]
		}
	}
	if c := f.a[x]; c > 0 {
		return x, floorDiv(-at-1, c) + 1
	} else {
		return x, floorDiv(at, -c) + 1
	}
}

// floorDiv returns a/b rounded down, for b > 0.
func floorDiv(a, b int) int {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// EachLevel calls box with each level of the box lo..hi. It changes the corners, and restores them.
func EachLevel(lo, hi []int, box func(lo, hi []int)) {
	first, most := lo[0], hi[0]
	for level := first; level <= most; level++ {
		lo[0], hi[0] = level, level
		box(lo, hi)
	}
	lo[0], hi[0] = first, most
}
