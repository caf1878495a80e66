package frontend

import (
	"maps"
	"slices"
)

// joinable returns a copy of a for with loops in its body that write cells of their own and are to be written out, if they
// are small: st itself, or st with its small loops moved inward. It returns nil if there are none.
func (w *lowering) joinable(st *statement) *statement {
	if st.keyword() != "for" || w.apart[w.here] || deeper(st.body, maxDepth) {
		return nil
	}
	x := *st
	last := len(w.before) - 1
	owns := last >= 0 && (w.before[last].keyword() == "reduce" || w.before[last].keyword() == "schedule") // by iteration of all loops
	numbers := func(st *statement) bool { return broadcasting(st) || w.shifting(st) }
	if inward := w.inward(st); inward != nil && !owns && numbers(inward.body[0]) {
		return inward
	}
	if alone := len(st.body) == 1; alone && !owns && numbers(st.body[0]) || !alone && sharing(st.body) {
		return &x
	}
	return nil
}

// inward returns a for with its small loops in a for of their own, within the others; nil if it has none, or nothing else, or if
// the order of iterations may matter. It does not if the loops that small ones are moved into share no written cells.
func (w *lowering) inward(st *statement) *statement {
	var outer, small []*branch
	for _, b := range branchesOf(st) {
		if values, ok := w.valuesOf(b); ok && len(values) <= maxUnrolled {
			small = append(small, b)
			continue
		}
		uses := func(s *branch) bool {
			return slices.ContainsFunc(b.tokens, func(t token) bool { return isName(t, s.name) })
		}
		if len(small) > 0 && (slices.ContainsFunc(small, uses) || !apartAlong(st.body, b.name)) {
			return nil
		}
		outer = append(outer, b)
	}
	if len(small) == 0 || len(outer) == 0 {
		return nil
	}
	within, around := *st, *st
	within.tokens, around.tokens = headerOf(st.first(), small), headerOf(st.first(), outer)
	around.body = []*statement{&within}
	return &around
}

// apartAlong reports whether the iterations of a loop have no cells in common that one of them writes: every access to an
// array that the body writes has the loop as a subscript, in one dimension of the array.
func apartAlong(body []*statement, loop string) bool {
	names, writes := map[string]bool{}, map[string]bool{}
	for _, st := range body {
		namesWithin(st, names, writes)
	}
	if setsOthers(body, nil) {
		return false
	}
	at := map[string]int{} // the dimension, from 1
	return eachCell(body, func(st *statement, k int, subs [][]token) bool {
		array := st.tokens[k].text
		d := 1 + slices.IndexFunc(subs, func(sub []token) bool { return len(sub) == 1 && isName(sub[0], loop) })
		if !writes[array] {
			return true
		}
		first, seen := at[array]
		at[array] = d
		return d > 0 && (!seen || first == d)
	})
}

// setsOthers reports whether a body assigns to a var that it does not declare. vars are those declared around it.
func setsOthers(body []*statement, vars map[string]bool) bool {
	vars = maps.Collect(maps.All(vars))
	for _, name := range letsOf(body) {
		vars[name] = true
	}
	return slices.ContainsFunc(body, func(st *statement) bool {
		sets := len(st.tokens) > 1 && st.first().kind == tokIdent && !st.tokens[1].is("[")
		return sets && !vars[st.first().text] || setsOthers(st.body, vars)
	})
}

// eachCell calls f for each cell in a body, the name of which is token k of a statement, until f returns false. It returns
// the last result of f.
func eachCell(body []*statement, f func(st *statement, k int, subs [][]token) bool) bool {
	for _, st := range body {
		for k, t := range st.tokens {
			if k+1 == len(st.tokens) || t.kind != tokIdent || !st.tokens[k+1].is("[") {
				continue
			}
			end := closer(st.tokens, k+1)
			if end < 0 {
				end = len(st.tokens)
			}
			if !f(st, k, commas(st.tokens[k+2:end])) {
				return false
			}
		}
		if !eachCell(st.body, f) {
			return false
		}
	}
	return true
}

// sharing reports whether a body has loops that write cells of their own, and they are beside statements that are no
// loops, or one writes an array that another one has. Loops that share nothing are better apart, with fewer results each.
func sharing(body []*statement) bool {
	if !slices.ContainsFunc(body, ownCells) {
		return false
	}
	seen, wrote := map[string]bool{}, map[string]bool{} // by the statements before
	for _, st := range body {
		names, writes := map[string]bool{}, map[string]bool{}
		namesWithin(st, names, writes)
		either := func(a, b map[string]bool) bool {
			return slices.ContainsFunc(slices.Collect(maps.Keys(a)), func(n string) bool { return b[n] })
		}
		if st.keyword() != "for" || either(names, wrote) || either(writes, seen) {
			return true
		}
		maps.Copy(seen, names)
		maps.Copy(wrote, writes)
	}
	return false
}

// broadcasting reports whether a for writes cells of its own, of an array of which each of its iterations reads the same
// cell, as v[k] while it writes v[s]: one nest with this loop would have distances that vary.
func broadcasting(st *statement) bool {
	return slices.ContainsFunc(loopNames(st), func(name string) bool {
		own, same := map[string]bool{}, map[string]bool{}
		eachCell(st.body, func(st *statement, k int, subs [][]token) bool {
			array := st.tokens[k].text
			has := slices.ContainsFunc(slices.Concat(subs...), func(t token) bool { return isName(t, name) })
			own[array] = own[array] || k == 0 && has
			same[array] = same[array] || !has
			return true
		})
		return slices.ContainsFunc(slices.Collect(maps.Keys(own)), func(array string) bool { return own[array] && same[array] })
	})
}

// shifting reports whether a for has cells whose subscripts have cells of a constant array at its variable, as f[i+dx[k]]: as
// numbers they are distances, and they are lookups otherwise, of an array that every rank has whole.
func (w *lowering) shifting(st *statement) bool {
	listed := func(name string) bool {
		return slices.ContainsFunc(w.declarations, func(d *statement) bool { return d.keyword() == "const" && isListed(d) && d.tokens[1].text == name })
	}
	names := loopNames(st)
	at := func(tokens []token) bool {
		return slices.ContainsFunc(tokens, func(t token) bool { return slices.Contains(names, t.text) })
	}
	return !eachCell(st.body, func(_ *statement, _ int, subs [][]token) bool {
		return eachCell([]*statement{{tokens: slices.Concat(subs...)}}, func(x *statement, k int, subs [][]token) bool {
			return !listed(x.tokens[k].text) || !at(slices.Concat(subs...))
		})
	})
}

// deeper reports whether more than so many blocks in a body are one in the other.
func deeper(body []*statement, blocks int) bool {
	return slices.ContainsFunc(body, func(st *statement) bool { return len(st.body) > 0 && (blocks == 0 || deeper(st.body, blocks-1)) })
}

// ownCells reports whether a statement is, or has in its body, a loop that writes cells with its variable in a subscript.
func ownCells(st *statement) bool {
	return slices.ContainsFunc(loopNames(st), func(name string) bool { return writesAt(st.body, name) }) || slices.ContainsFunc(st.body, ownCells)
}

// namesWithin adds the names of a statement, and of its body, and the arrays that it writes.
func namesWithin(st *statement, names, writes map[string]bool) {
	for _, t := range st.tokens {
		names[t.text] = names[t.text] || t.kind == tokIdent
	}
	if len(st.tokens) > 1 && st.tokens[1].is("[") {
		writes[st.first().text] = true
	}
	for _, x := range st.body {
		namesWithin(x, names, writes)
	}
}
