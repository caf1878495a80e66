package frontend

import (
	"loopc/ir/diag"
	"slices"
)

const loopMessage = "a loop is i = 1..N, or i = N..1 step -1, and commas separate loops"

// loopsOrder is loopList, where the repeat of repeat N { gets a name that its block uses and nothing declares.
func (t *translator) loopsOrder(l []token) ([]token, string) {
	if l[0].is("for") && t.bodyless(l) {
		return nil, ""
	}
	out := loopList(t.closedRanges(l))
	if len(out) > 1 && l[0].is("repeat") && out[1].text == nameOfRepeat && !slices.ContainsFunc(l, func(x token) bool { return x.text == nameOfRepeat }) {
		if name := t.missingBelow(l[0]); name != "" {
			out[1].text = name
		}
	}
	return out, loopMessage
}

// closedRanges is the line of a for in which ranges of Rust, without their last numbers, include them: see endOfRust.
func (t *translator) closedRanges(l []token) []token {
	stop := slices.IndexFunc(l, func(x token) bool { return x.is("{") })
	if stop < 0 || !l[0].is("for") {
		return l
	}
	parts := commas(l[1:stop])
	for k, p := range parts {
		ends := cut(p, "..")
		if len(ends) != 2 || len(ends[0]) < 3 || len(ends[1]) == 0 || !p[1].is("in") || ends[1][0].is("=") || ends[1][0].is("<") || ends[1][0].is(".") {
			continue
		}
		point := p[len(ends[0])]
		closed := foreignLoop{hi: ends[1]}
		t.endOfRust(&closed, point)
		parts[k] = slices.Concat(ends[0], []token{point}, closed.hi)
	}
	return slices.Concat(l[:1], between(parts, ",", l[0]), l[stop:])
}

// bodyless reports whether the header of a for has neither dots nor a brace in or behind it, or ends with a colon: the pass over
// blocks rewrites it.
func (t *translator) bodyless(l []token) bool {
	last := l[len(l)-1]
	if slices.ContainsFunc(l, func(x token) bool { return x.is("{") || x.is("..") && !last.is(":") }) {
		return false
	}
	k := slices.IndexFunc(t.tokens, func(x token) bool { return x.pos == last.pos })
	return !t.at(k + 1).is("{")
}

// nameOfRepeat is the name of a repeat that has none.
const nameOfRepeat = "t"

// missingBelow is the only undeclared name in the lines behind a token; "" if there is none, or if
// there are several.
func (t *translator) missingBelow(from token) (name string) {
	for k, x := range t.tokens {
		before, next := t.at(k-1), t.at(k+1)
		if x.pos.Line <= from.pos.Line || x.kind != tokIdent || t.declared[x.text] || t.arrays[x.text] || t.vars[x.text] || t.lets[x.text] || t.locals[x.text] {
			continue
		}
		if t.carries[x.text] || t.sums[x.text] || next.opens() || next.assigns() || next.kind == tokIdent || before.kind == tokIdent || before.is(".") || next.is(".") || typeName(x.text) != "" {
			continue
		}
		if name != "" && name != x.text {
			return ""
		}
		name = x.text
	}
	return name
}

// loopList rewrites the header of a for or a repeat with other words and signs than = and ..,
// or with brackets around loops. It returns nil if it cannot, or if another rule reports the
// mistake.
func loopList(l []token) []token {
	stop := slices.IndexFunc(l, func(x token) bool { return x.is("{") || x.is("until") })
	colon := stop < 0 && l[len(l)-1].is(":")
	if stop < 0 {
		stop = len(l)
	}
	if colon {
		stop--
	}
	tail := l[stop:]
	header := withoutFor(withoutDo(l[1:stop]))
	if stop == len(l) && len(header) < len(l)-1 {
		tail = []token{operator("{", l[stop-1])}
	}
	if l[0].is("repeat") {
		if out := repetition(l[0], header); out != nil {
			return slices.Concat(l[:1], out, tail)
		}
	}
	inner := withoutRound(header)
	loops, told := loopsIn(paired(inner))
	if loops == nil || len(loops) == 1 && told && len(inner) == len(header) && !colon && l[0].is("for") {
		return nil
	}
	return slices.Concat(l[:1], between(loops, ",", l[0]), tail)
}

