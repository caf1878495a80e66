package frontend

import (
	"loopc/ir/diag"
	"slices"
	"strings"
)

// The loops and conditions of Fortran, Python, Julia and MATLAB, line by line: their headers
// are rewritten in this language, and their bodies become blocks.

// concurrent rewrites do concurrent (i = a:b, j = c:d), and forall with or without a statement
// behind it.
func (r *blockReader) concurrent(l []token) bool {
	open := slices.IndexFunc(l, func(x token) bool { return x.is("(") })
	if open < 1 || open > 2 || open == 2 && !l[1].named("concurrent") || open == 1 && !l[0].named("forall") {
		return false
	}
	last := open + partner(l[open:])
	if !balanced(l) {
		return false
	}
	var loops [][]token
	for _, part := range commas(l[open+1 : last]) {
		bounds := cut(part, ":")
		if len(bounds) != 2 || len(bounds[0]) < 3 || len(bounds[1]) == 0 || !bounds[0][1].is("=") {
			return false
		}
		loops = append(loops, rangeHeader(l[0], bounds[0][0], bounds[0][2:], bounds[1], nil)[1:])
	}
	header := append(rangeHeader(l[0], l[0], nil, nil, nil)[:1], between(loops, ",", l[0])...)
	// translator.loop, which runs later, reports a single loop, with more details.
	const message = "the loops of a nest are ranges, both ends included, and stand in one header"
	if len(loops) > 1 && !r.t.found("for", join(l[0].span(), l[last].span()), message, func() string { return textOf(header) + " {" }) {
		return false
	}
	r.begin(l, header, false)
	if last+1 < len(l) {
		r.out = append(r.out, l[last+1:]...)
		r.close()
	}
	return true
}

// choice opens the block of a where, an elsewhere or a select case of Fortran. Its line is reported by the pass over statements.
func (r *blockReader) choice(l []token) bool {
	around, closed := bracketsOf(l)
	if last := len(l) - 1; !closed || last > 0 && !(l[last].closes() && around[last] != outside && around[around[last]] == outside) {
		return false // the line does not end with its condition: a statement may stand behind it
	}
	if l[0].named("where") && (len(l) < 2 || !l[1].is("(")) || l[0].named("select") && (len(l) < 2 || !l[1].named("case")) {
		return false
	}
	if l[0].named("elsewhere") && len(r.open) > 0 {
		r.close()
	}
	r.begin(l, l, false)
	return true
}

// counted rewrites do i = a, b and do i = a, b, c. l[at] is the name of the loop, or a label before the name.
func (r *blockReader) counted(l []token, at int) bool {
	if len(l) > 1 && l[1].kind == tokInt {
		at = 2 // behind a label
	}
	if len(l) < at+5 || l[at].kind != tokIdent || !l[at+1].is("=") {
		return false
	}
	parts := commas(l[at+2:])
	if len(parts) < 2 || len(parts) > 3 || slices.ContainsFunc(parts, func(p []token) bool { return len(p) == 0 }) {
		return false
	}
	r.begin(l, rangeHeader(l[0], l[at], parts[0], parts[1], parts[2:]), false)
	if at == 2 {
		r.open[len(r.open)-1].label = l[1].text
	}
	return true
}

// ranged rewrites for i in range(a, b, c) and, outside Python, for i = a:b or for i in a:b.
func (r *blockReader) ranged(l []token, python bool) bool {
	if len(l) < 5 || l[1].kind != tokIdent || !(l[2].is("in") || l[2].is("=")) {
		return false
	}
	value := l[3:]
	if value[0].named("reversed") && value[1].is("(") && partner(value[1:]) == len(value)-2 && value[2].named("range") {
		known := r.ranged(slices.Concat(l[:3], value[2:len(value)-1]), python)
		if known {
			r.backward()
		}
		return known
	}
	parts := rangeCall(r.t.lengths(value))
	if parts == nil && len(commas(value)) > 1 {
		return false // several loops
	}
	if parts == nil && !python {
		if parts = cut(value, ":"); len(parts) == 1 {
			parts = cut(value, "..")
		}
		if len(parts) == 3 { // the step stands between the bounds
			parts[1], parts[2] = parts[2], parts[1]
		}
	}
	if len(parts) < 2 || len(parts) > 3 || anyEmpty(parts) {
		return false
	}
	r.begin(l, rangeHeader(l[0], l[1], parts[0], parts[1], parts[2:]), python)
	return true
}

// lengths returns tokens l with len(x), the length of an array, written out.
func (t *translator) lengths(l []token) (out []token) {
	for k := 0; k < len(l); k++ {
		if l[k].named("len", "size") && k+3 < len(l) && l[k+1].is("(") && l[k+3].is(")") && t.arrays[l[k+2].text] {
			if ends := t.extent(l[k+2], 0); len(ends) == 2 && textOf(ends[0]) == "0" {
				size := plus(ends[1], 1)
				for n := range size {
					size[n].pos = l[k].pos
				}
				out = append(out, size...)
				k += 3
				continue
			}
		}
		out = append(out, l[k])
	}
	return out
}

// rangeCall returns the first and the last number of range(a, b, c), and the step if there is
// one; nil for anything else.
func rangeCall(l []token) [][]token {
	if len(l) < 4 || !l[0].named("range", "prange", "xrange") || !l[1].is("(") || partner(l[1:]) != len(l)-2 {
		return nil
	}
	parts := commas(l[2 : len(l)-1])
	if len(parts) == 1 {
		parts = [][]token{{word(tokInt, "0", l[0])}, parts[0]}
	}
	if anyEmpty(parts) {
		return nil
	}
	// The end of a range is not included.
	if len(parts) == 3 && parts[2][0].is("-") {
		parts[1] = plus(parts[1], 1)
	} else {
		parts[1] = plus(parts[1], -1)
	}
	return parts
}

