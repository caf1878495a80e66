package depend

import (
	"fmt"
	"slices"
	"strings"

	"loopc/ir"
	"loopc/ir/diag"
	"loopc/runtime/boundary"
)

// The hints for subscripts beyond the bounds. Each proposes a change for all accesses of the
// array, so that a user who follows one hint meets no other error of that array.

// withinBounds returns the hint by which the accesses of an array stay within its bounds, given
// that subs may leave dimension d, above or below. It proposes first to exchange subscripts, then
// to change loops, and last to change the array.
func (a *analyzer) withinBounds(array, d int, subs []ir.Affine, above bool) string {
	loop, ok := index(subs[d])
	chosen := a.inSelect(array, d, subs)
	switch {
	case chosen && (!ok || !a.plain(loop)):
		return a.withinSelect(array, d, subs, above)
	case !ok:
		return a.withinMirrored(array, d, subs)
	case loop < 0 && a.numbers(subs[d]) >= 0:
		return a.withinNumber(array, d, subs, above)
	case loop < 0:
		hint := a.withinMisplaced(array, d, subs)
		if hint == "" && !above {
			return a.fromTheEnd(array, d, subs)
		}
		return hint
	case !a.plain(loop):
		return a.withinUneven(array, d, subs, above)
	}
	if loops := a.exchangedLoops(); loops != "" {
		return loops + withinThen
	}
	if chosen && a.reachesExchanged(array, d, subs) < 0 {
		return a.withinSelect(array, d, subs, above)
	}
	if hint := a.withinExchanged(array, d, subs); hint != "" {
		return hint
	}
	if other := a.allExchanged(array, d, subs); other != "" {
		return other
	}
	if early := a.early(array, subs); early != "" {
		return early
	}
	changed, ranges, sameLength := a.loopsWithin()
	if ranges != "" && sameLength && a.countsCells(changed) {
		return ranges + withinThen
	}
	return oneOf(append(a.guardedLike(array, d, subs, above), a.waysBesideGuards(array, d, subs, above, ranges, changed)...))
}

// waysBesideGuards are the ways of waysWithin. If the nest chooses by loops where it reads the cell, a comparison in that condition
// is one, before more cells.
func (a *analyzer) waysBesideGuards(array, d int, subs []ir.Affine, above bool, ranges string, changed *ir.Nest) []way {
	ways := a.waysWithin(array, d, subs, above, ranges, changed)
	if len(a.guardedLike(array, d, subs, above)) > 0 || !a.inSelectOfLoops(array, subs) || a.writes(array, subs) {
		return ways
	}
	at := slices.IndexFunc(ways, func(w way) bool { return strings.HasPrefix(w.text, "bounds ") })
	return slices.Insert(ways, max(at, 0), a.enough(array, d, subs, above, loopNames(a.nest)))
}

// countsCells reports whether the loops whose ranges differ in the nest changed only count the cells of a dimension:
// every subscript with such a loop is the loop alone, and the new range is the dimension's. No access then reads a
// neighbor, so the loop just begins at the wrong number.
func (a *analyzer) countsCells(changed *ir.Nest) bool {
	for array := range a.nest.Arrays {
		for _, x := range a.accesses(array) {
			for d, sub := range x.subs {
				loop, ok := index(sub)
				if !ok {
					return false
				}
				if loop < 0 || !a.plain(loop) || same(a.nest.Loops[loop].Lo[0], changed.Loops[loop].Lo[0]) {
					continue
				}
				arr, l := &a.nest.Arrays[array], &changed.Loops[loop]
				if sub.Const != 0 || !same(l.Lo[0], arr.Lo[d]) || !same(l.Hi[0], arr.Hi[d]) {
					return false
				}
			}
		}
	}
	return true
}

