package frontend

import (
	"slices"
	"strings"

	"loopc/ir/diag"
)

// Some declarations and headers have the right words in another order, or with other signs
// between them. This pass reorders them line by line: N: int = 9, param T = 1, N = 2, array
// a[0..N][0..N] in double, let float s = x, for i = 1:N, j = 1:N {.

const declarationMessage = "an array is declared with its bounds, its type and its role: in, out, inout or none"

const sizesMessage = "an array has ranges, not sizes: both ends belong to it"

const numberMessage = "a number of the file is a param, an integer given at launch, or a const"

// A shape reorders statements that begin with certain words. order returns the new tokens and
// the message; nil if it does not apply.
type shape struct {
	words []string
	order func(t *translator, l []token) ([]token, string)
}

// says makes an order function (see shape), whose message is always the same, from a function that
// reorders tokens.
func says(message string, order func(l []token) []token) func(*translator, []token) ([]token, string) {
	return func(t *translator, l []token) ([]token, string) { return order(l), message }
}

// shapes are the shapes by keywords; the first that applies counts.
var shapes = []shape{
	{strings.Fields("const"), (*translator).constants},
	{strings.Fields("param"), says(listedMessage, listedParam)},
	{strings.Fields("const"), says("a constant has no type: it is exact until it meets one", untypedConst)},
	{strings.Fields("param const"), says("a declaration names numbers, then the type of a param of floats, and then their values", numberList)},
	{strings.Fields("let"), (*translator).letOrder},
	{strings.Fields("array"), (*translator).arrayOrder},
	{strings.Fields("reduce"), says("a reduce has one number", reductionList)},
	{strings.Fields("reduce"), (*translator).firstOfReduction},
	{strings.Fields("reduce"), says("a reduction is the max, min or sum of an expression", summed)},
	{strings.Fields("reduce"), says("a reduction has no type: it is that of what it combines", untypedReduction)},
	{strings.Fields("reduce"), says("a reduction is of all iterations of the nest behind it", ofAllIterations)},
	{strings.Fields("reduce"), (*translator).reducedSlices},
	{strings.Fields("reduce"), says("the loops of a place stand in round brackets", placeInBrackets)},
	{strings.Fields("boundary"), (*translator).boundaryOrder},
	{strings.Fields("repeat"), (*translator).whileUntil},
	{strings.Fields("repeat"), says("a repeat ends by one comparison with a reduction", oneUntil)},
	{strings.Fields("for repeat"), (*translator).loopsOrder},
}

// ordered reorders a statement inside depth blocks.
func (t *translator) ordered(l []token, depth int) ([]token, string) {
	if l[0].kind == tokIdent {
		if depth > 0 {
			return t.value(l)
		}
		return t.annotated(l)
	}
	if depth == 0 && l[0].is("let") && len(l) > 5 && l[2].is(",") && !slices.ContainsFunc(l, func(x token) bool { return x.kind == tokOp && !strings.Contains(",=-", x.text) }) {
		return append([]token{operator("const", l[0])}, l[1:]...), "a let belongs in the body of a for, and a number of the file is a const"
	}
	for _, s := range shapes {
		if slices.ContainsFunc(s.words, l[0].is) {
			if out, message := s.order(t, l); out != nil {
				return out, message
			}
		}
	}
	return nil, ""
}

// shaped rewrites a line that begins a statement, inside depth blocks.
func (t *translator) shaped(l []token, depth int) []token {
	body := l[:lastOf(l, ";")+1]
	if len(body) < 3 && !t.endless(body) || !balanced(body) {
		return l
	}
	tail := l[len(body):]
	if k := slices.IndexFunc(body, func(x token) bool { return x.is(":") }); k > 0 && k < 3 && k+1 < len(body) && body[k+1].is(":") && body[k+1].glued { // of Julia
		body = slices.Delete(slices.Clone(body), k+1, k+2)
	}
	out, message := t.ordered(body, depth)
	if out == nil || textOf(out) == textOf(body) {
		return l
	}
	if len(out) == 1 { // the line is reported
		return append(out, tail...)
	}
	for k := range out {
		out[k].pos.Line = body[0].pos.Line
	}
	at := join(body[0].span(), body[len(body)-1].span())
	if !t.found("order "+message, at, message, func() string { return statementsText(out) }, diag.Replacement) {
		return l
	}
	return append(out, tail...)
}

