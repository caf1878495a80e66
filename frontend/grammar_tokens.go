package frontend

import (
	"cmp"
	"errors"
	"io"
	"reflect"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"

	"loopc/ir/diag"
)

// definition tells participle the names of token kinds; scan makes the tokens.
type definition struct{}

func (definition) Symbols() map[string]lexer.TokenType {
	return map[string]lexer.TokenType{
		"EOF": tokEOF, "Ident": tokIdent, "Keyword": tokKeyword, "Int": tokInt,
		"Float": tokFloat, "String": tokString, "Op": tokOp, "Sign": tokSign, "Binary": tokBinary, "Assign": tokAssign,
	}
}

// The kinds of operators that the grammar tells apart. participle tries a kind at once, and signs one by one.
const (
	tokSign   = tokIllegal - 1 - iota // binary, or before an operand
	tokBinary                         // binary only
	tokAssign                         // of an assignment
)

// operatorKinds are the kinds of the operators that the productions list as their signs. Others stay tokOp.
var operatorKinds = func() map[string]lexer.TokenType {
	kinds := map[string]lexer.TokenType{}
	for _, sign := range signsOf[assignSignSyntax]() {
		kinds[sign] = tokAssign
	}
	for _, sign := range signsOf[tailSyntax]() {
		kinds[sign] = tokBinary
	}
	for _, sign := range signsOf[signSyntax]() {
		if kinds[sign] == tokBinary {
			kinds[sign] = tokSign
		}
	}
	return kinds
}()

// signsOf returns the signs that field Op of a production may be.
func signsOf[T any]() (signs []string) {
	op, _ := reflect.TypeFor[T]().FieldByName("Op")
	for sign := range strings.SplitSeq(op.Tag.Get("signs"), " | ") {
		signs = append(signs, strings.Trim(sign, "'"))
	}
	return signs
}

func (definition) Lex(string, io.Reader) (lexer.Lexer, error) {
	return nil, errors.New("the tokens come from scan")
}

// replay is the lexer.Lexer of one statement: its tokens, then EOF. The offset of a token
// is its index.
type replay struct {
	tokens []token
	next   int
	end    diag.Pos
}

func (r *replay) Next() (lexer.Token, error) {
	at := lexer.Position{Offset: r.next, Line: r.end.Line, Column: r.end.Col}
	if r.next == len(r.tokens) {
		return lexer.Token{Type: tokEOF, Pos: at}, nil
	}
	t := r.tokens[r.next]
	r.next++
	at.Line, at.Column = t.pos.Line, t.pos.Col
	kind := t.kind
	if kind == tokOp {
		kind = cmp.Or(operatorKinds[t.text], tokOp)
	}
	return lexer.Token{Type: kind, Value: t.text, Pos: at}, nil
}
