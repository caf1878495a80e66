package frontend

import (
	"fmt"
	"loopc/ir/diag"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/alecthomas/participle/v2/lexer"
)

// The scanner cuts the text into tokens.

// scan splits src into tokens, the last of which is EOF, and reports characters that belong to
// no token. It skips a byte order mark at the beginning; lines end with \n or \r\n.
func scan(src []byte) ([]token, []diag.Diagnostic) {
	s := scanner{src: string(src), pos: diag.Pos{Line: 1, Col: 1}, indenting: true}
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
	// illegalLine is the line of the last reported illegal character. Only one is reported per
	// line, because many may be there.
	illegalLine int
	indent      int    // of the current line
	indenting   bool   // only white space was on the line so far
	instead     string // the text of the token, if not that of the source
	blocks      bool   // a comment between /* and */ was reported
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
		s.indented(r)
		s.advance()
	}
	s.indenting = false
	if s.peek(0) == '#' && s.define() {
		glued = false
		for s.peek(0) == ' ' || s.peek(0) == '\t' {
			s.advance()
		}
	}
	begin, pos := s.at, s.pos
	kind := s.scanToken()
	text := s.src[begin:s.at]
	if s.instead != "" {
		text, s.instead = s.instead, ""
	}
	if kind == tokComment {
		text = strings.TrimRight(text, " \t\r")
	}
	s.tokens = append(s.tokens, token{kind: kind, text: text, pos: pos, glued: glued, indent: s.indent})
	return kind != tokEOF
}

// indented counts white space at the beginning of a line.
func (s *scanner) indented(r rune) {
	switch {
	case r == '\n':
		s.indent, s.indenting = 0, true
	case r == '\t' && s.indenting:
		s.indent = s.indent/8*8 + 8
	case r == ' ' && s.indenting:
		s.indent++
	}
}

// operators are the signs of the language, longer ones first.
var operators = []string{
	"..", "==", "!=", "<=", ">=", "&&", "||", "~=", // the last of Matlab and Lua
	"+", "-", "*", "/", "%", "^", "=", "<", ">", "!", "(", ")", "[", "]", "{", "}", ",", ";", ".", "?", ":",
}

// scanToken moves over one token and returns its kind.
func (s *scanner) scanToken() lexer.TokenType {
	r := s.peek(0)
	switch {
	case r == end:
		return tokEOF
	case letter(r):
		return s.word()
	case digit(r) || r == '.' && digit(s.peek(1)):
		return s.number()
	case r == '/' && s.peek(1) == '/':
		return s.slashes()
	case r == '"':
		return s.str()
	}
	for _, rule := range skipRules {
		if strings.ContainsRune(rule.first, r) {
			if kind, ok := rule.scan(s); ok {
				return kind
			}
		}
	}
	for _, op := range operators {
		if strings.HasPrefix(s.src[s.at:], op) {
			s.move(len(op))
			return tokOp
		}
	}
	if n := len(s.tokens); (r == '&' || r == '|' || r == '@') && n > 0 && s.tokens[n-1].operand() && s.tokens[n-1].pos.Line == s.pos.Line {
		s.advance() // elsewhere the sign has the meaning of other languages
		return tokOp
	}
	return s.unknown()
}

// move moves over a number of runes.
func (s *scanner) move(n int) {
	for range n {
		s.advance()
	}
}

// word scans a name or a keyword.
func (s *scanner) word() lexer.TokenType {
	begin, pos := s.at, s.pos
	for letter(s.peek(0)) || unicode.IsDigit(s.peek(0)) {
		s.advance()
	}
	switch {
	case keywords[s.src[begin:s.at]]:
		return tokKeyword
	case s.pos.Col-pos.Col > maxName:
		s.illegal(pos, s.pos.Col-pos.Col, "this name is too long")
		return tokIllegal
	}
	return tokIdent
}

// slashes scans a comment, or Python's // that divides.
func (s *scanner) slashes() lexer.TokenType {
	surely, maybe := s.divides()
	if surely {
		s.move(2)
		return tokOp
	}
	s.warnQuotient(maybe)
	return s.comment()
}

// unknown scans a character that begins no token.
func (s *scanner) unknown() lexer.TokenType {
	pos := s.pos
	if s.peek(0) == '\'' && s.character() {
		return tokInt
	}
	r, size := s.advance()
	s.illegal(pos, 1, describe(r, size))
	if sign := signsElsewhere[r]; sign != "" && s.illegalLine == pos.Line {
		if d := &s.diags[len(s.diags)-1]; d.At.Pos == pos && !s.prefixed(r, d) {
			d.Hint, d.Kind, d.Replace = sign, diag.Replacement, d.At
		}
	}
	return tokIllegal
}

// describe says what is wrong with a rune of size bytes.
func describe(r rune, size int) string {
	switch {
	case r == utf8.RuneError && size == 1:
		return "this byte is not UTF-8"
	case r == bom:
		return "a byte order mark is only allowed at the beginning of the file"
	case r == '&' || r == '|':
		return fmt.Sprintf("%c joins the bits of two integers on one line; conditions are joined by %c%c", r, r, r)
	case r == '~':
		return "the language has no operator ~; unequal is !=, not is !, and of the bits of x it is -x - 1"
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

func digit(r rune) bool { return '0' <= r && r <= '9' }

// comment scans to the end of the line. Comments, too, must not contain control characters,
// because they may be quoted in other files.
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

// str scans an interpreted string, which must end on its line.
func (s *scanner) str() lexer.TokenType {
	if strings.HasPrefix(s.src[s.at:], `"""`) {
		return s.docstring()
	}
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
