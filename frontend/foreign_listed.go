package frontend

import (
	"slices"
	"strconv"
	"strings"

	"loopc/ir/diag"
)

// Declarations of other languages that stand before all nests: arrays of numbers become constant arrays. For declarations of Go,
// see declaredOfGo.

// listedMessage is said of an array of numbers.
const listedMessage = "an array of numbers that the file knows is a const"

// declarations rewrites the declarations that stand outside of braces, or in those of a function, statement by statement.
func (t *translator) declarations() {
	out := make([]token, 0, len(t.tokens))
	depth, head := 0, token{}
	for k := 0; k < len(t.tokens); k++ {
		x := t.at(k)
		begins := k == 0 || !t.sameLine(k-1, k)
		if begins {
			head = x
		}
		if x.is("{") && !head.is("func") && !head.named("void") && typeOfC(head.text) == "" {
			depth++
		} else if x.is("}") {
			depth = max(0, depth-1)
		}
		if begins {
			if last := t.allocatedRow(k); last > k {
				k = last
				continue
			}
		}
		if depth == 0 && x.kind != tokEOF && (begins || t.at(k-1).is(";")) {
			list, last := t.declaredLists(k)
			if last == k {
				list, last = t.declaredOfGo(k)
			}
			if last > k {
				out, k = append(out, list...), last
				continue
			}
		}
		out = append(out, x)
	}
	t.tokens = out
}

// A listOfNumbers is an array of numbers as another language declares it.
type listOfNumbers struct {
	name  token
	elem  string    // its type; "" if that is not said
	lower string    // the first subscript
	sizes [][]token // as declared, by dimension; perhaps empty
	rows  [][]token // its values, row by row
	dims  int
}

// declaredLists rewrites the statement that begins with token k as constant arrays, if it declares arrays of numbers that nothing
// writes. last is the last token of the statement; k for any other statement.
func (t *translator) declaredLists(k int) (out []token, last int) {
	if t.at(k).is("array") || t.at(k).is("param") || t.at(k).is("init") || t.at(k).is("const") && t.at(k+1).kind == tokIdent && typeOfC(t.at(k+1).text) == "" {
		return nil, k
	}
	if out, last = t.listsFrom(k); last == k {
		return nil, k
	}
	if next := t.at(last + 1); next.is(";") {
		last++
	} else if t.sameLine(last, last+1) && next.kind != tokEOF {
		return nil, k
	}
	near := t.at(k)
	kind := diag.Example
	if t.sameLine(k, last) {
		kind = diag.Replacement
	}
	for n := range out {
		out[n].pos.Line = near.pos.Line
	}
	span := join(near.span(), t.at(min(last, t.endOfLine(k))).span())
	if !t.found("array of numbers", span, listedMessage, func() string {
		var texts []string
		for _, s := range cut(out[:len(out)-1], ";") {
			texts = append(texts, lineOf(s, maxForeignTokens))
		}
		return strings.Join(texts, "; ")
	}, kind) {
		return nil, k
	}
	return out, last
}

// listsFrom returns the constant arrays for the lists of the declaration that begins with token k. last is the last token of the
// declaration; k if one list is no array of numbers.
func (t *translator) listsFrom(k int) (out []token, last int) {
	for head := k; ; head = last + 2 {
		equals, open := t.listBehind(head)
		if open < 0 {
			return nil, k
		}
		close := t.closingOf(open)
		l := t.readList(t.tokens[k:equals], t.tokens[head:equals], t.tokens[equals+1:open], t.tokens[open+1:close])
		if l == nil {
			return nil, k
		}
		made := t.constOf(l)
		if made == nil {
			return nil, k
		}
		out = append(append(out, made...), operator(";", t.at(k)))
		if last = t.madeUpTo(close + 1); !t.at(last+1).is(",") || t.at(last+2).kind != tokIdent {
			return out, last
		}
	}
}

// madeUpTo is the last token of a call that makes an array of a list, as the ) of np.array([1, 2], dtype=int); k is the token behind
// the list. Without a call it is the end of the list, k-1.
func (t *translator) madeUpTo(k int) int {
	for t.at(k).is(")") || t.at(k).is(",") && t.at(k+1).named("dtype") {
		for k++; !t.at(k).is(")") && t.sameLine(k-1, k) && t.at(k).kind != tokEOF; k++ {
		}
	}
	return k - 1
}

