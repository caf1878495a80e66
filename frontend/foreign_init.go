package frontend

import (
	"fmt"
	"slices"
	"strings"

	"loopc/ir"
	"loopc/ir/diag"
)

// An init names its subscripts and gives every cell a value. Other languages fill arrays piece by
// piece: init u = 0, init u[0, i] = x[i], init u[*, 1..N] = 0. All pieces of one array become one
// init, with a select for each piece. The last piece wins, so its select is the outermost one.

// An initLine is one init as written; subs is nil if it has no brackets.
type initLine struct {
	line  int
	subs  [][]token
	value []token
	cell  bool // it is an assignment to cells before the nest, u[0,:] = x
}

// readInit reads a line as an init, false if it is none.
func readInit(l []token) (name token, init initLine, ok bool) {
	for len(l) > 0 && l[len(l)-1].is(";") {
		l = l[:len(l)-1]
	}
	if len(l) < 4 || !l[0].is("init") || l[1].kind != tokIdent || !balanced(l) {
		return name, init, false
	}
	rest := l[2:]
	for len(rest) > 0 && rest[0].opens() {
		last := partner(rest)
		init.subs = append(init.subs, commas(rest[1:last])...)
		rest = rest[last+1:]
	}
	if len(rest) < 2 || !rest[0].is("=") || slices.ContainsFunc(init.subs, func(s []token) bool { return len(s) == 0 || len(cut(s, "=")) > 1 }) {
		return name, init, false
	}
	init.value = rest[1:]
	return l[1], init, true
}

// beforeBodies are the words of other languages before statements that are no declarations.
var beforeBodies = strings.Fields("do while loop foreach forall parfor parallel def if function subroutine program with")

// inits rewrites the inits of a file that are not written as in this language.
func (t *translator) inits(lines [][]token) [][]token {
	found, names := t.initLines(lines)
	for _, name := range names {
		list := found[name.text]
		slices.SortStableFunc(list, func(x, y initLine) int { // inits come before assignments to cells
			return map[bool]int{true: 1}[x.cell] - map[bool]int{true: 1}[y.cell]
		})
		odd := slices.IndexFunc(list, func(x initLine) bool { return !t.regular(x, len(list) == 1) || x.cell })
		if odd > 0 && list[odd].cell {
			odd = 0 // the first init takes the assignments
		} else if odd < 0 || list[odd].cell && !t.pieces(list) {
			continue // there is one assignment and no init, or all are regular: other passes report the rest
		}
		if len(list) <= maxDepth && t.dims[name.text] > 0 {
			t.joinInits(lines, name, list, odd)
		}
	}
	return slices.DeleteFunc(lines, func(l []token) bool { return l == nil })
}

// pieces reports whether assignments to cells, some of them slices, can be read as one init.
func (t *translator) pieces(list []initLine) bool {
	colon := func(x token) bool { return x.is(":") }
	return len(list) > 1 && slices.ContainsFunc(list, func(x initLine) bool { return slices.ContainsFunc(x.subs, isSlice) }) &&
		!slices.ContainsFunc(list, func(x initLine) bool { return slices.ContainsFunc(x.value, colon) })
}

// initLines finds the inits of a file, and the assignments to cells before its nests, by the name of their
// array.
func (t *translator) initLines(lines [][]token) (found map[string][]initLine, names []token) {
	found = map[string][]initLine{}
	declarations := true // all lines so far were declarations
	for k, l := range lines {
		declarations = declarations && !l[0].is("for") && !l[0].is("repeat") && !l[0].named(beforeBodies...) && !slices.ContainsFunc(l, func(x token) bool { return x.is("{") })
		filled := declarations && len(l) > 4 && t.dims[l[0].text] > 0 && !t.given[l[0].text] && l[1].is("[") && l[0].kind == tokIdent &&
			!slices.ContainsFunc(l[1:], func(x token) bool { return x.kind == tokIdent && x.text == l[0].text }) // no copy of other cells
		if filled {
			l = append([]token{operator("init", l[0])}, l...)
		}
		name, init, ok := readInit(l)
		if !ok || len(l) >= maxForeignTokens {
			continue
		}
		if found[name.text] == nil {
			names = append(names, name)
		}
		init.cell, init.line = filled, k
		if missing := t.dims[name.text] - len(init.subs); missing == 1 && init.subs != nil {
			init.subs = slices.Insert(init.subs, t.lackingAt(name, init.subs, filled), []token{operator("*", name)})
		}
		found[name.text] = append(found[name.text], init)
	}
	return found, names
}

