package frontend

import "slices"

// uses says what a file does with the cells of a name.
type uses struct{ written, init, slice bool }

// findUses finds the uses of names before anything is translated: names whose cells are
// written, that have an init, and that have a returned slice.
func (t *translator) findUses() {
	t.uses = map[string]uses{}
	for k, x := range t.tokens {
		if x.kind != tokIdent {
			continue
		}
		u := t.uses[x.text]
		switch before := t.at(k - 1); {
		case k > 0 && before.is("init"):
			u.init = true
		case k > 0 && before.is("out"):
			u.slice = true
		case t.writes(k):
			u.written = true
		default:
			continue
		}
		t.uses[x.text] = u
	}
}

// writes reports whether the array at token k begins a statement that writes one of its cells.
func (t *translator) writes(k int) bool {
	if !t.at(k+1).opens() || k > 0 && t.sameLine(k-1, k) && !t.at(k-1).is(";") && !t.at(k-1).is("{") && !t.at(k-1).is(")") {
		return false
	}
	depth, last := 0, k+1
	for ; last < len(t.tokens) && last-k < maxForeignTokens; last++ {
		if x := t.at(last); x.opens() {
			depth++
		} else if x.closes() {
			depth--
		}
		if depth == 0 && !t.at(last+1).opens() {
			break
		}
	}
	sign, next := t.at(last+1), t.at(last+2)
	return sign.is("=") || (sign.is("+") || sign.is("-") || sign.is("*") || sign.is("/")) && next.glued && (next.is("=") || next.is(sign.text))
}

// role returns, as tokens, the role that a declaration of another language leaves open: none for an
// array with a returned slice; else out for one with an init; else inout for one that is written;
// else in.
func (t *translator) role(name token) []token {
	switch u := t.uses[name.text]; {
	case u.slice:
		return nil
	case u.init:
		return []token{operator("out", name)}
	case u.written:
		return []token{operator("inout", name)}
	}
	return []token{operator("in", name)}
}

// wide returns the type for another language's type word: float64 for float, unless the file has
// another float or float32.
func (t *translator) wide(elem token) token {
	narrow := func(x token) bool { return x.named("float32", "float") && x.pos != elem.pos }
	if elem.text == "float32" && !slices.ContainsFunc(t.tokens, narrow) {
		elem.text = "float64"
	}
	return elem
}
