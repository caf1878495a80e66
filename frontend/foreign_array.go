package frontend

import (
	"loopc/ir"
	"slices"
	"strconv"
)

// rangesOf returns the ranges of an array from a list of sizes or ranges. A size n becomes the range first..n+end.
func rangesOf(list []token, first string, end int) (ranges [][]token) {
	for _, dim := range commas(list) {
		if len(dim) > 0 {
			ranges = append(ranges, rangeOf(dim, first, end))
		}
	}
	return ranges
}

// rangeOf does what rangesOf does, for one dimension.
func rangeOf(dim []token, first string, end int) []token {
	near := dim[0]
	dots := []token{operator("..", near)}
	dim = dotted(dim)
	parts := cut(dim, ":")
	switch {
	case slices.ContainsFunc(dim, func(x token) bool { return x.is("..") }):
		return dim
	case len(parts) == 2 && len(parts[0])+len(parts[1]) == 0: // a : alone, for the size that the caller gives
		return slices.Concat([]token{word(tokInt, first, near)}, dots, []token{word(tokIdent, "N", near)})
	case len(parts) > 1:
		return between(parts, "..", near)
	case end != 0:
		dim = plus(dim, end)
	}
	return slices.Concat([]token{word(tokInt, first, near)}, dots, dim)
}

// dotted rewrites the ranges 0 to N and 1-N as 0..N and 1..N. It returns other sizes and ranges unchanged, as 1-P..N.
func dotted(dim []token) []token {
	if slices.ContainsFunc(dim, func(x token) bool { return x.is("..") }) {
		return dim
	}
	for k, x := range dim {
		if k > 0 && k+1 < len(dim) && (x.text == "to" || k == 1 && x.is("-") && dim[0].kind == tokInt) {
			dim = slices.Clone(dim)
			dim[k] = operator("..", x)
			return dim
		}
	}
	return dim
}

// arrayOrder rewrites an array declaration whose dimensions stand in several brackets or in
// round ones, whose type is several words, whose role is not the last word, or that has several
// arrays. It also returns the message; nil for other declarations.
func (t *translator) arrayOrder(l []token) ([]token, string) {
	if out := t.endsInPairs(l); out != nil {
		return out, "the ends of a range have .. between them, and commas separate dimensions"
	}
	written := l
	l = boundsFirst(l)
	message := declarationMessage
	if textOf(l) != textOf(written) {
		message = "the type and the role of an array stand behind its bounds"
	}
	if l[2].opens() && !slices.ContainsFunc(l, func(x token) bool { return x.is("..") || x.is("(") }) {
		message = sizesMessage
	}
	if _, known := aType(l[2]); known && l[1].kind == tokIdent { // without bounds: one cell
		near := l[1]
		return slices.Concat(l[:2], []token{operator("[", near), word(tokInt, "0", near), operator("..", near), word(tokInt, "0", near), operator("]", near)}, l[2:]), message
	}
	rest := l[1:]
	arrays, behind, plain := arraysIn(l[0], rest)
	if arrays == nil {
		return nil, ""
	}
	kind, usual := t.kindOf(arrays[len(arrays)-1][1], behind)
	if kind == nil || usual && plain && textOf(l) == textOf(written) {
		return nil, "" // another pass reports more
	}
	message = t.oneArray(arrays, behind, message)
	for k := range arrays {
		arrays[k] = append(arrays[k], kind...)
	}
	out := between(arrays, ";", l[0])
	if name := arrays[len(arrays)-1][1]; len(kind) > 1 && kind[1].is("out") && t.uses[name.text].slice {
		out = out[:len(out)-1] // the slice says what is returned
	}
	return out, message
}

// oneArray returns the message for a declaration: that arrays have no type, or are several; else the given message.
func (t *translator) oneArray(arrays [][]token, behind []token, message string) string {
	switch {
	case t.untyped(arrays, behind):
		return missingType
	case len(arrays) > 1:
		return "a declaration has one array, with its bounds, its type and its role"
	}
	return message
}

// untyped reports whether the words behind the bounds of arrays have no type. Then it spoils the types of the arrays.
func (t *translator) untyped(arrays [][]token, behind []token) bool {
	if slices.ContainsFunc(behind, func(x token) bool { _, typed := aType(x); return typed || x.named("precision") }) {
		return false
	}
	for _, a := range arrays {
		t.spoil(typeOf(a[1].text))
	}
	return true
}

var missingType = "the declaration of an array has its type, one of " + ir.TypeNames()

// typeOf is the name by which spoiled has an array of unknown type: nothing is then reported about
// the types of expressions with its cells.
func typeOf(array string) string { return "type of " + array }