// waysWithin are the ways to keep the accesses of an array within its bounds. The first is the one that the user most
// likely means, judged by the rest of the file. ranges and changed are the loops of loopsWithin, as text and as a nest.
func (a *analyzer) waysWithin(array, d int, subs []ir.Affine, above bool, ranges string, changed *ir.Nest) (ways []way) {
	wide := way{a.widened(array), a.widerMeans(array)}
	loops := way{ranges, a.rangesMean(changed)}
	if near := a.likeOthers(array, subs); near != "" {
		ways = append(ways, way{near, "as the others are read"})
	} else if near := a.mirrored(array, d, subs); near != "" && !a.curesSeveral(changed) {
		ways = append(ways, way{near, "which is the cell on the other side"})
	} else if near, ok := a.shiftedBack(array, d, subs); ok {
		ways = []way{{a.text(array, near), a.beginning(array, near)}}
		if counted := a.recounted(array, false); counted != nil {
			ways = append(ways, counted...)
		} else {
			ways = append(ways, wide)
		}
		if _, _, sameLength := a.loopsWithin(); ranges != "" && (sameLength || a.curesSeveral(changed)) {
			ways = slices.Insert(ways, 1, loops)
		}
		return ways
	}
	if near := a.unshifted(array, subs); near != "" {
		ways = append(ways, way{near, "whose loops go over exactly these cells"})
	}
	if moved := a.movedBoundary(array); moved != "" {
		ways = append(ways, way{moved + " in place of the one that is there", "which is of another dimension"})
	}
	ways = append(ways, a.recounted(array, false)...)
	if wide.text == "" {
		return append(ways, a.withinAlone(array, d, subs, above)...)
	}
	ways = append(ways, a.rangeWays(array, d, wide, loops, changed)...)
	if open := a.openEnds(array); slices.Contains(open, d) && a.movedBoundary(array) == "" && a.neighbor(array, d, subs) {
		ways = append(ways, a.bounding(array, open)...)
	}
	return ways
}

// withinAlone does what waysWithin does, for the accesses that differ from one by constants, because the range of another
// access is not known.
func (a *analyzer) withinAlone(array, d int, subs []ir.Affine, above bool) []way {
	loop, _ := index(subs[d])
	arr, n := &a.nest.Arrays[array], *a.nest
	if a.nest.Numbered(arr.Lo[d]) || a.nest.Numbered(arr.Hi[d]) {
		return nil // they are those of one item of a batch, not of the declaration
	}
	n.Loops = slices.Clone(n.Loops)
	l := &n.Loops[loop]
	lo, hi, first, last := arr.Lo[d], arr.Hi[d], l.Lo[0], l.Hi[0]
	far := a.widest(array, d, subs[d], above)
	if above {
		hi, last = plusConst(last, far), plusConst(hi, -far)
	} else {
		lo, first = plusConst(first, far), plusConst(lo, -far)
	}
	var ways []way
	if !a.nest.Numbered(lo) && !a.nest.Numbered(hi) { // the number of a repeat has no place in a declaration
		ways = append(ways, way{fmt.Sprintf("bounds %s for dimension %d of %s", a.ends(lo, hi), d+1, arr.Name), a.widerMeans(array)})
	}
	text := a.way(l, first, last)
	if ends := [2]string{AffineText(a.nest, first, nil), AffineText(a.nest, last, nil)}; a.nest.Numbered(minus(first, l.Lo[0])) || a.nest.Numbered(minus(last, l.Hi[0])) { // which of two ends it is depends on the number of the repeat
		if above {
			ends[1] = fmt.Sprintf("min(%s, %s)", ends[1], AffineText(a.nest, l.Hi[0], nil))
		} else {
			ends[0] = fmt.Sprintf("max(%s, %s)", ends[0], AffineText(a.nest, l.Lo[0], nil))
		}
		if text = ends[0] + ".." + ends[1]; l.Backward {
			text = ends[1] + ".." + ends[0] + " step -1"
		}
	}
	l.Lo, l.Hi = []ir.Affine{first}, []ir.Affine{last}
	return append(ways, way{fmt.Sprintf("the loop %s = %s", l.Name, text), a.rangesMean(&n)})
}

