package transform

import (
	"slices"

	"loopc/ir"
	"loopc/transform/plan"
)

// keepsWhole reports whether the nest uses skewed storage, which keeps whole levels:
// some level needs an earlier one, the iterations of a row are independent of one
// another, so that lanes can lie along long rows, and exterior cells have their initial
// content.
func keepsWhole(n *ir.Nest, l *ir.Lowered, p *plan.Nest) bool {
	for k := range l.Reads {
		if !l.Abreast(n, k) {
			return false
		}
	}
	return p.InitialOnly() && p.Margin()[0] > 0
}

// inPlace reports whether locations that are the longest flow distances c apart may
// share a place: they are the same cell, and no statement reads a cell that a previous
// statement has replaced. Location p replaces p - c. Iteration p - c + d, where d is a
// distance of a read, has read that location before, unless the iteration is in the row
// of p; then columns are computed together, statement by statement.
func inPlace(n *ir.Nest, l *ir.Lowered, p *plan.Nest) bool {
	c := p.Margin()
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
	last := len(c) - 1
	for k, r := range l.Reads {
		if r.From == ir.FromBlock && slices.Equal([]int(r.Dist[:last]), c[:last]) && n.ReadStmt[k] > l.Values[r.Value] {
			return false
		}
	}
	return true
}
