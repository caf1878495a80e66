package frontend

import (
	"fmt"
	"slices"
	"strings"

	"loopc/frontend/depend"
	"loopc/ir/diag"
)

// One cause has one message. Each remedy of a hint is tried on the whole file, which is then checked again. A remedy
// that leads to a new mistake is dropped if the hint has another remedy. A mistake that disappears with every remedy of
// another mistake is not reported: it follows from the other one.

// A trial tries the remedies of a file's diagnostics.
type trial struct {
	file  string
	src   []byte
	given []diag.Diagnostic // before anything was tried
	diags []diag.Diagnostic
	left  int // the bytes of source that may still be checked

	checked map[string][]diag.Diagnostic // what was said of sources that were tried
	known   map[string]bool              // the words of the source, when they are needed
	gone    map[int]bool                 // diagnostics that are to be dropped
}

// causes returns the diagnostics without the remedies that lead to new mistakes, and without the mistakes that follow from others.
func (t *trial) causes() []diag.Diagnostic {
	diags := t.diags
	follows := make([][]int, len(diags)) // by mistake: the others that disappear with it
	for k := range min(len(diags), 2*diag.MaxShown) {
		follows[k] = t.cured(&diags[k])
	}
	for k := range diags {
		for _, x := range follows[k] {
			if !t.gone[k] && (x > k || !slices.Contains(follows[x], k)) {
				t.gone[x] = true
			}
		}
	}
	t.drop()
	return t.diags
}

// consequences drops errors that follow from another report: about a declaration that has an error itself, and about names in
// what a rule put in place of something foreign.
func (t *trial) consequences() {
	for k := range t.diags {
		t.gone[k] = t.vague(&t.diags[k]) || t.ofDeclaration(&t.diags[k]) || t.inLostBlock(&t.diags[k]) || t.ofNoNest(&t.diags[k])
	}
	t.drop()
}

// vague reports whether an error says only that a statement belongs in a for, of loops that are not known, and another report of the
// statement says more.
func (t *trial) vague(d *diag.Diagnostic) bool {
	return d.Code == diag.Misplaced && (d.Hint == "" || strings.HasPrefix(d.Hint, "for ...")) &&
		slices.ContainsFunc(t.diags, func(x diag.Diagnostic) bool {
			return x.Code == diag.Foreign && x.At.Pos == d.At.Pos && x.At == t.lineSpan(x.At.Line)
		})
}

// ofNoNest reports whether an error is about a name in a reduction, and the file has no nest that could have loops or lets of
// this name: another report says what became of it.
func (t *trial) ofNoNest(d *diag.Diagnostic) bool {
	tokens := scanned(t.src)
	at := slices.IndexFunc(tokens, func(x token) bool { return x.pos.Line == d.At.Line })
	return d.Code == diag.UnknownName && d.Hint == "" && at >= 0 && tokens[at].is("reduce") &&
		!slices.ContainsFunc(tokens, func(x token) bool { return x.is("for") }) &&
		slices.ContainsFunc(t.diags, func(x diag.Diagnostic) bool { return x.Code == diag.Foreign && x.At.Line > d.At.Line })
}

// inLostBlock reports whether an error says where a statement belongs, or which brace a block lacks, and its line is further right
// than the line above it that begins a block and cannot be read, or ends that block.
func (t *trial) inLostBlock(d *diag.Diagnostic) bool {
	closes := strings.HasPrefix(d.Message, "a block ends with }")
	if d.Code != diag.Misplaced && d.Code != diag.OneNest && !closes || d.At.Line < 1 {
		return false
	}
	at := d.At.Line
	column := t.lineSpan(at).Col
	for at--; at > 0; at-- {
		if whole := t.lineSpan(at); whole.Len > 0 && (whole.Col < column || closes && whole.Col == column) {
			break
		}
	}
	return slices.ContainsFunc(t.diags, func(x diag.Diagnostic) bool {
		return (x.At.Line == at || d.Message == noForMessage && x.At.Line < d.At.Line) && (x.Code == diag.Syntax || x.Kind == diag.Pattern && x.Code == diag.Foreign) && t.opensBlock(x.At.Line)
	})
}

// opensBlock reports whether a line begins a block, by its first word or its last sign.
func (t *trial) opensBlock(at int) bool {
	line := strings.TrimSpace(t.line(at, nil))
	first, _, _ := strings.Cut(line, " ")
	return slices.Contains([]string{"for", "do", "if", "while", "repeat"}, first) || strings.HasSuffix(line, "{")
}

