package frontend

import (
	"fmt"
	"strconv"
	"strings"
)

// In other languages a boundary can have a value. In this language, the cells of such a boundary belong to
// the array: the array has one more cell at each end.

// largerBy returns the advice for a boundary l with a value: to declare the array larger. If the file has a
// declaration and an init of the array, the advice spells out both; otherwise the advice is general.
func (t *translator) largerBy(l []token) string {
	name := l[1].text
	var kinds [][]token
	if len(l) > 3 && l[2].is("[") && l[len(l)-1].is("]") {
		kinds = commas(l[3 : len(l)-1])
	}
	declared, begun := t.statementOf("array", name), t.statementOf("init", name)
	if declared == nil || begun == nil || !declared[2].is("[") || !begun[2].is("[") {
		return largerArray
	}
	close, closed := 2+partner(declared[2:]), 2+partner(begun[2:])
	ranges, indices := commas(declared[3:close]), commas(begun[3:closed])
	if len(ranges) != len(kinds) || len(indices) != len(kinds) || closed+2 >= len(begun) {
		return largerArray
	}
	var dims, outside []string
	value := ""
	for d, r := range ranges {
		ends := cut(r, "..")
		if len(kinds[d]) == 0 || len(ends) != 2 || len(ends[0])*len(ends[1])*len(indices[d]) == 0 {
			return largerArray
		}
		if textOf(kinds[d]) == "*" {
			dims = append(dims, textOf(r))
			continue
		}
		value = textOf(kinds[d])
		lo, hi, index := textOf(ends[0]), textOf(ends[1]), textOf(indices[d])
		dims = append(dims, beyond(ends[0], -1)+".."+beyond(ends[1], 1))
		outside = append(outside, index+" < "+lo, index+" > "+hi)
	}
	if value == "" || strings.Contains(value, "..") {
		return largerArray
	}
	return fmt.Sprintf("declare the array larger by them, array %s[%s] %s, and give them their value with init %s[%s] = select(%s, %s, %s)",
		name, strings.Join(dims, ", "), textOf(declared[close+1:]), name, textOf(begun[3:closed]), strings.Join(outside, " || "), value, textOf(begun[closed+2:]))
}

// beyond is the text of the bound l plus n.
func beyond(l []token, n int) string {
	if v, err := strconv.Atoi(textOf(l)); err == nil {
		return strconv.Itoa(v + n)
	}
	return strings.ReplaceAll(textOf(plus(l, n)), " ", "")
}

// statementOf returns the tokens of a line from the word first on, which name must follow. It returns nil if
// there is no such line, or if the bracket after the name is not closed in the line.
func (t *translator) statementOf(first, name string) []token {
	for k := range t.tokens {
		if t.at(k).is(first) && t.at(k+1).text == name && k+3 < len(t.tokens) {
			last := t.lineEnd(k)
			if l := t.tokens[k : last+1]; len(l) > 4 && partner(l[2:]) > 0 {
				return l
			}
			return nil
		}
	}
	return nil
}