// withinThen ends a hint for all accesses of the nest.
const withinThen = ": all its subscripts are within the bounds then"

// exchangedAll returns the hint for reads such as x[j] that should be x[i]: the only subscript has the wrong
// loop. If one read has the wrong loop, others probably have it too, so the hint has all of them.
func (a *analyzer) exchangedAll() string {
	var cells, names []string
	for _, r := range a.nest.Reads {
		other, ok := a.exchanged(r.Array, 0, r.Subs)
		if cell := a.text(r.Array, other); ok && len(r.Subs) == 1 && !slices.Contains(cells, cell) {
			cells, names = append(cells, cell), append(names, a.nest.Arrays[r.Array].Name)
		}
	}
	return strings.Join(cells, " and ") + ": these loops go over the cells of " + strings.Join(names, " and ")
}

// right reports whether n, a nest changed as a hint says, has no mistake. Subscripts beyond the bounds count only in
// one array, or, if array is -1, in all.
func right(n *ir.Nest, array int) bool {
	t := newAnalyzer(n)
	t.trial, t.brief, t.hasty = true, true, true
	t.analyze()
	return !slices.ContainsFunc(t.diags, func(d diag.Diagnostic) bool {
		return d.Code != diag.OutOfBounds || array < 0 || slices.ContainsFunc(d.Notes, func(x diag.Note) bool { return x.At == n.Arrays[array].Span })
	})
}

// accesses are all accesses of an array by the body.
func (a *analyzer) accesses(array int) (list []access) {
	for _, stmt := range a.nest.Assigns(array) {
		list = append(list, a.writing(stmt))
	}
	for id, r := range a.nest.Reads {
		if r.Array == array && id < len(a.nest.ReadStmt) {
			list = append(list, a.reading(id))
		}
	}
	return list
}

// neighbor reports whether an access reads a cell beside those that the body writes or, in an
// array that it does not write, beside those that another access reads.
func (a *analyzer) neighbor(array, d int, subs []ir.Affine) bool {
	if len(a.nest.Assigns(array)) == 0 {
		return slices.ContainsFunc(a.accesses(array), func(x access) bool {
			by, known := beside(x.subs[d], subs[d])
			return known && by != 0
		})
	}
	for _, stmt := range a.nest.Assigns(array) {
		if by, known := beside(a.writing(stmt).subs[d], subs[d]); known && by != 0 {
			return true
		}
	}
	return false
}

// reach returns by how many cells the accesses of the array go beyond the bounds of dimension d,
// below and above. ok is false if that is not known for some access.
func (a *analyzer) reach(array, d int) (below, above int, ok bool) {
	return a.reachOf(array, d, false)
}

// reachOf is reach; within leaves out reads that a boundary of the dimension supplies.
func (a *analyzer) reachOf(array, d int, within bool) (below, above int, ok bool) {
	arr := &a.nest.Arrays[array]
	for _, x := range a.accesses(array) {
		if within && x.read >= 0 && arr.Boundary != nil && arr.Boundary[d][0] != boundary.None && arr.Boundary[d][1] != boundary.None {
			continue
		}
		if a.staysWithin(x, d) {
			continue
		}
		loop, known := index(x.subs[d])
		if !known || loop >= 0 && !a.plain(loop) {
			return 0, 0, false
		}
		lo, hi := x.subs[d], x.subs[d]
		if loop >= 0 {
			l, rest := &a.nest.Loops[loop], minus(x.subs[d], iterator(loop, a.space.depth))
			lo, hi = l.Lo[0].PlusTimes(1, rest), l.Hi[0].PlusTimes(1, rest)
		}
		low, knownLow := beside(arr.Lo[d], lo)
		high, knownHigh := beside(hi, arr.Hi[d])
		if loop >= 0 && (!knownLow || !knownHigh) {
			return 0, 0, false
		}
		// A single cell whose distance to a bound depends on parameters is taken to be within the bound.
		if knownLow {
			below = max(below, low)
		}
		if knownHigh {
			above = max(above, high)
		}
	}
	return below, above, true
}

