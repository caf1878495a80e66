package frontend

import (
	"slices"

	"loopc/ir/diag"
)

// A while of other languages that does not count: in a body it is an inner loop with an if; outside, it follows a path
// that no range describes.

// endlessWhile reads the while at token k of a body, whose block has no loops, as one of at most 100 iterations; nil for
// another one.
func (t *translator) endlessWhile(k int) *countingWhile {
	open := t.end(k) + 1
	if !t.at(open).is("{") || t.match[open] < open || open-k > maxForeignTokens || open == k+1 || !t.inLoop(k) || t.loopsWithin(open) || t.at(k-1).is("{") && t.at(t.match[open]+1).is("}") {
		return nil
	}
	near := t.at(k)
	return &countingWhile{
		open: open, test: withoutRound(t.tokens[k+1 : open]),
		lo: []token{word(tokInt, "1", near)}, hi: []token{word(tokInt, "100", near)}, by: []token{word(tokInt, "1", near)},
	}
}

// loopsWithin reports whether the block at the brace open has loops.
func (t *translator) loopsWithin(open int) bool {
	return slices.ContainsFunc(t.tokens[open:t.match[open]], func(x token) bool { return x.is("for") || x.named("while") })
}

// countsInside replaces a while of a body that has more conditions than one of its range, or whose number the body reads
// behind it: an inner loop has as many iterations as may be needed.
func (t *translator) countsInside(e edits, k int, w *countingWhile, most string) {
	near := t.at(k)
	header := w.loop("for", word(tokIdent, t.fresh("k"), near), near)
	test := madeText(t.clean(textOf(w.test)), near)
	out := slices.Concat(header, []token{operator("{", near), word(tokIdent, "if", near)}, test)
	if !t.found("while inside", join(near.span(), t.at(w.open-1).span()), whileInside, func() string { return textOf(out) + " { ... } }" + most }, diag.Advice) {
		return
	}
	e.drop(k, w.open-1)
	e.replace(k, out...)
	e.at(t.match[w.open]).behind = append(e.at(t.match[w.open]).behind, operator("}", t.at(t.match[w.open])))
}

// withoutFirst drops the first values that names of a condition have before the while at token k, or at the beginning of
// its block: a reduction has none.
func (t *translator) withoutFirst(e edits, k, open int, condition []token) {
	for _, x := range condition {
		if x.kind != tokIdent || t.arrays[x.text] {
			continue
		}
		for _, name := range t.valuesOf(x.text) {
			first := name
			for !t.startsStatement(first) {
				first--
			}
			if end := t.end(name); (name < k || t.match[open] > name && t.blockOf(name) == open) && len(t.assignmentsTo(x.text)) > 0 && t.startValue(name+2, end) {
				t.gone(e, first, end, "first value", noFirstValue, func() string { return leaveOut }, diag.Advice)
			}
		}
	}
}

// path reports whether the while at token k, which is outside of loops and has none, assigns to names of its condition,
// and returns the brace of its block and the first array there that the file writes, if any.
func (t *translator) path(k int) (open int, array string, follows bool) {
	open = t.end(k) + 1
	if !t.at(open).is("{") || t.match[open] < open || open-k > maxForeignTokens || t.inLoop(k) || t.loopsWithin(open) {
		return open, "", false
	}
	for j := k; j < t.match[open]; j++ {
		x := t.at(j)
		follows = follows || j < open && x.kind == tokIdent && slices.ContainsFunc(t.assignmentsTo(x.text), func(n int) bool { return open < n && n < t.match[open] })
		if array == "" && t.isArray(x) && t.uses[x.text].written {
			array = x.text
		}
	}
	return open, array, follows
}

// followedPath drops a while whose iterations are no range: see path.
func (t *translator) followedPath(e edits, k int) {
	open, array, follows := t.path(k)
	hint := leaveOut
	if array != "" {
		hint += ": loopc run --out " + array + "=" + array + ".npy writes " + array + ", along which another program goes"
	}
	if !follows || !t.found("path", t.at(k).span(), "there is no while: a loop has a range, which is known before it runs, and does not go where the data lead", func() string { return hint }, diag.Advice) {
		return
	}
	t.spoilNames(t.tokens[k:open])
	for _, x := range t.tokens[k:open] {
		for _, name := range t.valuesOf(x.text) {
			if name < k && !t.arrays[x.text] && t.startsStatement(name) && t.blockOf(name) < 0 {
				t.gone(e, name, t.end(name), "path begins", "the while that this is for is none of a nest", func() string { return leaveOut }, diag.Advice)
			}
		}
	}
	e.drop(k, t.match[open])
}
