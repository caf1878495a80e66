package frontend

import (
	"fmt"
	"slices"
	"strings"

	"loopc/ir"
	"loopc/ir/diag"
)

// Arrays without use: no result needs their content, or no statement writes them.

// unused warns of arrays that the nests write and that no result needs. Results are reductions and
// returned arrays; they need the arrays that are read to compute them. If there are no results, one
// warning says so.
func unused(arrays []ir.Array, nests []*ir.Nest) (out []diag.Diagnostic) {
	needed, reduced := neededArrays(arrays, nests)
	none := !reduced && !slices.Contains(needed, true)
	last := none && slices.ContainsFunc(arrays, func(x ir.Array) bool { return isFinal(&x, arrays, nests) })
	for a := range arrays {
		arr := &arrays[a]
		w := firstWrite(arr, nests, a)
		if w == nil || needed[a] || last && !isFinal(arr, arrays, nests) {
			continue
		}
		d := diag.Diagnostic{
			Severity: diag.Warning, Code: diag.NoResult, At: w.Span,
			Message: arr.Name + " is computed, and nothing that is given back needs it",
			Hint:    fmt.Sprintf("out %s[%s]", arr.Name, strings.Join(slices.Repeat([]string{"*"}, len(arr.Lo)), ", ")),
		}
		if name := spanText(nests[0].Source, w.Span); !strings.HasPrefix(name, arr.Name) { // the array stores a let or var of the source
			if d.Hint = ""; !strings.HasPrefix(arr.Name, name) {
				d.Message = strings.Replace(d.Message, arr.Name, name, 1)
			}
		}
		if none {
			d.Message = "nothing that is computed is given back: all that is written are internal arrays"
			if k := slices.IndexFunc(arrays, func(x ir.Array) bool { return x.Returned() && x.Role != ir.InOut }); k >= 0 {
				d.Notes = []diag.Note{{At: arrays[k].Span, Message: arrays[k].Name + " is given back, and no nest writes it"}}
				if len(arrays[k].Lo) == len(arr.Lo) && d.Hint != "" {
					d.Hint = fmt.Sprintf("one of these: %s; or a for behind this one, which copies %s to %s", d.Hint, arr.Name, arrays[k].Name)
					d.Kind = diag.Advice
				}
			}
			return []diag.Diagnostic{d}
		}
		out = append(out, d)
	}
	return out
}

// isFinal reports whether an array is what a program computes last: nests write it, and compute no other array of it.
func isFinal(arr *ir.Array, arrays []ir.Array, nests []*ir.Nest) bool {
	a := slices.IndexFunc(arrays, func(x ir.Array) bool { return x.Name == arr.Name })
	read := false
	for _, n := range nests {
		for _, s := range n.Body {
			if w, ok := s.(*ir.Assign); ok && w.Array != a {
				readsOf(n, w.Expr, func(r *ir.Read) bool {
					read = read || r.Array == a
					return false
				})
			}
		}
	}
	return !read && firstWrite(arr, nests, a) != nil
}

// neededArrays are the arrays that results need, and whether there are reductions.
func neededArrays(arrays []ir.Array, nests []*ir.Nest) (needed []bool, reduced bool) {
	needed = make([]bool, len(arrays))
	for a := range arrays {
		needed[a] = arrays[a].Returned() && firstWrite(&arrays[a], nests, a) != nil
	}
	for grown := true; grown; {
		grown = false
		for _, n := range nests {
			for _, s := range n.Body {
				var value ir.Expr
				switch s := s.(type) {
				case *ir.Reduce:
					value, reduced = s.Expr, true
				case *ir.Assign:
					if needed[s.Array] {
						value = s.Expr
					}
				}
				if value == nil {
					continue
				}
				readsOf(n, value, func(r *ir.Read) bool {
					grown = grown || !needed[r.Array]
					needed[r.Array] = true
					return false
				})
			}
		}
	}
	return needed, reduced
}

