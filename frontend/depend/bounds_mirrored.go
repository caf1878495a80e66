package depend

import (
	"fmt"
	"slices"

	"loopc/ir"
)

// Hints for subscripts that count down as their loop counts up, and for numbers of repeats.

// withinMirrored returns the hint for a subscript such as N-i, which may leave dimension d: the subscript with another
// constant, if it then has exactly the cells of the dimension; or else a shorter loop, or wider bounds of the array. It
// returns "" if the first of these is not right, and for other subscripts.
func (a *analyzer) withinMirrored(array, d int, subs []ir.Affine) string {
	arr, sub := &a.nest.Arrays[array], subs[d]
	loop, mirrored := index(minus(ir.Affine{}, ir.Affine{Iters: sub.Iters}))
	if !mirrored || loop < 0 || !a.plain(loop) || len(a.nest.Assigns(array)) > 0 {
		return ""
	}
	l, rest := &a.nest.Loops[loop], ir.Affine{Const: sub.Const, Params: sub.Params}
	first, last := minus(rest, l.Hi[0]), minus(rest, l.Lo[0])
	below, known := beside(arr.Lo[d], first)
	above, also := beside(last, arr.Hi[d])
	if !known || !also {
		return ""
	}
	if below == -above {
		near := slices.Clone(subs)
		near[d] = plusConst(sub, below)
		if a.mirroredRight(array, d, subs, near[d]) {
			return fmt.Sprintf("%s, which goes over the cells from %s to %s", a.text(array, near), AffineText(a.nest, arr.Hi[d], nil), AffineText(a.nest, arr.Lo[d], nil))
		}
		return ""
	}
	ways := []way{{fmt.Sprintf("bounds %s for dimension %d of %s", a.ends(plusConst(arr.Lo[d], -max(0, below)), plusConst(arr.Hi[d], max(0, above))), d+1, arr.Name), a.widerMeans(array)}}
	n := *a.nest
	n.Loops = slices.Clone(n.Loops)
	n.Loops[loop].Lo = []ir.Affine{plusConst(l.Lo[0], max(0, above))}
	n.Loops[loop].Hi = []ir.Affine{plusConst(l.Hi[0], -max(0, below))}
	if right(&n, array) {
		text := fmt.Sprintf("the loop %s = %s", l.Name, a.way(l, n.Loops[loop].Lo[0], n.Loops[loop].Hi[0]))
		ways = slices.Insert(ways, 0, way{text, a.rangesMean(&n)})
	}
	return oneOf(ways)
}

// mirroredRight reports whether the nest is right for one array, if other replaces subscript d of all reads of the array that have
// the subscripts subs.
func (a *analyzer) mirroredRight(array, d int, subs []ir.Affine, other ir.Affine) bool {
	n := *a.nest
	n.Reads = slices.Clone(n.Reads)
	for id, r := range n.Reads {
		if r.Array == array && slices.EqualFunc(r.Subs, subs, same) {
			x := *r
			x.Subs = slices.Clone(r.Subs)
			x.Subs[d] = other
			n.Reads[id] = &x
		}
	}
	return right(&n, array)
}

// numbers returns the index, in Nest.Numbers, of the number of a repeat in a subscript that has no loops. It returns -1 if
// the subscript is not this number plus a constant, or if the repeat has several bounds.
func (a *analyzer) numbers(sub ir.Affine) int {
	number := -1
	for k := range a.nest.Params {
		switch c := sub.Param(k); {
		case c == 0:
		case c == 1 && number < 0:
			number = slices.IndexFunc(a.nest.Numbers, func(x ir.Number) bool { return x.Param == k && !x.Item && len(x.Lo) == 1 && len(x.Hi) == 1 })
			if number < 0 {
				return -1
			}
		default:
			return -1
		}
	}
	return number
}

// withinNumber returns the hint for a subscript that is the number of a repeat plus a constant: the subscripts, or bounds, in
// another order; or a condition, if one of the number is around the read, or else other numbers; or wider bounds of dimension d.
// above says that the subscript exceeds the upper bound.
func (a *analyzer) withinNumber(array, d int, subs []ir.Affine, above bool) string {
	if hint := a.withinExchanged(array, d, subs); hint != "" {
		return hint
	}
	sub, arr := subs[d], &a.nest.Arrays[array]
	x := a.nest.Numbers[a.numbers(sub)]
	name, lo, hi := a.nest.Params[x.Param].Name, x.Lo[0], x.Hi[0]
	first, last := plusConst(lo, sub.Const), plusConst(hi, sub.Const)
	least, most := plusConst(arr.Lo[d], -sub.Const), plusConst(arr.Hi[d], -sub.Const)
	condition := name + " >= " + AffineText(a.nest, least, nil)
	if above {
		hi, first, condition = most, arr.Lo[d], name+" <= "+AffineText(a.nest, most, nil)
	} else {
		lo, last = least, arr.Hi[d]
	}
	wide := way{fmt.Sprintf("bounds %s for dimension %d of %s", a.ends(first, last), d+1, arr.Name), a.widerMeans(array)}
	if a.inSelectOf(array, subs, -1-x.Param) && !a.writes(array, subs) {
		return oneOf([]way{{condition + " in the condition of the " + a.chooser(array, subs), "which then reads only what is within the bounds"}, wide})
	}
	fewer := way{name + " = " + a.ends(lo, hi), "with fewer repetitions"}
	ways := []way{fewer, wide}
	low, known := beside(least, x.Lo[0])
	high, also := beside(most, x.Hi[0])
	by := low
	if above {
		by = high
	}
	if known && also && low <= high && a.numberFits(x, by) {
		ways[0] = way{name + " = " + a.ends(plusConst(x.Lo[0], by), plusConst(x.Hi[0], by)), "with as many repetitions"}
		if low == high {
			ways[0].means = "which are all its cells"
		}
		if slices.ContainsFunc(a.nest.Loops, func(l ir.Loop) bool {
			return slices.ContainsFunc(slices.Concat(l.Lo, l.Hi), func(f ir.Affine) bool { return f.Param(x.Param) != 0 })
		}) { // the last number may have no iterations
			ways = slices.Insert(ways, 1, fewer)
		}
	}
	return oneOf(append(a.recounted(array, true), ways...))
}
