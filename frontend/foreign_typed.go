package frontend

import (
	"slices"
	"strconv"
	"strings"

	"loopc/ir"
	"loopc/ir/diag"
)

// Declarations whose types have parameters, std::vector<double> u(n) and u::Matrix{Float64}, and
// Fortran's data u /0/.

// containers are the types of C++ and Julia that are arrays, by the number of dimensions that
// each adds, in lower case.
var containers = map[string]int{
	"vector": 1, "valarray": 1, "array": 1, "matrix": 2, "deque": 1, "list": 1, "span": 1, "mdspan": 2, "ndarray": 1, "abstractarray": 1, "abstractmatrix": 2, "abstractvector": 1, "unique_ptr": 1,
}

// typed rewrites a line that declares an array by a type with parameters: its name stands
// behind the type, or before the colons. A type of C++ is recognized by its <, which no
// statement of this language has there.
func (t *translator) typed(l []token) []token {
	open := slices.IndexFunc(l, func(x token) bool { return x.is("<") || x.is("{") || x.is("(") || x.is("=") || x.is("[") })
	if open < 1 || !(l[open].is("<") || l[open].is("{")) || l[open-1].kind != tokIdent {
		return nil
	}
	name, kind := l[0], l
	if colons := l[1].is(":") && l[2].is(":") && containers[strings.ToLower(name.text)] == 0 && name.text != "std"; !colons {
		last := slices.IndexFunc(l, func(x token) bool { return x.is("(") || x.is("=") || x.is(";") || x.is("{") })
		if last < 0 {
			last = len(l)
		}
		name, kind = l[last-1], l[:last-1]
	}
	dims, elem := contained(kind)
	if name.kind != tokIdent || dims == 0 || dims > maxDepth {
		return nil
	}
	return slices.Concat([]token{operator("array", l[0])}, cellTokens(name, givenSizes(l, name, dims)), []token{word(tokIdent, elem, name)}, t.role(name))
}

// givenSizes returns the ranges of an array with the given number of dimensions: those of the sizes in round
// brackets behind its name, if there are as many; else 0..N for each.
func givenSizes(l []token, name token, dims int) [][]token {
	at := slices.IndexFunc(l, func(x token) bool { return x.is("(") })
	if at > 0 && l[at-1].text == name.text && partner(l[at:]) > 1 {
		list := rangesOf(innerSizes(l[at+1:at+partner(l[at:])]), "0", -1)
		if len(list) == dims+1 { // behind the sizes, the value of all cells
			list = list[:dims]
		}
		if len(list) == dims {
			return list
		}
	}
	size := []token{word(tokInt, "0", name), operator("..", name), word(tokIdent, "N", name)}
	return slices.Repeat([][]token{size}, dims)
}

// innerSizes returns the sizes of a vector of vectors: n, m for (n, std::vector<int>(m)).
func innerSizes(l []token) []token {
	parts := commas(l)
	last := parts[len(parts)-1]
	open := slices.IndexFunc(last, func(x token) bool { return x.is("(") })
	if open < 1 || !last[open-1].is(">") {
		return l
	}
	inner := innerSizes(last[open+1 : open+partner(last[open:])])
	return between(append(slices.Clone(parts[:len(parts)-1]), inner), ",", l[0])
}

// contained returns the number of dimensions and the cell type of a type with parameters; a
// number among these is the number of dimensions.
func contained(kind []token) (dims int, elem string) {
	elem = "float64"
	for k, x := range kind {
		n := containers[strings.ToLower(x.text)]
		switch s := typeElsewhere(x.text); {
		case n > 0 && k+1 < len(kind) && (kind[k+1].is("<") || kind[k+1].is("{")):
			dims += n
		case s != "":
			elem = s
		case x.kind == tokInt && k > 0 && kind[k-1].is(",") && slices.ContainsFunc(kind, func(y token) bool { return y.is("{") }):
			dims, _ = strconv.Atoi(x.text)
		}
	}
	return dims, elem
}

// typedLine reports a line that typed understands, with the declaration in this language as
// hint. The line is dropped and its array marked as spoiled, so that uses of it are not reported
// as well.
func (t *translator) typedLine(s lineStart) ([]token, bool) {
	l := s.tokens
	if s.depth > 0 || len(l) < 4 || l[0].kind != tokIdent {
		return nil, false
	}
	out := t.typed(l)
	if out == nil || !t.found("typed", join(l[0].span(), l[len(l)-1].span()), declarationMessage, func() string { return textOf(out) }, diag.Example) {
		return l, false
	}
	t.spoil(out[1].text)
	return nil, true
}

