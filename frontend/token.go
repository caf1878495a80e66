package frontend

import (
	"fmt"
	"regexp"
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
	// indent is how many columns of white space its line begins with, tabs being 8 wide.
	indent int
	// foreign, of the for of a translated loop, is how long its word is in the source.
	foreign int
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
	"extern": true, "boundary": true, "schedule": true, "func": true,
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
	// illegalLine is the line on which an illegal character was reported: one
	// report a line, as such characters come in heaps.
	illegalLine int
	indent      int    // of the line
	indenting   bool   // nothing but white space was on the line yet
	instead     string // the text of the token, if it is not that of the source
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
	"..", "==", "!=", "<=", ">=", "&&", "||",
	"+", "-", "*", "/", "%", "^", "=", "<", ">", "!", "(", ")", "[", "]", "{", "}", ",", ";", ".", "?", ":",
}

// scanToken moves over one token and returns its kind.
func (s *scanner) scanToken() lexer.TokenType {
	begin, pos := s.at, s.pos
	r := s.peek(0)
	switch {
	case r == end:
		return tokEOF
	case r == '/' && s.peek(1) == '/':
		surely, maybe := s.divides()
		if surely {
			s.advance()
			s.advance()
			return tokOp
		}
		s.quotient(maybe)
		return s.comment()
	case r == '/' && s.peek(1) == '*':
		return s.blockComment()
	case r == '!' && s.peek(1) != '=' && s.ended():
		if s.peek(1) == '$' {
			s.foreign(noPragmas, leaveOut)
		} else {
			s.foreign("a comment begins with //", "// ...")
		}
		return s.comment()
	case r == '#' && directive.MatchString(s.src[s.at:]):
		message := "there is no preprocessor: what a file needs stands in it"
		if m := directive.FindStringSubmatch(s.src[s.at:]); m[2] == "pragma" {
			message = noPragmas
		} else if m[1] == "include" {
			message = "there is no preprocessor: functions of Go are declared by extern"
		}
		s.foreign(message, leaveOut)
		return s.comment()
	case (r == '%' || r == '-' && strings.HasPrefix(s.src[s.at:], "-- ")) && s.lineBegins():
		s.foreign("a comment begins with //", "// ...")
		return s.comment()
	case r == '#':
		s.foreign("a comment begins with //, and there is no preprocessor: param and const name numbers", "// ...")
		return s.comment()
	case (r == '&' || r == '\\') && s.continues(1):
		return s.continuation(1)
	case r == '.' && strings.HasPrefix(s.src[s.at:], "...") && s.continues(3):
		return s.continuation(3)
	case r == '@' && s.lineBegins() && decorator.MatchString(s.src[s.at:]):
		s.foreign(noPragmas, leaveOut)
		for range decorator.FindString(s.src[s.at:]) {
			s.advance()
		}
		return tokComment
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
	case r == '"' && strings.HasPrefix(s.src[s.at:], `"""`):
		return s.docstring()
	case r == '"':
		return s.str()
	case r == '\'' && quoted.MatchString(s.src[s.at:]):
		for range quoted.FindString(s.src[s.at:]) {
			s.advance()
		}
		return tokString
	}
	for _, op := range operators {
		if len(s.src)-s.at >= len(op) && s.src[s.at:s.at+len(op)] == op {
			for range op {
				s.advance()
			}
			return tokOp
		}
	}
	if r == '\'' && s.character() {
		return tokInt
	}
	_, size := s.advance()
	s.illegal(pos, 1, describe(r, size))
	if sign := signsElsewhere[r]; sign != "" && s.illegalLine == pos.Line {
		if d := &s.diags[len(s.diags)-1]; d.At.Pos == pos {
			d.Hint, d.Kind, d.Replace = sign, diag.Replacement, d.At
		}
	}
	return tokIllegal
}

