package frontend

import (
	"slices"

	"loopc/ir/diag"
)

// A hint may hold mistakes of its own place: what it moves was not read before. The hints for them are part of it then.

// composed follows, within the text of each hint that replaces what was found, the hints for the mistakes in it, and gives the
// text that has none.
func (t *trial) composed() {
	for k := range min(len(t.diags), 2*diag.MaxShown) {
		d := &t.diags[k]
		at, ok := t.placeOf(d)
		if !ok || d.Severity != diag.Error || d.Kind == diag.Advice || d.Kind == diag.Pattern {
			continue
		}
		text := d.Hint
		for range mostMended {
			l, clean := t.inText(at, text)
			if clean {
				d.Hint = text
			}
			if len(l) == 0 {
				break
			}
			text = composedText(at, text, l)
		}
	}
}

// inText returns the mistakes of a text in the place of a piece of the source, if all of them have replacements within it. clean
// says that it has none.
func (t *trial) inText(at diag.Span, text string) (l []diag.Diagnostic, clean bool) {
	src := []byte(replacedAt(t.src, at, text))
	if t.left < len(src) {
		return nil, false
	}
	whole := diag.Span{Pos: at.Pos, Len: len([]rune(text))}
	for _, x := range t.told(src) {
		if x.Severity != diag.Error || x.At.Line != at.Line || slices.Contains(ofAnalysis, x.Code) || !within(x.At, whole) {
			continue
		}
		if x.Hint == "" || x.Replace.Line != at.Line || !within(x.Replace, whole) || x.Replace == whole || x.Kind == diag.Advice || x.Kind == diag.Pattern {
			return nil, false
		}
		l = append(l, x)
	}
	return l, len(l) == 0
}

// composedText is a text at a place with the replacements of mistakes in it; of two that overlap, the first one.
func composedText(at diag.Span, text string, l []diag.Diagnostic) string {
	r := []rune(text)
	last := len(r)
	slices.SortStableFunc(l, func(x, y diag.Diagnostic) int { return comparePlaces(y.Replace.Pos, x.Replace.Pos) })
	for _, x := range l {
		first := x.Replace.Col - at.Col
		if end := first + max(0, x.Replace.Len); first >= 0 && end <= last {
			r = slices.Concat(r[:first], []rune(x.Hint), r[end:])
			last = first
		}
	}
	return string(r)
}
