package frontend

import (
	"slices"
	"strconv"
	"strings"

	"loopc/ir/diag"
)

// Loops of other languages over the values of an array: for x in a, for i, x in enumerate(a), for x, y in zip(a, b). They become
// loops over subscripts, with cells in place of the values, before lines and blocks are read: so one mistake has one report.

// An overLoop is such a loop.
type overLoop struct {
	index  token
	lo, hi []token
	cells  map[string][]token // by the name of a value: its cell
	either string             // another header that may be meant
}

// loopsOver replaces loops over values, and names their variable in loops that have none, as in for _ in range(T).
func (t *translator) loopsOver() {
	for k := 0; k < len(t.tokens); k++ {
		if !t.at(k).is("for") || k > 0 && t.sameLine(k-1, k) && !t.at(k-1).is("{") {
			continue
		}
		if t.at(k+1).text == "_" && t.at(k+2).is("in") {
			t.tokens[k+1].text = t.freeName([]string{"t", "s", "n", "m"})
		}
		end := k
		for t.sameLine(k, end+1) && t.at(end+1).kind != tokEOF && !t.at(end+1).is("{") {
			end++
		}
		l := t.tokens[k : end+1]
		if t.at(end).is(":") || t.at(end).named("do", "loop", "begin", "then") {
			l = l[:len(l)-1]
		}
		if o := t.overValuesOf(withoutRoundHeader(l)); o != nil {
			t.over(o, k, end, l)
		} else {
			t.inCase(l)
		}
	}
}

// withoutRoundHeader drops brackets around the whole header of a for.
func withoutRoundHeader(l []token) []token {
	if len(l) > 3 && l[1].is("(") && partner(l[1:]) == len(l)-2 {
		return slices.Concat(l[:1], l[2:len(l)-1])
	}
	return l
}

// inCase writes a parameter in place of a name of a range that nothing declares and that differs in the case of its letters only:
// the report of the range has it then.
func (t *translator) inCase(l []token) {
	in := slices.IndexFunc(l, func(x token) bool { return x.is("in") })
	if in != 2 || !slices.ContainsFunc(l, func(x token) bool { return x.named("range") }) {
		return
	}
	for k := range l[3:] {
		x := &l[3+k]
		if x.kind != tokIdent || t.declared[x.text] || x.named("range", "len") || len(l) > 4+k && l[4+k].opens() {
			continue
		}
		meant := ""
		for name := range t.numbers {
			if strings.EqualFold(name, x.text) {
				meant = name
			}
		}
		if meant != "" {
			x.text = meant
		}
	}
}

// freeName is the first of some names that the file does not have.
func (t *translator) freeName(names []string) string {
	for _, name := range names {
		if t.fresh(name) == name {
			return name
		}
	}
	return t.fresh(names[0])
}

// overValuesOf reads the header l of a loop over values; nil for another loop, and if the cells are not known.
func (t *translator) overValuesOf(l []token) *overLoop {
	names, value := valuesIn(l)
	if len(names) == 0 {
		return nil
	}
	call := len(value) > 3 && value[1].is("(") && partner(value[1:]) == len(value)-2
	o := &overLoop{index: word(tokIdent, t.freeName([]string{"k", "j", "m", "n", "q"}), l[1]), cells: map[string][]token{}}
	switch {
	case len(names) == 1 && value[0].is("["):
		return t.overNumbers(o, names[0], value)
	case len(names) == 1 && len(value) == 1 && (value[0].kind == tokInt || t.numbers[value[0].text] && t.dims[value[0].text] == 0):
		return t.overNumber(o, names[0], value)
	case len(names) == 1 && call && value[0].named("eachindex", "axes", "indices"):
		return t.overExtent(o, names[0], commas(value[2:len(value)-1]))
	case len(names) == 1:
		return t.overArray(o, names[0], value)
	case len(names) == 2 && call && value[0].named("enumerate"):
		return t.overNumbered(o, names, commas(value[2:len(value)-1]))
	case call && value[0].named("zip"):
		return t.overArrays(o, names, commas(value[2:len(value)-1]))
	}
	return nil
}

