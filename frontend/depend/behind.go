package depend

import (
	"fmt"
	"slices"
	"strings"

	"loopc/ir"
)

// behindInner returns advice for an array in which one statement writes a row, and others cells of the row's rim, where only
// the outer loops move: they belong behind an inner for of the row. It is "" if there are none.
func (a *analyzer) behindInner(array int) string {
	writers, loops := a.nest.Assigns(array), a.nest.Loops
	inner := len(loops) - 1
	moves := func(s int) bool {
		return slices.ContainsFunc(a.writing(s).subs, func(x ir.Affine) bool { return x.Iter(inner) != 0 })
	}
	again := func(r *ir.Read) bool { return r.Array == array } // else its value is that of an init
	row := slices.IndexFunc(writers, moves)
	var rims, statements []string
	reads := false
	for _, s := range writers {
		if x := a.writing(s).subs; !moves(s) && slices.ContainsFunc(x, ir.Affine.HasIters) {
			cell := a.text(array, x)
			rims, statements = append(rims, cell), append(statements, cell+" = ...")
			reads = reads || readsIn(a.nest.Body[s], again)
		}
	}
	if inner < 1 || row < 0 || !reads {
		return ""
	}
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
		listed(rims), strings.Join(outer, ", "), head(inner), a.text(array, a.writing(writers[row]).subs), strings.Join(statements, "; "))
}
