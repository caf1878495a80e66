package frontend

import (
	"fmt"
	"loopc/ir/diag"
	"slices"
	"strings"
)

// Updates of cells and names, x += y and x++, and assignments with another sign than =.

// An update is x += y, x++ or ++x, at tokens first to end. x is tokens cell to over-1. y is the
// tokens from value on; x++ has none.
type update struct {
	first, cell, over, value, end int
	sign                          token // + for += and ++
}

// updateAt returns the update that begins with token k, such as x++ or x += 2. If nothing updates the cell or
// name there, u has no sign; if there is no cell or name, ok is false.
func (t *translator) updateAt(k int) (u update, ok bool) {
	u = update{first: k, cell: k, end: t.end(k)}
	first := t.at(k)
	ahead := (first.is("+") || first.is("-")) && t.at(k+1).is(first.text) && t.at(k+1).glued
	if ahead {
		u.cell = k + 2
	}
	u.over = u.cell + 1
	if t.at(u.over).is("[") && t.match[u.over] >= 0 {
		u.over = t.match[u.over] + 1
	}
	if t.at(u.cell).kind != tokIdent || u.over > u.end+1 {
		return u, false
	}
	u.value = u.end + 1
	op, next := t.at(u.over), t.at(u.over+1)
	switch {
	case ahead:
		if u.over == u.end+1 {
			u.sign = first
		}
	case !next.glued || binaryOps[op.text].precedence < binaryOps["+"].precedence:
	case next.is(op.text) && u.over+1 == u.end && (op.is("+") || op.is("-")):
		u.sign = op
	case next.is("=") && u.over+1 < u.end:
		u.sign, u.value = op, u.over+2
	}
	return u, true
}

// added returns the tokens of y, in brackets where the sign needs them.
func (t *translator) added(u update) []token {
	value := t.tokens[u.value : u.end+1]
	switch {
	case len(value) == 0:
		return []token{word(tokInt, "1", u.sign)}
	case len(value) == 1 || u.sign.text == "+" && !slices.ContainsFunc(value, comparison):
		return value
	}
	return slices.Concat([]token{operator("(", u.sign)}, value, []token{operator(")", t.at(u.end))})
}

// findVars finds the names that are declared as var s float64 = 0.
func (t *translator) findVars() {
	t.vars = map[string]bool{}
	for k := range t.tokens {
		if (k == 0 || !t.sameLine(k-1, k) || t.at(k-1).is(";") || t.at(k-1).is("{")) && declaresVar(t.tokens[k:]) {
			t.vars[t.at(k+1).text] = true
		}
	}
}

// update translates x += y, x++ and ++x, for a cell or a name x.
func (t *translator) update(e edits, k int) int {
	if m := t.match[k+1]; t.at(k+1).is("(") && m > 0 && t.at(m+1).is("=") {
		if end := t.statementFunction(e, k, m); end > k {
			return end
		}
		return t.subscripts(e, k, m)
	}
	u, ok := t.updateAt(k)
	if ok && t.vars[t.at(k).text] && u.over == k+1 && u.value <= u.end {
		return k
	}
	if !ok || t.assigns(e, k, u.cell, u.over, u.end) {
		return k
	}
	if last := t.updated(e, k, u.over); last > k {
		return last
	}
	if u.sign.text == "" || u.over > u.cell+1 && u.value <= u.end {
		return k // no update, or one that the language has
	}
	if u.over == u.cell+1 {
		return t.updateName(e, u)
	}
	target := t.tokens[u.cell:u.over]
	sum := slices.Concat(target, []token{operator("=", u.sign)}, target, []token{operator(u.sign.text, u.sign)}, t.added(u))
	if !t.found("update", t.updateSpan(u), "there is no "+updateText(u.sign, u.value <= u.end)+": what a cell becomes is written in full", func() string { return textOf(sum) }) {
		return k
	}
	e.drop(k, u.end)
	e.replace(k, sum...)
	return u.end
}

// updateSpan is the place at which an update is reported: up to its =.
func (t *translator) updateSpan(u update) diag.Span {
	if u.value <= u.end {
		return join(t.at(u.first).span(), t.at(u.over+1).span())
	}
	return join(t.at(u.first).span(), t.at(max(u.over+1, u.end)).span())
}

