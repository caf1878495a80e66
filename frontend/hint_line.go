package frontend

import (
	"slices"
	"strings"

	"loopc/ir/diag"
)

// The hints of a line are tried alone and together. If one alone makes a line that is not accepted, but several do, the
// hint is the whole line. A line that no hints mend, and that the grammar cannot read, has one report, which claims nothing
// but that (see unread).

// A placed hint is a text for the place at: the hint of diagnostic k, or that of its note.
type placed struct {
	k, note int // note is -1 for the hint itself
	at      diag.Span
	text    string
}

// placedHints are the hints of errors and warnings that are shown and replace what was found, by line, and these lines in order.
func (t *trial) placedHints() (lines []int, hints map[int][]placed) {
	hints = map[int][]placed{}
	var shown [2]int
	for k := range t.diags {
		d := &t.diags[k]
		if shown[d.Severity]++; shown[d.Severity] > diag.MaxShown || d.Hint == "" || d.Kind == diag.Advice {
			continue
		}
		strange := d.Kind != diag.Pattern && len(strangers(d.Hint, t.words())) > 0
		if d.Kind == diag.Example && strange {
			d.Kind = diag.Pattern
		}
		at, ok := t.placeOf(d)
		if !ok || at.Line < 1 {
			continue
		}
		for _, h := range t.hintsOf(k) {
			if h.note < 0 {
				h.at = at
			}
			lines, hints[h.at.Line] = append(lines, h.at.Line), append(hints[h.at.Line], h)
		}
	}
	slices.Sort(lines)
	return slices.Compact(lines), hints
}

// hintsOf are the hint of diagnostic k, with the place of the mistake, and those of its notes; none for a sentence or a pattern.
func (t *trial) hintsOf(k int) (l []placed) {
	d := &t.diags[k]
	if d.Hint == "" || d.Kind == diag.Advice || d.Kind == diag.Pattern {
		return nil
	}
	l = []placed{{k, -1, d.At, d.Hint}}
	for n, note := range d.Notes {
		if text, told := strings.CutPrefix(note.Message, hereToo+": "); told {
			l = append(l, placed{k, n, note.At, text})
		}
	}
	return l
}

// alone is the diagnostic of a hint; for that of a note, as if it were one of its own.
func (t *trial) alone(h placed) *diag.Diagnostic {
	d := &t.diags[h.k]
	if h.note >= 0 {
		own := *d
		own.At, own.Replace, own.Hint, own.Notes = h.at, h.at, h.text, nil
		return &own
	}
	return d
}

// put gives the hint of a diagnostic, or that of its note, another text; "" drops it.
func (t *trial) put(h placed, text string) {
	d := &t.diags[h.k]
	switch {
	case h.note < 0 && text == "":
		d.Hint, d.Kind = "", diag.Example
	case h.note < 0:
		d.Hint = text
	case text == "":
		d.Notes[h.note].Message = hereToo
	default:
		d.Notes[h.note].Message = hereToo + ": " + text
	}
}

// tryLine tries the hints of a line, and drops those that fail. If some fail alone and all together make a line that is accepted,
// the hint is that line.
func (t *trial) tryLine(at int, hints []placed) {
	var failed []placed
	for _, h := range hints {
		d := t.alone(h)
		switch {
		case t.left < len(t.src)+len(h.text) || t.callsUnknown(h.text) || !t.holds(d, h.at, t.given):
			failed = append(failed, h)
		case d.Kind == diag.Replacement && h.at.Line == d.At.Line:
			d.At = h.at // what is underlined is what the hint replaces
		}
	}
	if len(failed) == 0 {
		return
	}
	text, mended := t.mendedLine(at)
	for _, h := range failed {
		t.put(h, "")
	}
	if !mended {
		return
	}
	var l []int
	for k, d := range t.diags {
		if d.Severity == diag.Error && d.At.Line == at {
			l = append(l, k)
		}
	}
	if len(l) > 0 {
		t.whole(at, text, l)
	}
}

// whole makes a text for a whole line the hint of the first of its diagnostics, and drops the others.
func (t *trial) whole(at int, text string, l []int) {
	d := &t.diags[l[0]]
	d.Hint, d.Kind, d.At, d.Replace = text, diag.Replacement, t.lineSpan(at), t.lineSpan(at)
	for _, k := range l[1:] {
		if d := &t.diags[k]; d.Code != diag.Foreign || !t.movedOn(d) {
			t.gone[k] = true
		}
	}
}

// mostMended is how often the hints of a line are followed, and the line is read again.
const mostMended = 4

// mendedLine is the text of a line after all of its hints, and those that it then has. It returns false if the line is not
// accepted at last.
func (t *trial) mendedLine(at int) (text string, ok bool) {
	if len(t.src) > mostTried>>4 {
		return "", false
	}
	own := *t
	own.gone = map[int]bool{}
	for range mostMended {
		lines := strings.Split(strings.TrimPrefix(string(own.src), string(bom)), "\n")
		if t.left < len(own.src) || at > len(lines) {
			return "", false
		}
		own.left, own.diags = t.left, slices.Clone(t.told(own.src))
		wrong := slices.ContainsFunc(own.diags, func(x diag.Diagnostic) bool {
			return x.Severity == diag.Error && x.At.Line == at && !slices.Contains(ofAnalysis, x.Code)
		})
		text = strings.Trim(lines[at-1], "; \t\r")
		if !wrong {
			return text, text != strings.Trim(t.line(at, nil), "; \t\r")
		}
		_, hints := own.placedHints()
		if len(hints[at]) == 0 {
			return "", false
		}
		own.src = own.withLines(map[int][]placed{at: hints[at]})
	}
	return "", false
}

// overlap reports whether two hints of a line replace the same text.
func overlap(hints []placed) bool {
	for n, x := range hints {
		for _, y := range hints[:n] {
			if x.at.Col < y.at.Col+max(1, y.at.Len) && y.at.Col < x.at.Col+max(1, x.at.Len) {
				return true
			}
		}
	}
	return false
}

// line is the text of a line with hints in their places; of two that overlap, the wider one.
func (t *trial) line(at int, hints []placed) string {
	lines := strings.Split(strings.TrimPrefix(string(t.src), string(bom)), "\n")
	if at < 1 || at > len(lines) {
		return ""
	}
	f := &follower{lines: []string{lines[at-1]}}
	wide := slices.Clone(hints)
	slices.SortStableFunc(wide, func(x, y placed) int { return y.at.Len - x.at.Len })
	var kept []placed
	for _, h := range wide {
		if !overlap(append(slices.Clone(kept), h)) {
			kept = append(kept, h)
			span := h.at
			span.Line = 1
			f.edits = append(f.edits, followEdit{span, h.text})
		}
	}
	return f.changed()
}

// withLines is the source with hints in their places, by line.
func (t *trial) withLines(hints map[int][]placed) []byte {
	lines := strings.Split(strings.TrimPrefix(string(t.src), string(bom)), "\n")
	for at, l := range hints {
		if at <= len(lines) {
			lines[at-1] = t.line(at, l)
		}
	}
	return []byte(strings.Join(lines, "\n"))
}

// lineSpan is a line without the white space around its text.
func (t *trial) lineSpan(at int) diag.Span {
	text := t.line(at, nil)
	indent := len(text) - len(strings.TrimLeft(text, " \t"))
	return diag.Span{Pos: diag.Pos{Line: at, Col: indent + 1}, Len: len([]rune(strings.TrimSpace(text)))}
}
