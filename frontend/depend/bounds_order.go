package depend

import (
	"fmt"
	"slices"
	"strings"

	"loopc/ir"
	"loopc/ir/diag"
)

// Which remedy comes first. A remedy that compiles, but leaves out work or overrules the condition of a
// select, is worse than none.

// skips reports whether n, the nest with changed loops, leaves out iterations for which the caller gives
// values: n changes a loop that goes exactly over a dimension of an in array.
func (a *analyzer) skips(n *ir.Nest) bool {
	for in := range a.nest.Arrays {
		arr := &a.nest.Arrays[in]
		if arr.Role != ir.In || len(a.nest.Assigns(in)) > 0 {
			continue
		}
		for _, x := range a.accesses(in) {
			for d, sub := range x.subs {
				loop, ok := index(sub)
				if by, fits := a.offset(arr, d, sub); !ok || loop < 0 || !fits || by != 0 {
					continue
				}
				l, changed := &a.nest.Loops[loop], &n.Loops[loop]
				if !slices.EqualFunc(changed.Lo, l.Lo, same) || !slices.EqualFunc(changed.Hi, l.Hi, same) {
					return true
				}
			}
		}
	}
	return false
}

// same reports whether two forms are equal for all parameters.
func same(f, g ir.Affine) bool {
	by, known := beside(f, g)
	return known && by == 0
}

// once returns the result of a trial, which is made once: many accesses may have the same remedies. The key says what is tried.
func (a *analyzer) once(key string, try func() int) int {
	count, known := a.counts[key]
	if !known {
		if a.counts == nil {
			a.counts = map[string]int{}
		}
		count = try()
		a.counts[key] = count
	}
	return count
}

// holdsOnce is once for a trial that says yes or no.
func (a *analyzer) holdsOnce(key string, try func() bool) bool {
	return a.once(key, func() int {
		if try() {
			return 1
		}
		return 0
	}) == 1
}

// lacking counts the reads and slices of a nest, changed as a hint says, that need cells which nothing
// supplies; it is -1 if other mistakes hide them.
func lacking(n *ir.Nest) (count int) {
	t := newTrial(n)
	t.analyze()
	for _, d := range t.diags {
		if d.Code != diag.NotSupplied {
			return -1
		}
		count++
	}
	for _, c := range t.checks {
		if c.Code == diag.NotSupplied {
			count++
		}
	}
	return count
}

// lackingIn is lacking, once for nests with the same loops and bounds of arrays.
func (a *analyzer) lackingIn(n *ir.Nest) int {
	var key strings.Builder
	for _, l := range n.Loops {
		fmt.Fprint(&key, "loop ", l.Lo, l.Hi)
	}
	for _, arr := range n.Arrays {
		fmt.Fprint(&key, " array ", arr.Lo, arr.Hi)
	}
	return a.once(key.String(), func() int { return lacking(n) })
}

// allWidened is the nest with bounds that contain all accesses of every array, as far as they are known.
func (a *analyzer) allWidened() *ir.Nest {
	n := *a.nest
	n.Arrays = slices.Clone(n.Arrays)
	for array := range n.Arrays {
		arr := &n.Arrays[array]
		arr.Lo, arr.Hi = slices.Clone(arr.Lo), slices.Clone(arr.Hi)
		for d := range arr.Lo {
			below, above, _ := a.reachOf(array, d, true)
			arr.Lo[d], arr.Hi[d] = plusConst(arr.Lo[d], -below), plusConst(arr.Hi[d], above)
		}
	}
	return &n
}

