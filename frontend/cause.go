package frontend

import (
	"slices"
	"strings"

	"loopc/ir/diag"
)

// One cause has one message: what is told is tried on the whole file. A remedy after which the file has a new
// mistake is not told if there is another one; and a mistake that is gone whatever remedy of another one the user
// takes is no mistake of its own.

// A trial follows what is told of a file.
type trial struct {
	file  string
	src   []byte
	diags []diag.Diagnostic
	left  int // the bytes of source that may still be checked
}

// causes returns diags without remedies that lead to other mistakes, and without mistakes that follow from others.
func causes(file string, src []byte, diags []diag.Diagnostic, left int) []diag.Diagnostic {
	t := &trial{file, src, diags, left}
	follows := make([][]int, len(diags)) // the mistakes that are gone with one
	for k := range min(len(diags), 2*diag.MaxShown) {
		follows[k] = t.cured(&diags[k])
	}
	gone := map[int]bool{}
	for k := range diags {
		for _, x := range follows[k] {
			if !gone[k] && (x > k || !slices.Contains(follows[x], k)) {
				gone[x] = true
			}
		}
	}
	var rest []diag.Diagnostic
	for k, d := range diags {
		if !gone[k] {
			rest = append(rest, d)
		}
	}
	return rest
}

// cured tries the remedies of d, and drops from its hint those that fail. It returns the other errors that
// are gone with d whatever remedy is taken; none if it is not known of some remedy.
func (t *trial) cured(d *diag.Diagnostic) (gone []int) {
	var held []string
	common, known, failed := map[int]int{}, true, 0
	ways := t.remedies(d)
	for _, way := range ways {
		text, ok := t.with(t.src, d, way)
		if !ok {
			held, known = append(held, way), false
			continue
		}
		after := t.told(text)
		if !t.better(d, after, text, longestChain) {
			failed++
			continue
		}
		held = append(held, way)
		for k := range t.diags {
			if x := &t.diags[k]; x != d && x.Severity == diag.Error && x.Code != diag.Foreign && count(after, x) == 0 && !t.stillThere(x, after, text) {
				common[k]++
			}
		}
	}
	if len(held) == 0 || d.Severity != diag.Error {
		return nil
	}
	if failed > 0 && d.Kind == diag.Advice {
		d.Hint = joined(held)
	}
	for k, n := range common {
		if known && n == len(held) {
			gone = append(gone, k)
		}
	}
	slices.Sort(gone)
	return gone
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

// with is a source with a remedy for d in it; false if the remedy cannot be tried.
func (t *trial) with(src []byte, d *diag.Diagnostic, way string) (text []byte, ok bool) {
	if d.Kind == diag.Replacement {
		return []byte(replacedAt(src, d.Replace, way)), true
	}
	changed, ok := followed(src, d, way)
	return []byte(changed), ok
}

// told is what is told of a source.
func (t *trial) told(src []byte) []diag.Diagnostic {
	if t.left -= len(src); t.left < 0 {
		return t.diags
	}
	_, diags := compileProgram(t.file, src)
	return diags
}

// stillThere reports whether the line of x, in a source with a remedy, has a mistake.
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

// replacedAt is a source with a text in place of a piece of a line.
func replacedAt(src []byte, at diag.Span, text string) string {
	f := &follower{lines: strings.Split(strings.TrimPrefix(string(src), string(bom)), "\n")}
	if at.Line < 1 || at.Line > len(f.lines) {
		return string(src)
	}
	f.edits = []followEdit{{at, text}}
	return f.changed()
}

// longestChain is how many further remedies may be needed after one.
const longestChain = 1

// better reports whether text, the source with a remedy of d of which after is told, has d less often, and no
// mistake that is new, or only those that a remedy of theirs cures.
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

// count is how often a mistake is told.
func count(diags []diag.Diagnostic, d *diag.Diagnostic) (n int) {
	for _, x := range diags {
		if x.Severity == d.Severity && x.Code == d.Code && x.Message == d.Message {
			n++
		}
	}
	return n
}
