package frontend

import (
	"slices"

	"loopc/ir/diag"
)

// An array without subscripts in the body of a for that goes over its cells means the cell of the iteration: eq = lut[img] in
// for y, x is eq[y,x] = lut[img[y,x]]. A for over its cells there would compute all of them in each iteration.

const meantMessage = "an assignment is to one cell: the loops around go over the cells of "

// cellMeant reports an assignment to an array without subscripts in the body of a for over its cells, and returns what stands for
// it; nil for others. The hint names no cell if the statement reads its own array, which may be the cell before.
func (t *translator) cellMeant(l []token, around []string) []token {
	if len(l) < 3 || l[0].kind != tokIdent || !l[1].is("=") || t.numbers[l[0].text] || !t.wholly(l[2:]) || !slices.ContainsFunc(l[2:], t.isArray) || t.entireArray(l[2:]).text != "" {
		return nil
	}
	names, whole := t.cellLoops(l[0])
	if !whole {
		return nil
	}
	cell := func(name string) []token { return t.withSubscripts([]token{word(tokIdent, name, l[0])}, names) }
	hint, kind := "", diag.Example
	switch value := t.withSubscripts(l[2:], names); {
	case names == nil || t.bareArray(value):
	case slices.ContainsFunc(l[2:], func(x token) bool { return x.text == l[0].text }):
		hint, kind = textOf(cell(l[0].text))+" for the cell of the iteration, and a subscript less 1 for one of the iteration before", diag.Advice
	default:
		hint, kind = textOf(slices.Concat(cell(l[0].text), l[1:2], value)), diag.Replacement
	}
	if !t.found("cell meant", join(l[0].span(), l[len(l)-1].span()), meantMessage+l[0].text, func() string { return hint }, kind) {
		return nil
	}
	if kind != diag.Replacement {
		return t.inPlaceOf("", l[0], around)
	}
	out, _ := scan([]byte(hint))
	return moved(out[:len(out)-1], l[0])
}

// cellLoops are the loops of the fors around an array that go over its dimensions, but for a few cells at the ends, in their order.
// It reports whether there are such loops, and returns none if it is not known which dimension is whose.
func (t *translator) cellLoops(array token) (names []string, whole bool) {
	n, known := t.dims[array.text], true
	for _, h := range t.headersAround(array) {
		open := slices.IndexFunc(h, func(x token) bool { return x.is("{") })
		if !h[0].is("for") || open < 0 {
			continue
		}
		for _, loop := range commas(h[1:open]) {
			fits := func(d int) bool {
				return len(loop) > 4 && loop[1].is("=") && nearEnds(cut(loop[2:], ".."), t.extent(array, d))
			}
			if fits(len(names)) {
				names = append(names, loop[0].text)
				continue
			}
			for d := range n {
				known = known && !fits(d)
			}
		}
	}
	if n == 0 || len(names) < n {
		return nil, false
	} else if !known || len(names) > n {
		return nil, true
	}
	return names, true
}

// mostAside is by how many cells a loop over the cells of an array may begin and end beside its bounds.
const mostAside = 2

// nearEnds reports whether the ends of two ranges differ by no more than a few cells, whatever the parameters are.
func nearEnds(a, b [][]token) bool {
	if len(a) != 2 || len(b) != 2 {
		return false
	}
	for k := range a {
		x, ok := linear(a[k])
		y, also := linear(b[k])
		by := x.plus(y, -1)
		if !ok || !also || len(by.names) > 0 || max(by.number, -by.number) > mostAside {
			return false
		}
	}
	return true
}

// loopsAround are the names of the loops around the line of a token, as lines are indented.
func (t *translator) loopsAround(line token) (names []string) {
	for _, h := range t.headersAround(line) {
		for j, x := range h {
			if x.kind == tokIdent && j+1 < len(h) && (h[j+1].is("=") || h[j+1].is("in")) {
				names = append(names, x.text)
			}
		}
	}
	return names
}

// headersAround are the headers of the loops around the line of a token, as lines are indented.
func (t *translator) headersAround(line token) (open [][]token) {
	leave := func(indent int) {
		for len(open) > 0 && open[len(open)-1][0].indent >= indent {
			open = open[:len(open)-1]
		}
	}
	for k, x := range t.tokens {
		if x.pos.Line >= line.pos.Line {
			break
		}
		if k > 0 && t.sameLine(k-1, k) {
			continue
		}
		leave(x.indent)
		if x.is("for") || x.named("do", "while", "repeat", "foreach") {
			last := k
			for t.sameLine(k, last+1) && last-k < maxForeignTokens {
				last++
			}
			open = append(open, t.tokens[k:last+1])
		}
	}
	leave(line.indent)
	return open
}

// ofLoops reports whether a cell of the named array has one of some loops among its subscripts.
func (t *translator) ofLoops(array string, loops []string) bool {
	for k, x := range t.tokens {
		if x.text != array || x.kind != tokIdent || !t.at(k+1).opens() {
			continue
		}
		l := t.tokens[k+1 : min(len(t.tokens), k+maxForeignTokens)]
		l = l[:partner(l)+1]
		cells, _ := bracketsOf(l)
		for n, y := range l {
			if slices.Contains(loops, y.text) && !withinCell(l, cells, cells[n]) {
				return true
			}
		}
	}
	return false
}

// withinCell reports whether the bracket at token k of l, which begins with the subscripts of a cell, is one of a cell among them.
func withinCell(l []token, around []int, k int) bool {
	for k > 0 && !l[k].is("[") {
		k = around[k]
	}
	return k > 0
}
