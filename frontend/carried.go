package frontend

import (
	"fmt"
	"slices"
	"strings"

	"loopc/ir/diag"
)

// warnOfCarried warns if a loop becomes a repeat within another repeat because a scalar is handed from one iteration to
// the next: then every iteration of both loops runs nests of its own. outer are the loops around the stages.
func (f *fission) warnOfCarried(stages []*stage, outer []string) {
	for _, s := range stages {
		if s.loop == nil {
			continue
		}
		loops := append(slices.Clone(outer), s.loop.name)
		if x := f.carried(s); x != nil && len(outer) > 0 {
			at := x.decl.st.name().span()
			f.diags = append(f.diags, diag.Diagnostic{
				Severity: diag.Warning, Code: diag.Slow, At: at, Replace: at, Kind: diag.Advice,
				Message: fmt.Sprintf("%s is handed from one iteration of %s to the next, so that the loops %s become repeats of nests, which is slow", x.name, s.loop.name, strings.Join(loops, " and ")),
				Hint:    fmt.Sprintf("%s %s in the body of the loop %s, if it begins anew in every iteration of %[3]s", x.decl.st.first().text, x.name, s.loop.name),
			})
			return
		}
		f.warnOfCarried(s.inner, loops)
	}
}

// carried returns a scalar that a stage hands from one iteration of its loop to the next: a leaf assigns to it, and its
// declaration is outside the loop. It returns nil if there is none.
func (f *fission) carried(s *stage) *scalar {
	for _, l := range leavesOf(s) {
		x := f.scalarAt(l, l.st.first())
		if x == nil || x.decl == l || len(x.decl.st.tokens) < 2 {
			continue
		}
		if within := slices.Contains(x.decl.path, s.loop); !within {
			return x
		}
	}
	return nil
}

// leavesOf returns the leaves of a stage and of its inner stages.
func leavesOf(s *stage) []*part {
	list := slices.Clone(s.leaves)
	for _, x := range s.inner {
		list = append(list, leavesOf(x)...)
	}
	return list
}
