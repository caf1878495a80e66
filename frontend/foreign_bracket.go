package frontend

import (
	"fmt"
	"slices"

	"loopc/ir/diag"
)

// Brackets without partner are told of at the bracket, and get one, or go: no mistake that
// is told of later may follow from them.

// maxUnclosed is how many braces without partner are found by indentation.
const maxUnclosed = 20

// pair finds the partner of every bracket. A bracket that meets one of another kind before
// its own has none.
func (t *translator) pair() {
	t.match = make([]int, len(t.tokens))
	var open []int
	for k, tok := range t.tokens {
		t.match[k] = -1
		if tok.opens() || tok.is("{") {
			open = append(open, k)
			continue
		}
		partner := partners[tok.text]
		if partner == "" || tok.kind != tokOp {
			continue
		}
		for n := len(open) - 1; n >= 0; n-- {
			if o := open[n]; t.tokens[o].is(partner) {
				t.match[k], t.match[o] = o, k
				open = open[:n]
				break
			} else if t.tokens[o].is("{") {
				break // no other bracket closes before its block does
			}
		}
	}
}

// partners are the brackets that closing ones belong to.
var partners = map[string]string{")": "(", "]": "[", "}": "{"}

// signs translates what means the same wherever it stands: the semicolons between subscripts
// or arguments become commas, the braces of C around values those of lists, and exponents of
// Fortran begin with e.
func (t *translator) signs() {
	t.pair()
	e := edits{}
	var open []int // brackets with a partner on their line, innermost last
	head := 0      // where the line begins
	for k, tok := range t.tokens {
		for len(open) > 0 && t.match[open[len(open)-1]] < k {
			open = open[:len(open)-1]
		}
		if k == 0 || !t.sameLine(k-1, k) {
			head = k
		}
		switch {
		case tok.is(":") && t.at(k+1).is("=") && t.at(k+1).glued && (t.at(head).is("param") || t.at(head).is("const") || t.at(head).is("let") || t.at(head).is("init") || t.at(head).is("reduce")):
			e.replace(k)
			t.found("walrus", join(tok.span(), t.at(k+1).span()), "an assignment has the sign =", func() string { return "=" }, diag.Replacement)
		case tok.kind == tokInt || tok.kind == tokFloat:
			t.exponent(e, k)
		case tok.is("{") && k > 0 && (t.at(k-1).is("(") || t.at(k-1).is("=") || t.at(k-1).is("in") || t.at(k-1).is(",") && len(open) > 0) && t.match[k] > k:
			e.replace(k, operator("[", tok))
			e.replace(t.match[k], operator("]", t.at(t.match[k])))
		case tok.opens() && t.sameLine(k, t.match[k]):
			open = append(open, k)
		case tok.is(";") && len(open) > 0 && open[len(open)-1] > 0 && t.at(open[len(open)-1]-1).kind == tokIdent:
			t.semicolon(e, k, open[len(open)-1])
		}
	}
	t.tokens = e.apply(t.tokens, 0, len(t.tokens))
}

// semicolon translates the ; at token k, between the bracket at token open and its partner.
func (t *translator) semicolon(e edits, k, open int) {
	last := t.match[open]
	if next := t.at(k + 1); next.is(",") || next.closes() || t.at(k-1).is(",") {
		e.replace(k)
		t.found("semicolon stray", t.at(k).span(), "unexpected ;", func() string { return leaveOut }, diag.Advice)
		return
	}
	e.replace(k, operator(",", t.at(k)))
	if slices.ContainsFunc(t.tokens[open:k], func(x token) bool { return x.is(";") }) {
		return // told of
	}
	t.found("semicolon", join(t.at(open-1).span(), t.at(last).span()), "commas separate subscripts and arguments", func() string {
		f := edits{}
		for j := open; j < last; j++ {
			if t.at(j).is(";") {
				f.replace(j, operator(",", t.at(j)))
			}
		}
		return textOf(f.apply(t.tokens, open-1, last+1))
	}, diag.Replacement)
}

