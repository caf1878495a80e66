package frontend

import (
	"fmt"
	"slices"

	"loopc/ir/diag"
)

// ofOtherNest gives errors about names in the reductions of nest n which loops or lets of another nest have the hint to write the reduction
// before that one. The first error of a reduction remains.
func (p *programChecker) ofOtherNest(n *nestOutline, diags []diag.Diagnostic) []diag.Diagnostic {
	told := map[*statement]bool{}
	var out []diag.Diagnostic
	for _, d := range diags {
		name := unknownName(d)
		k := slices.IndexFunc(n.own, func(st *statement) bool {
			lines := linesOf(st)
			return st.keyword() == "reduce" && lines[0] <= d.At.Line && d.At.Line <= lines[1]
		})
		other := slices.IndexFunc(p.outline.nests, func(x *nestOutline) bool { return x != n && x.names(name) })
		if name != "" && k >= 0 && other >= 0 {
			if told[n.own[k]] {
				continue
			}
			told[n.own[k]] = true
			d.Kind, d.Notes = diag.Advice, nil
			d.Hint = fmt.Sprintf("this reduction right before the for at line %d, which has %s: here, it belongs to the for at line %d",
				p.outline.nests[other].loop.first().pos.Line, name, n.loop.first().pos.Line)
		}
		out = append(out, d)
	}
	return out
}

// names reports whether a nest has a loop or a let of a name.
func (n *nestOutline) names(name string) bool {
	return slices.ContainsFunc(branchesOf(n.loop), func(b *branch) bool { return b.name == name }) ||
		slices.ContainsFunc(n.loop.body, func(st *statement) bool { return st.keyword() == "let" && len(st.tokens) > 1 && st.name().text == name })
}
