package frontend

import (
	"slices"
	"strconv"
	"strings"

	"loopc/ir/diag"
)

// Sizes and bounds of arrays, as other languages ask for them: length(u), size(u, 1), u.shape[0], len(u[0]), ubound(u, 1). The
// declaration of the array has them.

// An arraySize asks for the size of a dimension of an array, or for one of its bounds.
type arraySize struct {
	array token
	dim   int // -1 if the languages that have this do not agree about it
	bound int // 0 and 1 for the lower and the upper bound, -1 for the size
	last  int // its last token
}

// A sizeWord is a function or an attribute for sizes.
type sizeWord struct {
	bound   int
	dim     int // of an array of several dimensions, without a number: -1 if languages differ
	numbers int // the number of the first dimension
}

// sizeWords are the words for sizes, in lower case.
var sizeWords = map[string]sizeWord{
	"length": {-1, -1, 1}, "numel": {-1, -1, 1}, "size": {-1, -1, 1}, "len": {-1, 0, 1}, "shape": {-1, -1, 0}, "getlength": {-1, -1, 0}, "extent": {-1, -1, 0},
	"rows": {-1, 0, 1}, "nrows": {-1, 0, 1}, "nrow": {-1, 0, 1}, "cols": {-1, 1, 1}, "ncols": {-1, 1, 1}, "ncol": {-1, 1, 1},
	"ubound": {1, -1, 1}, "lastindex": {1, -1, 1}, "lbound": {0, -1, 1}, "firstindex": {0, -1, 1},
}

// readSize reads a size or bound that begins with token k.
func (t *translator) readSize(k int) (s arraySize, ok bool) {
	if k > 0 && (t.at(k-1).is(".") || t.at(k-1).opens() && t.makes(k-3) > k-3) {
		return s, false
	}
	if t.arrays[t.at(k).text] {
		return t.sizeAttribute(k)
	}
	word, zero := k, false
	if t.at(k).named(modules...) && t.at(k+1).is(".") {
		word, zero = k+2, true
	}
	open := word + 1
	if t.declared[t.at(word).text] || !t.at(open).is("(") || !t.at(open).glued || t.match[open] < 0 {
		return s, false
	}
	args := commas(t.tokens[open+1 : t.match[open]])
	if len(args) > 2 || len(args[0]) == 0 || !t.arrays[args[0][0].text] {
		return s, false
	}
	subs, ok := subscriptsOf(args[0][1:])
	if !ok || slices.ContainsFunc(subs, isSlice) {
		return s, false
	}
	s = arraySize{array: args[0][0], bound: -1, dim: len(subs), last: t.match[open]}
	if t.at(word).named("sizeof") {
		return t.sizeInBytes(s)
	}
	w, known := sizeWords[strings.ToLower(t.at(word).text)]
	if zero {
		w.numbers = 0
	}
	return s.along(t, w, args[1:]), known
}

// sizeInBytes completes a sizeof(u) of C to sizeof(u)/sizeof(u[0]).
func (t *translator) sizeInBytes(s arraySize) (arraySize, bool) {
	open := s.last + 3
	if !t.at(s.last+1).is("/") || !t.at(s.last+2).named("sizeof") || !t.at(open).is("(") || t.match[open] < 0 || t.at(open+1).text != s.array.text {
		return s, false
	}
	s.last = t.match[open]
	cell, ok := subscriptsOf(t.tokens[open+2 : s.last])
	return s, ok && len(cell) == s.dim+1
}

// sizeAttribute does what readSize does, for a name of an array at token k: u.shape[0], u[0].length.
func (t *translator) sizeAttribute(k int) (s arraySize, ok bool) {
	point := k + 1
	for t.at(point).is("[") && t.match[point] > 0 {
		point = t.match[point] + 1
	}
	subs, ok := subscriptsOf(t.tokens[k+1 : max(point, k+1)])
	w, known := sizeWords[strings.ToLower(t.at(point+1).text)]
	if !ok || !known || !t.at(point).is(".") || !t.at(point).glued || w.bound >= 0 || slices.ContainsFunc(subs, isSlice) {
		return s, false
	}
	s = arraySize{array: t.at(k), bound: -1, dim: len(subs), last: point + 1}
	w.numbers = 0
	if t.at(point+1).text == "size" && t.at(s.last+1).is("(") || t.at(point+1).named("length") {
		w.dim = 0 // of vectors of vectors
	}
	var args [][]token
	if open := s.last + 1; t.at(open).is("(") && t.match[open] > 0 {
		s.last = t.match[open]
		if s.last > open+1 {
			args = commas(t.tokens[open+1 : s.last])
		}
	}
	return s.along(t, w, args), len(args) < 2
}