// listedParam returns the constant array for param w[0..2] float64 = [1, 2, 1]; nil for others.
func listedParam(l []token) []token {
	equals := slices.IndexFunc(l, func(x token) bool { return x.is("=") })
	if !l[2].is("[") || equals < 0 || equals+1 == len(l) || !l[equals+1].is("[") {
		return nil
	}
	return append([]token{operator("const", l[0])}, l[1:]...)
}

// reductionList returns the reductions for reduce a = e, b = f and reduce a, b = e, f, one by one; nil for others.
func reductionList(l []token) (out []token) {
	var parts [][]token
	if equals := cut(l[1:], "="); len(equals) == 2 { // names, and then values
		names, values := commas(equals[0]), commas(equals[1])
		if len(names) != len(values) {
			return nil
		}
		for k := range names {
			parts = append(parts, slices.Concat(names[k], []token{operator("=", l[1])}, values[k]))
		}
	} else {
		parts = commas(l[1:])
	}
	if len(parts) < 2 {
		return nil
	}
	for k, p := range parts {
		if len(p) < 4 || p[0].kind != tokIdent || !p[1].is("=") {
			return nil
		}
		if k > 0 {
			out = append(out, operator(";", p[0]))
		}
		out = append(append(out, operator("reduce", p[0])), p...)
	}
	return out
}

// summed returns the reduction for reduce x += e, and for reduce x += max(e); nil for others.
func summed(l []token) []token {
	if len(l) < 5 || !l[2].is("+") || !l[3].is("=") {
		return nil
	}
	if op := l[4]; op.named("max", "min", "sum") && len(l) > 6 && l[5].is("(") && partner(l[5:]) == len(l)-6 && len(commas(l[6:len(l)-1])) == 1 {
		return slices.Concat(l[:2], l[3:])
	}
	return slices.Concat(l[:2], l[3:4], []token{word(tokIdent, "sum", l[1]), operator("(", l[1])}, l[4:], []token{operator(")", l[1])})
}

