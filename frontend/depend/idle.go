package depend

import (
	"slices"
	"strings"

	"loopc/ir"
	"loopc/ir/diag"
)

// IdleSlices warns of returned slices in which no statement writes a cell, although the nests write
// other cells of the array: the caller only gets the initial content of the slice.
func IdleSlices(arrays []ir.Array, nests []*ir.Nest) (out []diag.Diagnostic) {
	for k := range arrays {
		arr := &arrays[k]
		if arr.Init == nil {
			continue
		}
		for d, fixed := range arr.Out {
			// last is the last subscript of the last statement, longer is of the first nest that gives it.
			last, written, idle, longer := ir.Affine{}, false, fixed != nil, ""
			for _, n := range nests {
				a := newAnalyzer(n)
				for _, stmt := range n.Assigns(k) {
					hi, apart := a.apartFrom(a.writing(stmt).subs[d], fixed)
					last, written, idle = hi, true, idle && apart
				}
				if idle && written && longer == "" {
					longer = a.longerLoops(k)
				}
			}
			if !idle || !written || certainlyBeyond(arr, d, *fixed) {
				continue
			}
			cell := func(f ir.Affine) string { return arr.Name + "[" + sliceText(nests[0], arr, d, f) + "]" }
			ways := []way{{"out " + cell(last), "which is what the loop writes last"}}
			if longer != "" {
				ways = append([]way{{longer, "whose iterations are all within the bounds"}}, ways...)
			}
			out = append(out, diag.Diagnostic{
				Severity: diag.Warning, Code: diag.NoResult, At: arr.OutSpan,
				Message: cell(*fixed) + " is never written: it is always what init gives",
				Hint:    oneOf(ways), Kind: diag.Advice,
			})
		}
	}
	return out
}

// certainlyBeyond reports whether a subscript without loops is beyond a bound of dimension d for all parameters.
func certainlyBeyond(arr *ir.Array, d int, sub ir.Affine) bool {
	below, known := beside(arr.Lo[d], sub)
	above, also := beside(sub, arr.Hi[d])
	return known && below > 0 || also && above > 0
}

// apartFrom reports whether subscript sub is certain never to have the value fixed: sub must be a plain loop plus a
// constant or parameters, else apart is false. last is the value of sub in the last iteration of the loop.
func (a *analyzer) apartFrom(sub ir.Affine, fixed *ir.Affine) (last ir.Affine, apart bool) {
	loop, ok := index(sub)
	if fixed == nil || !ok || loop < 0 || !a.plain(loop) {
		return last, false
	}
	l, rest := &a.nest.Loops[loop], minus(sub, iterator(loop, a.space.depth))
	lo, hi := l.Lo[0].PlusTimes(1, rest), l.Hi[0].PlusTimes(1, rest)
	low, known := beside(lo, *fixed)
	high, also := beside(*fixed, hi)
	last = hi
	if l.Backward {
		last = lo
	}
	last.Iters = nil
	return last, known && low > 0 || also && high > 0
}

// sliceText returns the text of the slice of arr with f in place of the subscript of dimension d.
func sliceText(n *ir.Nest, arr *ir.Array, d int, f ir.Affine) string {
	var parts []string
	for k, at := range arr.Out {
		switch {
		case k == d:
			parts = append(parts, AffineText(n, f, nil))
		case at == nil:
			parts = append(parts, "*")
		default:
			parts = append(parts, AffineText(n, *at, nil))
		}
	}
	return strings.Join(parts, ",")
}

// longerLoops returns, for each loop in a subscript that writes the array, the longest range with which all subscripts
// stay within the bounds of their arrays. It leaves out loops that are not known to become longer; "" if none is left.
func (a *analyzer) longerLoops(array int) string {
	var ranges []string
	for k := range a.nest.Loops {
		l := &a.nest.Loops[k]
		writes := slices.ContainsFunc(a.nest.Assigns(array), func(stmt int) bool {
			return slices.ContainsFunc(a.writing(stmt).subs, func(sub ir.Affine) bool {
				loop, ok := index(sub)
				return ok && loop == k
			})
		})
		if r, ok := a.roomOf(k, func(access, int) bool { return false }); ok && writes && r.found && r.low <= 0 && r.high >= 0 && r.low < r.high {
			ranges = append(ranges, l.Name+" = "+a.way(l, plusConst(l.Lo[0], r.low), plusConst(l.Hi[0], r.high)))
		}
	}
	if len(ranges) == 1 {
		return "the loop " + ranges[0]
	} else if len(ranges) > 1 {
		return "the loops " + strings.Join(ranges, ", ")
	}
	return ""
}
