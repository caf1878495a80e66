package frontend

import (
	"slices"
	"strings"

	"loopc/ir/diag"
)

// Fortran, Python, Julia and MATLAB have blocks without braces. This pass puts braces around
// these blocks, line by line, and gives their loops ranges. Later passes then report loops and
// conditions as they report those of C.

// A foreignBlock is an open block.
type foreignBlock struct {
	column int // column of the line that began it; indentation ends a block of Python
	deep   int // braces of the source around it
	python bool
	label  string // Fortran: the label that ends it
	more   int    // further ends, of the fors in its header
}

// A blockReader rewrites lines of tokens.
type blockReader struct {
	t       *translator
	out     []token
	open    []foreignBlock
	left    int  // braces still to come that close what is open now
	deep    int  // how many braces of the source are open
	surplus int  // how many more } than { are still to come
	ends    bool // some line begins with end, so blocks without braces may end with it
}

// blocks gives the blocks of other languages braces.
func (t *translator) blocks() {
	r := &blockReader{t: t, surplus: -t.missing()}
	lines := t.lines()
	for _, l := range lines {
		r.ends = r.ends || endWord(l) > 0
	}
	left := closing(lines)
	for k, l := range lines {
		r.left = left[k]
		next := token{}
		if k+1 < len(lines) {
			next = lines[k+1][0]
		}
		if l[0].is("}") && r.closes(l[0]) {
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
			}
		}
	}
	t.tokens = r.out
}

// closing returns, for each line, how many closing braces in it and below have no partner there.
func closing(lines [][]token) []int {
	left, n := make([]int, len(lines)), 0
	for k, l := range slices.Backward(lines) {
		for _, x := range slices.Backward(l) {
			switch {
			case x.is("}"):
				n++
			case x.is("{"):
				n = max(0, n-1)
			}
		}
		left[k] = n
	}
	return left
}

// lines cuts the tokens where a line begins. EOF is a line, behind a file without a last newline, too:
// what drops a line does not drop the end of the file.
func (t *translator) lines() (lines [][]token) {
	first := 0
	for k := 1; k <= len(t.tokens); k++ {
		if k == len(t.tokens) || t.tokens[k].pos.Line > t.tokens[k-1].pos.Line || t.tokens[k].kind == tokEOF {
			lines = append(lines, t.tokens[first:k])
			first = k
		}
	}
	return lines
}

// lastOf is the index of the last token of a line, without trailing tokens of the given sign.
func lastOf(l []token, sign string) int {
	k := len(l) - 1
	for k > 0 && l[k].is(sign) {
		k--
	}
	return k
}

// named reports whether t is one of the words, in any case of letters.
func (t token) named(words ...string) bool {
	return (t.kind == tokIdent || t.kind == tokKeyword) && slices.Contains(words, strings.ToLower(t.text))
}

// endWord returns how many tokens at the beginning of a line end a block, 0 if none.
func endWord(l []token) int {
	switch {
	case l[0].named("enddo", "endif", "endfor", "endrepeat", "endloop", "endwhile", "endwhere", "endforall", "endselect"):
		return 1
	case l[0].named("end") && len(l) > 1 && l[1].named("do", "if", "for", "repeat", "batch", "loop", "while", "where", "forall", "select", "subroutine", "function", "program", "module", "interface"):
		return min(len(l), 3)
	case l[0].named("end") && (len(l) == 1 || l[1].is(";") || l[1].is(",")):
		return 1
	}
	return 0
}

// closePython ends the blocks of Python that do not contain the line of the token first.
func (r *blockReader) closePython(first token) {
	for len(r.open) > 0 {
		b := r.open[len(r.open)-1]
		if !b.python || first.kind != tokEOF && first.indent > b.column {
			return
		}
		r.close()
	}
}

// closes reports whether a } ends a block without braces. It does if no brace of the source is
// open. Else the source must have more } than {, no brace may be open within the block, and the }
// must not be indented less than the block.
func (r *blockReader) closes(brace token) bool {
	if len(r.open) == 0 || r.deep == 0 {
		return len(r.open) > 0
	}
	b := r.open[len(r.open)-1]
	return r.surplus > 0 && b.deep == r.deep && brace.indent >= b.column
}

// closedBy ends blocks without braces at a } that has no {: all blocks that are indented more than
// the }, and the block around them.
func (r *blockReader) closedBy(brace token) {
	for len(r.open) > 1 && r.open[len(r.open)-1].column > brace.indent {
		r.close()
	}
	if len(r.open) > 0 {
		r.open = r.open[:len(r.open)-1]
		r.surplus--
		r.deep++ // as if the source had its {
	}
}

// close ends the innermost block, at the end of the line before.
func (r *blockReader) close() {
	r.open = r.open[:len(r.open)-1]
	near := r.out[len(r.out)-1]
	brace := operator("}", near)
	brace.pos.Line++ // on a line of its own
	r.out = append(r.out, brace)
}

// begin writes the header of a block, whose line is l.
func (r *blockReader) begin(l, header []token, python bool) {
	for k := range header {
		header[k].pos.Line = l[0].pos.Line
	}
	r.out = append(append(r.out, header...), operator("{", l[len(l)-1]))
	r.open = append(r.open, foreignBlock{column: l[0].indent, deep: r.deep, python: python})
}

// line rewrites one line; next is the first token of the one that follows.
func (r *blockReader) line(l []token, next token) {
	if l[0].kind == tokInt && len(l) > 1 && (l[1].kind == tokIdent || l[1].is("for")) { // a label
		r.labeled(l, next)
		return
	}
	line := blockLine{tokens: l, next: next, python: l[len(l)-1].is(":") && len(l) > 1, braces: next.is("{") || slices.ContainsFunc(l, func(x token) bool { return x.is("{") })}
	for _, rule := range blockRules {
		if (rule.words == nil || l[0].named(rule.words...)) && (rule.braces || !line.braces) && rule.rewrite(r, line) {
			return
		}
	}
	r.out = append(r.out, l...)
}

// defined returns the header of a function: the word function and, if the name has a bracket after it,
// the name and the parameters.
func (r *blockReader) defined(l []token) []token {
	header := []token{word(tokIdent, "function", l[0])}
	if len(l) > 3 && l[1].kind == tokIdent && l[2].is("(") {
		if n := slices.IndexFunc(l, func(x token) bool { return x.is(")") }); n > 0 {
			return append(header, l[1:n+1]...)
		}
	}
	return header
}

// labeled rewrites the rest of a line with a label, which may end a loop.
func (r *blockReader) labeled(l []token, next token) {
	label := l[0].text
	if !l[1].named("continue") || len(l) > 2 {
		r.line(l[1:], next)
	}
	for len(r.open) > 0 && r.open[len(r.open)-1].label == label {
		r.close()
	}
}

// commas cuts tokens at commas outside brackets.
func commas(l []token) [][]token { return cut(l, ",") }

// cut divides tokens at a sign that stands in no brackets.
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

// closer translates an end do where a brace is open.
func (r *blockReader) closer(l []token) {
	n := endWord(l)
	at := join(l[0].span(), l[n-1].span())
	if r.left >= r.deep { // the brace has a partner
		r.needless(at)
		return
	}
	r.t.found("end", at, "a block ends with }", func() string { return "}" }, diag.Advice)
	r.deep--
	r.out = append(append(r.out, operator("}", l[0])), l[n:]...)
}

// needless reports an end such as end do of a block that has a }, too.
func (r *blockReader) needless(at diag.Span) {
	r.t.found("end needless", at, "a block ends with }, which is there: this line goes", func() string { return leaveOut }, diag.Advice)
}
