package frontend

import (
	"fmt"
	"slices"

	"loopc/ir/diag"
)

// A statement is a run of tokens for the grammar and, for a loop, the statements of its body.
// Braces, and semicolons between statements, belong to no statement.
type statement struct {
	tokens []token
	body   []*statement // the statements of its block: see takesBlock
	raw    []token      // in the block of a schedule
	block  bool         // a { followed
	bad    bool         // a mistake in it was reported: its syntax is not checked
	again  bool         // a var of a name that the body has already, see variables
}

// keyword is the keyword that st begins with, or "".
func (st *statement) keyword() string {
	if len(st.tokens) > 0 && st.tokens[0].kind == tokKeyword {
		return st.tokens[0].text
	}
	return ""
}

// takesBlock reports whether the block of st contains statements.
func (st *statement) takesBlock() bool {
	return slices.Contains([]string{"for", "repeat", "batch", "if", "else"}, st.keyword())
}

// first is the first token of st, which has one: the keyword, or the name to which st assigns.
func (st *statement) first() token { return st.tokens[0] }

// name is the name that a let, a var, an array or a loop declares. st has more than one token.
func (st *statement) name() token { return st.tokens[1] }

// end is the place just after st.
func (st *statement) end() diag.Span {
	at := st.tokens[len(st.tokens)-1].span()
	return diag.Span{Pos: diag.Pos{Line: at.Line, Col: at.Col + at.Len}, Len: 1}
}

// splitter divides tokens into statements. Like Go, it ends a statement at a line end after an
// operand, unless a bracket is open; at a semicolon; and at a brace. It also ends a statement
// before a line that cannot continue it, so that an unclosed bracket does not swallow the rest
// of the file.
type splitter struct {
	tokens []token
	// owner[k] is the statement of tokens[k]; nil for comments, semicolons and braces of
	// blocks.
	owner []*statement
	top   []*statement
	diags []diag.Diagnostic
	read  bool // the source is a single nest without a mistake in its text

	// What lowering found out, see there.
	divided, ends, faulty bool
	joined                []stretch
	undivided             [][2]int
	made                  []*statement
	faults                []diag.Diagnostic
	words                 map[string]string

	current  *statement
	brackets []token     // open in the current statement, innermost last
	blocks   []openBlock // innermost last
}

// An openBlock is a brace waiting for its partner.
type openBlock struct {
	brace token
	stmt  *statement // whose block it is; nil if no statement may have a block here
	raw   bool       // a schedule: its tokens belong to stmt itself
	// body is the statement whose body contains the statements of this block: stmt, or, if stmt is nil, the one of the block
	// around. It is nil at top level.
	body *statement
}

// split returns the statements of the file, with the owner of each token.
func split(tokens []token) *splitter {
	tokens = withUpdates(tokens)
	s := &splitter{tokens: tokens, owner: make([]*statement, len(tokens))}
	last := token{}
	for k, t := range tokens {
		if t.kind == tokComment {
			continue
		}
		if s.current != nil && t.pos.Line > last.pos.Line && s.endsBefore(k, last) {
			s.finish()
		}
		last = t
		switch {
		case t.kind == tokEOF:
			s.finish()
		case s.inRaw() && !t.is("{") && !t.is("}"):
			st := s.blocks[len(s.blocks)-1].stmt
			st.raw = append(st.raw, t)
			s.owner[k] = st
		case t.is(";"):
			s.finish()
		case s.listBrace(t): // as if it were a square bracket
			s.tokens[k].text = map[string]string{"{": "[", "}": "]"}[t.text]
			s.add(k)
		case t.is("{"):
			s.open(k)
		case t.is("}"):
			s.close(k)
		default:
			s.add(k)
		}
	}
	for _, b := range s.blocks {
		if b.stmt != nil {
			s.report(b.brace.span(), "this { is never closed", "")
		}
	}
	return s
}

// faultless completes the diagnostics of a file without errors. If a statement seemed to have a mistake, lowering divided its nest
// in the order of the text. That order may change results, so faultless then reports the mistake.
func (s *splitter) faultless(diags []diag.Diagnostic) []diag.Diagnostic {
	if s.faulty {
		if diags = append(diags, s.faults...); !diag.HasErrors(diags) {
			panic("BUG: frontend: a nest was divided in the order of its text, without a mistake")
		}
		diag.Sort(diags)
	}
	return diags
}

// listBrace reports whether t is a brace around values of a constant array, whose lists have square brackets. The first one is a
// mistake of the statement, which listBrace adds to the diagnostics.
func (s *splitter) listBrace(t token) bool {
	st := s.current
	if st == nil || st.keyword() != "const" || !t.is("{") && (!t.is("}") || len(s.brackets) == 0) {
		return false
	}
	if !st.bad && t.is("{") && slices.ContainsFunc(st.tokens, func(x token) bool { return x.is("=") }) {
		st.bad = true
		s.diags = append(s.diags, diag.Diagnostic{Code: diag.Syntax, At: t.span(), Message: "lists of constants have square brackets", Hint: listedForm, Kind: diag.Pattern})
	}
	return st.bad
}

// inRaw reports whether the innermost block is that of a schedule.
func (s *splitter) inRaw() bool {
	return len(s.blocks) > 0 && s.blocks[len(s.blocks)-1].raw
}

