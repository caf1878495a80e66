package frontend

import (
	"regexp"
	"slices"
	"strings"

	"loopc/ir/diag"
)

// mostQuotient is the greatest length of a line in which // may be Python's quotient.
const mostQuotient = 400

// divider matches what may stand behind a // that divides, and conditional matches a conditional
// expression of Python.
var (
	divider     = regexp.MustCompile(`^([ \t]*)(?:[0-9]|([A-Za-z_][A-Za-z0-9_]*)([\[(]?)|\()`)
	conditional = regexp.MustCompile(`^(.+?) if (.+) else (.+)$`)
)

// divides reports whether the // at the scanner is Python's quotient: an = and an operand precede it,
// and the rest of the line continues the expression. It surely is if no blanks are around it, or if
// a number follows it outside declarations; otherwise it may be a comment, and only maybe is true.
func (s *scanner) divides() (surely, maybe bool) {
	first := s.lineStart()
	if first < 0 {
		return false, false
	}
	equals := slices.IndexFunc(s.tokens[first:], func(t token) bool { return t.is("=") })
	begin := strings.LastIndexByte(s.src[:s.at], '\n') + 1
	rest, _, _ := strings.Cut(s.src[s.at+2:], "\n")
	rest = strings.TrimRight(rest, " \t\r;")
	m := divider.FindStringSubmatch(rest)
	if equals < 0 || m == nil || s.at-begin+len(rest) > mostQuotient {
		return false, false
	}
	line := []rune(s.src[begin:s.at])
	value := string(line[min(s.tokens[first+equals].pos.Col, len(line)):])
	glued := m[1] == "" && !strings.HasSuffix(value, " ") && !strings.HasSuffix(value, "\t")
	if m[2] != "" && !s.divisorName(m[2], m[3], glued) {
		return false, false
	}
	surely = glued || m[2] == "" && digit(rune(strings.TrimLeft(rest, " \t")[0])) && !s.tokens[first].is("param") && !s.tokens[first].is("const") && !s.tokens[first].is("array")
	upTo, _, _ := strings.Cut(rest, "//") // a comment may follow
	maybe = readsOn(value, rest) || readsOn(value, upTo)
	return surely && maybe, maybe
}

// lineStart is the first token of the scanner's line; -1 if the token before the scanner is not an
// operand of this line.
func (s *scanner) lineStart() int {
	last := len(s.tokens) - 1
	if last < 2 || s.tokens[last].pos.Line != s.pos.Line || !s.tokens[last].operand() || s.tokens[last].is("}") {
		return -1
	}
	first := last
	for first > 0 && last-first < mostQuotient && s.tokens[first-1].pos.Line == s.pos.Line {
		first--
	}
	return first
}

// divisorName reports whether a name behind a // may be a divisor. It may if the file uses the name
// before, and if the name either has subscripts (bracket is [) or stands right behind the // (glued).
// It is none if it is a call.
func (s *scanner) divisorName(name, bracket string, glued bool) bool {
	if !glued && bracket == "" || bracket == "(" {
		return false
	}
	return slices.ContainsFunc(s.tokens, func(t token) bool { return t.kind == tokIdent && t.text == name })
}

// readsOn reports whether value / rest is an expression, with / for every further // in rest.
func readsOn(value, rest string) bool {
	whole := strings.TrimSpace(value) + "/" + strings.ReplaceAll(strings.TrimSpace(rest), "//", "/")
	if parts := conditional.FindStringSubmatch(whole); parts != nil {
		whole = "select(" + parts[2] + ", " + parts[1] + ", " + parts[3] + ")"
	}
	return grammatical("let x = " + strings.ReplaceAll(whole, "**", "*"))
}

// quotient translates x//y.
func (t *translator) quotient(e edits, k int) bool {
	if t.inSubscript(k) {
		const message = "a comment begins at //, and no quotient stands in a subscript or bound"
		return t.operation(e, k, 1, message, message, func(x, y string, _ token) instead {
			return instead{hint: onlySums, kind: diag.Advice}
		})
	}
	integer := t.integerTarget(k)
	head := k
	for head > 0 && k-head < mostQuotient && t.sameLine(head-1, head) {
		head--
	}
	integer = integer || t.at(head).is("const") || t.at(head).is("param") || t.at(head).is("let")
	first, last := t.operandBefore(k), t.operandBehind(k)
	integer = integer || relation(t.at(last+1)) || first > 0 && relation(t.at(first-1))
	const message = "a comment begins at //: the quotient is /"
	return t.operation(e, k, 1, "quotient //", message, func(x, y string, number token) instead {
		switch {
		case number.kind == tokFloat || t.floatsIn(x) || t.floatsIn(y):
			text := "floor(" + x + "/" + y + ")"
			return instead{text, diag.Replacement, text, ", and floor drops the fraction"}
		case integer:
			text := x + "/" + y
			return instead{text, diag.Replacement, text, ", which truncates in integers; what is offered differs for negative numbers"}
		}
		return instead{"let h = " + x + "/" + y, diag.Example, "", ", which truncates in a let of integers; what is offered differs for negative numbers"}
	})
}

// floatsIn reports whether text has a cell of an array of floats.
func (t *translator) floatsIn(text string) bool {
	for name := range t.floats {
		if k := strings.Index(text, name+"["); k >= 0 && t.floats[name] {
			return true
		}
	}
	return false
}
