package depend

import (
	"slices"
	"strings"
	"unicode"

	"loopc/ir"
)

// Accesses of one place in the source: a small loop that is written out has several. A change of the source changes all of them.

// exchangedAt are the cells with which access y is right if its subscripts d and k are exchanged, or only the loops
// in them, for which may returns true.
func (a *analyzer) exchangedAt(y access, d, k int, may func([]ir.Affine) bool) (cells []way) {
	if cells, many := a.exchangedInAll(y, d, k); many {
		return cells
	}
	whole, loops := slices.Clone(y.subs), slices.Clone(y.subs)
	whole[d], whole[k] = y.subs[k], y.subs[d]
	loops[d], loops[k] = plusConst(y.subs[k], y.subs[d].Const-y.subs[k].Const), plusConst(y.subs[d], y.subs[k].Const-y.subs[d].Const)
	for _, other := range [][]ir.Affine{loops, whole} {
		text := a.text(y.array, other) + " in place of " + a.text(y.array, y.subs)
		if !slices.EqualFunc(other, y.subs, same) && !slices.ContainsFunc(cells, func(w way) bool { return w.text == text }) && may(other) && a.right(y, other) {
			cells = append(cells, way{text, ""})
		}
	}
	return cells
}

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

// reordered is access y in the words of the source, with its subscripts in an order in which the loops of all reads, or of all writes,
// of its array have the lengths of their dimensions, if the nest is right with them; "" if there is no such order. Some loop of y has
// another length now, and all accesses with such a loop get the order.
func (a *analyzer) reordered(y access) string {
	cell, d := a.subscriptsAt(y), 0
	if cell == nil || len(cell) > mostOrdered {
		return ""
	}
	for !a.misfit(y.array, d, y.subs) {
		d++
	}
	for _, order := range orders(len(cell), d) {
		n, fit := *a.nest, true
		n.Reads, n.Body = slices.Clone(n.Reads), slices.Clone(n.Body)
		for _, x := range a.accesses(y.array) {
			if (x.read < 0) == (y.read < 0) && a.misfits(x.array, x.subs) > 0 {
				subs := inOrder(x.subs, order)
				fit = fit && a.misfits(x.array, subs) == 0
				withSubscripts(&n, x, subs)
			}
		}
		if fit && a.affords(workOf(a.nest)) && right(&n, y.array) {
			name := a.nest.Arrays[y.array].Name
			return name + "[" + strings.Join(inOrder(cell, order), ",") + "] in place of " + name + "[" + strings.Join(cell, ",") + "]"
		}
	}
	return ""
}

// inOrder is a list in which item d is the one that was item order[d].
func inOrder[T any](list []T, order []int) (out []T) {
	for _, from := range order {
		out = append(out, list[from])
	}
	return out
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

// isWrittenOut reports whether subscript d of an access is a number, and something else in the source: a loop over numbers was written
// out.
func (a *analyzer) isWrittenOut(x access, d int) bool {
	cell := a.subscriptsAt(x)
	_, number := beside(x.subs[d], ir.Affine{})
	return cell != nil && number && strings.ContainsFunc(cell[d], unicode.IsLetter)
}
