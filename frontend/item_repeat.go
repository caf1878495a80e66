package frontend

import "slices"

// Loops to a parameter of items that nothing limits: they stand in no subscript, as sweeps over a plate. As repeats they
// need no range.

// itemRepeat returns the repeat that the outermost loop of a for in a batch becomes, with the rest of the for in it; nil if
// it stays a loop. A reduction before the for is over all of its iterations, and so the for stays as it is.
func (w *lowering) itemRepeat(st *statement) *statement {
	if w.batch == nil || len(w.before) > 0 && slices.Contains([]string{"reduce", "schedule"}, w.before[len(w.before)-1].keyword()) {
		return nil
	}
	loops := branchesOf(st)
	open := slices.IndexFunc(w.parameters(), func(param string) bool {
		return len(loops) > 0 && limitedBy(loops[0], param) && !limits(w.batch.body, param)
	})
	if open < 0 || slices.ContainsFunc(loops[0].tokens, func(t token) bool { return t.named("step") }) {
		return nil
	}
	at, body := st.first(), st.body
	if len(loops) == 1 && slices.ContainsFunc(body, func(x *statement) bool { return x.keyword() != "for" }) {
		loops = append(loops, w.dummy(at))
	}
	if len(loops) > 1 {
		body = []*statement{{tokens: headerOf(at, loops[1:]), block: true, body: body}}
	}
	return &statement{tokens: append([]token{madeKeyword("repeat", at)}, loops[0].tokens...), block: true, body: body}
}

// parameters are the names of the parameters of the items of the batch.
func (w *lowering) parameters() (names []string) {
	for k, l := range commas(w.batch.tokens[1:]) {
		if k > 0 && len(l) > 0 {
			names = append(names, l[0].text)
		}
	}
	return names
}

// limitedBy reports whether a name stands in the range of a loop.
func limitedBy(b *branch, name string) bool {
	return slices.ContainsFunc(b.tokens[1:], func(t token) bool { return t.kind == tokIdent && t.text == name })
}

// limits reports whether a loop whose range has a parameter, or the parameter itself, stands in a subscript of statements.
func limits(list []*statement, param string) bool {
	for _, st := range list {
		if inSubscript([]*statement{st}, param) || limits(st.body, param) {
			return true
		}
		for _, b := range branchesOf(st) {
			if limitedBy(b, param) && inSubscript(st.body, b.name) {
				return true
			}
		}
	}
	return false
}

// inSubscript reports whether a name stands in a subscript of statements.
func inSubscript(list []*statement, name string) bool {
	return !eachCell(list, func(_ *statement, _ int, subs [][]token) bool {
		return !slices.ContainsFunc(slices.Concat(subs...), func(t token) bool { return isName(t, name) })
	})
}
