package depend

import (
	"fmt"
	"slices"
	"strings"

	"loopc/ir"
)

// rims are the statements of a nest that write and read only cells with which the innermost loop does not move, such as those of the rim of
// a row that another statement writes, if some of them read what that one writes: they belong behind an inner for of the row. row is
// that statement. There are none if every statement moves.
func (a *analyzer) rims() (rims []int, row int) {
	inner := len(a.nest.Loops) - 1
	moves := func(subs []ir.Affine) bool {
		return slices.ContainsFunc(subs, func(x ir.Affine) bool { return x.Iter(inner) != 0 })
	}
	row = -1
	for s, st := range a.nest.Body {
		if _, ok := st.(*ir.Assign); !ok || inner < 1 || moves(a.writing(s).subs) || readsIn(st, func(r *ir.Read) bool { return moves(r.Subs) }) {
			continue
		}
		from := -1 // a statement that moves and writes what this one reads
		for w, other := range a.nest.Body {
			if x, ok := other.(*ir.Assign); ok && from < 0 && moves(x.Subs) && readsIn(st, func(r *ir.Read) bool { return r.Array == x.Array }) {
				from = w
			}
		}
		if row < 0 {
			row = from
		}
		if from >= 0 || slices.ContainsFunc(a.writing(s).subs, ir.Affine.HasIters) {
			rims = append(rims, s)
		}
	}
	if row < 0 {
		return nil, row
	}
	return rims, row
}

// behindInner returns the advice to put the rims of a nest behind an inner for, if one of two statements is one of them; "" for others.
func (a *analyzer) behindInner(x, w int) string {
	rims, row := a.rims()
	if !slices.Contains(rims, x) && !slices.Contains(rims, w) {
		return ""
	}
	var cells, statements []string
	for _, s := range rims {
		own := a.writing(s)
		cell := a.text(own.array, own.subs)
		cells, statements = append(cells, cell), append(statements, cell+" = ...")
	}
	loops, inner, moving := a.nest.Loops, len(a.nest.Loops)-1, a.writing(row)
	head := func(k int) string {
		l := &loops[k]
		lo, hi := AffineText(a.nest, l.Lo[0], loopNames(a.nest)), AffineText(a.nest, l.Hi[0], loopNames(a.nest))
		if l.Backward {
			return l.Name + " = " + hi + ".." + lo + " step -1"
		}
		return l.Name + " = " + lo + ".." + hi
	}
	var outer []string
	for k := range inner {
		outer = append(outer, head(k))
	}
	return fmt.Sprintf("a for in a for, with %s behind the inner one: for %s { for %s { %s = ... } %s }",
		listed(cells), strings.Join(outer, ", "), head(inner), a.text(moving.array, moving.subs), strings.Join(statements, "; "))
}
