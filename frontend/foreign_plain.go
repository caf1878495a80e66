package frontend

import (
	"slices"
	"strings"
)

// Numbers and arrays that other languages declare without a keyword: n = 100, m, n = 3, 4 and u = zeros((n, m)).

// several translates m, n = 100, 200 outside of all nests.
func (t *translator) several(e edits, k int) int {
	end, equals, keyword := t.end(k), -1, "param"
	for j := k; j <= end; j++ {
		switch x := t.at(j); {
		case x.is("=") && equals < 0:
			equals = j
		case x.is(","), equals < 0 && x.kind == tokIdent, equals > 0 && (x.kind == tokInt || x.is("-")):
		case equals > 0 && (x.kind == tokFloat || x.kind == tokIdent || binaryOps[x.text].precedence > 0):
			keyword = "const"
		default:
			return t.severalTargets(e, k)
		}
	}
	if equals < 0 || equals == end {
		return k
	}
	if t.changed(e, k, end, t.tokens[k:equals]...) {
		return end
	}
	const message = numberMessage
	out := append([]token{operator(keyword, t.at(k))}, t.tokens[k:end+1]...)
	if !t.rewritten(e, k, end, "declaration "+message, message, out) {
		return k
	}
	return end
}

// plain translates n = 100 outside of all nests, and u = zeros((n, m)).
func (t *translator) plain(e edits, k int) int {
	end, value := t.end(k), k+2
	if t.at(value).is("-") {
		value++
	}
	near, x := t.at(k), t.at(value)
	calls := x.kind == tokIdent && t.at(value+1).is("(") && t.match[value+1] > value+2
	if !calls {
		return t.plainNumber(e, k, value, end)
	}
	switch {
	case x.named("zeros", "ones", "empty", "full", "rand", "randn"):
		if out := t.filledArray(near, value); out != nil {
			return t.declare(e, declarationInC{first: k, end: end}, declarationMessage, out)
		}
	case arrayMaker(strings.ToLower(x.text)) || x.named("rand", "random") || t.match[value+1] == end && slices.ContainsFunc(t.tokens[value:end], func(y token) bool { return y.kind == tokString }):
		if t.found("made", join(near.span(), t.at(end).span()), declarationMessage, func() string { return "array " + near.text + "[0..N] float64 in" }) {
			t.spoil(near.text)
			e.drop(k, end)
			return end
		}
	}
	return k
}

// plainNumber translates n = 100, or n = [1, 2], tokens k to end, whose value begins behind its sign with token value.
func (t *translator) plainNumber(e edits, k, value, end int) int {
	near, x := t.at(k), t.at(value)
	switch {
	case t.dims[near.text] > 0 && t.startValue(value, end):
		t.spoil(near.text)
		return t.gone(e, k, end, "entire "+beforeMessage+near.text, beforeMessage, func() string { return "init " + t.cellText(near.text) + " = " + textOf(t.tokens[k+2:end+1]) })
	case !x.is("[") && value == end && t.dims[near.text] == 0 && t.usedDims(near.text) > 0:
		t.spoil(near.text)
		return t.gone(e, k, end, "array from number", near.text+" has subscripts, and an array is declared with its bounds, its type and its role: in, out, inout or none", func() string {
			size := []token{word(tokInt, "0", near), operator("..", near), word(tokIdent, "N", near)}
			ranges := slices.Repeat([][]token{size}, t.usedDims(near.text))
			return textOf(slices.Concat([]token{operator("array", near)}, cellTokens(near, ranges), []token{word(tokIdent, "float64", near)}, t.role(near)))
		})
	case !x.is("[") && t.changed(e, k, end, near):
		return end
	case x.kind == tokInt && value == end:
		return t.declare(e, declarationInC{first: k, end: end}, numberMessage, slices.Concat([]token{operator("param", near)}, t.tokens[k:end+1]))
	case x.kind == tokFloat && value == end:
		return t.declare(e, declarationInC{first: k, end: end}, numberMessage, slices.Concat([]token{operator("const", near)}, t.tokens[k:end+1]))
	case x.is("["):
		if t.found("list", join(near.span(), t.at(end).span()), declarationMessage, func() string {
			sizes := repeatedList(t.tokens[value : end+1])
			if sizes == nil {
				sizes = slices.Repeat([][]token{{word(tokIdent, "N", near), operator("+", near), word(tokInt, "1", near)}}, max(1, t.usedDims(near.text)))
			}
			return textOf(slices.Concat([]token{operator("array", near)}, cellTokens(near, rangesOf(between(sizes, ",", near), "0", -1)), []token{word(tokIdent, "float64", near)}, t.role(near)))
		}) {
			e.drop(k, end)
			e.replace(k, near, token{kind: tokIllegal, text: hole, pos: near.pos}) // reads like a declaration with a mistake
			return end
		}
	}
	return k
}

// filledArray returns the declaration of an array with the given name for zeros((n, m)) or
// full(n, x), where token k is the function's name; nil if the sizes are not known.
func (t *translator) filledArray(name token, k int) []token {
	open := k + 1
	if t.at(open+1).is("(") || t.at(open+1).is("[") {
		open++
	}
	if t.match[open] < open+2 {
		return nil
	}
	elem := "float64"
	var ranges [][]token
	sizes := commas(t.tokens[open+1 : t.match[open]])
	if t.at(k).named("full") && open == k+1 {
		sizes = sizes[:1]
	}
	for _, size := range append(slices.Clone(sizes), commas(t.tokens[k+2:t.match[k+1]])...) {
		if s := typeElsewhere(lastText(size)); s != "" && (len(size) == 1 || size[0].named("dtype")) {
			elem = s
		}
	}
	first, end := "0", -1
	if t.oneBased {
		first, end = "1", 0
	}
	for _, size := range sizes {
		if len(size) > 0 && len(cut(size, "=")) == 1 && (len(size) > 1 || typeElsewhere(size[0].text) == "") {
			ranges = append(ranges, rangeOf(size, first, end))
		}
	}
	if ranges = asUsed(ranges, t.usedDims(name.text), t.oneBased); ranges == nil {
		return nil
	}
	return slices.Concat([]token{operator("array", name)}, cellTokens(name, ranges), []token{word(tokIdent, elem, name)}, t.role(name))
}

// asUsed returns the ranges of an array whose cells have the given number of subscripts, 0 if that is not known: the zeros(n) of MATLAB
// has two dimensions, and zeros(n, 1) is a column.
func asUsed(ranges [][]token, used int, matlab bool) [][]token {
	one := slices.IndexFunc(ranges, func(r []token) bool { return len(r) == 3 && r[0].text == r[2].text })
	switch {
	case used == 2 && len(ranges) == 1 && matlab:
		return append(ranges, ranges[0])
	case used == 1 && len(ranges) == 2 && one >= 0:
		return slices.Delete(ranges, one, one+1)
	}
	return ranges
}

// lastText is the text of the last token, "" if there is none.
func lastText(l []token) string {
	if len(l) == 0 {
		return ""
	}
	return l[len(l)-1].text
}
