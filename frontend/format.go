package frontend

import (
	"slices"
	"strings"
	"unicode/utf8"

	"loopc/ir/diag"
)

// Format prints a .loop file in canonical layout:
//
//   - one statement per line, bodies indented by a tab, continuation lines by another tab; line
//     breaks inside a statement stay, and so does {} for an empty body;
//   - comments stay in place; those at the ends of consecutive lines are aligned; blank lines stay,
//     but not two in a row, and not at the edges of the file or of a block;
//   - * and / without spaces, + and - with spaces, except in subscripts, bounds and the header of
//     the for, where they have none;
//   - lines end with \n.
//
// Only white space, semicolons and a byte order mark change, so the result has the same
// meaning; formatting it again changes nothing. The result is nil if the file has mistakes that
// leave its structure open: these are returned. Mistakes of meaning do not matter.
func Format(file string, src []byte) ([]byte, []diag.Diagnostic) {
	if d := tooLarge(src); d != nil {
		return nil, d
	}
	tokens, lexical := scan(src)
	s, mistakes := structure(file, src, tokens, lexical)
	if len(mistakes) > 0 || misread(tokens) {
		if _, foreign, _ := translate(tokens); len(foreign) > 0 {
			mistakes = append(lexical, foreign...)
		}
	}
	if len(mistakes) > 0 {
		diag.Sort(mistakes)
		return nil, mistakes
	}
	l := layout{tokens: s.tokens, owner: s.owner}
	return l.print(), nil
}

// structure splits a file into statements, and returns mistakes that leave its structure open.
func structure(file string, src []byte, tokens []token, lexical []diag.Diagnostic) (*splitter, []diag.Diagnostic) {
	s := split(tokens)
	c := newChecker(file, src)
	c.diags = slices.Concat(lexical, s.diags)
	o := outlineOf(s.top)
	for _, r := range o.repeats {
		(&programChecker{}).header(c, r)
	}
	c.parseFile(o.declarations)
	for _, n := range o.nests {
		f := c.parseFile(append(n.own, n.loop))
		c.parseBody(f.body)
	}
	return s, slices.DeleteFunc(c.diags, func(d diag.Diagnostic) bool {
		return !slices.Contains([]diag.Code{diag.IllegalCharacter, diag.Syntax, diag.Foreign, diag.TooDeep, diag.TooMany}, d.Code)
	})
}

// layout arranges tokens in lines.
type layout struct {
	tokens []token
	owner  []*statement
	lines  []outLine

	depth int        // of blocks
	stmt  *statement // of the current line
	last  token      // of the source, of any kind
	code  lineState
}

// An outLine is a line of the result, without its end.
type outLine struct {
	indent  int
	blank   bool // a blank line comes before
	code    strings.Builder
	comment string // at the end, or alone if there is no code
}

func (l *layout) print() []byte {
	for k, t := range l.tokens {
		switch st := l.owner[k]; {
		case t.kind == tokEOF:
			return l.render()
		case t.kind == tokComment:
			l.comment(k, t)
		case t.is(";"):
			l.stmt = nil
		case st == nil && t.is("{"):
			l.line().code.WriteString(" {")
			l.depth++
			l.stmt = nil
		case st == nil && l.last.is("{") && t.pos.Line == l.last.pos.Line: // {}
			l.depth = max(0, l.depth-1)
			l.line().code.WriteString("}")
			l.stmt = nil
		case st == nil: // }
			l.depth = max(0, l.depth-1)
			l.newLine(l.depth, false).code.WriteString("}")
			l.stmt = nil
		default:
			l.add(t, st)
		}
		l.last = t
	}
	panic("BUG: the tokens do not end with EOF")
}

// line returns the current line of the result.
func (l *layout) line() *outLine { return &l.lines[len(l.lines)-1] }

// newLine begins a line, after a blank one if blank says so and a file or block does not begin here.
func (l *layout) newLine(indent int, blank bool) *outLine {
	edge := len(l.lines) == 0 || l.last.is("{")
	l.lines = append(l.lines, outLine{indent: indent, blank: blank && !edge})
	return l.line()
}

// gap reports whether a blank line separates t from the token before it.
func (l *layout) gap(t token) bool { return t.pos.Line > l.last.pos.Line+1 }

// comment adds a comment at the end of the current line if it is there in the source, else on a
// line of its own.
func (l *layout) comment(k int, t token) {
	if len(l.lines) > 0 && t.pos.Line == l.last.pos.Line && l.line().comment == "" {
		l.line().comment = t.text
		return
	}
	indent := l.depth
	inside := l.inside(k)
	if inside {
		indent++
	}
	l.newLine(indent, l.gap(t) && !inside).comment = t.text
}

// inside reports whether tokens[k], a comment, stands within the statement of the current line.
func (l *layout) inside(k int) bool {
	if l.stmt == nil || l.stmt.keyword() == "schedule" {
		return false
	}
	for k++; l.tokens[k].kind == tokComment; {
		k++
	}
	return l.owner[k] == l.stmt
}

// add adds a token of a statement to the current line or to a new one.
func (l *layout) add(t token, st *statement) {
	schedule := st.keyword() == "schedule"
	switch {
	case st != l.stmt && st.keyword() == "else" && l.last.is("}"):
		l.stmt = st
		l.line().code.WriteByte(' ')
		l.code = lineState{stmt: st}
	case st != l.stmt:
		l.stmt = st
		l.newLine(l.depth, l.gap(t))
		l.code = lineState{stmt: st}
	case t.pos.Line == l.last.pos.Line && !(l.last.kind == tokComment):
		if space := l.code.space(t); schedule && !t.glued || !schedule && space {
			l.line().code.WriteByte(' ')
		}
	case schedule:
		l.newLine(l.depth, l.gap(t))
	default:
		l.newLine(l.depth+1, false)
	}
	l.line().code.WriteString(t.text)
	l.code.advance(t)
}

// render joins the lines.
func (l *layout) render() []byte {
	var b strings.Builder
	for k := 0; k < len(l.lines); {
		// Comments of the lines from k up to end are aligned.
		end, width := k, 0
		for end < len(l.lines) && (end == k || l.aligned(end)) {
			width = max(width, utf8.RuneCountInString(l.lines[end].code.String()))
			end++
		}
		for ; k < end; k++ {
			l.renderLine(&b, &l.lines[k], width)
		}
	}
	return []byte(b.String())
}

// aligned reports whether the comment of line k is aligned with that of the
// line before.
func (l *layout) aligned(k int) bool {
	x, y := &l.lines[k-1], &l.lines[k]
	return x.comment != "" && y.comment != "" && x.code.Len() > 0 && y.code.Len() > 0 && !y.blank && x.indent == y.indent
}

func (l *layout) renderLine(b *strings.Builder, line *outLine, width int) {
	if line.blank {
		b.WriteByte('\n')
	}
	b.WriteString(strings.Repeat("\t", line.indent))
	code := line.code.String()
	b.WriteString(code)
	if line.comment != "" {
		if code != "" {
			b.WriteString(strings.Repeat(" ", width-utf8.RuneCountInString(code)+1))
		}
		b.WriteString(line.comment)
	}
	b.WriteByte('\n')
}