// listBehind returns the places of the = and of the first bracket of the list, in a declaration whose names begin with token k. open
// is -1 for any other statement. Between both may stand what makes the list an array: np.array(, []float64, Float64.
func (t *translator) listBehind(k int) (equals, open int) {
	equals = k
	for ; !t.at(equals).is("="); equals++ {
		if x := t.at(equals); !t.sameLine(k, equals) || x.kind == tokEOF || x.is(";") || x.is("{") || equals-k > 4*maxDepth {
			return k, -1
		}
	}
	return equals, t.listAfter(equals)
}

// listAfter is the place of the first bracket of the list behind the = at token equals; -1 without a list.
func (t *translator) listAfter(equals int) int {
	for open := equals + 1; open < equals+9; open++ {
		x, last := t.at(open), -1
		if x.is("[") || x.is("{") {
			last = t.closingOf(open)
		}
		switch {
		case x.is("[") && last > open && t.at(last+1).kind == tokIdent && t.at(last+2).is("{"): // of Go
			return last + 2
		case (x.is("[") || x.is("{")) && last > open:
			return open
		case !x.is("(") && !x.is(".") && !x.named("array", "asarray", "vector", "tuple", "list") && !x.named(modules...) && typeElsewhere(x.text) == "":
			return -1
		}
	}
	return -1
}

// closingOf is the place of the bracket that closes the one at token k; -1 without one near it.
func (t *translator) closingOf(k int) int {
	depth := 0
	for j := k; j < len(t.tokens) && j-k < 16*maxForeignTokens; j++ {
		switch x := t.at(j); {
		case x.opens() || x.is("{"):
			depth++
		case x.closes() || x.is("}"):
			if depth--; depth == 0 {
				return j
			}
		}
	}
	return -1
}

// readList reads one list of a declaration. statement are the tokens of the declaration before the = of the list, and names those of
// them that belong to this list alone; maker stands between the = and the list, and inner in the list. readList returns nil if
// no array is declared, or if the file writes the array.
func (t *translator) readList(statement, names, maker, inner []token) *listOfNumbers {
	l := &listOfNumbers{lower: "0"}
	at, fortran := nameDeclared(names)
	if fortran {
		l.lower = "1"
	}
	if at < 0 || t.uses[names[at].text].written {
		return nil
	}
	l.name = names[at]
	for rest := names[at+1:]; len(rest) > 1 && rest[0].opens(); rest = rest[partner(rest)+1:] {
		l.sizes = append(l.sizes, commas(rest[1:partner(rest)])...)
	}
	for _, x := range slices.Concat(statement, maker) {
		if elem := typeOfC(x.text); x.kind == tokIdent && elem != "" && x.text != l.name.text {
			l.elem = t.wide(word(tokIdent, elem, x)).text
		}
	}
	if t.usesRound(l.name.text) || t.colonLoops() && len(maker) == 0 {
		l.lower = "1"
	}
	l.rows, l.dims = rowsOf(inner)
	return l
}

// nameDeclared is the place of the declared name among tokens; -1 without one. fortran says that the :: of Fortran is before it.
func nameDeclared(l []token) (at int, fortran bool) {
	at = -1
	for k, x := range l {
		switch {
		case x.kind == tokIdent && at < 0 && typeElsewhere(x.text) == "" && !x.named("static", "constexpr", "final", "parameter", "dimension", "std", "list", "auto", "val", "let", "var"):
			at = k
		case x.is(":") && k+1 < len(l) && l[k+1].is(":"):
			at, fortran = -1, true
		}
	}
	return at, fortran
}

// usesRound reports whether the cells of an array have round brackets.
func (t *translator) usesRound(array string) bool {
	for k, x := range t.tokens {
		if x.kind == tokIdent && x.text == array && t.at(k+1).is("(") {
			return true
		}
	}
	return false
}

// colonLoops reports whether some loop is over a range of MATLAB or Julia, where arrays begin at 1.
func (t *translator) colonLoops() bool {
	for k, x := range t.tokens {
		if x.is("for") && (k == 0 || !t.sameLine(k-1, k)) {
			if last := t.endOfLine(k); slices.ContainsFunc(t.tokens[k:last], func(y token) bool { return y.is(":") }) {
				return true
			}
		}
	}
	return false
}