// updateName translates the update of a name: of a let, of a scalar that one iteration passes
// to the next, or otherwise, most likely, of a sum over all iterations.
func (t *translator) updateName(e edits, u update) int {
	k, end, name := u.first, u.end, t.at(u.cell)
	carried := t.carries[name.text]
	switch {
	case t.arrays[name.text]:
		return k // its subscripts are missing, which is told of assignments
	case t.countedBy(e, k, end, name.text):
		return end
	case (t.lets[name.text] || t.locals[name.text]) && !t.sums[name.text] && !carried:
		return t.reassigned(e, k, end, name, slices.Concat([]token{name, operator(u.sign.text, u.sign)}, t.added(u)))
	case carried:
		return t.carried(e, k, end, name, u.sign, t.added(u))
	}
	message, kind := name.text+" changes: "+scalarRoles, diag.Example
	hint := func() string { return "" }
	if t.vars[name.text] {
		out := append([]token{name, operator("=", u.sign), name, operator(u.sign.text, u.sign)}, t.added(u)...)
		if t.rewritten(e, k, end, "counted var", "the language has no "+u.sign.text+u.sign.text, out, diag.Replacement) {
			return end
		}
		return k
	}
	if t.sums[name.text] && !t.resets(name.text) && t.blockOf(k).is("for") {
		message, hint = "what all iterations add up to is a reduction, before the for", func() string { return "reduce " + name.text + " = sum(" + t.summand(u) + ")" }
	}
	if t.reduced[name.text] {
		message, kind = name.text+" is a reduction, declared before the for: the body does not update it", diag.Advice
		hint = func() string { return leaveOut }
	}
	if !t.found("sum", t.updateSpan(u), message, hint, kind) {
		return k
	}
	if t.sums[name.text] { // the for may do nothing but reduce
		t.spoil(droppedStatement)
		t.spoil(name.text) // loops behind may read it
	}
	e.drop(k, end)
	return end
}

// resets reports whether a statement of a body assigns to a name without updating it.
func (t *translator) resets(name string) bool {
	return slices.ContainsFunc(t.assignmentsTo(name), func(k int) bool { return t.at(k+1).is("=") && t.updates(k) == 0 && t.around(k) != nil })
}

// beginsAnew says where the body of a for gives a name, which some other statement updates, a value of its own; it is "" if no body does so.
func (t *translator) beginsAnew(name string) string {
	for _, k := range t.assignmentsTo(name) {
		if t.at(k+1).is("=") && t.updates(k) == 0 && t.blockOf(k).is("for") {
			return fmt.Sprintf("%s begins anew in line %d: what it has before the loops is not used", name, t.at(k).pos.Line)
		}
	}
	return ""
}

// blockOf is the first token of the line whose brace begins the block around token k: a for, an if or another word.
func (t *translator) blockOf(k int) token {
	open := t.openBefore(k)
	for open > 0 && t.sameLine(open-1, open) && !t.at(open-1).is("}") && !t.at(open-1).is("{") {
		open--
	}
	return t.at(open)
}

// openBefore is the place of the brace that begins the block around token k; -1 without one near it.
func (t *translator) openBefore(k int) int {
	for open := k - 1; open >= 0 && k-open < 4*maxForeignTokens; open-- {
		if t.at(open).is("{") {
			return open
		}
		if t.at(open).is("}") && t.match[open] >= 0 {
			open = t.match[open]
		}
	}
	return -1
}

// summand returns the term of a sum over all iterations; a condition counts as 1 or 0.
func (t *translator) summand(u update) string {
	if value := t.tokens[u.value : u.end+1]; slices.ContainsFunc(value, comparison) {
		return "select(" + textOf(value) + ", 1, 0)"
	}
	return textOf(slices.Concat(t.added(u)))
}

