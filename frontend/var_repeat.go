package frontend

import "slices"

// ofRepeat completes the report of a var in the block of repeat r if the nests there only take the greatest, the least or the
// sum of values into it: it is meant to be a reduction.
func (c *checker) ofRepeat(report report, r *repeatOutline, m *statement) {
	if m.keyword() != "var" || len(m.tokens) < 2 {
		return
	}
	name, text := m.tokens[1].text, ""
	for _, n := range r.nests {
		whole := true
		eachStatement([]*statement{n.loop}, func(st *statement) {
			has := slices.ContainsFunc(st.tokens, func(t token) bool { return isName(t, name) })
			switch {
			case !has || st == n.loop:
			case text != "": // there is more than one
				whole = false
			default:
				text = takesInto(st, name)
				whole = text != ""
			}
		})
		if !whole {
			return
		}
	}
	if text != "" {
		report.d.Message += ": what all iterations have together is a reduction, before the for"
		report.advise("%s", text)
	}
}

// takesInto says what to write in place of a statement that takes a value into a name, and of the var of that name; "" if
// the statement does something else.
func takesInto(st *statement, name string) string {
	if st.keyword() != "" || st.block {
		return ""
	}
	tree, m := parseTokens(assignParser, st, st.tokens)
	if m != nil || tree == nil || tree.Cell.Name.Name != name || len(tree.Cell.Subs) > 0 {
		return ""
	}
	op, value := collects(flatTree(tree.whole()), name)
	if value == nil {
		return ""
	}
	if value.kind == nameExpr {
		return "reduce " + name + " = " + op + "(" + value.name + ") in place of this var, and no statement that assigns to " + name
	}
	return "reduce " + name + " = " + op + "(step) in place of this var, and in place of " + lineOf(st.tokens, maxTokens) + " let step = " + bare(value)
}

// collects returns the reduction and its value that an assignment of e to a name makes; nil if it makes none.
func collects(e *expr, name string) (op string, value *expr) {
	itself := slices.IndexFunc(e.args, func(x *expr) bool { return x.kind == nameExpr && x.name == name })
	if len(e.args) != 2 || itself < 0 || named([]*expr{e.args[1-itself]}, name) {
		return "", nil
	}
	switch {
	case e.kind == callExpr && (e.name == "max" || e.name == "min"):
		return e.name, e.args[1-itself]
	case e.kind == binaryExpr && e.op.String() == "+":
		return "sum", e.args[1-itself]
	}
	return "", nil
}
