package frontend

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"loopc/ir/diag"
)

// A small loop that is written out has numbers in the place of its variable. What is wrong of a subscript for some of these numbers is
// told in the words of the source: the range of the small loop, or a condition with its variable.

// beyondForm is how the analysis tells of a subscript beyond the bounds.
var beyondForm = regexp.MustCompile(`^subscript (.*?) of (\w+) (?:may fall below|is below|falls below|may exceed|exceeds) the (lower|upper) bound (.*?) of dimension (\d+)`)

// A smallLoop is a loop of the source around a subscript that has another name or number there.
type smallLoop struct {
	name        string
	at          diag.Span
	first, last []token // the ends of its range
}

// An ofSmallLoop is a subscript beyond the bounds, of a cell in a small loop.
type ofSmallLoop struct {
	sub, told string // as in the source, and as told
	bound     string
	upper     bool
	loop      smallLoop
}

// smallLoopAt is what an error tells of a small loop; ok is false for other errors.
func (t *trial) smallLoopAt(d *diag.Diagnostic, tokens []token) (w ofSmallLoop, ok bool) {
	m := beyondForm.FindStringSubmatch(d.Message)
	cells := plainCells(tokens)
	k := slices.IndexFunc(cells, func(c cellAt) bool { return c.body && tokens[c.at].pos == d.At.Pos })
	if d.Severity != diag.Error || d.Code != diag.OutOfBounds || m == nil || k < 0 || cells[k].name != m[2] {
		return w, false
	}
	dim, _ := strconv.Atoi(m[5])
	if dim > len(cells[k].subs) {
		return w, false
	}
	w = ofSmallLoop{sub: cells[k].subs[dim-1], told: m[1], bound: m[4], upper: m[3] == "upper"}
	told := " " + namesIn(w.told) + " "
	for _, name := range strings.Fields(namesIn(w.sub)) {
		if loop, found := loopAround(tokens, cells[k].at, name); found && !strings.Contains(told, " "+name+" ") {
			w.loop = loop
			return w, true
		}
	}
	return w, false
}

// loopAround is the innermost loop of this name whose block has token use; found is false if its range has no two ends, or a step.
func loopAround(tokens []token, use int, name string) (l smallLoop, found bool) {
	for k, x := range tokens[:use] {
		if !x.is("for") {
			continue
		}
		at, open := loopNamed(tokens[k+1:], name)
		if at < 0 || k+1+open >= use || closingBrace(tokens, k+1+open) <= use {
			continue
		}
		list := tokens[k+1+at : k+1+open]
		ends := cut(commas(list[2:])[0], "..")
		if l, found = (smallLoop{name: name, at: list[0].span()}), false; len(ends) == 2 && !slices.ContainsFunc(ends[1], func(x token) bool { return x.named("step") }) {
			l.first, l.last, found = ends[0], ends[1], true
		}
	}
	return l, found
}

// mostShortened is by how much one end of the range of a small loop may be wrong.
const mostShortened = 2

// inSmallLoops gives the errors about subscripts in small loops the remedy in the words of the source, and drops others at the same
// place that have the same one.
func (t *trial) inSmallLoops() {
	tokens := scanned(t.src)
	for k := range min(len(t.diags), diag.MaxShown) {
		d := &t.diags[k]
		w, ok := t.smallLoopAt(d, tokens)
		if !ok || t.gone[k] {
			continue
		}
		for by := range 2 * mostShortened {
			if namesIn(w.sub) != w.loop.name { // the other name may be wrong
				break
			}
			way := w.loop.shortened(by%2 == 1, by/2+1)
			if text, ok := t.with(t.src, d, way); way != "" && ok && t.left >= len(text) && t.curesPlace(d, t.told(text)) {
				d.Hint, d.Kind = way, diag.Advice
				break
			}
		}
		if way := w.guard(d.Hint); way != "" && t.guarded(d, way, tokens) {
			d.Hint, d.Kind = way+" in the condition of the if, which then reads only what is within the bounds", diag.Advice
			for l := range t.diags {
				t.gone[l] = t.gone[l] || l != k && t.diags[l].At == d.At && t.diags[l].Code == d.Code
			}
		}
	}
	t.drop()
}

// inItsWords tells errors about subscripts in small loops with the subscripts of the source.
func (t *trial) inItsWords() {
	tokens := scanned(t.src)
	for k := range t.diags {
		d := &t.diags[k]
		if w, ok := t.smallLoopAt(d, tokens); ok {
			d.Message = strings.Replace(d.Message, "subscript "+w.told+" of", "subscript "+w.sub+", here "+w.told+", of", 1)
			d.Notes = append(slices.Clone(d.Notes), diag.Note{At: w.loop.at, Message: "the loop " + w.loop.name + " is here"})
		}
	}
}

// shortened is the remedy with one end of the range of a loop closer to the other one; "" if the end is no sum with a number.
func (l smallLoop) shortened(last bool, by int) string {
	end, by := l.first, by
	if last {
		end, by = l.last, -by
	}
	text := strings.ReplaceAll(textOf(end), " ", "")
	n := len(end)
	switch number, err := strconv.Atoi(text); {
	case err == nil:
		text = strconv.Itoa(number + by)
	case n == 1:
		text = shiftedName(text, int64(by))
	case n == 3 && end[0].kind == tokIdent && end[2].kind == tokInt && (end[1].is("+") || end[1].is("-")):
		number, _ := strconv.Atoi(end[1].text + end[2].text)
		text = shiftedName(end[0].text, int64(number+by))
	default:
		return ""
	}
	ends := [2]string{text, strings.ReplaceAll(textOf(l.last), " ", "")}
	if last {
		ends = [2]string{strings.ReplaceAll(textOf(l.first), " ", ""), text}
	}
	return "the loop " + l.name + " = " + ends[0] + ".." + ends[1]
}

// curesPlace reports whether after a remedy of d no subscript is beyond the bounds at its place, and no new mistake is told.
func (t *trial) curesPlace(d *diag.Diagnostic, after []diag.Diagnostic) bool {
	return !slices.ContainsFunc(after, func(x diag.Diagnostic) bool {
		return x.Severity == diag.Error && (x.Code == diag.OutOfBounds && x.At.Line == d.At.Line || count(t.diags, &x) == 0)
	})
}

// guard is the condition under which a subscript is within the bounds, if the hint has one with numbers; "" for other hints.
func (w ofSmallLoop) guard(hint string) string {
	switch {
	case !strings.Contains(hint, "in the condition of the if"):
		return ""
	case w.upper:
		return w.sub + " <= " + w.bound
	}
	return w.sub + " >= " + w.bound
}

// guarded reports whether a condition, beside that of the innermost if around an error, cures all such errors at its place.
func (t *trial) guarded(d *diag.Diagnostic, condition string, tokens []token) bool {
	open := -1
	use := slices.IndexFunc(tokens, func(x token) bool { return x.pos == d.At.Pos })
	for k, x := range tokens[:use] {
		if x.named("if") {
			at := k + slices.IndexFunc(tokens[k:], func(x token) bool { return x.is("{") })
			if at > k && at < use && closingBrace(tokens, at) > use {
				open = at
			}
		}
	}
	if open < 0 {
		return false
	}
	f := &follower{lines: strings.Split(strings.TrimPrefix(string(t.src), string(bom)), "\n"), tokens: tokens}
	f.edits = []followEdit{{diag.Span{Pos: tokens[open].pos}, "&& " + condition + " "}}
	text := []byte(f.changed())
	return t.left >= len(text) && t.curesPlace(d, t.told(text))
}
