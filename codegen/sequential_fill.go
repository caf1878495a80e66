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
	w.cellLoops(st, fixed, func(index []string) {
		w.skipWritten(st, fixed, index)
		w.generator.linef("%s[%s] = tile.%s(%s)", st.name, st.cellPosition(index), w.initMethods[st.a], strings.Join(index, ", "))
	})
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
	lo, hi := w.written(st.a)
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

// written returns the bounds of the cells of array a that the loops write, all of them, and read only
// afterwards; nil if they are not known.
func (w *seqWriter) written(a int) (lo, hi []string) {
	assigns := w.n.Assigns(a)
	if len(assigns) != 1 {
		return nil, nil
	}
	for id, r := range w.n.Reads {
		if r.Array == a && (w.beyond(r) || w.l.Reads[id].From == ir.FromInitial) {
			return nil, nil
		}
	}
	seen := map[int]bool{}
	for _, sub := range w.n.Body[assigns[0]].(*ir.Assign).Subs {
		first, last := sub, sub
		for k, l := range w.n.Loops {
			c := sub.Iter(k)
			if c == 0 {
				continue
			}
			if c != 1 || seen[k] || len(l.Lo) != 1 || len(l.Hi) != 1 || !ofParams(l.Lo[0]) || !ofParams(l.Hi[0]) {
				return nil, nil
			}
			seen[k] = true
			first, last = moved(sub, l.Lo[0]), moved(sub, l.Hi[0])
		}
		lo, hi = append(lo, affine(first, w.generator.loops, w.params)), append(hi, affine(last, w.generator.loops, w.params))
	}
	if len(seen) != len(w.n.Loops) {
		return nil, nil
	}
	return lo, hi
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
