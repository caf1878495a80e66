package depend

import (
	"slices"

	"loopc/ir"
)

// A dimension may be too short for reads beside the cells of its loop. The file may show whether
// the bounds are wrong or the loop.

// rimMeant reports whether the file shows that an array should have the bounds that contain all its
// accesses: in a dimension that they leave, another array that is read with the same subscripts has
// these bounds, or another dimension exceeds its loop by as much as these bounds exceed theirs.
func (a *analyzer) rimMeant(array int) bool {
	return slices.ContainsFunc(a.beyond(array), func(d int) bool {
		if slices.ContainsFunc(a.nest.Assigns(array), func(stmt int) bool { return a.writing(stmt).subs[d].Const != 0 }) {
			return false // what is written may be beyond the bounds
		}
		below, above, _ := a.reachOf(array, d, true)
		if below+above == 0 {
			return false
		}
		arr := &a.nest.Arrays[array]
		lo, hi := plusConst(arr.Lo[d], -below), plusConst(arr.Hi[d], above)
		return a.rimOfInit(arr, d, lo, hi) || a.rimElsewhere(array, d, lo, hi)
	})
}

// rimOfInit reports whether the init of arr reads an array with the bounds lo..hi where it has the
// subscript of dimension d.
func (a *analyzer) rimOfInit(arr *ir.Array, d int, lo, hi ir.Affine) (found bool) {
	if arr.Init == nil {
		return false
	}
	ir.Walk(arr.Init.Expr, func(e ir.Expr) {
		r, ok := e.(*ir.Read)
		if !ok {
			return
		}
		for k, sub := range r.Subs {
			if at, known := index(sub); known && at == d && sub.Const == 0 && len(sub.Params) == 0 {
				from := &a.nest.Arrays[r.Array]
				found = found || same(from.Lo[k], lo) && same(from.Hi[k], hi)
			}
		}
	})
	return found
}

// rimElsewhere reports whether some other dimension, of this or another array, exceeds its loop at both
// ends, and by as much as lo..hi exceeds the loop that goes over dimension d of the array. The constants
// in the bounds of both loops must be equal.
func (a *analyzer) rimElsewhere(array, d int, lo, hi ir.Affine) bool {
	loop := a.loopOver(array, d)
	if loop < 0 {
		return false
	}
	l := &a.nest.Loops[loop]
	for other := range a.nest.Arrays {
		arr := &a.nest.Arrays[other]
		for k := range arr.Lo {
			over := a.loopOver(other, k)
			if over < 0 || other == array && k == d {
				continue
			}
			x := &a.nest.Loops[over]
			if below, above, ok := a.reach(other, k); !ok || below+above > 0 {
				continue
			}
			// The rim is what the dimension has beyond its loop.
			first, known := beside(x.Lo[0], arr.Lo[k])
			last, also := beside(arr.Hi[k], x.Hi[0])
			here, rim := beside(l.Lo[0], lo)
			end, far := beside(hi, l.Hi[0])
			if known && also && rim && far && first == here && last == end && first > 0 && last > 0 && x.Hi[0].Const == l.Hi[0].Const && x.Lo[0].Const == l.Lo[0].Const {
				return true
			}
		}
	}
	return false
}

// loopOver is the loop of the first access of an array whose subscript of dimension d is a loop alone or
// with a constant, -1 without one.
func (a *analyzer) loopOver(array, d int) int {
	for _, x := range a.accesses(array) {
		if loop, ok := index(x.subs[d]); ok && loop >= 0 && a.plain(loop) {
			return loop
		}
	}
	return -1
}
