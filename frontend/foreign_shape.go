package frontend

import (
	"slices"
	"strconv"
	"strings"

	"loopc/ir/diag"
)

// Declarations and headers whose words are right, but stand in another order or have
// other signs between them, are put in order line by line: N: int = 9, param T = 1, N = 2,
// array a[0..N][0..N] in double, let float s = x, for i = 1:N, j = 1:N {.

const declarationMessage = "an array is declared with its bounds, its type and its role: in, out, inout or none"

const sizesMessage = "an array has ranges, not sizes: both ends belong to it"

// shaped rewrites a line that begins a statement, in so many blocks.
func (t *translator) shaped(l []token, depth int) []token {
	body, tail := l, []token(nil)
	for len(body) > 0 && body[len(body)-1].is(";") {
		body, tail = body[:len(body)-1], l[len(body)-1:]
	}
	if len(body) < 3 || !balanced(body) {
		return l
	}
	if k := slices.IndexFunc(body, func(x token) bool { return x.is(":") }); k > 0 && k < 3 && k+1 < len(body) && body[k+1].is(":") && body[k+1].glued { // of Julia
		body = slices.Delete(slices.Clone(body), k+1, k+2)
	}
	first, next := body[0], body[1]
	out, message := []token(nil), "a number of the file is a param, an integer given at launch, or a const"
	switch {
	case first.is("const") && body[2].is("=") && len(body) > 4 && body[3].is("[") && 3+partner(body[3:]) == len(body)-1:
		if out, message = constants(body), "a constant is one number, and several have a name each"; out != nil {
			t.spoil(next.text)
		}
	case first.is("param") || first.is("const"):
		out, message = numberList(body), "a declaration names numbers, and then their values, without types"
	case first.is("let"):
		out, message = t.letOrder(body)
	case first.is("array"):
		if out, message = t.arrayOrder(body), declarationMessage; !slices.ContainsFunc(body, func(x token) bool { return x.is("..") || x.is("(") }) {
			message = sizesMessage
		}
	case first.is("boundary"):
		out, message = t.boundaryOrder(body), "a boundary has a kind for each dimension of its array, in square brackets"
	case first.is("for") || first.is("repeat"):
		out, message = loopList(body), loopMessage
	case depth > 0 && first.kind == tokIdent && next.is(":") && len(body) > 4 && body[3].is("="):
		if elem, known := aType(body[2]); known {
			out, message = slices.Concat([]token{operator("let", first), first, t.wide(elem)}, body[3:]), "a value of the iteration is a let"
		}
	case depth == 0 && first.kind == tokIdent && next.is(":") && body[2].kind == tokIdent && len(body) > 3:
		if out = t.annotated(body); out != nil && out[0].is("array") {
			message = declarationMessage
		}
	}
	if out == nil || textOf(out) == textOf(body) {
		return l
	}
	for k := range out {
		out[k].pos.Line = first.pos.Line
	}
	at := join(first.span(), body[len(body)-1].span())
	if !t.found("order "+message, at, message, func() string { return statementsText(out) }, diag.Replacement) {
		return l
	}
	return append(out, tail...)
}

// statementsText lays out statements with semicolons between them.
func statementsText(l []token) string {
	var texts []string
	for _, s := range cut(l, ";") {
		texts = append(texts, textOf(s))
	}
	return strings.Join(texts, "; ")
}

// balanced reports whether the round and square brackets of a line have partners on it.
func balanced(l []token) bool {
	_, closed := bracketsOf(l)
	return closed
}

// aType returns the type that a word stands for here or elsewhere, as a token.
func aType(x token) (token, bool) {
	s := ""
	if x.kind == tokIdent {
		s = typeElsewhere(x.text)
	}
	return word(tokIdent, s, x), s != ""
}

// numberList puts param T = 1, N = 2 and param N int = 1 in order; nil if it is none of
// these.
func numberList(l []token) []token {
	keyword, rest := l[0], l[1:]
	if _, typed := aType(rest[0]); typed && keyword.is("param") && rest[1].kind == tokIdent {
		rest = rest[1:]
	}
	parts := commas(rest)
	var names, values []token
	equals := 0
	for k, part := range parts {
		at := slices.IndexFunc(part, func(x token) bool { return x.is("=") })
		name := part
		if at >= 0 {
			equals++
			name = part[:at]
		}
		if at >= 0 || equals == 0 {
			if len(name) > 1 {
				if _, typed := aType(name[len(name)-1]); !typed || len(name) > 3 || len(name) == 3 && !name[1].is(":") {
					return nil
				}
			}
			if len(name) == 0 || name[0].kind != tokIdent {
				return nil
			}
			if len(names) > 0 {
				names = append(names, operator(",", part[0]))
			}
			names = append(names, name[0])
		}
		if at >= 0 || equals > 0 {
			value := part[at+1:]
			if len(value) == 0 || at < 0 && k == 0 {
				return nil
			}
			if len(values) > 0 {
				values = append(values, operator(",", value[0]))
			}
			values = append(values, value...)
		}
	}
	out := append([]token{keyword}, names...)
	if equals == 0 || equals > 1 && equals < len(parts) {
		return nil
	}
	return append(append(out, operator("=", keyword)), values...)
}

