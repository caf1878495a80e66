package frontend

import (
	"slices"
	"strings"

	"loopc/ir/diag"
)

// An if with the braces of this language, and words or signs of others: } elif c {, and if a = 1 {.

// elseIf is what other languages write in one word, such as elif.
const elseIf = "else if"

// elseIfs replaces elif, elseif and elsif behind the block of an if.
func (t *translator) elseIfs(s lineStart) ([]token, bool) {
	l, k := s.tokens, 0
	if l[0].is("}") {
		k = 1
	} else if !s.before.is("}") {
		return nil, false
	}
	word := l[k]
	if !word.named("elif", "elseif", "elsif") || !l[len(l)-1].is("{") ||
		!t.found("elif", word.span(), "what holds if the condition before does not is an "+elseIf, func() string { return elseIf }, diag.Replacement) {
		return nil, false
	}
	out := slices.Concat(l[:k], moved(madeText(elseIf, word), word), l[k+1:])
	if again, known := t.equalsInIf(lineStart{out, s.before, s.depth}); known {
		out = again
	}
	return out, true
}

// equalsInIf replaces the = in the condition of an if with braces: there it compares.
func (t *translator) equalsInIf(s lineStart) ([]token, bool) {
	l := s.tokens
	first := slices.IndexFunc(l, func(x token) bool { return x.named("if") })
	if first < 0 || first > 2 || s.depth == 0 || !l[len(l)-1].is("{") || slices.ContainsFunc(l[:first], func(x token) bool { return !x.is("}") && !x.named("else") }) {
		return nil, false
	}
	out := slices.Concat(l[:first+1], t.comparing(l[first+1:len(l)-1]), l[len(l)-1:])
	return out, !slices.EqualFunc(out, l, func(x, y token) bool { return x.text == y.text })
}

// comparing returns a condition in which == replaces =.
func (t *translator) comparing(l []token) []token {
	out := slices.Clone(l)
	for k := 1; k < len(l)-1; k++ {
		if l[k].is("=") && !l[k].glued && t.found("equals in if", l[k].span(), "an assignment has the sign =, a comparison ==", func() string { return "==" }, diag.Replacement) {
			out[k] = operator("==", l[k])
		}
	}
	return out
}

// whileInside replaces the while with braces in an inner loop: the loop has as many iterations as may be needed,
// and an if says which of them do something.
func (t *translator) whileInside(e edits, k int) bool {
	last, b := t.end(k), t.around(k)
	if b == nil || !b.inner || !t.at(k).named("while") || !t.blockAt(last+1) || last == k {
		return false
	}
	if !t.found("while inside", t.at(k).span(), "there is no while: an inner loop has as many iterations as may be needed, and an if says which of them do something", func() string { return "if" }, diag.Replacement) {
		return false
	}
	e.replace(k, word(tokIdent, "if", t.at(k)))
	return true
}

// exchanged drops u, v = v, u and swap(u, v) of arrays. A for of its own copies the cells of the array that was written to the
// other array: within the loops that write, later iterations would read the copies.
func (t *translator) exchanged(e edits, k, _ int) (int, bool) {
	end := t.end(k)
	to, from := t.exchange(k, end)
	if to == nil {
		return k, false
	}
	subs := t.writtenAt(from.text)
	if subs == nil {
		to, from = from, to
		subs = t.writtenAt(from.text)
	}
	b := t.around(k)
	if subs == nil {
		return k, false
	}
	out := slices.Concat(cellTokens(*to, subs), []token{operator("=", t.at(k))}, cellTokens(*from, subs))
	hint := "a for whose body is " + textOf(out)
	if b == nil || !slices.ContainsFunc(subs, func(sub []token) bool { return !slices.Contains(b.names, textOf(sub)) }) {
		hint = "a for of its own behind this one, whose body is " + textOf(out) + ": a repeat around both says how often"
		if b != nil && !t.writtenBeside(from.text, t.at(k)) { // it is that for
			return end, t.rewritten(e, k, end, "arrays exchanged", swappedMessage, out, diag.Replacement)
		}
	}
	return t.gone(e, k, end, "arrays exchanged", swappedMessage, func() string { return hint }, diag.Advice), true
}

// exchange returns the two arrays that the statement of tokens k to end exchanges; nil if it does not.
func (t *translator) exchange(k, end int) (one, other *token) {
	l := t.tokens[k : end+1]
	var to, from [][]token
	if open := slices.IndexFunc(l, func(x token) bool { return x.is("(") }); open > 0 && strings.Contains(strings.ToLower(l[open-1].text), "swap") && t.match[k+open] == end {
		to = commas(l[open+1 : len(l)-1])
		from = slices.Clone(to)
		slices.Reverse(from)
	} else if names := cut(l, "="); len(names) == 2 {
		to, from = commas(names[0]), commas(names[1])
	}
	if len(to) != 2 || len(from) != 2 || len(to[0]) == 0 || len(to[1]) == 0 {
		return nil, nil
	}
	for _, list := range [][][]token{to, from} {
		for a, x := range list {
			if len(x) == 2 && x[0].is("&") {
				list[a] = x[1:]
			}
		}
	}
	if textOf(to[0]) != textOf(from[1]) || textOf(to[1]) != textOf(from[0]) || !t.arrays[textOf(to[0])] || !t.arrays[textOf(to[1])] {
		return nil, nil
	}
	return &to[0][0], &from[0][0]
}

// ifBehind rewrites x = y if c, without an else, as if c { x = y }.
func (t *translator) ifBehind(s lineStart) ([]token, bool) {
	l := s.tokens[:lastOf(s.tokens, ";")+1]
	around, closed := bracketsOf(l)
	at := slices.IndexFunc(l, func(x token) bool { return x.is("if") || x.named("if") })
	if s.depth == 0 || !closed || at < 3 || at == len(l)-1 || around[at] != outside || l[0].kind != tokIdent || len(cut(l[:at], "=")) != 2 || !l[at-1].operand() ||
		slices.ContainsFunc(l[at+1:], func(x token) bool { return x.is("{") || x.is(";") || x.is(":") || x.named("else", "then", "if") }) {
		return nil, false
	}
	t.braces[l[at].pos] = true
	out := slices.Concat(l[at:], []token{operator("{", l[at])}, l[:at], []token{operator("}", l[at])})
	return out, t.found("if behind", join(l[0].span(), l[len(l)-1].span()), "an if stands before its statements, in braces", func() string { return textOf(out) }, diag.Replacement)
}
