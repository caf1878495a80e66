package frontend

import (
	"fmt"

	"loopc/ir/diag"
)

// maxUnclosed is how many braces without partner are found by indentation.
const maxUnclosed = 20

// unclosed puts the } that a block lacks where the indentation ends the block: before a
// line that is not indented more than the line of its {, and that begins what no body has.
// It acts only if the file has more { than }.
func (t *translator) unclosed() {
	missing := 0
	for _, x := range t.tokens {
		if x.is("{") {
			missing++
		} else if x.is("}") {
			missing--
		}
	}
	if missing <= 0 || missing > maxUnclosed {
		return
	}
	type block struct {
		brace token
		line  token // the first token of its line
	}
	var open []block
	var out []token
	for _, l := range t.lines() {
		for missing > 0 && len(open) > 0 && (l[0].is("}") || beginsOutside(l[0])) {
			b := open[len(open)-1]
			same := l[0].pos.Col == b.line.pos.Col
			if l[0].pos.Col > b.line.pos.Col || l[0].is("}") && same || !b.line.is("for") && !b.line.is("repeat") {
				break
			}
			if b.line.is("repeat") && same && (l[0].is("for") || l[0].is("reduce") || l[0].is("schedule")) {
				break // which may be its nests
			}
			near := out[len(out)-1]
			if near.pos == b.brace.pos {
				break // nothing is in the block yet: what is not indented may be
			}
			near.pos.Line++
			out = append(out, operator("}", near))
			t.diags = append(t.diags, diag.Diagnostic{
				Code: diag.Syntax, At: b.brace.span(),
				Message: fmt.Sprintf("this { is never closed: its } belongs before line %d", l[0].pos.Line),
			})
			open = open[:len(open)-1]
			missing--
		}
		for _, x := range l {
			switch {
			case x.is("{"):
				open = append(open, block{x, l[0]})
			case x.is("}") && len(open) > 0:
				open = open[:len(open)-1]
			}
		}
		out = append(out, l...)
	}
	t.tokens = out
}

// beginsOutside reports whether a line that begins with x cannot stand in the body of a
// for.
func beginsOutside(x token) bool {
	switch x.text {
	case "for", "repeat", "reduce", "init", "out", "array", "param", "const", "boundary", "schedule", "extern":
		return x.kind == tokKeyword || x.kind == tokIdent
	}
	return false
}
