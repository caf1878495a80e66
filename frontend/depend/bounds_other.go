package depend

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"loopc/ir"
	"loopc/ir/diag"
	"loopc/runtime/boundary"
)

// Accesses that leave the bounds because something else is wrong: the ranges of two loops are
// exchanged, or a cell is read before it is written.

// exchangedLoops returns two loops with their ranges exchanged, if only then all accesses of the
// nest are within the bounds, whatever the parameters; "" if there are none.
func (a *analyzer) exchangedLoops() string {
	if a.trial || a.exchangeKnown {
		return a.exchange
	}
	a.exchangeKnown = true
	for k := range a.nest.Loops {
		for l := range k {
			if !a.plain(k) || !a.plain(l) || a.nest.Loops[k].Backward != a.nest.Loops[l].Backward || !a.together(k, l) {
				continue
			}
			n := *a.nest
			n.Loops = slices.Clone(n.Loops)
			x, y := &n.Loops[l], &n.Loops[k]
			x.Lo, x.Hi, y.Lo, y.Hi = y.Lo, y.Hi, x.Lo, x.Hi
			t := newTrial(&n)
			t.analyze()
			if len(t.diags) == 0 && !slices.ContainsFunc(t.checks, func(c ir.Check) bool { return c.Code == diag.OutOfBounds && !inInit(&n, c) }) {
				a.suppliesExchanged = !slices.ContainsFunc(t.checks, func(c ir.Check) bool { return c.Code == diag.NotSupplied })
				a.exchange = fmt.Sprintf("the loops %s = %s, %s = %s, with their ranges exchanged",
					x.Name, a.way(x, x.Lo[0], x.Hi[0]), y.Name, a.way(y, y.Lo[0], y.Hi[0]))
				return a.exchange
			}
		}
	}
	return ""
}

// inInit reports whether a check is in the line of an init, which has no loops of the nest, and compares no two parameters: some cell
// of the init is to exist.
func inInit(n *ir.Nest, c ir.Check) bool {
	several := slices.ContainsFunc(c.Fails, func(f ir.Constraint) bool {
		return len(slices.DeleteFunc(slices.Clone(f.Params), func(x int) bool { return x == 0 })) > 1
	})
	return !several && slices.ContainsFunc(n.Arrays, func(arr ir.Array) bool { return arr.Init != nil && arr.Init.Span.Line == c.At.Line })
}

// together reports whether some cell has both loops in its subscripts. Of other loops, one may count sweeps.
func (a *analyzer) together(k, l int) bool {
	has := func(x access) bool {
		with := func(loop int) bool {
			return slices.ContainsFunc(x.subs, func(sub ir.Affine) bool { return sub.Iter(loop) != 0 })
		}
		return with(k) && with(l)
	}
	for id := range a.nest.Reads {
		if has(a.reading(id)) {
			return true
		}
	}
	return false
}

// allExchanged returns the hint to exchange subscript d and another one in all reads of an array, if only then
// the loops have the lengths of their dimensions, and the subscripts are within the bounds; "" if there is none.
func (a *analyzer) allExchanged(array, d int, subs []ir.Affine) string {
	if a.trial || a.misfits(array, subs) == 0 || len(a.nest.Assigns(array)) > 0 {
		return ""
	}
	for k := range subs {
		if k == d {
			continue
		}
		swapped := func(subs []ir.Affine) []ir.Affine {
			other := slices.Clone(subs)
			other[d], other[k] = subs[k], subs[d]
			return other
		}
		n := *a.nest
		n.Reads = slices.Clone(n.Reads)
		fit := true
		for id, r := range n.Reads {
			if r.Array == array {
				x := *r
				x.Subs = swapped(r.Subs)
				n.Reads[id] = &x
				fit = fit && a.misfits(array, x.Subs) == 0
			}
		}
		if fit && right(&n, array) {
			return a.text(array, swapped(subs)) + ", with its subscripts exchanged, in all that is read of " + a.nest.Arrays[array].Name + "; or exchange the dimensions in its declaration"
		}
	}
	return ""
}

