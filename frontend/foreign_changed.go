package frontend

import (
	"slices"
	"strings"

	"loopc/ir/diag"
)

// A name that iterations change is no number of the file, whatever value it begins with. Which of a var, a cell or a
// reduction it is, only its uses tell: where they do not, nothing is offered.

// changedMessage is said of the first value of a name that iterations change, and that no rule understands.
const changedMessage = " changes while the nest runs, so it is no param and no const: " + scalarRoles

// scalarRoles says what a name that a body assigns to may be.
const scalarRoles = "what changes within one iteration is a var, from one iteration to the next a cell of an array, and what all iterations have together a reduction"

// firstMessage is said of the first value of a reduction.
const firstMessage = "what all iterations have together is a reduction, which needs no first value: a sum begins with 0, a max with the lowest value"

// findChanging finds the names that a statement behind the first loop assigns to, or counts up, within braces or an indented line.
func (t *translator) findChanging() {
	t.changing = map[string]bool{}
	loop, depth := false, 0
	for k, x := range t.tokens {
		switch {
		case x.is("{"):
			depth++
		case x.is("}"):
			depth--
		case x.is("for"), x.named("while", "do"):
			loop = true
		case loop && (depth > 0 || x.indent > 0) && x.kind == tokIdent && (t.assignsAt(k) || t.countsAt(k)):
			t.changing[x.text] = true
		}
	}
}

// countsAt reports whether ++ or -- stands behind token k.
func (t *translator) countsAt(k int) bool {
	sign, next := t.at(k+1), t.at(k+2)
	return (sign.is("+") || sign.is("-")) && next.is(sign.text) && next.glued && sign.glued
}

// assignsAt reports whether a statement that assigns to the name at token k, or updates it, begins there: alone, or as one of several
// names before one =.
func (t *translator) assignsAt(k int) bool {
	first, last := k, k
	for first > 1 && t.at(first-1).is(",") && t.at(first-2).kind == tokIdent && t.sameLine(first-2, k) && k-first < maxDepth {
		first -= 2
	}
	for t.at(last+1).is(",") && t.at(last+2).kind == tokIdent && t.sameLine(last, last+2) && last-k < maxDepth {
		last += 2
	}
	next := t.at(last + 1)
	return t.beginsStatement(first) && (next.is("=") || last == first && t.updatesWith(last+1))
}

// beginsStatement reports whether a statement begins with token k, behind the condition of an if, too.
func (t *translator) beginsStatement(k int) bool {
	if k == 0 || !t.sameLine(k-1, k) {
		return true
	}
	before := t.at(k - 1)
	return slices.ContainsFunc([]string{";", "{", "}", ")", ":"}, before.is) || before.named("then", "else")
}

// updatesWith reports whether token k is the sign of += or ++, or of their like.
func (t *translator) updatesWith(k int) bool {
	sign, behind := t.at(k), t.at(k+1)
	return sign.kind == tokOp && strings.Contains("+-*/", sign.text) && behind.glued && (behind.is("=") || behind.is(sign.text))
}

// changed drops the first value, tokens k to end, of names that iterations change. It returns false if they change none of them.
func (t *translator) changed(e edits, k, end int, names ...token) bool {
	at := slices.IndexFunc(names, func(x token) bool { return t.changing[x.text] })
	if at < 0 || t.around(k) != nil {
		return false
	}
	if !slices.ContainsFunc(names, func(x token) bool { return !t.sums[x.text] }) {
		return t.gone(e, k, end, "first value", firstMessage, func() string { return leaveOut }, diag.Advice) > k
	}
	if !t.found("changed", join(t.at(k).span(), t.at(end).span()), names[at].text+changedMessage, func() string { return "" }) {
		return false
	}
	for _, x := range names {
		t.spoil(x.text)
	}
	e.drop(k, end)
	return true
}

// findCompared finds the ifs that keep the greatest or least value so far, if x > best { best = x; bi = i }, in the form of any
// language, where nothing else reads the names that they assign to. These names are then a reduction's.
func (t *translator) findCompared(found map[string]*scalarUses) {
	t.compared = map[diag.Pos]string{}
	for k, x := range t.tokens {
		if !x.named("if") {
			continue
		}
		names, hint := t.comparedAt(k)
		known := hint != ""
		for n, name := range names {
			u := found[name]
			if n == 0 && known && t.reduced[name] { // the reduce is there
				t.compared[x.pos] = leaveOut
				break
			}
			if known = known && u != nil && !u.local && !t.arrays[name] && !t.reduced[name]; known {
				known = u.all == u.explained+map[bool]int{true: 1}[n == 0]
			}
		}
		if !known || t.compared[x.pos] != "" {
			continue
		}
		t.compared[x.pos] = hint
		for _, name := range names {
			found[name].updated, found[name].explained = true, found[name].all
		}
	}
}

// comparedAt reads the if at token k for findCompared: the names that it assigns to, and the reduction; "" if it is another if.
func (t *translator) comparedAt(k int) (names []string, hint string) {
	test, behind := t.testAt(k)
	value, best, op := t.bestOf(test)
	if op == "" {
		return nil, ""
	}
	var places []string
	for n, s := range t.guardedBy(k, behind) {
		switch {
		case len(s) < 3 || s[0].kind != tokIdent || !s[1].is("="):
			return nil, ""
		case n > 0 && len(s) == 3 && s[2].kind == tokIdent:
			places = append(places, s[2].text)
		case n > 0 || s[0].text != best || textOf(s[2:]) != textOf(value):
			return nil, ""
		}
		names = append(names, s[0].text)
	}
	if names == nil {
		return nil, ""
	}
	hint = "reduce " + strings.Join(names, ", ") + " = " + op + "(" + textOf(value) + ")"
	if places != nil {
		hint += " at (" + strings.Join(places, ", ") + ")"
	}
	return names, hint
}

