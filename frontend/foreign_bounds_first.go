package frontend

import "slices"

// boundsFirst moves the words for the type and the role of an array, which stand before its bounds, behind these:
// array u: float64[0..N] inout, and array float64[0..N] u. It returns other declarations unchanged.
func boundsFirst(l []token) []token {
	open := slices.IndexFunc(l, token.opens)
	if open < 2 || open == 2 && typeElsewhere(l[1].text) == "" {
		return l
	}
	last := open + partner(l[open:])
	for last+1 < len(l) && l[last+1].is("[") {
		last += 1 + partner(l[last+1:])
	}
	var name, words []token
	rest := l[last+1:]
	for _, x := range l[1:open] {
		switch _, typed := aType(x); {
		case typed || rolesElsewhere[x.text] != "" || x.named("unsigned", "precision"):
			words = append(words, x)
		case !x.is(":") && !x.named("of") && !x.is("array"):
			name = append(name, x)
		}
	}
	if name == nil && len(rest) > 0 && typeElsewhere(rest[0].text) == "" {
		name, rest = rest[:1], rest[1:]
	}
	if len(name) != 1 || name[0].kind != tokIdent {
		return l
	}
	return slices.Concat(l[:1], name, l[open:last+1], words, rest)
}
