package depend

import (
	"fmt"
	"slices"
	"strings"

	"loopc/ir"
	"loopc/ir/diag"
)

// Hints for subscripts beyond the bounds, and for cells that nothing supplies. The cells that a
// subscript visits as its loop runs are its reach.

// withinBounds returns a hint how to bring an access within the bounds of dimension d, of which it
// exceeds the upper one (above) or the lower one. If the reach of the subscript has as many cells as the
// dimension, the user most likely confused subscripts or counted from another number: the hint exchanges
// or shifts them, and sizes stay. Otherwise the hint is to widen the array or to shorten the loop. It is ""
// if the subscript is no loop plus a constant, or if the loop has several bounds.
func (a *analyzer) withinBounds(array, d int, subs []ir.Affine, above bool) string {
	arr, sub := &a.nest.Arrays[array], subs[d]
	loop, ok := index(sub)
	switch {
	case !ok:
		return ""
	case loop < 0 && !above:
		return a.fromTheEnd(array, d, subs)
	case loop < 0 || !a.plain(loop):
		return ""
	}
	l := &a.nest.Loops[loop]
	lo, hi, first, last := arr.Lo[d], arr.Hi[d], l.Lo[0], l.Hi[0]
	if other, ok := a.exchanged(array, d, subs); ok {
		return fmt.Sprintf("%s, with its subscripts exchanged, is within the bounds", a.text(array, other))
	}
	if lo, hi, ok := a.shifted(loop); ok {
		return fmt.Sprintf("the loop %s = %s: all its subscripts are within the bounds then", l.Name, a.way(l, lo, hi))
	}
	if near, ok := a.shiftedBack(array, d, subs); ok {
		return fmt.Sprintf("%s, or bounds %s for dimension %d of %s",
			a.text(array, near), a.ends(plusConst(first, sub.Const), plusConst(last, sub.Const)), d+1, arr.Name)
	}
	if above {
		hi, last = plusConst(last, sub.Const), plusConst(hi, -sub.Const)
	} else {
		lo, first = plusConst(first, sub.Const), plusConst(lo, -sub.Const)
	}
	return fmt.Sprintf("bounds %s for dimension %d of %s, or the loop %s = %s; a select reads both of its values",
		a.ends(lo, hi), d+1, arr.Name, l.Name, a.way(l, first, last))
}

