package frontend

import (
	"loopc/ir"
	"loopc/ir/diag"
	"slices"
)

// The declarations of C, double a[N], int n = 3, and those of Python that have no keyword,
// n = 100 and u = zeros((n, m)).

// declares returns the token after the type of a declaration as in C that begins
// with token k, or k.
func (t *translator) declares(k int) int {
	typed := false
	j := k
	for ; t.sameLine(k, j); j++ {
		x := t.at(j)
		_, foreign := foreignTypes[x.text]
		known := x.kind == tokIdent && (foreign || j == k && typeName(x.text) != "")
		switch {
		case known:
			typed = true
		case x.is("const") || x.is("*") && typed || x.kind == tokIdent && (x.text == "static" || x.text == "restrict" || x.text == "signed" || x.text == "constexpr"):
		case typed && x.kind == tokIdent:
			return j
		default:
			return k
		}
	}
	return k
}

// declaration translates double a[N], int n = 3 and let-like double s = x.
func (t *translator) declaration(e edits, k, depth int) int {
	name, end := t.declares(k), t.end(k)
	elem := ""
	for j := k; j < name; j++ {
		if s := typeName(t.at(j).text); s != "" {
			elem = s
		}
	}
	near := t.at(k)
	var out []token
	message := ""
	switch value := t.at(name + 1); {
	case value.is("[") && t.match[name+1] >= 0 && depth == 0:
		if end = t.match[name+1]; t.at(end + 1).is("=") {
			e.drop(end+1, t.end(k)) // an init says it, which is wanted then
		}
		message = declarationMessage
		out = append(out, word(tokKeyword, "array", near))
		out = append(out, t.ranges(name, end)...)
		out = append(append(out, word(tokIdent, elem, near)), t.role(t.at(name))...)
	case value.is("=") && name+1 < end && depth > 0:
		message = "a value of the iteration is a let"
		for n, part := range valued(t.tokens[name : end+1]) {
			if n > 0 {
				out = append(out, operator(";", near))
			}
			out = append(append(append(out, word(tokKeyword, "let", near), part[0]), t.wide(word(tokIdent, elem, near))), part[1:]...)
		}
	case value.is("=") && name+1 < end:
		message = numberMessage
		kind := "const"
		if typ := ir.TypeNamed(elem); typ.Integer() && !slices.ContainsFunc(t.tokens[k:name], func(x token) bool { return x.is("const") || x.named("constexpr") }) {
			kind = "param"
		}
		var names, values []token
		for n, part := range valued(t.tokens[name : end+1]) {
			if n > 0 {
				names, values = append(names, operator(",", near)), append(values, operator(",", near))
			}
			names, values = append(names, part[0]), append(values, part[2:]...)
		}
		out = slices.Concat([]token{word(tokKeyword, kind, near)}, names, []token{t.at(name + 1)}, values)
	case value.is("[") && t.match[name+1] >= 0, slices.ContainsFunc(t.tokens[k:name], func(x token) bool { return x.is("*") }):
		message = "an array is declared before the nest, with its bounds, its type and its role: in, out, inout or none"
		array := []token{t.at(name), operator("[", near), word(tokInt, "0", near), operator("..", near), word(tokIdent, "N", near), operator("]", near)}
		if value.is("[") && t.match[name+1] > 0 {
			array = t.ranges(name, t.match[name+1])
		}
		text := textOf(slices.Concat([]token{operator("array", near)}, array, []token{word(tokIdent, elem, near)}, t.role(t.at(name))))
		if !t.found("declaration "+message, join(near.span(), t.at(end).span()), message, func() string { return text }) {
			return k
		}
		t.spoil(t.at(name).text)
		e.drop(k, end)
		return end
	default:
		if !t.undefined(join(near.span(), t.at(end).span()), t.at(name).text, ir.TypeNamed(elem)) {
			return k
		}
		e.drop(k, end)
		return end
	}
	if !t.found("declaration "+message, join(near.span(), t.at(end).span()), message, func() string { return textOf(out) }) {
		return k
	}
	e.drop(k, end)
	if t.at(end+1).is(",") && depth == 0 { // further names of the type
		end = t.declarators(e, k, end+1, word(tokIdent, elem, near), &out)
	}
	e.replace(k, out...)
	return end
}

// valued are the parts x = y of a list with commas between.
func valued(l []token) (parts [][]token) {
	for _, part := range commas(l) {
		if len(part) > 2 && part[0].kind == tokIdent && part[1].is("=") {
			parts = append(parts, part)
		}
	}
	return parts
}

