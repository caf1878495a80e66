package frontend

import (
	"slices"

	"loopc/ir/diag"
)

// Transposed arrays: u', u.T and transpose(u), with or without subscripts behind them. The transposed of an array of two dimensions
// has the cell u[j,i] where the array has u[i,j].

// transposeWords are functions that transpose an array.
var transposeWords = []string{"transpose", "permutedims", "adjoint", "ctranspose"}

// transposed translates the transposed array that begins with token k, and reports whether there is one.
func (t *translator) transposed(e edits, k int) bool {
	array, last := t.transposedArray(k)
	if last < 0 {
		return false
	}
	first := k
	for first > 0 && t.at(first-1).is("(") && t.match[first-1] == last+1 && t.at(first-2).kind != tokIdent {
		first, last = first-1, last+1
	}
	var cell []token
	switch open := last + 1; {
	case t.at(open).opens() && t.at(open).glued && t.match[open] > open:
		last = t.match[open]
		cell = t.mirrored(array, t.tokens[open+1:last])
	case t.multiplied(first, last) != [2]int{first, last}: // all of the product is reported
		both := t.multiplied(first, last)
		first, last = both[0], both[1]
	case !t.at(k + 1).is("["):
		cell = t.mirrored(array, t.assignedSubs(first))
	}
	message := "there is no transposed array: a body works on one cell at a time"
	if t.dims[array.text] == 2 {
		message += ", and where the array has the cell " + array.text + "[i,j], the transposed one has " + array.text + "[j,i]"
	}
	out := cell
	if cell == nil {
		out = []token{word(tokIdent, hole, array)}
	}
	if t.found("transposed", join(t.at(first).span(), t.at(last).span()), message, func() string { return textOf(cell) }, diag.Replacement) {
		t.supersede(e, first, last, out)
	}
	return true
}

// transposedArray returns the array of a transposed array that begins with token k, without its subscripts, and its last token; -1 if
// there is none.
func (t *translator) transposedArray(k int) (array token, last int) {
	word := k
	if t.at(k).named(modules...) && t.at(k+1).is(".") {
		word = k + 2
	}
	if t.at(word).named(transposeWords...) && t.at(word+1).is("(") && t.arrays[t.at(word+2).text] && t.match[word+1] == word+3 && !t.declared[t.at(word).text] {
		return t.at(word + 2), word + 3
	}
	if !t.isArray(t.at(k)) {
		return token{}, -1
	}
	next := k + 1
	if t.at(next).is("[") && t.match[next] > next {
		next = t.match[next] + 1
	}
	switch point := t.at(next); {
	case point.is("'"):
		return t.at(k), next
	case !point.is(".") || !point.glued:
	case t.at(next + 1).is("'"), t.at(next+1).text == "T" && !t.at(next+2).is("("):
		return t.at(k), next + 1
	case t.at(next+1).named(transposeWords...) && t.at(next+2).is("(") && t.match[next+2] == next+3:
		return t.at(k), next + 3
	}
	return token{}, -1
}

// mirrored returns the cell of an array of two dimensions with the two subscripts in a list exchanged; nil for other lists and arrays.
func (t *translator) mirrored(array token, list []token) []token {
	subs := commas(list)
	if t.dims[array.text] != 2 || len(subs) != 2 || anyEmpty(subs) || slices.ContainsFunc(subs, isSlice) {
		return nil
	}
	return cellTokens(array, [][]token{subs[1], subs[0]})
}

// assignedSubs returns the list of the subscripts of the cell to which the statement of token k assigns; nil if there is none.
func (t *translator) assignedSubs(k int) []token {
	head := k
	for head > 0 && t.sameLine(head-1, k) && !t.at(head-1).is(";") && !t.at(head-1).is("{") {
		head--
	}
	if open := head + 1; open < k && t.at(open).is("[") && t.match[open] > open && t.match[open] < k && t.at(t.match[open]+1).is("=") {
		return t.tokens[open+1 : t.match[open]]
	}
	return nil
}

// multiplied returns the first and the last token of the product of an entire array, tokens first to last, and another one, as in A'*u;
// the given tokens if there is none.
func (t *translator) multiplied(first, last int) [2]int {
	whole := func(k int) bool { return t.isArray(t.at(k)) && !t.at(k+1).opens() }
	product := func(x token) bool { return x.is("*") || x.is("@") }
	switch {
	case product(t.at(last+1)) && whole(last+2):
		return [2]int{first, last + 2}
	case first > 1 && product(t.at(first-1)) && whole(first-2):
		return [2]int{first - 2, last}
	}
	return [2]int{first, last}
}