// balance makes the braces of a file balance at its end: what is still open closes there,
// and a } without its { goes.
func (t *translator) balance() {
	var open []token
	var out []token
	report := func(at token, message string) {
		t.diags = append(t.diags, diag.Diagnostic{Code: diag.Syntax, At: at.span(), Message: message})
	}
	for _, x := range t.tokens {
		switch {
		case x.is("{"):
			open = append(open, x)
		case x.is("}") && len(open) == 0:
			report(x, noOpening(x))
			continue
		case x.is("}"):
			open = open[:len(open)-1]
		case x.kind == tokEOF:
			for ; len(open) > 0; open = open[:len(open)-1] {
				report(open[len(open)-1], "this { is never closed")
				near := out[len(out)-1]
				near.pos.Line++
				out = append(out, operator("}", near))
			}
		}
		out = append(out, x)
	}
	t.tokens = out
}

// noOpening is what is said of a closing bracket without partner.
func noOpening(x token) string {
	return "unexpected " + x.text + ": no " + partners[x.text] + " is open"
}

// missing is how many more { than } there are.
func (t *translator) missing() (n int) {
	for _, x := range t.tokens {
		if x.is("{") {
			n++
		} else if x.is("}") {
			n--
		}
	}
	return n
}

// doubled drops a { right behind another one that lacks its }.
func (t *translator) doubled() {
	missing := t.missing()
	var out []token
	for _, x := range t.tokens {
		if missing > 0 && x.is("{") && len(out) > 0 && out[len(out)-1].is("{") {
			missing--
			t.diags = append(t.diags, diag.Diagnostic{Code: diag.Syntax, At: x.span(), Message: "unexpected {"})
			continue
		}
		out = append(out, x)
	}
	t.tokens = out
}

// unclosed puts the } that a block lacks where the indentation ends the block: before a
// line that is not indented more than the line of its {, and that begins what no body has.
// It acts only if the file has more { than }.
func (t *translator) unclosed() {
	missing := t.missing()
	if missing <= 0 || missing > maxUnclosed {
		return
	}
	u := unclosedReader{t: t, missing: missing}
	for _, l := range t.lines() {
		u.closeBefore(l[0])
		for _, x := range l {
			switch {
			case x.is("{"):
				u.open = append(u.open, openedBlock{x, l[0]})
			case x.is("}") && len(u.open) > 0:
				u.open = u.open[:len(u.open)-1]
			}
		}
		u.out = append(u.out, l...)
	}
	t.tokens = u.out
}

// An openedBlock is a brace that is open, and the first token of its line.
type openedBlock struct{ brace, line token }

// An unclosedReader copies lines of tokens, with the braces that blocks lack.
type unclosedReader struct {
	t       *translator
	out     []token
	open    []openedBlock // innermost last
	missing int           // braces that are still to be put
}

// closeBefore closes the blocks that a line beginning with first is not in.
func (u *unclosedReader) closeBefore(first token) {
	for u.missing > 0 && len(u.open) > 0 && (first.is("}") || beginsOutside(first)) {
		b := u.open[len(u.open)-1]
		near := u.out[len(u.out)-1]
		if b.holds(first) || near.pos == b.brace.pos {
			return // or nothing is in the block yet: what is not indented may be
		}
		near.pos.Line++
		u.out = append(u.out, operator("}", near))
		u.t.diags = append(u.t.diags, diag.Diagnostic{
			Code: diag.Syntax, At: b.brace.span(),
			Message: fmt.Sprintf("this { is never closed: its } belongs before line %d", first.pos.Line),
		})
		u.open = u.open[:len(u.open)-1]
		u.missing--
	}
}

// holds reports whether a line that begins with first may be in the block, or end it.
func (b openedBlock) holds(first token) bool {
	same := first.indent == b.line.indent
	switch {
	case first.indent > b.line.indent, first.is("}") && same, !b.line.is("for") && !b.line.is("repeat"):
		return true
	case b.line.is("repeat"):
		return same && (first.is("for") || first.is("reduce") || first.is("schedule")) // which may be its nests
	}
	return false
}

// beginsOutside reports whether a line that begins with x cannot stand in the body of a
// for.
func beginsOutside(x token) bool {
	switch x.text {
	case "for", "repeat", "reduce", "init", "out", "array", "param", "const", "boundary", "schedule", "extern":
		return x.kind == tokKeyword || x.kind == tokIdent
	}
	return false
}
