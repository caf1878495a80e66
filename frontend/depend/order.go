package depend

import (
	"loopc/ir"
	"loopc/ir/lattice"
)

// An Occurrence is an access to an array by a nest. Nests that are compared have the same parameters. Without
// subscripts it may be an access to any cell.
type Occurrence struct {
	Nest  *ir.Nest
	Array int
	Subs  []ir.Affine
}

// Precedes reports whether x may access a cell before y accesses it. The nests share their outermost loops: the
// parameter common is the number of these, and the outermost same of them are in the same iteration for x and y.
// textual tells that x stands before y in the innermost shared loop.
func Precedes(x, y Occurrence, same, common int, textual bool) bool {
	sx, sy := newSpace(x.Nest), newSpace(y.Nest)
	ofY := sx.params + sx.depth
	base := lattice.New(ofY + sy.depth)
	for _, c := range append(sx.assumed, sx.constraints...) {
		base.Add(sx.row(c, base.Columns(), sx.params))
	}
	for _, c := range sy.constraints {
		base.Add(sy.row(c, base.Columns(), ofY))
	}
	if x.Nest.Arrays[x.Array].Boundary == nil && len(x.Subs) == len(y.Subs) { // else the cell may be another one
		for d := range x.Subs {
			meetRow(base, sx.row(x.Subs[d], base.Columns(), sx.params), sy.row(y.Subs[d], base.Columns(), ofY))
		}
	}
	for k := range common {
		if k >= same {
			later := base.Clone()
			r := make(lattice.Row, base.Columns()+1)
			r[ofY+k], r[sx.params+k], r[base.Columns()] = int64(sx.step[k]), -int64(sx.step[k]), -1
			if later.Add(r); !later.Empty() {
				return true
			}
		}
		equal := make(lattice.Row, base.Columns()+1)
		equal[ofY+k], equal[sx.params+k] = 1, -1
		base.AddZero(equal)
	}
	return textual && !base.Empty()
}

// meetRow adds the equation x = y.
func meetRow(sys *lattice.System, x, y lattice.Row) {
	for k := range x {
		x[k] -= y[k]
	}
	sys.AddZero(x)
}

// Covers reports whether every cell that r reads is written by w in the same iteration of the outermost
// loops that both nests share; the parameter same is their number.
func Covers(w, r Occurrence, same int) bool {
	if len(w.Subs) != len(r.Subs) {
		return false
	}
	depth := max(w.Nest.Depth(), r.Nest.Depth())
	cells := func(o Occurrence) (*lattice.System, bool) {
		s := newSpace(o.Nest)
		cell, iter := s.params+same, s.params+same+len(o.Subs)
		sys := lattice.New(iter + depth)
		for _, c := range s.constraints {
			sys.Add(s.row(c, sys.Columns(), iter))
		}
		for k := range same {
			equal := make(lattice.Row, sys.Columns()+1)
			equal[s.params+k], equal[iter+k] = 1, -1
			sys.AddZero(equal)
		}
		for d, sub := range o.Subs {
			row := s.row(sub, sys.Columns(), iter)
			row[cell+d] = -1
			sys.AddZero(row)
		}
		return sys.Project(func(column int) bool { return column < iter })
	}
	written, exact := cells(w)
	read, _ := cells(r)
	switch {
	case read.Never():
		return true
	case !exact || written.Never():
		return false
	}
	for _, row := range written.Rows() {
		if !read.Implies(row) {
			return false
		}
	}
	return true
}
