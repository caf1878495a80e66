package frontend

import (
	"slices"
	"strconv"
	"strings"

	"loopc/ir/diag"
)

// Declarations of other languages whose types have parameters, std::vector<double> u(n) or
// u::Matrix{Float64}, and those whose values stand between bars or in front, data u /0/.

// containers are the types of C++ and Julia that are arrays, by how many dimensions each
// adds, in small letters.
var containers = map[string]int{
	"vector": 1, "valarray": 1, "array": 1, "matrix": 2, "deque": 1, "list": 1, "span": 1, "mdspan": 2, "ndarray": 1, "abstractarray": 1, "abstractmatrix": 2, "abstractvector": 1, "unique_ptr": 1,
}

// typed rewrites a line that declares an array by a type with parameters: its name stands
// behind the type, or before the colons. A type of C++ is known by its <, which no
// statement of this language has at such a place.
func (t *translator) typed(l []token) []token {
	open := slices.IndexFunc(l, func(x token) bool { return x.is("<") || x.is("{") || x.is("(") || x.is("=") || x.is("[") })
	if open < 1 || !(l[open].is("<") || l[open].is("{")) || l[open-1].kind != tokIdent {
		return nil
	}
	colons := l[0].kind == tokIdent && l[1].is(":") && l[2].is(":") && containers[strings.ToLower(l[0].text)] == 0 && l[0].text != "std"
	last := slices.IndexFunc(l, func(x token) bool { return x.is("(") || x.is("=") || x.is(";") || x.is("{") })
	if last < 0 || colons {
		last = len(l)
	}
	dims, name, elem := 0, l[0], "float64"
	for k, x := range l[:last] {
		if n := containers[strings.ToLower(x.text)]; n > 0 && k+1 < len(l) && (l[k+1].is("<") || l[k+1].is("{")) {
			dims += n
		} else if s := typeElsewhere(x.text); s != "" {
			elem = s
		} else if x.kind == tokInt && colons && k > 0 && l[k-1].is(",") {
			dims, _ = strconv.Atoi(x.text)
		}
	}
	if dims == 0 || dims > maxDepth {
		return nil
	}
	if !colons {
		if name = l[last-1]; name.kind != tokIdent {
			return nil
		}
	}
	out := []token{operator("array", l[0]), name, operator("[", name)}
	for d := range dims {
		if d > 0 {
			out = append(out, operator(",", name))
		}
		out = append(out, word(tokInt, "0", name), operator("..", name), word(tokIdent, "N", name))
	}
	return append(append(out, operator("]", name), word(tokIdent, elem, name)), t.role(name)...)
}

// typedLine is typed with what is said of it: the sizes are not known.
func (t *translator) typedLine(l []token) ([]token, bool) {
	out := t.typed(l)
	if out == nil || !t.found("typed", join(l[0].span(), l[len(l)-1].span()), declarationMessage, func() string { return textOf(out) }, diag.Example) {
		return l, false
	}
	t.spoil(out[1].text)
	return nil, true
}

// filledData rewrites the data u /0/ of Fortran, which gives all cells a value.
func (t *translator) filledData(l []token) ([]token, bool) {
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
	out := []token{operator("init", l[0]), l[1], operator("[", l[1])}
	for d, name := range t.indexNames(l[1], nil) {
		if d > 0 {
			out = append(out, operator(",", l[1]))
		}
		out = append(out, name)
	}
	out = append(append(out, operator("]", l[1]), operator("=", l[2])), l[3:last]...)
	if t.dims[l[1].text] == 0 || !t.found("data", join(l[0].span(), l[last].span()), "what the cells of an array have before the nest is said by an init", func() string { return textOf(out) }, diag.Replacement) {
		return l, false
	}
	for k := range out {
		out[k].pos.Line = l[0].pos.Line
	}
	return append(out, l[last+1:]...), true
}
