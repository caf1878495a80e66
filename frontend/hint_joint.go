package frontend

import (
	"fmt"
	"slices"
	"strings"

	"loopc/ir/diag"
)

// The hints of a file are followed together: a hint must fit what the other hints make of the file. What fails then is a guess
// about the rest of the file, such as the role of an array.

// mostRounds is how often hints that fail together are dropped, and the rest is followed again.
const mostRounds = 6

// ofNames are the codes of mistakes for which a line is to blame, or the declaration that a note points to, in whatever place it is used.
var ofNames = map[diag.Code]bool{diag.Redeclared: true, diag.ArrayRole: true, diag.NameMisuse: true, diag.Dimensions: true, diag.InitRead: true}

// jointly drops hints that are refuted by what the others make of the file.
func (t *trial) jointly() {
	for range mostRounds {
		_, hints := t.placedHints()
		h, fails := t.refuted(hints, func([]int) bool { return true })
		if !fails {
			return
		}
		t.instead(h)
	}
}

// refuted returns a hint that leads to one of the errors that the file with all hints has, at lines that are accepted; false
// if there is none.
func (t *trial) refuted(hints map[int][]placed, accept func(lines []int) bool) (h placed, fails bool) {
	src := t.withLines(hints)
	if len(hints) == 0 || t.left < len(src) {
		return h, false
	}
	for _, x := range t.told(src) {
		if x.Severity != diag.Error || !ofNames[x.Code] || count(t.diags, &x) > 0 {
			continue
		}
		at := []int{x.At.Line}
		if x.Code == diag.ArrayRole && slices.ContainsFunc(x.Notes, t.saysRole) {
			continue
		}
		for _, n := range x.Notes {
			if x.Code == diag.ArrayRole || x.Code == diag.Dimensions {
				at = append([]int{n.At.Line}, at...)
			}
		}
		for _, line := range at {
			if l := hints[line]; len(l) > 0 && accept(at) && t.blamed(l[0], &x) {
				return l[0], true
			}
		}
	}
	return h, false
}

// saysRole reports whether the line of a note itself has the role of an array: it is no guess.
func (t *trial) saysRole(n diag.Note) bool {
	return slices.ContainsFunc(scanned([]byte(t.line(n.At.Line, nil))), func(x token) bool { return x.is("in") || x.is("out") || x.is("inout") })
}

// blamed reports whether a hint may be to blame for an error that the file has with it: subscripts that compute a place have
// hints of their own.
func (t *trial) blamed(h placed, x *diag.Diagnostic) bool {
	d := &t.diags[h.k]
	return d.Severity == diag.Error && (x.Code != diag.Dimensions || d.Code == diag.Foreign)
}

// instead offers a part of a hint that is refuted, or the same array with another role, if that holds; else nothing.
func (t *trial) instead(h placed) {
	for _, way := range otherWays(h.text) {
		t.put(h, way)
		_, hints := t.placedHints()
		if _, fails := t.refuted(hints, func(lines []int) bool { return slices.Contains(lines, h.at.Line) }); fails {
			continue
		}
		if h.note < 0 && strings.HasPrefix(way, "init ") {
			t.diags[h.k].Message = beforeMessage
		}
		return
	}
	t.put(h, "")
}

// otherWays are the texts to try in the place of a hint: the same arrays with other roles, and the single statements for one array.
func otherWays(hint string) (ways []string) {
	parts := strings.Split(hint, "; ")
	roles := slices.Clone(parts)
	arrays := 0
	for k, p := range parts {
		if strings.HasPrefix(p, "array ") {
			arrays++
			roles[k] = strings.TrimSuffix(strings.TrimSuffix(p, " in"), " out") + " inout"
			if strings.HasSuffix(p, " inout") {
				roles[k] = p
			}
		}
	}
	if way := strings.Join(roles, "; "); way != hint {
		ways = append(ways, way)
	}
	if arrays == 1 && len(parts) > 1 && !strings.Contains(hint, "{") {
		ways = append(ways, parts...)
	}
	return ways
}

