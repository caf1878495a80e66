package depend

import (
	"slices"
	"strings"

	"loopc/ir"
)

// Accesses of one place in the source: a small loop that is written out has several. A change of the source changes all of them.

// exchangedInAll is exchangedAt for an access whose place in the source has others: subscripts d and k of all of them are exchanged,
// in the words of the source. many is false if there are no others.
func (a *analyzer) exchangedInAll(y access, d, k int) (cells []way, many bool) {
	var copies []access
	for _, x := range a.accesses(y.array) {
		if x.at == y.at && (x.read < 0) == (y.read < 0) {
			copies = append(copies, x)
		}
	}
	if len(copies) < 2 {
		return nil, false
	}
	cell := a.subscriptsAt(y)
	if cell == nil || cell[d] == cell[k] || !a.affords(workOf(a.nest)) {
		return nil, true
	}
	n := *a.nest
	n.Reads, n.Body = slices.Clone(n.Reads), slices.Clone(n.Body)
	for _, x := range copies {
		subs := slices.Clone(x.subs)
		subs[d], subs[k] = subs[k], subs[d]
		withSubscripts(&n, x, subs)
	}
	if !right(&n, y.array) {
		return nil, true
	}
	name, before := a.nest.Arrays[y.array].Name, strings.Join(cell, ",")
	cell[d], cell[k] = cell[k], cell[d]
	return []way{{name + "[" + strings.Join(cell, ",") + "] in place of " + name + "[" + before + "]", ""}}, true
}

// withSubscripts gives an access of n other subscripts. The lists of reads and of statements are those of n alone.
func withSubscripts(n *ir.Nest, x access, subs []ir.Affine) {
	if x.read >= 0 {
		r := *n.Reads[x.read]
		r.Subs = subs
		n.Reads[x.read] = &r
		return
	}
	s := *n.Body[x.stmt].(*ir.Assign)
	s.Subs = subs
	n.Body[x.stmt] = &s
}

// subscriptsAt are the subscripts of an access as the source has them, without spaces; nil if its place has something else.
func (a *analyzer) subscriptsAt(x access) (list []string) {
	if x.at.Line < 1 || x.at.Line > len(a.nest.Source) {
		return nil
	}
	line := []rune(a.nest.Source[x.at.Line-1])
	first := min(max(x.at.Col-1, 0), len(line))
	text := strings.ReplaceAll(string(line[first:min(first+x.at.Len, len(line))]), " ", "")
	rest, found := strings.CutPrefix(text, a.nest.Arrays[x.array].Name+"[")
	if !found || !strings.HasSuffix(rest, "]") {
		return nil
	}
	depth, begin := 0, 0
	for k, c := range rest {
		switch {
		case c == '[' || c == '(':
			depth++
		case depth == 0 && (c == ',' || c == ']'):
			list, begin = append(list, rest[begin:k]), k+1
		case c == ']' || c == ')':
			depth--
		}
	}
	if len(list) != len(x.subs) {
		return nil
	}
	return list
}
