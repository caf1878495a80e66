package depend

import (
	"loopc/ir"
	"loopc/ir/lattice"
)

// A point is an iteration, or a cell, in a system: its coordinates are the columns from first on. The parameters are
// the first columns of every system. The affine forms of a point have its coordinates as iterators.
type point struct {
	sys   *lattice.System
	first int
}

// in returns the point of sys behind the parameters: iteration j.
func (s *space) in(sys *lattice.System) point { return point{sys, s.params} }

// row returns an affine form of the point as a row of its system.
func (p point) row(f ir.Affine) lattice.Row {
	r := make(lattice.Row, p.sys.Columns()+1)
	for k, c := range f.Params {
		r[k] = int64(c)
	}
	for k, c := range f.Iters {
		r[p.first+k] = int64(c)
	}
	r[p.sys.Columns()] = int64(f.Const)
	return r
}

// add adds f ≥ 0.
func (p point) add(f ir.Affine) { p.sys.Add(p.row(f)) }

// addZero adds f = 0.
func (p point) addZero(f ir.Affine) { p.sys.AddZero(p.row(f)) }

// implies reports whether f ≥ 0 is proved for all points.
func (p point) implies(f ir.Affine) bool { return p.sys.Implies(p.row(f)) }

// inside adds that the cell p lies within the bounds of an array.
func (p point) inside(arr *ir.Array) {
	for d := range arr.Lo {
		index := iterator(d, len(arr.Lo))
		p.add(minus(index, arr.Lo[d]))
		p.add(minus(arr.Hi[d], index))
	}
}

// meet adds that the subscripts subs at p reach the cell that theirs reach at q, a point of the same system.
func (p point) meet(subs []ir.Affine, q point, theirs []ir.Affine) {
	for d := range subs {
		r := p.row(subs[d])
		for k, c := range q.row(theirs[d]) {
			r[k] -= c
		}
		p.sys.AddZero(r)
	}
}

// reach adds that the subscripts subs at p reach the cell whose indices are the columns from cell on.
func (p point) reach(subs []ir.Affine, cell int) {
	for d, sub := range subs {
		r := p.row(sub)
		r[cell+d] = -1
		p.sys.AddZero(r)
	}
}

// equate adds that two columns are equal.
func equate(sys *lattice.System, x, y int) {
	r := make(lattice.Row, sys.Columns()+1)
	r[x], r[y] = 1, -1
	sys.AddZero(r)
}

// exceed adds that column x is greater than column y or, if sign is -1, less.
func exceed(sys *lattice.System, x, y, sign int) {
	r := make(lattice.Row, sys.Columns()+1)
	r[x], r[y], r[sys.Columns()] = int64(sign), -int64(sign), -1
	sys.Add(r)
}
