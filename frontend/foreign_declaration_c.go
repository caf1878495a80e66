package frontend

import (
	"cmp"
	"slices"
	"strings"

	"loopc/ir"
	"loopc/ir/diag"
)

// The declarations of C: double a[N], int n = 3.

// declares returns the token after the type of a C declaration that begins with token k, or k
// if there is none.
func (t *translator) declares(k int) int {
	typed := false
	j := k
	for ; t.sameLine(k, j); j++ {
		x := t.at(j)
		foreign := ir.TypeNamed(x.text) == ir.Invalid && typeOfC(x.text) != ""
		known := x.kind == tokIdent && (foreign || j == k && typeName(x.text) != "")
		switch {
		case known:
			typed = true
		case x.is("const") || x.is("*") && typed || x.kind == tokIdent && (x.text == "static" || x.text == "inline" || x.text == "restrict" || x.text == "signed" || x.text == "constexpr"):
		case typed && x.kind == tokIdent:
			return j
		default:
			return k
		}
	}
	return k
}

// declaration translates double a[N], int n = 3 and, as a let, the double s = x of a body.
func (t *translator) declaration(e edits, k, depth int) int {
	d := t.declarationAt(k)
	switch sign := t.at(d.name + 1); {
	case sign.is("[") && t.match[d.name+1] >= 0 && depth == 0:
		return t.arraysOfC(e, d)
	case sign.is("=") && d.name+1 < d.end && depth > 0:
		var values [][]token
		message := letMessage
		for _, part := range valued(t.tokens[d.name : d.end+1]) {
			first := operator("let", d.elem)
			if t.assignedBelow(part[0]) && !t.sums[part[0].text] {
				first, message = word(tokIdent, "var", d.elem), changedVar
				t.isVar(part[0].text)
			}
			elem := []token{t.wide(d.elem)}
			if first.is("let") && t.at(d.name-1).named("bool") {
				elem = nil // a number of the type of its value
			}
			values = append(values, slices.Concat([]token{first, part[0]}, elem, part[1:]))
		}
		return t.declare(e, d, message, between(values, ";", d.elem))
	case sign.is("=") && d.name+1 < d.end:
		if out := t.allocated(d); out != nil {
			return t.declare(e, d, declarationMessage, out)
		}
		if t.changed(e, k, d.end, firsts(commas(t.tokens[d.name:d.end+1]))...) {
			return d.end
		}
		return t.declare(e, d, numberMessage, t.numbersOfC(d))
	case sign.is("[") && t.match[d.name+1] >= 0, slices.ContainsFunc(t.tokens[k:d.name], func(x token) bool { return x.is("*") }):
		return t.pointerOfC(e, d)
	}
	return t.withoutValue(e, d, depth)
}

// withoutValue translates a declaration of names without values, and returns its last token; its first one if nothing is
// reported.
func (t *translator) withoutValue(e edits, d declarationInC, depth int) int {
	k := d.first
	if vars := t.varsOf(d); depth > 0 && vars != nil {
		return t.declare(e, d, changedVar, between(vars, ";", d.elem))
	}
	if !t.undefined(join(t.at(k).span(), t.at(d.end).span()), t.at(d.name).text, ir.TypeNamed(d.elem.text)) {
		return k
	}
	e.drop(k, d.end)
	return d.end
}

// varsOf returns the vars for a declaration without values in a body; nil if the file does not assign to all names later.
func (t *translator) varsOf(d declarationInC) (vars [][]token) {
	names := commas(t.tokens[d.name : d.end+1])
	if slices.ContainsFunc(names, func(p []token) bool { return len(p) != 1 || !t.assignedBelow(p[0]) }) {
		return nil
	}
	for _, p := range names {
		t.isVar(p[0].text)
		vars = append(vars, []token{word(tokIdent, "var", d.elem), p[0], t.wide(d.elem), operator("=", d.elem), word(tokInt, "0", d.elem)})
	}
	return vars
}

// A declarationInC is a declaration of C, tokens first to end. Token name is the declared name,
// and elem the type in this language.
type declarationInC struct {
	first, name, end int
	elem             token
}

// declarationAt reads the declaration that begins with token k.
func (t *translator) declarationAt(k int) declarationInC {
	d := declarationInC{first: k, name: t.declares(k), end: t.end(k), elem: word(tokIdent, "", t.at(k))}
	for j := k; j < d.name; j++ {
		if s := typeOfC(t.at(j).text); s != "" {
			d.elem.text = s
		}
	}
	d.elem.text = cmp.Or(integerOfC(t.tokens[k:d.name]), d.elem.text)
	return d
}

