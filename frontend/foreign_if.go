package frontend

import (
	"slices"
	"strings"

	"loopc/ir/diag"
)

// The statements of an if stand in braces. This file reports other forms of an if, of a while and of
// an until, and translates them.

// tested returns the condition of the if at token k, and the last token before the guarded
// statement. last is k if the condition is neither in brackets nor before a block or a jump.
func (t *translator) tested(k int) (condition string, last int) {
	last = t.match[min(k+1, len(t.match)-1)]
	if t.at(k+1).is("(") && last > k && !comparison(t.at(last+1)) && !slices.ContainsFunc([]string{"%", "&", "|", "^"}, t.at(last+1).is) {
		return operandText(t.tokens[k+2 : last]), last
	}
	for last = k; t.sameLine(k, last+1) && last-k < maxForeignTokens; last++ {
		x := t.at(last + 1)
		if first := t.operandBefore(last + 1); x.assigns() && first > k+1 && t.at(first-1).operand() { // the condition ends before the cell
			return operandText(t.tokens[k+1 : first]), first - 1
		}
		if x.is("{") || x.is("}") || x.is(";") || x.is("=") || x.jumps() {
			break
		}
	}
	if last == k || !t.at(last+1).is("{") && !t.at(last+1).jumps() {
		return "", k
	}
	test := t.tokens[k+1 : last+1]
	if test[len(test)-1].named("then") {
		test = test[:len(test)-1]
	}
	return operandText(test), last
}

// jumps reports whether x is a word of another language that leaves an iteration, a loop or a function.
func (x token) jumps() bool {
	return x.kind == tokIdent && x.named("break", "exit", "cycle", "continue", "goto", "return")
}

// blockAt reports whether a block of the source begins with token k.
func (t *translator) blockAt(k int) bool {
	return t.at(k).is("{") && t.braces[t.at(k).pos] && t.match[k] > k
}

// condition puts braces around the statements of an if of another language. It returns the last token that it has translated, or
// k if it has translated nothing.
func (t *translator) condition(e edits, k int) int {
	text, last := t.tested(k)
	if last == k {
		return k
	}
	if end := t.keepsGreatest(e, k); end > k {
		return end
	}
	if end, ok := t.jump(e, k, last+1, text); ok {
		return end
	}
	if t.blockAt(last + 1) {
		return k // as in this language
	}
	if end := t.match[last+1]; t.at(last+1).is("{") && end > last && t.braces[t.at(end).pos] { // only the } is in the source
		t.found("if", t.headerEnd(join(t.at(k).span(), t.at(last).span())), "the block of an if begins with a brace", func() string { return "if " + text + " {" })
		return last
	}
	test := t.tokens[k+1 : last+1]
	if test[len(test)-1].named("then") {
		test = test[:len(test)-1]
	}
	header := slices.Concat([]token{t.at(k)}, truth(withoutRound(test)), []token{operator("{", t.at(last))})
	end, hint, open := last, "if "+text+" {", last+1
	if close := t.match[open]; !t.at(open).is("{") {
		header, end, hint = t.bare(e, header, last)
	} else if close-1 > open && t.sameLine(k, close-1) { // of Python, in one line
		end = close - 1
		hint += " " + textOf(t.tokens[open+1:close]) + " }"
	}
	if !t.found("if", t.headerEnd(join(t.at(k).span(), t.at(end).span())), "the statements of an if stand in braces", func() string { return hint }) {
		return k
	}
	t.chosenEnds(k, open, end == last)
	e.drop(k, last)
	e.replace(k, header...)
	if t.at(last + 1).is("{") {
		e.replace(k, header[:len(header)-1]...)
	}
	return last
}

// bare puts braces around the statement of an if or an else without braces. header is what the block is to begin with; token last
// ends the header in the source. bare returns header, and what the report needs: the last token to replace, and the new text. Both
// include the statement if it is in the same line. The text is empty if an else follows in this line.
func (t *translator) bare(e edits, header []token, last int) (out []token, end int, hint string) {
	hint = textOf(header)
	if len(header) > 2 {
		hint = header[0].text + " " + textOf(header[1:])
	}
	end = t.guarded(last+1, 0)
	if t.at(last+1).text != "if" {
		end = t.end(last + 1)
	}
	e.at(end).behind = append(e.at(end).behind, operator("}", t.at(end)))
	if !t.sameLine(last, end) {
		return header, last, hint
	}
	hint += " " + textOf(t.tokens[last+1:end+1]) + " }"
	next := end + 1
	if t.at(next).is(";") {
		next++
	}
	if !t.at(next).named("else") || !t.sameLine(end, next) {
		return header, end, hint
	}
	return header, last, ""
}

