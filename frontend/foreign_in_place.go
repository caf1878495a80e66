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

// inPlaceMessage is said of a subscript that goes around the end of a dimension, of an array that the same nest writes in place.
const inPlaceMessage = "around an end, this reads cells that the same nest has written, at a distance that is not constant"

// aroundInPlace reports whether a cell with the subscripts read, those of the dimensions wraps going around an end, is written by the
// same nest, as the subscripts written say: not by earlier iterations of a loop outside of those that go around, as with t-1 where t is
// written. loops are those of the nest, outermost first.
func aroundInPlace(written, read []string, wraps []bool, loops []string) bool {
	if len(written) != len(read) {
		return false
	}
	for d, sub := range read {
		if wraps[d] {
			continue
		}
		sub = strings.NewReplacer("(", "", ")", "").Replace(sub)
		name, _, less := strings.Cut(sub, "-")
		if name, _, _ = strings.Cut(name, "+"); name != written[d] && sub != written[d] {
			return false // it is not known which cells these are
		}
		if !less {
			continue
		}
		outer, inside := slices.Index(loops, name), true // -1 is the number of a repeat
		for e := range wraps {
			inside = inside && (!wraps[e] || slices.Index(loops, written[e]) > outer)
		}
		if inside {
			return false
		}
	}
	return true
}

// wrapsInPlace does what aroundInPlace does, for the cell of an array in whose subscript token k, a %, lies.
func (t *translator) wrapsInPlace(k int, array token) bool {
	texts := func(subs [][]token) (out []string) {
		for _, s := range subs {
			out = append(out, strings.ReplaceAll(textOf(s), " ", ""))
		}
		return out
	}
	first := slices.IndexFunc(t.tokens, func(x token) bool { return x.pos == array.pos })
	open := t.openBefore(k)
	if first < 0 || open < 0 {
		return false
	}
	read := subscriptsBehind(t.tokens[first:])
	wraps := make([]bool, len(read))
	for d, s := range read {
		wraps[d] = slices.ContainsFunc(s, func(x token) bool { return x.is("%") })
	}
	for j := open + 1; j < t.match[open]; j++ {
		if t.at(j).text == array.text && t.writes(j) && aroundInPlace(texts(subscriptsBehind(t.tokens[j:])), texts(read), wraps, t.loops) {
			return true
		}
	}
	return false
}

// wrapsInPlace does what aroundInPlace does, for a cell of array a with these subscripts, of which subscript d goes around an end.
func (c *checker) wrapsInPlace(a, d int, list []*expr) bool {
	plain := func(list []*expr) []string {
		out := texts(list)
		for k, text := range out {
			out[k] = strings.ReplaceAll(text, " ", "")
		}
		return out
	}
	wraps := make([]bool, len(list))
	wraps[d] = true
	var loops []string
	for _, l := range c.nest.Loops {
		loops = append(loops, l.Name)
	}
	return slices.ContainsFunc(c.body, func(b bodyStatement) bool {
		return b.assign != nil && b.assign.Cell.Name.Name == c.nest.Arrays[a].Name && aroundInPlace(plain(flatTrees(b.assign.Cell.Subs)), plain(list), wraps, loops)
	})
}
