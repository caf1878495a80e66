package transform

import (
	"slices"

	"loopc/ir"
	"loopc/transform/plan"
)

// keepsWhole reports whether levels of a nest are to be kept whole: some level needs
// one before it, the iterations of a row are free of one another, so that lanes lie along
// rows, which want to be long, and cells outside the space have their initial content.
func keepsWhole(n *ir.Nest, l *ir.Lowered, p *plan.Nest) bool {
	for v := range p.Values {
		if len(p.Values[v].Fallbacks) > 0 {
			return false
		}
	}
	for k := range l.Reads {
		if !l.Abreast(n, k) {
			return false
		}
	}
	for _, a := range p.Arrays {
		if a.Edges != nil {
			return false
		}
	}
	return p.Margin()[0] > 0
}

// inPlace reports whether locations that are the longest flow distances c apart may take
// the place of one another: they are the same cell, and no statement reads what another
// one above it has replaced. Location p replaces p - c; the iteration at p - c + d, d a
// distance of a read, has read that before, unless it is in the row of p: then columns
// are computed together, statement by statement.
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
