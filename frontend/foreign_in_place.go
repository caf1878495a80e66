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

// wrapsInPlace reports whether the for around token k, which is in a subscript of an array, writes this array with the same other
// subscripts, and no repeat is around it.
func (t *translator) wrapsInPlace(k int, array token) bool {
	open, end := t.blockAround(k)
	first := slices.IndexFunc(t.tokens, func(x token) bool { return x.pos == array.pos })
	if open < 0 || first < 0 || t.match[first+1] < first || slices.ContainsFunc(t.tokens[:open], func(x token) bool { return x.text == "repeat" }) {
		return false
	}
	subs := cut(t.tokens[first+2:t.match[first+1]], ",")
	for j := open + 1; j < end; j++ {
		if t.at(j).text != array.text || !t.at(j+1).is("[") || t.match[j+1] < 0 || !t.at(t.match[j+1]+1).assigns() {
			continue
		}
		target := cut(t.tokens[j+2:t.match[j+1]], ",")
		return len(target) == len(subs) && !slices.ContainsFunc(subs, func(s []token) bool {
			d := slices.IndexFunc(subs, func(x []token) bool { return &x[0] == &s[0] })
			return textOf(s) != textOf(target[d]) && !slices.ContainsFunc(s, func(x token) bool { return x.is("%") })
		})
	}
	return false
}
