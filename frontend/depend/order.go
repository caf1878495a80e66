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
	base := lattice.New(sx.params + sx.depth + sy.depth)
	atX, atY := sx.in(base), point{base, sx.params + sx.depth}
	for _, f := range append(sx.assumed, sx.constraints...) {
		atX.add(f)
	}
	for _, c := range sy.constraints {
		atY.add(c)
	}
	if x.Nest.Arrays[x.Array].Boundary == nil && len(x.Subs) == len(y.Subs) { // else the cell may be another one
		atX.meet(x.Subs, atY, y.Subs)
	}
	for k := range common {
		if k >= same {
			later := base.Clone()
			exceed(later, atY.first+k, atX.first+k, sx.step[k])
			if !later.Empty() {
				return true
			}
		}
		equate(base, atY.first+k, atX.first+k)
	}
	return textual && !base.Empty()
}

// Crosses reports whether x may access a cell in an iteration that loop k puts before, and loop k+1 not before, an
// iteration in which y accesses it; both in one nest, and in the same iteration of the loops around loop k. Unless some
// access does so, both loops may be interchanged, and iterations of loop k are then independent.
func Crosses(x, y Occurrence, k int) bool {
	s := newSpace(x.Nest)
	both := lattice.New(s.params + 2*s.depth)
	atX, atY := s.in(both), point{both, s.params + s.depth}
	for _, f := range append(s.assumed, s.constraints...) {
		atX.add(f)
	}
	for _, c := range s.constraints {
		atY.add(c)
	}
	if x.Nest.Arrays[x.Array].Boundary == nil && len(x.Subs) == len(y.Subs) {
		atX.meet(x.Subs, atY, y.Subs)
	}
	for m := range k {
		equate(both, atY.first+m, atX.first+m)
	}
	exceed(both, atY.first+k, atX.first+k, s.step[k])
	notBefore := make(lattice.Row, both.Columns()+1)
	notBefore[atX.first+k+1], notBefore[atY.first+k+1] = int64(s.step[k+1]), -int64(s.step[k+1])
	both.Add(notBefore)
	return !both.Empty()
}

// Covers reports whether every cell that r reads is written by w in the same iteration of the outermost
// loops that both nests share; the parameter same is their number.
func Covers(w, r Occurrence, same int) bool {
	if len(w.Subs) != len(r.Subs) {
		return false
	}
	depth := max(w.Nest.Depth(), r.Nest.Depth())
	cells := func(o Occurrence) (*lattice.System, bool) { // columns: parameters, shared loops, cell, iteration
		s := newSpace(o.Nest)
		cell := s.params + same
		first := cell + len(o.Subs)
		iteration := point{lattice.New(first + depth), first}
		for _, c := range s.constraints {
			iteration.add(c)
		}
		for k := range same {
			equate(iteration.sys, s.params+k, first+k)
		}
		iteration.reach(o.Subs, cell)
		return iteration.sys.Project(func(column int) bool { return column < first })
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
