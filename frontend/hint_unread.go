package frontend

import (
	"maps"
	"slices"
	"strings"

	"loopc/ir"
	"loopc/ir/diag"
)

// A rule for a habit of another language sees a piece of a line. If the grammar cannot read the line, the meaning of the
// pieces is not known. Then one report of the whole line replaces the reports of its pieces, and says only what is certain.
// Errors about names that the line was to declare are not reported.

// unread leaves one report for each line that the grammar cannot read even after its hints. It looks only at lines with two or
// more errors and, if the file has no habit of another language, only at lines with unpaired brackets.
func (t *trial) unread() {
	byLine := map[int][]int{}
	for k, d := range t.diags {
		if d.Severity == diag.Error && d.At.Line > 0 {
			byLine[d.At.Line] = append(byLine[d.At.Line], k)
		}
	}
	_, hints := t.placedHints()
	t.comments()
	lost, foreign := map[string]bool{}, slices.ContainsFunc(t.diags, func(d diag.Diagnostic) bool { return d.Code == diag.Foreign })
	for _, at := range slices.Sorted(maps.Keys(byLine)) {
		switch l := byLine[at]; {
		case len(l) < 2 || !foreign && !t.unpaired(l):
		case t.ofStatement(at, l) || t.unreadable(at, l, hints[at]):
			if text, mended := t.mendedLine(at); mended {
				t.whole(at, text, l)
			} else if t.ofStatement(at, l) {
				t.inner(l)
			} else {
				t.neutral(at, l, lost)
			}
		}
	}
	for k, d := range t.diags {
		if name := unknownName(d); name != "" && lost[name] {
			t.gone[k] = true
		}
	}
	t.drop()
	diag.Sort(t.diags)
}

// covered drops the reports of habits in a line if another report has a text for the whole line: one statement has one report.
func (t *trial) covered() {
	for n := range t.diags {
		whole := &t.diags[n]
		if whole.Code != diag.Foreign || whole.Kind != diag.Replacement && whole.Kind != diag.Example || whole.Hint == "" || whole.At != t.lineSpan(whole.At.Line) {
			continue
		}
		for k := range t.diags {
			if d := &t.diags[k]; k != n && d.Code == diag.Foreign && d.At.Line == whole.At.Line && d.At != whole.At && !t.movedOn(d) {
				t.gone[k] = true
			}
		}
	}
	t.drop()
}

// comments explains brackets that are never closed because a // of their line comes first: it begins a comment.
func (t *trial) comments() {
	for k := range t.diags {
		d := &t.diags[k]
		if d.Code != diag.Syntax || !strings.HasSuffix(d.Message, " is never closed") {
			continue
		}
		line := []rune(t.line(d.At.Line, nil))
		_, comment, found := strings.Cut(string(line[min(len(line), d.At.Col):]), "//")
		if found && strings.ContainsAny(comment, ")]") {
			d.Message += " before the // of its line, which begins a comment: the quotient of integers is a/b, and truncates"
		}
	}
}

// ofStatement reports whether the first diagnostic of a line is about the whole statement and has no hint. Diagnostics of its
// pieces then matter only if they have hints: see inner.
func (t *trial) ofStatement(at int, l []int) bool {
	first, whole := t.diags[l[0]], t.lineSpan(at)
	return first.Code == diag.Foreign && first.Hint == "" && first.At.Col == whole.Col && first.At.Len >= whole.Len-1 &&
		!slices.ContainsFunc(l, func(k int) bool { return t.diags[k].Code == diag.Syntax || t.diags[k].Code == diag.IllegalCharacter })
}

// inner drops the reports of habits that have no hint, except the first of the line.
func (t *trial) inner(l []int) {
	for _, k := range l[1:] {
		if d := &t.diags[k]; d.Hint == "" && d.Code == diag.Foreign && !t.movedOn(d) {
			t.gone[k] = true
		}
	}
}

// unpaired reports whether the diagnostics of a line are about brackets without partners.
func (t *trial) unpaired(l []int) bool {
	return !slices.ContainsFunc(l, func(k int) bool {
		return !strings.HasSuffix(t.diags[k].Message, " is open") && !strings.HasSuffix(t.diags[k].Message, " is never closed")
	})
}

