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

// LookupsBeyond warns of subscripts of cells that are looked up, and of cells of constant arrays, other than those that are computed,
// that are beyond the bounds of the array in some iteration for the defaults of parameters, where the cell is certainly evaluated.
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
	found, told := map[diag.Span]bool{}, map[string]bool{} // cells, and messages: once is enough for all such cells
	a.eachCertain(func(_ ir.Stmt, e ir.Expr, piece []ir.Constraint) {
		c, ok := a.lookedUp(e)
		if !ok || found[c.at] {
			return
		}
		d := a.lookupBeyond(c, a.restricted(given, piece), wish)
		if d == nil {
			return
		}
		if found[c.at] = true; !told[d.Message] {
			out, told[d.Message] = append(out, *d), true
		}
	})
	return out
}

// looked is a cell that is looked up, or one of a constant array.
type looked struct {
	name     string
	lo, hi   []ir.Affine
	subs     []ir.Expr
	at, from diag.Span // of the cell, and of the declaration
}

// lookedUp returns the cell that an expression looks up, or reads of a constant array, of a nest in which no mistake is told already; ok
// is false for other expressions.
func (a *analyzer) lookedUp(e ir.Expr) (c looked, ok bool) {
	switch e := e.(type) {
	case *ir.Lookup:
		arr := &a.nest.Arrays[e.Array]
		return looked{arr.Name, arr.Lo, arr.Hi, e.Subs, e.At, arr.Span}, true
	case *ir.ConstCell:
		if a.nest.Analysis == nil {
			return c, false
		}
		c = looked{name: e.Of.Name, subs: e.Subs, at: e.At, from: e.Of.Span}
		for d := range e.Subs {
			c.lo, c.hi = append(c.lo, ir.Affine{Const: e.Of.Lo[d]}), append(c.hi, ir.Affine{Const: e.Of.Hi[d]})
		}
		return c, true
	}
	return c, false
}

// lookupBeyond warns of a cell of which a subscript, which is a sum of loops and parameters, is beyond the bounds at a point of a set;
// nil if there is none.
func (a *analyzer) lookupBeyond(c looked, where *lattice.System, wish []int64) *diag.Diagnostic {
	names := loopNames(a.nest)
	beyond := func(sub ir.Affine, d int) (at []int64, above bool) {
		for side, by := range []ir.Affine{minus(c.lo[d], sub), minus(sub, c.hi[d])} {
			if at := a.restricted(where, []ir.Constraint{plusConst(by, -1)}).Point(wish); at != nil {
				return at, side == 1
			}
		}
		return nil, false
	}
	for d, e := range c.subs {
		sub, ok := (&conditions{body: a.nest.Body, left: maxConditions}).affine(e)
		if !ok {
			continue
		}
		at, above := beyond(sub, d)
		if at == nil {
			continue
		}
		side, bound := "fall below the lower", c.lo[d]
		if above {
			side, bound = "exceed the upper", c.hi[d]
		}
		var values []string
		for k, p := range a.nest.Params {
			if sub.Param(k) != 0 || bound.Param(k) != 0 || a.ranges(sub, k) {
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
			Severity: diag.Warning, Code: diag.OutOfBounds, At: c.at, Kind: diag.Advice,
			Message: fmt.Sprintf("subscript %s of %s may %s bound %s of dimension %d", text, c.name, side, AffineText(a.nest, bound, nil), d+1),
			Notes:   []diag.Note{{At: c.from, Message: c.name + " is declared here"}},
		}
		if len(values) > 0 {
			out.Message += " with the default parameters (" + strings.Join(values, ", ") + ")"
		}
		for k, other := range c.subs {
			_, plain := (&conditions{body: a.nest.Body, left: maxConditions}).affine(other)
			if at, _ := beyond(sub, k); at == nil && !plain && sub.HasIters() {
				out.Hint = fmt.Sprintf("%s is within the bounds of dimension %d: its subscripts exchanged", text, k+1)
			}
		}
		return out
	}
	return nil
}

// ranges reports whether a parameter is in the range of a loop of a subscript.
func (a *analyzer) ranges(sub ir.Affine, param int) bool {
	for k, l := range a.nest.Loops {
		in := func(bound ir.Affine) bool { return bound.Param(param) != 0 }
		if sub.Iter(k) != 0 && slices.ContainsFunc(slices.Concat(l.Lo, l.Hi), in) {
			return true
		}
	}
	return false
}
