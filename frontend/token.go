package frontend

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/alecthomas/participle/v2/lexer"

	"loopc/ir/diag"
)

// A token is a word, number or sign of the source, with its place.
type token struct {
	kind lexer.TokenType
	text string
	pos  diag.Pos
	// glued tells that no white space, comment or line end comes before.
	glued bool
}

// The kinds of tokens. Line ends are not tokens: where a statement ends is read
// off the lines that its tokens are on.
const (
	tokEOF     = lexer.EOF
	tokIdent   = lexer.TokenType(-iota - 1)
	tokKeyword // a word of keywords
	tokInt
	tokFloat
	tokString // with its quotes
	tokOp
	tokComment // from // to the end of the line
	tokIllegal // already reported
)

// keywords begin a statement or say an array's role.
var keywords = map[string]bool{
	"param": true, "const": true, "array": true, "init": true, "out": true,
	"in": true, "inout": true, "for": true, "let": true, "reduce": true,
	"extern": true, "schedule": true, "func": true,
	"repeat": true, "until": true,
}

// span is where t stands.
func (t token) span() diag.Span {
	return diag.Span{Pos: t.pos, Len: utf8.RuneCountInString(t.text)}
}

// is reports whether t is the given operator or keyword.
func (t token) is(text string) bool {
	return t.text == text && (t.kind == tokOp || t.kind == tokKeyword)
}

// operand reports whether t can end an operand, so that a sign after it is a
// binary operator, and a line end after it ends the statement.
func (t token) operand() bool {
	switch t.kind {
	case tokIdent, tokInt, tokFloat, tokString, tokIllegal:
		return true
	case tokKeyword:
		return t.text == "in" || t.text == "inout" || t.text == "out"
	case tokOp:
		return t.text == ")" || t.text == "]" || t.text == "}"
	}
	return false
}

// scan splits src into tokens, the last of which is EOF, and reports what no
// token has. A byte order mark at the beginning is skipped; lines end with \n
// or \r\n.
func scan(src []byte) ([]token, []diag.Diagnostic) {
	s := scanner{src: string(src), pos: diag.Pos{Line: 1, Col: 1}}
	if r, size := utf8.DecodeRuneInString(s.src); r == bom {
		s.at = size
	}
	for s.next() {
	}
	return s.tokens, s.diags
}

const (
	bom = '\ufeff'
	// end is what peek returns at the end of the source.
	end rune = -1
)

type scanner struct {
	src    string
	at     int // offset of the next rune
	pos    diag.Pos
	tokens []token
	diags  []diag.Diagnostic
	// illegalLine is the line on which an illegal character was reported: one
	// report a line, as such characters come in heaps.
	illegalLine int
	blocks      bool // a comment between /* and */ was reported
}

// peek returns the rune at the given number of bytes ahead, or end.
func (s *scanner) peek(ahead int) rune {
	if s.at+ahead >= len(s.src) {
		return end
	}
	r, _ := utf8.DecodeRuneInString(s.src[s.at+ahead:])
	return r
}

// advance moves over one rune, which it returns with its size in bytes.
func (s *scanner) advance() (rune, int) {
	r, size := utf8.DecodeRuneInString(s.src[s.at:])
	s.at += size
	if r == '\n' {
		s.pos = diag.Pos{Line: s.pos.Line + 1, Col: 1}
	} else {
		s.pos.Col++
	}
	return r, size
}

// next scans white space and one token; false at the end.
func (s *scanner) next() bool {
	glued := len(s.tokens) > 0
	for {
		r := s.peek(0)
		lineEnd := r == '\r' && (s.peek(1) == '\n' || s.peek(1) == end)
		if r != ' ' && r != '\t' && r != '\n' && !lineEnd {
			break
		}
		glued = false
		s.advance()
	}
	begin, pos := s.at, s.pos
	kind := s.scanToken()
	text := s.src[begin:s.at]
	if kind == tokComment {
		text = strings.TrimRight(text, " \t\r")
	}
	s.tokens = append(s.tokens, token{kind: kind, text: text, pos: pos, glued: glued})
	return kind != tokEOF
}

// operators are the signs of the language, longer ones first.
var operators = []string{
	"..", "==", "!=", "<=", ">=", "&&", "||",
	"+", "-", "*", "/", "=", "<", ">", "!", "(", ")", "[", "]", "{", "}", ",", ";", ".", "?", ":",
}

