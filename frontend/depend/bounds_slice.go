package depend

import (
	"fmt"
	"slices"
	"strings"

	"loopc/ir"
	"loopc/ir/diag"
)

// Slices that are given back with a subscript beyond the bounds.

// withinSlice is the hint for a constant subscript of a slice beyond the bounds of dimension d: its subscripts in another order, a
// count from another number if it is one cell beyond the bound, else more cells.
func (a *analyzer) withinSlice(array, d int, sub ir.Affine, above bool) string {
	arr := &a.nest.Arrays[array]
	lo, hi := arr.Lo[d], sub
	by, known := beside(sub, arr.Hi[d])
	if !above {
		lo, hi = sub, arr.Hi[d]
		by, known = beside(arr.Lo[d], sub)
	}
	next := known && by == 1
	if hint := a.sliceExchanged(arr, d, next); hint != "" && (above || !next) {
		return hint
	}
	wide := fmt.Sprintf("bounds %s for dimension %d of %s", a.ends(lo, hi), d+1, arr.Name)
	if next && a.accessedBeyond(array, d, above) {
		return wide + ", which the nest leaves, too"
	}
	if next {
		return a.lastOf(array, d)
	}
	for e, at := range arr.Out {
		if at == nil && same(sub, arr.Hi[e]) {
			return "" // of dimension e, as a warning says
		}
	}
	return wide
}

// accessedBeyond reports whether the nest itself leaves the bounds of dimension d of an array, above or below.
func (a *analyzer) accessedBeyond(array, d int, above bool) bool {
	t, side := newTrial(a.nest), "below"
	if above {
		side = "exceed"
	}
	t.checkAccesses()
	arr := &a.nest.Arrays[array]
	leaves := func(code diag.Code, at diag.Span, message string) bool {
		return code == diag.OutOfBounds && at != arr.OutSpan && strings.Contains(message, " of "+arr.Name+" ") && strings.Contains(message, side) && strings.HasSuffix(message, fmt.Sprintf("of dimension %d", d+1))
	}
	return slices.ContainsFunc(t.diags, func(x diag.Diagnostic) bool { return leaves(x.Code, x.At, x.Message) }) ||
		slices.ContainsFunc(t.checks, func(c ir.Check) bool { return leaves(c.Code, c.At, c.Message) && holdsByDefault(a.nest, c.Fails) })
}

// sliceExchanged is the hint to exchange the subscript of a slice in dimension d and another one, if both are within the bounds
// then, or, if ends, at the upper ones; "" if they are not.
func (a *analyzer) sliceExchanged(arr *ir.Array, d int, ends bool) string {
	fits := func(sub ir.Affine, e int) bool {
		return (!ends || same(sub, arr.Hi[e])) && a.atLeast(sub, arr.Lo[e], arr) && a.atLeast(arr.Hi[e], sub, arr)
	}
	for e, at := range arr.Out {
		if e == d || at == nil || !fits(*at, d) || !fits(*arr.Out[d], e) {
			continue
		}
		words := make([]string, len(arr.Out))
		for k, sub := range arr.Out {
			if words[k] = "*"; sub != nil {
				words[k] = AffineText(a.nest, *sub, nil)
			}
		}
		words[d], words[e] = words[e], words[d]
		return fmt.Sprintf("out %s[%s]: its subscripts exchanged are within the bounds", arr.Name, strings.Join(words, ", "))
	}
	return ""
}

// atLeast reports whether f is at least g for all parameters with which the array has cells.
func (a *analyzer) atLeast(f, g ir.Affine, arr *ir.Array) bool {
	below := a.space.parameters(0)
	for d := range arr.Lo {
		a.space.in(below).add(minus(arr.Hi[d], arr.Lo[d]))
	}
	a.space.in(below).add(plusConst(minus(g, f), -1))
	return below.Empty()
}