// withinSelect does what withinBounds does, for an access in a select. Most likely, the loops and the subscript are
// as the user wants them, and only the condition of the select is not strict enough. If the body writes the cell, then in
// every iteration, and no condition helps.
func (a *analyzer) withinSelect(array, d int, subs []ir.Affine, above bool) string {
	ways := []way{a.enough(array, d, subs, above, loopNames(a.nest))}
	changed, ranges, _ := a.loopsWithin()
	loops := way{ranges, a.rangesMean(changed)}
	if a.writes(array, subs) {
		ways = nil
		if ranges != "" {
			ways = append(ways, loops)
		}
		if wide := a.widened(array); wide != "" {
			ways = append(ways, way{wide + ": the cell is written in every iteration, where the condition of an if does not hold with the value that it has", ""})
		}
		return oneOf(ways)
	}
	if ranges != "" && a.curesSeveral(changed) {
		ways = slices.Insert(ways, 0, loops)
	}
	loop, ok := index(subs[d])
	if !ok || !a.plain(loop) {
		return oneOf(ways)
	}
	if a.nest.Arrays[array].Boundary == nil {
		ways = append(ways, a.bounding(array, a.beyond(array))...)
	}
	if wide := a.widened(array); wide != "" {
		ways = append(ways, way{wide, a.widerMeans(array)})
	}
	return oneOf(ways)
}

// writes reports whether the body writes the cell at subs.
func (a *analyzer) writes(array int, subs []ir.Affine) bool {
	return slices.ContainsFunc(a.nest.Assigns(array), func(stmt int) bool {
		return slices.EqualFunc(a.writing(stmt).subs, subs, same)
	})
}

// enough is the hint to add a comparison to the condition of the select around a read, so that subscript d of the
// read cannot leave the bounds of the array, above or below. names are those of the iterators.
func (a *analyzer) enough(array, d int, subs []ir.Affine, above bool, names []string) way {
	sub, bound, op := subs[d], a.nest.Arrays[array].Lo[d], ">="
	if above {
		bound, op = a.nest.Arrays[array].Hi[d], "<="
	}
	rest := ir.Affine{Const: sub.Const, Params: sub.Params}
	text := fmt.Sprintf("%s %s %s", AffineText(a.nest, minus(sub, rest), names), op, AffineText(a.nest, minus(bound, rest), nil))
	return way{text + " in the condition of the " + a.chooser(array, subs), "which then reads only what is within the bounds"}
}

// withinInit returns the hint by which a read of an array in the init of arr stays within the bounds, given that
// subs may leave dimension d, above or (if not aboveHi) below; "" if no hint is known.
func (a *analyzer) withinInit(arr *ir.Array, array, d int, subs []ir.Affine, aboveHi bool) string {
	at, ok := index(subs[d])
	chosen := subs[d].HasIters() && selected(arr.Init.Expr, array, subs, nil)
	switch {
	case !ok && chosen:
		return a.enough(array, d, subs, aboveHi, arr.Init.Names).String()
	case !ok:
		return ""
	case at < 0:
		return a.lastOf(array, d)
	}
	if order := a.orderOfInit(arr); order != "" {
		return order
	}
	read := &a.nest.Arrays[array]
	rest := ir.Affine{Const: subs[d].Const, Params: subs[d].Params}
	lo, hi := arr.Lo[at].PlusTimes(1, rest), arr.Hi[at].PlusTimes(1, rest)
	for k := range subs {
		if k == d {
			continue
		}
		other := slices.Clone(subs)
		other[d], other[k] = subs[k], subs[d]
		if a.initReaches(arr, read, other) {
			return cellText(a.nest, array, other, arr.Init.Names) + ", with its subscripts exchanged, is within the bounds"
		}
	}
	below, known := beside(read.Lo[d], lo)
	above, also := beside(hi, read.Hi[d])
	if !known || !also {
		return ""
	}
	wide := fmt.Sprintf("bounds %s for dimension %d of %s",
		a.ends(plusConst(read.Lo[d], -max(0, below)), plusConst(read.Hi[d], max(0, above))), d+1, read.Name)
	switch {
	case chosen:
		return oneOf([]way{a.enough(array, d, subs, aboveHi, arr.Init.Names), {wide, ""}})
	case below == -above:
		near := slices.Clone(subs)
		near[d] = plusConst(subs[d], below)
		if len(a.accesses(array)) == 0 {
			wide = fmt.Sprintf("bounds %s for dimension %d of %s", a.ends(lo, hi), d+1, read.Name)
		}
		return oneOf([]way{{cellText(a.nest, array, near, arr.Init.Names), ""}, {wide, ""}})
	}
	ways := []way{{a.elsewhereZero(arr, array, d, subs, below > 0, above > 0), ""}, {wide, ""}}
	if narrow := a.narrower(arr, at, max(0, below), max(0, above)); narrow != "" {
		ways = append(ways, way{narrow, ""})
	}
	return oneOf(ways)
}

