package frontend

import (
	"slices"
	"strings"

	"loopc/ir"
	"loopc/ir/diag"
	"loopc/runtime/boundary"
)

// A hint is tried before it is given: it is put in the place of what was found, and the result
// is checked again. A hint that makes new mistakes, or leaves the old one, is not offered. An
// example with names that neither the file has nor the example declares is a diag.Pattern, and is not tried.

// mostTried bounds how many bytes of source are checked for all hints of one file. Hints beyond
// that are given as they are.
const mostTried = 1 << 18

// tried returns the given diagnostics without the hints that fail, and without the diagnostics that follow from others. It
// tries only hints that are shown.
func tried(file string, src []byte, given []diag.Diagnostic) []diag.Diagnostic {
	if len(given) == 0 {
		return given
	}
	diags := slices.CompactFunc(given, func(x, y diag.Diagnostic) bool { return x.At == y.At && x.Code == y.Code && x.Message == y.Message })
	t := &trial{file: file, src: src, given: given, diags: grounded(src, diags), left: mostTried, checked: map[string][]diag.Diagnostic{}, gone: map[int]bool{}}
	t.numbers()
	lines, hints := t.placedHints()
	for _, at := range lines {
		t.tryLine(at, hints[at])
	}
	t.drop()
	if len(src) <= mostTried>>4 { // a longer source cannot be checked often enough
		t.covered()
		t.unread()
		t.consequences()
		t.jointly()
		t.exchanges()
		t.inSmallLoops()
	}
	t.composed()
	diags = t.causes()
	t.inItsWords()
	reducesInFor(src, diags)
	return diags
}

// drop drops the diagnostics that are gone.
func (t *trial) drop() {
	var rest []diag.Diagnostic
	for k, d := range t.diags {
		if !t.gone[k] {
			rest = append(rest, d)
		}
	}
	t.diags, t.gone = rest, map[int]bool{}
}

// words are the words of the source.
func (t *trial) words() map[string]bool {
	if t.known == nil {
		t.known = wordsOf(t.src)
	}
	return t.known
}

// losesLoop reports whether a hint replaces the variable of a loop over numbers by a number. The loop was written out (see
// unroll.go), so the hint was made from one iteration, and is wrong for the others.
func losesLoop(src []byte, at diag.Span, hint string) bool {
	tokens, _ := scan(src)
	loops, header, replaced := map[string]bool{}, false, map[string]bool{}
	for k, x := range tokens[:len(tokens)-1] {
		if k == 0 || tokens[k-1].pos.Line < x.pos.Line {
			header = x.is("for") || x.is("repeat")
		}
		if header && x.kind == tokIdent && (tokens[k+1].is("=") || tokens[k+1].is("in") || tokens[k+1].is(":")) {
			loops[x.text] = numericRange(tokens[k+1:])
		}
		replaced[x.text] = replaced[x.text] || within(x.span(), at)
	}
	own, _ := scan([]byte(hint))
	has := func(text string) bool {
		return slices.ContainsFunc(own, func(x token) bool { return x.text == text })
	}
	return slices.ContainsFunc(tokens, func(x token) bool { return loops[x.text] && replaced[x.text] && !has(x.text) }) &&
		slices.ContainsFunc(own, func(x token) bool { return x.kind == tokInt && !replaced[x.text] })
}

// numericRange reports whether the range behind the name of a loop has no names, only numbers.
func numericRange(l []token) bool {
	for _, x := range l {
		switch {
		case x.is(",") || x.is("{") || x.is(";") || x.pos.Line > l[0].pos.Line:
			return true
		case x.kind == tokIdent && !x.named("range", "step") && !x.is("in"):
			return false
		}
	}
	return true
}

// inPlace reports whether an example replaces the piece that was found. Other examples are
// statements for another place, or parts of a statement.
func inPlace(hint string) bool {
	first, _, _ := strings.Cut(hint, " ")
	return !strings.Contains(hint, "...") && (!keywords[first] && strings.Contains(hint, " = ") || first == "for" || first == "repeat" || first == "if")
}

