package frontend

import (
	"slices"
	"strings"
)

// Copies of arrays over the cells that the file writes: other cells of such an array have no value.

// copyTo is the for that copies one array to another: over the cells that the file writes, if those are all that have a value,
// else over all cells. It is "" if the bounds are not known.
func (t *translator) copyTo(to, from token, around []string) string {
	header, subs := t.overWritten(from, around)
	if header == "" {
		return t.forOf(to, around, []token{from})
	}
	return header + " " + textOf(slices.Concat(cellTokens(to, subs), []token{operator("=", to)}, cellTokens(from, subs))) + " }"
}

// overWritten returns the header of a for over the cells of an array that one statement writes, and their subscripts; "" if
// other cells have values too, or the loops are not known.
func (t *translator) overWritten(array token, around []string) (header string, subs [][]token) {
	subs = t.writtenAt(array.text)
	if subs == nil || t.given[array.text] || t.statementOf("init", array.text) != nil || len(t.assignedCells(array.text)) != 1 {
		return "", nil
	}
	var loops []string
	for _, sub := range subs {
		ends := t.loopNamed(sub)
		if ends == nil || slices.Contains(around, sub[0].text) {
			return "", nil
		}
		loops = append(loops, sub[0].text+" = "+strings.ReplaceAll(textOf(ends), " ", ""))
	}
	return "for " + strings.Join(loops, ", ") + " {", subs
}

// assignedCells are the places of an array where cells of it are assigned to.
func (t *translator) assignedCells(array string) (at []int) {
	for k, x := range t.tokens {
		if m := t.match[min(k+1, len(t.match)-1)]; x.text == array && x.kind == tokIdent && t.at(k+1).is("[") && m > k && t.at(m+1).assigns() {
			at = append(at, k)
		}
	}
	return at
}

// loopNamed returns the range of the loop whose name a subscript is, as this language writes it; nil if there is none, or several.
func (t *translator) loopNamed(sub []token) (ends []token) {
	for k, x := range t.tokens {
		if len(sub) != 1 || x.text != sub[0].text || x.kind != tokIdent || !t.at(k+1).is("=") || k == 0 || !t.at(k-1).is("for") && !t.at(k-1).is(",") {
			continue
		}
		last := k + 2
		for t.sameLine(k, last) && !t.at(last).is(",") && !t.at(last).is("{") {
			last++
		}
		if l := t.tokens[k+2 : last]; ends == nil && slices.ContainsFunc(l, func(y token) bool { return y.is("..") }) {
			ends = l
		} else if ends == nil || textOf(l) != textOf(ends) {
			return nil
		}
	}
	return ends
}

// writtenAt returns the subscripts of the first assignment to an array; nil if there is none.
func (t *translator) writtenAt(array string) [][]token {
	at := t.assignedCells(array)
	if len(at) == 0 {
		return nil
	}
	return commas(t.tokens[at[0]+2 : t.match[at[0]+1]])
}