// arraysIn returns the arrays that a declaration names, each from the keyword to the bounds, and
// the rest behind the last one; nil if l has another form. plain says that there is one array
// with one pair of square brackets.
func arraysIn(keyword token, l []token) (arrays [][]token, behind []token, plain bool) {
	plain = true
	for {
		var names []token // several names before one pair of brackets share it
		for len(l) > 2 && l[0].kind == tokIdent && l[1].is(",") {
			names, l = append(names, l[0]), l[2:]
		}
		if len(l) < 3 || l[0].kind != tokIdent || !l[1].opens() {
			return nil, nil, false
		}
		dims, rest, groups := dimensionsOf(l[1:])
		if dims == nil {
			return nil, nil, false
		}
		for _, name := range append(names, l[0]) {
			arrays = append(arrays, slices.Concat([]token{keyword}, cellTokens(name, dims)))
		}
		plain = plain && groups == 1 && l[1].is("[") && len(arrays) == 1
		if l = rest; len(l) < 3 || !l[0].is(",") || l[1].kind != tokIdent || !l[2].opens() && !l[2].is(",") {
			return arrays, l, plain
		}
		l = l[1:]
	}
}

// dimensionsOf returns the ranges in the brackets at the beginning of l, the rest behind them,
// and the number of pairs of brackets; nil if the brackets are empty.
func dimensionsOf(l []token) (dims [][]token, behind []token, groups int) {
	first, end := "0", -1
	if l[0].is("(") {
		first, end = "1", 0 // of Fortran
	}
	for len(l) > 0 && l[0].opens() {
		last := partner(l)
		inner := rangesOf(l[1:last], first, end)
		if inner == nil {
			return nil, nil, 0
		}
		dims, l = append(dims, inner...), l[last+1:]
		groups++
	}
	return dims, l, groups
}

// kindOf returns the type and the role of an array from the words behind its bounds; plain says
// that each is one word. Without words, the role follows from the uses of the array.
func (t *translator) kindOf(name token, l []token) (kind []token, plain bool) {
	if len(l) > 0 {
		return typeAndRole(l)
	}
	kind = []token{word(tokIdent, "float64", name)}
	if u := t.uses[name.text]; !u.written && !u.init {
		kind = append(kind, t.role(name)...)
	}
	return kind, false
}

// rolesElsewhere are words of other languages for the roles of arrays.
var rolesElsewhere = map[string]string{"input": "in", "const": "in", "readonly": "in", "output": "out", "inoutput": "inout", "in": "in", "out": "out", "inout": "inout"}

// typeAndRole reads the words behind the bounds of an array: its type and its role in any
// order. It returns nil for anything else. plain says that there is one word for the type, and
// at most one behind it for the role.
func typeAndRole(l []token) (kind []token, plain bool) {
	var words, role []token
	wide := ""
	plain = len(l) > 0 && len(l) < 3
	for k, x := range l {
		_, typed := aType(x)
		switch {
		case x.is("out") && role != nil && role[0].is("in"):
			role, plain = []token{operator("inout", x)}, false
		case rolesElsewhere[x.text] != "" && role == nil:
			role = []token{operator(rolesElsewhere[x.text], x)}
			plain = plain && k > 0 && x.text == role[0].text
		case typed || x.named("unsigned", "signed", "precision"):
			words, plain = append(words, x), plain && k == 0
		case x.kind == tokInt && k > 0 && (l[k-1].is("(") || l[k-1].is("*")):
			wide = x.text
		case x.named("dtype", "intent", "of") || slices.ContainsFunc([]string{"(", ")", "=", ",", ":", "*"}, x.is):
			plain = false
		default:
			return nil, false
		}
	}
	if len(l) == 0 {
		return nil, false
	}
	return append([]token{word(tokIdent, elementOf(words, wide), l[0])}, role...), plain
}

// ranges returns the tokens from the name of an array to its last bracket, with a
// size N made the range 0..N-1.
func (t *translator) ranges(name, last int) []token {
	var ranges [][]token
	for _, dim := range commas(t.tokens[name+2 : last]) {
		if len(dim) == 0 {
			continue
		}
		first, end := "0", -1
		if t.beginsAtOne(dim) {
			first, end = "1", 0
		}
		ranges = append(ranges, rangeOf(dim, first, end))
	}
	return cellTokens(t.at(name), ranges)
}

// plus returns the tokens of the sum x + n. If x ends with a number, n is added to this number.
func plus(x []token, n int) []token {
	near := x[len(x)-1]
	last := len(x) - 1
	if v, err := strconv.Atoi(near.text); err == nil && near.kind == tokInt && v < 1<<30 {
		switch {
		case last == 1 && x[0].is("-") && n >= v:
			return []token{word(tokInt, strconv.Itoa(n-v), near)}
		case last == 1 && x[0].is("-"):
			return []token{x[0], word(tokInt, strconv.Itoa(v-n), near)}
		case last == 0:
			return []token{word(tokInt, strconv.Itoa(max(0, v+n)), near)}
		case x[last-1].is("+"):
			return signed(x[:last-1], v+n, near)
		case x[last-1].is("-") && last > 1:
			return signed(x[:last-1], n-v, near)
		}
	}
	return signed(x, n, near)
}

