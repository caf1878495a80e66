package frontend

import (
	"fmt"
	"slices"
	"strings"

	"loopc/ir/diag"
)

// A loop that reads, in all of its iterations, one cell that it writes in one of them, as A[k,k] in for j { A[k,j] /= A[k,k] }: the
// iterations behind that one read another value. Most likely the value from before the loop is meant, which a let can keep.

// keptBefore gives such refusals the hint to use a let before the for, if the file then compiles.
func keptBefore(file string, src []byte, diags []diag.Diagnostic) []diag.Diagnostic {
	refused := func(d diag.Diagnostic) bool { return d.Code == diag.NonUniform && d.Hint == "" }
	other := func(d diag.Diagnostic) bool { return d.Severity == diag.Error && !refused(d) }
	if !slices.ContainsFunc(diags, refused) || slices.ContainsFunc(diags, other) || len(src) > mostTried>>6 {
		return diags
	}
	tokens, _ := scan(src)
	diags = slices.Clone(diags)
	for k, d := range diags {
		if !refused(d) {
			continue
		}
		var loop *statement // the innermost for around the cell, which stands in the body of another one
		var within func(list []*statement, inFor bool)
		within = func(list []*statement, inFor bool) {
			for _, st := range list {
				is := st.keyword() == "for" && st.block && !st.bad
				if first, last := st.first().pos.Line, lastLine(tokens, st); is && inFor && first < d.At.Line && d.At.Line < last {
					loop = st
				}
				within(st.body, inFor || is)
			}
		}
		within(split(tokens).top, false)
		if loop == nil {
			continue
		}
		cell := spanText(strings.Split(string(src), "\n"), d.At)
		own := func(b *branch) bool { return mentions(cell, b.name) }
		if !strings.HasSuffix(cell, "]") || slices.ContainsFunc(branchesOf(loop), own) {
			continue
		}
		name := freshIn(tokens, "p")
		lines := strings.Split(replacedAt(src, d.At, name), "\n")
		at := loop.first().pos.Line - 1
		lines = slices.Insert(lines, at, "let "+name+" = "+cell)
		if prog, _ := compileProgram(file, []byte(strings.Join(lines, "\n"))); prog == nil {
			continue
		}
		diags[k].Kind = diag.Advice
		diags[k].Hint = fmt.Sprintf("for the value from before this for, let %s = %s before it, and %[1]s here", name, cell)
		break
	}
	return diags
}
