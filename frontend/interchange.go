package frontend

import (
	"slices"
	"strings"

	"loopc/frontend/depend"
	"loopc/ir"
)

// Loop interchange. A dynamic program or a solver often collects a cell in its innermost loop from cells at distances that
// vary, so that the loop outside of it becomes a repeat:
//
//	for j = i+1..N { for k = i..j-1 { m[i,j] = min(m[i,j], m[i,k] + m[k+1,j]) } }
//	  =>
//	repeat k = i..N-1 { for j = max(i+1, k+1)..N { m[i,j] = min(m[i,j], m[i,k] + m[k+1,j]) } }
//
// As repeat over k, each cell is updated with the same values in the same order, and a run computes a row of cells that do not
// depend on one another. This is legal if no two iterations access a cell in opposite orders (depend.Crosses).

// interchanged returns the repeat of a set of leaves whose two loops are interchanged; nil if they cannot be, or if rows
// would have a stride. The first outer loops are repeats already.
func (f *fission) interchanged(set []*part, outer int) *stage {
	path := set[0].path
	if f.faulty || !oneNest(set) || len(path) != outer+2 || !slices.ContainsFunc(set, f.assigns) {
		return nil
	}
	var all []touch
	for _, l := range set {
		if f.declared(l) != nil || slices.ContainsFunc(l.st.tokens, func(t token) bool { return f.scalarAt(l, t) != nil }) {
			return nil
		}
		all = append(all, f.accesses[l.order]...)
	}
	for _, x := range all {
		if !inRows(x, outer) {
			return nil
		}
		for _, y := range all {
			if (x.writes || y.writes) && x.Array == y.Array && f.compare.Crosses(x.Occurrence, y.Occurrence, outer) {
				return nil
			}
		}
	}
	loops := swapped(all[0].Nest, path, outer)
	if loops == nil {
		return nil
	}
	leaves := make([]*part, len(set))
	for k, l := range set {
		leaves[k] = &part{st: l.st, order: l.order, path: loops}
	}
	if f.refused(leaves, outer+1) {
		return nil
	}
	inner := &stage{leaves: leaves, path: loops, outer: outer + 1}
	return &stage{loop: loops[outer], outer: outer, inner: []*stage{inner}}
}

// inRows reports whether an access passes the cells of a row, or stays at one cell, as loop k advances, and whether a
// write stays at one cell as loop k+1 advances.
func inRows(x touch, k int) bool {
	for d, sub := range x.Subs {
		row, along := d == len(x.Subs)-1, sub.Iter(k)
		if along != 0 && (!row || along != 1) || x.writes && (row && along == 0 || sub.Iter(k+1) != 0) {
			return false
		}
	}
	return len(x.Subs) > 0
}

// swapped returns path with loops k and k+1 interchanged, which run over the same iterations; nil if it cannot write
// their bounds.
func swapped(n *ir.Nest, path []*branch, k int) []*branch {
	strided := func(b *branch) bool {
		at := slices.IndexFunc(b.tokens, func(t token) bool { return t.named("step") })
		return at >= 0 && (at+3 != len(b.tokens) || !b.tokens[at+1].is("-") || b.tokens[at+2].text != "1")
	}
	if strided(path[k]) || strided(path[k+1]) {
		return nil
	}
	first, second := &n.Loops[k], &n.Loops[k+1]
	outer, inner := ir.Loop{Name: second.Name, Backward: second.Backward}, *first
	inner.Lo, inner.Hi = slices.Clone(first.Lo), slices.Clone(first.Hi)
	turn := func(bounds []ir.Affine, lower bool) (out []ir.Affine, ok bool) {
		for _, b := range bounds {
			rest, c := shortOf(b, k), b.Iter(k)
			switch {
			case c == 0:
				out = append(out, b)
				continue
			case c*c != 1:
				return nil, false
			}
			// rest + c*j is a bound of loop k+1: a bound of j, and of loop k+1 at the last j.
			limit := iteratorOf(n, k+1).PlusTimes(-1, rest)
			if c < 0 {
				limit = rest.PlusTimes(-1, iteratorOf(n, k+1))
			}
			ends := first.Hi
			if lower == (c > 0) {
				ends, inner.Hi = first.Lo, append(inner.Hi, limit)
			} else {
				inner.Lo = append(inner.Lo, limit)
			}
			for _, end := range ends {
				out = append(out, rest.PlusTimes(c, end))
			}
		}
		return out, true
	}
	var ok [2]bool
	outer.Lo, ok[0] = turn(second.Lo, true)
	if outer.Hi, ok[1] = turn(second.Hi, false); !ok[0] || !ok[1] {
		return nil
	}
	loops := slices.Clone(path)
	loops[k], loops[k+1] = branchFrom(n, outer, path[k+1]), branchFrom(n, inner, path[k])
	return loops
}

// branchFrom returns the loop l of nest n as a branch, at the place of the loop b of the text.
func branchFrom(n *ir.Nest, l ir.Loop, b *branch) *branch {
	var names []string
	for _, x := range n.Loops {
		names = append(names, x.Name)
	}
	bound := func(function string, list []ir.Affine) string {
		var parts []string
		for _, a := range list {
			if text := depend.AffineText(n, a, names); !slices.Contains(parts, text) {
				parts = append(parts, text)
			}
		}
		if len(parts) == 1 {
			return parts[0]
		}
		return function + "(" + strings.Join(parts, ", ") + ")"
	}
	from, to, step := bound("max", l.Lo), bound("min", l.Hi), ""
	if l.Backward {
		from, to, step = to, from, " step -1"
	}
	return &branch{name: b.name, tokens: madeText(b.name+" = "+from+".."+to+step, b.tokens[0]), items: b.items}
}

// iteratorOf is the variable of loop k.
func iteratorOf(n *ir.Nest, k int) ir.Affine {
	a := ir.Affine{Iters: make([]int, len(n.Loops))}
	a.Iters[k] = 1
	return a
}

// shortOf returns a without its part of loop k.
func shortOf(a ir.Affine, k int) ir.Affine {
	a.Iters = slices.Clone(a.Iters)
	if a.Iter(k) != 0 {
		a.Iters[k] = 0
	}
	return a
}