// backward reverses the loop whose header was written last.
func (r *blockReader) backward() {
	at := len(r.out) - 1 // the brace
	first := at
	for !r.out[first].is("for") {
		first--
	}
	header := r.out[first:at]
	if ends := cut(header[3:], ".."); len(ends) == 2 {
		by := []token{word(tokIdent, "step", header[0]), operator("-", header[0]), word(tokInt, "1", header[0])}
		turned := slices.Concat(header[:3], ends[1], []token{operator("..", header[0])}, ends[0], by, r.out[at:])
		r.out = append(r.out[:first], turned...)
	}
}

// unranged replaces a Python for over something that is not a range by a for with a hole, which the user has to fill.
func (r *blockReader) unranged(l []token) bool {
	if !r.t.found("for over", join(l[0].span(), l[len(l)-1].span()), "loops go over ranges, both ends included, and stand in one header", func() string { return forms["for"] }, diag.Example) {
		return false
	}
	r.begin(l, []token{operator("for", l[0]), {kind: tokIllegal, text: hole, pos: l[0].pos}}, true)
	return true
}

// bareFor gives braces to a for of this language whose body is marked by a colon or by
// indentation alone.
func (r *blockReader) bareFor(l []token, next token, python bool) bool {
	header := l
	if python || l[len(l)-1].named("do", "loop", "begin", "then") {
		header = l[:len(l)-1]
	}
	last := header[len(header)-1]
	if !last.operand() || !balanced(header) || next.indent <= l[0].indent || !containsRange(header) || slices.ContainsFunc(header, func(x token) bool { return x.is("in") }) {
		return false
	}
	hint := func() string { return textOf(header) + " {" }
	if !r.t.found("bare for", join(l[0].span(), l[len(l)-1].span()), "the body of a "+l[0].text+" stands in braces: { ends the line of the "+l[0].text+", and } stands behind the body", hint) {
		return false
	}
	r.begin(l, slices.Clone(header), python || !(r.ends && len(header) < len(l)))
	return true
}

// rangeHeader returns the header "for name = lo..hi step by", marked as translated.
func rangeHeader(at, name token, lo, hi []token, by [][]token) []token {
	header := []token{operator("for", at), name, operator("=", name)}
	header[0].translated = true
	header = append(append(append(header, lo...), operator("..", name)), hi...)
	if len(by) > 0 && !(len(by[0]) == 1 && by[0][0].text == "1") {
		header = append(append(header, word(tokIdent, "step", name)), by[0]...)
	}
	return header
}

// branch rewrites if c then, if c: and their else.
func (r *blockReader) branch(l []token, python bool) bool {
	then := l[len(l)-1].named("then")
	if !then && !python && !r.beginsBranch(l) {
		return false
	}
	if !l[0].named("if") && len(r.open) > 0 && !r.open[len(r.open)-1].python {
		r.close() // of the if; indentation has ended one of Python already
	}
	header := l
	if then || python {
		header = l[:len(l)-1]
	}
	header = slices.Clone(header)
	header[0].text = strings.ToLower(header[0].text)
	if l[0].named("elseif", "elif") {
		header[0].text = "if"
		header = append([]token{word(tokIdent, "else", l[0])}, header...)
	}
	r.begin(l, r.t.comparing(header), python)
	return true
}

// beginsBranch reports whether a line without then or a colon begins a block that ends with an end: an if, or the else of an
// open one.
func (r *blockReader) beginsBranch(l []token) bool {
	if l[0].named("if") {
		return r.ends && len(l) > 1 && !slices.ContainsFunc(l, func(x token) bool { return x.is("=") || x.is(";") }) && !conditionBeforeWord(l)
	}
	return len(r.open) > 0 && (l[0].named("else") && len(l) == 1 || l[0].named("elseif", "elsif") && r.ends && len(l) > 1)
}

// conditionBeforeWord reports whether a word follows the bracketed condition of an if, as in if (i == 3) cycle.
func conditionBeforeWord(l []token) bool {
	around, closed := bracketsOf(l)
	last := len(l) - 1
	return closed && len(l) > 3 && l[1].is("(") && l[last].kind == tokIdent && around[last] == outside && l[last-1].closes() && around[last-1] == 1
}

// oneLine rewrites if c: x = y of Python.
func (r *blockReader) oneLine(l []token) bool {
	parts := cut(l, ":")
	if len(parts) != 2 || len(parts[1]) == 0 || slices.ContainsFunc(l, func(x token) bool { return x.is("?") }) {
		return false
	}
	colon := l[len(parts[0])]
	r.branch(append(slices.Clone(parts[0]), colon), true)
	r.out = append(r.out, parts[1]...)
	r.close()
	return true
}

// while gives braces to the block of a while, which the pass over statements reports.
func (r *blockReader) while(l []token, braces, python bool) bool {
	if !l[0].named("while") && !(len(l) > 1 && l[1].named("while")) || braces || l[len(l)-1].is(";") {
		return false
	}
	header := []token{word(tokIdent, "while", l[0])}
	test := l[slices.IndexFunc(l, func(x token) bool { return x.named("while") })+1:]
	if n := len(test); n > 0 && (test[n-1].is(":") || test[n-1].named("do")) {
		test = test[:n-1]
	}
	if endingOf(withoutRound(test)) != nil {
		header = append(header, test...)
	}
	r.begin(l, header, python)
	return true
}