// constants are those of const a = [x, y], a name for each; nil if there are none.
func constants(l []token) []token {
	var names, values []token
	for k, v := range commas(l[4 : len(l)-1]) {
		if len(v) == 0 || k > maxDepth {
			return nil
		}
		if k > 0 {
			names, values = append(names, operator(",", l[0])), append(values, operator(",", l[0]))
		}
		names, values = append(names, word(tokIdent, l[1].text+strconv.Itoa(k), l[1])), append(values, v...)
	}
	return slices.Concat(l[:1], names, l[2:3], values)
}

// letOrder puts let float s = x, let s: float = x, let s, r = x, y, and a let of a cell
// in order.
func (t *translator) letOrder(l []token) ([]token, string) {
	equals := slices.IndexFunc(l, func(x token) bool { return x.is("=") })
	if equals < 2 || equals == len(l)-1 || l[1].kind != tokIdent {
		return nil, ""
	}
	left, value := l[1:equals], l[equals:]
	const order = "a let has its name, its type if one is wanted, and its value"
	switch early, typed := aType(left[0]); {
	case typed && len(left) == 2 && left[1].kind == tokIdent && left[1].text != "":
		if _, both := aType(left[1]); both {
			return nil, ""
		}
		return slices.Concat([]token{l[0], left[1], t.wide(early)}, value), order
	case len(left) == 3 && left[1].is(":"):
		if elem, known := aType(left[2]); known {
			return slices.Concat([]token{l[0], left[0], t.wide(elem)}, value), order
		}
	case len(left) > 2 && left[1].is("[") && t.arrays[left[0].text]:
		return slices.Clone(l[1:]), "a cell is assigned to without let, which names a value of the iteration"
	case len(left) > 2 && left[1].is(","):
		names, values := commas(left), commas(value[1:])
		if len(names) != len(values) {
			return nil, ""
		}
		var out []token
		for k, name := range names {
			if len(name) != 1 || name[0].kind != tokIdent || len(values[k]) == 0 {
				return nil, ""
			}
			if k > 0 {
				out = append(out, operator(";", l[0]))
			}
			out = append(append(out, l[0], name[0], value[0]), values[k]...)
		}
		return out, "a let names one value"
	}
	return nil, ""
}

// boundaryOrder puts boundary u = periodic, boundary u periodic and boundary u(periodic) in
// order; nil if it is none of these.
func (t *translator) boundaryOrder(l []token) []token {
	rest := slices.DeleteFunc(slices.Clone(l[2:]), func(x token) bool {
		return x.opens() || x.closes() || x.is("=") || x.is(":") || x.kind == tokString && t.arrays[l[1].text]
	})
	kinds := commas(rest)
	if l[1].kind != tokIdent || l[2].is("[") || len(kinds) > 1 && len(kinds) != t.dims[l[1].text] || slices.ContainsFunc(kinds, func(k []token) bool { return len(k) == 0 }) {
		return nil
	}
	out := []token{l[0], l[1], operator("[", l[1])}
	for d := range max(1, t.dims[l[1].text]) {
		if d > 0 {
			out = append(out, operator(",", l[1]))
		}
		out = append(out, kinds[min(d, len(kinds)-1)]...)
	}
	return append(out, operator("]", l[1]))
}

// annotated is the declaration that n: int = 9, or a: float64[n, m], of Python stands for;
// nil if the word behind the colon is no type.
func (t *translator) annotated(l []token) []token {
	name, elem := l[0], l[2]
	elem, known := aType(elem)
	switch {
	case !known:
	case l[3].is("=") && len(l) > 4:
		keyword := "param"
		if elem.text[0] == 'f' {
			keyword = "const"
		}
		return slices.Concat([]token{operator(keyword, name), name}, l[3:])
	case l[3].is("[") && l[len(l)-1].is("]"):
		out := append([]token{operator("array", name), name}, sized(l[3:], "0", -1)...)
		return append(append(out, elem), t.role(name)...)
	}
	return nil
}

// sized returns the ranges of an array, in square brackets, whose sizes or ranges stand in
// the brackets around l. A size n is the range from first to n + end.
func sized(l []token, first string, end int) []token {
	out := []token{operator("[", l[0])}
	for k, dim := range commas(l[1 : len(l)-1]) {
		if len(dim) == 0 {
			continue
		}
		if k > 0 {
			out = append(out, operator(",", dim[0]))
		}
		parts := cut(dim, ":")
		switch {
		case slices.ContainsFunc(dim, func(x token) bool { return x.is("..") }):
			out = append(out, dim...)
		case len(parts) == 2 && len(parts[0]) > 0:
			out = append(append(append(out, parts[0]...), operator("..", dim[0])), parts[1]...)
		case end == 0:
			out = append(append(out, word(tokInt, first, dim[0]), operator("..", dim[0])), dim...)
		default:
			out = append(append(out, word(tokInt, first, dim[0]), operator("..", dim[0])), plus(dim, end)...)
		}
	}
	return append(out, operator("]", l[len(l)-1]))
}