// single returns the tokens of the statement in the block at the brace k, if there is only one.
func (t *translator) single(k int) []token {
	end := t.end(k + 1)
	after := end + 1
	if t.at(after).is(";") {
		after++
	}
	if t.match[k] != after {
		return nil
	}
	return t.tokens[k+1 : end+1]
}

// while drops the header of a while or do, and keeps its block.
func (t *translator) while(e edits, k int) int {
	last := t.end(k)
	at, hint, kind := t.at(k).span(), "repeat t = 1..1000 until change < 1e-6 {", diag.Pattern
	if until := t.untilOf(k); until != nil && !t.ofTime(until) {
		hint, kind = "repeat t = 1..1000 until "+textOf(until)+" {", diag.Example
		if counts := until[0].kind == tokIdent && !t.declared[until[0].text] && !t.arrays[until[0].text]; counts && len(until) > 2 && until[1].is(">=") {
			hint = "repeat " + until[0].text + " = 1.." + textOf(until[2:]) + " {"
		}
		if t.at(last+1).is("{") && t.sameLine(k, last+1) {
			at, kind = join(at, t.at(last+1).span()), diag.Replacement
		}
	}
	if !t.found("while", at, "there is no while: a for goes over a range, and a repeat ends by until, when a reduction of its nests is small enough", func() string { return hint }, kind) {
		return k
	}
	e.drop(k, last)
	if len(t.dropped) < maxForeign {
		t.dropped = append(t.dropped, [2]diag.Pos{t.at(k).pos, t.at(last).pos}) // the header has one report
	}
	if open := last + 1; t.at(open).is("{") && t.match[open] > open {
		if t.around(k) == nil && !slices.ContainsFunc(t.tokens[open:min(t.match[open], open+maxForeignTokens)], func(x token) bool { return x.is("for") }) {
			// No loop surrounds the statements: a for with an unreadable header takes the place of the while.
			t.spoilNames(t.tokens[k:open])
			e.replace(k, operator("for", t.at(k)), token{kind: tokIllegal, text: hole, pos: t.at(k).pos})
			return last
		}
		t.unwrap(e, open)
	}
	return last
}

// ofTime reports whether a comparison has a name that the file advances by steps, as in t += dt, and no reduction can be what it
// compares.
func (t *translator) ofTime(until []token) bool {
	return slices.ContainsFunc(until, func(x token) bool {
		return x.kind == tokIdent && slices.ContainsFunc(t.lines(), func(l []token) bool {
			last := lastOf(l, ";")
			stepped := len(l) > 3 && l[0].text == x.text && l[1].is("+") && l[2].is("=") || len(l) > 2 && l[0].text == x.text && l[1].is("+=")
			return stepped && last > 0 && (l[last].kind == tokInt || l[last].kind == tokFloat || t.numbers[l[last].text]) && last <= 3
		})
	})
}

// untilOf returns the condition for an until in place of the while or do at token k: the opposite of
// its comparison. It returns nil if the condition is not a single comparison.
func (t *translator) untilOf(k int) []token {
	first, last := k, t.lineEnd(k)
	if t.at(k).named("do") && t.at(k+1).is("{") && t.match[k+1] > k {
		first = t.match[k+1] + 1 // behind the block
		last = t.lineEnd(first)
	}
	if t.at(first).named("do") {
		first++
	}
	if !t.at(first).named("while") {
		return nil
	}
	l := t.tokens[first+1 : last+1]
	for len(l) > 0 && (l[len(l)-1].is("{") || l[len(l)-1].is(":") || l[len(l)-1].is(";") || l[len(l)-1].named("do")) {
		l = l[:len(l)-1]
	}
	return endingOf(withoutRound(l))
}

// strayUntil moves the until behind the block of a repeat, at token k, to the line of the repeat.
func (t *translator) strayUntil(e edits, k int) int {
	end := t.lineEnd(k)
	open := -1
	if t.at(k - 1).is("}") {
		open = t.match[k-1]
	}
	head := open
	for head > 0 && t.sameLine(head-1, open) {
		head--
	}
	hint := func() string { return "" }
	const message = "until stands in the line of its repeat"
	if whole := t.tokens[max(head, 0) : open+1]; open > 0 && t.at(head).is("repeat") && !slices.ContainsFunc(whole, func(x token) bool { return x.is("until") }) {
		until := t.tokens[k : end+1]
		if head+1 == open {
			until = slices.Concat(t.numbered(t.at(head)), until)
		}
		line := slices.Concat(t.tokens[head:open], until, []token{operator("{", t.at(open))})
		t.found("until line", join(t.at(head).span(), t.at(open).span()), message, func() string { return textOf(line) }, diag.Replacement)
		e.at(open).before = append(e.at(open).before, moved(until, t.at(open))...)
		hint = func() string { return leaveOut }
	}
	if t.found("until", join(t.at(k).span(), t.at(end).span()), message, hint, diag.Advice) {
		e.drop(k, end)
	}
	return end
}