// bestOf reads the condition x > best: the value x, the name, and the reduction, max or min; "" if it is another condition.
func (t *translator) bestOf(test []token) (value []token, best, op string) {
	at := slices.IndexFunc(test, func(x token) bool { return opposites[x.text] != "" })
	if at < 1 || at == len(test)-1 || slices.ContainsFunc(test, func(x token) bool { return x.is("&&") || x.is("||") || x.is("=") || x.named("and", "or") }) {
		return nil, "", ""
	}
	left, right, greatest := test[:at], test[at+1:], strings.Contains(test[at].text, ">")
	if len(left) == 1 && (len(right) > 1 || !t.changing[right[0].text]) {
		left, right, greatest = right, left, !greatest
	}
	if len(right) != 1 || right[0].kind != tokIdent {
		return nil, "", ""
	}
	return left, right[0].text, map[bool]string{true: "max", false: "min"}[greatest]
}

// testAt returns the condition of the if at token k, in the form of any language, and the token behind it.
func (t *translator) testAt(k int) (test []token, behind int) {
	line := t.tokens[k+1 : t.endOfLine(k)+1]
	stop := slices.IndexFunc(line, func(x token) bool { return x.is("{") || x.is(":") || x.named("then") })
	if stop < 0 {
		stop = len(line)
	}
	if len(line) > 0 && line[0].is("(") {
		stop = min(stop, partner(line)+1)
	}
	return withoutRound(line[:stop]), k + 1 + stop
}

// endOfLine is the last token of the line of token k.
func (t *translator) endOfLine(k int) int {
	for t.sameLine(k, k+1) && t.at(k+1).kind != tokEOF {
		k++
	}
	return k
}

// guardedBy returns the statements of the if at token k, whose condition ends before token from; nil if it has an else.
func (t *translator) guardedBy(k, from int) (list [][]token) {
	if t.at(from).named("then") || t.at(from).is(":") {
		from++
	}
	last := t.lastGuarded(k, from)
	if t.at(last+1).named("else", "elseif", "elif") || last-k > maxForeignTokens {
		return nil
	}
	var s []token
	for j := from; j <= last+1; j++ {
		x := t.at(j)
		ends := j > last || x.is(";") || x.is("{") || x.is("}")
		if (ends || !t.sameLine(j-1, j)) && len(s) > 0 {
			if endWord(s) == 0 {
				list = append(list, s)
			}
			s = nil
		}
		if !ends {
			s = append(s, x)
		}
	}
	return list
}

// lastGuarded is the last token of what the if at token k guards, from the given token on: of a block in braces, the rest of the
// line, or the lines that are indented more.
func (t *translator) lastGuarded(k, from int) int {
	last := from
	switch {
	case t.at(from).is("{"):
		for last < len(t.tokens)-1 && last-from < maxForeignTokens && !t.at(last).is("}") {
			last++
		}
	case t.sameLine(k, from):
		last = t.endOfLine(k)
	default:
		for last < len(t.tokens) && t.at(last).kind != tokEOF && t.at(last).indent > t.at(k).indent {
			last++
		}
		last--
	}
	return last
}

// keepsGreatest drops the if at token k, and returns its last token, if findCompared has found it.
func (t *translator) keepsGreatest(e edits, k int) int {
	hint := t.compared[t.at(k).pos]
	_, last := t.tested(k)
	if hint == "" || last == k {
		return k
	}
	end := t.end(last + 1)
	if t.at(last+1).is("{") && t.match[last+1] > last {
		end = t.match[last+1]
	}
	if hint == leaveOut {
		return t.gone(e, k, end, "compared "+hint, "a reduction collects the values of its own expression, of all iterations: the body neither compares nor assigns it", func() string { return hint }, diag.Advice)
	}
	return t.gone(e, k, end, "compared "+hint, "what all iterations have together is a reduction, before the for", func() string { return hint }, diag.Example)
}

// severalMessage is said of an assignment to several names or cells at once.
const severalMessage = "an assignment is to one name or cell: each is a statement of its own, and sees what those before it have assigned"

// severalTargets drops a, b = b, a + b of names.
func (t *translator) severalTargets(e edits, k int) int {
	end := t.end(k)
	if t.at(k+1).opens() && t.match[k+1] > k && t.at(t.match[k+1]+1).is(",") {
		t.spoil(droppedStatement)
		list := severalCells(t.tokens[k : end+1])
		if list == nil && t.at(t.match[k+1]+2).kind == tokIdent {
			return t.gone(e, k, end, "several targets", severalMessage, func() string { return "" })
		}
		if list != nil {
			return t.gone(e, k, end, "several cells", "an assignment is to one cell: each is a statement of its own", func() string { return statementsText(between(list, ";", t.at(k))) })
		}
	}
	equals := slices.IndexFunc(t.tokens[k:end+1], func(x token) bool { return x.is("=") })
	if equals < 3 || !t.at(k+1).is(",") || !t.assignsAt(k) {
		return k
	}
	for _, x := range t.tokens[k : k+equals] {
		t.spoil(x.text)
	}
	return t.gone(e, k, end, "several targets", severalMessage, func() string { return "" })
}
