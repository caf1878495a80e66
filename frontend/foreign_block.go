package frontend

import (
	"slices"
	"strings"

	"loopc/ir/diag"
)

// Fortran, Python, Julia and MATLAB mark the blocks of loops and conditions without
// braces. Before anything else is translated, their blocks get braces, line by line,
// and their loops the ranges of this language; what is said of loops and of if then
// is what is said of C's.

// A foreignBlock is a block that is open.
type foreignBlock struct {
	column int // of the line that began it; a block of Python ends with its indentation
	python bool
	label  string // that ends it, of Fortran
}

// A blockReader rewrites lines of tokens.
type blockReader struct {
	t    *translator
	out  []token
	open []foreignBlock
	left int  // closing braces that are still to come
	deep int  // of braces that the source opened, how many are open
	ends bool // some line begins with end: blocks of loops without braces end there
}

// blocks gives the blocks of other languages braces.
func (t *translator) blocks() {
	r := &blockReader{t: t}
	lines := t.lines()
	for _, l := range lines {
		r.ends = r.ends || endWord(l) > 0
	}
	for _, x := range t.tokens {
		if x.is("}") {
			r.left++
		}
	}
	for k, l := range lines {
		next := token{}
		if k+1 < len(lines) {
			next = lines[k+1][0]
		}
		if l[0].is("}") && r.deep == 0 {
			r.closedBy(l[0])
		}
		r.closePython(l[0])
		r.line(l, next)
		for _, x := range l {
			switch {
			case x.is("{"):
				r.deep++
			case x.is("}"):
				r.deep = max(0, r.deep-1)
				r.left--
			}
		}
	}
	t.tokens = r.out
}

// lines cuts the tokens where a line begins; EOF is a line.
func (t *translator) lines() (lines [][]token) {
	first := 0
	for k := 1; k <= len(t.tokens); k++ {
		if k == len(t.tokens) || t.tokens[k].pos.Line > t.tokens[k-1].pos.Line {
			lines = append(lines, t.tokens[first:k])
			first = k
		}
	}
	return lines
}

// named reports whether t is one of the words, in any case of letters.
func (t token) named(words ...string) bool {
	return (t.kind == tokIdent || t.kind == tokKeyword) && slices.Contains(words, strings.ToLower(t.text))
}

// endWord is how many tokens of a line say that a block ends, 0 if they do not.
func endWord(l []token) int {
	switch {
	case l[0].named("enddo", "endif", "endfor", "endwhile", "endwhere", "endforall", "endselect"):
		return 1
	case l[0].named("end") && len(l) > 1 && l[1].named("do", "if", "for", "while", "where", "forall", "select", "subroutine", "function", "program", "module", "interface"):
		return min(len(l), 3)
	case l[0].named("end") && (len(l) == 1 || l[1].is(";")):
		return 1
	}
	return 0
}

// closePython ends the blocks of Python that the first token of a line is not in.
func (r *blockReader) closePython(first token) {
	for len(r.open) > 0 {
		b := r.open[len(r.open)-1]
		if !b.python || first.kind != tokEOF && first.indent > b.column {
			return
		}
		r.close()
	}
}

// closedBy ends the blocks without braces that a } ends which has no { of its own: the
// outermost block takes it, or the one that is not indented more.
func (r *blockReader) closedBy(brace token) {
	for len(r.open) > 1 && r.open[len(r.open)-1].column > brace.indent {
		r.close()
	}
	if len(r.open) > 0 {
		r.open = r.open[:len(r.open)-1]
		r.deep++ // as if its { were one of the source
	}
}

// close ends the innermost block, at the end of the line before.
func (r *blockReader) close() {
	r.open = r.open[:len(r.open)-1]
	near := r.out[len(r.out)-1]
	brace := operator("}", near)
	brace.pos.Line++ // so that it stands on a line of its own
	r.out = append(r.out, brace)
}

// begin writes the header of a block, whose line is l.
func (r *blockReader) begin(l, header []token, python bool) {
	for k := range header {
		header[k].pos.Line = l[0].pos.Line
	}
	r.out = append(append(r.out, header...), operator("{", l[len(l)-1]))
	r.open = append(r.open, foreignBlock{column: l[0].indent, python: python})
}

