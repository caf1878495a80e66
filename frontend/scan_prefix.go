package frontend

import (
	"strings"

	"loopc/ir/diag"
)

// prefixed completes the report d of a & or | in front of an operand, where it joins nothing: in other
// languages it is an address, or begins an absolute value that another | ends. prefixed returns false if
// the sign is neither.
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
