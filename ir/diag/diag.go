// Package diag holds positions in a .loop file, diagnostics about them, and
// their rendering. It knows nothing of loops.
//
// A Diagnostic is the user's mistake: a position, a code, a sentence, notes at other
// positions, and a hint that can be typed. Every code has a file
// testdata/diag/CODE.loop with the errors that it expects. Columns count runes.
package diag

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// A Pos is a place in a source file: line and column from 1, the column in
// runes. The zero Pos is no place.
type Pos struct {
	Line, Col int
}

// A Span is a piece of source within one line: Len runes from Pos. A Len of zero or less is
// shown as one rune.
type Span struct {
	Pos
	Len int
}

// A Code is the stable, kebab-case name of a kind of diagnostic.
type Code string

// A Severity is error or warning.
type Severity uint8

// Errors stop the compiler; warnings stop it only with --werror.
const (
	Error Severity = iota
	Warning
)

// String returns "error" or "warning".
func (s Severity) String() string { return [...]string{"error", "warning"}[s] }

// A Note points to another place that is related to a diagnostic.
type Note struct {
	At      Span
	Message string
}

// A HintKind says what a hint is.
type HintKind uint8

// An example is text that the user may type, in the file's own names: a statement, an expression
// or an entry of a schedule, in which ... stands for parts to fill in. A replacement is the text
// that corrects the mistake in place of the span Diagnostic.Replace. Advice is a sentence. A
// pattern shows how something is written, in names that the file need not have.
const (
	Example HintKind = iota
	Replacement
	Advice
	Pattern
)

// A Diagnostic is one thing to tell the user about the program.
type Diagnostic struct {
	Severity Severity
	Code     Code
	At       Span
	Message  string // one clause, lower case, no full stop
	Notes    []Note
	Hint     string // if possible text that can be typed; "": none
	Kind     HintKind
	Replace  Span // the span that a replacement replaces
}

// Reworded returns d with each name that is a key of words replaced by its value there. Subscripts behind such a name are left out.
func (d Diagnostic) Reworded(words map[string]string) Diagnostic {
	if len(words) == 0 {
		return d
	}
	names := regexp.MustCompile(`\b(` + strings.Join(slices.Sorted(maps.Keys(words)), "|") + `)\b(\[[^\]]*\])?`)
	in := func(text string) string {
		return names.ReplaceAllStringFunc(text, func(cell string) string {
			name, _, _ := strings.Cut(cell, "[")
			return words[name]
		})
	}
	d.Message, d.Hint, d.Notes = in(d.Message), in(d.Hint), slices.Clone(d.Notes)
	for k := range d.Notes {
		d.Notes[k].Message = in(d.Notes[k].Message)
	}
	return d
}

// HasErrors reports whether any of diags is an error.
func HasErrors(diags []Diagnostic) bool {
	return slices.ContainsFunc(diags, func(d Diagnostic) bool { return d.Severity == Error })
}

// Sort orders diags by position. The sort is stable.
func Sort(diags []Diagnostic) {
	slices.SortStableFunc(diags, func(a, b Diagnostic) int {
		return cmp.Or(cmp.Compare(a.At.Line, b.At.Line), cmp.Compare(a.At.Col, b.At.Col))
	})
}
