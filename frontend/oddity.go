package frontend

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"loopc/frontend/depend"
	"loopc/ir"
	"loopc/ir/diag"
)

// Warnings of what is legal but most likely a mistake. They need the analysis of the nests.

// oddStatement warns of statement k of a nest: see oddities; nil: there is nothing to say.
func oddStatement(n *ir.Nest, k int, params []ir.Param) *diag.Diagnostic {
	switch s := n.Body[k].(type) {
	case *ir.Assign:
		return cmp.Or(wrappingSum(n, s), wrappingCount(n, s, defaultsOf(params)), lostValue(n, k))
	case *ir.Let:
		return cmp.Or(zeroAfter(n, s, k), lostVar(n, k))
	}
	return nil
}

// oddities warns of boundaries without effect, of slices that nothing writes, of inits whose values
// wrap, at once or when a nest adds to them, of inits that have the names of loops in another order, of overwritten results, and of reads
// that come too early.
func oddities(params []ir.Param, arrays []ir.Array, nests []*ir.Nest) (out []diag.Diagnostic) {
	out = append(idleBoundaries(arrays, nests), depend.IdleSlices(arrays, nests)...)
	for a := range arrays {
		if d := otherSlice(nests[0], &arrays[a]); d != nil {
			out = append(out, *d)
		}
		if d := wrappingInit(&arrays[a], params); d != nil {
			out = append(out, *d)
		}
	}
	written := map[int]bool{} // by an earlier nest, not only by what gives an array its first content
	for _, n := range nests {
		for k := range n.Body {
			if d := oddStatement(n, k, params); d != nil {
				out = append(out, *d)
			}
		}
		out = append(out, depend.LookupsBeyond(n)...)
		for _, r := range n.Reduces() {
			if d := alwaysZero(n, r); d != nil {
				out = append(out, *d)
			}
		}
		for a := range n.Arrays {
			if d := wrappingFrom(n, a, &arrays[a], defaultsOf(params)); d != nil && !written[a] && !n.OfInit {
				out = append(out, *d)
			}
			written[a] = written[a] || len(n.Assigns(a)) > 0 && !n.OfInit
			if d := otherOrder(n, a); d != nil {
				out = append(out, *d)
			}
			if d := overwritten(n, a); d != nil {
				out = append(out, *d)
			}
		}
		parts := inComponents(n)
		for id := range n.Reads {
			if d := earlyRead(parts, id); d != nil {
				out = append(out, *d)
				break // one warning is enough for all such reads
			}
		}
	}
	return out
}

// idleBoundaries warns of arrays that have a boundary although nests read them only within their
// bounds.
func idleBoundaries(arrays []ir.Array, nests []*ir.Nest) (out []diag.Diagnostic) {
	for a, arr := range arrays {
		read, beyond := false, false
		for _, n := range nests {
			read = read || slices.ContainsFunc(n.Reads, func(r *ir.Read) bool { return r.Array == a })
			beyond = beyond || n.Analysis == nil || n.Analysis.Beyond[a]
		}
		if arr.Boundary != nil && read && !beyond {
			out = append(out, diag.Diagnostic{
				Severity: diag.Warning, Code: diag.Boundary, At: arr.Span,
				Message: fmt.Sprintf("nothing reads beyond the bounds of %s: its boundary has no effect", arr.Name),
				Hint:    "bounds that are those of the loops, so that reads of neighbors are beyond them", Kind: diag.Advice,
			})
		}
	}
	return out
}

// writtenAt returns the subscripts with which a nest writes an array: for each dimension the loop,
// and the constant that is added to it. Of a subscript that is a number the loop is -1. It returns
// nil unless exactly one statement writes the array, and all its subscripts have these forms.
func writtenAt(n *ir.Nest, array int) (loops, added []int) {
	writers := n.Assigns(array)
	if len(writers) != 1 {
		return nil, nil
	}
	for _, sub := range n.Body[writers[0]].(*ir.Assign).Subs {
		at := slices.Index(sub.Iters, 1)
		if plainNumber(sub) {
			loops, added = append(loops, -1), append(added, sub.Const)
			continue
		}
		if at < 0 || len(sub.Params) > 0 || at != len(sub.Iters)-1 || slices.ContainsFunc(sub.Iters[:at], func(x int) bool { return x != 0 }) {
			return nil, nil
		}
		loops, added = append(loops, at), append(added, sub.Const)
	}
	return loops, added
}

// otherOrder warns of an init if the nest writes the array with loops of the same names as the init's, but in
// another order.
func otherOrder(n *ir.Nest, array int) *diag.Diagnostic {
	arr := &n.Arrays[array]
	loops, _ := writtenAt(n, array)
	if arr.Init == nil || loops == nil || slices.Contains(loops, -1) {
		return nil
	}
	var names []string
	for _, l := range loops {
		names = append(names, n.Loops[l].Name)
	}
	sorted := func(l []string) []string { return slices.Sorted(slices.Values(l)) }
	if len(arr.Init.Ignored()) == len(names) || slices.Equal(names, arr.Init.Names) || !slices.Equal(sorted(names), sorted(arr.Init.Names)) {
		return nil
	}
	return &diag.Diagnostic{
		Severity: diag.Warning, Code: diag.Redeclared, At: arr.Init.Span,
		Message: fmt.Sprintf("the init of %s names its subscripts %s, and the nest writes %s[%s]: a name is that of the subscript at its place",
			arr.Name, strings.Join(arr.Init.Names, ", "), arr.Name, strings.Join(names, ",")),
		Hint: fmt.Sprintf("init %s[%s] = ...", arr.Name, strings.Join(names, ", ")), Kind: diag.Pattern,
	}
}

// spanText is the source at a place.
func spanText(source []string, at diag.Span) string {
	if at.Line < 1 || at.Line > len(source) {
		return "a cell"
	}
	line := []rune(source[at.Line-1])
	first := min(at.Col-1, len(line))
	return string(line[first:max(first, min(first+at.Len, len(line)))])
}
