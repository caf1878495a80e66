package frontend

import (
	"slices"

	"loopc/ir"
)

// Sums over several loops. A cell that is collected in two loops or more which none of its subscripts has is read where the
// iteration before has left it: one iteration of the innermost of these loops before or, at its first one, at the end of the
// row before, which is at another distance. Repeats of all but the last of these loops leave one distance:
//
//	for l = 1..L, y = 1..H, x = 1..W { n[l] += a[l,y,x] }
//	  =>
//	repeat y = 1..H { for l = 1..L, x = 1..W { n[l] += a[l,y,x] } }
//
// This is legal if the iterations of the loops around the first of them do not depend on one another: every access has them
// in the same subscripts. Each cell then is updated with the same values in the same order.

// collects reports whether a leaf writes a cell of which two loops or more that are no repeats, the outermost of which begin
// at outer, are no subscripts.
func (f *fission) collects(l *part, outer int) bool {
	return f.idleLoop(l, outer) >= 0
}

// idleLoop is the first of the loops that collects means; -1 if there are none.
func (f *fission) idleLoop(l *part, outer int) int {
	for _, w := range f.accesses[l.order] {
		if !w.writes {
			continue
		}
		first, idle := -1, 0
		for k := outer; k < len(l.path); k++ {
			if !slices.ContainsFunc(w.Subs, func(s ir.Affine) bool { return s.Iter(k) != 0 }) {
				if idle++; first < 0 {
					first = k
				}
			}
		}
		if idle > 1 {
			return first
		}
	}
	return -1
}

// outward returns the repeat of a set of leaves with the same loops, of which one is moved outward as above; nil if there is
// none, or it cannot be moved, or the set is no nest then. The first outer loops are repeats already.
func (f *fission) outward(set []*part, outer int) *stage {
	path := set[0].path
	at := slices.IndexFunc(set, func(l *part) bool { return f.collects(l, outer) })
	if f.faulty || at < 0 || !oneNest(set) {
		return nil
	}
	k := f.idleLoop(set[at], outer)
	if k == outer || !f.independent(set, outer, k) || !f.refused(set, outer) {
		return nil
	}
	loops := slices.Concat(path[:outer], path[k:k+1], path[outer:k], path[k+1:])
	leaves := make([]*part, len(set))
	for n, l := range set {
		leaves[n] = &part{st: l.st, order: l.order, path: loops, of: l.own()}
	}
	if f.refused(leaves, outer+1) {
		return nil
	}
	inner := &stage{leaves: leaves, path: loops, outer: outer + 1}
	return &stage{loop: loops[outer], outer: outer, inner: []*stage{inner}}
}

// independent reports whether loop k can be moved outward, before the loop outer: the iterations of the loops between do not
// depend on one another, nor the range of loop k on them, and no scalar of the set would be stored for other loops.
func (f *fission) independent(set []*part, outer, k int) bool {
	var all []touch
	for _, l := range set {
		for _, t := range l.st.tokens {
			s := f.scalarAt(l, t)
			if s != nil && s.copied == nil && len(s.decl.path) > k && slices.ContainsFunc(s.users, func(u *part) bool { return !slices.Contains(set, u) }) {
				return false
			}
		}
		all = append(all, f.accesses[l.order]...)
	}
	nest := all[0].Nest
	for j := outer; j < k; j++ {
		if slices.ContainsFunc(slices.Concat(nest.Loops[k].Lo, nest.Loops[k].Hi), func(a ir.Affine) bool { return a.Iter(j) != 0 }) {
			return false
		}
	}
	for _, x := range all {
		for _, y := range all {
			if (x.writes || y.writes) && x.Nest.Arrays[x.Array].Name == y.Nest.Arrays[y.Array].Name && !inStep(x, y, outer, k) {
				return false
			}
		}
	}
	return true
}

// inStep reports whether two accesses of an array meet in the same iterations of the loops first to last-1 only: each of these
// loops is a subscript of both, at the same place.
func inStep(x, y touch, first, last int) bool {
	if len(x.Subs) != len(y.Subs) {
		return false
	}
	for k := first; k < last; k++ {
		met := false
		for d, sub := range x.Subs {
			met = met || sub.Iter(k) != 0 && !shortOf(sub, k).HasIters() && sub.Equal(y.Subs[d])
		}
		if !met {
			return false
		}
	}
	return true
}
