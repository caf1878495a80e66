package frontend

import (
	"fmt"

	"loopc/ir"
	"loopc/ir/diag"
)

// otherSlice warns of an out slice whose fixed subscript is the upper bound of another dimension, which the slice has whole:
// most likely, the two dimensions are exchanged.
func otherSlice(arr *ir.Array) *diag.Diagnostic {
	equal := func(f, g ir.Affine) bool {
		width := max(len(f.Params), len(g.Params))
		for k := range width {
			if f.Param(k) != g.Param(k) {
				return false
			}
		}
		return f.Const == g.Const && width > 0
	}
	for d, at := range arr.Out {
		if at == nil || equal(*at, arr.Hi[d]) || equal(*at, arr.Lo[d]) {
			continue
		}
		for e := range arr.Out {
			if arr.Out[e] == nil && equal(*at, arr.Hi[e]) {
				return &diag.Diagnostic{
					Severity: diag.Warning, Code: diag.Dimensions, At: arr.OutSpan,
					Message: fmt.Sprintf("the slice is at the last subscript of dimension %d, but in dimension %d", e+1, d+1),
				}
			}
		}
	}
	return nil
}