// ofDeclaration reports whether an error is about a declaration that has an error itself, or was made by a rule.
func (t *trial) ofDeclaration(d *diag.Diagnostic) bool {
	if d.Severity != diag.Error || d.Code == diag.Foreign {
		return false
	}
	made := d.Code == diag.Redeclared && slices.ContainsFunc(t.diags, func(x diag.Diagnostic) bool { return x.Code == diag.Foreign && x.Hint != "" && within(d.At, x.At) })
	return made || (d.Hint == "" || d.Kind == diag.Advice && !slices.ContainsFunc(d.Notes, t.saysRole)) && slices.ContainsFunc(d.Notes, func(n diag.Note) bool {
		return n.At.Line != d.At.Line && slices.ContainsFunc(t.diags, func(x diag.Diagnostic) bool {
			return x.At.Line == n.At.Line && x.Severity == diag.Error && (x.Code == diag.Foreign || x.Code == diag.Syntax)
		})
	})
}

// A cure is a remedy that leads to no new mistake, and the other errors that disappear with it.
type cure struct {
	way  string
	gone []int
}

// cured tries the remedies of d, and drops from its hint those that fail. It returns the other errors that disappear
// with every remedy of d. If the first remedy leaves no error at all, the hint says so, and all others disappear with it.
func (t *trial) cured(d *diag.Diagnostic) []int {
	var cures []cure
	var failed []string
	if t.refit(d); d.Hint == "" {
		return nil
	}
	ways := t.remedies(d)
	if d.Severity != diag.Error {
		t.harmless(d, ways)
		return nil
	}
	for _, way := range ways {
		if x, holds := t.cureOf(d, t.needed(d, way)); holds {
			cures = append(cures, x)
		} else {
			failed = append(failed, way)
		}
	}
	if len(cures) == 0 {
		if d.Kind == diag.Advice && t.errors() == 1 {
			d.Hint, d.Kind = "", diag.Example
		}
		return nil
	}
	gone := cures[0].gone
	if d.Kind == diag.Advice {
		var held []string
		for _, x := range cures {
			held = append(held, x.way)
		}
		d.Hint = joined(held)
		for _, way := range failed {
			d.Message = strings.TrimSuffix(d.Message, "; did you mean "+way+"?")
		}
	}
	if all := t.errors() - 1; len(cures) > 1 && len(gone) > 0 && len(gone) == all {
		d.Hint += fmt.Sprintf("; the first of them cures %s, too", plural(all, "more error"))
		return gone
	}
	for _, x := range cures {
		gone = slices.DeleteFunc(slices.Clone(gone), func(k int) bool { return !slices.Contains(x.gone, k) })
	}
	return gone
}

// alsoInit is the part of a remedy that asks for an init, too.
const alsoInit = ", and an init"

// needed is a remedy without the init that it asks for, if it leads to no new mistake without it.
func (t *trial) needed(d *diag.Diagnostic, way string) string {
	short := strings.Replace(way, alsoInit, "", 1)
	if short == way {
		return way
	}
	text, ok := t.with(t.src, d, short)
	if ok && t.left >= len(text) && t.better(d, t.told(text), text, 0) {
		return short
	}
	return way
}

// harmless drops the remedies of a warning that lead to errors, unless a remedy of such an error
// cures it. A remedy with which the source does not parse stays, because it is not meant to be
// typed literally.
func (t *trial) harmless(d *diag.Diagnostic, ways []string) {
	fresh := func(diags []diag.Diagnostic) int {
		return slices.IndexFunc(diags, func(x diag.Diagnostic) bool { return x.Severity == diag.Error && count(t.diags, &x) == 0 })
	}
	var held []string
	for _, way := range ways {
		text, ok := t.with(t.src, d, way)
		if !ok || t.left < len(text) {
			held = append(held, way)
			continue
		}
		after := t.told(text)
		at := fresh(after)
		if at < 0 || after[at].Code == diag.Syntax || slices.ContainsFunc(t.remedies(&after[at]), func(way string) bool {
			further, ok := t.with(text, &after[at], way)
			return ok && fresh(t.told(further)) < 0
		}) {
			held = append(held, way)
		}
	}
	if len(held) < len(ways) {
		d.Hint = joined(held)
	}
}

