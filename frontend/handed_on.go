package frontend

import (
	"fmt"
	"slices"
	"strings"

	"loopc/ir/diag"
)

// handedOn warns of scalars because of which a loop becomes a repeat within another repeat: every
// iteration of both loops then runs nests of its own. outer are the loops around stages that are
// repeats.
func (f *fission) handedOn(stages []*stage, outer []string) {
	for _, s := range stages {
		if s.loop == nil {
			continue
		}
		loops := append(slices.Clone(outer), s.loop.name)
		if x := f.handedOver(s); x != nil && len(outer) > 0 {
			at := x.decl.st.tokens[1].span()
			f.diags = append(f.diags, diag.Diagnostic{
				Severity: diag.Warning, Code: diag.Slow, At: at, Replace: at, Kind: diag.Advice,
				Message: fmt.Sprintf("%s is handed from one iteration of %s to the next, so that the loops %s become repeats of nests, which is slow", x.name, s.loop.name, strings.Join(loops, " and ")),
				Hint:    fmt.Sprintf("%s %s in the body of the loop %s, if it begins anew in every iteration of %[3]s", x.decl.st.tokens[0].text, x.name, s.loop.name),
			})
			return
		}
		f.handedOn(s.inner, loops)
	}
}

// handedOver is a scalar that is declared outside the loop of a stage and assigned to by its
// leaves; nil if there is none.
func (f *fission) handedOver(s *stage) *scalar {
	for _, l := range leavesOf(s) {
		x := f.scalarAt(l, l.st.tokens[0])
		if x != nil && x.decl != l && !slices.Contains(x.decl.path, s.loop) && len(x.decl.st.tokens) > 1 {
			return x
		}
	}
	return nil
}

// leavesOf are the leaves of a stage and of those inside.
func leavesOf(s *stage) []*part {
	list := slices.Clone(s.leaves)
	for _, x := range s.inner {
		list = append(list, leavesOf(x)...)
	}
	return list
}
