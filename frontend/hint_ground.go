package frontend

import (
	"slices"
	"strings"
	"unicode/utf8"

	"loopc/ir/diag"
)

// A report is about something that stands in the source, and a name has one report: what the rules put in place of a
// mistake has no mistakes of its own, and every use of an unknown name follows from the first.

// placesOf returns, by its beginning, the longest text that a report of what other languages have is about, and the
// first texts that such reports replace.
func placesOf(diags []diag.Diagnostic) (widest map[diag.Pos]diag.Span, replaced []diag.Span) {
	widest = map[diag.Pos]diag.Span{}
	for _, d := range diags {
		if d.Code != diag.Foreign {
			continue
		}
		if d.Hint != "" && len(replaced) < 2*diag.MaxShown {
			replaced = append(replaced, d.At)
		}
		if old, told := widest[d.At.Pos]; !told || d.Hint != "" && d.At.Len > old.Len {
			widest[d.At.Pos] = d.At
		}
	}
	return widest, replaced
}

// grounded returns diags without those, and without the notes, whose place is beyond its line, and without second
// reports of a place or of an unknown name. Of several that begin at a place, the one about the longest text has a hint
// for all of it. If all errors are such, they stay.
func grounded(src []byte, diags []diag.Diagnostic) []diag.Diagnostic {
	if !diag.HasErrors(diags) {
		return diags
	}
	lines := strings.Split(strings.TrimPrefix(string(src), string(bom)), "\n")
	lengths := map[int]int{}
	stands := func(at diag.Span) bool {
		if at.Line < 1 || at.Line > len(lines) {
			return true
		}
		if _, known := lengths[at.Line]; !known {
			lengths[at.Line] = utf8.RuneCountInString(strings.TrimSuffix(lines[at.Line-1], "\r"))
		}
		return at.Col <= lengths[at.Line]
	}
	widest, replaced := placesOf(diags)
	unknown := map[string]bool{}
	rest := slices.DeleteFunc(slices.Clone(diags), func(d diag.Diagnostic) bool {
		if d.Code == diag.Foreign {
			if widest[d.At.Pos] != d.At {
				return true
			}
			widest[d.At.Pos] = diag.Span{} // only one of several with the same span stays
			return !stands(d.At)
		}
		if d.Code == diag.NotCondition && slices.ContainsFunc(replaced, func(at diag.Span) bool { return within(d.At, at) }) {
			return true
		}
		name, is := strings.CutPrefix(d.Message, "unknown name ")
		if !is || d.Code != diag.UnknownName {
			return false
		}
		name = strings.FieldsFunc(name+" ", func(r rune) bool { return strings.ContainsRune(" :;,", r) })[0]
		told := unknown[name]
		unknown[name] = true
		return told
	})
	if !diag.HasErrors(rest) {
		return diags
	}
	for k := range rest {
		rest[k].Notes = slices.DeleteFunc(slices.Clone(rest[k].Notes), func(n diag.Note) bool { return !stands(n.At) })
	}
	return rest
}
