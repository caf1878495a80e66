package frontend

import (
	"fmt"
	"slices"
	"strings"

	"loopc/frontend/depend"
	"loopc/ir"
	"loopc/ir/diag"
)

// otherSlice warns of an out slice whose fixed subscript is the upper bound of another dimension, which the slice has whole:
// most likely, the two dimensions are exchanged.
func otherSlice(n *ir.Nest, arr *ir.Array) *diag.Diagnostic {
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
				last := func(m int) string { // with the last subscript in dimension m alone
					subs := slices.Repeat([]string{"*"}, len(arr.Out))
					subs[m] = depend.AffineText(n, arr.Hi[m], nil)
					return fmt.Sprintf("%s[%s]", arr.Name, strings.Join(subs, ", "))
				}
				return &diag.Diagnostic{
					Severity: diag.Warning, Code: diag.Dimensions, At: arr.OutSpan,
					Message: fmt.Sprintf("the slice is at the last subscript of dimension %d, but in dimension %d", e+1, d+1),
					Hint:    depend.OneOf + last(d) + depend.Or + last(e), Kind: diag.Advice,
				}
			}
		}
	}
	return nil
}
