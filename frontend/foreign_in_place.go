package frontend

import (
	"slices"
	"strings"
)

// twoNests says how a repeat computes all cells of an array from those before, if the nest around token k writes the array in
// place within a repeat; "" for other nests. Around an end, the nest would read cells that it has written.
func (t *translator) twoNests(k int, array string) string {
	open, end := t.blockAround(k)
	if open < 0 {
		return ""
	}
	number := ""
	for j := range open {
		if x := t.at(j); x.named("repeat") || x.is("repeat") {
			number = t.at(j + 1).text
		}
	}
	for j := open + 1; j < end; j++ {
		first := t.at(j-1).is("{") || t.at(j-1).is(";") || t.at(j-1).pos.Line < t.at(j).pos.Line
		if !first || t.at(j).text != array || !t.at(j+1).is("[") || t.match[j+1] < 0 || !t.at(t.match[j+1]+1).assigns() {
			continue
		}
		target := t.tokens[j : t.match[j+1]+1]
		if number == "" || slices.ContainsFunc(target, func(x token) bool { return x.text == number }) {
			return ""
		}
		cell := lineOf(target, maxTokens)
		_, subs, _ := strings.Cut(cell, "[")
		return "; and in place of this nest, which writes " + array + ", two nests in the repeat: next[" + subs + " = ... from " + array + ", and then " + cell + " = next[" + subs
	}
	return ""
}

// blockAround are the braces of the innermost block around token k; open is -1 if there is none.
func (t *translator) blockAround(k int) (open, end int) {
	depth := 0
	for open = k; open >= 0 && depth >= 0; open-- {
		if x := t.at(open); x.is("}") {
			depth++
		} else if x.is("{") {
			depth--
		}
	}
	if depth >= 0 {
		return -1, -1
	}
	open++
	for end, depth = open+1, 1; end < len(t.tokens) && depth > 0; end++ {
		if x := t.at(end); x.is("{") {
			depth++
		} else if x.is("}") {
			depth--
		}
	}
	return open, end
}