// arrayOrder puts an array in order whose dimensions stand in several brackets or in round
// ones, whose type is several words, or whose role is not the last word; nil if it is
// none of these.
func (t *translator) arrayOrder(l []token) []token {
	var out []token
	rest := l[1:]
	if _, known := aType(l[min(3, len(l)-1)]); known && len(l) > 4 && l[2].is(":") && l[4].is("[") { // a: float64[n, m]
		last := 4 + partner(l[4:])
		rest = slices.Concat(l[1:2], l[4:last+1], l[3:4], l[last+1:])
	}
	for len(rest) > 2 && rest[0].kind == tokIdent && rest[1].opens() {
		name, round := rest[0], rest[1].is("(")
		var dims []token
		rest = rest[1:]
		groups := 0
		for len(rest) > 0 && rest[0].opens() {
			groups++
			last := partner(rest)
			inner := sized(rest[:last+1], "0", -1)
			if round {
				inner = sized(rest[:last+1], "1", 0)
			}
			if len(inner) < 3 {
				return nil
			}
			if dims = append(dims, inner[1:len(inner)-1]...); last+1 < len(rest) && rest[last+1].opens() {
				dims = append(dims, operator(",", rest[last]))
			}
			rest = rest[last+1:]
		}
		if out != nil {
			out = append(out, operator(";", l[0]))
		}
		out = append(append(out, l[0], name, operator("[", name)), dims...)
		out = append(out, operator("]", name))
		if len(rest) > 2 && rest[0].is(",") && rest[1].kind == tokIdent && rest[2].opens() {
			rest = rest[1:] // a further array, of the type and role that follow
			continue
		}
		kind, plain := typeAndRole(rest)
		if len(rest) == 0 {
			kind = []token{word(tokIdent, "float64", name)}
			if u := t.uses[name.text]; !u.written && !u.init {
				kind = append(kind, t.role(name)...)
			}
		}
		if kind == nil || plain && l[2].opens() && !round && groups == 1 && !slices.ContainsFunc(out, func(x token) bool { return x.is(";") }) {
			return nil // or more is to be said elsewhere
		}
		var whole []token // with the type and role behind each
		for _, x := range out {
			if x.is(";") {
				whole = append(whole, kind...)
			}
			whole = append(whole, x)
		}
		if len(kind) > 1 && kind[1].is("out") && t.uses[name.text].slice {
			kind = kind[:1] // the slice says what is given back
		}
		return append(whole, kind...)
	}
	return nil
}

// partner is the index of the bracket that closes the one that l begins with.
func partner(l []token) int {
	depth := 0
	for k, x := range l {
		switch {
		case x.opens():
			depth++
		case x.closes():
			if depth--; depth == 0 {
				return k
			}
		}
	}
	return len(l) - 1
}

// rolesElsewhere are words of other languages for the roles of arrays.
var rolesElsewhere = map[string]string{"input": "in", "const": "in", "readonly": "in", "output": "out", "inoutput": "inout", "in": "in", "out": "out", "inout": "inout"}

// typeAndRole reads what stands behind the bounds of an array: words for its type and its
// role in any order. It returns nil if it is something else, and whether it was one word
// for the type, and at most one behind it for the role.
func typeAndRole(l []token) (kind []token, plain bool) {
	var words, role []token
	wide := ""
	plain = len(l) > 0 && len(l) < 3
	for k := 0; k < len(l); k++ {
		x := l[k]
		_, typed := aType(x)
		switch {
		case rolesElsewhere[x.text] != "" && role == nil:
			role = []token{operator(rolesElsewhere[x.text], x)}
			plain = plain && k > 0 && x.text == role[0].text
		case typed || x.named("unsigned", "signed", "precision", "dtype", "intent"):
			if words = append(words, x); x.named("dtype", "intent") {
				words = words[:len(words)-1]
			}
			plain = plain && k == 0
		case x.is("*") && k+1 < len(l) && l[k+1].kind == tokInt:
			wide = l[k+1].text
			k++
		case x.kind == tokInt && k > 0 && l[k-1].is("("):
			wide = x.text
		case x.is("(") || x.is(")") || x.is("=") || x.is(",") || x.is(":"):
			plain = false
		default:
			return nil, false
		}
	}
	near := l
	if len(near) == 0 {
		return nil, false
	}
	elem := "float64"
	has := func(s string) bool { return slices.ContainsFunc(words, func(x token) bool { return x.named(s) }) }
	switch {
	case len(words) == 0:
	case has("char"):
		elem = "uint8"
	case has("double"):
	case has("real") && wide == "4", has("float") && has("real"):
		elem = "float32"
	case has("integer") && wide == "8", has("long"):
		elem = "int64"
	default:
		last, _ := aType(words[0])
		elem = last.text
	}
	return append([]token{word(tokIdent, elem, near[0])}, role...), plain
}
