package depend

import (
	"fmt"
	"slices"
	"strings"

	"loopc/ir"
	"loopc/ir/diag"
)

// Hints for subscripts that are beyond the bounds or exchanged, and for cells that nothing supplies. The cells
// that a subscript visits as its loop runs are its reach.

// fromTheEnd returns a hint for a constant subscript below the bounds of dimension d, such as the -1 that
// means the last cell in Python.
func (a *analyzer) fromTheEnd(array, d int, subs []ir.Affine) string {
	hint := a.lastOf(array, d)
	for _, stmt := range a.nest.Assigns(array) {
		written := a.writing(stmt).subs
		if loop, ok := index(written[d]); ok && loop >= 0 && subs[d].Const == -1 && len(subs[d].Params) == 0 {
			before := -1
			if a.nest.Loops[loop].Backward {
				before = 1
			}
			near := slices.Clone(subs)
			near[d] = plusConst(written[d], before)
			return fmt.Sprintf("%s is the cell before; %s", a.text(array, near), hint)
		}
	}
	return hint
}

// lastOf is the hint that names the last subscript of dimension d.
func (a *analyzer) lastOf(array, d int) string {
	arr := &a.nest.Arrays[array]
	return fmt.Sprintf("subscripts count from %s: the last one of dimension %d is %s", AffineText(a.nest, arr.Lo[d], nil), d+1, AffineText(a.nest, arr.Hi[d], nil))
}

// widest returns the constant of the access that goes farthest beyond a bound of dimension d, of those that differ from the
// subscript sub by constants.
func (a *analyzer) widest(array, d int, sub ir.Affine, above bool) int {
	far := sub.Const
	for _, x := range a.accesses(array) {
		switch _, known := beside(x.subs[d], sub); {
		case !known:
		case above:
			far = max(far, x.subs[d].Const)
		default:
			far = min(far, x.subs[d].Const)
		}
	}
	return far
}

// plain reports whether a loop has one lower and one upper bound, of parameters alone.
func (a *analyzer) plain(loop int) bool {
	l := &a.nest.Loops[loop]
	return len(l.Lo) == 1 && len(l.Hi) == 1 && !l.Lo[0].HasIters() && !l.Hi[0].HasIters()
}

// ends returns the range lo..hi as text.
func (a *analyzer) ends(lo, hi ir.Affine) string {
	return AffineText(a.nest, lo, nil) + ".." + AffineText(a.nest, hi, nil)
}

// way returns the range lo..hi as text for the header of loop l, which may run backward.
func (a *analyzer) way(l *ir.Loop, lo, hi ir.Affine) string {
	if l.Backward {
		return a.ends(hi, lo) + " step -1"
	}
	return a.ends(lo, hi)
}

// beside returns x - y, and whether this is the same number for all parameters.
func beside(x, y ir.Affine) (int, bool) {
	diff := minus(x, y)
	return diff.Const, !diff.HasIters() && !slices.ContainsFunc(diff.Params, func(c int) bool { return c != 0 })
}

// offset returns the number to add to subscript sub so that its reach is exactly dimension d of arr. It
// returns false if the two have different numbers of cells, or if sub is no plain loop plus a constant.
func (a *analyzer) offset(arr *ir.Array, d int, sub ir.Affine) (int, bool) {
	loop, ok := index(sub)
	if !ok || loop < 0 || !a.plain(loop) {
		return 0, false
	}
	l, rest := &a.nest.Loops[loop], minus(sub, iterator(loop, a.space.depth))
	low, known := beside(arr.Lo[d], minus(l.Lo[0], minus(ir.Affine{}, rest)))
	high, also := beside(arr.Hi[d], minus(l.Hi[0], minus(ir.Affine{}, rest)))
	return low, known && also && low == high
}

// shiftedBack shifts each subscript whose reach is as long as its dimension onto the dimension. It returns
// false if the subscript of dimension d does not shift, or if another access of the array has another constant
// there: then the access reads a neighbor, and means no other cell.
func (a *analyzer) shiftedBack(array, d int, subs []ir.Affine) ([]ir.Affine, bool) {
	near := slices.Clone(subs)
	for k := range near {
		by, ok := a.offset(&a.nest.Arrays[array], k, subs[k])
		if ok {
			near[k] = plusConst(subs[k], by)
		}
		if k == d && (!ok || by == 0) {
			return nil, false
		}
	}
	for _, x := range a.accesses(array) {
		if by, known := beside(x.subs[d], subs[d]); !known || by != 0 {
			return nil, false
		}
	}
	return near, a.widened(array) != ""
}

