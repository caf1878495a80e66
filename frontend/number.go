package frontend

import (
	"go/constant"
	gotoken "go/token"
	"strings"
	"unicode"

	"github.com/alecthomas/participle/v2/lexer"
)

// number scans a number as in Go, except for imaginary ones. A point that begins ".." is not
// part of it: 1..M is three tokens.
func (s *scanner) number() lexer.TokenType {
	begin, pos := s.at, s.pos
	base := "0123456789_"
	exponent := "eE"
	if s.peek(0) == '0' {
		switch s.peek(1) {
		case 'x', 'X':
			base, exponent = "0123456789abcdefABCDEF_", "pP"
			s.advance()
			s.advance()
		case 'b', 'B', 'o', 'O':
			exponent = ""
			s.advance()
			s.advance()
		}
	}
	kind := tokInt
	s.digits(base)
	if exponent != "" && s.peek(0) == '.' && s.peek(1) != '.' {
		kind = tokFloat
		s.advance()
		s.digits(base)
	}
	if r := s.peek(0); r != end && strings.ContainsRune(exponent, r) && !letter(s.peek(1)) { // not for 5err, which is a product in other languages
		kind = tokFloat
		s.advance()
		if r := s.peek(0); r == '+' || r == '-' {
			s.advance()
		}
		s.digits("0123456789_")
	}
	text := s.src[begin:s.at]
	switch {
	case len(text) > maxLiteral:
		s.illegal(pos, s.pos.Col-pos.Col, "this number has too many digits")
	case literal(kind, text) == nil:
		s.illegal(pos, s.pos.Col-pos.Col, "number "+text+" is malformed or out of range")
	default:
		return kind
	}
	for r := s.peek(0); letter(r) || unicode.IsDigit(r); r = s.peek(0) {
		s.advance()
	}
	return tokIllegal
}

// digits moves over runes of set.
func (s *scanner) digits(set string) {
	for r := s.peek(0); r != end && strings.ContainsRune(set, r); r = s.peek(0) {
		s.advance()
	}
}

// literal returns the exact value of a number, or nil if it is malformed or exceeds package
// go/constant.
func literal(kind lexer.TokenType, text string) constant.Value {
	gokind := gotoken.INT
	if kind == tokFloat {
		gokind = gotoken.FLOAT
	}
	v := constant.MakeFromLiteral(text, gokind, 0)
	if v.Kind() == constant.Unknown || v.Kind() == constant.Int && constant.BitLen(v) > maxConstantBits {
		return nil
	}
	return v
}
