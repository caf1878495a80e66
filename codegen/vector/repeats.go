package vector

import "loopc/ir"

// mostShared is how many expressions stay in registers because they occur again.
const mostShared = 8

// repeats returns the names of at most the given number of expressions: the first that occur more
// than once in the body. What occurs only within such an expression is not among them.
func (f *function) repeats(most int) map[string]bool {
	all, seen := map[string]bool{}, map[string]bool{}
	var visit func(e ir.Expr)
	visit = func(e ir.Expr) {
		r, ok := e.(*ir.Read)
		if leaf(e) || ok && f.s.l.Reads[r.ID].From == ir.FromLocal {
			return // in a register already
		}
		switch name := f.s.nameOf(e); {
		case name != "" && seen[name] && (all[name] || len(all) < most):
			all[name] = true
			return
		case name != "":
			seen[name] = true
		}
		for _, x := range ir.Operands(e) {
			visit(x)
		}
	}
	for k, stmt := range f.s.n.Body {
		if f.s.live[k] {
			visit(ir.Value(stmt))
		}
	}
	return all
}

// leaf reports whether e needs no name to stay in a register: it is a constant, which holdLiterals
// keeps, a parameter, or a let.
func leaf(e ir.Expr) bool {
	switch e.(type) {
	case *ir.Lit, *ir.ParamRef, *ir.FloatRef, *ir.LocalRef:
		return true
	}
	return false
}
