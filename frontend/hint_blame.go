package frontend

import (
	"fmt"
	"slices"
	"strings"

	"loopc/ir/diag"
)

// What is offered in the place of a mistake must fit the rest of the file. A declaration whose bounds do not have all
// subscripts is not offered: sizes of other languages do not say whether a dimension begins at 0 or at 1, so both are tried.

// mostCounted is how many dimensions are tried with other bounds: each doubles the trials.
const mostCounted = 3

// ofBounds are the codes of mistakes for which a declaration, or a text with cells, is to blame.
var ofBounds = []diag.Code{diag.OutOfBounds, diag.NonUniform, diag.Dimensions}

// refit replaces the hint of d if new mistakes refer to it: by the same declaration with dimensions that begin at 1, not at 0,
// or the reverse, if these have all subscripts; else by what does not fit, or by nothing.
func (t *trial) refit(d *diag.Diagnostic) {
	at, ok := t.placeOf(d)
	if !ok {
		return
	}
	if d.Message == numberMessage && t.idle(at, d.Hint) {
		d.Message += ", and nothing uses this one: what iterations have together is a reduction"
		d.Hint, d.Kind = "", diag.Example
		return
	}
	fault := t.blames(at, d.Hint)
	if fault == nil || fault.Code == diag.Dimensions && d.Code != diag.Foreign { // subscripts that compute a place have their own hints
		return
	}
	hint := d.Hint
	d.Hint, d.Kind = "", diag.Example
	if fault.Code != diag.OutOfBounds {
		return
	}
	var fit []string
	for _, way := range otherBounds(hint) {
		if t.blames(at, way) == nil {
			fit = append(fit, way)
		}
	}
	if len(fit) == 1 {
		d.Hint, d.Kind, d.Replace = fit[0], diag.Replacement, at
		return
	}
	if d.Kind = diag.Advice; !strings.Contains(hint, "..") { // it declares nothing
		d.Hint = hint + ", with which " + fault.Message
		return
	}
	d.Hint = fmt.Sprintf("bounds include both ends, and must have all subscripts: with %s, %s", hint, fault.Message)
}

// idle reports whether a text in the place of what was found declares a zero that nothing uses: it was to collect or to count something.
func (t *trial) idle(at diag.Span, text string) bool {
	src := replacedAt(t.src, at, text)
	if _, value, _ := strings.Cut(text, " = "); strings.Trim(value, "0.") != "" || t.left < len(src) {
		return false
	}
	return slices.ContainsFunc(t.told([]byte(src)), func(x diag.Diagnostic) bool { return x.Code == diag.NoResult && x.At.Line == at.Line })
}

// blames returns a new mistake that a text in the place of what was found has, or that refers to it, such as a
// subscript that its bounds do not have; nil if there is none.
func (t *trial) blames(at diag.Span, text string) *diag.Diagnostic {
	src := replacedAt(t.src, at, text)
	if t.left < len(src) {
		return nil
	}
	end := at.Col + len([]rune(text))
	after := t.told([]byte(src))
	k := slices.IndexFunc(after, func(x diag.Diagnostic) bool {
		if x.Severity != diag.Error || count(after, &x) <= count(t.diags, &x) {
			return false
		}
		within := x.At.Line == at.Line && at.Col <= x.At.Col && x.At.Col < end
		return slices.Contains(ofBounds, x.Code) &&
			(within || slices.ContainsFunc(x.Notes, func(n diag.Note) bool { return n.At.Line == at.Line }))
	})
	if k < 0 {
		return nil
	}
	return &after[k]
}

// placeOf is the place of the text that the hint of d replaces; ok is false if it replaces nothing.
func (t *trial) placeOf(d *diag.Diagnostic) (at diag.Span, ok bool) {
	switch {
	case d.Hint == "" || d.At.Line < 1:
	case d.Kind == diag.Replacement:
		return d.Replace, true
	case d.Kind == diag.Example:
		first, _, _ := strings.Cut(d.Hint, " ")
		declares := declarers[first] || first == "init" || first == "out"
		return d.At, inPlace(d.Hint) || d.Code == diag.Foreign && declares && t.entireLine(d.At)
	}
	return d.At, false
}

// entireLine reports whether a span is all of its line.
func (t *trial) entireLine(at diag.Span) bool {
	line := ""
	if lines := strings.Split(string(t.src), "\n"); at.Line <= len(lines) {
		line = strings.TrimRight(lines[at.Line-1], "; \t\r")
	}
	return at.Col == 1 && at.Len >= len([]rune(line))
}

// otherBounds returns a declaration of an array with other bounds: dimensions 0..n-1 as 1..n, and the reverse, in all combinations.
func otherBounds(hint string) (ways []string) {
	tokens, _ := scan([]byte(hint))
	tokens = tokens[:len(tokens)-1]
	open := slices.IndexFunc(tokens, func(x token) bool { return x.is("[") })
	if open < 0 || open+partner(tokens[open:]) >= len(tokens) {
		return nil
	}
	last := open + partner(tokens[open:])
	dims := commas(tokens[open+1 : last])
	if len(dims) > mostCounted {
		return nil
	}
	for choice := 1; choice < 1<<len(dims); choice++ {
		counted := slices.Clone(dims)
		for d, dim := range dims {
			if choice>>d&1 == 0 {
				continue
			}
			if len(dim) < 3 || !dim[1].is("..") || dim[0].text != "0" && dim[0].text != "1" {
				counted = nil
				break
			}
			first, more := "1", 1
			if dim[0].text == "1" {
				first, more = "0", -1
			}
			counted[d] = slices.Concat([]token{word(tokInt, first, dim[0]), dim[1]}, plus(dim[2:], more))
		}
		if counted != nil {
			ways = append(ways, statementsText(slices.Concat(tokens[:open+1], between(counted, ",", tokens[open]), tokens[last:])))
		}
	}
	return ways
}