// orderOfInit is the hint to give the subscripts of the init of arr the order in which the loops of their names are subscripts where
// the nest writes arr; "" if they have it, or other names.
func (a *analyzer) orderOfInit(arr *ir.Array) string {
	for k := range a.nest.Arrays {
		if arr != &a.nest.Arrays[k] || len(a.nest.Assigns(k)) == 0 {
			continue
		}
		var names []string
		for _, sub := range a.writing(a.nest.Assigns(k)[0]).subs {
			if loop, ok := index(sub); ok && loop >= 0 {
				names = append(names, a.nest.Loops[loop].Name)
			}
		}
		if !slices.Equal(names, arr.Init.Names) && slices.Equal(slices.Sorted(slices.Values(names)), slices.Sorted(slices.Values(arr.Init.Names))) {
			order := strings.Join(names, ", ")
			return fmt.Sprintf("init %s[%s], in the order of the subscripts where the nest writes %[1]s", arr.Name, order)
		}
	}
	return ""
}

// narrower is the hint to give an array fewer cells at either end of a dimension; "" if some access of the nest needs them.
func (a *analyzer) narrower(arr *ir.Array, d, below, above int) string {
	lo, hi := arr.Lo[d], arr.Hi[d]
	defer func() { arr.Lo[d], arr.Hi[d] = lo, hi }()
	arr.Lo[d], arr.Hi[d] = plusConst(lo, below), plusConst(hi, -above)
	for k := range a.nest.Arrays {
		if arr != &a.nest.Arrays[k] {
			continue
		}
		if low, high, known := a.reach(k, d); !known || low > 0 || high > 0 {
			return ""
		}
	}
	return fmt.Sprintf("bounds %s for dimension %d of %s", a.ends(arr.Lo[d], arr.Hi[d]), d+1, arr.Name)
}

// elsewhereZero is a read of an array in the init of arr, as a select that is 0 where subscript d is beyond the bounds, at either end
// or both.
func (a *analyzer) elsewhereZero(arr *ir.Array, array, d int, subs []ir.Affine, below, above bool) string {
	var within []string
	read, names := &a.nest.Arrays[array], arr.Init.Names
	if below {
		within = append(within, AffineText(a.nest, subs[d], names)+" >= "+AffineText(a.nest, read.Lo[d], nil))
	}
	if above {
		within = append(within, AffineText(a.nest, subs[d], names)+" <= "+AffineText(a.nest, read.Hi[d], nil))
	}
	cell := cellText(a.nest, array, subs, names)
	return fmt.Sprintf("select(%s, %s, 0) in place of %[2]s", strings.Join(within, " && "), cell)
}

// initReaches reports whether a read in the init of arr stays within the bounds, for all parameters.
func (a *analyzer) initReaches(arr, read *ir.Array, subs []ir.Affine) bool {
	for d, sub := range subs {
		at, ok := index(sub)
		if !ok || at < 0 {
			return false
		}
		rest := ir.Affine{Const: sub.Const, Params: sub.Params}
		low, known := beside(arr.Lo[at].PlusTimes(1, rest), read.Lo[d])
		high, also := beside(read.Hi[d], arr.Hi[at].PlusTimes(1, rest))
		if !known || !also || low < 0 || high < 0 {
			return false
		}
	}
	return true
}