// joinInits joins the inits of an array to one. The result takes the line of list[odd], and the lines of
// the others go.
func (t *translator) joinInits(lines [][]token, name token, list []initLine, odd int) {
	first := lines[list[odd].line]
	out := t.oneInit(first[0], name, list)
	habit := "init " + name.text
	if out == nil || !t.found(habit, join(first[0].span(), first[len(first)-1].span()), t.initMessage(list, odd), func() string { return lineOf(out, maxForeignTokens) }, diag.Replacement) {
		return
	}
	for _, x := range list {
		if x.line == list[odd].line {
			continue
		}
		d := &t.diags[t.first[habit]]
		d.Kind = diag.Example // it does not replace the others
		l := lines[x.line]
		lines[x.line] = nil
		if x.cell {
			t.found(fmt.Sprint("init line ", x.line), join(l[0].span(), l[lastOf(l, ";")].span()), "an assignment belongs in the body of a for: the init of "+name.text+" has this, for these cells", func() string { return leaveOut }, diag.Advice)
			continue
		}
		d.Notes = append(d.Notes, diag.Note{At: l[0].span(), Message: "with this one"})
	}
	lines[list[odd].line] = out
}

// initMessage is said of an init that takes other inits, or assignments to cells, or that is not regular itself.
func (t *translator) initMessage(list []initLine, odd int) string {
	if list[odd].cell {
		return "an assignment belongs in the body of a for: what the cells of an array have before is said by one init, with a select for these cells"
	}
	if t.regular(list[odd], len(list) == 1) {
		return "one init gives every cell of its array a value: those that an assignment before the nest is to give, too, by select"
	}
	return "an init names its subscripts and gives every cell a value: select tells cells apart"
}

// regular reports whether an init is written as in this language, and its value is not an array
// without subscripts. Two subscripts of one name are regular, and another mistake, unless the init is alone.
func (t *translator) regular(x initLine, alone bool) bool {
	for d, s := range x.subs {
		if len(s) != 1 || s[0].kind != tokIdent || alone && sameBefore(x.subs, d) >= 0 && !t.lacksIndex(x) {
			return false
		}
	}
	return x.subs != nil && !(len(x.value) == 1 && t.arrays[x.value[0].text]) && filler(x.value) == nil
}

// oneInit returns one init in place of several for the same array; nil if their subscripts do
// not match the array.
func (t *translator) oneInit(near, array token, list []initLine) []token {
	names := t.indexNames(array, list)
	if names == nil {
		return nil
	}
	value := []token{word(tokInt, "0", near)}
	for _, x := range list {
		if x.subs != nil && len(x.subs) != len(names) {
			return nil
		}
		mine := t.finite(slices.Clone(x.value), ir.TypeNamed(t.elementTypeOf(array)))
		if number := filler(mine); number != nil {
			mine = number
		}
		whole := t.wholeNames(array, x.subs, names)
		if len(mine) == 1 && t.arrays[mine[0].text] {
			mine = t.wholeCell(mine[0], whole)
		}
		mine = unsliced(mine, whole)
		var condition []token
		for d, s := range x.subs {
			if t.shifted(s) {
				mine = fromIndex(mine, s, names[d])
				continue
			}
			test := t.placed(array, d, names[d], s)
			if e := sameBefore(x.subs, d); e >= 0 && !t.numbers[s[0].text] {
				test = []token{names[e], operator("==", near), names[d]}
			} else if len(s) == 1 && s[0].kind == tokIdent && !t.numbers[s[0].text] {
				rename(mine, s[0].text, names[d].text)
			}
			if len(test) > 0 && len(condition) > 0 {
				condition = append(condition, operator("&&", near))
			}
			condition = append(condition, test...)
		}
		if condition == nil {
			value = mine
			continue
		}
		comma := operator(",", near)
		value = slices.Concat([]token{word(tokIdent, "select", near), operator("(", near)}, condition, []token{comma}, mine, []token{comma}, value, []token{operator(")", near)})
	}
	out := slices.Concat([]token{operator("init", near)}, cellTokens(array, single(names)), []token{operator("=", near)}, value)
	for k := range out {
		out[k].pos.Line = near.pos.Line
	}
	return out
}

