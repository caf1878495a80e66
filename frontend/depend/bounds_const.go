package depend

import (
	"fmt"
	"slices"

	"loopc/ir"
	"loopc/ir/diag"
	"loopc/ir/lattice"
)

// Cells of constant arrays at subscripts that are certainly beyond the bounds. Others are found out as the nest runs.

// checkConstants reports cells of constant arrays that statements read at a sum of loops and parameters that is beyond the bounds in
// some iteration, whatever the parameters. Conditions around such a cell must be comparisons of such sums: where they hold, the cell
// is certainly read. It also finds the cells that are within the bounds.
func (a *analyzer) checkConstants() {
	a.nest.FindInside()
	told := map[diag.Span]bool{}
	a.eachCertain(func(s ir.Stmt, e ir.Expr, piece []ir.Constraint) {
		cell, ok := e.(*ir.ConstCell)
		if _, assigned := s.(*ir.Assign); ok && assigned && !told[cell.At] {
			told[cell.At] = a.checkConstant(cell, piece)
		}
	})
}

// eachCertain calls f for the operands that evaluated finds in the statements, with each piece of the conditions where they are
// certainly evaluated.
func (a *analyzer) eachCertain(f func(s ir.Stmt, e ir.Expr, piece []ir.Constraint)) {
	under := func(c certain, cond ir.Expr, value bool) certain {
		exact, known := exactly(a.nest.Body, cond, value)
		return certain{c.where.and(exact), c.known && known && len(c.where)*len(exact) <= maxPieces}
	}
	for _, s := range a.nest.Body {
		evaluated(ir.Value(s), certain{always, true}, under, func(e ir.Expr, c certain) {
			for _, piece := range c.where {
				if c.known && len(piece) < maxForms {
					f(s, e, piece)
				}
			}
		})
	}
}

// certain is where an expression is evaluated; known says that it is certainly evaluated there.
type certain struct {
	where guard
	known bool
}

// exactly returns where a condition has the given value; ok is false if the guard that it returns may hold elsewhere, too.
func exactly(body []ir.Stmt, e ir.Expr, value bool) (g guard, ok bool) {
	c := &conditions{body: body, left: maxConditions}
	e = c.followed(e)
	switch x := e.(type) {
	case *ir.Unary:
		if x.Op == ir.Not {
			return exactly(body, x.X, !value)
		}
	case *ir.Binary:
		if x.Op == ir.And || x.Op == ir.Or {
			g, ok := exactly(body, x.X, value)
			h, also := exactly(body, x.Y, value)
			if (x.Op == ir.And) == value {
				return g.and(h), ok && also && len(g)*len(h) <= maxPieces
			}
			return g.or(h), ok && also && len(g)+len(h) <= maxPieces
		}
		f, ok := c.affine(x.X)
		g, also := c.affine(x.Y)
		if ok && also {
			return comparedWithZero(x.Op, value, minus(f, g)), true
		}
	}
	return always, false
}

// checkConstant reports one cell of a constant array that is read where all inequalities of a piece hold. It returns false if the
// cell is not certainly beyond the bounds.
func (a *analyzer) checkConstant(cell *ir.ConstCell, piece []ir.Constraint) bool {
	inside, of := a.space.iterations(0), cell.Of
	for d, e := range cell.Subs {
		sub, ok := (&conditions{body: a.nest.Body, left: maxConditions}).affine(e)
		if !ok {
			continue
		}
		lo, hi := ir.Affine{Const: of.Lo[d]}, ir.Affine{Const: of.Hi[d]}
		for side, beyond := range []ir.Affine{minus(lo, sub), minus(sub, hi)} {
			where := a.restricted(inside, append([]ir.Constraint{plusConst(beyond, -1)}, piece...))
			if where.Empty() || !a.certainly(where, inside, len(piece) == 0) {
				continue
			}
			hint := ""
			if len(piece) == 0 { // else the loop may be right, and the condition wrong
				hint = a.loopWithin(sub, of.Lo[d], of.Hi[d])
			}
			way := []string{"falls below the lower", "exceeds the upper"}[side]
			a.diags = append(a.diags, diag.Diagnostic{
				Code: diag.OutOfBounds, At: cell.At, Kind: diag.Advice, Hint: hint,
				Message: fmt.Sprintf("subscript %s of %s %s bound %d of dimension %d in some iterations",
					AffineText(a.nest, sub, loopNames(a.nest)), of.Name, way, []int{of.Lo[d], of.Hi[d]}[side], d+1),
				Notes: []diag.Note{{At: of.Span, Message: of.Name + " is declared here"}},
			})
			return true
		}
	}
	return false
}

// certainly reports whether the set where has points whenever the set whole has; rationals will do if there is no condition.
func (a *analyzer) certainly(where, whole *lattice.System, rational bool) bool {
	if rational {
		_, certain, never := a.failing(where, whole)
		return certain && !never
	}
	_, always := a.always(where, whole)
	return always
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
