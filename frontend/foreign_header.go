package frontend

import (
	"slices"
	"strings"

	"loopc/ir/diag"
)

// loopWords rewrites the header of a for: loops over range(a, b), or else what headerWords rewrites.
func (t *translator) loopWords(s lineStart) ([]token, bool) {
	if !s.tokens[0].is("for") {
		return nil, false
	}
	if l := t.rangeCalls(s.tokens); l != nil {
		return l, true
	}
	return t.headerWords(s.tokens), true
}

// A loopWord is a word or sign of another language in the header of a for.
type loopWord struct {
	is      func(l []token, k int, ranges bool) bool // whether token k of l, which ends with a brace, is such a word
	instead string                                   // what to write instead; "": nothing
	whole   bool                                     // the hint is the entire header
}

// loopWordsElsewhere are the words and signs of other languages, each with an example. ranges says that the header has a .. in
// it.
var loopWordsElsewhere = []loopWord{
	// for i = 1 to N
	{func(l []token, k int, ranges bool) bool {
		return l[k].text == "to" || l[k].named("to", "until") && !ranges
	}, "..", true},
	// for i = N downto 1
	{func(l []token, k int, _ bool) bool { return l[k].named("downto") }, "..", true},
	// for i = 1..N, for j = 1..M
	{func(l []token, k int, _ bool) bool { return l[k].is("for") && l[k-1].is(",") }, "", true},
	// for i = 1..N for j = 1..M, for i = 1..N and j = 1..M
	{func(l []token, k int, ranges bool) bool {
		return (l[k].is("for") || l[k].named("and")) && ranges && l[k+1].kind == tokIdent
	}, ",", false},
	// for i = 1..N by 2
	{func(l []token, k int, _ bool) bool { return l[k].named("by") }, "step", false},
	// for i = 1..N, step 2
	{func(l []token, k int, _ bool) bool {
		return l[k].is(",") && l[k+1].named("step", "by") && !l[min(k+2, len(l)-1)].is("=")
	}, "", true},
	// for i = N..1, step = -1
	{func(l []token, k int, _ bool) bool { return stepAssigned(l, k) || stepAssigned(l, k-2) }, "", true},
	// for i = 1..N; {
	{func(l []token, k int, ranges bool) bool { return l[k].is(";") && ranges && l[k+1].is("{") }, "", true},
	// for i = 1..N; j = 1..M
	{func(l []token, k int, _ bool) bool { return l[k].is(";") && betweenLoops(l[:len(l)-1], k) }, ",", false},
}

// stepAssigned reports whether token k is the comma before step = value, as in i = N..1, step = -1. If the value is a range, step
// is the name of another loop.
func stepAssigned(l []token, k int) bool {
	if k < 0 || k+3 >= len(l) || !l[k].is(",") || !l[k+1].named("step") || !l[k+2].is("=") {
		return false
	}
	part, _, _ := strings.Cut(textOf(l[k+3:]), ",")
	return !strings.Contains(part, "..")
}

// headerWords replaces the words and signs of other languages in the header of a for, see loopWordsElsewhere.
func (t *translator) headerWords(l []token) []token {
	brace := slices.IndexFunc(l, func(x token) bool { return x.is("{") })
	if brace < 3 || l[1].is("(") {
		return l
	}
	ranges, edited, whole, down := containsRange(l), 0, false, false
	out, hint, at := slices.Clone(l[:3]), "", diag.Span{}
	for k, x := range l[:brace] {
		n := slices.IndexFunc(loopWordsElsewhere, func(w loopWord) bool { return k > 2 && !t.declared[x.text] && w.is(l[:brace+1], k, ranges) })
		if n >= 0 {
			w := loopWordsElsewhere[n]
			edited, whole, hint, at, down = edited+1, whole || w.whole, w.instead, x.span(), down || x.named("downto")
			if w.instead == "" {
				continue
			}
			if x = operator(w.instead, x); w.instead == "step" {
				x.kind = tokIdent
			}
		}
		if down && x.is(",") {
			out, down = append(out, stepDown(x)...), false
		}
		if k > 2 {
			out = append(out, x)
		}
	}
	if down {
		out = append(out, stepDown(l[brace])...)
	}
	if whole || edited > 1 {
		hint, at = textOf(out)+" {", join(l[0].span(), l[brace].span())
	}
	if edited == 0 || !t.found("loop words", at, loopMessage, func() string { return hint }, diag.Replacement) {
		return l
	}
	return append(out, l[brace:]...)
}

// stepDown is the step of a loop that runs backward.
func stepDown(near token) []token {
	return []token{word(tokIdent, "step", near), operator("-", near), word(tokInt, "1", near)}
}

// containsRange reports whether tokens l have a .. among them.
func containsRange(l []token) bool {
	return slices.ContainsFunc(l, func(x token) bool { return x.is("..") })
}

// betweenLoops reports whether the semicolon at token k of the header l separates two loops: behind it stands a loop with a range,
// and before it no comparison, as there is in a for of C.
func betweenLoops(l []token, k int) bool {
	after := l[k+1:]
	return len(after) > 2 && after[0].kind == tokIdent && after[1].is("=") && !after[2].is(";") &&
		containsRange(after) && !slices.ContainsFunc(l[:k], comparison)
}