// rowsOf are the values of a list with one or two dimensions, row by row; dims is 0 for any other list.
func rowsOf(inner []token) (rows [][]token, dims int) {
	parts := slices.DeleteFunc(cut(inner, ";"), func(p []token) bool { return len(p) == 0 })
	if len(parts) > 1 {
		return parts, 2
	}
	nested := listItems(inner)
	if len(nested) > 0 && len(nested[0]) > 0 && (nested[0][0].is("[") || nested[0][0].is("{")) {
		for _, p := range nested {
			if len(p) < 3 || !p[0].is("[") && !p[0].is("{") || !p[len(p)-1].is("]") && !p[len(p)-1].is("}") {
				return nil, 0
			}
			rows = append(rows, p[1:len(p)-1])
		}
		return rows, 2
	}
	return [][]token{inner}, 1
}

// listItems are the items of a list: between commas, or between spaces as in MATLAB.
func listItems(l []token) (items [][]token) {
	depth, spaced := 0, !slices.ContainsFunc(l, func(x token) bool { return x.is(",") })
	var item []token
	for k, x := range l {
		switch {
		case x.opens() || x.is("{"):
			depth++
		case x.closes() || x.is("}"):
			depth--
		}
		begins := spaced && depth == 0 && k > 0 && !x.glued && l[k-1].operand() && (x.operand() || k+1 < len(l) && l[k+1].glued)
		if depth == 0 && x.is(",") || begins {
			items, item = append(items, item), nil
		}
		if depth > 0 || !x.is(",") {
			item = append(item, x)
		}
	}
	if len(item) > 0 {
		items = append(items, item)
	}
	return items
}

// ofNumerals reports whether tokens are a number, as numerals and signs of arithmetic write it.
func ofNumerals(l []token) bool {
	return !slices.ContainsFunc(l, func(x token) bool {
		return x.kind != tokInt && x.kind != tokFloat && !(x.kind == tokOp && strings.Contains("+-*/()", x.text))
	})
}

// sizeOfList reports whether a declared size may be that of a list of n values: it is absent, n, or a name.
func sizeOfList(size []token, n int) bool {
	return len(size) == 0 || len(size) == 1 && (size[0].kind != tokInt || size[0].text == strconv.Itoa(n))
}

// constOf is the constant array for a list; nil if its values are no numbers, or not as many in each row.
func (t *translator) constOf(l *listOfNumbers) []token {
	near, whole := l.name, true
	open, comma, close := operator("[", near), operator(",", near), operator("]", near)
	var values []token
	each := 0
	for n, row := range l.rows {
		items := listItems(row)
		if n == 0 {
			each = len(items)
		} else {
			values = append(values, comma)
		}
		if len(items) != each || each == 0 {
			return nil
		}
		for k, item := range items {
			if clean, ok := t.cleaned(item, maxDepth); ok {
				item = clean
			}
			if len(item) == 0 || !ofNumerals(item) {
				return nil
			}
			whole = whole && !slices.ContainsFunc(item, func(x token) bool { return x.kind == tokFloat || x.is("/") })
			items[k] = item
			if k == 0 {
				items[k] = slices.Concat([]token{open}, item)
			}
		}
		values = append(append(values, between(items, ",", near)...), close)
	}
	elem := l.elem
	if elem == "" {
		elem = map[bool]string{true: "int32", false: "float64"}[whole]
	}
	counts := []int{len(l.rows), each}[2-l.dims:]
	var dims [][]token
	for d, n := range counts {
		if d < len(l.sizes) && !sizeOfList(l.sizes[d], n) {
			return nil
		}
		end := plus([]token{word(tokInt, l.lower, near)}, n-1)
		dims = append(dims, slices.Concat([]token{word(tokInt, l.lower, near), operator("..", near)}, end))
	}
	if l.dims == 2 {
		values = slices.Concat([]token{open}, values, []token{close})
	}
	out := slices.Concat([]token{operator("const", near)}, cellTokens(near, dims), []token{word(tokIdent, elem, near), operator("=", near)}, values)
	if !grammatical(lineOf(out, 16*maxForeignTokens)) {
		return nil
	}
	return out
}
