package depend

import (
	"fmt"
	"slices"

	"loopc/ir"
)

// Other nests of the program. A hint that changes the bounds of an array, or the numbers of a repeat, changes what all nests mean
// that have them, so it must be right for all of these.

// elsewhere are the other nests of the program that access an array, ready to examine its subscripts.
func (a *analyzer) elsewhere(array int) (list []*analyzer) {
	if a.trial {
		return nil
	}
	for _, n := range a.program {
		if n == a.nest || array >= len(n.Arrays) || n.Arrays[array].Name != a.nest.Arrays[array].Name || tooLarge(n) != nil || tooMany(n) != nil {
			continue
		}
		other := a.others[n]
		if other == nil {
			if a.others == nil {
				a.others = map[*ir.Nest]*analyzer{}
			}
			other = newAnalyzer(n)
			other.trial, other.brief = true, true
			other.findGuards()
			a.others[n] = other
		}
		if len(other.accesses(array)) > 0 {
			list = append(list, other)
		}
	}
	return list
}

// reachElsewhere returns by how many cells other nests go beyond the bounds of dimension d of an array, as far as that is known.
func (a *analyzer) reachElsewhere(array, d int, within bool) (below, above int) {
	for _, other := range a.elsewhere(array) {
		if low, high, ok := other.reachOf(array, d, within); ok {
			below, above = max(below, low), max(above, high)
		}
	}
	return below, above
}

// fitElsewhere reports whether all subscripts of an array in other nests are within the bounds that it has in the nest n.
func (a *analyzer) fitElsewhere(n *ir.Nest, array int) bool {
	return a.fitsElsewhere(n, array, func(x *ir.Nest) bool { return inBounds(x, array) })
}

// fitsElsewhere reports whether all other nests with the array fit if it has the bounds that it has in the nest n.
func (a *analyzer) fitsElsewhere(n *ir.Nest, array int, fit func(*ir.Nest) bool) bool {
	return !slices.ContainsFunc(a.elsewhere(array), func(other *analyzer) bool {
		x := *other.nest
		x.Arrays = slices.Clone(x.Arrays)
		x.Arrays[array].Lo, x.Arrays[array].Hi = n.Arrays[array].Lo, n.Arrays[array].Hi
		return !fit(&x)
	})
}

// sameElsewhere says at which line another nest has a cell with these subscripts, by the names of loops; "" if none has it.
func (a *analyzer) sameElsewhere(array int, subs []ir.Affine) string {
	cell, line := a.text(array, subs), 0
	for _, other := range a.elsewhere(array) {
		for _, x := range other.accesses(array) {
			if other.text(array, x.subs) == cell && (line == 0 || x.at.Line < line) && x.at.Line > 0 {
				line = x.at.Line
			}
		}
	}
	if line == 0 {
		return ""
	}
	return fmt.Sprintf("as in line %d", line)
}

// numberFits reports whether all subscripts with the number of a repeat, in all nests in this repeat, are within their bounds if
// the number begins, and ends, later by the given difference.
func (a *analyzer) numberFits(x ir.Number, by int) bool {
	if !a.fitsShifted(x, by) {
		return false
	}
	for array := range a.nest.Arrays {
		if slices.ContainsFunc(a.elsewhere(array), func(other *analyzer) bool { return !other.fitsShifted(x, by) }) {
			return false
		}
	}
	return true
}

// fitsShifted does what numberFits does, for this nest alone.
func (a *analyzer) fitsShifted(x ir.Number, by int) bool {
	at := slices.IndexFunc(a.nest.Numbers, func(own ir.Number) bool { return own.Param == x.Param })
	if at < 0 {
		return true
	}
	n := *a.nest
	n.Numbers = slices.Clone(n.Numbers)
	n.Numbers[at].Lo, n.Numbers[at].Hi = []ir.Affine{plusConst(x.Lo[0], by)}, []ir.Affine{plusConst(x.Hi[0], by)}
	return a.holdsOnce(fmt.Sprint("shifted ", x.Param, by), func() bool { return allWithin(&n, true) })
}
