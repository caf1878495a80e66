package codegen

import (
	"fmt"

	"loopc/ir"
)

// beyond reports whether read r may be beyond a boundary of its array, so that the
// cell is not simply where the subscripts say.
func (g *generator) beyond(r *ir.Read) bool {
	return r.ID >= 0 && g.n.Analysis != nil && g.n.Analysis.Reads[r.ID].Beyond
}

// bounded prints subscript x of dimension d of an array as the index that is read
// for it.
func (g *generator) bounded(array, d int, x string) string {
	arr := &g.n.Arrays[array]
	for side, edge := range arr.Edges[d] {
		if edge != ir.NoEdge {
			lo, hi := affine(arr.Lo[d], nil, g.params), affine(arr.Hi[d], nil, g.params)
			x = fmt.Sprintf("arith.%s%s(%s, %s, %s)", exported(edge.String()), [...]string{"Below", "Above"}[side], x, lo, hi)
		}
	}
	return x
}