// neutral replaces the diagnostics l of a line by one report of the whole line. The report says what cannot be read; its note says
// which piece the language does not have. neutral adds the names of the line to lost.
func (t *trial) neutral(at int, l []int, lost map[string]bool) {
	whole := t.lineSpan(at)
	tokens, _ := scan([]byte(t.line(at, nil)))
	message, example := formMessage(tokens)
	own := diag.Diagnostic{Code: diag.Foreign, At: whole, Replace: whole, Message: message, Hint: example, Kind: diag.Pattern}
	for _, k := range l {
		d := &t.diags[k]
		if t.isForeign(k) && d.Hint == "" && d.At.Pos != whole.Pos && len(own.Notes) == 0 {
			own.Notes = []diag.Note{{At: d.At, Message: d.Message}}
		}
		if d.Code != diag.Foreign || !t.movedOn(d) {
			t.gone[k] = true
		}
	}
	t.diags = append(t.diags, own)
	for _, x := range tokens {
		if _, function := ir.FuncNamed(x.text); x.kind == tokIdent && !function {
			lost[x.text] = true
		}
	}
}

// movedOn moves a report to its first note in another line, because the report's own line is reported as a whole. It returns
// false if there is no such note.
func (t *trial) movedOn(d *diag.Diagnostic) bool {
	own := d.At.Line
	d.Notes = slices.DeleteFunc(slices.Clone(d.Notes), func(n diag.Note) bool { return n.At.Line == own })
	if len(d.Notes) == 0 || !strings.HasPrefix(d.Notes[0].Message, hereToo) {
		return false
	}
	n := d.Notes[0]
	text, told := strings.CutPrefix(n.Message, hereToo+": ")
	if source := strings.Split(string(t.src), "\n"); n.Message == hereToo && spanText(source, n.At) == spanText(source, d.At) {
		text = d.Hint // for the same text
	} else if !told || d.Kind != diag.Replacement {
		text, d.Kind = "", diag.Example
	}
	d.At, d.Replace, d.Notes, d.Hint = n.At, n.At, d.Notes[1:], text
	return true
}

func (t *trial) isForeign(k int) bool {
	return t.diags[k].Code == diag.Foreign || t.diags[k].Code == diag.IllegalCharacter
}

// unreadable reports whether neither the grammar can read a line after its hints, nor the translator could. l are the diagnostics
// of the line.
func (t *trial) unreadable(at int, l []int, hints []placed) bool {
	whole := slices.ContainsFunc(l, func(k int) bool {
		d := &t.diags[k]
		return d.At.Col == t.lineSpan(at).Col && d.Hint != "" && !slices.ContainsFunc(l, func(x int) bool { return !within(t.diags[x].At, d.At) })
	})
	return !whole && slices.ContainsFunc(l, func(k int) bool {
		return t.diags[k].Code == diag.Syntax || t.diags[k].Code == diag.IllegalCharacter && t.diags[k].Hint != ""
	}) && !readable(withoutComment(strings.TrimSpace(t.line(at, hints))))
}

// withoutComment is a line without what follows its //.
func withoutComment(line string) string {
	text, _, _ := strings.Cut(line, "//")
	return strings.TrimRight(text, " \t;")
}

// formMessage says that a line cannot be read, and has an example of a statement that begins as the line does.
func formMessage(tokens []token) (message, example string) {
	word := tokens[0].text
	switch {
	case forms[word] != "" && word != "":
		return "this cannot be read as " + word + ": see " + strings.ToUpper(word) + " in loopc help language", forms[word]
	case assigns(tokens):
		return "this cannot be read as an assignment: see ASSIGNMENT in loopc help language", forms[""]
	}
	return "this is no statement that the language has: see FILE in loopc help language", ""
}

// assigns reports whether tokens have the sign of an assignment outside of brackets.
func assigns(tokens []token) bool {
	around, _ := bracketsOf(tokens)
	for k, x := range tokens {
		if x.assigns() && around[k] == outside {
			return true
		}
	}
	return false
}

// unknownName is the name that an error reports as unknown, "" if it is of another kind.
func unknownName(d diag.Diagnostic) string {
	name, is := strings.CutPrefix(d.Message, "unknown name ")
	if !is || d.Code != diag.UnknownName {
		return ""
	}
	return strings.FieldsFunc(name+" ", func(r rune) bool { return strings.ContainsRune(" :;,", r) })[0]
}