// withinExchanged does what withinBounds does, for subscripts, or bounds, in another order; "" if no order is right.
func (a *analyzer) withinExchanged(array, d int, subs []ir.Affine) string {
	declared := a.declaredExchanged(array, d, subs)
	other, ok := a.exchanged(array, d, subs)
	switch {
	case ok && len(subs) == 1:
		return a.exchangedAll()
	case ok && (declared == "" || a.oneCell(array)):
		ways := []way{{a.text(array, other), cmp.Or(a.sameElsewhere(array, other), "with its subscripts exchanged, is within the bounds")}}
		if declared != "" {
			ways = append(ways, way{declared, "with its bounds exchanged"})
		}
		return oneOf(ways)
	case declared != "":
		return declared + boundsExchanged
	}
	return ""
}

// oneCell reports whether an array has one access, or several with the same subscripts and none in other nests.
func (a *analyzer) oneCell(array int) bool {
	all := a.accesses(array)
	return len(all) == 1 || len(a.elsewhere(array)) == 0 && !slices.ContainsFunc(all, func(x access) bool { return !slices.EqualFunc(x.subs, all[0].subs, same) })
}

// withinMisplaced does what withinBounds does, for a subscript without loops: another dimension may be meant; "" if none is.
func (a *analyzer) withinMisplaced(array, d int, subs []ir.Affine) string {
	if declared := a.declaredExchanged(array, d, subs); declared != "" {
		return declared + boundsExchanged
	}
	return a.allExchanged(array, d, subs)
}

// boundsExchanged ends the hint of declaredExchanged.
const boundsExchanged = ", with its bounds exchanged: all its subscripts are within them then"

// declaredExchanged returns the declaration of an array with the bounds of dimension d and others in another order, if
// only then the loops have the lengths of its dimensions, and all its subscripts are within the bounds; "" if there is
// none. Two bounds that are exchanged come first.
func (a *analyzer) declaredExchanged(array, d int, subs []ir.Affine) string {
	if a.trial || a.misfits(array, subs) == 0 {
		return ""
	}
	for _, order := range orders(len(subs), d) {
		n := *a.nest
		n.Arrays = slices.Clone(n.Arrays)
		arr, old := &n.Arrays[array], &a.nest.Arrays[array]
		arr.Lo, arr.Hi = slices.Clone(arr.Lo), slices.Clone(arr.Hi)
		var ranges []string
		for e, from := range order {
			arr.Lo[e], arr.Hi[e] = old.Lo[from], old.Hi[from]
			ranges = append(ranges, a.ends(arr.Lo[e], arr.Hi[e]))
		}
		if a.holdsOnce(fmt.Sprint("order ", array, order), func() bool { return a.fitsIn(&n, array) }) {
			return fmt.Sprintf("bounds %s[%s]", arr.Name, strings.Join(ranges, ", "))
		}
	}
	return ""
}

// mostOrdered is for how many dimensions all orders are tried: three in a circle, too, not only two exchanged.
const mostOrdered = 4

// orders returns orders of dimensions in which dimension d has another place: first those in which two are exchanged.
func orders(dims, d int) (all [][]int) {
	plain := make([]int, dims)
	for e := range plain {
		plain[e] = e
	}
	for k := range dims {
		if k != d {
			order := slices.Clone(plain)
			order[d], order[k] = order[k], order[d]
			all = append(all, order)
		}
	}
	if dims > mostOrdered {
		return all
	}
	var extend func(order []int)
	extend = func(order []int) {
		if len(order) == dims {
			if order[d] != d && !slices.ContainsFunc(all, func(x []int) bool { return slices.Equal(x, order) }) {
				all = append(all, slices.Clone(order))
			}
			return
		}
		for _, e := range plain {
			if !slices.Contains(order, e) {
				extend(append(slices.Clone(order), e))
			}
		}
	}
	extend(nil)
	return all
}

