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

// statement translates the statement that begins with token k, in so many blocks,
// and returns the last token that it has dealt with, or k.
func (t *translator) statement(e edits, k, depth int) int {
	if last := t.firstValue(e, k); last > k {
		return last
	}
	for _, braces := range t.unframed {
		if braces[0] < k && k < braces[1] {
			depth-- // these go
		}
	}
	switch tok := t.tokens[k]; {
	case tok.is("extern"):
		return t.external(e, k)
	case tok.is("for"):
		return t.loop(e, k)
	case tok.is("array"):
		return t.array(e, k)
	case t.isMain(k):
		if open := t.end(k) + 1; t.at(open).is("{") && t.match[open] > open {
			e.drop(k, t.match[open]) // it calls what is told of
			return t.match[open]
		}
		return k
	case tok.kind == tokIdent && tok.text == "if":
		return t.condition(e, k)
	case tok.named("while"), tok.named("do") && t.at(k+1).is("{"):
		return t.while(e, k)
	case tok.kind == tokIdent && tok.text == "else":
		return t.otherwise(e, k)
	case depth == 0 && tok.kind == tokIdent && t.at(k+1).is(","):
		return t.several(e, k)
	case depth == 0 && tok.kind == tokIdent && t.at(k+1).is("=") && t.plain(e, k) > k:
		return t.end(k)
	case t.isFrame(k):
		return t.framed(e, k)
	case t.prototype(e, k) > k:
		return t.end(k)
	case t.declares(k) > k:
		return t.declaration(e, k, depth)
	case tok.kind == tokIdent && (t.ranged(e, k) > k || t.nested(e, k) > k || t.called(e, k) > k):
		return t.end(k)
	case tok.kind == tokIdent || tok.is("+") || tok.is("-"):
		return t.update(e, k)
	}
	return k
}

// end returns the last token of the statement that begins with token k: the one
// before a semicolon, a brace, or a line that does not continue it.
func (t *translator) end(k int) int {
	last := k
	for step := 0; step < maxTokens; step++ {
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

// unwrap drops the brace at k, if there is one, and its partner, so that what is
// between them belongs to the block around. A semicolon ends each statement.
func (t *translator) unwrap(e edits, k int) {
	if t.at(k).is("{") && t.match[k] > k {
		e.replace(k, operator(";", t.at(k)))
		e.replace(t.match[k], operator(";", t.at(t.match[k])))
	}
}