// scanToken moves over one token and returns its kind.
func (s *scanner) scanToken() lexer.TokenType {
	begin, pos := s.at, s.pos
	r := s.peek(0)
	switch {
	case r == end:
		return tokEOF
	case r == '/' && s.peek(1) == '/':
		return s.comment()
	case r == '/' && s.peek(1) == '*':
		return s.blockComment()
	case letter(r):
		for letter(s.peek(0)) || unicode.IsDigit(s.peek(0)) {
			s.advance()
		}
		switch name := s.src[begin:s.at]; {
		case keywords[name]:
			return tokKeyword
		case s.pos.Col-pos.Col > maxName:
			s.illegal(pos, s.pos.Col-pos.Col, "this name is too long")
			return tokIllegal
		}
		return tokIdent
	case digit(r) || r == '.' && digit(s.peek(1)):
		return s.number()
	case r == '"':
		return s.str()
	}
	for _, op := range operators {
		if len(s.src)-s.at >= len(op) && s.src[s.at:s.at+len(op)] == op {
			for range op {
				s.advance()
			}
			return tokOp
		}
	}
	_, size := s.advance()
	s.illegal(pos, 1, describe(r, size))
	return tokIllegal
}

// describe says what is wrong with a rune of size bytes.
func describe(r rune, size int) string {
	switch {
	case r == utf8.RuneError && size == 1:
		return "this byte is not UTF-8"
	case r == bom:
		return "a byte order mark is only allowed at the beginning of the file"
	case r == '%':
		return "the language has no operator %; of integers, n - n/k*k is the remainder"
	case r == '#':
		return "a comment begins with //, and there is no preprocessor: param and const name numbers"
	case r == '^' || r == '&' || r == '|' || r == '~':
		return fmt.Sprintf("the language has no operator %c", r)
	case unicode.IsGraphic(r):
		return fmt.Sprintf("character %c has no meaning here", r)
	}
	return fmt.Sprintf("control character %U", r)
}

func (s *scanner) illegal(pos diag.Pos, length int, message string) {
	if s.illegalLine == pos.Line {
		return
	}
	s.illegalLine = pos.Line
	s.diags = append(s.diags, diag.Diagnostic{
		Code: diag.IllegalCharacter, At: diag.Span{Pos: pos, Len: length}, Message: message,
	})
}

// letter and digit classify as Go's scanner does.
func letter(r rune) bool { return r == '_' || unicode.IsLetter(r) }
func digit(r rune) bool  { return '0' <= r && r <= '9' }

// comment scans to the end of the line. Comments too are free of control
// characters: they may be quoted into other files.
func (s *scanner) comment() lexer.TokenType {
	for r := s.peek(0); r != end && r != '\n'; r = s.peek(0) {
		pos := s.pos
		r, size := s.advance()
		crlf := r == '\r' && (s.peek(0) == '\n' || s.peek(0) == end)
		if r == utf8.RuneError && size == 1 || r != '\t' && unicode.IsControl(r) && !crlf || r == bom {
			s.illegal(pos, 1, describe(r, size))
		}
	}
	return tokComment
}

// blockComment scans a comment as in C, and reports the first one.
func (s *scanner) blockComment() lexer.TokenType {
	if !s.blocks {
		s.blocks = true
		s.diags = append(s.diags, diag.Diagnostic{
			Code: diag.Foreign, At: diag.Span{Pos: s.pos, Len: 2},
			Message: "a comment begins with // and ends with its line", Hint: "// ...",
		})
	}
	s.advance()
	for s.advance(); s.peek(0) != end && !(s.peek(0) == '*' && s.peek(1) == '/'); {
		s.advance()
	}
	for n := 0; n < 2 && s.peek(0) != end; n++ {
		s.advance()
	}
	return tokComment
}

// str scans an interpreted string, which must end on its line.
func (s *scanner) str() lexer.TokenType {
	begin, pos := s.at, s.pos
	s.advance()
	for {
		switch s.peek(0) {
		case end, '\n':
			s.illegal(pos, s.pos.Col-pos.Col, "this string does not end on its line")
			return tokIllegal
		case '\\':
			s.advance()
			if s.peek(0) != end && s.peek(0) != '\n' {
				s.advance()
			}
		case '"':
			s.advance()
			if _, err := strconv.Unquote(s.src[begin:s.at]); err != nil {
				s.illegal(pos, s.pos.Col-pos.Col, "this string is malformed")
				return tokIllegal
			}
			return tokString
		default:
			s.advance()
		}
	}
}
