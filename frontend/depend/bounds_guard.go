package depend

import (
	"slices"
	"strings"

	"loopc/ir"
	"loopc/ir/diag"
)

// What says that a subscript beyond the bounds is meant, or that its other side is: the condition of a select,
// and the cells that nothing reads.

// inSelect reports whether an expression of the nest reads this cell in a value of a select whose condition
// compares a loop of subscript d: it most likely says where the cell is taken.
func (a *analyzer) inSelect(array, d int, subs []ir.Affine) bool {
	for loop, c := range subs[d].Iters {
		inThis := func(s ir.Stmt) bool {
			return selected(ir.Value(s), array, subs, func(cond ir.Expr) bool { return compares(cond, loop) })
		}
		if c != 0 && slices.ContainsFunc(a.nest.Body, inThis) {
			return true
		}
	}
	return false
}

// selected reports whether e reads a cell in a value of a select. Unless given is nil, only selects count for
// whose condition it returns true.
func selected(e ir.Expr, array int, subs []ir.Affine, given func(ir.Expr) bool) (found bool) {
	ir.Walk(e, func(x ir.Expr) {
		s, ok := x.(*ir.Select)
		if !ok || given != nil && !given(s.Cond) {
			return
		}
		for _, value := range []ir.Expr{s.A, s.B} {
			ir.Walk(value, func(y ir.Expr) {
				r, ok := y.(*ir.Read)
				found = found || ok && r.Array == array && slices.EqualFunc(r.Subs, subs, same)
			})
		}
	})
	return found
}

// compares reports whether a condition depends on where a loop is, other than by a remainder, or by cells.
func compares(e ir.Expr, loop int) bool {
	switch e := e.(type) {
	case *ir.IterRef:
		return e.Iter == loop
	case *ir.Unary:
		return compares(e.X, loop)
	case *ir.Binary:
		return e.Op != ir.Rem && (compares(e.X, loop) || compares(e.Y, loop))
	case *ir.Select:
		return compares(e.Cond, loop) || compares(e.A, loop) || compares(e.B, loop)
	case *ir.Convert:
		return compares(e.X, loop)
	case *ir.Call:
		return slices.ContainsFunc(e.Args, func(x ir.Expr) bool { return compares(x, loop) })
	case *ir.LocalRef:
		return true // it may
	}
	return false
}

// mirrored is the cell on the other side of the loop of subscript d, if the array has cells beyond the loop on
// that side that nothing else reads or writes, and the nest is right if it reads those; "" otherwise.
func (a *analyzer) mirrored(array, d int, subs []ir.Affine) string {
	loop, _ := index(subs[d])
	arr, l, by := &a.nest.Arrays[array], &a.nest.Loops[loop], subs[d].Const
	rim, known := beside(l.Lo[0], arr.Lo[d])
	if by < 0 {
		rim, known = beside(arr.Hi[d], l.Hi[0])
	}
	if a.trial || by == 0 || !known || rim != max(by, -by) {
		return ""
	}
	for _, x := range a.accesses(array) {
		at, ok := index(x.subs[d])
		if !ok || at != loop || x.subs[d].Const*by < 0 {
			return ""
		}
	}
	near := slices.Clone(subs)
	near[d] = plusConst(subs[d], -2*by)
	n := *a.nest
	n.Reads = slices.Clone(n.Reads)
	for id, r := range n.Reads {
		if r.Array == array && slices.EqualFunc(r.Subs, subs, same) {
			x := *r
			x.Subs = near
			n.Reads[id] = &x
		}
	}
	if !right(&n, array) {
		return ""
	}
	return a.text(array, near)
}

// curesSeveral reports whether n, the nest with changed loops, is right, and cures accesses of several arrays: their
// bounds are right rather than these loops.
func (a *analyzer) curesSeveral(n *ir.Nest) bool {
	wrong := 0
	for array := range a.nest.Arrays {
		if len(a.beyond(array)) > 0 {
			wrong++
		}
	}
	return wrong > 1 && right(n, -1)
}

// A cureAt is a hint for subscripts beyond the bounds, and the array or place that it concerns.
type cureAt struct {
	hint  string
	array int
	at    diag.Span
}

// toldAlready reports whether an earlier diagnostic has given this hint for the same loops, the
// same array or the same place. It records the hint.
func (a *analyzer) toldAlready(hint string, array int, at diag.Span) bool {
	cure := cureAt{hint: hint, array: array, at: at}
	switch {
	case hint == "":
		return false
	case strings.HasSuffix(hint, withinThen):
		cure.array, cure.at = -1, diag.Span{}
	case strings.Contains(hint, "the loop") || strings.Contains(hint, "bounds ") || strings.Contains(hint, "boundary "):
		cure.at = diag.Span{}
	}
	if a.told[cure] {
		return true
	}
	a.told[cure] = true
	return false
}