// valuesIn are the names and the value of the header for x, y in value; none of another header.
func valuesIn(l []token) (names, value []token) {
	in := slices.IndexFunc(l, func(x token) bool { return x.is("in") })
	if in < 2 || in > 6 || in+1 >= len(l) {
		return nil, nil
	}
	for _, part := range commas(l[1:in]) {
		if len(part) != 1 || part[0].kind != tokIdent {
			return nil, nil
		}
		names = append(names, part[0])
	}
	return names, l[in+1:]
}

// overExtent is a loop over the subscripts of an array with one dimension, or of the dimension, counted from 1, that the second of
// its arguments has; nil for other arguments.
func (t *translator) overExtent(o *overLoop, name token, args [][]token) *overLoop {
	d := 1
	if len(args) == 2 {
		d, _ = strconv.Atoi(textOf(args[1]))
	}
	if len(args) == 0 || len(args) > 2 || len(args[0]) != 1 || d < 1 || len(args) == 1 && t.dims[args[0][0].text] != 1 {
		return nil
	}
	ends := t.extent(args[0][0], d-1)
	if len(ends) != 2 {
		return nil
	}
	o.index, o.lo, o.hi = name, ends[0], ends[1]
	return o
}

// overNumbered adds the values of an array to a loop that numbers them, from 0 or the number of a second argument on; nil for other
// arguments, and if the number is no subscript.
func (t *translator) overNumbered(o *overLoop, names []token, args [][]token) *overLoop {
	first := 0
	if len(args) == 2 {
		number := args[1]
		if len(number) > 2 && number[0].named("start") && number[1].is("=") {
			number = number[2:]
		}
		var err error
		if first, err = strconv.Atoi(textOf(number)); err != nil {
			return nil
		}
	}
	if len(args) == 0 || len(args) > 2 || anyEmpty(args) {
		return nil
	}
	if o.index = names[0]; t.overArray(o, names[1], args[0]) == nil || textOf(o.lo) != strconv.Itoa(first) {
		return nil
	}
	return o
}

// overArrays adds the values of several arrays to a loop; nil if their cells do not have the same subscripts.
func (t *translator) overArrays(o *overLoop, names []token, arrays [][]token) *overLoop {
	if len(arrays) != len(names) || anyEmpty(arrays) {
		return nil
	}
	var lo, hi string
	for n, a := range arrays {
		if t.overArray(o, names[n], a) == nil || n > 0 && (textOf(o.lo) != lo || textOf(o.hi) != hi) {
			return nil
		}
		lo, hi = textOf(o.lo), textOf(o.hi)
	}
	return o
}

// overArray adds the values of an array, or of a row of one, to a loop; nil if value is neither.
func (t *translator) overArray(o *overLoop, name token, value []token) *overLoop {
	array := value[0]
	var subs [][]token
	for rest := value[1:]; len(rest) > 0; {
		last := partner(rest)
		if !rest[0].is("[") || last < 2 || last >= len(rest) {
			return nil
		}
		subs, rest = append(subs, commas(rest[1:last])...), rest[last+1:]
	}
	if !t.isArray(array) && t.dims[array.text] == 0 || anyEmpty(subs) || slices.ContainsFunc(subs, isSlice) || len(subs) >= t.dims[array.text] || t.isArray(name) {
		return nil
	}
	ends := t.extent(array, len(subs))
	if len(ends) != 2 {
		return nil
	}
	o.lo, o.hi = ends[0], ends[1]
	o.cells[name.text] = cellTokens(array, append(slices.Clone(subs), []token{o.index}))
	return o
}

// overNumbers is a loop over a list of consecutive integers; nil for another list.
func (t *translator) overNumbers(o *overLoop, name token, list []token) *overLoop {
	if !bracketed(list) {
		return nil
	}
	items := commas(list[1 : len(list)-1])
	first := 0
	for k, item := range items {
		n, err := strconv.Atoi(textOf(item))
		if k == 0 {
			first = n
		}
		if err != nil || n != first+k {
			return nil
		}
	}
	if len(items) < 2 {
		return nil
	}
	o.index, o.lo, o.hi = name, items[0], items[len(items)-1]
	return o
}