// loopsIn returns the loops of a header; nil if it contains anything else. told says that the
// rule for nested loops reports one of them.
func loopsIn(header []token) (loops [][]token, told bool) {
	if len(header) < 3 || slices.ContainsFunc(header, func(x token) bool { return x.is(";") || x.is("{") || x.named("to") }) {
		return nil, false
	}
	parts := commas(header)
	if last := len(parts) - 1; last > 0 && len(parts[last]) == 0 { // a comma behind the last loop
		parts = parts[:last]
	}
	for k := len(parts) - 2; k >= 0; k-- { // i, j = 1..N
		if next := parts[k+1]; len(parts[k]) == 1 && parts[k][0].kind == tokIdent && len(next) > 2 && next[1].is("=") && containsRange(next) {
			parts[k] = append(slices.Clone(parts[k]), next[1:]...)
		}
	}
	for len(parts) > 0 {
		loop, used, known := oneLoop(parts)
		if loop == nil {
			return nil, false
		}
		loops, told, parts = append(loops, loop), told || known, parts[used:]
	}
	return loops, told
}

// withoutDo rewrites a header of Lua, with commas between its loops: i=1,M do for j=1,N do.
func withoutDo(header []token) []token {
	if len(header) < 4 || !header[len(header)-1].named("do") || containsRange(header) {
		return header
	}
	var out []token
	for k, x := range header[:len(header)-1] {
		switch {
		case x.named("do") && header[k+1].is("for"):
			out = append(out, operator(",", x))
		case !x.is("for"):
			out = append(out, x)
		}
	}
	return out
}

// withoutFor rewrites a header of MATLAB or Julia, for i = 1:M, for j = 1:N.
func withoutFor(header []token) []token {
	var out []token
	for k, x := range header {
		if k == 0 || !x.is("for") || !header[k-1].is(",") {
			out = append(out, x)
		}
	}
	return out
}

// withoutRound is a list without the round or square brackets around all of it.
func withoutRound(l []token) []token {
	if bracketed(l) {
		return l[1 : len(l)-1]
	}
	return l
}

// paired gives each name of a list its range: i, j = 1..N, 1..M, or (i, j) in (1..N, 1..M). It
// returns other headers unchanged.
func paired(header []token) []token {
	around, _ := bracketsOf(header)
	at := -1
	for k, x := range header {
		if around[k] == outside && (x.is("=") || x.is("in")) {
			at = k
			break
		}
	}
	if at < 2 {
		return header
	}
	names, ranges := commas(withoutRound(header[:at])), commas(withoutRound(header[at+1:]))
	if len(names) < 2 || len(names) != len(ranges) {
		return header
	}
	var loops [][]token
	for k, name := range names {
		if len(name) != 1 || name[0].kind != tokIdent || len(ranges[k]) < 3 {
			return header
		}
		loops = append(loops, slices.Concat(name, []token{operator("=", name[0])}, ranges[k]))
	}
	return between(loops, ",", header[0])
}

// opposites are the comparisons and their negations.
var opposites = map[string]string{"<": ">=", "<=": ">", ">": "<=", ">=": "<"}

// oneUntil rewrites the until of a repeat that has an and, or or not: it keeps the first comparison that is not
// about the number of the repeat. It returns nil if there is no such word or comparison.
func oneUntil(l []token) []token {
	at := slices.IndexFunc(l, func(x token) bool { return x.is("until") })
	if at < 2 || !slices.ContainsFunc(l[at:], func(x token) bool { return x.named("and", "or", "not") }) {
		return nil
	}
	last := len(l)
	if l[last-1].is("{") {
		last--
	}
	var parts [][]token
	first := at + 1
	for k := first; k <= last; k++ {
		if k == last || l[k].named("and", "or") {
			parts, first = append(parts, withoutRound(l[first:k])), k+1
		}
	}
	for _, p := range parts {
		if slices.ContainsFunc(p, func(x token) bool { return x.text == l[1].text }) {
			continue // the number of the repeat, which ends with its range
		}
		if len(p) > 0 && p[0].named("not") {
			p = endingOf(withoutRound(p[1:]))
		}
		if len(p) > 2 {
			return slices.Concat(l[:at+1], p, l[last:])
		}
	}
	return nil
}

