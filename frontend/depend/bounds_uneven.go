package depend

import (
	"fmt"
	"slices"

	"loopc/ir"
	"loopc/ir/diag"
)

// Hints for subscripts beyond the bounds whose loop has bounds that depend on other loops, and for
// subscripts in the wrong order, or with constants in the wrong order. Every proposal is tried.

// withinUneven does what withinBounds does, for a loop whose bounds depend on other loops, or are several.
func (a *analyzer) withinUneven(array, d int, subs []ir.Affine, above bool) string {
	if a.trial || a.uneven >= maxUneven {
		return ""
	}
	a.uneven++
	if other := a.permuted(array, subs); other != "" {
		return other + ", with its subscripts in another order, is within the bounds"
	}
	loop, _ := index(subs[d])
	hint := a.clamped(loop)
	wide := a.widerBy(array, d, above)
	switch {
	case hint == "":
		return wide
	case wide != "":
		return oneOf([]way{{hint, "leaving out the other iterations"}, {wide, a.widerMeans(array)}})
	}
	return hint + withinThen
}

// maxUneven bounds the accesses for which withinUneven tries changes.
const maxUneven = 12

// inBounds reports whether no subscript of a nest, changed as a hint says, may leave the bounds. Only diagnostics
// of the given array count, or all if array is -1. Checks at launch count, except those of slices.
func inBounds(n *ir.Nest, array int) bool {
	t := newTrial(n)
	slice := func(at diag.Span) bool { // the hint does not change it
		return slices.ContainsFunc(n.Arrays, func(arr ir.Array) bool { return arr.Out != nil && arr.OutSpan == at })
	}
	of := func(notes []diag.Note) bool {
		return array < 0 || slices.ContainsFunc(notes, func(x diag.Note) bool { return x.At == n.Arrays[array].Span })
	}
	t.settled = func() bool {
		return slices.ContainsFunc(t.diags, func(d diag.Diagnostic) bool { return d.Code == diag.OutOfBounds && of(d.Notes) }) ||
			slices.ContainsFunc(t.checks, func(c ir.Check) bool { return c.Code == diag.OutOfBounds && !slice(c.At) })
	}
	t.checkAccesses()
	return !t.settled()
}

// permuted is a read with its subscripts in another order, with which no subscript of the nest may leave the
// bounds. It is "" if there is no such order or no single one, or if the nest writes the array.
func (a *analyzer) permuted(array int, subs []ir.Affine) (cell string) {
	read := slices.IndexFunc(a.nest.Reads, func(r *ir.Read) bool { return r.Array == array && slices.EqualFunc(r.Subs, subs, same) })
	if read < 0 || len(a.nest.Assigns(array)) > 0 || len(subs) > 4 {
		return ""
	}
	count, inOrder := 0, false
	var along func(order []ir.Affine, rest []ir.Affine)
	along = func(order, rest []ir.Affine) {
		if len(rest) > 0 {
			for k := range rest {
				along(append(slices.Clone(order), rest[k]), slices.Delete(slices.Clone(rest), k, k+1))
			}
			return
		}
		n := *a.nest
		n.Reads = slices.Clone(n.Reads)
		x := *n.Reads[read]
		x.Subs = order
		n.Reads[read] = &x
		if slices.EqualFunc(order, subs, same) || !inBounds(&n, -1) {
			return
		}
		// Of several such orders, that of the loops is meant.
		if sorted := slices.IsSortedFunc(order, func(f, g ir.Affine) int { return len(f.Iters) - len(g.Iters) }); sorted || !inOrder {
			count++
			if sorted && !inOrder {
				count, inOrder = 1, true
			}
			cell = a.text(array, order)
		}
	}
	along(nil, subs)
	if count > 1 {
		return ""
	}
	return cell
}

// clamped is a loop whose bounds are joined by max or min to those that its subscripts need. It is "" if these
// are not known, or if some subscript of the nest still leaves its bounds.
func (a *analyzer) clamped(loop int) string {
	var low, high *ir.Affine
	for array := range a.nest.Arrays {
		for _, x := range a.accesses(array) {
			for d, sub := range x.subs {
				if at, ok := index(sub); !ok || at != loop {
					continue
				}
				rest := minus(sub, iterator(loop, a.space.depth))
				lo, hi := minus(a.nest.Arrays[array].Lo[d], rest), minus(a.nest.Arrays[array].Hi[d], rest)
				if !greatest(&low, lo, 1) || !greatest(&high, hi, -1) {
					return ""
				}
			}
		}
	}
	if low == nil {
		return ""
	}
	l := &a.nest.Loops[loop]
	for _, sides := range [][2]bool{{true, false}, {false, true}, {true, true}} {
		n := *a.nest
		n.Loops = slices.Clone(n.Loops)
		x := &n.Loops[loop]
		if sides[0] {
			x.Lo = withBound(l.Lo, *low, 1)
		}
		if sides[1] {
			x.Hi = withBound(l.Hi, *high, -1)
		}
		if inBounds(&n, -1) {
			first, last := a.boundsText(x.Lo, "max"), a.boundsText(x.Hi, "min")
			if l.Backward {
				return fmt.Sprintf("the loop %s = %s..%s step -1", l.Name, last, first)
			}
			return fmt.Sprintf("the loop %s = %s..%s", l.Name, first, last)
		}
	}
	return ""
}