// declare replaces a declaration by tokens of this language, and returns its last token.
func (t *translator) declare(e edits, d declarationInC, message string, out []token) int {
	if !t.rewritten(e, d.first, d.end, "declaration "+message, message, out) {
		return d.first
	}
	return d.end
}

// arraysOfC translates double a[N], b[M]. If the first array has a value, this value and all that
// follows are dropped.
func (t *translator) arraysOfC(e edits, d declarationInC) int {
	k, last := d.first, t.match[d.name+1]
	if t.at(last + 1).is("=") {
		e.drop(last+1, d.end)
	}
	out := slices.Concat([]token{operator("array", d.elem)}, t.ranges(d.name, last), []token{d.elem}, t.role(t.at(d.name)))
	if zero := last + 3; t.at(last+1).is("=") && t.at(last+2).is("[") && t.match[last+2] == zero+1 && strings.Trim(t.at(zero).text, "0.f") == "" { // = {0}: the pass over brackets has made it a list
		last = zero + 1
		out = t.begunWith(out, t.at(d.name), []token{word(tokInt, "0", t.at(d.name))})
	}
	if t.at(last + 1).is(",") { // further names of the type
		last = t.declarators(k, last+1, d.elem, &out)
	}
	if !t.rewritten(e, k, last, "declaration "+declarationMessage, declarationMessage, out) {
		return k
	}
	return last
}

// allocated returns the declaration of the array for a declaration that allocates memory, such as
// double *u = malloc((n+2)*(n+2)*sizeof(double)) or double *u = new double[n]; nil for any other.
func (t *translator) allocated(d declarationInC) []token {
	name, value := t.at(d.name), d.name+2
	for t.at(value).is("(") && t.match[value] < d.end { // a cast
		value = t.match[value] + 1
	}
	var sizes []token
	switch open := t.at(value + 1); {
	case t.at(value).named("malloc", "calloc", "alloca") && open.is("(") && t.match[value+1] > value+2:
		sizes = t.tokens[value+2 : t.match[value+1]]
	case t.at(value).named("new") && t.at(value+2).is("[") && t.match[value+2] > value+3:
		sizes = t.tokens[value+3 : t.match[value+2]]
	default:
		return nil
	}
	var factors [][]token
	for _, list := range commas(sizes) {
		for _, f := range cut(list, "*") {
			if len(f) > 0 && !f[0].named("sizeof") && !(len(f) == 1 && f[0].text == "1") {
				factors = append(factors, withoutRound(f))
			}
		}
	}
	if dims := t.usedDims(name.text); len(factors) == 0 || dims > 0 && len(factors) != dims {
		factors = slices.Repeat([][]token{{word(tokIdent, "N", name)}}, max(1, dims))
	}
	return slices.Concat([]token{operator("array", name)}, cellTokens(name, rangesOf(between(factors, ",", name), "0", -1)), []token{d.elem}, t.role(name))
}

// mostCells is how many cells of an array usedDims looks at.
const mostCells = 8

// usedDims returns the greatest number of subscripts that the first cells of an array have, 0 if the file uses no cell.
func (t *translator) usedDims(name string) int {
	if pass := &t.tokens[0]; t.dimsUsed == nil || t.counted != pass { // every pass makes new tokens
		t.dimsUsed, t.counted = map[string]int{}, pass
		counts := map[string]int{}
		for k, x := range t.tokens {
			if x.kind == tokIdent && (t.at(k+1).is("[") || t.at(k+1).is("(")) {
				if counts[x.text]++; counts[x.text] <= mostCells {
					t.dimsUsed[x.text] = max(t.dimsUsed[x.text], t.subscriptsAt(k))
				}
			}
		}
	}
	return t.dimsUsed[name]
}

// subscriptsAt is the number of subscripts of the cell at token k.
func (t *translator) subscriptsAt(k int) int {
	last := k + 1 + partner(t.tokens[k+1:min(len(t.tokens), k+maxForeignTokens)])
	n := len(commas(t.tokens[k+2 : last]))
	for t.at(last+1).is("[") && t.at(last+1).glued {
		last, n = last+1+partner(t.tokens[last+1:min(len(t.tokens), last+maxForeignTokens)]), n+1
	}
	return n
}

