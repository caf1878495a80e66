package frontend

import "slices"

// Values outside of fors that nothing there can compute: another value of a number, the next number of a repeat, or what a
// function of another language reads, measures or asks.

// oneValueMessage is said of another value of a number of the file.
const oneValueMessage = "a param or const has one value, where it is declared; another value of a param is given at launch"

// strayAgain completes the report of an assignment outside of fors to a name that has its value already: a parameter, a constant
// or the number of a repeat. repeated says that the assignment stands in a repeat. It returns false for other names.
func (r report) strayAgain(a *assignSyntax, repeated, counts, declared bool) bool {
	name, value := a.Cell.Name.Name, flatTree(a.Value)
	switch {
	case len(a.Cell.Subs) > 0 || !counts && !declared:
		return false
	case counts && (a.Sign.Op == "+=" && bare(value) == "1" || bare(value) == name+" + 1"):
		r.d.Message = name + " is the number of a repeat, which counts by itself"
		r.fixStatement(a, "")
	case counts:
		r.d.Message = name + " is the number of a repeat, which has its range and its step in the line of the repeat"
	case repeated || named([]*expr{value}, name) || a.Sign.Op != "=":
		r.d.Message = name + " has one value for all of the run: what changes is a cell of an array"
	default:
		r.d.Message = oneValueMessage
		r.fixStatement(a, "")
	}
	return true
}

// strayCall completes the report of a name that gets the value of a function that the language lacks. What the file needs is given
// at launch, and what nothing uses is not needed.
func (c *checker) strayCall(r report, f *fileSyntax, a *assignSyntax) {
	name := a.Cell.Name.Name
	stray := func(x token) bool {
		return slices.ContainsFunc(f.strays, func(s *assignSyntax) bool {
			at := join(s.Cell.Name.span(), flatTree(s.Value).at)
			return x.pos.Line == at.Line && x.pos.Col >= at.Col
		})
	}
	used := slices.ContainsFunc(c.tokens(), func(x token) bool { return x.kind == tokIdent && x.text == name && !stray(x) })
	switch {
	case c.boundsUse(name):
		r.d.Message = "a number that is given at launch is a parameter"
		r.pattern("param %s = 100", name)
	case used:
		r.d.Message = "a number that is given at launch is a parameter, and what a body computes is a let of the body"
		r.pattern("param %s float64 = 0.5", name)
	default:
		r.d.Message = "a file computes only in its fors, and no statement uses " + name
		r.fixStatement(a, "")
	}
}

// ofRepeats reports whether a name is the number of a repeat of the file.
func (p *programChecker) ofRepeats(name string) bool {
	return slices.ContainsFunc(p.outline.repeats, func(x *repeatOutline) bool {
		l := x.header.tokens
		return len(l) > 2 && l[0].is("repeat") && l[2].is("=") && l[1].text == name
	})
}

// declaresNumber reports whether a param or a const of the file declares a name.
func (p *programChecker) declaresNumber(name string) bool {
	return slices.ContainsFunc(p.outline.declarations, func(st *statement) bool {
		if st.keyword() != "param" && st.keyword() != "const" {
			return false
		}
		names := cut(st.tokens[1:], "=")[0]
		return slices.ContainsFunc(names, func(x token) bool { return x.text == name })
	})
}
