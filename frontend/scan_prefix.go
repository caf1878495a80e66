package frontend

import (
	"fmt"
	"strconv"
	"strings"

	"loopc/ir/diag"
)

// prefixed completes the report d of a & or | in front of an operand, where it joins nothing: in other
// languages it is an address, or begins an absolute value that another | ends. prefixed returns false if
// the sign stands behind an operand.
func (s *scanner) prefixed(r rune, d *diag.Diagnostic) bool {
	if n := len(s.tokens); n == 0 || s.tokens[n-1].pos.Line != d.At.Line || s.tokens[n-1].operand() || r != '&' && r != '|' {
		return false
	}
	line, _, _ := strings.Cut(s.src[s.at:], "\n")
	inner, _, closed := strings.Cut(line, "|")
	switch {
	case r == '&':
		d.Message = "the language has no addresses and no pointers: a cell is named where it is read or written"
	case closed && strings.TrimSpace(inner) != "":
		d.Message = "the language has no |x|: it is abs(x)"
		d.Hint, d.Kind = "abs("+strings.TrimSpace(inner)+")", diag.Replacement
		d.Replace = diag.Span{Pos: d.At.Pos, Len: len([]rune(inner)) + 2}
	default:
		return false
	}
	return true
}

// remainderOfBits completes the report of the & at pos with the remainder that x & 255 is. text begins
// behind the sign.
func (s *scanner) remainderOfBits(pos diag.Pos, text string) {
	digits := text[:len(text)-len(strings.TrimLeft(text, "0123456789"))]
	d := &s.diags[len(s.diags)-1]
	if n, err := strconv.ParseInt(digits, 10, 32); d.At.Pos == pos && err == nil {
		d.Message = "the language has no operator & of bits"
		if n&(n+1) == 0 && n > 0 {
			d.Message += fmt.Sprintf(": of what is not negative, x & %d is the remainder x - x/%d*%d", n, n+1, n+1)
		}
	}
}
