package frontend

import (
	"slices"
	"strconv"

	"loopc/ir/diag"
)

// A while of other languages that counts, i = 1; while i <= N { ...; i += 1 }, is a for: its range has the first value,
// and the test the last one. The statements that begin and count go. If the test says more, the rest of it ends a repeat,
// or is an if within an inner loop.

// A countingWhile is a while whose block counts a name that its test compares with a bound.
type countingWhile struct {
	open         int    // the brace of its block
	name         token  // what is counted
	start, steps [2]int // the first and the last token of the statement that begins, and of the one that counts
	lo, hi, by   []token
	test         []token   // all that the while tests
	rest         [][]token // the conditions that say nothing of the range
	shift        int       // how much more than the name at its test the block reads
	kept         bool      // something reads the name behind the while
}

// countingWhiles translates the whiles that count.
func (t *translator) countingWhiles() {
	t.pair()
	e := edits{}
	for k := range t.tokens {
		if !t.at(k).named("while") || !t.startsStatement(k) || t.declared[t.at(k).text] {
			continue
		}
		if w := t.countingWhile(k); w != nil {
			t.countsItself(e, k, w)
		} else if w := t.endlessWhile(k); w != nil {
			t.countsInside(e, k, w, ", where 100 is the most iterations that may be needed")
		} else {
			t.followedPath(e, k)
		}
	}
	t.tokens = e.apply(t.tokens, 0, len(t.tokens))
}

// startsStatement reports whether a statement begins with token k.
func (t *translator) startsStatement(k int) bool {
	return k == 0 || !t.sameLine(k-1, k) || t.at(k-1).is(";") || t.at(k-1).is("{") || t.at(k-1).is("}")
}

// countingWhile reads the while at token k; nil if it does not count.
func (t *translator) countingWhile(k int) *countingWhile {
	open := t.end(k) + 1
	if !t.at(open).is("{") || t.match[open] < open || open-k > maxForeignTokens {
		return nil
	}
	test := t.lengths(withoutRound(t.tokens[k+1 : open]))
	tests := conjuncts(test)
	for n, part := range tests {
		for _, turned := range [][]token{part, turnedTest(part)} {
			w := &countingWhile{open: open, test: test, rest: slices.Delete(slices.Clone(tests), n, n+1)}
			if len(turned) > 2 && turned[0].kind == tokIdent && t.countedIn(w, turned) && t.begins(w, k) {
				return w
			}
		}
	}
	return nil
}

// conjuncts divides a condition at its && and and.
func conjuncts(l []token) (parts [][]token) {
	around, _ := bracketsOf(l)
	first := 0
	for k := 0; k <= len(l); k++ {
		if k == len(l) || around[k] == outside && (l[k].is("&&") || l[k].named("and") || l[k].is(".") && k+2 < len(l) && l[k+1].named("and") && l[k+2].is(".")) {
			parts = append(parts, withoutRound(l[first:k]))
			if first = k + 1; k < len(l) && l[k].is(".") {
				first = k + 3
			}
		}
	}
	return parts
}

// turnedTest is N > i for i < N; nil for another condition.
func turnedTest(l []token) []token {
	last := len(l) - 1
	if last < 2 || l[last].kind != tokIdent {
		return nil
	}
	sign := map[string]string{"<": ">", "<=": ">=", ">": "<", ">=": "<=", "!=": "!="}[l[last-1].text]
	if sign == "" {
		return nil
	}
	return slices.Concat([]token{l[last], operator(sign, l[last-1])}, l[:last-1])
}

// countedIn reads what a test says of the range of the name with which it begins, and finds the only statement of the
// block that changes this name, by a number. It returns false if there is another one, or if the name is read before
// the statement and behind it.
func (t *translator) countedIn(w *countingWhile, test []token) bool {
	beyond, known := map[string]int{"<": -1, "!=": -1, "<=": 0, ">": 1, ">=": 0}[test[1].text]
	w.name = test[0]
	depth, before, behind := 0, false, false
	for k := w.open + 1; k < t.match[w.open]; k++ {
		switch x := t.at(k); {
		case x.is("{"):
			depth++
		case x.is("}"):
			depth--
		case x.kind != tokIdent || x.text != w.name.text:
		case w.by != nil:
			behind = true
		default:
			if first := t.firstOf(k); depth > 0 || !t.stepsBy(w, first) {
				before = true
			} else if w.steps = [2]int{first, t.end(first)}; k < w.steps[1] {
				k = w.steps[1]
			}
		}
	}
	down := len(w.by) == 2
	if !known || w.by == nil || before && behind || t.assignedWithin(w) || down == (test[1].text[0] == '<') {
		return false
	}
	if w.hi = test[2:]; down && beyond < 0 {
		beyond = 1
	}
	if beyond != 0 {
		w.hi = plus(w.hi, beyond)
	}
	if behind { // its numbers are those after the step
		w.shift, _ = strconv.Atoi(textOf(w.by))
		w.hi = plus(w.hi, w.shift)
	}
	return true
}

