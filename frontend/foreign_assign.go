package frontend

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"loopc/ir"
	"loopc/ir/diag"
)

// nested translates an assignment that has another for its value, a = b = c, from token k
// on; k if there is none.
func (t *translator) nested(e edits, k int) int {
	end := t.end(k)
	text := t.tokens[k : end+1]
	around, _ := bracketsOf(text)
	var signs []int
	for n, x := range text {
		if x.is("=") && around[n] == outside {
			signs = append(signs, n)
		}
	}
	if len(signs) < 2 || t.at(k).kind != tokIdent {
		return k
	}
	// Targets, the operators before their =, and the value.
	var targets [][]token
	var ops []string
	first, plain := 0, true
	for _, n := range signs {
		last, op := n, ""
		if n > 0 && slices.ContainsFunc([]string{"+", "-", "*", "/"}, text[n-1].is) {
			last, op = n-1, text[n-1].text
		}
		if last <= first || text[first].kind != tokIdent || !text[last-1].is("]") {
			plain = false
		}
		if last > first && text[first].kind == tokIdent && last == first+1 {
			t.spoil(text[first].text)
		}
		targets, ops, first = append(targets, text[first:max(first, last)]), append(ops, op), n+1
	}
	hint := func() string {
		value, ok := t.cleaned(text[first:], mostOperand)
		if !plain || !ok {
			return ""
		}
		var list []string
		with := textOf(value)
		for n := range slices.Backward(targets) {
			cell := textOf(targets[n])
			if ops[n] != "" && len(value) > 1 && n == len(targets)-1 {
				with = "(" + with + ")"
			}
			if ops[n] != "" {
				with = cell + " " + ops[n] + " " + with
			}
			list, with = append(list, cell+" = "+with), cell
		}
		return strings.Join(list, "; ")
	}
	if !t.found("nested", join(t.at(k).span(), t.at(end).span()), "an assignment has no value: each is a statement of its own", hint) {
		return k
	}
	e.drop(k, end)
	return end
}

// incremented translates x++ within an expression, whose first sign is token k.
func (t *translator) incremented(e edits, k, head int) bool {
	first, next := t.operandBefore(k), t.at(k+2)
	behind := next.kind == tokEOF || next.closes() || next.is(",") || next.is(";") || next.is("}") || !t.sameLine(k, k+2) || binaryOps[next.text].precedence > 0
	if !t.at(k+1).is(t.at(k).text) || !t.at(k+1).glued || first <= head || !behind || !t.sameLine(first, k) {
		return false
	}
	text := textOf(t.tokens[first:k])
	if !t.found("increment", join(t.at(first).span(), t.at(k+1).span()), "there is no "+updateText(t.at(k), false)+", and no assignment within an expression", func() string { return text }, diag.Replacement) {
		return false
	}
	e.drop(k, k+1)
	t.done = max(t.done, k+1)
	return true
}

// updated drops x %= y, x ^= y, x <<= y and x >>= y, from token k on, whose sign is token
// over.
func (t *translator) updated(e edits, k, over int) int {
	sign, last := t.at(over).text, over
	switch next := t.at(over + 1); {
	case (sign == "<" || sign == ">") && next.is(sign+"=") && next.glued:
		sign, last = sign+sign, over+1
	case (sign == "%" || sign == "^") && next.is("=") && next.glued:
		last = over + 1
	default:
		return k
	}
	end := t.end(k)
	hint := func() string { return "" }
	if n, err := strconv.Atoi(t.at(last + 1).text); err == nil && n >= 0 && n < 63 && last+1 == end && len(sign) == 2 {
		op := map[string]string{"<<": "*", ">>": "/"}[sign]
		cell := textOf(t.tokens[k:over])
		hint = func() string { return fmt.Sprintf("%s = %s%s%d", cell, cell, op, int64(1)<<n) }
	}
	if !t.found("update "+sign, join(t.at(k).span(), t.at(last).span()), "there is no "+sign+"=: what a cell becomes is written in full", hint) {
		return k
	}
	e.drop(k, end)
	return end
}

// countedBy drops i++ and i += 1 of the variable of a loop, k to end; false of another name.
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

// letInside translates a let within an expression or subscript, token k.
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

// withKind translates a conversion of Fortran that names the kind of its result, as in
// real(i, 8) and int(x, kind=8), k being its name.
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
	wide, elem := !kind[0].named("sp", "real32", "int32", "single") && kind[0].text != "4", ir.Float32
	switch real := t.at(k).named("real"); {
	case real && wide:
		elem = ir.Float64
	case !real && wide:
		elem = ir.Int64
	case !real:
		elem = ir.Int32
	}
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

// external translates the declaration of a function as C has it, behind the extern at
// token k.
func (t *translator) external(e edits, k int) int {
	end := t.end(k)
	name := k + 1
	for name <= end && !t.at(name+1).is("(") {
		name++
	}
	closing := t.match[min(name+1, len(t.match)-1)]
	if name >= end || closing < 0 || closing > end || t.at(name).kind != tokIdent {
		return k
	}
	near := t.at(k)
	result, foreign := "", false // whether types stand before what they are of, or the result has none
	for j := k + 1; j < name; j++ {
		if s := typeName(t.at(j).text); s != "" {
			result, foreign = s, true
		} else if !t.at(j).is("func") && !t.at(j).named("const", "static", "inline", "func") {
			return k
		}
	}
	out := []token{near, operator("func", near), t.at(name), operator("(", near)}
	params := commas(t.tokens[name+2 : closing])
	for n, p := range params {
		if n > 0 {
			out = append(out, operator(",", near))
		}
		elem := ""
		var rest []token
		for m, x := range p {
			if s := typeName(x.text); s != "" {
				elem, foreign = s, foreign || m < len(p)-1
			} else if !x.is("const") && !x.named("const") {
				rest = append(rest, x)
			}
		}
		switch last := n == len(params)-1; {
		case len(p) == 0:
		case len(rest) != 1 || rest[0].kind != tokIdent:
			return k // an array, or something else
		case elem == "" && last:
			elem = "float64"
			fallthrough
		default:
			if out = append(out, rest[0]); elem != "" {
				out = append(out, word(tokIdent, elem, near))
			}
		}
	}
	behind := closing + 1
	if s := typeName(t.at(behind).text); s != "" && behind <= end {
		result, behind = s, behind+1
	} else if behind <= end && !t.at(behind).is("=") {
		return k
	}
	if result == "" {
		result, foreign = "float64", true
	}
	if !foreign {
		return k
	}
	out = append(out, operator(")", near), word(tokIdent, result, near))
	out = append(out, t.tokens[min(behind, end+1):end+1]...)
	if textOf(out) == textOf(t.tokens[k:end+1]) {
		return k
	}
	at := join(near.span(), t.at(end).span())
	if !t.found("external", at, "a function of Go has names with their types behind them, and so has its result", func() string { return textOf(out) }) {
		return k
	}
	e.drop(k, end)
	e.replace(k, out...)
	return end
}
