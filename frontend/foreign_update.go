package frontend

import (
	"loopc/ir/diag"
	"slices"
)

// Updates of cells and names, x += y and x++, and assignments with another sign than =.

// update translates x += y, x++ and ++x, for a cell or a name x.
func (t *translator) update(e edits, k int) int {
	end := t.end(k)
	if m := t.match[k+1]; t.at(k+1).is("(") && m > 0 && t.at(m+1).is("=") {
		return t.subscripts(e, k, m)
	}
	cell := k // its first token
	sign := token{}
	if (t.at(k).is("+") || t.at(k).is("-")) && t.at(k+1).is(t.at(k).text) && t.at(k+1).glued {
		cell, sign = k+2, t.at(k)
	}
	over := cell + 1 // the token after it
	if t.at(over).is("[") && t.match[over] >= 0 {
		over = t.match[over] + 1
	}
	if t.at(cell).kind != tokIdent || over > end+1 {
		return k
	}
	if t.assigns(e, k, cell, over, end) {
		return k
	}
	if last := t.updated(e, k, over); last > k {
		return last
	}
	value := over // the first token of what is added; over: 1
	switch op, next := t.at(over), t.at(over+1); {
	case sign.text != "" && over == end+1:
	case sign.text != "":
		return k
	case (op.is("+") || op.is("-")) && next.is(op.text) && next.glued && over+1 == end:
		sign = op
	case (op.is("+") || op.is("-") || op.is("*") || op.is("/")) && next.is("=") && next.glued && over+1 < end:
		sign, value = op, over+2
	default:
		return k
	}
	target := t.tokens[cell:over]
	var added []token
	switch {
	case value == over:
		added = []token{word(tokInt, "1", sign)}
	case end == value || sign.text == "+" && !slices.ContainsFunc(t.tokens[value:end+1], comparison):
		added = t.tokens[value : end+1]
	default:
		added = slices.Concat([]token{operator("(", sign)}, t.tokens[value:end+1], []token{operator(")", t.at(end))})
	}
	at := join(t.at(k).span(), t.at(max(over+1, end)).span())
	if value > over {
		at = join(t.at(k).span(), t.at(over+1).span())
	}
	if len(target) == 1 && t.countedBy(e, k, end, target[0].text) {
		return end
	}
	if len(target) == 1 && (t.lets[target[0].text] || t.locals[target[0].text]) && !t.sums[target[0].text] && !t.carries[target[0].text] {
		return t.again(e, k, end, target[0], slices.Concat(target, []token{operator(sign.text, sign)}, added))
	}
	if len(target) == 1 && t.carries[target[0].text] {
		return t.carried(e, k, end, target[0], sign, added)
	}
	if len(target) == 1 {
		// A scalar: a sum over all iterations, most likely.
		message, kind := "a scalar cannot be updated: what all iterations add up to is a reduction, before the for", diag.Example
		if t.reduced[target[0].text] {
			message, kind = target[0].text+" is a reduction, declared before the for: the body does not update it", diag.Advice
		}
		if !t.found("sum", at, message, func() string {
			text := textOf(slices.Concat(added))
			switch {
			case t.reduced[target[0].text]:
				return leaveOut
			case slices.ContainsFunc(added, comparison):
				text = "select(" + textOf(t.tokens[value:end+1]) + ", 1, 0)"
			}
			return "reduce " + target[0].text + " = sum(" + text + ")"
		}, kind) {
			return k
		}
		e.drop(k, end)
		return end
	}
	sum := slices.Concat(target, []token{operator("=", sign)}, target, []token{operator(sign.text, sign)}, added)
	if !t.found("update", at, "there is no "+updateText(sign, value > over)+": what a cell becomes is written in full", func() string { return textOf(sum) }) {
		return k
	}
	e.drop(k, end)
	e.replace(k, sum...)
	return end
}

// assigns translates the := and == that stand where an assignment has its =, behind the
// cell or name that tokens cell to over-1 are.
func (t *translator) assigns(e edits, k, cell, over, end int) bool {
	sign, next := t.at(over), t.at(over+1)
	walrus := sign.is(":") && next.is("=") && next.glued
	name := over == cell+1 && !t.arrays[t.at(cell).text]
	switch {
	case walrus && name && !t.lets[t.at(cell).text] && t.around(k) != nil:
		if t.found("walrus let", join(t.at(cell).span(), t.at(end).span()), "a value of the iteration is a let", func() string {
			return "let " + t.at(cell).text + " = " + textOf(t.tokens[over+2:end+1])
		}, diag.Replacement) {
			e.replace(over)
			e.at(cell).before = append(e.at(cell).before, operator("let", t.at(cell)))
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

// again drops a further value for a let.
func (t *translator) again(e edits, k, end int, name token, value []token) int {
	if !t.found("let again", join(t.at(k).span(), t.at(end).span()), "a let has one value: what comes of it gets another name", func() string {
		return "let " + name.text + "1 = " + textOf(value)
	}) {
		return k
	}
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

// comparison reports whether t is an operator that binds less than a sum.
func comparison(t token) bool {
	return slices.Contains([]string{"==", "!=", "<", "<=", ">", ">=", "&&", "||"}, t.text)
}

// subscripts translates the left side of a(i) = x, whose closing bracket is token
// last. What is read so is seen to be an array later.
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
