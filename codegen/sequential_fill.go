package codegen

import (
	"fmt"
	"slices"
	"strings"

	"loopc/ir"
)

// fill prints the loops that give cells of st their initial content, if st has an init: all cells,
// or the cells with the fixed indices.
func (w *seqWriter) fill(st *seqArray, fixed map[int]string) {
	if !w.initial(st.a) {
		return
	}
	w.cellLoops(st, fixed, func(m int) (lo, hi string) { return w.filled(st, fixed, m) }, func(index []string) {
		w.skipWritten(st, fixed, index)
		w.generator.linef("%s[%s] = tile.%s(%s)", st.name, st.cellPosition(index), w.initMethods[st.a], strings.Join(index, ", "))
	})
}

// filled returns bounds, as Go expressions, of the cells of st along dimension m that get initial content. If these are not all
// cells, it prints code that makes them all cells of a level that is given back.
func (w *seqWriter) filled(st *seqArray, fixed map[int]string, m int) (lo, hi string) {
	g := w.generator
	first, last := w.bounds(st.a, m)
	lo, hi = w.reached(st, fixed, m)
	if lo == first && hi == last {
		return lo, hi
	}
	if st.result == "" {
		return lo, hi
	}
	from, to := w.s.name("first"), w.s.name("last")
	g.linef("%s, %s := %s, %s", from, to, first, last)
	g.linef("if %s != %s { // the level is not given back", fixed[st.roll], affine(*w.n.Arrays[st.a].Out[st.roll], g.loops, w.params))
	g.linef("%s, %s = %s, %s", from, to, lo, hi)
	g.linef("}")
	return from, to
}

// someLevel names the index of the dimension of st that is filled level by level, if there is one.
func (st *seqArray) someLevel() map[int]string {
	if st.roll < 0 {
		return nil
	}
	return map[int]string{st.roll: "level"}
}

// reachedOnly returns the arrays that fill gives initial content only where the loops reach.
func (w *seqWriter) reachedOnly() (all []int) {
	for _, st := range w.arrays {
		fixed := st.someLevel()
		some := func(m int) bool {
			first, last := w.bounds(st.a, m)
			lo, hi := w.reached(st, fixed, m)
			return m != st.roll && (lo != first || hi != last)
		}
		for m := range w.n.Arrays[st.a].Lo {
			if w.initial(st.a) && w.used(st) && some(m) {
				all = append(all, st.a)
				break
			}
		}
	}
	return all
}

// reached returns bounds, as Go expressions, of the cells of st along dimension m that the loops read or write: no other cell is
// filled. If the array is filled level by level, fixed has the level; one that is given back needs all its cells.
func (w *seqWriter) reached(st *seqArray, fixed map[int]string, m int) (lo, hi string) {
	lo, hi = w.bounds(st.a, m)
	if w.n.Arrays[st.a].Role != ir.Internal || st.result != "" && fixed[st.roll] == "" || w.n.LooksUp(st.a) {
		return lo, hi
	}
	var all [][]ir.Affine // subscripts, by access
	for _, r := range w.n.Reads {
		if r.Array == st.a {
			if w.beyond(r) {
				return lo, hi
			}
			all = append(all, r.Subs)
		}
	}
	for _, s := range w.n.Assigns(st.a) {
		all = append(all, w.n.Body[s].(*ir.Assign).Subs)
	}
	var from, to [][]ir.Affine // of each access: lower bounds, of which the greatest holds, and upper bounds, of which the least holds
	for _, subs := range all {
		var known map[int]ir.Affine
		if st.roll >= 0 { // the outermost loop stands for the level
			known = map[int]ir.Affine{0: {Const: -subs[st.roll].Const, Iters: []int{1}}}
		}
		least, most := w.n.Swept(subs[m], known)
		if len(least) == 0 || len(most) == 0 {
			return lo, hi
		}
		from, to = addBounds(from, least, 1), addBounds(to, most, -1)
	}
	iters := slices.Clone(w.generator.loops)
	iters[0] = fixed[st.roll]
	text := func(lists [][]ir.Affine, inner, outer, end string) string {
		var extremes []string
		for _, forms := range lists {
			extremes = append(extremes, extremeOf(inner, forms, iters, w.params))
		}
		if len(extremes) == 1 && extremes[0] == end {
			return end
		}
		if len(extremes) == 1 && len(lists[0]) > 1 {
			return fmt.Sprintf("%s(%s, %s", inner, end, strings.TrimPrefix(extremes[0], inner+"("))
		}
		if len(extremes) > 1 {
			extremes = []string{fmt.Sprintf("%s(%s)", outer, strings.Join(extremes, ", "))}
		}
		return fmt.Sprintf("%s(%s, %s)", inner, end, extremes[0])
	}
	return text(from, "max", "min", lo), text(to, "min", "max", hi)
}

