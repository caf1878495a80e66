package frontend

import (
	"slices"
	"strconv"

	"loopc/ir"
	"loopc/ir/diag"
)

// Arrays and sizes that are those of another array: zeros_like(u), similar(u), zeros(size(u)), length(u); and arrays of Julia
// without content. They are read as sizes, about which other passes know more.

// sizesOf are the sizes of an array that the file declares with bounds from 0 or 1, as if they stood where its name is given;
// nil if there is none.
func (t *translator) sizesOf(array token) (sizes [][]token) {
	for d := 0; ; d++ {
		switch ends := t.extent(array, d); {
		case ends == nil:
			return sizes
		case len(ends) != 2 || len(ends[0]) != 1 || len(ends[1]) == 0:
			return nil
		case ends[0][0].text == "0":
			sizes = append(sizes, moved(plus(ends[1], 1), array))
		case ends[0][0].text == "1":
			sizes = append(sizes, moved(ends[1], array))
		default:
			return nil
		}
	}
}

// elementTypeOf is the type of an array that the file declares; float64 if there is none.
func (t *translator) elementTypeOf(array token) string {
	for k, x := range t.tokens {
		if x.is("array") && t.at(k+1).text == array.text && t.at(k+2).opens() {
			if elem, known := aType(t.at(k + 3 + partner(t.tokens[k+2:min(len(t.tokens), k+maxForeignTokens)]))); known {
				return elem.text
			}
		}
	}
	return ir.Float64.String()
}

// likeWords are functions that make an array like another one, and emptyWords those that make one of given sizes.
var (
	likeWords  = []string{"zeros_like", "empty_like", "ones_like", "full_like", "similar", "zero"}
	emptyWords = []string{"zeros", "empty", "ones"}
	juliaWords = []string{"array", "vector", "matrix"}
)

// madeLike rewrites lines that make an array as full((sizes), 0, type).
func (t *translator) madeLike() {
	makes := func(x token) bool { return x.named(likeWords...) || x.named(emptyWords...) || x.named(juliaWords...) }
	if !slices.ContainsFunc(t.tokens, makes) {
		return
	}
	lines := t.lines()
	for n, l := range lines {
		if len(l) < 6 || l[0].kind != tokIdent || !l[1].is("=") {
			continue
		}
		at := 2
		if l[at].named(modules...) && l[at+1].is(".") {
			at += 2
		}
		if !makes(l[at]) {
			continue
		}
		if sizes, elem := t.sizesMade(l[at:]); len(sizes) > 0 {
			near, end := l[1], l[lastOf(l, ";")]
			call := []token{l[0], l[1], word(tokIdent, "full", near), operator("(", near), operator("(", near)}
			call = append(append(call, between(sizes, ",", near)...), operator(")", near), operator(",", near), word(tokInt, "0", near))
			lines[n] = append(call, operator(",", near), word(tokIdent, elem, near), operator(")", end))
		}
	}
	t.tokens = slices.Concat(lines...)
}

// sizesMade are the sizes and the type of the array that a call makes; l begins with the name of the function.
func (t *translator) sizesMade(l []token) (sizes [][]token, elem string) {
	if l[0].named(juliaWords...) && len(l) > 7 && l[1].is("{") && l[3].is("}") && l[4].is("(") && l[5].named("undef") && l[6].is(",") {
		known := false
		if l[2], known = aType(l[2]); known {
			return commas(l[7 : 4+partner(l[4:])]), l[2].text
		}
	}
	if len(l) < 4 || !l[1].is("(") || partner(l[1:])+1 != lastOf(l, ";") {
		return nil, ""
	}
	array := l[2]
	if l[0].named(emptyWords...) {
		array = sizedLike(l)
	} else if !l[0].named(likeWords...) || !l[3].is(")") && !l[3].is(",") {
		return nil, ""
	}
	return t.sizesOf(array), t.elementTypeOf(array)
}

// sizedLike is the array u of zeros(size(u)) and zeros(u.shape); no token for other calls.
func sizedLike(l []token) token {
	switch {
	case l[2].named("size") && l[3].is("(") && len(l) > 5 && l[5].is(")"):
		return l[4]
	case len(l) > 5 && l[3].is(".") && l[4].named("shape"):
		return l[2]
	}
	return token{}
}

// definesSize rewrites param N = len(u), int N = len(u) and N = len(u), of which tokens first to last are the value, if N itself is
// the size that the declaration of u has.
func (t *translator) definesSize(e edits, first, last int, array token, size []token) bool {
	name, begin := first-2, first-2
	if name < 0 || !t.at(first-1).is("=") || textOf(size) != t.at(name).text {
		return false
	}
	for begin > 0 && t.sameLine(begin-1, name) {
		begin--
		if x := t.at(begin); !x.is("param") && !x.is("const") && !x.is("let") && !x.named("var", "const", "auto", "static") && typeElsewhere(x.text) == "" {
			return false
		}
	}
	if listed := t.listedNumber(array); listed != "" {
		declared := []token{operator("const", t.at(begin)), t.at(name), operator("=", t.at(begin)), word(tokInt, listed, t.at(begin))}
		if !t.found("size of a list", join(t.at(begin).span(), t.at(last).span()), "the list of a constant array has this many values, and its size is a const", func() string { return textOf(declared) }, diag.Replacement) {
			return false
		}
		e.drop(begin, last)
		e.replace(begin, declared...)
		t.done = max(t.done, last)
		return true
	}
	if !t.found("size of an array", join(t.at(begin).span(), t.at(last).span()), "the declaration of an array has this size: a param without a value is given at launch", func() string { return "param " + t.at(name).text }, diag.Replacement) {
		return false
	}
	e.drop(begin, last)
	e.replace(begin, operator("param", t.at(begin)), t.at(name))
	t.done = max(t.done, last)
	return true
}

// listedNumber is how many values the list of a constant array with one dimension has; "" for other arrays.
func (t *translator) listedNumber(array token) string {
	l := t.statementOf("const", array.text)
	equals := slices.IndexFunc(l, func(x token) bool { return x.is("=") })
	if t.dims[array.text] != 1 || equals < 0 || equals+2 >= len(l) || !l[equals+1].is("[") || !bracketed(l[equals+1:]) {
		return ""
	}
	return strconv.Itoa(len(commas(content(l[equals+1:]))))
}

// filler is the number of which zeros(...) or ones(...), with or without a module, makes an array; nil for other values.
func filler(value []token) []token {
	if len(value) > 2 && value[0].named(modules...) && value[1].is(".") {
		value = value[2:]
	}
	number, known := map[string]string{"zeros": "0", "zeros_like": "0", "ones": "1", "ones_like": "1"}[value[0].text]
	if !known || len(value) > 1 && (!value[1].is("(") || partner(value[1:]) != len(value)-2) {
		return nil
	}
	return []token{word(tokInt, number, value[0])}
}