// declarators translates the names behind the first one of a declaration of arrays, from
// the comma at token k on, and returns the last of their tokens.
func (t *translator) declarators(e edits, first, k int, elem token, out *[]token) int {
	for t.at(k).is(",") && t.at(k+1).kind == tokIdent {
		name, last := k+1, k+1
		if t.at(name+1).is("[") && t.match[name+1] > 0 {
			last = t.match[name+1]
			*out = append(*out, operator(";", t.at(first)), word(tokKeyword, "array", t.at(first)))
			*out = append(append(append(*out, t.ranges(name, last)...), elem), t.role(t.at(name))...)
		}
		e.drop(k, last)
		k = last + 1
	}
	return k - 1
}

// undefined reports the declaration of a name without a value.
func (t *translator) undefined(at diag.Span, name string, elem ir.Type) bool {
	hint, kind := "let "+name+" = ...", diag.Example
	if elem.Integer() {
		hint, kind = "leave this out", diag.Advice
	}
	return t.found("declaration", at, "loop variables are declared by the for, and values of an iteration by a let", func() string { return hint }, kind)
}

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
			return k
		}
	}
	if equals < 0 || equals == end {
		return k
	}
	const message = numberMessage
	out := append([]token{operator(keyword, t.at(k))}, t.tokens[k:end+1]...)
	if !t.found("declaration "+message, join(t.at(k).span(), t.at(end).span()), message, func() string { return textOf(out) }) {
		return k
	}
	e.drop(k, end)
	e.replace(k, out...)
	return end
}

// plain translates n = 100 outside of all nests, and u = zeros((n, m)).
func (t *translator) plain(e edits, k int) int {
	end := t.end(k)
	value := k + 2
	if t.at(value).is("-") {
		value++
	}
	near := t.at(k)
	var out []token
	message := numberMessage
	switch x := t.at(value); {
	case (x.kind == tokInt || x.kind == tokFloat) && value == end:
		kind := "param"
		if x.kind == tokFloat {
			kind = "const"
		}
		out = append([]token{operator(kind, near)}, t.tokens[k:end+1]...)
	case x.is("["):
		message = declarationMessage
		if t.found("list", join(near.span(), t.at(end).span()), message, func() string { return "array " + near.text + "[0..N, 0..N] float64 " + textOf(t.role(near)) }) {
			e.drop(k, end)
			e.replace(k, near, token{kind: tokIllegal, text: hole, pos: near.pos}) // a declaration with a mistake
			return end
		}
		return k
	case x.kind == tokIdent && t.at(value+1).is("(") && t.match[value+1] == end && slices.ContainsFunc(t.tokens[value:end], func(x token) bool { return x.kind == tokString }),
		(x.named("zeros_like", "ones_like", "empty_like", "linspace", "arange", "eye", "meshgrid", "copy", "asarray", "loadtxt", "load", "rand", "random") || x.text == "array") && t.at(value+1).is("("):
		message = declarationMessage
		if t.found("made", join(near.span(), t.at(end).span()), message, func() string { return "array " + near.text + "[0..N] float64 in" }) {
			t.spoil(near.text)
			e.drop(k, end)
			return end
		}
		return k
	case x.named("zeros", "ones", "empty", "full") && t.at(value+1).is("(") && t.match[value+1] > value+2:
		message = declarationMessage
		open := value + 1
		if t.at(open+1).is("(") || t.at(open+1).is("[") {
			open++
		}
		if t.match[open] < open+2 {
			return k
		}
		out = []token{operator("array", near), near, operator("[", near)}
		elem := "float64"
		sizes := commas(t.tokens[open+1 : t.match[open]])
		for _, size := range append(slices.Clone(sizes), commas(t.tokens[value+2:t.match[value+1]])...) {
			if len(size) > 2 && size[0].named("dtype") && typeName(size[2].text) != "" {
				elem = typeName(size[2].text)
			} else if len(size) == 1 && typeElsewhere(size[0].text) != "" {
				elem = typeElsewhere(size[0].text)
			}
		}
		sizes = slices.DeleteFunc(sizes, func(size []token) bool { return len(size) == 1 && typeElsewhere(size[0].text) != "" })
		if x.named("full") && open == value+1 {
			sizes = sizes[:1]
		}
		for n, size := range sizes {
			if len(size) == 0 || size[0].named("dtype") || len(size) > 1 && size[1].is("=") {
				continue
			}
			if n > 0 {
				out = append(out, operator(",", near))
			}
			out = append(append(out, word(tokInt, "0", near), operator("..", near)), plus(size, -1)...)
		}
		out = append(append(out, operator("]", near), word(tokIdent, elem, near)), t.role(near)...)
	default:
		return k
	}
	if !t.found("declaration "+message, join(near.span(), t.at(end).span()), message, func() string { return textOf(out) }) {
		return k
	}
	e.drop(k, end)
	e.replace(k, out...)
	return end
}