// errors is the number of errors of the file.
func (t *trial) errors() (n int) {
	for _, d := range t.diags {
		if d.Severity == diag.Error {
			n++
		}
	}
	return n
}

// cureOf tries a remedy of d. holds is false if the remedy fails, and true if it cannot be tried.
func (t *trial) cureOf(d *diag.Diagnostic, way string) (x cure, holds bool) {
	text, ok := t.with(t.src, d, way)
	if !ok || t.left < len(text) {
		return cure{way: way}, true
	}
	after := t.told(text)
	if !t.better(d, after, text, longestChain) {
		return x, false
	}
	x = cure{way: way}
	for k := range t.diags {
		if y := &t.diags[k]; y != d && y.Severity == diag.Error && y.Code != diag.Foreign && count(after, y) == 0 && !t.stillThere(y, after, text) {
			x.gone = append(x.gone, k)
		}
	}
	return x, true
}

// remedies are the ways of the hint of d that can be tried.
func (t *trial) remedies(d *diag.Diagnostic) []string {
	switch {
	case d.Hint == "" || d.Kind == diag.Pattern || d.Kind == diag.Example:
		return nil
	case d.Kind == diag.Advice:
		return remedies(d.Hint)
	}
	return []string{d.Hint}
}

// with returns src after a remedy of d. ok is false if the remedy cannot be tried.
func (t *trial) with(src []byte, d *diag.Diagnostic, way string) (text []byte, ok bool) {
	if d.Kind == diag.Replacement {
		return []byte(replacedAt(src, d.Replace, way)), true
	}
	changed, ok := followed(src, d, way)
	return []byte(changed), ok
}

// told returns the diagnostics of a source.
func (t *trial) told(src []byte) []diag.Diagnostic {
	diags, known := t.checked[string(src)]
	if known {
		return diags
	}
	if t.left -= len(src); t.left < 0 {
		return t.diags
	}
	_, diags = compileProgram(t.file, src)
	t.checked[string(src)] = diags
	return diags
}

// stillThere reports whether text, the source after a remedy, still has a mistake in the line of x.
func (t *trial) stillThere(x *diag.Diagnostic, after []diag.Diagnostic, text []byte) bool {
	line := func(src []byte, at int) string {
		if lines := strings.Split(string(src), "\n"); at >= 1 && at <= len(lines) {
			return strings.TrimSpace(lines[at-1])
		}
		return ""
	}
	there := line(t.src, x.At.Line)
	return slices.ContainsFunc(after, func(y diag.Diagnostic) bool {
		return y.Severity == diag.Error && line(text, y.At.Line) == there
	})
}

// replacedAt returns src with text in place of the piece of a line at a span.
func replacedAt(src []byte, at diag.Span, text string) string {
	f := &follower{lines: strings.Split(strings.TrimPrefix(string(src), string(bom)), "\n")}
	if at.Line < 1 || at.Line > len(f.lines) {
		return string(src)
	}
	f.edits = []followEdit{{at, text}}
	return f.changed()
}

// longestChain is how many further remedies a remedy may need before the file has no new mistake.
const longestChain = 1

// better reports whether a remedy of d is good. text is the source after the remedy, and after its diagnostics: these
// must have d less often, and no new mistake that its own remedies do not cure.
func (t *trial) better(d *diag.Diagnostic, after []diag.Diagnostic, text []byte, chain int) bool {
	if count(after, d) >= count(t.diags, d) {
		return false
	}
	fresh := slices.IndexFunc(after, func(x diag.Diagnostic) bool {
		return x.Severity == diag.Error && count(after, &x) > count(t.diags, &x)
	})
	if fresh < 0 {
		return true
	}
	return chain > 0 && slices.ContainsFunc(t.remedies(&after[fresh]), func(way string) bool {
		further, ok := t.with(text, &after[fresh], way)
		return ok && t.better(d, t.told(further), further, chain-1)
	})
}

// count returns how many of diags are about the mistake of d; their witnesses (depend.At) may differ.
func count(diags []diag.Diagnostic, d *diag.Diagnostic) (n int) {
	mistake := func(message string) string {
		text, _, _ := strings.Cut(message, depend.At)
		return text
	}
	for _, x := range diags {
		if x.Severity == d.Severity && x.Code == d.Code && mistake(x.Message) == mistake(d.Message) {
			n++
		}
	}
	return n
}