// firstOf is the first token of the statement whose name is token k: of i, of ++i and of --i.
func (t *translator) firstOf(k int) int {
	if k > 1 && t.at(k-1).glued && t.at(k-1).is(t.at(k-2).text) && (t.at(k-1).is("+") || t.at(k-1).is("-")) && t.startsStatement(k-2) {
		return k - 2
	}
	return k
}

// stepsBy reads i += 1, i++, ++i and i = i + 1, and the same with minus, from token k on. The numbers are those of
// w.by, with a minus if the loop runs backward.
func (t *translator) stepsBy(w *countingWhile, k int) bool {
	u, ok := t.updateAt(k)
	if !ok || !t.startsStatement(k) || t.at(u.cell).text != w.name.text || u.over != u.cell+1 {
		return false
	}
	sign, value := u.sign, t.tokens[min(u.value, u.end+1):u.end+1]
	if sign.text == "" {
		if !t.at(k+1).is("=") || u.end != k+4 || t.at(k+2).text != w.name.text {
			return false
		}
		sign, value = t.at(k+3), t.tokens[k+4:k+5]
	}
	if len(value) == 0 {
		value = []token{word(tokInt, "1", sign)}
	}
	if len(value) != 1 || value[0].kind != tokInt || value[0].text == "0" || !sign.is("+") && !sign.is("-") {
		return false
	}
	if w.by = value; sign.is("-") {
		w.by = []token{operator("-", sign), value[0]}
	}
	return true
}

// assignedWithin reports whether the block of a while assigns to the counted name in another statement than the one that
// counts.
func (t *translator) assignedWithin(w *countingWhile) bool {
	return slices.ContainsFunc(t.assignmentsTo(w.name.text), func(k int) bool {
		return w.open < k && k < t.match[w.open] && (k < w.steps[0] || k > w.steps[1])
	})
}

// begins finds the statement that gives the counted name its first value, before the while at token k, and whether
// something reads the name between, or behind the while.
func (t *translator) begins(w *countingWhile, k int) bool {
	for j := k - 1; j >= 0; j-- {
		x := t.at(j)
		switch {
		case x.is("}") && t.match[j] >= 0:
			if slices.ContainsFunc(t.tokens[t.match[j]:j], func(x token) bool { return x.text == w.name.text }) {
				return false
			}
			j = t.match[j]
		case x.is("{"):
			return false
		case x.kind != tokIdent || x.text != w.name.text:
		default:
			equals := j + 1
			if t.at(equals).kind == tokIdent && typeName(t.at(equals).text) != "" {
				equals++
			}
			if t.at(equals).is(":") && t.at(equals+1).is("=") {
				equals++
			}
			if !t.at(equals).is("=") {
				return false
			}
			w.lo = commas(t.tokens[equals+1 : max(equals+1, t.end(j)+1)])[0]
			w.start = [2]int{j, equals + len(w.lo)}
			if len(w.lo) == 0 || !t.declaredAt(w) {
				return false
			}
			w.lo, w.kept = plus(w.lo, w.shift), t.readBehindBlock(w.name.text, t.match[w.open])
			return true
		}
	}
	return false
}

// declaredAt extends the statement that begins a counting while to its words before the name, or to one of the commas
// beside it. It returns false if the name is one of several with values behind one =.
func (t *translator) declaredAt(w *countingWhile) bool {
	first := w.start[0]
	for !t.startsStatement(first) {
		x := t.at(first - 1)
		switch {
		case x.is(","):
			w.start[0] = first - 1
			for first > 0 && !t.startsStatement(first) {
				if first--; t.at(first).is("=") {
					return true
				}
			}
			return false
		case x.kind != tokIdent && x.kind != tokKeyword && !x.is(":"):
			return false
		}
		first--
	}
	if w.start[0] = first; t.at(w.start[1] + 1).is(",") {
		w.start[1]++
		for w.start[0] = first; t.at(w.start[0]).text != w.name.text; {
			w.start[0]++
		}
	}
	return true
}

