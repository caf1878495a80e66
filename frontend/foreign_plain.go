package frontend

import (
	"cmp"
	"slices"
	"strings"

	"loopc/ir"
	"loopc/ir/diag"
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
	if last, known := t.exchanged(e, k, 0); known {
		return last
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
	if t.dims[near.text] == 0 && t.usedDims(near.text) == 0 && t.changed(e, k, end, near) {
		return end
	}
	calls := x.kind == tokIdent && t.at(value+1).is("(") && t.match[value+1] > value+2
	if !calls {
		return t.plainNumber(e, k, value, end)
	}
	if text := t.match[value+1] == end && slices.ContainsFunc(t.tokens[value:end], func(y token) bool { return y.kind == tokString }); !text && !arrayMaker(strings.ToLower(x.text)) && t.usedDims(near.text) == 0 {
		return k
	}
	out := t.filledArray(near, value)
	if out != nil {
		out = t.begunBy(out, value)
		return t.declare(e, declarationInC{first: k, end: end}, declarationMessage, out)
	}
	t.spoil(near.text)
	return t.gone(e, k, end, "made", declarationMessage, func() string { return "" })
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
		return t.gone(e, k, end, "array from number", near.text+" has subscripts: "+declarationMessage, func() string { return "" })
	case (x.kind == tokInt || x.kind == tokFloat) && value == end && t.hasValue(near):
		return t.gone(e, k, end, "value again", oneValueMessage, func() string { return leaveOut }, diag.Advice)
	case x.kind == tokInt && value == end:
		return t.declare(e, declarationInC{first: k, end: end}, numberMessage, slices.Concat([]token{operator("param", near)}, t.tokens[k:end+1]))
	case x.kind == tokFloat && value == end:
		return t.declare(e, declarationInC{first: k, end: end}, numberMessage, slices.Concat([]token{operator("const", near)}, t.tokens[k:end+1]))
	case x.is("["):
		t.spoil(near.text)
		sizes := repeatedList(t.tokens[value : end+1])
		return t.gone(e, k, end, "list", declarationMessage, func() string {
			if len(sizes) == 0 || len(sizes) != t.usedDims(near.text) {
				return ""
			}
			return textOf(slices.Concat([]token{operator("array", near)}, cellTokens(near, rangesOf(between(sizes, ",", near), "0", -1)), []token{word(tokIdent, "float64", near)}, t.role(near)))
		})
	}
	return k
}

// hasValue reports whether a param or a const of this language above declares a name.
func (t *translator) hasValue(name token) bool {
	declares := false
	for k, x := range t.tokens {
		switch {
		case x.pos == name.pos:
			return false
		case k == 0 || !t.sameLine(k-1, k):
			declares = x.is("param") || x.is("const")
		case declares && x.text == name.text:
			return true
		case x.is("="):
			declares = false
		}
	}
	return false
}

// filledArray returns the declaration of an array with the given name for a call such as zeros((n, m)), full(n, x), fill(x, n) or
// make([]float64, n), where token k is the function's name. It returns nil if the call has no end, if the sizes are not known, or if
// the cells of the array have another number of subscripts.
func (t *translator) filledArray(name token, k int) []token {
	if t.at(k).named("array", "asarray", "load", "loadtxt", "linspace", "arange", "meshgrid", "eye", "copy", "similar") || strings.HasSuffix(t.at(k).text, "_like") || !t.at(k+1).is("(") || t.match[k+1] < 0 {
		return nil
	}
	args := commas(t.tokens[k+2 : t.match[k+1]])
	sizes := t.sizesAmong(k, args)
	elem := cmp.Or(typeOfArguments(slices.Concat(sizes, args)), t.typeOfFilled(k, args), t.typeOfCopied(name.text), "float64")
	first, end := "0", -1
	if t.oneBased {
		first, end = "1", 0
	}
	var ranges [][]token
	for _, size := range sizes {
		if len(size) > 0 && len(cut(size, "=")) == 1 && (len(size) > 1 || typeElsewhere(size[0].text) == "") {
			if t.beginsAtOne(size) {
				ranges = append(ranges, rangeOf(size, "1", 0))
				continue
			}
			ranges = append(ranges, rangeOf(size, first, end))
		}
	}
	if t.at(k).named("make") && bracketsIn(args[0]) != len(ranges) {
		return nil // the elements are slices, whose sizes follow later
	}
	ranges = asUsed(ranges, t.usedDims(name.text), t.oneBased)
	if used := t.usedDims(name.text); len(ranges) == 0 || used > 0 && used != len(ranges) || slices.ContainsFunc(ranges, func(r []token) bool { return !ofSizes(r) }) {
		return nil
	}
	return slices.Concat([]token{operator("array", name)}, cellTokens(name, ranges), []token{word(tokIdent, elem, name)}, t.role(name))
}