// oneLoop returns the loop that begins with the first of some parts between commas, and the
// number of parts that it takes. told says that the rule for nested loops reports a single such
// loop.
func oneLoop(parts [][]token) (loop []token, used int, told bool) {
	name, value, told := loopHead(parts[0])
	if len(value) == 0 {
		return nil, 0, false
	}
	loop = []token{name, operator("=", name)}
	dots := []token{operator("..", value[0])}
	if ends := reversedRange(value); ends != nil {
		return stepped(slices.Concat(loop, ends[1], dots, ends[0]), []token{operator("-", name), word(tokInt, "1", name)}), 1, false
	}
	if ends := rangeCall(value); ends != nil {
		return stepped(slices.Concat(loop, ends[0], dots, ends[1]), slices.Concat(ends[2:]...)), 1, true
	}
	c := cut(value, "..")
	if len(c) != 3 || anyEmpty(c) || slices.ContainsFunc(c[1], func(x token) bool { return x.is("=") }) { // not a range with a step in it
		if slices.ContainsFunc(value[1:], func(x token) bool { return x.is("..") }) {
			return dottedLoop(loop, value, parts, told)
		}
		c = cut(value, ":")
	}
	if len(c) > 1 {
		if loop = loopOfParts(loop, dots, c); loop == nil {
			return nil, 0, false
		}
		return loop, 1, len(c) == 2
	}
	// As in Fortran, with commas between the bounds and before the step.
	used = 1
	for used < min(3, len(parts)) && len(parts[used]) > 0 && !slices.ContainsFunc(parts[used], func(x token) bool { return x.is("=") || x.is("in") || x.is(":") }) {
		used++
	}
	if used == 1 {
		return nil, 0, false
	}
	loop = slices.Concat(loop, value, dots, parts[1])
	if used == 3 {
		loop = stepped(loop, parts[2])
	}
	return loop, used, false
}

// loopOfParts adds to a loop its bounds, and the step in the middle or at the end if there are three parts; nil for other parts.
func loopOfParts(loop, dots []token, c [][]token) []token {
	if len(c) > 3 || anyEmpty(c) {
		return nil
	}
	if len(c) == 3 && (c[2][0].is("-") || len(c[2]) == 1 && c[2][0].kind == tokInt && c[1][0].kind == tokIdent) {
		c[1], c[2] = c[2], c[1] // the step is the last, as in Fortran and Python
	}
	loop = slices.Concat(loop, c[0], dots, c[len(c)-1])
	if len(c) == 3 {
		loop = stepped(loop, c[1])
	}
	return loop
}

// reversedRange are the ends of the range in reversed(1..N); nil for other values.
func reversedRange(value []token) [][]token {
	if !value[0].named("reversed", "reverse") || !bracketed(value[1:]) {
		return nil
	}
	if ends := cut(value[2:len(value)-1], ".."); len(ends) == 2 && !anyEmpty(ends) {
		return ends
	}
	return nil
}

// loopHead returns the name of a loop, and the tokens behind its =, in, := or <-; none without
// such a sign. told is as in oneLoop.
func loopHead(p []token) (name token, value []token, told bool) {
	if len(p) < 3 || p[0].kind != tokIdent {
		return name, nil, false
	}
	switch sign, next := p[1], p[2]; {
	case sign.is("="):
		return p[0], p[2:], false
	case sign.is("in"):
		return p[0], p[2:], true
	case sign.is(":") && next.is("="):
		return p[0], p[3:], true
	case sign.is("<") && next.is("-"):
		return p[0], p[3:], false
	}
	return name, nil, false
}

