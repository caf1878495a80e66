package frontend

import (
	"slices"
	"strings"

	"loopc/ir/diag"
)

// nested translates an assignment that contains another one, a = b = c or a += b += c, from
// token k on.
func (t *translator) nested(e edits, k int) int {
	end := t.end(k)
	parts := cut(t.tokens[k:end+1], "=")
	if len(parts) < 3 || t.at(k).kind != tokIdent {
		return k
	}
	for j := k + 1; j <= end; j++ {
		if sign := t.at(j - 1); t.at(j).is("=") && !t.at(j).glued && binaryOps[sign.text].precedence > 0 && sign.kind == tokOp {
			return k // with a space, - = is not the operator -=
		}
	}
	if t.around(k) == nil && t.separate(e, k, end, parts) {
		return end
	}
	plain := true
	for _, target := range parts[:len(parts)-1] {
		cell, _ := updatedCell(target)
		if len(cell) == 1 && cell[0].kind == tokIdent {
			t.spoil(cell[0].text)
		}
		plain = plain && len(cell) > 0 && cell[0].kind == tokIdent && cell[len(cell)-1].is("]")
	}
	return t.gone(e, k, end, "nested", "an assignment has no value: each is a statement of its own", func() string {
		if !plain {
			return ""
		}
		return t.oneAfterAnother(parts)
	})
}

// separate writes a = b = c, tokens k to end outside of loops, as a = c; b = c, which other rules report. It returns false
// if a part is an update or c is long.
func (t *translator) separate(e edits, k, end int, parts [][]token) bool {
	last := len(parts) - 1
	var list [][]token
	for _, target := range parts[:last] {
		if _, op := updatedCell(target); op != "" || len(target) == 0 || target[0].kind != tokIdent || len(parts[last]) == 0 || len(parts[last]) > maxDepth {
			return false
		}
		list = append(list, slices.Concat(target, []token{operator("=", target[0])}, parts[last]))
	}
	t.renamed = true
	e.drop(k, end)
	e.replace(k, between(list, ";", t.at(k))...)
	return true
}

// updatedCell returns the target of an assignment, and the operator before its = if it has one.
func updatedCell(l []token) (cell []token, op string) {
	if last := len(l) - 1; last > 0 && slices.ContainsFunc([]string{"+", "-", "*", "/"}, l[last].is) {
		return l[:last], l[last].text
	}
	return l, ""
}

// oneAfterAnother returns the statements for a = b = c, the innermost first; "" if the value is
// too long.
func (t *translator) oneAfterAnother(parts [][]token) string {
	last := len(parts) - 1
	value, ok := t.cleaned(parts[last], mostOperand)
	if !ok {
		return ""
	}
	var list []string
	with := textOf(value)
	for n := last - 1; n >= 0; n-- {
		target, op := updatedCell(parts[n])
		cell := textOf(target)
		if op != "" && len(value) > 1 && n == last-1 {
			with = "(" + with + ")"
		}
		if op != "" {
			with = cell + " " + op + " " + with
		}
		list, with = append(list, cell+" = "+with), cell
	}
	return strings.Join(list, "; ")
}

// incremented translates x++ and x-- within an expression, and drops the signs. Token k is the first of the two signs, and
// token head the first of its line.
func (t *translator) incremented(e edits, k, head int) bool {
	first, next := t.operandBefore(k), t.at(k+2)
	behind := next.kind == tokEOF || next.closes() || next.is(",") || next.is(";") || next.is("}") || !t.sameLine(k, k+2) || binaryOps[next.text].precedence > 0
	if !t.at(k+1).is(t.at(k).text) || !t.at(k+1).glued || first <= head || !behind || !t.sameLine(first, k) {
		return false
	}
	if !t.found("increment", join(t.at(first).span(), t.at(k+1).span()), "there is no "+updateText(t.at(k), false)+", and no assignment within an expression", func() string { return "" }) {
		return false
	}
	e.drop(k, k+1)
	t.done = max(t.done, k+1)
	return true
}

// updated drops an update such as x %= y or x <<= y of a name x. The statement begins with token k, and
// its operator with token over.
func (t *translator) updated(e edits, k, over int) int {
	sign, last := t.at(over).text, over
	switch next := t.at(over + 1); {
	case (sign == "<" || sign == ">") && next.is(sign+"=") && next.glued:
		sign, last = sign+sign, over+1
	case slices.Contains([]string{"%", "&", "|", "^"}, sign) && next.is("=") && next.glued:
		last = over + 1
	default:
		return k
	}
	end := t.end(k)
	if over == k+1 && (sign == "|" || sign == "&") && t.reducesBits(e, k, last, end, sign) {
		return end
	}
	if over != k+1 || !t.found("update "+sign, join(t.at(k).span(), t.at(last).span()), "a scalar cannot be updated with "+sign+"=: a cell can", func() string { return "" }) {
		return k
	}
	e.drop(k, end)
	return end
}

// reducesBits drops x |= c and x &= c, tokens k to end, whose sign ends with token last, if x is a scalar that all iterations
// have together and c a condition: x is a max or min of 1 and 0.
func (t *translator) reducesBits(e edits, k, last, end int, sign string) bool {
	value := t.tokens[last+1 : end+1]
	if !t.sums[t.at(k).text] || !slices.ContainsFunc(value, comparison) {
		return false
	}
	clean, ok := t.cleaned(value, maxForeignTokens)
	op := map[string]string{"|": "max", "&": "min"}[sign]
	if !ok || !t.found("bits", join(t.at(k).span(), t.at(end).span()), "what all iterations have together is a reduction, before the for", func() string {
		return "reduce " + t.at(k).text + " = " + op + "(select(" + textOf(clean) + ", 1, 0))"
	}) {
		return false
	}
	t.spoil(t.at(k).text)
	e.drop(k, end)
	return true
}

