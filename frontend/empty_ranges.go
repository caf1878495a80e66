package frontend

import (
	"fmt"
	"slices"

	"loopc/frontend/depend"
	"loopc/ir"
	"loopc/ir/diag"
)

// Loops that run in the wrong direction, with a bound that depends on a loop or a repeat around: for k = 1..N, i = N..k+1.
// For loops whose bounds are numbers, see emptyRange.

// maxEnds is how many bounds are tried for one end of a range.
const maxEnds = 4

// fewAtEnd is how many iterations a loop may have at most, where the outer loops end, to be one in the wrong direction.
const fewAtEnd = 2

// emptyRanges warns of a loop that has no iterations whatever the outer loops are, or a few only where an outer loop ends; given
// are the diagnostics so far, of which none is about such a loop.
func emptyRanges(n *ir.Nest, given []diag.Diagnostic) (out []diag.Diagnostic) {
	if slices.ContainsFunc(given, isEmptyLoop) {
		return nil // the others may be empty for the same reason
	}
	for k := range n.Loops {
		l := &n.Loops[k]
		for _, lo := range l.Lo {
			for _, hi := range l.Hi {
				if !outerIn(n, lo) && !outerIn(n, hi) {
					continue
				}
				if d := emptyFor(n, k, lo, hi); d != nil {
					return append(out, *d)
				}
			}
		}
	}
	return out
}

// emptyFor is the warning of emptyRanges for loop k with a pair of bounds; nil if there is none.
func emptyFor(n *ir.Nest, k int, lo, hi ir.Affine) *diag.Diagnostic {
	count := hi.PlusTimes(-1, lo)
	count.Const++
	iterations, known := most(n, count)
	if !known || iterations > fewAtEnd || iterations > 0 && !shrinks(n, count) {
		return nil
	}
	var names []string
	for _, l := range n.Loops {
		names = append(names, l.Name)
	}
	l, way := &n.Loops[k], "up"
	from, to := depend.AffineText(n, lo, names), depend.AffineText(n, hi, names)
	if l.Backward {
		from, to, way = to, from, "down"
	}
	d := &diag.Diagnostic{Severity: diag.Warning, Code: diag.EmptyLoop, At: l.Span,
		Message: fmt.Sprintf("loop %s goes %s from %s to %s, and has no iterations", l.Name, way, from, to)}
	if iterations > 0 {
		d.Message += " but where an outer loop ends"
	}
	stride := strideOf(n.Source, l.Span)
	if d.Kind, d.Hint = diag.Example, fmt.Sprintf("%s = %s..%s step -%s", l.Name, from, to, stride); l.Backward {
		d.Hint = fmt.Sprintf("%s = %s..%s", l.Name, from, to)
		if stride != "1" {
			d.Hint += " step " + stride
		}
	}
	if count = (ir.Affine{Iters: count.Iters, Params: count.Params}); count.Equal(ir.Affine{}) { // both ends move alike
		d.Kind, d.Hint = diag.Advice, fmt.Sprintf("another end for one of its bounds, as in %s = %s..%s; or step -1, if it is to go down", l.Name, from, lastEnd(n, to))
		if l.Backward {
			d.Hint = fmt.Sprintf("%s = %s..%s, without step -1, if it is to go up", l.Name, from, to)
		}
	}
	return d
}

// lastEnd is the text of the last number of the innermost loop that a bound of a loop may have for its own end; the given text if
// there is none.
func lastEnd(n *ir.Nest, text string) string {
	for k := range n.Loops {
		if l := &n.Loops[k]; len(l.Hi) == 1 && !l.Hi[0].HasIters() && len(l.Hi[0].Params) > 0 {
			return depend.AffineText(n, l.Hi[0], nil)
		}
	}
	return text
}

// outerIn reports whether a bound of the nest depends on loops or repeats around.
func outerIn(n *ir.Nest, bound ir.Affine) bool {
	return bound.HasIters() || slices.ContainsFunc(n.Numbers, func(x ir.Number) bool { return bound.Param(x.Param) != 0 })
}

// most is the greatest value of a form over the loops and repeats around, if that is the same for all parameters.
func most(n *ir.Nest, f ir.Affine) (value int, known bool) {
	for _, x := range extremes(n, f, true) {
		if !slices.ContainsFunc(x.Params, func(c int) bool { return c != 0 }) && (!known || x.Const < value) {
			value, known = x.Const, true
		}
	}
	return value, known
}

// shrinks reports whether the least value of a form over the loops and repeats around gets less as parameters grow.
func shrinks(n *ir.Nest, f ir.Affine) bool {
	return slices.ContainsFunc(extremes(n, f, false), func(x ir.Affine) bool {
		return slices.ContainsFunc(x.Params, func(c int) bool { return c < 0 }) && !slices.ContainsFunc(x.Params, func(c int) bool { return c > 0 })
	})
}

// extremes are forms of parameters that no value of f over the loops and repeats around exceeds (up), or that all reach.
func extremes(n *ir.Nest, f ir.Affine, up bool) (out []ir.Affine) {
	ends := func(lo, hi []ir.Affine, c int) []ir.Affine {
		if (c > 0) == up {
			return hi[:min(len(hi), maxEnds)]
		}
		return lo[:min(len(lo), maxEnds)]
	}
	for k := len(n.Loops) - 1; k >= 0; k-- {
		if c := f.Iter(k); c != 0 {
			for _, end := range ends(n.Loops[k].Lo, n.Loops[k].Hi, c) {
				out = append(out, extremes(n, shortOf(f, k).PlusTimes(c, end), up)...)
			}
			return out
		}
	}
	for _, x := range slices.Backward(n.Numbers) {
		if c := f.Param(x.Param); c != 0 {
			rest := f
			rest.Params = slices.Clone(f.Params)
			rest.Params[x.Param] = 0
			for _, end := range ends(x.Lo, x.Hi, c) {
				out = append(out, extremes(n, rest.PlusTimes(c, end), up)...)
			}
			return out
		}
	}
	return []ir.Affine{f}
}

// withoutFollowing drops what follows from a loop that has no iterations: that nothing supplies cells for the default parameters,
// and hints for subscripts that are beyond the bounds.
func withoutFollowing(diags []diag.Diagnostic) []diag.Diagnostic {
	at := slices.IndexFunc(diags, isEmptyLoop)
	if at < 0 {
		return diags
	}
	diags = slices.DeleteFunc(diags, func(d diag.Diagnostic) bool { return d.Severity == diag.Warning && d.Code == diag.NotSupplied })
	for k := range diags {
		if d := &diags[k]; d.Code == diag.OutOfBounds && d.Severity == diag.Error && d.Kind == diag.Advice {
			d.Hint = ""
		}
	}
	return diags
}