// signed returns the tokens of the sum x + n, which is x - |n| if n is negative.
func signed(x []token, n int, near token) []token {
	out := slices.Clone(x)
	switch {
	case n > 0:
		return append(out, operator("+", near), word(tokInt, strconv.Itoa(n), near))
	case n < 0:
		return append(out, operator("-", near), word(tokInt, strconv.Itoa(-n), near))
	}
	return out
}

// begun translates an array declaration that ends with initial content, array a[0..N] float64 = 0.
// Token last closes the bracket, and token end is the last of the declaration.
func (t *translator) begun(e edits, name, last, end int) bool {
	equals := last + 1
	for equals < end && !t.at(equals).is("=") {
		equals++
	}
	if t.at(end).is("in") || t.at(end).is("out") || t.at(end).is("inout") {
		end-- // the role stays
	}
	if equals >= end {
		return false
	}
	message := "what the cells of an array have before the nest is said by an init"
	hint := func() string {
		return "init " + t.cellText(t.at(name).text) + " = " + textOf(t.tokens[equals+1:end+1])
	}
	if t.given[t.at(name).text] {
		message = "what is given comes from the caller: only other arrays have an init"
		hint = func() string { return "" }
	}
	if !t.found("begun "+message, join(t.at(equals).span(), t.at(end).span()), message, hint) {
		return false
	}
	e.drop(equals, end)
	return true
}

// array translates foreign parts of a declaration such as array a[N] double inout.
func (t *translator) array(e edits, k int) int {
	end, name := t.end(k), k+1
	last := t.match[min(name+1, len(t.match)-1)]
	if !t.at(name+1).is("[") || last < 0 || last > end {
		return k
	}
	if t.begun(e, name, last, end) {
		for !t.at(end).is("=") {
			end--
		}
		end--
	}
	ranges, rest := t.ranges(name, last), slices.Clone(t.tokens[last+1:end+1])
	if len(rest) > 0 && typeName(rest[0].text) != "" {
		rest[0].text = typeName(rest[0].text)
	}
	if textOf(ranges) == textOf(t.tokens[name:last+1]) || !t.rewritten(e, k, end, sizesMessage, sizesMessage, slices.Concat([]token{t.at(k)}, ranges, rest)) {
		return k
	}
	return end
}

// declaresArray reports whether token k begins the declaration of an array, or of a constant array.
func (t *translator) declaresArray(k int) bool {
	return t.at(k).is("array") || t.at(k).is("const") && t.at(k+2).is("[")
}

// findArrays notes the names of arrays, with what their declarations say, and the names of lets.
func (t *translator) findArrays() {
	t.dims, t.given, t.returned = map[string]int{}, map[string]bool{}, map[string]bool{}
	t.arrays, t.floats, t.lets = map[string]bool{}, map[string]bool{}, map[string]bool{}
	for k, tok := range t.tokens {
		if tok.is("let") && t.at(k+1).kind == tokIdent {
			t.lets[t.at(k+1).text] = true
		}
		if open := t.makes(k); open > k && !t.declared[tok.text] {
			t.arrays[tok.text], t.floats[tok.text], t.dims[tok.text] = true, true, t.usedDims(tok.text)
			t.oneBased = t.oneBased || open == k+3 && t.countsFromOne(open)
		}
		if !t.declaresArray(k) {
			continue
		}
		name := t.at(k + 1)
		if typeName(name.text) != "" && t.at(k+2).kind == tokIdent {
			name = t.at(k + 2)
		}
		if _, builtin := ir.FuncNamed(name.text); name.kind == tokIdent && !builtin {
			t.noteArray(k, name.text)
		}
	}
}

// noteArray notes the array that is declared from token k on.
func (t *translator) noteArray(k int, name string) {
	t.arrays[name] = true
	t.dims[name] = t.dimensions(k)
	if last := t.lineEnd(k); t.endsInPairs(t.tokens[k:last+1]) != nil {
		t.dims[name] = t.dimsInCells(t.at(k + 1))
	}
	for j := k + 1; t.sameLine(k, j); j++ {
		if elem := ir.TypeNamed(typeName(t.at(j).text)); elem.Float() {
			t.floats[name] = true
		}
		t.given[name] = t.given[name] || t.at(j).is("in") || t.at(j).is("inout")
		t.returned[name] = t.returned[name] || t.at(j).is("out") || t.at(j).is("inout")
	}
}

// dimensions returns the number of dimensions of the array that is declared from token k on.
func (t *translator) dimensions(k int) int {
	n, depth := 0, 0 // brackets behind a word, as in intent(out), are not those of dimensions
	for j := k; t.sameLine(k, j) && j-k < maxForeignTokens; j++ {
		switch x := t.at(j); {
		case x.opens():
			if n > 0 && depth == 0 && !t.at(j-1).closes() {
				return n
			}
			if depth++; depth == 1 {
				n++
			}
		case x.closes():
			depth--
		case x.is(",") && depth == 1:
			n++
		}
	}
	return n
}
