package frontend

import "loopc/ir/diag"

// maxAround bounds the tokens of the fors around one that is renamed, and so the work: more of them have more loops than a nest.
const maxAround = 256

// renamedLoop reports the for at token k, whose only loop has the name of a loop of the fors around it, outer, and another
// range, and gives it a name of its own. header has its loop, and ends with token last. renamedLoop returns false for others.
func (t *translator) renamedLoop(e edits, k, last int, outer *loopBody, header []token) bool {
	open := last + 1
	if len(outer.header) > maxAround || len(header) < 3 || len(commas(header)) > 1 || !header[1].is("=") || !t.at(open).is("{") || t.match[open] < open {
		return false
	}
	name, around := header[0], false
	for _, l := range commas(outer.header) {
		around = around || len(l) > 2 && l[0].text == name.text && textOf(l[2:]) != textOf(header[2:])
	}
	if !around {
		return false
	}
	own := word(tokIdent, t.freeName([]string{"k", "m", "n", "x"}), name)
	renamed := append([]token{own}, header[1:]...)
	at := join(t.at(k).span(), t.at(last).span())
	if !t.foundAs(diag.Redeclared, "name of a loop around", at, "a loop around this for has the name "+name.text+" already", func() string {
		return textOf(append([]token{operator("for", name)}, renamed...)) + " {, and " + own.text + " for " + name.text + " in its block"
	}, diag.Advice) {
		return false
	}
	for n := range t.match[open] {
		if x := t.at(n); n > k && (x.pos == name.pos || n > open && x.kind == tokIdent && x.text == name.text && !t.at(n-1).is(".")) {
			e.replace(n, word(tokIdent, own.text, x))
		}
	}
	t.body(last, outer, renamed)
	return true
}