// overNumber is a loop to a number, without a lower bound.
func (t *translator) overNumber(o *overLoop, name token, value []token) *overLoop {
	zero, one := []token{word(tokInt, "0", name)}, []token{word(tokInt, "1", name)}
	o.index, o.lo, o.hi = name, one, value
	o.either = textOf(rangeHeader(operator("for", name), name, zero, plus(value, -1), nil))
	if !t.beginsAtOne(value) {
		o.lo, o.hi, o.either = zero, plus(value, -1), textOf(rangeHeader(operator("for", name), name, one, value, nil))
	}
	return o
}

// over replaces the loop whose header l is tokens k to end: the values in its block become cells.
func (t *translator) over(o *overLoop, k, end int, l []token) {
	header := rangeHeader(t.at(k), o.index, o.lo, o.hi, nil)
	header[0].translated = false
	message, hint := "the loops of a nest are ranges, both ends included", textOf(header)+" {"
	if o.either != "" {
		hint = "one of these: " + hint + "; or " + o.either + " {"
	}
	if len(o.cells) > 0 {
		var cells []string
		for _, x := range l {
			if cell := o.cells[x.text]; cell != nil && x.kind == tokIdent {
				cells = append(cells, strings.ReplaceAll(textOf(cell), " ", "")+" in place of "+x.text)
			}
		}
		message = "a loop goes over a range, here of subscripts: its body has " + strings.Join(cells, ", and ")
	}
	if !t.found("for values", join(t.at(k).span(), t.at(end).span()), message, func() string { return hint }, diag.Advice) {
		return
	}
	for n := range header {
		header[n].pos.Line = t.at(k).pos.Line
	}
	last := t.blockEnd(k, end)
	for name, cell := range o.cells {
		if t.numbers[cell[0].text] { // a constant array, whose cells have no place in some subscripts
			t.spoil(name)
			delete(o.cells, name)
		}
	}
	block := t.withCells(t.tokens[end+1:last], o.cells)
	if bare := !t.at(end + 1).is("{"); bare {
		if t.valueLoops == nil {
			t.valueLoops = map[diag.Pos]bool{}
		}
		t.valueLoops[t.at(k).pos] = true
	}
	t.tokens = slices.Concat(t.tokens[:k], header, block, t.tokens[last:])
	t.pair()
}

// blockEnd is the token behind the block of the header that is tokens k to end: in braces, or by its indentation.
func (t *translator) blockEnd(k, end int) int {
	if t.at(end+1).is("{") && t.match[end+1] > end {
		return t.match[end+1] + 1
	}
	last := end + 1
	for last < len(t.tokens)-1 && (t.sameLine(last-1, last) || t.at(last).indent > t.at(k).indent) {
		last++
	}
	return last
}

// withCells returns tokens with cells in place of names. A name with subscripts gives a cell that has these, too.
func (t *translator) withCells(l []token, cells map[string][]token) (out []token) {
	for k := 0; k < len(l); k++ {
		cell := cells[l[k].text]
		if l[k].kind != tokIdent || cell == nil {
			out = append(out, l[k])
			continue
		}
		cell = moved(slices.Clone(cell), l[k])
		if k+1 < len(l) && l[k+1].is("[") && k+1+partner(l[k+1:]) < len(l) {
			cell = append(cell[:len(cell)-1], operator(",", l[k]))
			k++
		}
		out = append(out, cell...)
	}
	return out
}

// overValues rewrites the line of a loop over values that has no brace, and that loopsOver has reported.
func (r *blockReader) overValues(l blockLine) bool {
	if !r.t.valueLoops[l.tokens[0].pos] {
		return false
	}
	r.begin(l.tokens, slices.Clone(l.tokens), l.python || !r.ends)
	return true
}