// fitsIn reports whether, in the nest n, which differs in the bounds of an array, the loops have the lengths of the array's
// dimensions, and all subscripts are within the bounds.
func (a *analyzer) fitsIn(n *ir.Nest, array int) bool {
	t := newAnalyzer(n)
	if slices.ContainsFunc(a.accesses(array), func(x access) bool { return t.misfits(array, x.subs) > 0 }) {
		return false
	}
	return allWithin(n, false) && a.fitElsewhere(n, array)
}

// filled reports whether the body writes all cells along dimension d of an array.
func (a *analyzer) filled(array, d int) bool {
	return slices.ContainsFunc(a.nest.Assigns(array), func(stmt int) bool {
		by, ok := a.offset(&a.nest.Arrays[array], d, a.writing(stmt).subs[d])
		return ok && by == 0
	})
}

// outside reports whether subscripts are known to leave the bounds of an array.
func (a *analyzer) outside(arr *ir.Array, subs []ir.Affine) bool {
	for d, sub := range subs {
		if lo, hi, ok := a.valuesOf(sub); ok {
			low, known := beside(lo, arr.Lo[d])
			high, also := beside(arr.Hi[d], hi)
			if known && low < 0 || also && high < 0 {
				return true
			}
		}
	}
	return false
}

// writtenAbove reports whether a statement stands above the one that reads a cell.
func (a *analyzer) writtenAbove(stmt, array int, subs []ir.Affine) bool {
	for id, r := range a.nest.Reads {
		if r.Array == array && id < len(a.nest.ReadStmt) && slices.EqualFunc(r.Subs, subs, same) {
			return stmt < a.nest.ReadStmt[id]
		}
	}
	return false
}

// isRead reports whether the body reads this cell.
func (a *analyzer) isRead(array int, subs []ir.Affine) bool {
	return slices.ContainsFunc(a.nest.Reads, func(r *ir.Read) bool {
		for d := range subs {
			if r.Array != array {
				return false
			}
			if by, known := beside(r.Subs[d], subs[d]); !known || by != 0 {
				return false
			}
		}
		return true
	})
}

// afterWidening tries the bounds of widened: within reports whether the init of the array then reads
// only within bounds, and wider is the nest with them.
func (a *analyzer) afterWidening(array int) (within bool, wider *ir.Nest) {
	n := *a.nest
	n.Arrays = slices.Clone(n.Arrays)
	arr := &n.Arrays[array]
	arr.Lo, arr.Hi = slices.Clone(arr.Lo), slices.Clone(arr.Hi)
	for d := range arr.Lo {
		below, above, _ := a.reachOf(array, d, true)
		arr.Lo[d], arr.Hi[d] = plusConst(arr.Lo[d], -below), plusConst(arr.Hi[d], above)
	}
	within = arr.Init == nil || a.holdsOnce(fmt.Sprint("widened ", array), func() bool {
		t := newTrial(&n)
		t.analyze()
		return !slices.ContainsFunc(t.diags, func(x diag.Diagnostic) bool { return x.At.Line == arr.Init.Span.Line })
	})
	return within, &n
}

// bounded reports whether the nest is right if an array has a boundary of a kind at the given dimensions.
func (a *analyzer) bounded(array int, dims []int, kind boundary.Kind) bool {
	n := *a.nest
	n.Arrays = slices.Clone(n.Arrays)
	arr := &n.Arrays[array]
	ends := make([]boundary.Ends, len(arr.Lo))
	copy(ends, arr.Boundary)
	for _, d := range dims {
		ends[d] = boundary.Ends{kind, kind}
	}
	arr.Boundary = ends
	return a.holdsOnce(fmt.Sprint("bounded ", array, dims, kind), func() bool { return right(&n, array) })
}
