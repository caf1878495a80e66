package frontend

import (
	"slices"
	"strings"

	"loopc/ir/diag"
)

// A header that is written anew may have the loops of several lines, and its block ends with one }. The notes of its report say
// what becomes of the other lines: all of them together make the block that is meant.

// maxEndNotes bounds the notes about the ends of blocks in one report.
const maxEndNotes = 10

// The notes about lines that a new header changes.
const (
	stoodAbove = leaveOut + ": its loop stands in the header above"
	endsHere   = "the block ends here: } in place of this"
	endsBehind = "the block ends here: } behind this"
	begunAbove = leaveOut + ": the header above has it"
	endsBefore = leaveOut + ": one } ends the block"
)

// headerEnd widens the place of a header by the sign or the word that ends its line in other languages.
func (t *translator) headerEnd(at diag.Span) diag.Span {
	k, _ := slices.BinarySearchFunc(t.source, diag.Pos{Line: at.Line, Col: at.Col + at.Len}, func(x token, p diag.Pos) int { return comparePlaces(x.pos, p) })
	if k+1 >= len(t.source) || t.source[k+1].pos.Line == at.Line {
		return at
	}
	if x := t.source[k]; x.pos.Line == at.Line && (x.is(":") || x.named("then", "do", "loop", "begin")) {
		return join(at, x.span())
	}
	return at
}

// nestEnds notes what becomes of the headers of n but the first, and of the ends of their blocks. The first header is token k; without
// a block, the body of the nest ends with token body.
func (t *translator) nestEnds(k int, n loopNest, body int) {
	line := t.at(k).pos.Line
	for _, l := range n.loops[1:] {
		if l.name.pos.Line == line { // it is reported with the one before
			continue
		}
		line = l.name.pos.Line
		first, _ := slices.BinarySearchFunc(t.source, diag.Pos{Line: line}, func(x token, p diag.Pos) int { return comparePlaces(x.pos, p) })
		at := t.source[first].span()
		for _, x := range t.source[first:] {
			if x.pos.Line > line || comparePlaces(t.furthest(l.name, l.last).pos, x.pos) < 0 && !x.is("{") && !x.is(")") {
				break
			}
			at = join(at, x.span())
		}
		t.noteEnd(k, t.headerEnd(t.withPartners(at)), stoodAbove)
	}
	for _, b := range slices.Concat(n.blocks, []int{n.open}) { // each brace in a line of its own
		if b > 0 && t.braces[t.at(b).pos] && t.lineBegins(b) {
			t.noteEnd(k, t.at(b).span(), begunAbove)
		}
	}
	var ends []int // of the blocks, innermost first
	if n.open >= 0 {
		ends = append(ends, t.match[n.open])
	}
	for _, b := range slices.Backward(n.blocks) {
		ends = append(ends, t.match[b])
	}
	t.blockEnds(k, ends, body)
}

// lineBegins reports whether token k is the first of its line in the source.
func (t *translator) lineBegins(k int) bool {
	at, found := slices.BinarySearchFunc(t.source, t.at(k).pos, func(x token, p diag.Pos) int { return comparePlaces(x.pos, p) })
	return found && (at == 0 || t.source[at-1].pos.Line < t.at(k).pos.Line)
}

// furthest is the token of a header, up to token last, that stands last in the line of its name: a step may stand before the end of
// the range.
func (t *translator) furthest(name token, last int) token {
	x := t.at(last)
	for k := last; k >= 0 && t.at(k).text != name.text; k-- {
		if t.at(k).pos.Line == name.pos.Line && (x.pos.Line != name.pos.Line || t.at(k).pos.Col > x.pos.Col) {
			x = t.at(k)
		}
	}
	return x
}

// blockEnds notes which one of several ends of blocks, innermost first, the } of the block at token k replaces. If the source has
// none, the block ends behind token body, if there is none either.
func (t *translator) blockEnds(k int, ends []int, body int) {
	written := func(end int) bool { return t.braces[t.at(end).pos] && t.at(end).is("}") }
	kept := slices.IndexFunc(ends, written)
	if kept < 0 {
		kept = slices.IndexFunc(ends, func(end int) bool { return t.at(end).from.Len > 0 })
	}
	for n, end := range ends {
		switch x := t.at(end); {
		case n == kept && !written(end):
			t.noteEnd(k, x.from, endsHere)
		case n == kept:
		case written(end):
			t.noteEnd(k, x.span(), endsBefore)
		case x.from.Len > 0:
			t.noteEnd(k, x.from, endsBefore)
		}
	}
	if kept >= 0 {
		return
	}
	if len(ends) > 0 { // its place is behind the body
		body = ends[0] - 1
	}
	for body > k && t.at(body).is("}") && !t.braces[t.at(body).pos] {
		body--
	}
	at := t.at(body).span()
	for _, x := range t.source {
		if x.pos.Line == at.Line && x.pos.Col > at.Col {
			at = x.span()
		}
	}
	t.noteEnd(k, at, endsBehind)
}

// chosenEnds notes where the block of the if or else at token k ends, unless an else stands there, or the block in the line of its
// header: multi is false then. The block begins with token open, if that is a brace.
func (t *translator) chosenEnds(k, open int, multi bool) {
	body, ends := t.guarded(open, 0), []int(nil)
	if t.at(open).is("{") && t.match[open] > open {
		body, ends = t.match[open], []int{t.match[open]}
	}
	behind := body + 1
	if t.at(behind).is(";") {
		behind++
	}
	if multi && !t.at(behind).named("else") && !t.braces[t.at(open).pos] {
		t.blockEnds(k, ends, body)
	}
}

// begins reports whether the source has the first word of a loop at token k, and not a statement that became one.
func (t *translator) begins(k int) bool {
	at, found := slices.BinarySearchFunc(t.source, t.at(k).pos, func(x token, p diag.Pos) int { return comparePlaces(x.pos, p) })
	return found && t.source[at].named("for", "repeat", "do")
}

// noteEnd adds a note to the report of what begins with token k.
func (t *translator) noteEnd(k int, at diag.Span, message string) {
	if t.quiet > 0 {
		return
	}
	if t.ends == nil {
		t.ends = map[diag.Pos][]diag.Note{}
	}
	if pos := t.at(k).pos; len(t.ends[pos]) < maxEndNotes {
		t.ends[pos] = append(t.ends[pos], diag.Note{At: at, Message: message})
	}
}

// withEnds returns diagnostics with the notes about the ends of blocks that they are about.
func (t *translator) withEnds(diags []diag.Diagnostic) []diag.Diagnostic {
	for k := range diags {
		d := &diags[k]
		l := t.ends[d.At.Pos]
		for _, n := range d.Notes {
			if strings.HasPrefix(n.Message, hereToo) && len(l) < maxEndNotes {
				l = slices.Concat(l, t.ends[n.At.Pos])
			}
		}
		if d.Hint != "" {
			d.Notes = append(d.Notes, l...)
		}
	}
	return diags
}