// assigns translates := and == in place of the = of an assignment, behind the cell or name at
// tokens cell to over-1.
func (t *translator) assigns(e edits, k, cell, over, end int) bool {
	sign, next := t.at(over), t.at(over+1)
	walrus := sign.is(":") && next.is("=") && next.glued
	name := over == cell+1 && !t.arrays[t.at(cell).text]
	switch {
	case walrus && name && !t.lets[t.at(cell).text] && t.around(k) != nil:
		first, habit, message := []token{operator("let", t.at(cell)), t.at(cell)}, "walrus let", letMessage
		if x := t.at(cell); t.assignedBelow(x) {
			first, habit, message = []token{word(tokIdent, "var", x), x, word(tokIdent, t.typeOfVar(x, t.tokens[over+2:end+1]), x)}, "walrus var", changedVar
			t.isVar(x.text)
		}
		if t.found(habit, join(t.at(cell).span(), t.at(end).span()), message, func() string {
			return textOf(first) + " = " + textOf(t.tokens[over+2:end+1])
		}, diag.Replacement) {
			e.replace(over)
			e.replace(cell, first...)
		}
	case walrus:
		if t.found("walrus", join(sign.span(), next.span()), "an assignment has the sign =", func() string { return "=" }, diag.Replacement) {
			e.replace(over)
		}
	case sign.is("==") && over < end:
		if t.found("equals", sign.span(), "an assignment has the sign =, a comparison ==", func() string { return "=" }, diag.Replacement) {
			e.replace(over, operator("=", sign))
		}
	default:
		return false
	}
	return true
}

// reassigned drops a statement that gives a let another value.
func (t *translator) reassigned(e edits, k, end int, name token, value []token) int {
	return t.gone(e, k, end, "let again", "a let has one value: what comes of it gets another name", func() string {
		return renamedBelow(name.text, textOf(value))
	}, diag.Advice)
}

// renamedBelow returns advice to give the second value of a let a name of its own, or to change the let.
func renamedBelow(name, value string) string {
	return "let " + name + "1 = " + value + ", and " + name + "1 for " + name + " below; or " + asVar(name)
}

// asVar returns advice to declare a let as a name that may be assigned to.
func asVar(name string) string { return "var " + name + ", with its type, in place of the let " + name }

// statementFunction drops the definition f(x) = x*x outside of bodies, as in Fortran and Julia. It begins
// with token k, and its arguments end with token m. It returns k for another statement.
func (t *translator) statementFunction(e edits, k, m int) int {
	names := parameterNames(t.tokens[k+2 : m])
	end := t.end(k)
	used := func(name string) bool {
		return slices.ContainsFunc(t.tokens[m+2:end+1], func(x token) bool { return x.text == name })
	}
	if end < m+2 || t.around(k) != nil || t.arrays[t.at(k).text] || len(names) == 0 || len(names) != len(commas(t.tokens[k+2:m])) || !slices.ContainsFunc(names, used) {
		return k
	}
	if !t.found("function", join(t.at(k).span(), t.at(end).span()), ownFunction+", or its value is a let in the body", func() string {
		return "extern func " + t.at(k).text + "(" + strings.Join(names, ", ") + " float64) float64"
	}) {
		return k
	}
	t.spoil(t.at(k).text)
	e.drop(k, end)
	return end
}

// updateText is the operator of an update: += or ++.
func updateText(sign token, assigns bool) string {
	if assigns {
		return sign.text + "="
	}
	return sign.text + sign.text
}

// comparison reports whether t is an operator of lower precedence than a sum.
func comparison(t token) bool {
	return slices.Contains([]string{"==", "!=", "<", "<=", ">", ">=", "&&", "||"}, t.text)
}

// subscripts translates the left side of a(i) = x, whose closing bracket is token last. The
// name is recognized as an array later.
func (t *translator) subscripts(e edits, k, last int) int {
	cell := slices.Clone(t.tokens[k : last+1])
	for j := range cell {
		if cell[j].is(":") {
			cell[j] = operator("..", cell[j])
		}
	}
	cell[1], cell[last-k] = operator("[", cell[1]), operator("]", cell[last-k])
	if !t.found("parentheses", join(t.at(k).span(), t.at(last).span()), "subscripts stand in square brackets", func() string { return textOf(cell) }) {
		return k
	}
	e.replace(k+1, cell[1])
	e.replace(last, cell[last-k])
	return last
}
