package depend

import (
	"slices"

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

// A Comparer compares accesses by nests. It keeps what it knows of a nest, whose loops and parameters must not change meanwhile.
type Comparer struct{ spaces map[*ir.Nest]*space }

// space returns the space of a nest.
func (c *Comparer) space(n *ir.Nest) *space {
	if c.spaces == nil {
		c.spaces = map[*ir.Nest]*space{}
	}
	if c.spaces[n] == nil {
		c.spaces[n] = newSpace(n)
	}
	return c.spaces[n]
}

// apart reports whether some subscripts of x and y are different numbers.
func apart(x, y Occurrence) bool {
	number := func(f ir.Affine) bool {
		nonzero := func(k int) bool { return k != 0 }
		return !slices.ContainsFunc(f.Iters, nonzero) && !slices.ContainsFunc(f.Params, nonzero)
	}
	for d, sub := range x.Subs {
		if other := y.Subs[d]; number(sub) && number(other) && sub.Const != other.Const {
			return true
		}
	}
	return false
}

// Precedes reports whether x may access a cell before y accesses it. The nests share their outermost loops: the
// parameter common is the number of these, and the outermost same of them are in the same iteration for x and y.
// textual tells that x stands before y in the innermost shared loop.
func (c *Comparer) Precedes(x, y Occurrence, same, common int, textual bool) bool {
	within := x.Nest.Arrays[x.Array].Boundary == nil && len(x.Subs) == len(y.Subs) // else the cell may be another one
	if within && apart(x, y) {
		return false
	}
	sx, sy := c.space(x.Nest), c.space(y.Nest)
	base := lattice.New(sx.params + sx.depth + sy.depth)
	atX, atY := sx.in(base), point{base, sx.params + sx.depth}
	for _, f := range slices.Concat(sx.assumed, sx.constraints) {
		atX.add(f)
	}
	for _, f := range sy.constraints {
		atY.add(f)
	}
	if within {
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
func (c *Comparer) Crosses(x, y Occurrence, k int) bool {
	s := c.space(x.Nest)
	both := lattice.New(s.params + 2*s.depth)
	atX, atY := s.in(both), point{both, s.params + s.depth}
	for _, f := range slices.Concat(s.assumed, s.constraints) {
		atX.add(f)
	}
	for _, f := range s.constraints {
		atY.add(f)
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
func (c *Comparer) Covers(w, r Occurrence, same int) bool {
	if len(w.Subs) != len(r.Subs) {
		return false
	}
	depth := max(w.Nest.Depth(), r.Nest.Depth())
	cells := func(o Occurrence) (*lattice.System, bool) { // columns: parameters, shared loops, cell, iteration
		s := c.space(o.Nest)
		cell := s.params + same
		first := cell + len(o.Subs)
		iteration := point{lattice.New(first + depth), first}
		for _, f := range s.constraints {
			iteration.add(f)
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