// unshifted is the cell of the iteration itself for the only access that leaves the bounds of an array, which the nest only reads: "" if
// a loop of its subscripts does not go over exactly the cells of its dimension, or if a neighbor on the other side is read, too, or
// the cell itself in the same statement.
func (a *analyzer) unshifted(array int, subs []ir.Affine) string {
	if len(a.nest.Assigns(array)) > 0 {
		return ""
	}
	near, arr := slices.Clone(subs), &a.nest.Arrays[array]
	for d := range near {
		loop, ok := index(subs[d])
		if !ok || loop < 0 {
			return ""
		}
		near[d] = iterator(loop, a.space.depth)
		if by, fits := a.offset(arr, d, near[d]); !fits || by != 0 {
			return ""
		}
	}
	of := map[bool][]int{} // the statements with the access, and those with the cell
	for id, r := range a.nest.Reads {
		if r.Array != array || id >= len(a.nest.ReadStmt) {
			continue
		}
		leaves := slices.EqualFunc(r.Subs, subs, same)
		if !leaves && !slices.EqualFunc(r.Subs, near, same) {
			return ""
		}
		of[leaves] = append(of[leaves], a.nest.ReadStmt[id])
	}
	if slices.ContainsFunc(of[true], func(stmt int) bool { return slices.Contains(of[false], stmt) }) { // they differ on purpose
		return ""
	}
	return a.text(array, near)
}

// exchanged returns subs with the subscript of dimension d and another one exchanged, if the reach of both then
// is their dimension. Without such an exchange, if parameters make the loop of dimension d longer or shorter
// than the dimension, it puts an unused loop there whose reach is the dimension.
func (a *analyzer) exchanged(array, d int, subs []ir.Affine) ([]ir.Affine, bool) {
	arr := &a.nest.Arrays[array]
	other := slices.Clone(subs)
	for k := range subs {
		here, ok := a.offset(arr, d, subs[k])
		there, also := a.offset(arr, k, subs[d])
		if k != d && ok && also && here == 0 && there == 0 {
			return a.inTurn(arr, d, k, subs), true
		}
	}
	if k := a.reachesExchanged(array, d, subs); k >= 0 {
		return a.inTurn(arr, d, k, subs), true
	}
	loop, ok := index(subs[d])
	if _, fits := a.offset(arr, d, subs[d]); !ok || loop < 0 || fits || !a.plain(loop) || !otherLength(arr, d, a.nest.Loops[loop].Lo[0], a.nest.Loops[loop].Hi[0]) {
		return nil, false
	}
	for l := range a.nest.Loops {
		it := iterator(l, a.space.depth)
		used := slices.ContainsFunc(subs, func(s ir.Affine) bool { return l < len(s.Iters) && s.Iters[l] != 0 })
		if by, ok := a.offset(arr, d, it); ok && by == 0 && !used {
			other[d] = it
			return other, true
		}
	}
	return nil, false
}

// inTurn returns subs with subscript k in dimension d, and the others in their order if they then stay within the bounds, as those of
// an array whose time is last: else subscripts d and k are exchanged.
func (a *analyzer) inTurn(arr *ir.Array, d, k int, subs []ir.Affine) []ir.Affine {
	turned := slices.Insert(slices.Delete(slices.Clone(subs), k, k+1), d, subs[k])
	for e := range turned {
		if !a.reaches(arr, e, turned[e]) {
			turned = slices.Clone(subs)
			turned[d], turned[k] = subs[k], subs[d]
			break
		}
	}
	return turned
}

