package transform

import (
	"slices"

	"loopc/ir"
	"loopc/transform/plan"
)

// keepsWhole reports whether the nest uses skewed storage, which keeps complete levels. Some level
// must need an earlier one, exterior cells must have their initial content, and the iterations of a
// row must be executable statement by statement, so that lanes can lie along long rows.
func keepsWhole(n *ir.Nest, l *ir.Lowered, p *plan.Nest) bool {
	for k := range l.Reads {
		if !l.Abreast(n, k) {
			return false
		}
	}
	return p.InitialOnly() && p.HaloWidth()[0] > 0
}

// inPlace reports whether location p may overwrite location p - c, where c are the longest flow
// distances: p - c must have been read before. Its readers are the iterations p - c + d, where d is
// the distance of a read. They run before p, unless they lie in the row of p. The iterations of a row
// run statement by statement, so in that row the reading statement must not come after the one that
// overwrites. Exterior cells are filled before the iterations of their level, so either p and p - c
// are the same cell of the array, or no reader but p itself lies in the level of p.
func inPlace(n *ir.Nest, l *ir.Lowered, p *plan.Nest) bool {
	c := p.HaloWidth()
	if !sameCells(p, c) && !replacesItself(p, c) {
		return false
	}
	last := len(c) - 1
	for k, r := range l.Reads {
		if r.From == ir.FromBlock && slices.Equal([]int(r.Dist[:last]), c[:last]) && n.ReadStmt[k] > l.Values[r.Value] {
			return false
		}
	}
	return true
}

// sameCells reports whether iterations p and p - c write the same cells of all arrays.
func sameCells(p *plan.Nest, c []int) bool {
	for v := range p.Values {
		for _, cell := range p.Values[v].Cell {
			moved := 0
			for x, k := range cell.Iters {
				moved += k * c[x]
			}
			if moved != 0 {
				return false
			}
		}
	}
	return true
}

// replacesItself reports whether only iteration p reads the level of p - c in the level of p, and
// both have the same indices of the user's inner loops: as in a wave equation, whose newest level
// takes the place of the oldest.
func replacesItself(p *plan.Nest, c []int) bool {
	for x, row := range p.Skew[1:] {
		if c[x+1] != row[0]*c[0] {
			return false
		}
	}
	for _, d := range p.Distances() {
		if d[0] == c[0] && !slices.Equal(d, c) {
			return false
		}
	}
	return true
}
