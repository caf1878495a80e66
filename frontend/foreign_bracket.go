package frontend

import (
	"fmt"
	"slices"

	"loopc/ir/diag"
)

// A bracket without a partner is reported at the bracket. It then gets a partner, or is dropped, so
// that no later report follows from it.

// maxUnclosed is the number of missing } up to which indentation tells where they belong.
const maxUnclosed = 20

// pair finds the partner of every bracket. A closing bracket passes over open ones of other
// kinds, which then have no partner, but not over a {.
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
				break // a ) or ] closes no bracket outside its block
			}
		}
	}
}

// partners are the brackets that closing ones belong to.
var partners = map[string]string{")": "(", "]": "[", "}": "{"}

// signs translates signs whose meaning shows from the tokens beside them and the brackets around: semicolons between subscripts or
// arguments become commas, C's braces around values become square brackets, Fortran's exponents begin with e, the := of a
// declaration becomes =, and mod between subscripts becomes %.
func (t *translator) signs() {
	t.pair()
	e := edits{}
	var open []int // brackets with a partner on their line, innermost last
	head := 0      // where the line begins
	for k, x := range t.tokens {
		for len(open) > 0 && t.match[open[len(open)-1]] < k {
			open = open[:len(open)-1]
		}
		if k == 0 || !t.sameLine(k-1, k) {
			head = k
		}
		switch {
		case x.is(":"):
			t.colonEquals(e, k, head)
		case x.kind == tokInt || x.kind == tokFloat:
			t.exponent(e, k)
		case x.is("{"):
			t.listBraces(e, k, len(open) > 0)
		case x.opens() && t.sameLine(k, t.match[k]):
			open = append(open, k)
		case x.named("mod") && len(open) > 0 && t.at(open[len(open)-1]).is("[") && t.at(k-1).operand() && !t.at(k+1).is("="):
			e.replace(k, operator("%", x)) // remainder reports it
		case x.is(";") && len(open) > 0:
			t.semicolon(e, k, open[len(open)-1])
		}
	}
	t.tokens = e.apply(t.tokens, 0, len(t.tokens))
}

// colonEquals translates := in a declaration that begins with token head.
func (t *translator) colonEquals(e edits, k, head int) {
	if next := t.at(k + 1); next.is("=") && next.glued && slices.ContainsFunc([]string{"param", "const", "let", "init", "reduce"}, t.at(head).is) {
		e.replace(k)
		t.found("walrus", join(t.at(k).span(), next.span()), "an assignment has the sign =", func() string { return "=" }, diag.Replacement)
	}
}

// listBraces replaces the braces around values, beginning with token k, by square brackets.
// inside says that they lie within brackets.
func (t *translator) listBraces(e edits, k int, inside bool) {
	if before := t.at(k - 1); k > 0 && t.match[k] > k && (before.is("(") || before.is("=") || before.is("in") || before.is(",") && inside) {
		e.replace(k, operator("[", t.at(k)))
		e.replace(t.match[k], operator("]", t.at(t.match[k])))
	}
}

// semicolon translates the ; at token k, between the bracket at token open and its partner.
func (t *translator) semicolon(e edits, k, open int) {
	if open == 0 || t.at(open-1).kind != tokIdent {
		return
	}
	last := t.match[open]
	if next := t.at(k + 1); next.is(",") || next.closes() || t.at(k-1).is(",") {
		e.replace(k)
		t.found("semicolon stray", t.at(k).span(), "unexpected ;", func() string { return leaveOut }, diag.Advice)
		return
	}
	e.replace(k, operator(",", t.at(k)))
	if slices.ContainsFunc(t.tokens[open:k], func(x token) bool { return x.is(";") }) {
		return // reported already
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

// balance balances the braces of a file at its end: open blocks are closed there, and a }
// without a { is dropped.
func (t *translator) balance() {
	var open []token
	out := make([]token, 0, len(t.tokens))
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
				if brace := open[len(open)-1]; t.braces[brace.pos] {
					report(brace, "this { is never closed")
				}
				near := out[len(out)-1]
				near.pos.Line++
				out = append(out, operator("}", near))
			}
		}
		out = append(out, x)
	}
	t.tokens = out
}

