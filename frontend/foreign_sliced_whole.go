package frontend

import (
	"slices"
	"strings"
)

// Assignments to an entire array whose value has rows, slices or entire arrays: w += 0.5*v, top = best[N]. They are read as
// assignments to the slice of all cells.

// updateOf is the index of the = of an update of a name, w += x; 0 for other statements.
func updateOf(l []token) int {
	if len(l) > 3 && l[1].kind == tokOp && strings.Contains("+-*/", l[1].text) && l[2].is("=") && l[2].glued {
		return 2
	}
	return 0
}

// wholeTarget is a statement with a slice of all cells in place of an entire array that it assigns to, and slices in place of
// rows. It is the statement itself if its value has only cells, one of which may be meant.
func (t *translator) wholeTarget(l []token) []token {
	equals := 1
	if n := updateOf(l); n > 0 {
		equals = n
	}
	if len(l) < 3 || t.dims[l[0].text] == 0 {
		return l
	}
	if l[1].opens() {
		if !slices.ContainsFunc(commas(content(l[1:])), isSlice) {
			return l
		}
		return t.wholeRows(l)
	}
	value := t.wholeRows(l[equals+1:])
	several := false
	for k, x := range value {
		if !t.isArray(x) {
			continue
		}
		bare := k+1 == len(value) || !value[k+1].opens()
		several = several || bare || slices.ContainsFunc(commas(content(value[k+1:])), isSlice)
	}
	if !l[equals].is("=") || !several {
		return l
	}
	all := slices.Repeat([][]token{{operator(":", l[0])}}, t.dims[l[0].text])
	return slices.Concat(cellTokens(l[0], all), l[1:equals+1], value)
}

// fromLast is the subscript of a cell, or, for a negative number where no cell has one, the index that it counts from the end, as in
// Python.
func (r *sliceReader) fromLast(array token, d int, p []token) []token {
	at, ok := linear(p)
	if len(p) == 0 || !p[0].is("-") || !ok || len(at.names) > 0 {
		return p
	}
	ends := r.t.extentOf(array, d)
	if len(ends) != 2 {
		return p
	}
	lo, known := linear(ends[0])
	hi, also := linear(ends[1])
	if !known || !also || len(lo.names) > 0 || lo.number < 0 {
		return p
	}
	return hi.with("", at.number+1).tokens(p[0])
}