// reachesExchanged returns a dimension such that, with subscripts d and this one exchanged, both
// stay within the bounds; -1 if there is none, or if fewer than two subscripts misfit (see
// misfits).
func (a *analyzer) reachesExchanged(array, d int, subs []ir.Affine) int {
	arr := &a.nest.Arrays[array]
	return slices.IndexFunc(subs, func(sub ir.Affine) bool {
		k := slices.IndexFunc(subs, func(x ir.Affine) bool { return same(x, sub) })
		return k != d && a.misfits(array, subs) > 1 && a.reaches(arr, d, sub) && a.reaches(arr, k, subs[d])
	})
}

// reaches reports whether a subscript stays within dimension d of an array, for all parameters.
func (a *analyzer) reaches(arr *ir.Array, d int, sub ir.Affine) bool {
	lo, hi, ok := a.valuesOf(sub)
	if !ok {
		return false
	}
	low, known := beside(lo, arr.Lo[d])
	high, also := beside(arr.Hi[d], hi)
	return known && also && low >= 0 && high >= 0
}

// valuesOf returns the least and the greatest value of a subscript that is a plain loop, or the number of a repeat, plus a constant. It
// returns false for others.
func (a *analyzer) valuesOf(sub ir.Affine) (lo, hi ir.Affine, ok bool) {
	loop, ok := index(sub)
	switch {
	case ok && loop >= 0 && a.plain(loop):
		l, rest := &a.nest.Loops[loop], minus(sub, iterator(loop, a.space.depth))
		return l.Lo[0].PlusTimes(1, rest), l.Hi[0].PlusTimes(1, rest), true
	case ok && loop < 0 && a.numbers(sub) >= 0:
		x := a.nest.Numbers[a.numbers(sub)]
		return plusConst(x.Lo[0], sub.Const), plusConst(x.Hi[0], sub.Const), true
	}
	return ir.Affine{}, ir.Affine{}, false
}

// exchangedOf proposes to exchange two subscripts of access w or x, if only then the loops have the lengths of
// their dimensions, and the nest is right. If lengths do not tell, it proposes the only exchange with which the
// nest is right; "" if there is none.
func (a *analyzer) exchangedOf(x, w access) string {
	if a.trial {
		return ""
	}
	for _, y := range []access{w, x} {
		if a.misfits(y.array, y.subs) == 0 {
			continue
		}
		for d := range y.subs {
			for k := range d {
				if cells := a.exchangedAt(y, d, k, func(subs []ir.Affine) bool { return a.misfits(y.array, subs) == 0 }); len(cells) > 0 {
					return oneOf(cells) + ": these loops go over its dimensions"
				}
			}
		}
		if cell := a.reordered(y); cell != "" {
			return cell + ": these loops go over its dimensions"
		}
	}
	return a.onlyExchange(x, w)
}

// onlyExchange is exchangedOf if the lengths do not tell.
func (a *analyzer) onlyExchange(x, w access) (hint string) {
	if x.key() == w.key() || a.misfits(x.array, x.subs)+a.misfits(w.array, w.subs) > 0 {
		return ""
	}
	for _, y := range []access{w, x} {
		for d := range y.subs {
			for k := range d {
				cells := a.exchangedAt(y, d, k, func(subs []ir.Affine) bool { return true })
				if len(cells) == 0 || !a.othersExchanged(y, d, k) {
					continue
				}
				if hint != "" && len(a.accesses(x.array)) > 3 {
					return hint // one write is wrong rather than several reads
				} else if hint != "" {
					return ""
				}
				hint = oneOf(cells) + ", with its subscripts exchanged like those of the others"
			}
		}
	}
	return hint
}

// othersExchanged reports whether another access of the array of y has the loops of its subscripts d and k in exchanged order.
func (a *analyzer) othersExchanged(y access, d, k int) bool {
	first, ok := index(y.subs[d])
	second, also := index(y.subs[k])
	return ok && also && slices.ContainsFunc(a.accesses(y.array), func(x access) bool {
		l, plain := index(x.subs[d])
		m, alike := index(x.subs[k])
		return plain && alike && l == second && m == first
	})
}

// right reports whether the nest has no mistake (see the function right) if an access has other subscripts. It is false if
// refusals have taken too much work already.
func (a *analyzer) right(x access, subs []ir.Affine) bool {
	if !a.affords(workOf(a.nest)) {
		return false
	}
	n := *a.nest
	n.Reads, n.Body = slices.Clone(n.Reads), slices.Clone(n.Body)
	withSubscripts(&n, x, subs)
	return right(&n, x.array)
}

