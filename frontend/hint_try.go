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
// example with names that the file does not have is a pattern.

// mostTried bounds how many bytes of source are checked for all hints of one file. Hints beyond
// that are given as they are.
const mostTried = 1 << 18

// tried returns diags with the hints that hold. Only diagnostics that are shown are looked at.
func tried(file string, src []byte, given []diag.Diagnostic) (diags []diag.Diagnostic) {
	diags = slices.CompactFunc(given, func(x, y diag.Diagnostic) bool { return x.At == y.At && x.Code == y.Code && x.Message == y.Message })
	diags = grounded(src, diags)
	var shown [2]int
	left := mostTried
	defer func() { diags = causes(file, src, diags, left) }()
	var known map[string]bool // the words of the source
	for k := range diags {
		d := &diags[k]
		if shown[d.Severity]++; shown[d.Severity] > diag.MaxShown || d.Hint == "" || d.Kind == diag.Advice {
			continue
		}
		if known == nil {
			known = wordsOf(src)
		}
		strange := d.Kind != diag.Pattern && len(strangers(d.Hint, known)) > 0
		if d.Kind == diag.Example && strange {
			d.Kind = diag.Pattern
		}
		if d.Kind == diag.Pattern || d.Kind == diag.Example && !inPlace(d.Hint) {
			continue
		}
		at := d.Replace
		if d.Kind == diag.Example {
			at = d.At
		}
		if left -= len(src) + len(d.Hint); left < 0 {
			return diags
		}
		if !holds(file, src, d, at, given) {
			d.Hint, d.Kind = "", diag.Example
		} else if d.Kind == diag.Replacement && at.Line == d.At.Line {
			d.At = at // what is underlined is what the hint replaces
		}
	}
	return diags
}

// losesLoop reports whether a replacement has a number in place of the variable of a loop over numbers: it was made from one iteration
// of a loop that is written out, and is wrong for the others.
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

// holds reports whether the file with the hint of d at the given place has no new mistake there,
// and no longer the old one.
func holds(file string, src []byte, d *diag.Diagnostic, at diag.Span, before []diag.Diagnostic) bool {
	lines := strings.Split(strings.TrimPrefix(string(src), string(bom)), "\n")
	if at.Line < 1 || at.Line > len(lines) {
		return true
	}
	if d.Kind == diag.Replacement && losesLoop(src, at, d.Hint) {
		return false
	}
	l := []rune(lines[at.Line-1])
	first := min(at.Col-1, len(l))
	last := min(first+max(at.Len, 0), len(l))
	lines[at.Line-1] = string(l[:first]) + d.Hint + string(l[last:])
	end := first + len([]rune(d.Hint))
	return !slices.ContainsFunc(faults(file, []byte(strings.Join(lines, "\n"))), func(x diag.Diagnostic) bool {
		same := func(y diag.Diagnostic) bool { return y.Code == x.Code && y.Message == x.Message }
		switch {
		case strings.HasPrefix(d.Hint, "let ") && same(*d): // the name is still unknown in another place
			return true
		case x.Severity != diag.Error && x.Code != d.Code || x.At.Line != at.Line:
			return false
		case d.Kind == diag.Example && !ofContent[x.Code]:
			return false
		case same(*d):
			return x.At.Pos == d.At.Pos || d.Code != diag.Foreign // a foreign mistake may occur again, and is told of once
		}
		// Behind a replacement, the whole line must be right.
		inside := x.At.Col-1 < end && x.At.Col-1+max(x.At.Len, 1) > first || d.Kind == diag.Replacement
		return x.Severity == diag.Error && inside && !slices.ContainsFunc(before, same)
	})
}

// faults returns the diagnostics of a file, without those of dependence analysis.
func faults(file string, src []byte) []diag.Diagnostic {
	if d := tooLarge(src); d != nil {
		return d
	}
	tokens, lexical := scan(src)
	diags := faultsOf(file, src, tokens, lexical, nil, nil)
	if !diag.HasErrors(diags) && !misread(tokens) {
		return diags
	}
	translated, foreign, spoiled := translate(tokens)
	return faultsOf(file, src, translated, lexical, foreign, spoiled)
}

// faultsOf does what faults does, for the tokens of a source, whose lexical and foreign mistakes are known.
func faultsOf(file string, src []byte, tokens []token, lexical, foreign []diag.Diagnostic, spoiled map[string]bool) []diag.Diagnostic {
	s := lowered(file, src, tokens, false)
	o := outlineOf(s.top)
	if len(o.nests) <= 1 && len(o.repeats) == 0 {
		_, diags := parseAs(file, src, tokens, lexical, foreign, spoiled)
		return diags
	}
	p := &programChecker{file: file, src: src, outline: o, spoiled: spoiled}
	p.diags = slices.Concat(lexical, foreign, s.diags)
	p.parse()
	return p.diags
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