// ofContent are the codes of mistakes that count against an example, because they are about its
// text. Other mistakes may come from the place where it is tried, and depend on lines that the user
// will change, too.
var ofContent = map[diag.Code]bool{diag.UnknownName: true, diag.NameMisuse: true, diag.NotAffine: true, diag.NotCondition: true, diag.ValueCount: true, diag.BoundShape: true, diag.TypeMismatch: true}

// ofAnalysis are the codes of mistakes that mostly the analysis finds, which only a file without other mistakes reaches. A
// hint may uncover such mistakes, so holds ignores them; blames looks for those that the hint itself causes.
var ofAnalysis = []diag.Code{diag.NonUniform, diag.OutOfBounds, diag.NotSupplied}

// holds reports whether the file with the hint of d at the given place has no new mistake there,
// and no longer the old one.
func (t *trial) holds(d *diag.Diagnostic, at diag.Span, before []diag.Diagnostic) bool {
	if at.Line < 1 {
		return true
	}
	if d.Kind == diag.Replacement && losesLoop(t.src, at, d.Hint) {
		return false
	}
	first := at.Col - 1
	end := first + len([]rune(d.Hint))
	return !slices.ContainsFunc(t.told([]byte(replacedAt(t.src, at, d.Hint))), func(x diag.Diagnostic) bool {
		same := func(y diag.Diagnostic) bool { return y.Code == x.Code && y.Message == x.Message }
		switch {
		case slices.Contains(ofAnalysis, x.Code):
			return false
		case strings.HasPrefix(d.Hint, "let ") && same(*d): // the let does not reach every use of the name
			return true
		case x.Severity != diag.Error && x.Code != d.Code || x.At.Line != at.Line:
			return false
		case d.Kind == diag.Example && !ofContent[x.Code]:
			return false
		case same(*d):
			return x.At.Pos == d.At.Pos || d.Code != diag.Foreign // only the first of equal foreign mistakes was reported before
		}
		// A replacement must leave no new error in the whole line, an example none in its own text.
		inside := x.At.Col-1 < end && x.At.Col-1+max(x.At.Len, 1) > first || d.Kind == diag.Replacement
		return x.Severity == diag.Error && inside && !slices.ContainsFunc(before, same)
	})
}

// wordsOf are the names that a source has, and those of the language.
func wordsOf(src []byte) map[string]bool {
	tokens, _ := scan(src)
	known := map[string]bool{"select": true, "step": true, "sum": true}
	for _, x := range tokens {
		known[x.text] = x.kind == tokIdent
	}
	for _, f := range ir.Funcs() {
		known[f.String()] = true
	}
	for _, word := range boundary.Words() {
		known[word] = true
	}
	for _, t := range ir.Types() {
		known[t.String()] = true
	}
	return known
}

// strangers are the names of a hint that neither the file has nor the hint declares.
func strangers(hint string, known map[string]bool) (names []string) {
	tokens, _ := scan([]byte(hint))
	own := map[string]bool{}
	for k, x := range tokens[:len(tokens)-1] {
		switch {
		case x.kind != tokIdent:
		case k > 0 && declarers[tokens[k-1].text] && tokens[k-1].kind == tokKeyword, tokens[k+1].is("="), tokens[0].is("extern"):
			own[x.text] = true // a declaration, a loop, or a name that is assigned to
		case tokens[0].is("init") && k > 1 && !slices.ContainsFunc(tokens[:k], func(y token) bool { return y.is("]") }):
			own[x.text] = true
		case tokens[0].is("param") || tokens[0].is("const"):
			own[x.text] = own[x.text] || !slices.ContainsFunc(tokens[:k], func(y token) bool { return y.is("=") })
		}
	}
	for k, x := range tokens[:len(tokens)-1] {
		entry := k == 0 && slices.ContainsFunc(scheduleNames, func(s struct{ name, example string }) bool { return s.name == x.text })
		if x.kind == tokIdent && !known[x.text] && !own[x.text] && !entry && !tokens[0].is("schedule") {
			names = append(names, x.text)
		}
	}
	return names
}