// signsElsewhere are the operators that other signs stand for.
var signsElsewhere = map[rune]string{
	'&': "&&", '|': "||", '−': "-", '–': "-", '×': "*", '·': "*", '⋅': "*", '∗': "*", '÷': "/", '≤': "<=", '≥': ">=", '≠': "!=", '…': "..",
}

// character scans a character between single quotes, which stands for its number, and
// reports the first one.
func (s *scanner) character() bool {
	rest := []rune(s.src[s.at:min(len(s.src), s.at+2+utf8.UTFMax)])
	if len(rest) < 3 || rest[2] != '\'' || !unicode.IsGraphic(rest[1]) || rest[1] == '\'' {
		return false
	}
	at := diag.Span{Pos: s.pos, Len: 3}
	s.instead = strconv.Itoa(int(rest[1]))
	const message = "a character is its number, as a cell of uint8 is"
	for k := range s.diags {
		if d := &s.diags[k]; d.Message == message {
			if len(d.Notes) < 3 {
				d.Notes = append(d.Notes, diag.Note{At: at, Message: "here too"})
			}
			at.Len = 0
		}
	}
	if at.Len > 0 {
		s.diags = append(s.diags, diag.Diagnostic{Code: diag.Foreign, At: at, Message: message, Hint: s.instead, Kind: diag.Replacement, Replace: at})
	}
	for range 3 {
		s.advance()
	}
	return true
}