// beyond returns the dimensions in which some access leaves the bounds.
func (a *analyzer) beyond(array int) (dims []int) {
	for d := range a.nest.Arrays[array].Lo {
		if below, above, ok := a.reach(array, d); ok && below+above > 0 {
			dims = append(dims, d)
		}
	}
	return dims
}

// widened returns the hint with bounds that contain all accesses of an array, except reads that a boundary
// supplies; "" if such bounds are not known, or if the present bounds contain these accesses.
func (a *analyzer) widened(array int) string { return a.widenedFor(array, true) }

// widenedFor is widened; unless within, the bounds also contain reads that a boundary supplies.
func (a *analyzer) widenedFor(array int, within bool) string {
	arr := &a.nest.Arrays[array]
	var ranges, numbers, all []string
	for d := range arr.Lo {
		below, above, ok := a.reachOf(array, d, within)
		if !ok {
			return ""
		}
		low, high := a.reachElsewhere(array, d, within)
		below, above = max(below, low), max(above, high)
		all = append(all, a.ends(plusConst(arr.Lo[d], -below), plusConst(arr.Hi[d], above)))
		if below+above > 0 {
			ranges, numbers = append(ranges, all[d]), append(numbers, fmt.Sprint(d+1))
		}
	}
	if len(ranges) == 0 {
		return ""
	}
	text := fmt.Sprintf("bounds %s for dimension %s of %s", strings.Join(ranges, ""), strings.Join(numbers, ""), arr.Name)
	if len(ranges) > 1 {
		text = fmt.Sprintf("bounds %s[%s]", arr.Name, strings.Join(all, ", "))
	}
	if !supplied(arr) {
		text += ", and an init"
	}
	return text
}

// movedBoundary returns the boundary of an array, moved from the dimensions in which no access leaves the bounds to
// those in which accesses leave bounds without one; "" if there are not as many of both.
func (a *analyzer) movedBoundary(array int) string {
	arr, dims := &a.nest.Arrays[array], a.beyond(array)
	words := slices.Repeat([]string{"*"}, len(arr.Lo))
	var idle []string
	lacks := 0
	for d, ends := range arr.Boundary {
		word := ends[0].String()
		if ends[1] != ends[0] {
			word += ".." + ends[1].String()
		}
		leaves := slices.Contains(dims, d)
		switch {
		case word == "*" && leaves:
			words[d], lacks = "", lacks+1
		case leaves:
			words[d] = word
		case word != "*":
			idle = append(idle, word)
		}
	}
	if len(idle) == 0 || len(idle) != lacks {
		return ""
	}
	for d := range words {
		if words[d] == "" {
			words[d], idle = idle[0], idle[1:]
		}
	}
	return "boundary " + arr.Name + "[" + strings.Join(words, ", ") + "]"
}

// openEnds are the dimensions in which some access leaves the bounds, and which have no boundary.
func (a *analyzer) openEnds(array int) []int {
	arr := &a.nest.Arrays[array]
	return slices.DeleteFunc(a.beyond(array), func(d int) bool { return arr.Boundary != nil && arr.Boundary[d] != boundary.Ends{} })
}

// boundaryText returns a boundary of an array with the given kinds at the given dimensions, and the one that it has at others; a
// dimension without a kind is copied.
func (a *analyzer) boundaryText(array int, dims []int, kinds ...string) string {
	words := slices.Repeat([]string{"*"}, len(a.nest.Arrays[array].Lo))
	for d, ends := range a.nest.Arrays[array].Boundary {
		if words[d] = ends[0].String(); ends[1] != ends[0] {
			words[d] += ".." + ends[1].String()
		}
	}
	for k, d := range dims {
		words[d] = "copied"
		if k < len(kinds) {
			words[d] = kinds[k]
		}
	}
	return "boundary " + a.nest.Arrays[array].Name + "[" + strings.Join(words, ", ") + "]"
}
