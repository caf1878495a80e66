package depend

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"loopc/ir"
	"loopc/runtime/boundary"
)

// A way is one change after which a nest is right, and what it means for what is computed. If several ways are
// right, a hint has them all: which one is meant, only the user knows.
type way struct{ text, means string }

// String returns the way as a hint has it.
func (w way) String() string {
	if w.means == "" {
		return w.text
	}
	return w.text + ", " + w.means
}

// oneOf is the hint that consists of ways.
func oneOf(ways []way) string {
	var list []string
	for _, w := range ways {
		list = append(list, w.String())
	}
	if len(list) < 2 {
		return strings.Join(list, "")
	}
	return OneOf + strings.Join(list, Or)
}

// A hint of several ways begins with OneOf, and Or stands between two of them.
const (
	OneOf = "one of these: "
	Or    = "; or "
)

// rangesMean says which iterations a nest with changed loops has besides those of this nest, or lacks.
func (a *analyzer) rangesMean(changed *ir.Nest) string {
	var lacks, has []string
	for k := range a.nest.Loops {
		x, y := &a.nest.Loops[k], &changed.Loops[k]
		if len(x.Lo) != 1 || len(x.Hi) != 1 || len(y.Lo) != 1 || len(y.Hi) != 1 {
			continue
		}
		at := func(first, last ir.Affine) string {
			if same(first, last) {
				return x.Name + " = " + AffineText(a.nest, first, nil)
			}
			return x.Name + " = " + a.ends(first, last)
		}
		if by, known := beside(y.Lo[0], x.Lo[0]); known && by > 0 {
			lacks = append(lacks, at(x.Lo[0], plusConst(y.Lo[0], -1)))
		} else if known && by < 0 {
			has = append(has, at(y.Lo[0], plusConst(x.Lo[0], -1)))
		}
		if by, known := beside(y.Hi[0], x.Hi[0]); known && by < 0 {
			lacks = append(lacks, at(plusConst(y.Hi[0], 1), x.Hi[0]))
		} else if known && by > 0 {
			has = append(has, at(plusConst(x.Hi[0], 1), y.Hi[0]))
		}
	}
	var parts []string
	if len(lacks) > 0 {
		parts = append(parts, "leaving out "+listed(lacks))
	}
	if len(has) > 0 {
		parts = append(parts, "adding "+listed(has))
	}
	return strings.Join(parts, " and ")
}

// listed is a list as a sentence has it.
func listed(list []string) string {
	if n := len(list) - 1; n > 0 {
		return strings.Join(list[:n], ", ") + " and " + list[n]
	}
	return strings.Join(list, "")
}

// widerMeans says what more cells of an array are for.
func (a *analyzer) widerMeans(array int) string {
	arr := &a.declared[array]
	means := "with more cells" // for which an init is proposed
	switch {
	case arr.Role == ir.In || arr.Role == ir.InOut:
		return means + " from the caller"
	case a.writesBeyond(array):
		means += ", which are computed"
	case arr.Init != nil:
		means += ", which its init fills"
	}
	if arr.Role == ir.Out || arr.Out != nil && !slices.ContainsFunc(arr.Out, func(f *ir.Affine) bool { return f != nil }) {
		means += ", and which are given back"
	}
	return means
}

// recounted are the bounds with as many cells as a given array has, but from 1 in place of 0, or from 0 in place of 1, if all
// accesses are within them: for the numbers of repeats in their ranges and the defaults of parameters, if numbered.
func (a *analyzer) recounted(array int, numbered bool) []way {
	return slices.Concat(a.countedFrom(array, 1, numbered), a.countedFrom(array, 0, numbered))
}

// countedFrom are the bounds of recounted that begin with first, 1 or 0.
func (a *analyzer) countedFrom(array, first int, numbered bool) []way {
	n, by := *a.nest, 2*first-1
	n.Arrays = slices.Clone(n.Arrays)
	arr := &n.Arrays[array]
	arr.Lo, arr.Hi = slices.Clone(arr.Lo), slices.Clone(arr.Hi)
	var ranges []string
	changes := false
	for d := range arr.Lo {
		if same(arr.Lo[d], ir.Affine{Const: 1 - first}) {
			arr.Lo[d], arr.Hi[d], changes = plusConst(arr.Lo[d], by), plusConst(arr.Hi[d], by), true
		}
		ranges = append(ranges, a.ends(arr.Lo[d], arr.Hi[d]))
	}
	role := a.declared[array].Role
	if !changes || role != ir.In && role != ir.InOut || !a.holdsOnce(fmt.Sprint("from ", first, array), func() bool {
		if numbered {
			return allWithin(&n, true) && a.fitsElsewhere(&n, array, func(x *ir.Nest) bool { return allWithin(x, true) })
		}
		return inBounds(&n, array) && a.fitElsewhere(&n, array)
	}) {
		return nil
	}
	return []way{{fmt.Sprintf("bounds %s[%s]", arr.Name, strings.Join(ranges, ", ")), fmt.Sprintf("which count the cells from %d, as the loops do", first)}}
}

// writesBeyond reports whether the nest writes cells beyond the bounds of an array.
func (a *analyzer) writesBeyond(array int) bool {
	arr := &a.nest.Arrays[array]
	for _, stmt := range a.nest.Assigns(array) {
		for d, sub := range a.writing(stmt).subs {
			loop, ok := index(sub)
			if !ok || loop < 0 || !a.plain(loop) {
				continue
			}
			l := &a.nest.Loops[loop]
			low, known := beside(plusConst(l.Lo[0], sub.Const), arr.Lo[d])
			high, also := beside(arr.Hi[d], plusConst(l.Hi[0], sub.Const))
			if known && low < 0 || also && high < 0 {
				return true
			}
		}
	}
	return false
}

