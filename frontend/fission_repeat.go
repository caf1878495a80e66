package frontend

import (
	"slices"

	"loopc/frontend/depend"
	"loopc/ir/diag"
)

// Statements with the same loops may be refused as one nest. If the outermost of these loops
// becomes a repeat, its variable is a parameter of the nest, and reads of the nest's own results by
// broadcast no longer have a distance that varies.

// together reports whether leaves are one nest: they have the same loops, and no loop has to become
// a repeat besides the outermost ones, which are repeats already: outer is their number.
func (f *fission) together(set []*part, outer int) bool {
	return oneNest(set) && !f.repeated(set, outer)
}

// repeated reports whether leaves with the same loops are refused as one nest, and accepted if one or several more of
// their loops become repeats.
func (f *fission) repeated(set []*part, outer int) bool {
	path := set[0].path
	if f.faulty || len(path) < outer+2 || !f.broadcasts(set, outer) || !f.refused(set, outer) {
		return false
	}
	for outer++; outer < len(path); outer++ {
		if !f.refused(set, outer) {
			return true
		}
	}
	return false
}

// broadcasts reports whether leaves read or write cells of one array whose subscripts differ by more than constants, in
// loops that are no repeats, one of them at least writing.
func (f *fission) broadcasts(set []*part, outer int) bool {
	var all []touch
	for _, l := range set {
		all = append(all, f.accesses[l.order]...)
	}
	for k, x := range all {
		for _, y := range all[:k] {
			if (x.writes || y.writes) && x.Nest.Arrays[x.Array].Name == y.Nest.Arrays[y.Array].Name && !alike(x, y, outer) {
				return true
			}
		}
	}
	return false
}

// alike reports whether the subscripts of two accesses have the same loops, other than the outermost ones.
func alike(x, y touch, outer int) bool {
	if len(x.Subs) != len(y.Subs) {
		return false
	}
	for d := range x.Subs {
		for k := outer; k < max(len(x.Subs[d].Iters), len(y.Subs[d].Iters)); k++ {
			if x.Subs[d].Iter(k) != y.Subs[d].Iter(k) {
				return false
			}
		}
	}
	return true
}

// refused reports whether leaves with the same loops are no nest, because distances vary or for another mistake, when
// their first outer loops are repeats.
func (f *fission) refused(set []*part, outer int) bool {
	path, around := set[0].path, f.repeats
	defer func() { f.repeats = around }()
	for _, b := range path[:outer] {
		f.repeats = append(slices.Clone(f.repeats), repeatName{&nameSyntax{Name: b.name}, true})
	}
	var cells []*part
	for _, l := range f.withCopies(set) {
		cells = append(cells, f.asCells(l, nil))
	}
	c := f.checkNest(set[0].st.first(), path[outer:], cells, false)
	if diag.HasErrors(c.diags) {
		return true
	}
	c.finish()
	if diag.HasErrors(c.diags) {
		return true
	}
	_, diags := depend.Analyze(c.nest)
	return slices.ContainsFunc(diags, func(d diag.Diagnostic) bool { return d.Code == diag.NonUniform })
}
