package depend

import (
	"fmt"
	"slices"

	"loopc/ir"
	"loopc/ir/diag"
)

// Cells of constant arrays at subscripts that are certainly beyond the bounds. Others are found out as the nest runs.

// checkConstants reports cells of constant arrays that statements read under no condition, at a sum of loops and parameters that
// is beyond the bounds in some iteration, whatever the parameters.
func (a *analyzer) checkConstants() {
	told := map[diag.Span]bool{}
	for _, s := range a.nest.Body {
		w, ok := s.(*ir.Assign)
		if !ok {
			continue
		}
		evaluated(w.Expr, false, func(bool, ir.Expr, bool) bool { return true }, func(e ir.Expr, conditional bool) {
			if cell, ok := e.(*ir.ConstCell); ok && !conditional && !told[cell.At] {
				told[cell.At] = a.checkConstant(cell)
			}
		})
	}
}

// checkConstant reports one cell of a constant array. It returns false if the cell is not certainly beyond the bounds.
func (a *analyzer) checkConstant(cell *ir.ConstCell) bool {
	inside, of := a.space.iterations(0), cell.Of
	for d, e := range cell.Subs {
		sub, ok := (&conditions{body: a.nest.Body, left: maxConditions}).affine(e)
		if !ok {
			continue
		}
		lo, hi := ir.Affine{Const: of.Lo[d]}, ir.Affine{Const: of.Hi[d]}
		for side, beyond := range []ir.Affine{minus(lo, sub), minus(sub, hi)} {
			where := a.restricted(inside, []ir.Constraint{plusConst(beyond, -1)})
			if where.Empty() {
				continue
			}
			if _, certain, never := a.failing(where, inside); never || !certain {
				continue
			}
			way := []string{"falls below the lower", "exceeds the upper"}[side]
			a.diags = append(a.diags, diag.Diagnostic{
				Code: diag.OutOfBounds, At: cell.At, Kind: diag.Advice, Hint: a.loopWithin(sub, of.Lo[d], of.Hi[d]),
				Message: fmt.Sprintf("subscript %s of %s %s bound %d of dimension %d in some iterations",
					AffineText(a.nest, sub, loopNames(a.nest)), of.Name, way, []int{of.Lo[d], of.Hi[d]}[side], d+1),
				Notes: []diag.Note{{At: of.Span, Message: of.Name + " is declared here"}},
			})
			return true
		}
	}
	return false
}

// loopWithin is the hint for the loop of a subscript with constant ends, such that the subscript goes from lo to hi at most; "" for
// other subscripts.
func (a *analyzer) loopWithin(sub ir.Affine, lo, hi int) string {
	loop, ok := index(sub)
	if !ok || loop < 0 || !a.plain(loop) {
		return ""
	}
	l := a.nest.Loops[loop]
	if first, last := l.Lo[0], l.Hi[0]; !slices.ContainsFunc(slices.Concat(first.Params, last.Params), func(x int) bool { return x != 0 }) {
		from, to := ir.Affine{Const: max(first.Const, lo-sub.Const)}, ir.Affine{Const: min(last.Const, hi-sub.Const)}
		if from.Const <= to.Const {
			return fmt.Sprintf("the loop %s = %s", l.Name, a.way(&l, from, to))
		}
	}
	return ""
}