// fromTheEnd returns a hint for a constant subscript below the bounds of dimension d, such as the -1 that
// means the last cell in Python.
func (a *analyzer) fromTheEnd(array, d int, subs []ir.Affine) string {
	arr := &a.nest.Arrays[array]
	hint := fmt.Sprintf("subscripts count from %s: the last one of dimension %d is %s", affineText(a.nest, arr.Lo[d], nil), d+1, affineText(a.nest, arr.Hi[d], nil))
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

// plain reports whether a loop has one lower and one upper bound, of parameters alone.
func (a *analyzer) plain(loop int) bool {
	l := &a.nest.Loops[loop]
	return len(l.Lo) == 1 && len(l.Hi) == 1 && !l.Lo[0].HasIters() && !l.Hi[0].HasIters()
}

// ends returns the range lo..hi as text.
func (a *analyzer) ends(lo, hi ir.Affine) string {
	return affineText(a.nest, lo, nil) + ".." + affineText(a.nest, hi, nil)
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

// shiftedBack returns the subscripts of an access, shifted by their offsets where these exist. It returns
// false unless the subscript of dimension d is shifted.
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
	return near, true
}

// exchanged returns the subscripts of an access with that of dimension d and another one exchanged, if
// the reach of each is then exactly its new dimension.
func (a *analyzer) exchanged(array, d int, subs []ir.Affine) ([]ir.Affine, bool) {
	arr := &a.nest.Arrays[array]
	for k := range subs {
		here, ok := a.offset(arr, d, subs[k])
		there, also := a.offset(arr, k, subs[d])
		if k != d && ok && also && here == 0 && there == 0 {
			other := slices.Clone(subs)
			other[d], other[k] = subs[k], subs[d]
			return other, true
		}
	}
	return nil, false
}

// shifted returns another range of the same length for a loop, such that all subscripts that use the loop
// are within their bounds; false if there is none.
func (a *analyzer) shifted(loop int) (lo, hi ir.Affine, ok bool) {
	if !a.plain(loop) || slices.ContainsFunc(a.nest.Loops, func(l ir.Loop) bool {
		return slices.ContainsFunc(slices.Concat(l.Lo, l.Hi), func(f ir.Affine) bool { return loop < len(f.Iters) && f.Iters[loop] != 0 })
	}) {
		return lo, hi, false
	}
	r := room{}
	for _, st := range a.nest.Body {
		if w, ok := st.(*ir.Assign); ok && !a.narrow(&r, loop, w.Array, w.Subs) {
			return lo, hi, false
		}
	}
	for _, x := range a.nest.Reads {
		if a.nest.Arrays[x.Array].Boundary == nil && !a.narrow(&r, loop, x.Array, x.Subs) {
			return lo, hi, false
		}
	}
	l := &a.nest.Loops[loop]
	return plusConst(l.Lo[0], r.low), plusConst(l.Hi[0], r.high), r.found && r.low == r.high && r.low != 0
}

// A room says by how much the bounds of a loop must move so that the subscripts seen so far just reach the
// bounds of their arrays. found: there is such a subscript.
type room struct {
	low, high int
	found     bool
}

// narrow reduces r to what the subscripts of an access allow the loop. It returns false if that is not
// known.
func (a *analyzer) narrow(r *room, loop, array int, subs []ir.Affine) bool {
	arr, l := &a.nest.Arrays[array], &a.nest.Loops[loop]
	for d, sub := range subs {
		if loop >= len(sub.Iters) || sub.Iters[loop] == 0 {
			continue
		}
		if at, ok := index(sub); !ok || at != loop {
			return false
		}
		rest := minus(sub, iterator(loop, a.space.depth))
		low, known := beside(minus(arr.Lo[d], rest), l.Lo[0])
		high, also := beside(minus(arr.Hi[d], rest), l.Hi[0])
		if !known || !also {
			return false
		}
		if r.found {
			low, high = max(low, r.low), min(high, r.high)
		}
		*r = room{low, high, true}
	}
	return true
}

// toldAlready reports whether an earlier diagnostic has the same remedy, and notes the remedy. If the hint
// shifts a loop, it is a remedy for the whole nest; if it changes an access, for that access only.
func (a *analyzer) toldAlready(hint string, at diag.Span) bool {
	cure := cureAt{hint: hint}
	switch {
	case strings.HasPrefix(hint, "the loop "):
	case !strings.HasPrefix(hint, "bounds ") && hint != "":
		cure.hint, _, _ = strings.Cut(hint, ", or bounds ")
		cure.at = at
	default:
		return false
	}
	if a.told[cure] {
		return true
	}
	a.told[cure] = true
	return false
}

// A cureAt is a remedy for subscripts beyond the bounds. at is zero if the remedy changes a loop.
type cureAt struct {
	hint string
	at   diag.Span
}

// notSupplied returns the diagnostic for cells of an array that nothing
// supplies.
func (a *analyzer) notSupplied(array int, at diag.Span, message string) diag.Diagnostic {
	arr := &a.nest.Arrays[array]
	var names []string
	for d := range arr.Lo {
		names = append(names, a.indexName(array, d))
	}
	d := diag.Diagnostic{
		Code: diag.NotSupplied, At: at, Message: message,
		Notes: []diag.Note{{At: arr.Span, Message: arr.Name + " is declared here, without init"}},
		Kind:  diag.Advice,
	}
	example := fmt.Sprintf("init, for example: init %s[%s] = 0", arr.Name, strings.Join(names, ","))
	written := len(a.nest.Assigns(array)) > 0
	switch {
	case !written && len(arr.Out) == 0:
		d.Hint = fmt.Sprintf("nothing writes %[1]s: declare %[1]s as in", arr.Name)
	case a.inPlace(array):
		d.Hint = fmt.Sprintf("declare %s as inout if the caller gives it, or give it an %s", arr.Name, example)
	default:
		d.Hint = "what the cells have before is said by an " + example
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

// inPlace reports whether several iterations write the same cell of an array, which suggests
// that the caller supplies and receives it.
func (a *analyzer) inPlace(array int) bool {
	for _, stmt := range a.nest.Assigns(array) {
		loops := 0
		for _, sub := range a.writing(stmt).subs {
			if loop, ok := index(sub); ok && loop >= 0 {
				loops++
			}
		}
		if loops < len(a.nest.Loops) {
			return true
		}
	}
	return false
}