// noOpening is the message for a closing bracket without a partner.
func noOpening(x token) string {
	return "unexpected " + x.text + ": no " + partners[x.text] + " is open"
}

// missing returns how many more { than } there are.
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

// doubled drops a { right behind another {, if the file has more { than }.
func (t *translator) doubled() {
	missing := t.missing()
	out := make([]token, 0, len(t.tokens))
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

// unclosed adds the missing } of a block where the indentation ends the block: before a line that is not indented more than the
// line of its {, and that begins a statement which bodies seldom contain. It acts only if the file has more { than }.
func (t *translator) unclosed() {
	missing := t.missing()
	if missing <= 0 || missing > maxUnclosed {
		return
	}
	u := unclosedReader{t: t, missing: missing}
	words := 0 // open blocks that begin, and end, with a word in place of a brace
	for _, l := range t.lines() {
		braces := slices.ContainsFunc(l, func(x token) bool { return x.is("{") })
		switch ends := endWord(l) > 0; {
		case ends && words > 0:
			words--
		case ends && len(u.open) > 0: // the pass over blocks reports the end
			u.open = u.open[:len(u.open)-1]
			u.missing--
		case !braces && l[0].named("do", "for", "if", "while", "where", "forall", "select"):
			words++
		}
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

// An unclosedReader copies lines of tokens, and adds missing braces.
type unclosedReader struct {
	t       *translator
	out     []token
	open    []openedBlock // innermost last
	missing int           // braces that are still to be put
}

// closeBefore closes the blocks that do not contain a line beginning with first.
func (u *unclosedReader) closeBefore(first token) {
	for u.missing > 0 && len(u.open) > 0 && (first.is("}") || beginsOutside(first)) {
		b := u.open[len(u.open)-1]
		near := u.out[len(u.out)-1]
		if b.holds(first) || near.pos == b.brace.pos {
			return // if the block is still empty, its lines may not be indented
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

// holds reports whether a line that begins with first may be in the block, or end it. Indentation ends blocks of for, repeat and
// batch only: blocks of other statements hold every line.
func (b openedBlock) holds(first token) bool {
	same := first.indent == b.line.indent
	switch {
	case first.indent > b.line.indent, first.is("}") && same, !b.line.is("for") && !b.line.is("repeat") && !b.line.is("batch"):
		return true
	case b.line.is("repeat"), b.line.is("batch"):
		return same && (first.is("for") || first.is("reduce") || first.is("schedule")) // these may be nests of the block
	}
	return false
}

// beginsOutside reports whether a line that begins with x seldom stands in the body of a for, so that a missing } probably belongs
// before it.
func beginsOutside(x token) bool {
	switch x.text {
	case "for", "repeat", "reduce", "init", "out", "array", "param", "const", "boundary", "schedule", "extern":
		return x.kind == tokKeyword || x.kind == tokIdent
	}
	return false
}

// partner is the index of the bracket that closes the one that l begins with, or of the last token.
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

// content returns the tokens between the bracket that l begins with and the one that closes it; none if l is only a bracket.
func content(l []token) []token { return l[1:max(1, partner(l))] }

// bracketed reports whether l begins with a bracket that its last token, another one, closes.
func bracketed(l []token) bool { return len(l) > 1 && l[0].opens() && partner(l) == len(l)-1 }

// withPartners extends a place to the closing brackets, on its line, of the round and square brackets that open in it: a pass may
// have dropped tokens before these closing brackets.
func (t *translator) withPartners(at diag.Span) diag.Span {
	k, _ := slices.BinarySearchFunc(t.source, at.Pos, func(x token, p diag.Pos) int { return comparePlaces(x.pos, p) })
	open := 0
	for ; k < len(t.source) && t.source[k].pos.Line == at.Line; k++ {
		x := t.source[k]
		inside := x.pos.Col < at.Col+at.Len
		if !inside && open <= 0 || x.is("{") || x.is("}") {
			break
		}
		if open += change(x); open == 0 && !inside {
			return join(at, x.span())
		}
	}
	return at
}
