package frontend

import (
	"slices"
	"strings"

	"loopc/ir/diag"
)

// Two subscripts of one cell may be exchanged, and the analysis then tells what follows from that: cells beyond the bounds, or at
// distances that vary. The exchange back is tried on the source, whatever the subscripts are: loops, numbers of a repeat or of a batch,
// the variables of small loops, or constants.

// A cellAt is a cell in a source: the name of an array, and its subscripts without spaces.
type cellAt struct {
	name string
	subs []string
	at   int  // the index of its first token
	body bool // it is no declaration
}

func (c cellAt) text() string { return c.name + "[" + strings.Join(c.subs, ",") + "]" }

// with is the cell with subscripts d and k exchanged.
func (c cellAt) with(d, k int) cellAt {
	c.subs = slices.Clone(c.subs)
	c.subs[d], c.subs[k] = c.subs[k], c.subs[d]
	return c
}

// plainCells are the cells of arrays in a source whose subscripts have no brackets.
func plainCells(tokens []token) (list []cellAt) {
	word := ""
	for k, x := range tokens {
		if k == 0 || tokens[k-1].pos.Line != x.pos.Line {
			word = x.text
		}
		if x.kind != tokIdent || k+1 == len(tokens) || !tokens[k+1].is("[") || !tokens[k+1].glued {
			continue
		}
		last := k + 2
		for last < len(tokens) && !tokens[last].opens() && !tokens[last].closes() {
			last++
		}
		if last == len(tokens) || !tokens[last].is("]") {
			continue
		}
		c := cellAt{name: x.text, at: k, body: !slices.Contains([]string{"array", "init", "out", "boundary", "const"}, word)}
		for _, sub := range commas(tokens[k+2 : last]) {
			c.subs = append(c.subs, strings.ReplaceAll(textOf(sub), " ", ""))
		}
		list = append(list, c)
	}
	return list
}

// alike is the number of dimensions in which a cell has the names of another cell of its array; the greatest one, of all other cells.
func (c cellAt) alike(all []cellAt) (most int) {
	for _, x := range all {
		if x.name != c.name || !x.body || len(x.subs) != len(c.subs) {
			continue
		}
		same := 0
		for d := range c.subs {
			if namesIn(x.subs[d]) == namesIn(c.subs[d]) {
				same++
			}
		}
		most = max(most, same)
	}
	return most
}

// namesIn are the names in a subscript.
func namesIn(sub string) string {
	var names []string
	for _, x := range scanned([]byte(sub)) {
		if x.kind == tokIdent {
			names = append(names, x.text)
		}
	}
	return strings.Join(names, " ")
}

// exchanges puts, into the hints for cells beyond the bounds, far beyond a boundary, or at distances that vary, the cell with two subscripts
// exchanged, if the file then has no such mistake of this array. The exchange is the only remedy if other cells of the array have these
// names in this order; else it is the first one, beside that of the bounds in the declaration, if
// the array has no other cells and this one is beyond the bounds.
func (t *trial) exchanges() {
	tokens := scanned(t.src)
	all := plainCells(tokens)
	for k := range min(len(t.diags), diag.MaxShown) {
		d := &t.diags[k]
		if d.Code != diag.OutOfBounds && (d.Severity != diag.Error || d.Code != diag.NonUniform && d.Code != diag.Boundary) {
			continue
		}
		at := []diag.Pos{d.At.Pos}
		for _, n := range d.Notes {
			at = append(at, n.At.Pos)
		}
		var told, others []cellAt
		for _, c := range all {
			switch {
			case c.body && slices.Contains(at, tokens[c.at].pos):
				told = append(told, c)
			case c.body && len(told) > 0 && !slices.ContainsFunc(all, func(x cellAt) bool { return x.at != c.at && x.text() == c.text() }):
				others = append(others, c)
			}
		}
		if len(told) == 0 || t.exchangedBack(d, told, all, tokens) || d.Severity != diag.Error {
			continue
		}
		t.exchangedBack(d, slices.DeleteFunc(others, func(c cellAt) bool { return c.name != told[0].name }), all, tokens)
	}
}

