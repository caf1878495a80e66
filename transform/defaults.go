package transform

import (
	"fmt"
	"slices"
	"strings"

	"loopc/ir"
	"loopc/ir/diag"
	"loopc/ir/lattice"
)

// failsByDefault warns of each check at launch that fails with the default parameters, for some numbers of repeats: such
// a nest runs only with other parameters. It warns of nothing if a parameter has no default.
func failsByDefault(n *ir.Nest) (out []diag.Diagnostic) {
	given, defaults := byDefault(n)
	if given == nil {
		return nil
	}
	beyond := map[int]bool{}        // arrays of which a warning says that they are written beyond their bounds
	told := map[string]bool{}       // remedies given: checks with the same first remedy need the same change
	place := func(c ir.Check) int { // subscripts come first: cells that nothing supplies may follow from them
		if c.Code == diag.OutOfBounds {
			return 0
		}
		return 1
	}
	for _, c := range slices.SortedStableFunc(slices.Values(n.Analysis.Checks), func(x, y ir.Check) int { return place(x) - place(y) }) {
		where := given.Clone()
		for _, f := range c.Fails {
			where.Add(paramsRow(n, f))
		}
		at := where.Point(defaults)
		items := dependsOnItems(n, c.Fails, given)
		remedy, _, _ := strings.Cut(c.Hint, ";") // the first of several
		array, written := arrayAt(n, c.At)
		if at == nil || items || told[remedy] || c.Code == diag.NotSupplied && (wrongWay(n, defaults) || beyond[array]) || c.Code == diag.OutOfBounds && empty(n, array, defaults) {
			continue
		}
		beyond[array] = beyond[array] || written && c.Code == diag.OutOfBounds
		told[remedy] = remedy != ""
		shown := slices.Clone(c.Fails)
		for _, x := range n.Numbers {
			if anyHas(c.Fails, x.Param) {
				shown = slices.Concat(shown, x.Lo, x.Hi)
			}
		}
		var values []string
		for k, x := range n.Params {
			if anyHas(shown, k) {
				values = append(values, fmt.Sprintf("%s = %d", x.Name, at[k]))
			}
		}
		out = append(out, diag.Diagnostic{
			Severity: diag.Warning, Code: c.Code, At: c.At,
			Message: fmt.Sprintf("%s with the default parameters (%s)", c.Message, strings.Join(values, ", ")),
			Hint:    c.Hint,
		})
	}
	return out
}

// dependsOnItems reports whether it depends on parameters of items, which the caller gives, that forms are at least 0. It does not if
// these parameters need only be great enough for a loop to run, and the numbers of batches and repeats are those that fail.
func dependsOnItems(n *ir.Nest, fails []ir.Constraint, given *lattice.System) bool {
	of, others := 0, false
	for _, f := range fails {
		item := slices.IndexFunc(n.Numbers, func(x ir.Number) bool { return x.Item && f.Param(x.Param) != 0 })
		if item < 0 {
			others = others || !given.Implies(paramsRow(n, ir.Affine{Const: f.Const, Params: f.Params}))
			continue
		}
		of++
		p := n.Numbers[item].Param
		alone := ir.Affine{Const: f.Const, Params: slices.Concat(make([]int, p), []int{f.Param(p)})}
		if f.Param(p) < 0 || !alone.Equal(ir.Affine{Const: f.Const, Params: f.Params}) {
			return true
		}
	}
	return of > 0 && !others
}

// arrayAt is the array that is declared, read or written at a place, -1 if there is none.
func arrayAt(n *ir.Nest, at diag.Span) (array int, written bool) {
	if k := slices.IndexFunc(n.Arrays, func(x ir.Array) bool { return x.Span == at }); k >= 0 {
		return k, false
	}
	for _, s := range n.Body {
		if w, ok := s.(*ir.Assign); ok && w.Span == at {
			return w.Array, true
		}
	}
	if k := slices.IndexFunc(n.Reads, func(r *ir.Read) bool { return r.At == at }); k >= 0 {
		return n.Reads[k].Array, false
	}
	return -1, false
}

// empty reports whether an array has no cells with the given parameters: the frontend warns of it, and every subscript is beyond.
func empty(n *ir.Nest, array int, params []int64) bool {
	if array < 0 {
		return false
	}
	arr := &n.Arrays[array]
	for d, lo := range arr.Lo {
		if value(arr.Hi[d], params)+1 < value(lo, params) {
			return true
		}
	}
	return false
}

// value is the value of a form of parameters.
func value(f ir.Affine, params []int64) (v int64) {
	for k, p := range params {
		v += int64(f.Param(k)) * p
	}
	return v + int64(f.Const)
}

// wrongWay reports whether a loop with the given parameters runs in the wrong direction, of which the frontend warns: then cells that
// it does not write are no news.
func wrongWay(n *ir.Nest, params []int64) bool {
	return slices.ContainsFunc(n.Loops, func(l ir.Loop) bool {
		return len(l.Lo) == 1 && len(l.Hi) == 1 && !l.Lo[0].HasIters() && !l.Hi[0].HasIters() && value(l.Lo[0], params) > value(l.Hi[0], params)+1
	})
}

// anyHas reports whether one of the forms has parameter k.
func anyHas(forms []ir.Affine, k int) bool {
	return slices.ContainsFunc(forms, func(f ir.Affine) bool { return f.Param(k) != 0 })
}

// byDefault returns constraints on the parameters: numbers of repeats are within their bounds, all others have their
// defaults. It also returns these defaults, by parameter. Both are nil if a parameter has no default.
func byDefault(n *ir.Nest) (given *lattice.System, defaults []int64) {
	given = lattice.New(len(n.Params))
	number := make([]bool, len(n.Params))
	for _, x := range n.Numbers {
		number[x.Param] = true
	}
	for _, f := range n.NumbersWithin() {
		given.Add(paramsRow(n, f))
	}
	for k, x := range n.Params {
		if x.Default == nil {
			return nil, nil
		}
		defaults = append(defaults, int64(*x.Default))
		if !number[k] {
			given.AddZero(paramsRow(n, ir.Affine{Params: slices.Concat(make([]int, k), []int{1}), Const: -*x.Default}))
		}
	}
	return given, defaults
}

// paramsRow returns a form that has parameters only as a row of a system.
func paramsRow(n *ir.Nest, f ir.Affine) lattice.Row {
	r := make(lattice.Row, len(n.Params)+1)
	for k := range n.Params {
		r[k] = int64(f.Param(k))
	}
	r[len(n.Params)] = int64(f.Const)
	return r
}
