package frontend

import (
	"loopc/ir/diag"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/alecthomas/participle/v2/lexer"
)

// Comments, pragmas and continuation signs of other languages are reported and skipped.

// A skipRule scans text that begins with first. scan returns false if the rule does not apply.
type skipRule struct {
	first string
	scan  func(*scanner) (lexer.TokenType, bool)
}

// skipRules are the rules in order; the first that applies scans the text.
var skipRules = []skipRule{
	{"/", (*scanner).commentOfC},
	{"!", (*scanner).commentOfFortran},
	{"#%-", (*scanner).commentOfOthers},
	{"@", (*scanner).pragmaOfJulia},
	{"&\\.", (*scanner).continued},
	{"'", (*scanner).transposed},
	{"'", (*scanner).textInQuotes},
}

func (s *scanner) commentOfC() (lexer.TokenType, bool) {
	if s.peek(1) != '*' {
		return 0, false
	}
	return s.blockComment(), true
}

func (s *scanner) commentOfFortran() (lexer.TokenType, bool) {
	ofName := (s.peek(1) == '(' || s.peek(1) == '[') && s.glued() // a call of Julia's sort!(x), or of a macro of Rust
	switch {
	case s.peek(1) == '=' || !s.ended() || ofName:
		return 0, false
	case s.peek(1) == '$':
		s.foreign(noPragmas, leaveOut)
	default:
		s.foreign(commentMessage, "// ...")
	}
	return s.comment(), true
}

// glued reports whether the last token ends where the scanner is.
func (s *scanner) glued() bool {
	n := len(s.tokens)
	return n > 0 && s.tokens[n-1].kind == tokIdent && s.tokens[n-1].span().Line == s.pos.Line && s.tokens[n-1].pos.Col+s.tokens[n-1].span().Len == s.pos.Col
}

const commentMessage = "a comment begins with //"

// commentOfOthers scans # of Python and of the preprocessor of C, % of MATLAB and -- of SQL.
func (s *scanner) commentOfOthers() (lexer.TokenType, bool) {
	switch rest := s.src[s.at:]; {
	case s.peek(0) == '%' && s.ended() && (sentence(rest[1:]) || s.closed()):
		s.foreign(commentMessage, "// ...")
	case s.peek(0) != '#' && (!s.lineBegins() || s.peek(0) == '-' && !strings.HasPrefix(rest, "-- ")):
		return 0, false
	case s.peek(0) != '#':
		s.foreign(commentMessage, "// ...")
	case directive.MatchString(rest):
		s.foreign(directiveMessage(directive.FindStringSubmatch(rest)), leaveOut)
	default:
		s.foreign("a comment begins with //, and there is no preprocessor: param and const name numbers", "// ...")
	}
	return s.comment(), true
}

// twoWords matches two words without an operator between them.
var twoWords = regexp.MustCompile(`^[ \t]*[A-Za-z]+,?[ \t]+([A-Za-z]+)`)

// sentence reports whether a text begins with two words that are no operands of anything.
func sentence(text string) bool {
	m := twoWords.FindStringSubmatch(text)
	return m != nil && !slices.Contains([]string{"and", "or", "if", "else", "then", "step", "by", "until", "in", "for", "while"}, m[1])
}

// closed reports whether a semicolon or a brace is before the scanner in its line: an operator cannot follow.
func (s *scanner) closed() bool {
	if len(s.tokens) == 0 {
		return false
	}
	t := s.tokens[len(s.tokens)-1]
	return t.pos.Line == s.pos.Line && (t.is(";") || t.is("{") || t.is("}"))
}

// directiveMessage returns the message for a line that directive matched.
func directiveMessage(m []string) string {
	switch {
	case m[2] == "pragma":
		return noPragmas
	case m[1] == "include":
		return "there is no preprocessor: functions of Go are declared by extern"
	}
	return "there is no preprocessor: what a file needs stands in it"
}

func (s *scanner) pragmaOfJulia() (lexer.TokenType, bool) {
	text := decorator.FindString(s.src[s.at:])
	if text == "" || !s.lineBegins() {
		return 0, false
	}
	s.foreign(noPragmas, leaveOut)
	s.move(len(text))
	return tokComment, true
}

// continued scans the sign at the end of a line by which the statement continues.
func (s *scanner) continued() (lexer.TokenType, bool) {
	size := 1
	if s.peek(0) == '.' {
		size = 3
		if !strings.HasPrefix(s.src[s.at:], "...") {
			return 0, false
		}
	}
	if !s.continues(size) {
		return 0, false
	}
	s.foreign("a statement goes on behind an operator, or in brackets: it needs no "+s.src[s.at:s.at+size], "")
	s.move(size)
	return tokComment, true
}

// textPrefix matches a text of Python behind the letter before its quote.
var textPrefix = regexp.MustCompile(`^'[^'\n]*'`)

// transposed scans the quote behind an operand, as in u' and u.' of MATLAB and Julia.
func (s *scanner) transposed() (lexer.TokenType, bool) {
	n := len(s.tokens)
	if n == 0 || s.tokens[n-1].pos.Line != s.pos.Line || s.tokens[n-1].pos.Col+s.tokens[n-1].span().Len != s.pos.Col {
		return 0, false
	}
	before := s.tokens[n-1]
	if before.is(".") && n > 1 {
		before = s.tokens[n-2]
	}
	if before.named("b", "f", "r", "u") && textPrefix.MatchString(s.src[s.at:]) || before.kind != tokIdent && !before.is("]") && !before.is(")") {
		return 0, false
	}
	s.advance()
	return tokOp, true
}