// finite writes a large number in place of a value that is infinity.
func (t *translator) finite(value []token, elem ir.Type) []token {
	last := len(value) - 1
	number := beyondAll(elem)
	if last < 0 || notNumbers[strings.ToLower(value[last].text)] != infinite || number == "" {
		return value
	}
	switch rest := value[:last]; {
	case len(rest) == 0, len(rest) == 2 && rest[0].named(modules...) && rest[1].is("."):
		return []token{word(tokFloat, number, value[0])}
	case len(rest) == 1 && rest[0].is("-"), len(rest) == 3 && rest[0].is("-") && rest[1].named(modules...) && rest[2].is("."):
		return []token{rest[0], word(tokFloat, number, value[0])}
	}
	return value
}

// rename gives a name another text in a list of tokens.
func rename(list []token, old, text string) {
	for k := range list {
		if list[k].text == old && list[k].kind == tokIdent {
			list[k].text = text
		}
	}
}

// shifted reports whether the subscript of an init is an index plus or minus a number.
func (t *translator) shifted(s []token) bool {
	return len(s) == 3 && s[0].kind == tokIdent && !t.numbers[s[0].text] && (s[1].is("+") || s[1].is("-")) && s[2].kind == tokInt
}

// fromIndex is the value of an init in which the index of subscript s, as in i+1, is found from the index name of the
// cell.
func fromIndex(value, s []token, name token) (out []token) {
	back := operator(map[string]string{"+": "-", "-": "+"}[s[1].text], name)
	for k, x := range value {
		if x.kind != tokIdent || x.text != s[0].text {
			out = append(out, x)
			continue
		}
		alone := k > 0 && k+1 < len(value) && (value[k-1].is("[") || value[k-1].is(",")) && (value[k+1].is("]") || value[k+1].is(","))
		index := []token{word(tokIdent, name.text, x), back, word(tokInt, s[2].text, x)}
		if !alone {
			index = factor(index, x)
		}
		out = append(out, index...)
	}
	return out
}

// indexNames returns names for the subscripts of an array: those of its inits, or those with
// which the nest writes it.
func (t *translator) indexNames(array token, list []initLine) []token {
	names := make([]token, t.dims[array.text])
	taken := map[string]bool{}
	take := func(d int, x token) {
		if d < len(names) && names[d].text == "" && x.kind == tokIdent && !t.numbers[x.text] && !taken[x.text] {
			names[d], taken[x.text] = word(tokIdent, x.text, array), true
		}
	}
	for _, x := range list {
		for d, s := range x.subs {
			if len(s) == 1 || t.shifted(s) {
				take(d, s[0])
			}
		}
	}
	writes := t.writtenNames(array)
	for d, x := range writes {
		take(d, x)
	}
	for d := range names {
		for _, n := range []string{"i", "j", "k", "l", "m", "n", "p", "q"} {
			take(d, word(tokIdent, n, array))
		}
		if names[d].text == "" {
			return nil
		}
	}
	return inOrder(names, writes)
}