// line rewrites one line; next is the first token of the one that follows.
func (r *blockReader) line(l []token, next token) {
	if l[0].kind == tokInt && len(l) > 1 && (l[1].kind == tokIdent || l[1].is("for")) { // a label
		r.labeled(l, next)
		return
	}
	last := l[len(l)-1]
	python := last.is(":") && len(l) > 1
	braces := slices.ContainsFunc(l, func(x token) bool { return x.is("{") }) || next.is("{")
	switch first := l[0]; {
	case len(r.open) > 0 && !r.open[len(r.open)-1].python && endWord(l) > 0:
		r.close()
	case len(r.open) == 0 && r.deep > 0 && endWord(l) > 0:
		r.closer(l)
	case first.named("do") && last.is("{") && r.counted(l[:len(l)-1], 1):
		r.open = r.open[:len(r.open)-1] // its brace is the source's
	case typeName(first.text) != "" && len(l) > 2 && l[1].named("function") && !braces && r.ends:
		r.begin(l[1:], r.defined(l[1:]), false)
	case r.fortran(l):
	case first.named("do", "forall") && !braces && r.concurrent(l):
	case first.named("where", "elsewhere", "select") && !braces && !python && r.ends && r.choice(l):
	case first.named("class", "try", "except", "finally", "with") && python && !braces:
		r.begin(l, []token{l[0]}, python)
	case first.named("def", "subroutine", "function", "program", "module", "interface") && !braces && (python || r.ends):
		r.begin(l, r.defined(l), python)
	case first.named("do") && !braces && r.counted(l, 1):
	case first.named("do", "while") && r.while(l, braces, python):
	case first.is("for") && !braces && python && r.ranged(l[:len(l)-1], true):
	case first.is("for") && !braces && !python && r.ends && r.ranged(l, false):
	case first.is("for") && !braces && next.indent > first.indent && !points(l) && r.ranged(l, false):
		r.open[len(r.open)-1].python = true // it ends with its indentation
	case first.is("for") && !braces && r.bareFor(l, next, python):
	case first.named("if", "elseif", "elif", "else") && !braces && r.branch(l, python):
	case first.named("if", "elif", "else") && !braces && r.oneLine(l):
	default:
		r.out = append(r.out, l...)
	}
}

// defined is the header of a function: its name and parameters stay, if a bracket follows.
func (r *blockReader) defined(l []token) []token {
	header := []token{word(tokIdent, "function", l[0])}
	if len(l) > 3 && l[1].kind == tokIdent && l[2].is("(") {
		if n := slices.IndexFunc(l, func(x token) bool { return x.is(")") }); n > 0 {
			return append(header, l[1:n+1]...)
		}
	}
	return header
}

// labeled rewrites a line behind a label, which may end a loop.
func (r *blockReader) labeled(l []token, next token) {
	label := l[0].text
	if !l[1].named("continue") || len(l) > 2 {
		r.line(l[1:], next)
	}
	for len(r.open) > 0 && r.open[len(r.open)-1].label == label {
		r.close()
	}
}

// concurrent rewrites do concurrent (i = a:b, j = c:d), and forall with or without a
// statement behind it.
func (r *blockReader) concurrent(l []token) bool {
	open := slices.IndexFunc(l, func(x token) bool { return x.is("(") })
	if open < 1 || open > 2 || open == 2 && !l[1].named("concurrent") || open == 1 && !l[0].named("forall") {
		return false
	}
	around, closed := bracketsOf(l)
	last := open + 1
	for last < len(l) && !(l[last].closes() && around[last] == open) {
		last++
	}
	if !closed || last == len(l) {
		return false
	}
	var header []token
	for _, part := range commas(l[open+1 : last]) {
		bounds := cut(part, ":")
		if len(bounds) != 2 || len(bounds[0]) < 3 || len(bounds[1]) == 0 || !bounds[0][1].is("=") {
			return false
		}
		loop := rangeHeader(l[0], bounds[0][0], bounds[0][2:], bounds[1], nil)
		if header == nil {
			header = loop
		} else {
			header = append(append(header, operator(",", l[0])), loop[1:]...)
		}
	}
	// Of a single loop more is said by what looks at loops.
	const message = "the loops of a nest are ranges, both ends included, and stand in one header"
	if len(loopsOf(header)) > 1 && !r.t.found("for", join(l[0].span(), l[last].span()), message, func() string { return textOf(header) + " {" }) {
		return false
	}
	r.begin(l, header, false)
	if last+1 < len(l) {
		for _, x := range l[last+1:] {
			x.pos.Line++ // behind the header
			r.out = append(r.out, x)
		}
		r.close()
	}
	return true
}