// value returns statements for a, b = x, y and for x: float = y in a body; nil for others.
func (t *translator) value(l []token) ([]token, string) {
	if list := severalCells(l); list != nil {
		return t.oneByOne(list), "an assignment is to one cell, and a let names one value"
	}
	if elem, known := aType(l[2]); known && l[1].is(":") && len(l) > 4 && l[3].is("=") {
		if t.assignedBelow(l[0]) && !t.sums[l[0].text] {
			t.isVar(l[0].text)
			return slices.Concat([]token{word(tokIdent, "var", l[0]), l[0], t.wide(elem)}, l[3:]), changedVar
		}
		return slices.Concat([]token{operator("let", l[0]), l[0], t.wide(elem)}, l[3:]), letMessage
	}
	return nil, ""
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

// letOrder rewrites let float s = x, let s: float = x, let s, r = x, y, and a let of a
// cell. It returns nil for others.
func (t *translator) letOrder(l []token) ([]token, string) {
	equals := slices.IndexFunc(l, func(x token) bool { return x.is("=") })
	if equals < 3 || equals == len(l)-1 || l[1].kind != tokIdent {
		return nil, ""
	}
	left, value := l[1:equals], l[equals:]
	if left[0].named("mut") && left[1].kind == tokIdent {
		return t.mutable(l[0], left[1:], value)
	}
	name, elem := left[0], left[len(left)-1]
	if len(left) == 2 {
		name, elem = left[1], left[0]
	}
	elem, typed := aType(elem)
	_, both := aType(name)
	switch {
	case typed && !both && (len(left) == 2 && name.kind == tokIdent || len(left) == 3 && left[1].is(":")):
		return slices.Concat([]token{l[0], name, t.wide(elem)}, value), "a let has its name, its type if one is wanted, and its value"
	case left[1].is("[") && t.arrays[name.text]:
		return slices.Clone(l[1:]), "a cell is assigned to without let, which names a value of the iteration"
	case left[1].is(",") && len(commas(left)) == len(commas(value[1:])):
		return t.severalLets(l, left, value)
	}
	return nil, ""
}

// severalLets rewrites let a, b = x, y. If a value uses one of the names, the values are handed from one iteration to the
// next: this it only reports.
func (t *translator) severalLets(l, left, value []token) ([]token, string) {
	var lets [][]token
	values := commas(value[1:])
	for k, name := range commas(left) {
		if len(name) != 1 || name[0].kind != tokIdent || len(values[k]) == 0 {
			return nil, ""
		}
		lets = append(lets, slices.Concat([]token{l[0], name[0], value[0]}, values[k]))
	}
	named := func(x token) bool {
		return x.kind == tokIdent && slices.ContainsFunc(left, func(y token) bool { return y.text == x.text })
	}
	if !slices.ContainsFunc(value, named) {
		return between(lets, ";", l[0]), "a let names one value"
	}
	const message = "a let names one value, and begins anew in every iteration: what one iteration hands to the next is a cell of an array"
	if !t.found("handed on", join(l[0].span(), l[len(l)-1].span()), message, func() string { return "" }) {
		return nil, ""
	}
	t.spoilNames(left)
	return []token{operator(";", l[0])}, message
}

// cellAtBoundary reports boundary u[0] = u[N], at the given place: cells of the array at another end have no place there, and the
// user may mean several kinds. The message is "" for others.
func (t *translator) cellAtBoundary(l []token, at diag.Span) string {
	const message = "a boundary assigns to no cells: it says by a word for each end of a dimension what is read beyond that end"
	assigned := slices.IndexFunc(l, func(x token) bool { return x.is("=") }) + 1
	if assigned < 3 || assigned >= len(l) || l[assigned].text != l[1].text || !t.found("cell at a boundary", at, message, func() string { return forms["boundary"] }, diag.Pattern) {
		return ""
	}
	return message
}

// boundaryOrder reorders boundary u = periodic, boundary u periodic and boundary u(periodic);
// it returns nil for others.
func (t *translator) boundaryOrder(l []token) ([]token, string) {
	if numbers := slices.ContainsFunc(l, func(x token) bool { return x.kind == tokInt || x.kind == tokFloat }); numbers && l[1].kind == tokIdent {
		at := join(l[0].span(), l[len(l)-1].span())
		if message := t.cellAtBoundary(l, at); message != "" {
			return []token{operator(";", l[0])}, message
		}
		if t.found("fixed boundary", at, fixedBoundary, func() string { return t.largerBy(l) }, diag.Advice) {
			return []token{operator(";", l[0])}, fixedBoundary
		}
	}
	rest := slices.DeleteFunc(slices.Clone(l[2:]), func(x token) bool {
		return x.opens() || x.closes() || x.is("=") || x.is(":") || x.kind == tokString && t.arrays[l[1].text]
	})
	kinds := commas(rest)
	if l[1].kind != tokIdent || l[2].is("[") || len(kinds) > 1 && len(kinds) != t.dims[l[1].text] || slices.ContainsFunc(kinds, func(k []token) bool { return len(k) == 0 }) {
		return nil, ""
	}
	for len(kinds) < t.dims[l[1].text] {
		kinds = append(kinds, kinds[0])
	}
	return slices.Concat(l[:1], cellTokens(l[1], kinds)), "a boundary has a kind for each dimension of its array, in square brackets"
}

// severalCells returns the assignments in a, b = x, y. It returns nil if there are none, or if
// a value reads an earlier target, because all values are computed before any assignment.
func severalCells(l []token) [][]token {
	equals := slices.IndexFunc(l, func(x token) bool { return x.is("=") })
	if equals < 0 {
		return nil
	}
	cells, values := commas(withoutRound(l[:equals])), commas(withoutRound(l[equals+1:]))
	if len(cells) < 2 || len(cells) != len(values) {
		return nil
	}
	var out [][]token
	for k, c := range cells {
		if len(c) == 0 || c[0].kind != tokIdent || len(c) > 1 && !c[1].is("[") || len(values[k]) == 0 {
			return nil
		}
		for _, before := range cells[:k] {
			if strings.Contains(textOf(values[k]), textOf(before)) {
				return nil
			}
		}
		out = append(out, slices.Concat(c, l[equals:equals+1], values[k]))
	}
	return out
}

// oneByOne joins assignments with semicolons, with let before those to names.
func (t *translator) oneByOne(list [][]token) (out []token) {
	for k, l := range list {
		if k > 0 {
			out = append(out, operator(";", l[0]))
		}
		if l[1].is("=") && !t.arrays[l[0].text] {
			out = append(out, operator("let", l[0]))
		}
		out = append(out, l...)
	}
	return out
}

// annotated returns the declaration for n: int = 9, or a: float64[n, m], of Python; nil if the
// word behind the colon is not a type.
func (t *translator) annotated(l []token) ([]token, string) {
	name, elem := l[0], l[2]
	elem, known := aType(elem)
	switch {
	case !known || !l[1].is(":") || len(l) < 4:
	case l[3].is("=") && len(l) > 4:
		keyword := "param"
		if elem.text[0] == 'f' {
			keyword = "const"
		}
		return slices.Concat([]token{operator(keyword, name), name}, l[3:]), numberMessage
	case l[3].is("[") && l[len(l)-1].is("]"):
		out := append([]token{operator("array", name)}, cellTokens(name, rangesOf(l[4:len(l)-1], "0", -1))...)
		return append(append(out, elem), t.role(name)...), declarationMessage
	}
	return nil, ""
}

// mostSizes bounds the sizes that beginsAtOne looks for: each takes the time to read the file.
const mostSizes = 50

// beginsAtOne reports whether the other arrays with a size have it as the range 1 to the size.
func (t *translator) beginsAtOne(size []token) bool {
	var text strings.Builder
	for _, x := range size {
		text.WriteString(x.text + " ")
	}
	one, known := t.fromOne[text.String()]
	if known || len(t.fromOne) == mostSizes {
		return one
	}
	if t.fromOne == nil {
		t.fromOne = map[string]bool{}
	}
	one = t.rangesFromOne(size)
	t.fromOne[text.String()] = one
	return one
}

// rangesFromOne does what beginsAtOne does, and reads the file for it.
func (t *translator) rangesFromOne(size []token) bool {
	one := false
	for k, x := range t.tokens {
		if !x.is("..") || k == 0 || !slices.EqualFunc(t.tokens[k+1:min(len(t.tokens), k+1+len(size))], size, func(a, b token) bool { return a.text == b.text }) {
			continue
		}
		if next := t.at(k + 1 + len(size)); !next.is(",") && !next.is("]") && !next.is("{") {
			if next.is("-") && t.at(k-1).text == "0" {
				return false
			}
			continue
		}
		if one = t.at(k-1).text == "1"; !one {
			return false
		}
	}
	return one
}

// sameBefore is the first subscript that is the same name as subscript d, as in D[i,i]; -1 if there is none.
func sameBefore(subs [][]token, d int) int {
	name := func(s []token) bool {
		return len(s) == 1 && len(subs[d]) == 1 && s[0].kind == tokIdent && s[0].text == subs[d][0].text
	}
	return slices.IndexFunc(subs[:d], name)
}
