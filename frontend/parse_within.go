package frontend

import (
	"slices"

	"loopc/ir/diag"
)

// declaredWithin reports a declaration of this keyword in the body of a for.
func (c *checker) declaredWithin(st *statement, key string) {
	c.spoil(st)
	c.parseIdle(st)
	if st.bad {
		return
	}
	r := c.errorf(diag.Misplaced, st.first().span(), "%s belongs before the for", key)
	if key == "const" && len(st.tokens) > 3 && st.tokens[1].kind == tokIdent && st.tokens[2].is("=") {
		r.advise("before the for, if it is a number; or let %s, if it is a value of the iteration", textOf(st.tokens[1:]))
	}
}

// badWithin reports whether a mistake in a statement, or in one of its body, was reported.
func badWithin(st *statement) bool { return st.bad || slices.ContainsFunc(st.body, badWithin) }
