package codegen

import (
	"fmt"

	"loopc/ir"
	"loopc/runtime/boundary"
)

// beyond reports whether read r may be beyond a bound of its array, so that its boundary
// decides which cell is read, or its guard whether one is read at all. The cell must be computed only
// where the read is evaluated: elsewhere there may be no such cell.
func (g *generator) beyond(r *ir.Read) bool {
	return r.ID >= 0 && g.n.Analysis != nil && g.n.Analysis.Reads[r.ID].Beyond
}

// bounded returns the text of the index that subscript x along dimension d of an array stands for, given the
// array's boundary.
func (g *generator) bounded(array, d int, x string) string {
	arr := &g.n.Arrays[array]
	if arr.Boundary == nil {
		return x
	}
	for side, kind := range arr.Boundary[d] {
		if kind != boundary.None {
			lo, hi := affine(arr.Lo[d], nil, g.params), affine(arr.Hi[d], nil, g.params)
			x = fmt.Sprintf("%#v.%s(%s, %s, %s)", kind, [...]string{"Below", "Above"}[side], x, lo, hi)
		}
	}
	return x
}