// countedBy drops i++ and i += 1, tokens k to end, if the name is a loop variable. It returns
// false for any other name.
func (t *translator) countedBy(e edits, k, end int, name string) bool {
	b := t.around(k)
	if b == nil || !slices.Contains(b.names, name) {
		return false
	}
	if t.found("counts", join(t.at(k).span(), t.at(end).span()), "the for counts its loops itself", func() string { return leaveOut }, diag.Advice) {
		e.drop(k, end)
	}
	return true
}

// letInside translates a let within an expression or a subscript. Token k is the let.
func (t *translator) letInside(e edits, k int) bool {
	if !t.at(k-1).opens() && !t.at(k-1).is(",") || k == 0 || t.at(k+1).kind != tokIdent || !t.at(k+2).is("=") {
		return false
	}
	last := k + 2
	for step := 0; step < maxForeignTokens; step++ {
		x := t.at(last + 1)
		if x.kind == tokEOF || x.closes() || x.is(",") || x.is(";") || x.is("{") || x.is("}") {
			break
		}
		if last++; x.opens() && t.match[last] > last {
			last = t.match[last]
		}
	}
	if last == k+2 {
		return false
	}
	value := t.tokens[k+3 : last+1]
	if !t.found("let inside", join(t.at(k).span(), t.at(last).span()), "a let is a statement of its own, and no subscript has one", func() string { return textOf(value) }, diag.Replacement) {
		return false
	}
	t.spoil(t.at(k + 1).text)
	e.drop(k, k+2)
	t.done = max(t.done, k+2)
	return true
}

// withKind translates a Fortran conversion that names the kind of its result, such as real(i, 8)
// and int(x, kind=8). Token k is the conversion's name.
func (t *translator) withKind(e edits, k int) bool {
	open := k + 1
	if !t.at(k).named("real", "int") || !t.at(open).is("(") || t.match[open] < open+4 {
		return false
	}
	args := commas(t.tokens[open+1 : t.match[open]])
	if len(args) != 2 || len(args[0]) == 0 {
		return false
	}
	kind := args[1]
	if len(kind) == 3 && kind[0].named("kind") && kind[1].is("=") {
		kind = kind[2:]
	}
	if len(kind) != 1 || kind[0].kind != tokInt && kind[0].kind != tokIdent {
		return false
	}
	elem := fortranNumber(t.at(k).named("real"), !kind[0].named("sp", "real32", "int32", "single") && kind[0].text != "4")
	last := t.match[open]
	if !t.found("kind", join(t.at(k).span(), t.at(last).span()), "a conversion has the name of its type", func() string {
		return elem.String() + "(" + textOf(args[0]) + ")"
	}) {
		return false
	}
	e.replace(k, word(tokIdent, elem.String(), t.at(k)))
	e.drop(open+1+len(args[0]), last-1)
	return true
}

// external reorders the extern at token k if types stand before their names, or the result has
// no type.
func (t *translator) external(e edits, k int) int {
	end, name := t.end(k), k+1
	for name <= end && !t.at(name+1).is("(") {
		name++
	}
	closing := t.match[min(name+1, len(t.match)-1)]
	if name >= end || closing < 0 || closing > end || t.at(name).kind != tokIdent {
		return k
	}
	result, ok := t.typeBefore(k+1, name)
	params, early := externParameters(t.tokens[name+2 : closing])
	if !ok || params == nil {
		return k
	}
	foreign := result != "" || early // some type stands before its name
	behind := closing + 1
	if s := typeName(t.at(behind).text); s != "" && behind <= end {
		result, behind = s, behind+1
	} else if behind <= end && !t.at(behind).is("=") {
		return k
	}
	if result == "" {
		result, foreign = "float64", true
	}
	near := t.at(k)
	out := slices.Concat([]token{near, operator("func", near), t.at(name), operator("(", near)}, between(params, ",", near),
		[]token{operator(")", near), word(tokIdent, result, near)}, t.tokens[min(behind, end+1):end+1])
	if !foreign || textOf(out) == textOf(t.tokens[k:end+1]) {
		return k
	}
	if !t.rewritten(e, k, end, "external", "a function of Go has names with their types behind them, and so has its result", out) {
		return k
	}
	return end
}

// typeBefore returns the type among tokens first to last-1, "" if there is none. ok is false if
// these tokens include a word that does not belong to a type.
func (t *translator) typeBefore(first, last int) (elem string, ok bool) {
	for _, x := range t.tokens[first:last] {
		if s := typeName(x.text); s != "" {
			elem = s
		} else if !x.is("func") && !x.is("const") && !x.named("const", "static", "inline", "func") {
			return "", false
		}
	}
	return elem, true
}

// externParameters returns the parameters of a Go function as this language writes them; nil if
// one of them is not a number. early is true if a type stands before its name.
func externParameters(list []token) (params [][]token, early bool) {
	parts := commas(list)
	params = [][]token{}
	for n, p := range parts {
		elem := ""
		var rest []token
		for m, x := range p {
			if s := typeName(x.text); s != "" {
				elem, early = s, early || m < len(p)-1
			} else if !x.is("const") && !x.named("const") {
				rest = append(rest, x)
			}
		}
		if len(p) == 0 {
			continue
		}
		if len(rest) != 1 || rest[0].kind != tokIdent {
			return nil, false // an array, or something else
		}
		if elem == "" && n == len(parts)-1 {
			elem = "float64"
		}
		if elem != "" {
			rest = append(rest, word(tokIdent, elem, rest[0]))
		}
		params = append(params, rest)
	}
	return params, early
}