func (s *scanner) textInQuotes() (lexer.TokenType, bool) {
	text := quoted.FindString(s.src[s.at:])
	s.move(len(text))
	return tokString, text != ""
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

// directive matches a line for C's preprocessor, but not a comment of Python.
var directive = regexp.MustCompile(`^#(?:[ \t]*(include)[ \t]*[<"]|[ \t]*(?:define)[ \t]+[A-Za-z_]|(pragma|ifdef|ifndef|undef|endif|error)\b)`)

// quoted is a text of Fortran or Python.
var quoted = regexp.MustCompile(`^'[ -&(-~]{2,}'`)

// docstring scans a text of Python that may have several lines.
func (s *scanner) docstring() lexer.TokenType {
	s.foreign(commentMessage, "// ...")
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

// foreign reports a habit of other languages at its first place, with notes for further places.
func (s *scanner) foreign(message, hint string) {
	d := diag.Diagnostic{Code: diag.Foreign, At: diag.Span{Pos: s.pos, Len: 1}, Message: message, Hint: hint}
	if hint == leaveOut {
		d.Kind = diag.Advice
	}
	s.once(d)
}

// once adds a diagnostic, or a note at the place of the first diagnostic with the same message.
func (s *scanner) once(next diag.Diagnostic) {
	for k := range s.diags {
		if d := &s.diags[k]; d.Code == next.Code && d.Message == next.Message {
			if len(d.Notes) < 3 {
				d.Notes = append(d.Notes, diag.Note{At: next.At, Message: "here too"})
			}
			return
		}
	}
	s.diags = append(s.diags, next)
}

// lineBegins reports whether nothing precedes the scanner on its line.
func (s *scanner) lineBegins() bool {
	return len(s.tokens) == 0 || s.tokens[len(s.tokens)-1].pos.Line < s.pos.Line
}

// tests reports whether a condition begins at the scanner.
func (s *scanner) tests() bool {
	n := len(s.tokens)
	t := s.tokens[n-1]
	return t.named("if", "until", "elif", "while") && t.pos.Line == s.pos.Line && (n < 2 || !s.tokens[n-2].named("end"))
}

// ended reports whether a sign at the scanner cannot be an operator in an expression, and so may begin a
// comment: it follows an operand, and no bracket of its line is open.
func (s *scanner) ended() bool {
	if n := len(s.tokens); n > 0 {
		if s.tests() {
			return false
		}
		if t := s.tokens[n-1]; t.kind == tokOp && !t.operand() && !t.is("{") && !t.is("}") && !t.is(";") {
			return false // the usual case, decided at once
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

// continues reports whether only white space follows a sign of size bytes on the line: the
// statement then continues.
func (s *scanner) continues(size int) bool {
	rest, _, _ := strings.Cut(s.src[s.at+size:], "\n")
	rest, _, _ = strings.Cut(rest, "!") // a comment of Fortran
	return strings.TrimSpace(rest) == ""
}

// decorator matches what Julia and Python put before a loop or a function to control its
// execution.
var decorator = regexp.MustCompile(`^@[A-Za-z_][A-Za-z0-9_.]*(?:\([^\n()]*\)|[ \t]+@[A-Za-z_]+)*`)

// signsElsewhere are the operators that other signs stand for.
var signsElsewhere = map[rune]string{
	'&': "&&", '|': "||", '−': "-", '–': "-", '×': "*", '·': "*", '⋅': "*", '∗': "*", '÷': "/", '≤': "<=", '≥': ">=", '≠': "!=", '…': "..", '∈': "=", '←': "=",
}

// character scans a character in single quotes, which stands for its number, and reports the
// first one.
func (s *scanner) character() bool {
	rest := []rune(s.src[s.at:min(len(s.src), s.at+2+utf8.UTFMax)])
	if len(rest) < 3 || rest[2] != '\'' || !unicode.IsGraphic(rest[1]) || rest[1] == '\'' {
		return false
	}
	at := diag.Span{Pos: s.pos, Len: 3}
	s.instead = strconv.Itoa(int(rest[1]))
	s.once(diag.Diagnostic{
		Code: diag.Foreign, At: at, Message: "a character is its number, as a cell of uint8 is",
		Hint: s.instead, Kind: diag.Replacement, Replace: at,
	})
	for range 3 {
		s.advance()
	}
	return true
}

// numberDefinition is a #define of a number.
var numberDefinition = regexp.MustCompile(`^#[ \t]*define[ \t]+([A-Za-z_][A-Za-z0-9_]*)[ \t]+([-0-9.][-+0-9.eE]*)[ \t\r]*(?:\n|$|//|/\*)`)

// define reads #define N 100 as const N = 100. It returns false if the text is no such definition.
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

// divisor matches a comment that begins like the divisor of a Python quotient.
var divisor = regexp.MustCompile(`^//[ \t]*[0-9]+[ \t]*(?:\r?\n|\r?$|[-+*/)\],][^\n]*(?:\n|$))`)

// warnQuotient warns of a comment behind the = of a line that looks like the divisor of a Python quotient, or that
// may be one (maybe), as divides has found.
func (s *scanner) warnQuotient(maybe bool) {
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
