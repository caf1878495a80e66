package depend

import (
	"fmt"
	"slices"

	"loopc/ir"
)

// ownCell finds an access x of one cell per number of a repeat, such as A[k,k], that write w, such as A[i,k], writes in the first or
// last iteration of a loop only, unless the read has a guard. It returns where, for the message, and the loop without that iteration, if
// the nest is right then, or with it last; both are "" for others.
func (a *analyzer) ownCell(x, w access) (where, hint string) {
	if a.trial || x.read < 0 || x.array != w.array || len(x.subs) != len(w.subs) || !a.guards[x.read].unconditional() {
		return "", "" // a guard decides where both are one cell
	}
	at := slices.IndexFunc(w.subs, ir.Affine.HasIters)
	for d := range w.subs {
		if d != at && !same(x.subs[d], w.subs[d]) {
			return "", ""
		}
	}
	if at < 0 || x.subs[at].HasIters() || !slices.ContainsFunc(a.nest.Numbers, func(n ir.Number) bool { return x.subs[at].Param(n.Param) != 0 }) {
		return "", ""
	}
	loop, ok := index(w.subs[at])
	if !ok || loop < 0 || !a.plain(loop) {
		return "", ""
	}
	n := *a.nest
	n.Loops = slices.Clone(n.Loops)
	l := &n.Loops[loop]
	value := minus(x.subs[at], minus(w.subs[at], iterator(loop, a.space.depth))) // of the loop, where both are one cell
	value.Iters = nil
	switch {
	case same(l.Lo[0], value):
		l.Lo = []ir.Affine{plusConst(value, 1)}
	case same(l.Hi[0], value):
		l.Hi = []ir.Affine{plusConst(value, -1)}
	default:
		return "", ""
	}
	if !right(&n, x.array) {
		return "", ""
	}
	there := l.Name + " = " + AffineText(a.nest, value, nil)
	ways := []way{{fmt.Sprintf("the loop %s = %s", l.Name, a.way(l, l.Lo[0], l.Hi[0])), "leaving out " + there}}
	l.Lo, l.Hi, l.Backward = a.nest.Loops[loop].Lo, a.nest.Loops[loop].Hi, !l.Backward
	if right(&n, x.array) {
		ways = append(ways, way{fmt.Sprintf("the loop %s = %s", l.Name, a.way(l, l.Lo[0], l.Hi[0])), "with " + there + " last"})
	}
	return fmt.Sprintf(": at %s, %s is %s itself", there, a.text(w.array, w.subs), a.text(x.array, x.subs)), oneOf(ways)
}
