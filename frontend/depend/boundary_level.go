package depend

import (
	"fmt"
	"slices"
	"strings"

	"loopc/ir"
	"loopc/runtime/boundary"
)

// levelHint returns the hint for a read beyond a boundary, if the nest does not write the array level by level: to make a
// loop the outermost one, because all reads go back along it; or to read the level before. It returns "" if neither helps.
func (a *analyzer) levelHint(x access) string {
	writers := a.nest.Assigns(x.array)
	if a.trial || len(writers) == 0 {
		return ""
	}
	written := a.writing(writers[0]).subs
	for d, ends := range a.nest.Arrays[x.array].Boundary {
		loop, ok := index(written[d])
		elsewhere := slices.ContainsFunc(writers, func(w int) bool { return !same(a.writing(w).subs[d], written[d]) })
		if ends[0] != boundary.None || ends[1] != boundary.None || !ok || loop < 0 || elsewhere {
			continue
		}
		step := a.nest.Loops[loop].Step()
		n, back := a.levelBefore(x, d, written[d], step)
		if back && loop > 0 && a.plain(loop) {
			return fmt.Sprintf("the loop %s outside of the others: what is read was written in its earlier iterations then", a.nest.Loops[loop].Name)
		}
		if here := AffineText(a.nest, x.subs[d], loopNames(a.nest)); loop == 0 && same(x.subs[d], written[d]) && right(n, x.array) {
			return fmt.Sprintf("%s in place of %s, the cells of the iteration of %s before", AffineText(a.nest, plusConst(x.subs[d], -step), loopNames(a.nest)), here, a.nest.Loops[loop].Name)
		}
	}
	return ""
}

// levelBefore returns the nest n in which reads at the place of x take the cell of the iteration before along dimension d,
// in place of the same iteration's. written is the subscript of the write there. back says that, before this change, all
// reads of the array are of cells of earlier iterations.
func (a *analyzer) levelBefore(x access, d int, written ir.Affine, step int) (n *ir.Nest, back bool) {
	changed, back := *a.nest, true
	changed.Reads = slices.Clone(changed.Reads)
	for id, r := range changed.Reads {
		if r.Array != x.array {
			continue
		}
		by, known := beside(r.Subs[d], written)
		back = back && known && by*step < 0
		if known && by == 0 && r.At == x.at {
			y := *r
			y.Subs = slices.Clone(r.Subs)
			y.Subs[d] = plusConst(y.Subs[d], -step)
			changed.Reads[id] = &y
		}
	}
	return &changed, back
}

// repeatHint returns the hint for an array of levels with a periodic boundary, each of which is computed from the one before:
// a repeat of two nests, between which all cells are known. It returns "" if levels are computed in another way.
func (a *analyzer) repeatHint(x access) string {
	writers := a.nest.Assigns(x.array)
	if len(writers) != 1 || !a.plain(0) {
		return ""
	}
	arr, written := &a.nest.Arrays[x.array], a.writing(writers[0]).subs
	var names, kinds []string
	level := -1
	for d, ends := range arr.Boundary {
		switch loop, ok := index(written[d]); {
		case !ok || loop < 0 || level >= 0 && loop == 0:
			return ""
		case loop == 0:
			level = d
		default:
			names = append(names, a.nest.Loops[loop].Name)
			kinds = append(kinds, map[bool]string{true: "periodic", false: "*"}[ends[0].Wraps()])
		}
	}
	if level < 0 {
		return ""
	}
	for _, r := range a.nest.Reads {
		if by, known := beside(r.Subs[level], written[level]); r.Array == x.array && (!known || by != -a.nest.Loops[0].Step()) {
			return ""
		}
	}
	loop, cell := &a.nest.Loops[0], "["+strings.Join(names, ",")+"]"
	return fmt.Sprintf("repeat %s = %s in place of the loop %s, around two nests: next%s from %s%s, and then %s%s = next%s, with boundary %s[%s] and without %s in subscripts",
		loop.Name, a.way(loop, loop.Lo[0], loop.Hi[0]), loop.Name, cell, arr.Name, cell, arr.Name, cell, cell, arr.Name, strings.Join(kinds, ", "), loop.Name)
}

// twoNests says how the repeat around the nest computes all cells of an array, which the nest writes in place, from those before;
// "" if the nest is in no repeat, or writes a cell only once.
func (a *analyzer) twoNests(array int) string {
	writers, numbers := a.nest.Assigns(array), a.nest.Numbers
	if len(writers) != 1 || len(numbers) == 0 || numbers[len(numbers)-1].Item || numbers[len(numbers)-1].Batch {
		return ""
	}
	written := a.writing(writers[0]).subs
	if slices.ContainsFunc(written, func(sub ir.Affine) bool { return sub.Param(numbers[len(numbers)-1].Param) != 0 }) {
		return ""
	}
	cell := a.text(array, written)
	_, subs, _ := strings.Cut(cell, "[")
	return fmt.Sprintf("two nests in the repeat, in place of this one: next[%s = ... from %s, and then %s = next[%s", subs, a.nest.Arrays[array].Name, cell, subs)
}

// inPlaceHint returns the hint for an array that the outermost loop updates in place, again and again: a repeat of two nests, the
// first of which reads all cells as they were before. It returns "" if a subscript has the number of that loop.
func (a *analyzer) inPlaceHint(array int) string {
	writers := a.nest.Assigns(array)
	if len(writers) != 1 || !a.plain(0) || a.nest.Depth() < 2 {
		return ""
	}
	all := [][]ir.Affine{a.writing(writers[0]).subs}
	for _, r := range a.nest.Reads {
		if r.Array == array {
			all = append(all, r.Subs)
		}
	}
	for _, subs := range all {
		if slices.ContainsFunc(subs, func(sub ir.Affine) bool { return sub.Iter(0) != 0 }) {
			return ""
		}
	}
	loop, cell := &a.nest.Loops[0], a.text(array, all[0])
	_, subs, _ := strings.Cut(cell, "[")
	return fmt.Sprintf("repeat %s = %s in place of the loop %s, around two nests: next[%s = ... from %s, and then %s = next[%s, which reads all cells as they were before",
		loop.Name, a.way(loop, loop.Lo[0], loop.Hi[0]), loop.Name, subs, a.nest.Arrays[array].Name, cell, subs)
}
