package codegen

import (
	"fmt"

	"loopc/ir"
	"loopc/runtime/boundary"
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
	for side, kind := range arr.Boundary[d] {
		if kind != boundary.None {
			lo, hi := affine(arr.Lo[d], nil, g.params), affine(arr.Hi[d], nil, g.params)
			x = fmt.Sprintf("%#v.%s(%s, %s, %s)", kind, [...]string{"Below", "Above"}[side], x, lo, hi)
		}
	}
	return x
}