// moved returns tokens l with the position and the indentation of the token near.
func moved(l []token, near token) []token {
	out := slices.Clone(l)
	for k := range out {
		out[k].pos, out[k].indent = near.pos, near.indent
	}
	return out
}

// endingOf returns the negation of a condition that consists of one comparison; nil for another
// condition.
func endingOf(l []token) []token {
	at := -1
	for k, x := range l {
		switch {
		case opposites[x.text] != "" && at < 0:
			at = k
		case comparison(x) || x.is("!") || x.named("and", "or", "not"):
			return nil
		}
	}
	if at < 1 || at == len(l)-1 {
		return nil
	}
	out := slices.Clone(l)
	out[at] = operator(opposites[l[at].text], l[at])
	return out
}

// otherwise reports an else that is not behind the } of its if, and puts braces around a statement that has none. It returns k.
func (t *translator) otherwise(e edits, k int) int {
	if t.at(k-1).is("}") && t.braces[t.at(k-1).pos] && (t.at(k+1).is("{") || t.at(k+1).named("if")) {
		return k // as in this language
	}
	hint := func() string { return "} else {" }
	if t.at(k + 1).named("if") {
		whole, _ := t.tested(k + 1)
		hint = func() string { return "} else if " + whole + " {" }
	}
	at := t.at(k).span()
	if whole, last := t.tested(k + 1); t.at(k+1).named("if") && whole != "" && t.sameLine(k, last) {
		at = join(at, t.at(last).span())
	}
	if !t.found("else", t.headerEnd(at), "an else stands behind the } of its if, and has braces of its own", hint, diag.Advice) {
		return k
	}
	if !t.at(k + 1).named("if") {
		t.chosenEnds(k, k+1, true)
	}
	if !t.at(k+1).is("{") && !t.at(k+1).named("if") {
		header, _, _ := t.bare(e, []token{t.at(k), operator("{", t.at(k))}, k)
		e.replace(k, header...)
	}
	return k
}

// operandText lays out the tokens of a condition; without tokens it is "condition".
func operandText(tokens []token) string {
	if len(tokens) == 0 {
		return "condition"
	}
	return textOf(truth(tokens))
}

// truth returns condition l, in which each number in place of a condition, as in if (x), is compared with 0.
func truth(l []token) []token {
	for _, sign := range []string{"||", "&&"} {
		if parts := cut(l, sign); len(parts) > 1 {
			for k := range parts {
				parts[k] = truth(parts[k])
			}
			return between(parts, sign, l[0])
		}
	}
	inner := withoutRound(l)
	switch {
	case len(inner) == 0:
		return l
	case len(inner) < len(l):
		return slices.Concat(l[:1], truth(inner), l[len(l)-1:])
	case l[0].is("!"):
		return slices.Concat(l[:1], truth(l[1:]))
	case !isNumber(l):
		return l
	}
	if last := len(l) - 1; last > 0 && !(l[1].is("[") && partner(l[1:]) == last-1) {
		l = slices.Concat([]token{operator("(", l[0])}, l, []token{operator(")", l[last])})
	}
	return slices.Concat(l, []token{operator("!=", l[0]), word(tokInt, "0", l[0])})
}

// isNumber reports whether tokens are certainly a number: cells, names and arithmetic. A call is not certain, because a function
// may return a condition. A literal does not count: no language has the habit of writing one as a condition.
func isNumber(l []token) bool {
	around, closed := bracketsOf(l)
	if !closed || l[0].kind != tokIdent || len(l) > 1 && l[1].is("(") && partner(l[1:]) == len(l)-2 {
		return false
	}
	for k, x := range l {
		sign := x.kind == tokOp && !x.opens() && !x.closes()
		if around[k] == outside && (comparison(x) || sign && binaryOps[x.text].precedence == 0 || x.named("and", "or", "not", "in", "is", "true", "false") || strings.Contains(x.text, hole)) {
			return false
		}
	}
	return true
}
