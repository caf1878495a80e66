package frontend

import (
	"slices"
	"strings"
	"unicode/utf8"

	"loopc/ir/diag"
)

// Rules of translation put text in the place of foreign notation. No report may be about that text, and an unknown name is
// reported once.

// placesOf returns, for each position at which Foreign diagnostics begin, the span of the one that stays: the first one, or a
// longer one with a hint. replaced are the spans of the first Foreign diagnostics with hints.
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

// ofRule reports whether a diagnostic is about what a rule has put somewhere; there is the span of the Foreign diagnostic that
// begins where d does.
func ofRule(d diag.Diagnostic, there diag.Span, replaced []diag.Span) bool {
	switch {
	case d.Code == diag.Misplaced:
		return there.Len > 0 && d.Hint == ""
	case d.Code == diag.NotCondition || d.Code == diag.NotAffine && d.Hint == "":
		return slices.ContainsFunc(replaced, func(at diag.Span) bool { return within(d.At, at) })
	}
	return false
}

// grounded drops Foreign diagnostics and notes whose position is beyond the end of the line; all but one of the Foreign
// diagnostics that begin at a position (placesOf); NotCondition and NotAffine within replaced text; NonUniform of a read that is beyond the
// bounds; what a rule has put at a wrong place; and repeated reports of an unknown name. If no error would be left, it returns diags.
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
	beyond := map[diag.Pos]bool{} // where a read is beyond the bounds: then other distances are no concern yet
	for _, d := range diags {
		beyond[d.At.Pos] = beyond[d.At.Pos] || d.Code == diag.OutOfBounds && d.Severity == diag.Error
	}
	rest := slices.DeleteFunc(slices.Clone(diags), func(d diag.Diagnostic) bool {
		if d.Code == diag.NonUniform && beyond[d.At.Pos] {
			return true
		}
		if d.Code == diag.Foreign {
			if widest[d.At.Pos] != d.At {
				return true
			}
			widest[d.At.Pos] = diag.Span{} // only one of several with the same span stays
			return !stands(d.At)
		}
		if ofRule(d, widest[d.At.Pos], replaced) {
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