// greatest sets *most to the greater of *most and f, or to the lesser if sign is -1. It returns false if it depends on
// parameters which is greater.
func greatest(most **ir.Affine, f ir.Affine, sign int) bool {
	if *most == nil {
		*most = &f
		return true
	}
	by, known := beside(f, **most)
	if known && by*sign > 0 {
		*most = &f
	}
	return known
}

// withBound adds a bound to those of a loop, and drops bounds that it makes redundant. sign is 1 for lower bounds.
func withBound(bounds []ir.Affine, f ir.Affine, sign int) []ir.Affine {
	rest := slices.DeleteFunc(slices.Clone(bounds), func(b ir.Affine) bool {
		by, known := beside(f, b)
		return known && by*sign >= 0
	})
	return append([]ir.Affine{f}, rest...)
}

// boundsText is the text of the bounds of a loop; several are joined by max or min.
func (a *analyzer) boundsText(bounds []ir.Affine, join string) string {
	names := loopNames(a.nest)
	if len(bounds) == 1 {
		return AffineText(a.nest, bounds[0], names)
	}
	text := join + "("
	for k, b := range bounds {
		if k > 0 {
			text += ", "
		}
		text += AffineText(a.nest, b, names)
	}
	return text + ")"
}

// farthestWider is the most by which widerBy moves a bound.
const farthestWider = 4

// widerBy is the range for dimension d of an array that begins a few cells before, or ends a few cells behind,
// so that its subscripts are within the bounds; "" if there is none.
func (a *analyzer) widerBy(array, d int, above bool) string {
	n := *a.nest
	n.Arrays = slices.Clone(n.Arrays)
	arr, as := &n.Arrays[array], a.nest.Arrays[array]
	fits := func(by int) bool {
		*arr = as
		if above {
			arr.Hi = slices.Clone(arr.Hi)
			arr.Hi[d].Const += by
		} else {
			arr.Lo = slices.Clone(arr.Lo)
			arr.Lo[d].Const -= by
		}
		return inBounds(&n, array)
	}
	more := as.Init == nil && as.Boundary == nil // wider bounds have what narrower ones have, and nothing else
	for by := 1; by <= farthestWider; by++ {
		if by == 2 && more && !fits(farthestWider) {
			return ""
		}
		if fits(by) {
			return fmt.Sprintf("bounds %s for dimension %d of %s", a.ends(arr.Lo[d], arr.Hi[d]), d+1, arr.Name)
		}
	}
	return ""
}

// likeOthers is the cell that a read probably means: all other reads of written arrays have the same subscripts,
// and this read has their constants in another order, as A[t,k-1] among A[t-1,k] and B[t-1,k]. Reads of a cell that a
// statement writes do not count. It is "" if there is none, or if one statement has both, as in a sweep in both
// directions.
func (a *analyzer) likeOthers(array int, subs []ir.Affine) string {
	var other []ir.Affine
	count := 0
	here := map[int]bool{} // the statements with this cell
	for id, r := range a.nest.Reads {
		here[a.nest.ReadStmt[id]] = here[a.nest.ReadStmt[id]] || r.Array == array && slices.EqualFunc(r.Subs, subs, same)
	}
	for id, r := range a.nest.Reads {
		own := slices.ContainsFunc(a.nest.Assigns(r.Array), func(stmt int) bool { return slices.EqualFunc(r.Subs, a.writing(stmt).subs, same) })
		if own || len(a.nest.Assigns(r.Array)) == 0 || r.Array == array && slices.EqualFunc(r.Subs, subs, same) {
			continue
		}
		if other != nil && !slices.EqualFunc(r.Subs, other, same) || here[a.nest.ReadStmt[id]] {
			return ""
		}
		other = r.Subs
		count++
	}
	if count < 2 || len(other) != len(subs) {
		return ""
	}
	var consts, others []int
	for d := range subs {
		loop, ok := index(subs[d])
		at, also := index(other[d])
		if !ok || !also || loop < 0 || loop != at {
			return ""
		}
		consts, others = append(consts, subs[d].Const), append(others, other[d].Const)
	}
	slices.Sort(consts)
	slices.Sort(others)
	if !slices.Equal(consts, others) {
		return ""
	}
	return unless(a.text(array, other), a.text(array, subs))
}

// unless returns text, or "" if it equals there, the text that the source has at its place.
func unless(text, there string) string {
	if text == there {
		return ""
	}
	return text
}
