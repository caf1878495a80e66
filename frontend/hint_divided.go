package frontend

import (
	"fmt"
	"slices"

	"loopc/ir/diag"
)

// Other forms for a for that reads its own results at distances that vary, see asRepeats.

// accepts reports whether a source has no mistakes, apart from cells that nothing supplies: those are looked for only when the
// source has no other mistakes.
func (b *broadcast) accepts(src string) bool {
	prog, diags := compileProgram(b.file, []byte(src))
	return prog != nil || !slices.ContainsFunc(diags, func(d diag.Diagnostic) bool { return d.Severity == diag.Error && d.Code != diag.NotSupplied })
}

// divided is the text of the nests that lowering makes of the for if it divides it, as it does with statements between loops. The
// values are the same. The text is "" if the nests need arrays that the file lacks.
func (b *broadcast) divided() string {
	if b.given.keyword() != "for" {
		return ""
	}
	tokens, _ := scan(b.src)
	s := lowered(b.file, b.src, tokens, manner{apart: map[diag.Pos]bool{}, divide: b.given.first().pos})
	if len(s.made) == 0 {
		return ""
	}
	for _, st := range s.top {
		if st.keyword() == "array" && b.arrays[st.name().text] == nil {
			return ""
		}
	}
	return blockText(s.made)
}

// rotated is the text with the innermost loop outermost, as a repeat, and sets provided. It recognizes the shortest paths of Floyd
// and Warshall with their loops in the wrong order: no bound depends on a loop, the innermost loop k is the first subscript of one
// read and the second of another, as in d[i,k] + d[k,j], and no write has k as a subscript.
func (b *broadcast) rotated() string {
	n := len(b.loops) - 1
	if n != 2 || len(b.body) != 1 {
		return ""
	}
	names, last := map[string]bool{}, b.loops[n].name
	for _, l := range b.loops {
		names[l.name] = true
	}
	for _, l := range b.loops {
		if slices.ContainsFunc(l.tokens[1:], func(t token) bool { return names[t.text] }) {
			return ""
		}
	}
	first, second, written := false, false, false
	eachStatement(b.body, func(st *statement) {
		array, end := st.first().text, closer(st.tokens, 1)
		for k := end + 1; end > 0 && k < len(st.tokens); k++ {
			if e := closer(st.tokens, k+1); e > 0 && st.tokens[k].text == array {
				if subs := cut(st.tokens[k+2:e], ","); len(subs) == 2 {
					first = first || lineOf(subs[0], maxTokens) == last
					second = second || lineOf(subs[1], maxTokens) == last
				}
			}
		}
		if end > 0 && slices.ContainsFunc(st.tokens[:end], func(t token) bool { return t.text == last }) {
			written = true
		}
	})
	if written || !first || !second {
		return ""
	}
	given := b.loops
	defer func() { b.loops = given }()
	b.loops = slices.Concat(given[n:], given[:n])
	text := b.plain()
	if copied := b.copied(); copied != "" {
		text = copied
	}
	b.provided = fmt.Sprintf("with the loop %s outermost, as in Floyd and Warshall's method, %s", last, b.provided)
	return text
}

// rewritten reports whether a repetition writes cells that many of its iterations read: a target covers the cell that is read, or
// has the number of the repeat as the same subscript. A copy made before the repetition would lack the values written.
func (b *broadcast) rewritten(cell []token, targets [][]token) bool {
	number := b.loops[0].name
	subs := cut(cell[2:len(cell)-1], ",")
	return slices.ContainsFunc(targets, func(target []token) bool {
		own := cut(target[2:len(target)-1], ",")
		if target[0].text != cell[0].text || len(own) != len(subs) {
			return false
		}
		if b.covers(own, subs) {
			return true
		}
		for d := range subs {
			if lineOf(subs[d], maxTokens) == number && lineOf(own[d], maxTokens) == number {
				return true
			}
		}
		return false
	})
}
