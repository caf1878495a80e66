package frontend

import (
	"slices"

	"loopc/frontend/depend"
	"loopc/ir"
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
	collects := func(l *part) bool { return f.collects(l, outer) }
	if f.faulty || len(path) < outer+2 || !f.broadcasts(set, outer) && !slices.ContainsFunc(set, collects) || !f.refused(set, outer) || f.outward(set, outer) != nil {
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
		f.repeats = append(slices.Clone(f.repeats), repeatName{&nameSyntax{Name: b.name}, true, nil})
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
	return !depend.Uniform(c.nest)
}

// tied ties the declaration and all uses of a scalar together if the array of the scalar would have a dimension for a loop
// that is, or can be, a repeat: a set with a use of it becomes a repeat of the loop; or several nests have uses of it, and the
// loop overwrites what it computes. Then before says that the uses depend on one another. It reports whether it has tied any.
func (f *fission) tied(leaves []*part, before [][]bool, sets [][]*part, outer int) bool {
	nest, repeated := map[*part]int{}, map[*part]bool{}
	for k, set := range sets {
		one := f.together(set, outer)
		joined := k > 0 && one && !repeated[sets[k-1][0]] && f.joins(sets[k-1][0].path, set[0].path)
		for _, l := range set {
			repeated[l], nest[l] = !one, k
			if joined {
				nest[l] = nest[sets[k-1][0]]
			}
		}
	}
	tied := false
	for _, s := range f.scalars {
		declared := slices.Index(leaves, s.decl)
		if declared < 0 || len(s.decl.path) <= outer {
			continue
		}
		loop := s.decl.path[outer]
		inRepeat := func(l *part) bool { return repeated[l] && l.path[outer] == loop }
		elsewhere := func(l *part) bool { return nest[l] != nest[s.decl] }
		if !slices.ContainsFunc(s.users, inRepeat) && (f.fine || !slices.ContainsFunc(s.users, elsewhere) || !f.overwrites(loop, outer)) {
			continue
		}
		for _, user := range s.users {
			if b := slices.Index(leaves, user); b >= 0 && b != declared && !(before[declared][b] && before[b][declared]) {
				before[declared][b], before[b][declared], tied = true, true, true
			}
		}
	}
	return tied
}

// joins reports whether successive leaves in the loops of two paths are in one nest, if no loop of them becomes a repeat.
func (f *fission) joins(a, b []*branch) bool { return !f.fine && slices.Equal(a, b) }

// overwrites reports whether each iteration of a loop, the one after the first outer ones, writes the cells of the one before,
// as one of time does: no cell that is written has the loop in a subscript. Then a dimension for this loop would make an array
// larger than all results. It returns false for a loop with a step other than -1, which a repeat cannot have.
func (f *fission) overwrites(loop *branch, outer int) bool {
	step := slices.IndexFunc(loop.tokens, func(t token) bool { return t.named("step") })
	if f.faulty || step >= 0 && lineOf(loop.tokens[step:], maxTokens) != "step -1" {
		return false
	}
	writes := false
	for _, l := range f.tree.leaves {
		if len(l.path) <= outer || l.path[outer] != loop || !f.assigns(l) {
			continue
		}
		for _, w := range f.accesses[l.order] {
			writes = writes || w.writes
			if w.writes && slices.ContainsFunc(w.Subs, func(s ir.Affine) bool { return s.Iter(outer) != 0 }) {
				return false
			}
		}
	}
	return writes
}
