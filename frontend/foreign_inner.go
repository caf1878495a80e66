package frontend

import (
	"slices"
	"strings"
)

// innerSum is the advice for a sum or a dot product of slices whose length differs from iteration to iteration, such as
// sum(U[i,i+1:N]*x[i+1:N]), of which token k is the function: an inner loop collects the terms. It is "" for other calls.
func (t *translator) innerSum(k int) string {
	terms := t.tokens[k+2 : max(k+2, t.match[k+1])]
	switch strings.ToLower(t.at(k).text) {
	case "sum":
	case "dot", "dot_product", "inner", "vdot":
		args := commas(terms)
		if len(args) != 2 {
			return ""
		}
		terms = between(args, "*", t.at(k))
	default:
		return ""
	}
	index, total := freeIndex(t.loops, 0), t.fresh("s")
	var ends []string
	var out []token
	elem := ""
	for j := 0; j < len(terms); j++ {
		x := terms[j]
		out = append(out, x)
		if !t.isArray(x) {
			continue
		}
		if j+1 == len(terms) || !terms[j+1].opens() {
			return ""
		}
		last := j + 1 + partner(terms[j+1:])
		subs, own := t.atIndex(commas(terms[j+2:last]), index)
		if own == nil || ends != nil && !slices.Equal(own, ends) {
			return ""
		}
		ends, elem = own, t.elementTypeOf(x)
		out = append(out[:len(out)-1], cellTokens(x, subs)...)
		j = last
	}
	if ends == nil || t.loopsIn(ends[0]) == t.loopsIn(ends[1]) {
		return ""
	}
	return "before this statement, var " + total + " " + elem + " = 0 and for " + index + " = " + ends[0] + ".." + ends[1] + " { " + total + " += " + textOf(out) + " }; " + total + " stands here; ranges include both ends"
}

// atIndex returns subscripts with an index in the place of their only slice, and the two ends of the slice; nil if there is no
// such slice.
func (t *translator) atIndex(subs [][]token, index string) (out [][]token, ends []string) {
	for _, s := range subs {
		parts := cut(s, ":")
		if len(parts) != 2 {
			parts = cut(s, "..")
		}
		if len(parts) != 2 {
			out = append(out, s)
			continue
		}
		if ends != nil || anyEmpty(parts) {
			return nil, nil
		}
		for _, p := range parts {
			ends = append(ends, strings.ReplaceAll(textOf(p), " ", ""))
		}
		out = append(out, []token{word(s[0].kind, index, s[0])})
	}
	return out, ends
}

// loopsIn are the loops around that a text names.
func (t *translator) loopsIn(text string) (names string) {
	for _, name := range t.loops {
		if mentions(text, name) {
			names += name + " "
		}
	}
	return names
}