// endsBefore reports whether the current statement ends before tokens[k], the first token of
// its line; last is the token before it.
func (s *splitter) endsBefore(k int, last token) bool {
	// A line that begins with a keyword of another statement does not continue this one.
	switch t := s.tokens[k]; {
	case t.kind == tokKeyword && t.text != "in" && t.text != "inout" && t.text != "func" && t.text != "until":
		return true
	case len(s.brackets) == 0:
		return last.operand()
	}
	// There is no = inside brackets.
	line, depth := s.tokens[k].pos.Line, len(s.brackets)
	for _, t := range s.tokens[k:] {
		switch {
		case t.pos.Line != line || t.kind == tokEOF || depth <= 0:
			return false
		case t.assigns():
			return true
		case t.is("(") || t.is("["):
			depth++
		case t.is(")") || t.is("]"):
			depth--
		}
	}
	return false
}

// add gives tokens[k] to the current statement, or begins one with it.
func (s *splitter) add(k int) {
	if s.current == nil {
		s.tokens[k] = asKeyword(s.tokens[k], s.tokens[k+1])
	}
	t := s.tokens[k]
	if s.current == nil {
		s.current = &statement{}
		if body := s.body(); body != nil {
			body.body = append(body.body, s.current)
		} else {
			s.top = append(s.top, s.current)
		}
	}
	st := s.current
	st.tokens = append(st.tokens, t)
	s.owner[k] = st
	switch {
	case t.kind == tokIllegal:
		st.bad = true
	case len(st.tokens) > maxTokens && !st.bad:
		st.bad = true
		s.diags = append(s.diags, diag.Diagnostic{
			Code: diag.TooMany, At: t.span(),
			Message: fmt.Sprintf("a statement with more than %d words and signs", maxTokens),
		})
	case t.is("(") || t.is("["):
		s.brackets = append(s.brackets, t)
		if len(s.brackets) > maxNesting && !st.bad {
			st.bad = true
			s.diags = append(s.diags, diag.Diagnostic{
				Code: diag.TooDeep, At: t.span(),
				Message: fmt.Sprintf("brackets are nested more than %d deep", maxNesting),
			})
		}
	case t.is(")") || t.is("]"):
		s.closeBracket(t)
	}
}

// closeBracket removes the partner of t from the open brackets, together with brackets inside
// that have no partner. The grammar reports a bracket without a partner.
func (s *splitter) closeBracket(t token) {
	partner := "("
	if t.is("]") {
		partner = "["
	}
	for k, o := range slices.Backward(s.brackets) {
		if o.is(partner) {
			s.neverClosed(k + 1)
			s.brackets = s.brackets[:k]
			return
		}
	}
	if len(s.brackets) == 0 && !s.current.bad {
		s.current.bad = true
		s.report(t.span(), noOpening(t), "")
	}
}

// neverClosed reports the innermost of the open brackets from the k-th on, which no token will
// close. The statement is then not examined.
func (s *splitter) neverClosed(k int) {
	if k >= len(s.brackets) || s.current.bad {
		return
	}
	s.current.bad = true
	o := s.brackets[len(s.brackets)-1]
	s.report(o.span(), "this "+o.text+" is never closed", "")
}

// body returns the statement in whose block the next statement stands; nil at top level.
func (s *splitter) body() *statement {
	if len(s.blocks) == 0 {
		return nil
	}
	return s.blocks[len(s.blocks)-1].body
}

// finish ends the current statement.
func (s *splitter) finish() {
	s.neverClosed(0)
	s.current, s.brackets = nil, nil
}

// open handles the brace tokens[k].
func (s *splitter) open(k int) {
	b := openBlock{brace: s.tokens[k], body: s.body()}
	switch {
	case s.inRaw():
		b.raw, b.stmt = true, s.blocks[len(s.blocks)-1].stmt
		s.owner[k] = b.stmt
	case s.current == nil:
		b.stmt = s.openAlone(b.brace)
	case s.current.keyword() == "schedule":
		b.raw, b.stmt = true, s.current
	case s.current.takesBlock():
		b.stmt = s.current
	default:
		s.add(k)
	}
	if b.stmt != nil {
		b.stmt.block, b.body = true, b.stmt
	}
	s.blocks = append(s.blocks, b)
	s.finish()
}

// openAlone handles a brace at the beginning of a line. The brace belongs to the statement before it, if that takes a block and
// has none; otherwise it belongs to no statement.
func (s *splitter) openAlone(brace token) *statement {
	list := s.top
	if body := s.body(); body != nil {
		list = body.body
	}
	if len(list) > 0 {
		if st := list[len(list)-1]; st.takesBlock() && !st.block {
			article := map[bool]string{true: "an ", false: "a "}[st.keyword() == "if" || st.keyword() == "else"]
			s.report(brace.span(), "the { of "+article+st.keyword()+" belongs at the end of its line", "")
			return st
		}
	}
	s.report(brace.span(), "unexpected {", "")
	return nil
}

// close handles the brace tokens[k].
func (s *splitter) close(k int) {
	s.finish()
	if len(s.blocks) == 0 {
		s.report(s.tokens[k].span(), noOpening(s.tokens[k]), "")
		return
	}
	b := s.blocks[len(s.blocks)-1]
	s.blocks = s.blocks[:len(s.blocks)-1]
	if b.raw && s.inRaw() {
		s.owner[k] = b.stmt
	}
}

func (s *splitter) report(at diag.Span, message, hint string) {
	s.diags = append(s.diags, diag.Diagnostic{Code: diag.Syntax, At: at, Message: message, Hint: hint})
}