// filledData rewrites the data u /0/ of Fortran, which gives all cells a value.
func (t *translator) filledData(s lineStart) ([]token, bool) {
	l := s.tokens
	if len(l) < 5 || !l[0].named("data") || l[1].kind != tokIdent || !l[2].is("/") {
		return l, false
	}
	last := 3
	for last < len(l) && !l[last].is("/") {
		last++
	}
	if last == len(l) {
		return l, false
	}
	if t.dims[l[1].text] == 0 && t.usedDims(l[1].text) == 0 && last == len(l)-1 && number(l[3:last]) {
		keyword := "param"
		if l[last-1].kind == tokFloat {
			keyword = "const"
		}
		out := slices.Concat([]token{operator(keyword, l[0]), l[1], operator("=", l[2])}, l[3:last])
		return out, t.found("declaration "+numberMessage, join(l[0].span(), l[last].span()), numberMessage, func() string { return textOf(out) }, diag.Replacement)
	}
	out := slices.Concat([]token{operator("init", l[0])}, cellTokens(l[1], single(t.indexNames(l[1], nil))), []token{operator("=", l[2])}, l[3:last])
	if t.dims[l[1].text] == 0 || !t.found("data", join(l[0].span(), l[last].span()), "what the cells of an array have before the nest is said by an init", func() string { return textOf(out) }, diag.Replacement) {
		return l, false
	}
	for k := range out {
		out[k].pos.Line = l[0].pos.Line
	}
	return append(out, l[last+1:]...), true
}

// rangesBehind reports whether a name has the bounds of an array.
func rangesBehind(l []token) bool {
	if len(l) < 4 || !l[1].is("[") {
		return false
	}
	return slices.ContainsFunc(l[2:max(2, 1+partner(l[1:]))], func(x token) bool { return x.is("..") })
}

// beginsDeclaration reports whether x is the first word of what declares one name.
func beginsDeclaration(x token) bool {
	return x.is("param") || x.is("const") || x.is("let") || x.named("var") || x.is("array")
}

// isRole reports whether x is the role of an array.
func isRole(x token) bool { return x.is("in") || x.is("out") || x.is("inout") }

// typeFirst moves a type to its place behind the name of a parameter, a let or a var, or behind the bounds of an array. A const
// has none.
func (t *translator) typeFirst(s lineStart) ([]token, bool) {
	l := s.tokens
	elem := typeElsewhere(l[0].text)
	if elem != "" && s.depth == 0 && isRole(l[len(l)-1]) && l[1].kind == tokIdent && rangesBehind(l[1:]) {
		l = slices.Concat(l[:1], []token{operator("array", l[0])}, l[1:])
	}
	if elem == "" || len(l) < 4 || l[2].kind != tokIdent || !beginsDeclaration(l[1]) {
		return nil, false
	}
	at := 3
	if l[1].is("array") && l[3].opens() {
		at = 4 + partner(l[3:])
	}
	at = min(at, len(l))
	moved := slices.Clone(l[1:at])
	whole := l[1].is("param") && ir.TypeNamed(elem).Integer()
	if kind := word(tokIdent, elem, l[0]); !whole && !l[1].is("const") {
		if l[1].is("param") {
			kind.text = ir.Float64.String()
		}
		moved = append(moved, kind)
	}
	moved = append(moved, l[at:]...)
	for k := range moved {
		moved[k].pos.Line = l[0].pos.Line
	}
	return moved, t.found("type first", join(l[0].span(), l[len(l)-1].span()), "the type stands behind the name that is declared", func() string { return textOf(moved) }, diag.Replacement)
}

// grouped rewrites const ( N = 100; M = 50 ) of Go, with a declaration a line, as declarations with a keyword each.
func (t *translator) grouped() {
	t.pair()
	e := edits{}
	for k, x := range t.tokens {
		open, last := k+1, t.match[min(k+1, len(t.tokens)-1)]
		if !x.is("const") && !x.is("param") && !x.is("array") && !x.is("let") || !t.at(open).is("(") || last < 0 || last > open+maxForeignTokens || t.sameLine(open, last) || t.sameLine(open, open+1) {
			continue
		}
		var all []string
		for j := open + 1; j < last; j++ {
			if !t.sameLine(j-1, j) {
				end := j
				for end+1 < last && t.sameLine(j, end+1) {
					end++
				}
				all = append(all, textOf(append([]token{x}, t.tokens[j:end+1]...)))
				e.at(j).before = append(e.at(j).before, operator(x.text, t.at(j)))
			}
		}
		if !t.found("grouped", join(x.span(), t.at(open).span()), "each declaration has its own keyword, and no brackets", func() string { return "write " + strings.Join(all, ", and ") }, diag.Advice) {
			return
		}
		e.drop(k, open)
		e.drop(last, last)
	}
	t.tokens = e.apply(t.tokens, 0, len(t.tokens))
}

// arrayOfGo rewrites var u [N][M]float64 of Go.
func (t *translator) arrayOfGo(s lineStart) ([]token, bool) {
	l := s.tokens
	if made := t.madeByGo(l); made != nil && s.depth == 0 {
		l = made
	}
	if s.depth > 0 || len(l) < 6 || !l[0].named("var") || l[1].kind != tokIdent || !l[2].is("[") || !balanced(l) {
		return nil, false
	}
	var sizes [][]token
	rest := l[2:]
	for len(rest) > 2 && rest[0].is("[") {
		last := partner(rest)
		sizes, rest = append(sizes, rest[1:last]), rest[last+1:]
	}
	elem := typeElsewhere(lastText(rest))
	if len(rest) != 1 || elem == "" || anyEmpty(sizes) {
		return nil, false
	}
	out := slices.Concat([]token{operator("array", l[0])}, cellTokens(l[1], rangesOf(between(sizes, ",", l[0]), "0", -1)), []token{word(tokIdent, elem, l[0])}, t.role(l[1]))
	for k := range out {
		out[k].pos.Line = l[0].pos.Line
	}
	return out, t.found("declaration "+declarationMessage, join(s.tokens[0].span(), s.tokens[len(s.tokens)-1].span()), declarationMessage, func() string { return textOf(out) })
}