// bounding are the boundaries of an array at the given dimensions with which the nest is right. There are none for a recurrence: its
// first result needs a value of its own, not one that is yet to be computed.
func (a *analyzer) bounding(array int, dims []int) (ways []way) {
	if len(dims) == 0 || slices.ContainsFunc(dims, func(d int) bool { return a.recurs(array, d) }) {
		return nil
	}
	for _, k := range []struct {
		kind  boundary.Kind
		means string
	}{{boundary.Copied, "which repeats the nearest cell"}, {boundary.Periodic, "which takes the cell at the other end"}} {
		if !a.bounded(array, dims, k.kind) {
			return ways
		}
		words := slices.Repeat([]string{k.kind.String()}, len(dims))
		ways = append(ways, way{a.boundaryText(array, dims, words...), k.means})
	}
	return ways
}

// recurs reports whether a loop computes the cells of an array along dimension d each from the one before, and from none behind it.
func (a *analyzer) recurs(array, d int) (found bool) {
	for _, stmt := range a.nest.Assigns(array) {
		written := a.writing(stmt).subs
		loop, ok := index(written[d])
		if !ok || loop < 0 {
			return false
		}
		for id, r := range a.nest.Reads {
			if r.Array != array || id >= len(a.nest.ReadStmt) {
				continue
			}
			by, known := beside(r.Subs[d], written[d])
			if a.nest.Loops[loop].Backward {
				by = -by
			}
			if !known || by > 0 {
				return false
			}
			alone := true // no other loop lies between
			for e := range written {
				alone = alone && (e == d || same(r.Subs[e], written[e]))
			}
			found = found || by < 0 && alone
		}
	}
	return found
}

// beginning says which cell of an array an access takes first: for a cell that is shifted.
func (a *analyzer) beginning(array int, subs []ir.Affine) string {
	var first []string
	for _, sub := range subs {
		loop, ok := index(sub)
		if !ok {
			return ""
		}
		if loop >= 0 {
			l := &a.nest.Loops[loop]
			rest := ir.Affine{Const: sub.Const, Params: sub.Params}
			sub = l.Lo[0].PlusTimes(1, rest)
			if l.Backward {
				sub = l.Hi[0].PlusTimes(1, rest)
			}
		}
		first = append(first, AffineText(a.nest, sub, nil))
	}
	return fmt.Sprintf("which begins with %s[%s]", a.nest.Arrays[array].Name, strings.Join(first, ","))
}

// rangeWays are the ways that change ranges: wide changes the array's bounds, and loops the ranges
// of loops (changed is the nest with these). They are in the order of waysWithin.
func (a *analyzer) rangeWays(array, d int, wide, loops way, changed *ir.Nest) (ways []way) {
	arr := &a.nest.Arrays[array]
	within, wider := a.afterWidening(array)
	switch {
	case within:
		ways = append(ways, wide)
	case !a.writesBeyond(array) && !a.curesSeveral(changed):
		ways = append(ways, way{wide.text, "with more cells, for which its init needs values of their own"})
	}
	if loops.text == "" {
		return ways
	}
	if other := a.otherRanges(changed); other.text != "" {
		defer func() {
			at := 1 + slices.IndexFunc(ways, func(w way) bool { return w == loops })
			ways = slices.Insert(ways, cmp.Or(at, len(ways)), other)
		}()
	}
	if least := a.lackingIn(a.allWidened()); least >= 0 && a.lackingIn(changed) > least {
		return ways
	}
	fills := (arr.Role != ir.InOut || a.declared[array].Role == ir.Internal) && a.filled(array, d) &&
		(a.holdsOnce(fmt.Sprint("wider ", array), func() bool { return right(wider, -1) }) || !supplied(arr)) // shorter loops would leave cells without computed values
	if (fills || a.skips(changed) || a.rimMeant(array)) && !a.curesSeveral(changed) {
		return append(ways, loops)
	}
	return append([]way{loops}, ways...)
}

// otherRanges is another way than that of a nest with changed loops: with as many iterations as now, where that leaves some out at one
// end, and without those that it adds before the first, where it has as many.
func (a *analyzer) otherRanges(changed *ir.Nest) way {
	n := *changed
	n.Loops = slices.Clone(n.Loops)
	var ranges []string
	for k := range n.Loops {
		l, old := &n.Loops[k], &a.nest.Loops[k]
		if len(l.Lo) != 1 || len(l.Hi) != 1 || len(old.Lo) != 1 || len(old.Hi) != 1 {
			continue
		}
		low, known := beside(l.Lo[0], old.Lo[0])
		high, also := beside(l.Hi[0], old.Hi[0])
		switch {
		case !known || !also:
			return way{}
		case low == 0 && high == 0:
			continue
		case low == high && low < 0:
			l.Lo = old.Lo
		case high == 0:
			l.Hi = []ir.Affine{plusConst(old.Hi[0], low)}
		case low == 0:
			l.Lo = []ir.Affine{plusConst(old.Lo[0], high)}
		default:
			return way{}
		}
		ranges = append(ranges, l.Name+" = "+a.way(l, l.Lo[0], l.Hi[0]))
	}
	if len(ranges) != 1 || !allWithin(&n, false) {
		return way{}
	}
	return way{"the loop " + ranges[0], a.rangesMean(&n)}
}