// firstWrite is the first statement of the text that assigns to an array; nil if there is none. An init does
// not count.
func firstWrite(arr *ir.Array, nests []*ir.Nest, array int) (first *ir.Assign) {
	for _, n := range nests {
		for _, k := range n.Assigns(array) {
			w := n.Body[k].(*ir.Assign)
			if (arr.Init == nil || w.Span != arr.Init.Span) && (first == nil || w.Span.Line < first.Span.Line) {
				first = w
			}
		}
	}
	return first
}

// unwritten warns of arrays that the nests read or return and never write, if init gives all cells
// the same value, or if a result is meant as seemsComputed says, or if the caller gives them to be updated: most likely, another
// array is written by mistake.
func unwritten(arrays []ir.Array, nests []*ir.Nest) (out []diag.Diagnostic) {
	for a := range arrays {
		arr := &arrays[a]
		if arr.Role == ir.InOut && firstWrite(arr, nests, a) == nil && firstRead(nests, a) != nil {
			out = append(out, diag.Diagnostic{Severity: diag.Warning, Code: diag.NotSupplied, At: arr.Span, Kind: diag.Advice,
				Message: "nothing writes " + arr.Name + ": it is given back as it was given",
				Hint:    "declare " + arr.Name + " as in, if it is only read",
			})
			continue
		}
		if arr.Init == nil || firstWrite(arr, nests, a) != nil || len(arr.Init.Ignored()) < len(arr.Init.Names) && !seemsComputed(arr, nests, a) {
			continue
		}
		d := diag.Diagnostic{
			Severity: diag.Warning, Code: diag.NotSupplied, At: arr.Span,
			Message: "nothing writes " + arr.Name + ": it is always what init gives",
		}
		read := firstRead(nests, a)
		switch {
		case arr.Out != nil:
			d.At = arr.OutSpan
		case arr.Returned():
		case read == nil:
			continue
		default:
			d.At, d.Notes = read.At, []diag.Note{{At: arr.Span, Message: arr.Name + " is declared here"}}
		}
		out = append(out, d)
	}
	return out
}

// firstRead is the first read of an array, nil if there is none.
func firstRead(nests []*ir.Nest, array int) *ir.Read {
	for _, n := range nests {
		for _, r := range n.Reads {
			if r.Array == array {
				return r
			}
		}
	}
	return nil
}

// seemsComputed reports whether an array that nothing writes is meant to be computed: its init does not depend on a dimension in which
// a slice is given back, or in which all reads go back or all go ahead, as from one time to the next; or its init only copies an in array, cell by cell.
func seemsComputed(arr *ir.Array, nests []*ir.Nest, array int) bool {
	for _, d := range arr.Init.Ignored() {
		if arr.Out != nil && arr.Out[d] != nil {
			return true
		}
		if goesBackAlong(nests, array, d) {
			return true
		}
	}
	copied, ok := arr.Init.Expr.(*ir.Read)
	if !ok || arr.Boundary != nil || len(copied.Subs) != len(arr.Init.Names) {
		return false
	}
	for d, sub := range copied.Subs {
		if loop, ok := sub.OnlyLoop(); !ok || loop != d || sub.Iter(d) != 1 || sub.Const != 0 || len(sub.Params) > 0 {
			return false
		}
	}
	return true
}

// goesBackAlong reports whether nests read an array only at loops plus a number, always below 0 or always above, in a dimension.
func goesBackAlong(nests []*ir.Nest, array, d int) bool {
	back, ahead := 0, 0
	for _, n := range nests {
		for _, r := range n.Reads {
			if r.Array != array {
				continue
			}
			loop, ok := r.Subs[d].OnlyLoop()
			switch {
			case !ok || loop < 0 || r.Subs[d].Const == 0:
				return false
			case r.Subs[d].Const < 0:
				back++
			default:
				ahead++
			}
		}
	}
	return (back > 0) != (ahead > 0)
}