// madeByGo rewrites u := make([]float64, n) as var u [n]float64; nil for other lines.
func (t *translator) madeByGo(l []token) []token {
	at := slices.IndexFunc(l, func(x token) bool { return x.named("make") })
	if at < 2 || at+6 >= len(l) || l[0].kind != tokIdent || !l[at-1].is("=") || !l[at+1].is("(") || at+1+partner(l[at+1:]) != len(l)-1 {
		return nil
	}
	name := l[0]
	if l[0].named("var") {
		name = l[1]
	}
	args := commas(l[at+2 : len(l)-1])
	if len(args) < 2 || len(args[0]) != 3 || !args[0][0].is("[") || len(args[1]) == 0 {
		return nil
	}
	return slices.Concat([]token{word(tokIdent, "var", l[0]), name, operator("[", name)}, args[1], args[0][1:])
}

// extentsOf are the ranges of a list of numbers, or of lists of them.
func extentsOf(list []token) (dims [][]token) {
	for len(list) > 2 && list[0].is("[") {
		parts, near := commas(list[1:partner(list)]), list[0]
		dims = append(dims, []token{word(tokInt, "0", near), operator("..", near), word(tokInt, strconv.Itoa(len(parts)-1), near)})
		list = parts[0]
	}
	return dims
}

// listsConst reports whether a line, whose = is token at, is a const with a list of values for cells that the file reads, and not
// as this language writes it.
func (t *translator) listsConst(l []token, at int) bool {
	if !l[0].is("const") || at < 2 || l[1].kind != tokIdent || t.usedDims(l[1].text) == 0 {
		return false
	}
	ranges := slices.ContainsFunc(l[2:at], func(x token) bool { return x.is("..") })
	typed := at > 3 && ir.TypeNamed(l[at-1].text) != ir.Invalid
	return !(ranges && typed && l[at+1].is("["))
}

// typeOfList is the type of the constants of a list: that of a word in its declaration; else an integer type if the list has no floats,
// and neither have the arrays of the file, or its cells stand in subscripts.
func (t *translator) typeOfList(name token, list, declared []token) string {
	elem := ir.Float64.String()
	chooses := false
	for k, x := range t.tokens {
		chooses = chooses || x.text == name.text && x.kind == tokIdent && t.at(k+1).is("[") && t.inSubscript(k)
	}
	if !slices.ContainsFunc(list, func(x token) bool { return x.kind == tokFloat }) && (len(t.floats) == 0 || chooses) {
		elem = ir.Int32.String()
	}
	for _, x := range declared {
		if own := typeElsewhere(x.text); x.kind == tokIdent && own != "" {
			elem = own
		}
	}
	return elem
}

// squared returns a list with square brackets in the place of braces.
func squared(list []token) []token {
	out := slices.Clone(list)
	for k, x := range out {
		if bracket := map[string]string{"{": "[", "}": "]"}[x.text]; bracket != "" {
			out[k] = operator(bracket, x)
		}
	}
	return out
}

// listedArray rewrites array w[0..2] float64 = [1, 2, 1], with or without bounds and type, as a constant array.
func (t *translator) listedArray(s lineStart) ([]token, bool) {
	l := s.tokens[:lastOf(s.tokens, ";")+1]
	at := slices.IndexFunc(l, func(x token) bool { return x.is("=") })
	if at < 2 || at+2 >= len(l) || l[1].kind != tokIdent || !l[0].is("array") && !t.listsConst(l, at) {
		return nil, false
	}
	list := squared(l[at+1:])
	if !list[0].is("[") || !bracketed(list) || t.uses[l[1].text].written {
		return nil, false
	}
	if slices.ContainsFunc(list, func(x token) bool { return x.kind == tokIdent && !t.numbers[x.text] || x.is("*") && len(list) < 6 }) {
		return nil, false
	}
	dims := extentsOf(list)
	if l[2].is("[") {
		if given := commas(l[3 : 2+partner(l[2:])]); len(given) == len(dims) && !slices.ContainsFunc(given, func(d []token) bool { return len(cut(d, "..")) != 2 || anyEmpty(cut(d, "..")) }) {
			dims = given
		}
	}
	out := slices.Concat([]token{operator("const", l[0])}, cellTokens(l[1], dims), []token{word(tokIdent, t.typeOfList(l[1], list, l[2:at]), l[0]), l[at]}, list)
	for k := range out {
		out[k].pos.Line = l[0].pos.Line
	}
	return out, t.found("array of numbers", join(l[0].span(), l[len(l)-1].span()), listedMessage, func() string { return lineOf(out, maxForeignTokens) }, diag.Replacement)
}
