package frontend

import (
	"slices"

	"loopc/ir"
)

// A for whose body assigns to no array, with a reduction before it, such as the greatest change of what an earlier nest has
// written. An internal array gets the values that the reduction combines; the run stores few of its cells.

// combining returns the statements before a for, and the for, if its body is empty or has lets only, and the last of the
// statements are reductions: with an array for the values of the first reduction. Else it returns nil.
func (w *lowering) combining(before []*statement, st *statement) ([]*statement, *statement) {
	first := len(before)
	for first > 0 && (before[first-1].keyword() == "reduce" || before[first-1].keyword() == "schedule") {
		first--
	}
	at := slices.IndexFunc(before[first:], func(x *statement) bool { return x.keyword() == "reduce" })
	if at < 0 || before[first+at].bad {
		return nil, nil
	}
	if st = withLoopsOf(st); slices.ContainsFunc(st.body, func(x *statement) bool { return x.keyword() != "let" || x.bad }) {
		return nil, nil
	}
	reduce := *before[first+at]
	open := slices.IndexFunc(reduce.tokens, func(t token) bool { return t.is("(") })
	if open > 0 && !reduces(reduce.tokens[open-1].text) {
		return nil, nil // a mistake of its own
	}
	end := closer(reduce.tokens, open)
	if open < 4 || end <= open+1 || len(commas(reduce.tokens[open+1:end])) > 1 {
		return nil, nil
	}
	name := w.fresh(reduce.tokens[1].text + "At")
	value := append(madeText("let "+name+" =", st.first()), reduce.tokens[open+1:end]...)
	x := *st
	x.body = append(slices.Clone(st.body), &statement{tokens: value})
	t := w.treeFrom(&x)
	if !t.whole || !t.perfect() {
		return nil, nil
	}
	f := &fission{lowering: w, tree: t}
	last := t.leaves[len(t.leaves)-1]
	c := f.checkNest(st.first(), last.path, t.leaves, true)
	s := &scalar{name: name, decl: last, users: []*part{last}, typ: ir.Float64.String(), array: name, crosses: true, box: f.boxOf(last)}
	n := len(c.types.lets)
	if n == 0 || len(s.box.open) > 0 {
		return nil, nil
	}
	if typ := c.types.lets[n-1]; typ != ir.Invalid {
		s.typ = typ.String()
	}
	f.scalars = []*scalar{s}
	w.added = append(w.added, f.scalarArrays()...)
	x.body = append(slices.Clone(st.body), f.asCells(last, nil).st)
	reduce.tokens = slices.Concat(reduce.tokens[:open+1], []token{made(tokIdent, name, st.first())}, f.subscripts(s), reduce.tokens[end:])
	before = slices.Clone(before)
	before[first+at] = &reduce
	return before, &x
}

// withLoopsOf returns a for with the loops of the fors that are alone in its body, too.
func withLoopsOf(st *statement) *statement {
	loops, body := branchesOf(st), st.body
	own := len(loops)
	for loops != nil && len(body) == 1 && body[0].keyword() == "for" && body[0].block && !body[0].bad {
		inner := branchesOf(body[0])
		if inner == nil {
			break
		}
		loops, body = append(loops, inner...), body[0].body
	}
	if len(loops) == own {
		return st
	}
	return &statement{tokens: headerOf(st.first(), loops), block: true, body: body}
}

// reduces reports whether a name is that of a reduction.
func reduces(name string) bool {
	_, known := ir.ReduceNamed(name)
	return known
}