// along sets the dimension of a size that a word asks for: by its second argument, by a number in brackets behind it, or as the word says.
func (s arraySize) along(t *translator, w sizeWord, args [][]token) arraySize {
	s.bound = w.bound
	var number []token
	open := s.last + 1
	switch {
	case len(args) == 1:
		number = args[0]
		if len(number) == 3 && number[0].named("dim", "axis") && number[1].is("=") {
			number = number[2:]
		}
	case t.at(open).opens() && t.at(open).glued && t.match[open] == open+2:
		number, s.last = t.tokens[open+1:open+2], open+2
	case t.dims[s.array.text] == s.dim+1:
		return s
	case w.dim >= 0:
		s.dim += w.dim
		return s
	default:
		s.dim = -1
		return s
	}
	d, err := strconv.Atoi(textOf(number))
	if s.dim += d - w.numbers; err != nil || d < w.numbers {
		s.dim = -1
	}
	return s
}

// tokens are the size or bound, as if it stood at the place of token k; nil if it is not known.
func (s arraySize) tokens(t *translator, k int) []token {
	if s.dim < 0 {
		return nil
	}
	ends := t.extentOf(s.array, s.dim)
	if len(ends) != 2 || anyEmpty(ends) {
		return nil
	}
	if s.bound >= 0 {
		return moved(ends[s.bound], t.at(k))
	}
	if ends[0][0].text == "0" && len(ends[0]) == 1 {
		return moved(plus(ends[1], 1), t.at(k))
	}
	lower, known := linear(ends[0])
	upper, also := linear(ends[1])
	if !known || !also {
		return nil
	}
	return moved(upper.plus(lower, -1).with("", 1).tokens(t.at(k)), t.at(k))
}

// declaration is the array with its bounds, as its declaration has it.
func (t *translator) declaredAs(array token) string {
	var dims []string
	for d := 0; t.bounds(array, d) != ""; d++ {
		dims = append(dims, t.bounds(array, d))
	}
	return array.text + "[" + strings.Join(dims, ", ") + "]"
}

// size translates the size or bound of an array that begins with token k, and reports whether it did. Of those that are the value of a
// number of the file it translates only those that the declaration of the array has by that name, unless numbers is set.
func (t *translator) size(e edits, k int, numbers bool) bool {
	s, ok := t.readSize(k)
	if !ok {
		return false
	}
	message := "the size of an array is what its declaration says"
	switch {
	case s.bound >= 0:
		message = "a bound of an array is what its declaration says"
	case t.endsRange(k, s.last):
		s.bound, message = 1, "a bound of an array is what its declaration says, and a range includes both ends"
	}
	value := s.tokens(t, k)
	if t.amongParams(e, k, s.last) {
		return true
	}
	at := join(t.at(k).span(), t.at(s.last).span())
	switch {
	case value == nil && t.bounds(s.array, 0) == "":
		return false
	case value == nil && t.definesSizes(e, k, s):
		return true
	case value == nil:
		if t.found("size of several", at, "the size of an array is what its declaration says: "+t.declaredAs(s.array), func() string { return "" }) {
			t.supersede(e, k, s.last, []token{word(tokIdent, hole, t.at(k))})
		}
		return true
	case s.bound < 0 && t.definesSize(e, k, s.last, s.array, value):
		return true
	case t.at(k-1).is("=") && s.last == t.lineEnd(k) && t.beginsStatement(k-2):
		if numbers && t.found("named size", at, message, func() string { return textOf(value) + " in the place of " + t.at(k-2).text }, diag.Advice) {
			t.supersede(e, k, s.last, []token{word(tokIdent, hole, t.at(k))})
		}
		return numbers
	}
	value, s.last = t.asTerm(k, s.last, value)
	if at = join(at, t.at(s.last).span()); t.inRange(k) || t.found("attribute", at, message, func() string { return textOf(value) }, diag.Replacement) {
		t.supersede(e, k, s.last, value)
	}
	return true
}