// exchangedBack does what exchanges does for some cells, and reports whether it does. Of several exchanges those count that change
// the fewest places.
func (t *trial) exchangedBack(d *diag.Diagnostic, cells, all []cellAt, tokens []token) bool {
	var ways []string
	fewest, only := len(all)+1, true
	for _, c := range cells {
		others := slices.DeleteFunc(slices.Clone(all), func(x cellAt) bool { return x.text() == c.text() })
		places := len(all) - len(others)
		alone := d.Code == diag.OutOfBounds && !slices.ContainsFunc(others, func(y cellAt) bool { return y.body && y.name == c.name })
		for k := range c.subs {
			for l := range k {
				x := c.with(k, l)
				better := x.alike(others) > c.alike(others)
				if c.subs[k] == c.subs[l] || places > fewest || !better && !alone || besides(x, c, all, tokens) {
					continue
				}
				if hintsExchange(d, x.text()) {
					return true
				}
				way := x.text() + " in place of " + c.text() + ", with its subscripts exchanged"
				if !t.curesArray(d, way, c.name) {
					continue
				}
				if places < fewest {
					ways, only = nil, true
				}
				ways, fewest, only = append(ways, way), places, only && better
				if way = c.declaredOtherwise(l, k, tokens); !better && t.curesArray(d, way, c.name) {
					ways = append(ways, way)
				}
			}
		}
	}
	if len(ways) == 0 {
		return false
	}
	if !only && d.Kind == diag.Advice {
		ways = append(ways, without(t.remedies(d), ways)...)
	}
	d.Hint, d.Kind = joined(ways), diag.Advice
	return true
}

// without returns the texts of list that others lacks.
func without(list, others []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(text string) bool { return slices.Contains(others, text) })
}

// hintsExchange reports whether the hint of d gives a cell other subscripts already, or exchanges something.
func hintsExchange(d *diag.Diagnostic, cell string) bool {
	return slices.ContainsFunc([]string{cell, "exchanged", "in another order"}, func(text string) bool { return strings.Contains(d.Hint, text) })
}

// declaredOtherwise is the remedy that exchanges the bounds of two dimensions of the array of a cell; "" if it has no declaration.
func (c cellAt) declaredOtherwise(d, k int, tokens []token) string {
	dims, _ := (&follower{tokens: tokens}).extents(c.name)
	if len(dims) != len(c.subs) {
		return ""
	}
	var ranges []string
	for _, x := range dims {
		ranges = append(ranges, strings.ReplaceAll(textOf(tokens[x[0]:x[1]]), " ", ""))
	}
	ranges[d], ranges[k] = ranges[k], ranges[d]
	return "bounds " + c.name + "[" + strings.Join(ranges, ", ") + "], with its bounds exchanged"
}

// besides reports whether the line of a cell has another one, too: both are meant.
func besides(x, c cellAt, all []cellAt, tokens []token) bool {
	return slices.ContainsFunc(all, func(y cellAt) bool {
		return y.text() == x.text() && tokens[y.at].pos.Line == tokens[c.at].pos.Line
	})
}

// curesArray reports whether a remedy of d leaves no mistake about the cells of an array, and leads to no new one.
func (t *trial) curesArray(d *diag.Diagnostic, way, name string) bool {
	text, ok := t.with(t.src, d, way)
	if way == "" || !ok || t.left < len(text) {
		return false
	}
	return !slices.ContainsFunc(t.told(text), func(x diag.Diagnostic) bool {
		of := slices.ContainsFunc(scanned([]byte(x.Message)), func(w token) bool { return w.text == name })
		return (slices.Contains(ofAnalysis, x.Code) || x.Code == diag.Boundary && x.Severity == diag.Error) && of || x.Severity == diag.Error && count(t.diags, &x) == 0
	})
}
