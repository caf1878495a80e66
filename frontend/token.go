package frontend

import (
	"unicode/utf8"

	"github.com/alecthomas/participle/v2/lexer"

	"loopc/ir"
	"loopc/ir/diag"
)

// A token is a word, number or sign of the source, and its place.
type token struct {
	kind lexer.TokenType
	text string
	pos  diag.Pos
	// glued says that no white space, comment or line end precedes it.
	glued bool
	// indent is the width of the white space at the beginning of its line; tabs are 8 wide.
	indent int
	// translated says that a notation of another language became this for, or this .., whose end then belongs to the range.
	translated bool
	// from is the place of what ends a block in the source, if that is not this }.
	from diag.Span
}

// The kinds of tokens. Line ends are not tokens: the lines of tokens tell where a statement
// ends.
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

// span returns the place of t.
func (t token) span() diag.Span {
	return diag.Span{Pos: t.pos, Len: utf8.RuneCountInString(t.text)}
}

// is reports whether t is the given operator or keyword.
func (t token) is(text string) bool {
	return t.text == text && (t.kind == tokOp || t.kind == tokKeyword)
}

// isType reports whether t is the name of a type.
func (t token) isType() bool { return ir.TypeNamed(t.text) != ir.Invalid }

// operand reports whether t can end an operand, so that a sign after it is a binary operator
// and a line end ends the statement.
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
