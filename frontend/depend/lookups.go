package depend

import (
	"fmt"
	"slices"
	"strings"

	"loopc/ir"
	"loopc/ir/diag"
	"loopc/ir/lattice"
)

// Cells that are looked up: a subscript that is computed is checked as the nest runs. Others, beside it, are sums of loops and
// parameters, and may be known to be beyond the bounds.

// LookupsBeyond warns of subscripts of cells that are looked up, other than those that are computed, that are beyond the bounds of
// the array in some iteration for the defaults of parameters, where the cell is certainly evaluated.
func LookupsBeyond(n *ir.Nest) (out []diag.Diagnostic) {
	a := newTrial(n)
	wish := make([]int64, a.space.params+a.space.depth)
	given := a.space.iterations(0)
	for k, p := range n.Params {
		number := slices.IndexFunc(n.Numbers, func(x ir.Number) bool { return x.Param == k })
		switch {
		case number >= 0 && n.Numbers[number].Item:
			return nil // the caller gives it
		case number >= 0 || p.Span == (diag.Span{}): // of a repeat
			continue
		case p.Default == nil:
			return nil
		}
		wish[k] = int64(*p.Default)
		a.space.in(given).addZero(ir.Affine{Params: append(make([]int, k), 1), Const: -*p.Default})
	}
	told := map[diag.Span]bool{}
	for _, s := range n.Body {
		w, ok := s.(*ir.Assign)
		if !ok {
			continue
		}
		under := func(c certain, cond ir.Expr, value bool) certain {
			exact, known := exactly(n.Body, cond, value)
			return certain{c.where.and(exact), c.known && known && len(c.where)*len(exact) <= maxPieces}
		}
		evaluated(w.Expr, certain{always, true}, under, func(e ir.Expr, c certain) {
			l, ok := e.(*ir.Lookup)
			for _, piece := range c.where {
				if ok && c.known && len(piece) < maxForms && !told[l.At] {
					if d := a.lookupBeyond(l, a.restricted(given, piece), wish); d != nil {
						out, told[l.At] = append(out, *d), true
					}
				}
			}
		})
	}
	return out
}

// lookupBeyond warns of a cell of which a subscript, which is a sum of loops and parameters, is beyond the bounds at a point of a set;
// nil if there is none.
func (a *analyzer) lookupBeyond(l *ir.Lookup, where *lattice.System, wish []int64) *diag.Diagnostic {
	arr, names := &a.nest.Arrays[l.Array], loopNames(a.nest)
	beyond := func(sub ir.Affine, d int) (at []int64, above bool) {
		for side, by := range []ir.Affine{minus(arr.Lo[d], sub), minus(sub, arr.Hi[d])} {
			if at := a.restricted(where, []ir.Constraint{plusConst(by, -1)}).Point(wish); at != nil {
				return at, side == 1
			}
		}
		return nil, false
	}
	for d, e := range l.Subs {
		sub, ok := (&conditions{body: a.nest.Body, left: maxConditions}).affine(e)
		if !ok {
			continue
		}
		at, above := beyond(sub, d)
		if at == nil {
			continue
		}
		side, bound := "fall below the lower", arr.Lo[d]
		if above {
			side, bound = "exceed the upper", arr.Hi[d]
		}
		var values []string
		for k, p := range a.nest.Params {
			if sub.Param(k) != 0 || bound.Param(k) != 0 {
				values = append(values, fmt.Sprintf("%s = %d", p.Name, at[k]))
			}
		}
		for k, name := range names {
			if sub.Iter(k) != 0 {
				values = append(values, fmt.Sprintf("%s = %d", name, at[a.space.params+k]))
			}
		}
		text := AffineText(a.nest, sub, names)
		out := &diag.Diagnostic{
			Severity: diag.Warning, Code: diag.OutOfBounds, At: l.At, Kind: diag.Advice,
			Message: fmt.Sprintf("subscript %s of %s may %s bound %s of dimension %d", text, arr.Name, side, AffineText(a.nest, bound, nil), d+1),
			Notes:   []diag.Note{{At: arr.Span, Message: arr.Name + " is declared here"}},
		}
		if len(values) > 0 {
			out.Message += " with the default parameters (" + strings.Join(values, ", ") + ")"
		}
		for k, other := range l.Subs {
			_, plain := (&conditions{body: a.nest.Body, left: maxConditions}).affine(other)
			if at, _ := beyond(sub, k); at == nil && !plain && sub.HasIters() {
				out.Hint = fmt.Sprintf("%s is within the bounds of dimension %d: its subscripts exchanged", text, k+1)
			}
		}
		return out
	}
	return nil
}
