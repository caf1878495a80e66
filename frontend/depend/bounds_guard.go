package depend

import (
	"slices"
	"strings"

	"loopc/ir"
	"loopc/ir/diag"
)

// Evidence of what the user meant by a subscript beyond the bounds. A condition around the read suggests that the
// subscript is right. Cells beyond the opposite bound that nothing reads suggest that its sign is wrong.

// inSelect reports whether the nest reads this cell only in selects, and in one whose condition compares a loop of subscript d. Such
// a condition most likely says at which iterations the cell is read.
func (a *analyzer) inSelect(array, d int, subs []ir.Affine) bool {
	if a.readOutside(array, subs) {
		return false
	}
	for loop, c := range subs[d].Iters {
		if c != 0 && a.inSelectOf(array, subs, loop) {
			return true
		}
	}
	return false
}

// readOutside reports whether the nest also reads a cell where no select chooses: conditions of others do not help there.
func (a *analyzer) readOutside(array int, subs []ir.Affine) bool {
	found := false
	for _, s := range a.nest.Body {
		ir.WalkAlways(ir.Value(s), func(e ir.Expr) {
			r, ok := e.(*ir.Read)
			found = found || ok && r.Array == array && slices.EqualFunc(r.Subs, subs, same)
		})
	}
	return found
}

// inSelectOf reports whether the nest reads this cell in a select whose condition compares a loop, see compares.
func (a *analyzer) inSelectOf(array int, subs []ir.Affine, loop int) bool {
	return slices.ContainsFunc(a.nest.Body, func(s ir.Stmt) bool {
		return selected(ir.Value(s), array, subs, func(cond ir.Expr) bool { return compares(cond, loop) })
	})
}

// inSelectOfLoops reports whether the nest reads this cell in a select whose condition compares loops, and no cells: it chooses the
// iterations that read the cell, although not by the loop that leaves the bounds.
func (a *analyzer) inSelectOfLoops(array int, subs []ir.Affine) bool {
	return !a.readOutside(array, subs) && slices.ContainsFunc(a.nest.Body, func(s ir.Stmt) bool {
		return selected(ir.Value(s), array, subs, func(cond ir.Expr) bool {
			reads := false
			ir.Walk(cond, func(x ir.Expr) {
				_, cell := x.(*ir.Read)
				_, let := x.(*ir.LocalRef)
				reads = reads || cell || let
			})
			return !reads && a.comparesLoop(cond)
		})
	})
}

// comparesLoop reports whether a condition compares any loop.
func (a *analyzer) comparesLoop(cond ir.Expr) bool {
	for loop := range a.nest.Loops {
		if compares(cond, loop) {
			return true
		}
	}
	return false
}

// chooser is the word that the source has for a select that reads a cell: "select", or "if" for one that lowering has made.
func (a *analyzer) chooser(array int, subs []ir.Affine) string {
	word := "select"
	for _, stmt := range a.nest.Body {
		ir.Walk(ir.Value(stmt), func(x ir.Expr) {
			s, ok := x.(*ir.Select)
			if !ok || s.At.Line < 1 || s.At.Line > len(a.nest.Source) || !selected(s, array, subs, nil) {
				return
			}
			line := []rune(a.nest.Source[s.At.Line-1])
			if rest := string(line[min(max(s.At.Col-1, 0), len(line)):]); !strings.HasPrefix(rest, word) {
				word = "if"
			}
		})
	}
	return word
}

// selected reports whether e reads a cell in one of the values of a select. If given is not nil, it returns for the
// condition of a select whether this select counts.
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

// compares reports whether a condition depends on the value of a loop, or of parameter p if loop is -1-p, and not only on its
// remainder or on cells of arrays.
func compares(e ir.Expr, loop int) bool {
	switch e := e.(type) {
	case *ir.IterRef:
		return e.Iter == loop
	case *ir.ParamRef:
		return -1-e.Param == loop
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
		return true // the let may depend on the loop
	}
	return false
}

// mirrored returns the text of the cell with the opposite offset in subscript d, such as u[i-1] for u[i+1]. It returns
// "" unless the array has cells there that nothing else accesses, and the nest is right if it reads these cells.
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

// curesSeveral reports whether the nest n, with changed loops, has no wrong access while the analyzed nest has wrong
// accesses of several arrays. The bounds of the arrays are then right, and the loops are wrong.
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
