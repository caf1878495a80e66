package kernel

import "loopc/transform/plan"

// A Split divides boxes of iterations for loops that load other cells than iterations use. Guards keep some iterations
// from cells that given arrays do not have, and boundaries move their reads to other cells. Vectors compute only
// boxes in which given arrays have all cells that the subscripts name; other loops compute the others. Vectors also compute
// rows for which a boundary moves a subscript that is the same for the whole row: one row at a time.
//
// A box is divided by planes across one coordinate, and the lower part is computed first. Flow distances are
// nonnegative along every coordinate, so this is as good an order as the lexicographic one.
type Split struct {
	cells, rows     []splitForm
	vectors, others func(lo, hi []int)
}

// A splitForm is at + a·p for iteration p. It is the affine form of, with the parameters inserted.
type splitForm struct {
	of plan.Affine
	at int
	a  []int
}

// NewSplit returns the Split for loops called vectors, where every form of cells is ≥ 0, and others. Where a form of rows
// is negative, vectors gets boxes in which this form is constant.
func NewSplit(cells, rows []plan.Affine, params []int, vectors, others func(lo, hi []int)) *Split {
	s := &Split{vectors: vectors, others: others}
	for _, f := range cells {
		s.cells = append(s.cells, splitForm{of: f, a: f.Iters})
	}
	for _, f := range rows {
		s.rows = append(s.rows, splitForm{of: f, a: f.Iters})
	}
	s.With(params)
	return s
}

// With is Kernel.With.
func (s *Split) With(params []int) {
	for _, forms := range [][]splitForm{s.cells, s.rows} {
		for k := range forms {
			forms[k].at = forms[k].of.Eval(params, nil)
		}
	}
}

// Box computes the iterations lo..hi. It changes the corners, and restores them.
func (s *Split) Box(lo, hi []int) {
	var across *splitForm // a form by which the box is divided
	for k := range s.cells {
		least, most := s.cells[k].within(lo, hi)
		if most < 0 {
			s.others(lo, hi)
			return
		}
		if least < 0 && across == nil {
			across = &s.cells[k]
		}
	}
	for k := range s.rows {
		if least, most := s.rows[k].within(lo, hi); least < 0 && least < most && across == nil {
			across = &s.rows[k]
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

// within returns the least and the greatest value of f in a box.
func (f *splitForm) within(lo, hi []int) (least, most int) {
	least, most = f.at, f.at
	for x, c := range f.a {
		least += min(c*lo[x], c*hi[x])
		most += max(c*lo[x], c*hi[x])
	}
	return least, most
}

// cut returns the coordinate x along which a box is divided, and the first value of x in the upper part. f varies in
// the box. If it changes its sign along a single coordinate, cut divides the box where the sign changes. Otherwise cut
// halves the box along a long one of the coordinates, but not along rows if there is another.
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
	if _, most := f.within(lo, hi); moving > 1 || most < 0 {
		return x, lo[x] + (hi[x]-lo[x]+1)/2
	}
	// Along x, the form is ≥ 0 from first on, or, if c < 0, below it.
	at := f.at
	for k, c := range f.a {
		if k != x {
			at += c * lo[k]
		}
	}
	if c := f.a[x]; c < 0 {
		return x, plan.FloorDiv(at, -c) + 1
	}
	return x, plan.CeilDiv(-at, f.a[x])
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
