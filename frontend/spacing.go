package frontend

import "slices"

// lineState decides where spaces go between the tokens of one statement.
type lineState struct {
	stmt     *statement
	tokens   int   // so far
	last     token // none at first
	unary    bool  // last is a unary operator
	step     bool  // last is the word before a loop's step
	brackets []openBracket
	square   int // open square brackets
}

// An openBracket is one of ( and [.
type openBracket struct {
	square bool
	list   bool // of the bounds, names, indices or values in an array's declaration
}

// advance moves over t.
func (s *lineState) advance(t token) {
	s.unary = s.unaryNext(t)
	s.step = t.kind == tokIdent && t.text == "step" && (s.stmt.keyword() == "for" || s.stmt.keyword() == "repeat") && s.operand()
	switch {
	case t.is("(") || t.is("["):
		square := t.text == "["
		list := false
		switch s.stmt.keyword() {
		case "array", "init", "out", "boundary":
			list = s.tokens == 2
		case "const":
			list = s.tokens == 2 || !s.operand()
		}
		s.brackets = append(s.brackets, openBracket{square, list})
		if square {
			s.square++
		}
	case (t.is(")") || t.is("]")) && len(s.brackets) > 0:
		if s.brackets[len(s.brackets)-1].square {
			s.square--
		}
		s.brackets = s.brackets[:len(s.brackets)-1]
	}
	s.last = t
	s.tokens++
}

// operand reports whether the last token can end an operand.
func (s *lineState) operand() bool { return s.last.operand() && !s.step }

// unaryNext reports whether t, coming next, is a unary operator.
func (s *lineState) unaryNext(t token) bool {
	return (t.is("-") || t.is("+") || t.is("!")) && !s.operand()
}

// space reports whether a blank precedes t.
func (s *lineState) space(t token) bool {
	if space, decided := s.bySigns(t); decided {
		return space
	}
	switch {
	case s.unary:
		return (t.is("+") || t.is("-")) && t.is(s.last.text) // two signs that touch are an update
	case s.unaryNext(t):
		sum := s.last.is("+") || s.last.is("-")
		return s.spaced(s.last) || sum // two signs must not touch
	case t.kind == tokOp && !t.opens():
		return s.spaced(t)
	case s.last.kind == tokOp:
		return s.spaced(s.last)
	}
	return true
}

// bySigns is space if brackets, commas or points decide it.
func (s *lineState) bySigns(t token) (space, decided bool) {
	switch {
	case s.step, s.last.named("at") && len(s.brackets) == 0 && s.stmt.keyword() == "reduce" && t.is("("):
		return true, true
	case t.is(",") || t.closes() || s.last.opens():
		return false, true
	case s.last.is(","):
		if len(s.brackets) == 0 {
			return true, true
		}
		in := s.brackets[len(s.brackets)-1]
		return !in.square || in.list, true
	case t.opens():
		return false, s.last.operand()
	case t.is("..") || s.last.is(".."):
		// 1. and .. must not become 1 and ...
		return s.last.kind == tokFloat && s.last.text[len(s.last.text)-1] == '.', true
	}
	return false, t.is(".") || s.last.is(".")
}

// spaced reports whether the binary operator t has spaces around it or, if t is a bracket,
// behind it.
func (s *lineState) spaced(t token) bool {
	switch t.text {
	case "*", "/", "%", "&", "<<", ">>":
		return false
	case "+", "-", "|", "^":
		return s.square == 0 && !slices.Contains([]string{"for", "repeat", "batch"}, s.stmt.keyword())
	}
	return true
}