// dottedLoop does what oneLoop does, for a range that is written with two dots.
func dottedLoop(loop, value []token, parts [][]token, told bool) ([]token, int, bool) {
	k := slices.IndexFunc(value, func(x token) bool { return x.is("..") })
	if k+2 < len(value) && value[k+1].is(".") {
		value, told = slices.Delete(slices.Clone(value), k+1, k+2), false
	}
	if step := slices.IndexFunc(value, func(x token) bool { return x.named("step") }); step > 0 && step+2 < len(value) && value[step+1].is("=") {
		value = slices.Delete(slices.Clone(value), step+1, step+2)
	}
	if value[min(k+1, len(value)-1)].is("<") {
		return nil, 0, false // another rule reports a range without its last number
	}
	loop = append(loop, value...)
	if len(parts) > 1 && len(parts[1]) > 0 && len(parts[1]) < 3 && parts[1][len(parts[1])-1].kind == tokInt { // of Fortran
		return stepped(loop, parts[1]), 2, false
	}
	return loop, 1, told
}

// anyEmpty reports whether one of some parts has no tokens.
func anyEmpty(parts [][]token) bool {
	return slices.ContainsFunc(parts, func(p []token) bool { return len(p) == 0 })
}

// stepped adds a step to a loop, unless there is none, or it is 1.
func stepped(loop, by []token) []token {
	if len(by) == 0 || len(by) == 1 && by[0].text == "1" {
		return loop
	}
	return append(append(loop, word(tokIdent, "step", by[0])), by...)
}

// listed reports whether the ( at token k begins arguments that are one list, as in min([a,
// b]).
func (t *translator) listed(k int) bool {
	open := t.at(k + 1)
	return k > 0 && t.at(k-1).named("min", "max", "sum", "fmin", "fmax") && open.is("[") && t.match[k] > k && t.match[k+1] == t.match[k]-1 &&
		slices.ContainsFunc(t.tokens[k+2:t.match[k+1]], func(x token) bool { return x.is(",") }) && len(commas(t.tokens[k+2:t.match[k+1]])) > 1
}

// oneOf translates x in [a, b] and x not in (a, b), the in being token k. It returns false for any other in.
func (t *translator) oneOf(e edits, k int) bool {
	if !t.at(k+1).is("[") && !t.at(k+1).is("(") {
		return false
	}
	behind, sign, joint := k, "==", "||" // behind is the token behind x
	if t.at(k - 1).named("not") {
		behind, sign, joint = k-1, "!=", "&&"
	}
	first, last := t.operandBefore(behind), t.match[k+1]
	if first < 0 || last < 0 || last-k > mostOperand || !t.inParentheses(k) && !t.at(first-1).named("if", "elif", "elseif") {
		return false
	}
	values := commas(t.tokens[k+2 : last])
	for n, v := range values {
		values[n] = slices.Concat(t.tokens[first:behind], []token{operator(sign, t.at(k))}, v)
	}
	out := between(values, joint, t.at(k))
	if !t.found("one of", join(t.at(first).span(), t.at(last).span()), "there are no lists: a comparison is with one number", func() string { return "(" + lineOf(out, maxForeignTokens) + ")" }, diag.Replacement) {
		return false
	}
	t.supersede(e, first, last, slices.Concat([]token{operator("(", t.at(k))}, out, []token{operator(")", t.at(k))}))
	return true
}

// listArgument drops the brackets of the list that is the argument of a function, from the (
// at token k on.
func (t *translator) listArgument(e edits, k int) bool {
	if !t.listed(k) {
		return false
	}
	last := t.match[k]
	inner := t.tokens[k+2 : last-1]
	if t.found("list argument", join(t.at(k-1).span(), t.at(last).span()), "a function has arguments, and there are no lists", func() string {
		return t.at(k-1).text + "(" + lineOf(inner, maxForeignTokens) + ")"
	}, diag.Replacement) {
		e.replace(k + 1)
		e.replace(last - 1)
	}
	return true
}