// choice rewrites the where, elsewhere and select case of Fortran that begin blocks.
func (r *blockReader) choice(l []token) bool {
	around, closed := bracketsOf(l)
	if last := len(l) - 1; !closed || last > 0 && !(l[last].closes() && around[last] != outside && around[around[last]] == outside) {
		return false // a statement follows
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

// counted rewrites do i = a, b and do i = a, b, c.
func (r *blockReader) counted(l []token, name int) bool {
	if len(l) > 1 && l[1].kind == tokInt {
		name = 2 // behind a label
	}
	if len(l) < name+5 || l[name].kind != tokIdent || !l[name+1].is("=") {
		return false
	}
	parts := commas(l[name+2:])
	if len(parts) < 2 || len(parts) > 3 || slices.ContainsFunc(parts, func(p []token) bool { return len(p) == 0 }) {
		return false
	}
	r.begin(l, rangeHeader(l[0], l[name], parts[0], parts[1], parts[2:]), false)
	if name == 2 {
		r.open[len(r.open)-1].label = l[1].text
	}
	return true
}

// ranged rewrites for i in range(a, b, c), and for i = a:b or for i in a:b with an end.
func (r *blockReader) ranged(l []token, python bool) bool {
	if len(l) < 5 || l[1].kind != tokIdent || !(l[2].is("in") || l[2].is("=")) {
		return false
	}
	value := l[3:]
	var parts [][]token
	if value[0].named("range", "prange", "xrange") && len(value) > 3 && value[1].is("(") && value[len(value)-1].is(")") {
		parts = commas(value[2 : len(value)-1])
		if len(parts) == 1 {
			parts = [][]token{{word(tokInt, "0", value[0])}, parts[0]}
		}
		if len(parts) < 2 || len(parts) > 3 || slices.ContainsFunc(parts, func(p []token) bool { return len(p) == 0 }) {
			return false
		}
		// The end does not belong to it.
		if len(parts) == 3 && parts[2][0].is("-") {
			parts[1] = plus(parts[1], 1)
		} else {
			parts[1] = plus(parts[1], -1)
		}
		r.begin(l, rangeHeader(l[0], l[1], parts[0], parts[1], parts[2:]), python)
		return true
	}
	if python {
		return false
	}
	parts = cut(value, ":")
	if len(parts) == 1 {
		parts = cut(value, "..")
	}
	switch {
	case len(parts) == 2 && len(parts[0]) > 0 && len(parts[1]) > 0:
		r.begin(l, rangeHeader(l[0], l[1], parts[0], parts[1], nil), false)
	case len(parts) == 3 && len(parts[0]) > 0 && len(parts[1]) > 0 && len(parts[2]) > 0:
		r.begin(l, rangeHeader(l[0], l[1], parts[0], parts[2], parts[1:2]), false)
	default:
		return false
	}
	return true
}

// bareFor gives a for of this language its braces, whose body is marked by a colon or by
// indentation alone.
func (r *blockReader) bareFor(l []token, next token, python bool) bool {
	header := l
	if python || l[len(l)-1].named("do", "loop", "begin", "then") {
		header = l[:len(l)-1]
	}
	last := header[len(header)-1]
	if !last.operand() || !balanced(header) || next.indent <= l[0].indent || !points(header) {
		return false
	}
	hint := func() string { return textOf(header) + " {" }
	if !r.t.found("bare for", join(l[0].span(), l[len(l)-1].span()), "the body of a for stands in braces: { ends the line of the for, and } stands behind the body", hint, diag.Replacement) {
		return false
	}
	r.begin(l, slices.Clone(header), true)
	return true
}

// rangeHeader is for i = lo..hi step by, marked as foreign.
func rangeHeader(at, name token, lo, hi []token, by [][]token) []token {
	header := []token{operator("for", at), name, operator("=", name)}
	header[0].foreign = max(1, len(at.text))
	header = append(append(append(header, lo...), operator("..", name)), hi...)
	if len(by) > 0 && !(len(by[0]) == 1 && by[0][0].text == "1") {
		header = append(append(header, word(tokIdent, "step", name)), by[0]...)
	}
	return header
}

// commas cuts tokens at commas outside brackets.
func commas(l []token) [][]token { return cut(l, ",") }

func cut(l []token, sign string) (parts [][]token) {
	first, depth := 0, 0
	for k, x := range l {
		switch {
		case x.opens():
			depth++
		case x.closes():
			depth--
		case x.is(sign) && depth == 0:
			parts = append(parts, slices.Clone(l[first:k]))
			first = k + 1
		}
	}
	return append(parts, slices.Clone(l[first:]))
}

// branch rewrites if c then, if c: and their else.
func (r *blockReader) branch(l []token, python bool) bool {
	then := l[len(l)-1].named("then")
	otherwise := l[0].named("else") && (len(l) == 1 || python && len(l) == 2)
	if !then && !python && !(otherwise && len(r.open) > 0) && !(l[0].named("if") && r.ends && len(l) > 1 && !slices.ContainsFunc(l, func(x token) bool { return x.is("=") || x.is(";") }) && !guards(l)) {
		return false
	}
	if !l[0].named("if") && len(r.open) > 0 && !r.open[len(r.open)-1].python {
		r.close() // that of the if; one of Python has ended with its indentation
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
	r.begin(l, header, python)
	return true
}

// guards reports whether a word follows the condition in brackets of an if, as in
// if (i == 3) cycle.
func guards(l []token) bool {
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

// while gives the block of a while braces; a statement is told of it later.
func (r *blockReader) while(l []token, braces, python bool) bool {
	if !l[0].named("while") && !(len(l) > 1 && l[1].named("while")) || braces || l[len(l)-1].is(";") {
		return false
	}
	r.begin(l, []token{word(tokIdent, "while", l[0])}, python)
	return true
}

// closer translates an end do where a brace is open.
func (r *blockReader) closer(l []token) {
	n := endWord(l)
	at := join(l[0].span(), l[n-1].span())
	if r.left >= r.deep { // the brace has its partner
		r.t.found("end", at, "a block ends with }, which is there: this line goes", func() string { return "leave this out" }, diag.Advice)
		return
	}
	r.t.found("end", at, "a block ends with }", func() string { return "}" }, diag.Advice)
	r.deep--
	r.out = append(append(r.out, operator("}", l[0])), l[n:]...)
}
