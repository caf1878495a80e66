package depend

import (
	"fmt"
	"slices"

	"loopc/ir"
)

// guardedLike is the way to read a cell, whose subscript of dimension d may be beyond the bounds, under the condition under which
// the nest reads another cell with this subscript; nil if it reads no such cell.
func (a *analyzer) guardedLike(array, d int, subs []ir.Affine, above bool) []way {
	loop, ok := index(subs[d])
	if !ok || loop < 0 {
		return nil
	}
	for _, s := range a.nest.Assigns(array) {
		if writes := a.writing(s).subs; same(writes[d], subs[d]) {
			return nil // the write itself is beyond the bounds
		}
	}
	for id, r := range a.nest.Reads {
		if r.Array == array && slices.EqualFunc(r.Subs, subs, same) {
			continue // it is the cell itself
		}
		for e, sub := range r.Subs {
			if !same(sub, subs[d]) || !a.staysWithin(a.reading(id), e) || !a.leavesUnder(a.reading(id), e, always) {
				continue // it needs no condition
			}
			name, by := a.nest.Loops[loop].Name, subs[d].Const
			condition := name + " > " + AffineText(a.nest, plusConst(a.nest.Arrays[array].Lo[d], -by-1), nil)
			if above {
				condition = name + " < " + AffineText(a.nest, plusConst(a.nest.Arrays[array].Hi[d], -by+1), nil)
			}
			return []way{{fmt.Sprintf("select(%s, %s, 0)", condition, a.text(array, subs)), "as " + a.text(r.Array, r.Subs) + " is read"}}
		}
	}
	return nil
}