// numbers replaces reports whose hints declare a number, if that cannot be one, by what is known of its name. It drops sentences
// with calls of functions that the language lacks.
func (t *trial) numbers() {
	for k := range min(len(t.diags), 2*diag.MaxShown) {
		if d := &t.diags[k]; d.Hint != "" && d.Kind == diag.Advice && t.callsUnknown(d.Hint) {
			d.Hint, d.Kind = "", diag.Example
		}
		for _, h := range slices.Backward(t.hintsOf(k)) {
			why := misnamed(h.text, t.src, h.at)
			if why == "" || t.gone[k] || t.diags[k].Code == diag.NotConstant { // the file itself says that it is a number
				continue
			}
			own := *t.alone(h)
			own.Message, own.Hint, own.Kind, own.Notes = why, "", diag.Example, nil
			switch d := &t.diags[k]; {
			case h.note >= 0:
				d.Notes = slices.Delete(slices.Clone(d.Notes), h.note, h.note+1)
			case !t.movedOn(d):
				t.gone[k] = true
			}
			t.diags = append(t.diags, own)
		}
	}
	t.drop()
	diag.Sort(t.diags)
	t.unsettled()
}

// unsettled drops hints with names of which it is only known that they are no numbers of the file.
func (t *trial) unsettled() {
	names := map[string]bool{}
	for _, d := range t.diags {
		if name, _, is := strings.Cut(d.Message, changedMessage); is && d.Hint == "" {
			names[name] = true
		}
	}
	if len(names) == 0 {
		return
	}
	for k := range t.diags {
		d := &t.diags[k]
		if d.Severity != diag.Error || d.Hint == "" || d.Kind == diag.Advice {
			continue
		}
		tokens, _ := scan([]byte(d.Hint))
		declares := declarers[tokens[0].text] && names[tokens[1].text]
		if !declares && slices.ContainsFunc(tokens, func(x token) bool { return names[x.text] }) {
			d.Hint, d.Kind = "", diag.Example
		}
	}
}

// callsUnknown reports whether a text has a call of a function that neither the language nor the file has, and that has no hint of
// its own.
func (t *trial) callsUnknown(text string) bool {
	tokens, _ := scan([]byte(text))
	for k, x := range tokens[:len(tokens)-1] {
		if y := tokens[k+1]; x.kind != tokIdent || !y.is("(") || !y.glued || k > 0 && tokens[k-1].is("func") || wordsOf(nil)[x.text] {
			continue
		}
		told := slices.ContainsFunc(t.diags, func(d diag.Diagnostic) bool {
			return d.Code == diag.UnknownName && d.Hint != "" && strings.HasPrefix(d.Message, "unknown function "+x.text)
		})
		if f := (&follower{tokens: scanned(t.src)}); !told && f.begins(0, "extern", "func", x.text) < 0 {
			return true
		}
	}
	return false
}

// scanned are the tokens of a source.
func scanned(src []byte) []token {
	tokens, _ := scan(src)
	return tokens
}

// misnamed says why a text in the place of a piece of a source cannot declare a number: the rest of the source uses its name
// with subscripts, or updates what is to be a param or a const. It is "" if it can.
func misnamed(text string, src []byte, at diag.Span) string {
	kind, names := numbersOf(text)
	all, _ := scan(src)
	for k, x := range all {
		switch {
		case !names[x.text] || x.kind != tokIdent || within(x.span(), at) || k > 0 && all[k-1].is("."):
		case k > 0 && all[k-1].is("array"): // it is declared twice
			return ""
		case (all[k+1].is("[") || all[k+1].is("(") && !wordsOf(nil)[x.text]) && all[k+1].glued:
			return fmt.Sprintf("%s has subscripts in line %d, and so is no number: an array is declared, and a for goes over its cells", x.text, x.pos.Line)
		case (kind == "param" || kind == "const") && updates(all, k):
			return x.text + changedMessage
		}
	}
	return ""
}

// numbersOf returns the names that a text declares as numbers, and the word by which it does.
func numbersOf(text string) (kind string, names map[string]bool) {
	tokens, _ := scan([]byte(text))
	kind, names = tokens[0].text, map[string]bool{}
	if !slices.Contains([]string{"let", "var", "param", "const"}, kind) || len(tokens) > 2 && tokens[2].is("[") {
		return kind, names
	}
	for k, x := range tokens[1:] {
		if x.is("=") || k > 0 && !tokens[k].is(",") && !x.is(",") {
			break
		}
		if x.kind == tokIdent {
			names[x.text] = true
		}
	}
	return kind, names
}

// updates reports whether the name at token k is updated, or counted up or down.
func updates(tokens []token, k int) bool {
	y := tokens[k+1]
	counted := (y.is("+") || y.is("-")) && tokens[k+2].is(y.text) && tokens[k+2].glued
	return counted || y.is("++") || y.is("--") || y.assigns() && !y.is("=")
}