// begunBy adds the init to the declaration of an array that the function at token k fills, unless the file has one.
func (t *translator) begunBy(array []token, k int) []token {
	name := array[1]
	value := []token{word(tokInt, "0", name)}
	switch args := commas(t.tokens[k+2 : t.match[k+1]]); {
	case t.at(k).named("ones"):
		value = []token{word(tokInt, "1", name)}
	case t.at(k).named("fill") && len(args) > 1:
		value = args[0]
	case t.at(k).named("full") && len(args) > 1:
		value = args[1]
	case !t.at(k).named("zeros", "make"):
		return array
	}
	return t.begunWith(array, name, value)
}

// begunWith is the declaration of an array with the given name that is not given by the caller, and its init with a value for all cells.
func (t *translator) begunWith(array []token, name token, value []token) []token {
	if use := t.uses[name.text]; use.init || !use.written {
		return array
	}
	last := array[len(array)-1]
	if last.is("inout") {
		last.text = "out"
		array = append(slices.Clone(array[:len(array)-1]), last)
	}
	names := t.indexNames(name, nil)
	if names == nil {
		return array
	}
	return slices.Concat(array, []token{operator(";", name), operator("init", name)}, cellTokens(name, single(names)), []token{operator("=", name)}, value)
}

// sizesAmong returns those of the arguments that are sizes; the function at token k makes an array.
func (t *translator) sizesAmong(k int, args [][]token) [][]token {
	switch list := args[0]; {
	case bracketed(list):
		return commas(withoutRound(list))
	case t.at(k).named("full"):
		return args[:1]
	case t.at(k).named("fill", "make"):
		return args[1:]
	}
	return args
}

// typeOfFilled is the type of the cells to which the function at token k, full, gives an integer: that of the other integers of the
// file, if they are of one type; else "".
func (t *translator) typeOfFilled(k int, args [][]token) (elem string) {
	if last := args[len(args)-1]; !t.at(k).named("full") || len(args) < 2 || last[len(last)-1].kind != tokInt || !signedNumber(last) {
		return ""
	}
	for _, x := range t.source {
		if x.isType() && strings.HasPrefix(x.text, "int") {
			if elem != "" && elem != x.text {
				return ""
			}
			elem = x.text
		}
	}
	return elem
}

// typeOfCopied is the integer type of the cells of an array that gets nothing but single cells of other arrays, of one type; else "".
func (t *translator) typeOfCopied(name string) (elem string) {
	for k, x := range t.tokens {
		if x.kind != tokIdent || x.text != name || !t.writes(k) {
			continue
		}
		behind := t.tokens[k:min(len(t.tokens), t.lineEnd(k)+1)]
		value := behind[min(len(behind), 2+partner(behind[1:])):]
		if len(value) < 3 || !value[0].is("=") || !t.isArray(value[1]) || subscriptsBehind(value[1:]) == nil || 2+partner(value[2:]) != lastOf(value, ";") {
			return ""
		}
		if own := t.elementTypeOf(value[1]); elem == "" || own == elem {
			elem = own
		} else {
			return ""
		}
	}
	if !ir.TypeNamed(elem).Integer() {
		return ""
	}
	return elem
}

// signedNumber reports whether tokens are an integer, with or without a sign.
func signedNumber(l []token) bool { return len(l) == 1 || len(l) == 2 && l[0].is("-") }

// typeOfArguments is the last type among arguments, such as int, dtype=int or []int; "" without one.
func typeOfArguments(args [][]token) (elem string) {
	for _, arg := range args {
		if s := typeElsewhere(lastText(arg)); s != "" && (len(arg) == 1 || arg[0].named("dtype") || arg[0].is("[") && len(arg)%2 == 1) {
			elem = s
		}
	}
	return elem
}

// bracketsIn is the number of square brackets that open among tokens.
func bracketsIn(l []token) (n int) {
	for _, x := range l {
		if x.is("[") {
			n++
		}
	}
	return n
}

// ofSizes reports whether a range consists of numbers, names and signs, without a call or a cell.
func ofSizes(r []token) bool {
	for k, x := range r {
		sign := x.kind == tokOp && strings.Contains("+-*()..", x.text)
		if x.kind != tokInt && x.kind != tokIdent && !sign || x.is("(") && k > 0 && r[k-1].kind == tokIdent {
			return false
		}
	}
	return true
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