// addBounds adds the bounds of an access, unless the bounds of another access cover them, and removes those that they cover. Bounds
// cover others that differ in constants only: with sign 1, lower bounds with constants that are no greater; with sign -1, upper
// bounds with constants that are no less.
func addBounds(lists [][]ir.Affine, forms []ir.Affine, sign int) [][]ir.Affine {
	covers := func(x, y []ir.Affine) bool {
		return slices.EqualFunc(x, y, func(a, b ir.Affine) bool {
			same := a
			same.Const = b.Const
			return same.Equal(b) && sign*(a.Const-b.Const) <= 0
		})
	}
	if slices.ContainsFunc(lists, func(x []ir.Affine) bool { return covers(x, forms) }) {
		return lists
	}
	return append(slices.DeleteFunc(lists, func(x []ir.Affine) bool { return covers(forms, x) }), forms)
}

// skipWritten prints the code that goes past the cells of a row that the loops write before they read
// them.
func (w *seqWriter) skipWritten(st *seqArray, fixed map[int]string, index []string) {
	along := len(index) - 1
	for ; along >= 0; along-- {
		if _, ok := fixed[along]; !ok {
			break
		}
	}
	lo, hi := w.written(st, fixed)
	if along < 0 || lo == nil {
		return
	}
	here := []string{fmt.Sprintf("%s == %s && %s <= %s", index[along], lo[along], index[along], hi[along])}
	for m := range index {
		if m != along {
			here = append(here, fmt.Sprintf("%s >= %s && %s <= %s", index[m], lo[m], index[m], hi[m]))
		}
	}
	g := w.generator
	g.linef("if %s { // the loops write the other cells", strings.Join(here, " && "))
	g.linef("%s = %s", index[along], hi[along])
	g.linef("continue")
	g.linef("}")
}

// written returns bounds between which the loops write every cell of st, and read it only afterwards; nil if they are not known.
// If the array is filled level by level, fixed has the level, on which the bounds along rows may depend.
func (w *seqWriter) written(st *seqArray, fixed map[int]string) (lo, hi []string) {
	assigns := w.n.Assigns(st.a)
	if len(assigns) != 1 {
		return nil, nil
	}
	for id, r := range w.n.Reads {
		if r.Array == st.a && (w.beyond(r) || w.l.Reads[id].From == ir.FromInitial) {
			return nil, nil
		}
	}
	seen := map[int]bool{}
	subs := w.n.Body[assigns[0]].(*ir.Assign).Subs
	for m, sub := range subs {
		first, last := []ir.Affine{sub}, []ir.Affine{sub}
		iters := w.generator.loops
		for k := range w.n.Loops {
			c := sub.Iter(k)
			if c == 0 {
				continue
			}
			var leveled bool
			first, last, leveled = w.writtenAlong(st, subs, m, k, fixed)
			if c != 1 || seen[k] || first == nil {
				return nil, nil
			}
			if leveled {
				iters = slices.Clone(iters)
				iters[0] = fixed[st.roll]
			}
			seen[k] = true
		}
		lo, hi = append(lo, extremeOf("max", first, iters, w.params)), append(hi, extremeOf("min", last, iters, w.params))
	}
	if len(seen) != len(w.n.Loops) {
		return nil, nil
	}
	return lo, hi
}

// writtenAlong returns the bounds of a subscript, of dimension m of st, that loop k counts: every cell between them is written. They
// may depend on the level that is filled, the first loop: leveled. They are nil if they are not known.
func (w *seqWriter) writtenAlong(st *seqArray, subs []ir.Affine, m, k int, fixed map[int]string) (least, most []ir.Affine, leveled bool) {
	l, sub := w.n.Loops[k], subs[m]
	if len(l.Lo) == 1 && len(l.Hi) == 1 && ofParams(l.Lo[0]) && ofParams(l.Hi[0]) {
		return []ir.Affine{moved(sub, l.Lo[0])}, []ir.Affine{moved(sub, l.Hi[0])}, false
	}
	level := map[int]ir.Affine{0: {}}
	if st.roll >= 0 {
		level[0] = ir.Affine{Const: -subs[st.roll].Const, Iters: []int{1}}
	}
	others := slices.ContainsFunc(slices.Concat(l.Lo, l.Hi), func(f ir.Affine) bool {
		_, known := f.In(level)
		return !known
	})
	if k == 0 || st.roll < 0 || m == st.roll || fixed[st.roll] == "" || subs[st.roll].Iter(0) != 1 || others {
		return nil, nil, false
	}
	least, most = w.n.Swept(sub, level)
	return least, most, true
}

// ofParams reports whether a form depends on parameters only.
func ofParams(a ir.Affine) bool {
	return !slices.ContainsFunc(a.Iters, func(c int) bool { return c != 0 })
}

// moved is a form without its loops, plus another one.
func moved(a, by ir.Affine) ir.Affine {
	out := ir.Affine{Const: a.Const + by.Const}
	for k := range max(len(a.Params), len(by.Params)) {
		out.Params = append(out.Params, a.Param(k)+by.Param(k))
	}
	return out
}