// amongParams reports a size, tokens k to last, that stands among the values of a list of params; false for others.
func (t *translator) amongParams(e edits, k, last int) bool {
	head := t.lineBegin(k)
	equals := slices.IndexFunc(t.tokens[head:k], func(x token) bool { return x.is("=") })
	if !t.at(head).is("param") || equals < 0 || !slices.ContainsFunc(t.tokens[head:head+equals], func(x token) bool { return x.is(",") }) {
		return false
	}
	if t.found("sizes of params", join(t.at(k).span(), t.at(last).span()), "the size of an array is what its declaration says, and a param of it has no value here: it is given at launch", func() string { return "" }) {
		t.supersede(e, k, last, []token{word(tokIdent, hole, t.at(k))})
	}
	return true
}

// lineBegin is the first token of the line of token k.
func (t *translator) lineBegin(k int) int {
	for k > 0 && t.sameLine(k-1, k) {
		k--
	}
	return k
}

// definesSizes does what definesSize does, for H, W = u.shape: s, whose tokens begin with k, has all sizes.
func (t *translator) definesSizes(e edits, k int, s arraySize) bool {
	head := k - 1
	for head > 0 && t.sameLine(head-1, k) {
		head--
	}
	names := commas(t.tokens[head:max(head, k-1)])
	if !t.at(k-1).is("=") || s.last != t.lineEnd(k) || len(names) != t.dims[s.array.text] {
		return false
	}
	for d, name := range names {
		if size := (arraySize{array: s.array, dim: d, bound: -1}).tokens(t, k); size == nil || textOf(size) != textOf(name) {
			return false
		}
	}
	out := append([]token{operator("param", t.at(head))}, t.tokens[head:k-1]...)
	if t.found("sizes of an array", join(t.at(head).span(), t.at(s.last).span()), "the declaration of an array has these sizes: params without a value are given at launch", func() string { return textOf(out) }, diag.Replacement) {
		t.supersede(e, head, s.last, out)
	}
	return true
}

// asTerm returns what stands in the place of tokens k to last, whose value is given, in a sum or product: the value, in brackets if
// it needs them, or with the number that is added to it. It also returns the last token of what it replaces.
func (t *translator) asTerm(k, last int, value []token) ([]token, int) {
	sum := binaryOps["+"].precedence
	before, sign, number := t.at(k-1), t.at(last+1), t.at(last+2)
	n, err := strconv.Atoi(sign.text + number.text)
	switch product := before.is("-") || binaryOps[before.text].precedence > sum; {
	case len(value) > 1 && (product || binaryOps[sign.text].precedence > sum):
		return factor(value, t.at(k)), last
	case !product && err == nil && n != 0 && number.kind == tokInt && binaryOps[t.at(last+3).text].precedence <= sum:
		return plus(value, n), last + 2
	}
	return value, last
}

// endsRange reports whether tokens k to last are the upper end of a range in the header of a loop: the last subscript is meant.
func (t *translator) endsRange(k, last int) bool {
	before, behind := t.at(k-1), t.at(last+1)
	if !before.is("..") && !before.is(":") || t.sameLine(last, last+1) && !behind.is(",") && !behind.is("{") && !behind.is(":") && !behind.named("step") {
		return false
	}
	for k > 0 && t.sameLine(k-1, k) && !t.at(k).is("for") && !t.at(k).is("repeat") {
		k--
	}
	return t.at(k).is("for") || t.at(k).is("repeat")
}

// inRange reports whether token k is in a header as in for i in range(len(u)), whose report has the size.
func (t *translator) inRange(k int) bool {
	for k > 0 && t.sameLine(k-1, k) && !t.at(k).is("for") {
		k--
	}
	return t.at(k).is("for") && t.at(k+2).is("in") && t.at(k+3).named("range", "prange", "xrange")
}
