package frontend

import (
	"fmt"
	"slices"
	"strings"

	"loopc/ir/diag"
)

// A statement in a loop that it does not use: in for k, i, j { A[i,k] /= A[k,k]; A[i,j] -= A[i,k]*A[k,j] }, every iteration of j
// divides the same cell again. It belongs before the loop j, or behind it.

// updatesInLoop reports statements that multiply or divide a cell by the same again in each iteration of the innermost loop, where
// others write the cells along that loop. It is an error in a for that is refused, and else a warning.
func updatesInLoop(file string, src []byte, diags []diag.Diagnostic) []diag.Diagnostic {
	if len(src) > mostTried>>6 {
		return diags
	}
	tokens, _ := scan(src)
	lines := strings.Split(string(src), "\n")
	var within func(list []*statement)
	within = func(list []*statement) {
		for _, st := range list {
			b := broadcast{}
			if !st.block || st.bad || st.keyword() != "for" || !b.of(st) {
				within(st.body)
				continue
			}
			moved, text := b.apart()
			if moved == nil {
				continue
			}
			first, last := st.first().pos.Line, lastLine(tokens, st)
			target := moved.tokens[:closer(moved.tokens, 1)+1]
			d := diag.Diagnostic{Severity: diag.Warning, Code: diag.Misplaced, At: join(target[0].span(), target[len(target)-1].span()),
				Message: fmt.Sprintf("every iteration of %s %s %s again: the statement does not use %[1]s", b.loops[len(b.loops)-1].name, scalesOwn(moved.tokens, len(target)-1), lineOf(target, maxTokens)),
				Hint:    "in place of this for, " + text, Kind: diag.Advice}
			refused := func(x diag.Diagnostic) bool {
				return first <= x.At.Line && x.At.Line <= last && (x.Code == diag.NonUniform || x.Code == diag.WrittenSubscript)
			}
			changed := strings.Join(slices.Concat(lines[:first-1], []string{text}, lines[last:]), "\n")
			if prog, _ := compileProgram(file, []byte(changed)); prog == nil {
				continue
			}
			if slices.ContainsFunc(diags, refused) {
				d.Severity = diag.Error
				diags = slices.DeleteFunc(slices.Clone(diags), refused)
			}
			diags = append(slices.Clone(diags), d)
		}
	}
	within(split(tokens).top)
	diag.Sort(diags)
	return diags
}

// apart is the text of the for with such statements before the innermost loop, or behind it, and the first of them; nil if there
// is none.
func (b *broadcast) apart() (moved *statement, text string) {
	n := len(b.loops) - 1
	last := b.loops[n].name
	uses := func(tokens []token) bool {
		return slices.ContainsFunc(tokens, func(t token) bool { return t.text == last })
	}
	var before, inner, behind []*statement
	for _, st := range b.body {
		end := closer(st.tokens, 1)
		switch {
		case st.block || st.bad || end < 0: // a let may stand for the loop
			return nil, ""
		case scalesOwn(st.tokens, end) == "" || uses(st.tokens):
			if behind != nil || !uses(st.tokens[:end]) {
				return nil, ""
			}
			inner = append(inner, st)
			continue
		case len(inner) == 0:
			before = append(before, st)
		default:
			behind = append(behind, st)
		}
		if moved == nil {
			moved = st
		}
	}
	if moved == nil || len(inner) == 0 {
		return nil, ""
	}
	at := b.loops[0].tokens[0]
	loop := &statement{tokens: headerOf(at, b.loops[n:]), body: inner, block: true}
	whole := &statement{tokens: headerOf(at, b.loops[:n]), body: slices.Concat(before, []*statement{loop}, behind), block: true}
	return moved, blockText([]*statement{whole})
}

// scalesOwn says what a statement does to the cell that it assigns to, whose bracket is token end, if it multiplies or divides that
// cell; "" for other statements.
func scalesOwn(tokens []token, end int) string {
	does := map[string]string{"*": "multiplies", "/": "divides", "*=": "multiplies", "/=": "divides"}
	cell, rest := tokens[:end+1], tokens[end+1:]
	switch {
	case len(rest) < 2:
		return ""
	case !rest[0].is("="):
		return does[rest[0].text]
	case len(rest) < len(cell)+2 || lineOf(rest[1:len(cell)+1], maxTokens) != lineOf(cell, maxTokens):
		return ""
	}
	depth := 0
	for _, t := range rest[len(cell)+1:] {
		if depth += change(t); depth == 0 && (t.is("+") || t.is("-")) {
			return ""
		}
	}
	return does[rest[len(cell)+1].text]
}