// writtenNames returns the first word of each subscript with which the nest writes an array.
func (t *translator) writtenNames(array token) (names []token) {
	for k, x := range t.tokens {
		if x.text != array.text || x.kind != tokIdent || !t.writes(k) {
			continue
		}
		last := k + 1 + partner(t.tokens[k+1:min(len(t.tokens), k+maxForeignTokens)])
		subs := commas(t.tokens[k+2 : last])
		if slices.ContainsFunc(subs, func(s []token) bool { return len(s) == 0 || s[0].kind != tokIdent }) {
			continue // cells before the nest
		}
		for _, s := range subs {
			names = append(names, word(tokIdent, s[0].text, array))
		}
		break
	}
	return names
}

// missingAt returns the dimension of an array for which an init lacks a subscript: without it, the subscripts with
// which the nest writes the array are those of the init. If there is no such dimension, or if the first one is like
// time, it is the first one.
func (t *translator) missingAt(array token, subs [][]token) int {
	names := t.writtenNames(array)
	if len(names) != len(subs)+1 || t.looksBack(array, names[0].text) {
		return 0
	}
	for d := range names {
		rest := slices.Delete(slices.Clone(names), d, d+1)
		same := true
		for k, s := range subs {
			same = same && len(s) == 1 && s[0].text == rest[k].text
		}
		if same {
			return d
		}
	}
	return 0
}

// looksBack reports whether all cells of an array that the nest reads have a first subscript that is the given
// name minus something, as if it were time.
func (t *translator) looksBack(array token, name string) bool {
	reads, all, nest := false, true, false
	for k, x := range t.tokens {
		nest = nest || x.is("for")
		if nest && x.text == array.text && k+3 < len(t.tokens) && t.tokens[k+1].is("[") && t.tokens[k+2].text == name && !t.writes(k) {
			reads, all = true, all && t.tokens[k+3].is("-")
		}
	}
	return reads && all
}

// inOrder returns names in the order of others, if both have the same names.
func inOrder(names, others []token) []token {
	for _, x := range names {
		if len(others) != len(names) || !slices.ContainsFunc(others, func(y token) bool { return y.text == x.text }) {
			return names
		}
	}
	return others
}

// single returns lists of one token each.
func single(l []token) (out [][]token) {
	for k := range l {
		out = append(out, l[k:k+1])
	}
	return out
}

// placed returns the condition that the d-th subscript of an array, called name, has a value that
// the index or range s allows. It returns no tokens if s allows every value.
func (t *translator) placed(array token, d int, name token, s []token) []token {
	switch {
	case len(s) == 1 && (s[0].is("*") || s[0].is(":") || s[0].is("..") || s[0].kind == tokIdent && !t.numbers[s[0].text]):
		return nil
	case slices.ContainsFunc(s, func(x token) bool { return x.is("..") || x.is(":") }):
		sign := ".."
		if !slices.ContainsFunc(s, func(x token) bool { return x.is("..") }) {
			sign = ":"
		}
		ends := cut(s, sign)
		if len(ends) != 2 || len(ends[0]) == 0 || len(ends[1]) == 0 || textOf(slices.Concat(ends[0], []token{operator("..", name)}, ends[1])) == t.bounds(array, d) {
			return nil
		}
		return slices.Concat(ends[0], []token{operator("<=", name), name, operator("&&", name), name, operator("<=", name)}, ends[1])
	}
	return append([]token{name, operator("==", name)}, s...)
}

// bounds returns the text of the d-th range in the declaration of an array.
func (t *translator) bounds(array token, d int) string {
	if ends := t.extent(array, d); len(ends) == 2 {
		return textOf(slices.Concat(ends[0], []token{operator("..", array)}, ends[1]))
	}
	return ""
}

// extent returns the two ends of the d-th range in the declaration of an array, nil if it has
// no such range.
func (t *translator) extent(array token, d int) [][]token {
	for k, x := range t.tokens {
		if !x.is("array") && !x.is("const") || t.at(k+1).text != array.text || !t.at(k+2).is("[") {
			continue
		}
		last := k + 2 + partner(t.tokens[k+2:min(len(t.tokens), k+maxForeignTokens)])
		if dims := commas(t.tokens[k+3 : last]); d < len(dims) {
			return cut(dims[d], "..")
		}
	}
	return nil
}