// repeatedList returns the sizes m and n of the list [[0]*n for _ in range(m)]; nil for another list.
func repeatedList(l []token) (sizes [][]token) {
	if len(l) < 3 || !l[0].is("[") {
		return nil
	}
	last := partner(l)
	inner, behind := l[1:last], l[last+1:]
	if at := slices.IndexFunc(inner, func(x token) bool { return x.is("for") }); at > 0 {
		for k := at; k < len(inner); k++ {
			if inner[k].named("range") && k+2 < len(inner) && inner[k+1].is("(") {
				return append([][]token{inner[k+2 : k+1+partner(inner[k+1:])]}, repeatedList(inner[:at])...)
			}
		}
		return nil
	}
	if len(behind) > 1 && behind[0].is("*") {
		return append([][]token{withoutRound(behind[1:])}, repeatedList(inner)...)
	}
	return nil
}

// numbersOfC returns the params or consts for the declaration const int n = 3, m = 4.
func (t *translator) numbersOfC(d declarationInC) []token {
	keyword := "const"
	if ir.TypeNamed(d.elem.text).Integer() && !slices.ContainsFunc(t.tokens[d.first:d.name], func(x token) bool { return x.is("const") || x.named("constexpr") }) {
		keyword = "param"
	}
	return numbersDeclared(operator(keyword, t.at(d.first)), valued(t.tokens[d.name:d.end+1]))
}

// numbersDeclared returns the declaration for a list of numbers, each of the form x = y.
func numbersDeclared(keyword token, list [][]token) []token {
	var names, values [][]token
	for _, part := range list {
		names, values = append(names, part[:1]), append(values, part[2:])
	}
	return slices.Concat([]token{keyword}, between(names, ",", keyword), []token{operator("=", keyword)}, between(values, ",", keyword))
}

// pointerOfC translates double *a, and an array within a body.
func (t *translator) pointerOfC(e edits, d declarationInC) int {
	const message = "an array is declared before the nest, with its bounds, its type and its role: in, out, inout or none"
	name := t.at(d.name)
	var list [][]token
	for n, part := range commas(t.tokens[d.name : d.end+1]) {
		for len(part) > 1 && part[0].is("*") {
			part = part[1:]
		}
		if len(part) == 0 || part[0].kind != tokIdent {
			continue
		}
		x := part[0]
		t.spoil(x.text)
		array := cellTokens(x, slices.Repeat([][]token{{word(tokInt, "0", x), operator("..", x), word(tokIdent, "N", x)}}, max(1, t.usedDims(x.text))))
		if n == 0 && t.at(d.name+1).is("[") && t.match[d.name+1] > 0 {
			array = t.ranges(d.name, t.match[d.name+1])
		} else if n > 0 && t.usedDims(x.text) == 0 {
			continue // it serves to exchange others
		}
		list = append(list, slices.Concat([]token{operator("array", x)}, array, []token{d.elem}, t.role(x)))
	}
	if !t.found("declaration "+message, join(t.at(d.first).span(), t.at(d.end).span()), message, func() string { return statementsText(between(list, ";", name)) }) {
		return d.first
	}
	e.drop(d.first, d.end)
	return d.end
}

// valued returns the parts x = y of a list with commas.
func valued(l []token) (parts [][]token) {
	for _, part := range commas(l) {
		if len(part) > 2 && part[0].kind == tokIdent && part[1].is("=") {
			parts = append(parts, part)
		}
	}
	return parts
}

// firsts are the first tokens of some lists.
func firsts(lists [][]token) (out []token) {
	for _, l := range lists {
		if len(l) > 0 && l[0].kind == tokIdent {
			out = append(out, l[0])
		}
	}
	return out
}

// declarators appends to out the declarations of the names behind the first one of an array
// declaration, from the comma at token k on, and returns their last token.
func (t *translator) declarators(first, k int, elem token, out *[]token) int {
	for t.at(k).is(",") && t.at(k+1).kind == tokIdent {
		name, last := k+1, k+1
		if t.at(name+1).is("[") && t.match[name+1] > 0 {
			last = t.match[name+1]
			*out = append(*out, operator(";", t.at(first)), word(tokKeyword, "array", t.at(first)))
			*out = append(append(append(*out, t.ranges(name, last)...), elem), t.role(t.at(name))...)
		}
		k = last + 1
	}
	return k - 1
}

// undefined reports the declaration of a name without a value.
func (t *translator) undefined(at diag.Span, name string, elem ir.Type) bool {
	hint, kind := "", diag.Example
	if elem.Integer() && !t.changing[name] {
		hint, kind = "leave this out", diag.Advice
	}
	return t.found("declaration", at, "loop variables are declared by the for, values of an iteration by a let or, if they change, a var, and what all iterations have together by a reduce", func() string { return hint }, kind)
}
