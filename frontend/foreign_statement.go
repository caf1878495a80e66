package frontend

// statements translates whole statements.
func (t *translator) statements() {
	t.pair()
	e := edits{}
	depth, last := 0, token{kind: tokOp, text: ";"} // of braces; the token before
	for k := 0; k < len(t.tokens); k++ {
		tok := t.tokens[k]
		begins := last.kind == tokIdent && last.text == "else" || last.is(";") || last.is("{") || last.is("}") || tok.pos.Line > last.pos.Line && (last.operand() || last.is("+") || last.is("-"))
		switch {
		case tok.is("{"):
			depth++
		case tok.is("}"):
			depth--
		case begins:
			next := t.statement(e, k, depth)
			for first := k; k <= next; k++ {
				switch x := t.tokens[k]; {
				case x.is("{"):
					depth++
				case x.is("}") && k > first:
					depth--
				}
			}
			k--
			tok = t.tokens[k]
		}
		last = tok
		if begins && tok.is(")") {
			last = token{kind: tokOp, text: ";"} // of an if: its statement begins
		}
	}
	t.tokens = e.apply(t.tokens, 0, len(t.tokens))
}

// A statementRule translates the statement that begins with token k, inside depth blocks. It
// returns the last token that it has handled, or k, and false if it does not apply.
type statementRule func(t *translator, e edits, k, depth int) (last int, known bool)

// statementRules are the rules in order; the first that applies translates a statement.
var statementRules = []statementRule{
	begins((*translator).batch, "batch"), begins((*translator).external, "extern"), begins((*translator).strayUntil, "until"), begins((*translator).loop, "for"), begins((*translator).array, "array"),
	(*translator).mainOfPython,
	begins((*translator).condition, "if"), (*translator).whileOrDo, begins((*translator).otherwise, "else"),
	(*translator).numbersOutside, (*translator).exchanged, finds((*translator).severalTargets),
	knows((*translator).isFrame, (*translator).framed),
	finds((*translator).prototype),
	(*translator).declarationOfC,
	finds((*translator).summedInside), finds((*translator).ranged), finds((*translator).nested), finds((*translator).called),
	(*translator).throughPointer,
	knows((*translator).mayUpdate, (*translator).update),
}

// begins makes a rule for the statements that begin with the word text, in the same case of letters.
func begins(f func(*translator, edits, int) int, text string) statementRule {
	return knows(func(t *translator, k int) bool {
		return t.at(k).text == text && (t.at(k).kind == tokIdent || t.at(k).kind == tokKeyword)
	}, f)
}

// knows makes a rule that applies f to the statements for which known returns true.
func knows(known func(*translator, int) bool, f func(*translator, edits, int) int) statementRule {
	return func(t *translator, e edits, k, _ int) (int, bool) {
		if !known(t, k) {
			return k, false
		}
		return f(t, e, k), true
	}
}

// finds makes a rule that applies if f handles more than token k.
func finds(f func(*translator, edits, int) int) statementRule {
	return func(t *translator, e edits, k, _ int) (int, bool) {
		if t.at(k).kind == tokIdent && f(t, e, k) > k {
			return t.end(k), true
		}
		return k, false
	}
}

// statement translates the statement that begins with token k, inside depth blocks, and returns
// the last token that it has handled, or k.
func (t *translator) statement(e edits, k, depth int) int {
	if last := t.collector(e, k); last > k {
		return last
	}
	if last := t.firstValue(e, k); last > k {
		return last
	}
	for _, braces := range t.unframed {
		if braces[0] < k && k < braces[1] {
			depth-- // the braces are dropped
		}
	}
	for _, rule := range statementRules {
		if last, known := rule(t, e, k, depth); known {
			return last
		}
	}
	return k
}

// batch leaves the header of a batch as it is.
func (t *translator) batch(_ edits, k int) int {
	if !t.at(k).is("batch") {
		return k
	}
	return t.end(k)
}

// mainOfPython drops Python's if __name__ with its block, which only calls what the file defines.
func (t *translator) mainOfPython(e edits, k, _ int) (int, bool) {
	if !t.isMain(k) {
		return k, false
	}
	open := t.end(k) + 1
	if !t.at(open).is("{") || t.match[open] < open {
		return k, true
	}
	e.drop(k, t.match[open])
	return t.match[open], true
}

// whileOrDo translates a while, or a do of C.
func (t *translator) whileOrDo(e edits, k, _ int) (int, bool) {
	if !t.at(k).named("while") && !(t.at(k).named("do") && t.at(k+1).is("{")) {
		return k, false
	}
	if t.whileInside(e, k) {
		return k, true
	}
	return t.while(e, k), true
}

// numbersOutside translates n = 3 and m, n = 3, 4 outside of nests.
func (t *translator) numbersOutside(e edits, k, depth int) (int, bool) {
	switch next := t.at(k + 1); {
	case depth > 0 || t.at(k).kind != tokIdent:
	case next.is(","):
		return t.several(e, k), true
	case next.is("=") && t.plain(e, k) > k:
		return t.end(k), true
	}
	return k, false
}

// declarationOfC translates a declaration with a type in front.
func (t *translator) declarationOfC(e edits, k, depth int) (int, bool) {
	if t.declares(k) == k {
		return k, false
	}
	return t.declaration(e, k, depth), true
}

// throughPointer drops the *p = x of C.
func (t *translator) throughPointer(e edits, k, _ int) (int, bool) {
	if !t.at(k).is("*") || t.at(k+1).kind != tokIdent || !t.at(k+1).glued || !t.at(k+2).is("=") {
		return k, false
	}
	t.spoil(droppedStatement)
	return t.gone(e, k, t.end(k), "pointer", "there are no pointers: a cell is named where it is read or written", func() string { return "" }), true
}

// mayUpdate reports whether token k begins an assignment or an update.
func (t *translator) mayUpdate(k int) bool {
	return t.at(k).kind == tokIdent || t.at(k).is("+") || t.at(k).is("-")
}

// end returns the last token of the statement that begins with token k: the one
// before a semicolon, a brace, or a line that does not continue it.
func (t *translator) end(k int) int {
	last := k
	for step := 0; step < maxTokens; step++ {
		if last >= len(t.match) {
			break
		}
		if m := t.match[last]; m > last {
			last = m
		}
		x := t.at(last + 1)
		if x.is(";") || x.is("{") || x.is("}") || x.kind == tokEOF ||
			x.pos.Line > t.at(last).pos.Line && (t.at(last).operand() || t.at(last).is("+") || t.at(last).is("-")) {
			break
		}
		last++
	}
	return last
}

// drop removes the tokens from first to last.
func (e edits) drop(first, last int) {
	for k := first; k <= last; k++ {
		e.replace(k)
	}
}

// unwrap replaces the brace at k, if there is one, and its partner by semicolons; the statements
// between become part of the block around.
func (t *translator) unwrap(e edits, k int) {
	if t.at(k).is("{") && t.match[k] > k {
		e.replace(k, operator(";", t.at(k)))
		e.replace(t.match[k], operator(";", t.at(t.match[k])))
	}
}