// readBehindBlock reports whether the block around a block, whose last brace is token last, reads a name behind it before
// assigning to it.
func (t *translator) readBehindBlock(name string, last int) bool {
	depth := 0
	for k := last + 1; k < len(t.tokens) && depth >= 0; k++ {
		switch x := t.at(k); {
		case x.is("{"):
			depth++
		case x.is("}"):
			depth--
		case x.kind == tokIdent && x.text == name:
			next := t.at(k + 1)
			return !next.is("=") && !next.is("in") && !next.is(":") && !(typeName(next.text) != "" && t.at(k+2).is("="))
		}
	}
	return false
}

// loop is the loop that a counting while is, for a name.
func (w *countingWhile) loop(keyword string, name, near token) []token {
	out := slices.Concat([]token{operator(keyword, near), name, operator("=", near)}, w.lo, []token{operator("..", near)}, w.hi)
	if textOf(w.by) != "1" {
		out = append(append(out, word(tokIdent, "step", near)), w.by...)
	}
	out = moved(out, near)
	for k := range out {
		out[k].pos.Line = near.pos.Line
	}
	return out
}

// countsItself replaces the counting while at token k.
func (t *translator) countsItself(e edits, k int, w *countingWhile) {
	near := t.at(k)
	header := w.loop("for", w.name, near)
	switch {
	case len(w.rest) == 0 && !(w.kept && t.inLoop(k)):
	case t.loopsWithin(w.open):
		until := t.firstEnding(w.rest)
		if until == nil {
			return
		}
		t.withoutFirst(e, k, w.open, until)
		header = slices.Concat(w.loop("repeat", w.name, near), []token{operator("until", near)}, moved(until, near))
	case t.inLoop(k):
		t.countsInside(e, k, w, "")
		return
	default:
		return
	}
	at, kind := join(near.span(), t.at(w.open-1).span()), diag.Example
	if t.braces[t.at(w.open).pos] && t.sameLine(k, w.open) {
		at, kind = join(near.span(), t.at(w.open).span()), diag.Replacement
	}
	const message = "there is no while: a loop that counts has a range, both ends included, and counts by itself"
	if !t.found("while counts", at, message, func() string { return textOf(header) + " {" }, kind) {
		return
	}
	e.drop(k, w.open-1)
	e.replace(k, header...)
	t.gone(e, w.start[0], w.start[1], "counts first", "the range of the loop begins with the first value of "+w.name.text, func() string { return leaveOut }, diag.Advice)
	t.gone(e, w.steps[0], w.steps[1], "counts", "the for counts its loops itself", func() string { return leaveOut }, diag.Advice)
}

// firstEnding is what ends a repeat in place of a while with some conditions: the negation of the first comparison.
func (t *translator) firstEnding(conditions [][]token) []token {
	for _, c := range conditions {
		if until := endingOf(c); until != nil {
			return until
		}
	}
	return nil
}

// valuesOf are the places where a name stands before an =.
func (t *translator) valuesOf(name string) (at []int) {
	for k, x := range t.tokens {
		if x.kind == tokIdent && x.text == name && t.at(k+1).is("=") {
			at = append(at, k)
		}
	}
	return at
}

// blockOf is the brace of the innermost block that contains token k; -1 outside of blocks.
func (t *translator) blockOf(k int) int {
	for j := k - 1; j >= 0; j-- {
		switch x := t.at(j); {
		case x.is("}") && t.match[j] >= 0:
			j = t.match[j]
		case x.is("{"):
			return j
		}
	}
	return -1
}

// inLoop reports whether token k is in the block of a loop.
func (t *translator) inLoop(k int) bool {
	for open := t.blockOf(k); open >= 0; open = t.blockOf(open) {
		first := open
		for !t.startsStatement(first) {
			first--
		}
		if t.at(first).is("for") || t.at(first).named("while") {
			return true
		}
	}
	return false
}