// misfits is the number of subscripts whose loops the parameters make longer or shorter than their dimensions.
func (a *analyzer) misfits(array int, subs []ir.Affine) (count int) {
	for d := range subs {
		if a.misfit(array, d, subs) {
			count++
		}
	}
	return count
}

// misfit reports whether the parameters make the loop of subscript d longer or shorter than its dimension.
func (a *analyzer) misfit(array, d int, subs []ir.Affine) bool {
	lo, hi, ok := a.valuesOf(subs[d])
	return ok && otherLength(&a.nest.Arrays[array], d, lo, hi)
}

// otherLength reports whether the parameters make a dimension longer or shorter than a range.
func otherLength(arr *ir.Array, d int, lo, hi ir.Affine) bool {
	_, known := beside(minus(arr.Hi[d], arr.Lo[d]), minus(hi, lo))
	return !known
}

// Unused is the hint for an out array that no nest reads or writes.
const Unused = "assign to its cells in a for, or leave this declaration out"

// notSupplied returns the diagnostic for cells of an array that nothing
// supplies.
func (a *analyzer) notSupplied(array int, at diag.Span, message string) diag.Diagnostic {
	arr := &a.declared[array]
	var names []string
	for d := range arr.Lo {
		names = append(names, a.indexName(array, d))
	}
	d := diag.Diagnostic{
		Code: diag.NotSupplied, At: at, Message: message,
		Notes: []diag.Note{{At: arr.Span, Message: arr.Name + " is declared here, without init"}},
		Kind:  diag.Advice,
	}
	example := fmt.Sprintf("init, for example: init %s[%s] = %s", arr.Name, strings.Join(names, ","), a.neutralFirst(array))
	written := len(a.nest.Assigns(array)) > 0
	switch {
	case a.exchange != "" && a.suppliesExchanged: // subscripts beyond the bounds have this remedy
		d.Hint = a.exchange + withinThen
	case arr.Role == ir.Out && len(a.accesses(array)) == 0:
		d.Hint = Unused
	case !written && len(arr.Out) == 0:
		d.Hint = fmt.Sprintf("nothing writes %[1]s: declare %[1]s as in", arr.Name)
		if read := func(r *ir.Read) bool { return r.Array == array }; !slices.ContainsFunc(a.nest.Reads, read) {
			d.Hint = fmt.Sprintf("nothing writes %s, and nothing reads it: an assignment to its cells, or no declaration", arr.Name)
		}
	case a.inPlace(array):
		d.Hint = oneOf([]way{{fmt.Sprintf("declare %s as inout", arr.Name), "if the caller gives it"}, {"give it an " + example, ""}})
	default:
		d.Hint = "what the cells have before is said by an " + example
		if loops := a.longerLoops(array); loops != "" && written {
			d.Hint = oneOf([]way{{loops, "whose iterations are all within the bounds"}, {"an " + example, ""}})
		}
	}
	if arr.Role == ir.Out {
		d.Notes[0].Message = arr.Name + " is declared here as out, without init: only as inout it begins with what the caller has"
	} else if a.inPlace(array) && len(arr.Out) == 0 {
		d.Notes[0].Message = arr.Name + " is declared here, without init, and not as inout, which the caller gives"
	}
	if arr.Role == ir.Internal && !written && len(arr.Out) == 0 {
		d.Notes[0].Message = arr.Name + " is declared here, without a role"
	}
	return d
}

// inPlace reports whether several iterations or repetitions write the same cell of an array, which
// suggests that the caller supplies and receives it.
func (a *analyzer) inPlace(array int) bool {
	for _, stmt := range a.nest.Assigns(array) {
		loops, numbers := 0, 0
		for _, sub := range a.writing(stmt).subs {
			if loop, ok := index(sub); ok && loop >= 0 {
				loops++
			} else if a.nest.Numbered(sub) {
				numbers++
			}
		}
		if loops < len(a.nest.Loops) || numbers < len(a.nest.Numbers) {
			return true
		}
	}
	return false
}
