package frontend

import (
	"slices"
	"strings"
)

// Advice about what was found itself: a name for it, its loop before the others, or nothing in its place.

// nameHere writes a name in the place of the one that was found.
func (f *follower) nameHere(m []string) bool {
	k := slices.IndexFunc(f.tokens, func(t token) bool { return t.span() == f.d.At })
	return k >= 0 && f.tokens[k].kind == tokIdent && f.put(k, k+1, m[1])
}

// outermost moves a loop of the header before the others.
func (f *follower) outermost(m []string) bool {
	at := f.header()
	last := at + 1
	for at >= 0 && last < len(f.tokens) && !f.tokens[last].is("{") && f.tokens[last].pos.Line == f.tokens[at].pos.Line {
		last++
	}
	if at < 0 || last == at+1 {
		return false
	}
	parts := commas(f.tokens[at+1 : last])
	k := slices.IndexFunc(parts, func(l []token) bool { return len(l) > 2 && l[0].text == m[1] && l[1].is("=") })
	if k < 1 {
		return false
	}
	texts := []string{textOf(parts[k])}
	for _, p := range slices.Delete(parts, k, k+1) {
		texts = append(texts, textOf(p))
	}
	return f.put(at+1, last, strings.Join(texts, ", "))
}

// leftOut drops what was found: the statement, if that is what it assigns to.
func (f *follower) leftOut([]string) bool {
	at, first := f.d.At, false
	for k, t := range f.tokens {
		begins := k == 0 || f.tokens[k-1].pos.Line != t.pos.Line
		first = begins && t.pos == at.Pos || first && !begins
		if first && t.assigns() && t.pos.Col <= at.Col+at.Len+1 {
			at.Len = len([]rune(f.lines[at.Line-1]))
		}
	}
	f.edits = append(f.edits, followEdit{at, ""})
	return at.Line > 0
}

// mirrored gives a loop another range, and exchanges it with a subscript in what the for has behind its header.
func (f *follower) mirrored(m []string) bool {
	at := f.around(m[1], "")
	if !f.loop(at, m[1], m[2]) {
		return false
	}
	sub, _ := scan([]byte(m[3]))
	var words []string
	for _, t := range sub[:len(sub)-1] {
		words = append(words, t.text)
	}
	open := at + slices.IndexFunc(f.tokens[at:], func(t token) bool { return t.is("{") })
	for k := open; k < closingBrace(f.tokens, open); k++ {
		switch {
		case k+len(words) <= len(f.tokens) && f.has(k, words):
			f.put(k, k+len(words), m[1])
			k += len(words) - 1
		case f.tokens[k].text == m[1] && f.tokens[k].kind == tokIdent:
			f.put(k, k+1, "("+m[3]+")")
		}
	}
	return true
}