// describe says what is wrong with a rune of size bytes.
func describe(r rune, size int) string {
	switch {
	case r == utf8.RuneError && size == 1:
		return "this byte is not UTF-8"
	case r == bom:
		return "a byte order mark is only allowed at the beginning of the file"
	case r == '&' || r == '|':
		return fmt.Sprintf("the language has no operator %c; conditions are joined by %c%c", r, r, r)
	case r == '~':
		return "the language has no operator ~; unequal is !=, and not is !"
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

const noPragmas = "there are no pragmas: which iterations run side by side is found out"

// directive is a line for the preprocessor of C, but not a comment of Python.
var directive = regexp.MustCompile(`^#(?:[ \t]*(include)[ \t]*[<"]|[ \t]*(?:define)[ \t]+[A-Za-z_]|(pragma|ifdef|ifndef|undef|endif|error)\b)`)

// quoted is a text of Fortran or Python.
var quoted = regexp.MustCompile(`^'[ -&(-~]{2,}'`)

// docstring scans a text of Python that may have several lines.
func (s *scanner) docstring() lexer.TokenType {
	s.foreign("a comment begins with //", "// ...")
	for range 3 {
		s.advance()
	}
	for s.peek(0) != end && !strings.HasPrefix(s.src[s.at:], `"""`) {
		s.advance()
	}
	for n := 0; n < 3 && s.peek(0) != end; n++ {
		s.advance()
	}
	return tokComment
}

// foreign reports a habit of other languages, at its first place, with notes of others.
func (s *scanner) foreign(message, hint string) {
	at := diag.Span{Pos: s.pos, Len: 1}
	for k := range s.diags {
		if d := &s.diags[k]; d.Code == diag.Foreign && d.Message == message {
			if len(d.Notes) < 3 {
				d.Notes = append(d.Notes, diag.Note{At: at, Message: "here too"})
			}
			return
		}
	}
	d := diag.Diagnostic{Code: diag.Foreign, At: at, Message: message, Hint: hint}
	if hint == leaveOut {
		d.Kind = diag.Advice
	}
	s.diags = append(s.diags, d)
}

// lineBegins reports whether nothing precedes on the line where the scanner is.
func (s *scanner) lineBegins() bool {
	return len(s.tokens) == 0 || s.tokens[len(s.tokens)-1].pos.Line < s.pos.Line
}

// ended reports whether a ! cannot be the operator where the scanner is: behind an
// operand, with no bracket of its line open.
func (s *scanner) ended() bool {
	if n := len(s.tokens); n > 0 {
		if t := s.tokens[n-1]; t.kind == tokOp && !t.operand() && !t.is("{") && !t.is("}") && !t.is(";") {
			return false // most often, and then at once
		}
	}
	open := 0
	for k := len(s.tokens) - 1; k >= 0 && s.tokens[k].pos.Line == s.pos.Line; k-- {
		switch t := s.tokens[k]; {
		case t.opens():
			open++
		case t.closes():
			open--
		}
		if open > 0 {
			return false
		}
	}
	for k := len(s.tokens) - 1; k >= 0; k-- {
		if t := s.tokens[k]; t.kind != tokComment {
			return t.operand() || t.is("{") || t.is("}") || t.is(";")
		}
	}
	return true
}

// continues reports whether nothing but white space follows on the line behind a sign of so
// many bytes, which then says that the statement goes on.
func (s *scanner) continues(size int) bool {
	rest, _, _ := strings.Cut(s.src[s.at+size:], "\n")
	rest, _, _ = strings.Cut(rest, "!")
	return strings.TrimSpace(rest) == ""
}

// continuation reports such a sign.
func (s *scanner) continuation(size int) lexer.TokenType {
	s.foreign("a statement goes on behind an operator, or in brackets: it needs no "+s.src[s.at:s.at+size], "")
	for range size {
		s.advance()
	}
	return tokComment
}

// decorator is what Julia and Python put before a loop or a function, to say how it is run.
var decorator = regexp.MustCompile(`^@[A-Za-z_][A-Za-z0-9_.]*(?:\([^\n()]*\)|[ \t]+@[A-Za-z_]+)*`)

// divisor is a comment that begins as the divisor of a quotient as in Python.
var divisor = regexp.MustCompile(`^//[ \t]*[0-9]+[ \t]*(?:\r?\n|\r?$|[-+*/)\],][^\n]*(?:\n|$))`)

// quotient warns of a comment behind the = of a line that looks like a divisor.
func (s *scanner) quotient(maybe bool) {
	assigns := false
	for k := len(s.tokens) - 1; k >= 0 && s.tokens[k].pos.Line == s.pos.Line; k-- {
		assigns = assigns || s.tokens[k].is("=")
	}
	if last := len(s.tokens) - 1; !assigns || s.tokens[last].pos.Line != s.pos.Line || !s.tokens[last].operand() || s.tokens[last].is("}") || !maybe && !divisor.MatchString(s.src[s.at:]) {
		return
	}
	s.diags = append(s.diags, diag.Diagnostic{
		Severity: diag.Warning, Code: diag.Foreign, At: diag.Span{Pos: s.pos, Len: 2},
		Message: "a comment begins here: the quotient of integers is /, which truncates in a let of integers", Hint: "let h = i/2",
	})
}

// numberDefinition is a #define of a number.
var numberDefinition = regexp.MustCompile(`^#[ \t]*define[ \t]+([A-Za-z_][A-Za-z0-9_]*)[ \t]+([-0-9.][-+0-9.eE]*)[ \t\r]*(?:\n|$|//|/\*)`)

// define reads #define N 100 as const N = 100; false if there is something else.
func (s *scanner) define() bool {
	m := numberDefinition.FindStringSubmatchIndex(s.src[s.at:])
	if m == nil {
		return false
	}
	at := s.at
	name, value := s.src[at+m[2]:at+m[3]], s.src[at+m[4]:at+m[5]]
	const message = "there is no preprocessor: a const, or a param, names a number"
	s.foreign(message, "const "+name+" = "+value)
	pos := s.pos
	s.tokens = append(s.tokens, token{kind: tokKeyword, text: "const", pos: pos, indent: s.indent})
	for s.at < at+m[2] {
		s.advance()
	}
	s.tokens = append(s.tokens, token{kind: tokIdent, text: name, pos: s.pos})
	for s.at < at+m[4] {
		s.advance()
	}
	s.tokens = append(s.tokens, token{kind: tokOp, text: "=", pos: s.pos})
	return true
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
