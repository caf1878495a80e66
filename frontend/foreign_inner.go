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

// innerValues is the advice for a sum, max or min of values for the numbers of a range that other loops bound, such as
// max(L[j] for j in range(1, i)), whose bracket is token open. It is "" for other calls.
func (t *translator) innerValues(k, open int, f *aggregateFunction) string {
	l := t.tokens[open+1 : max(open+1, t.match[open])]
	at := slices.IndexFunc(l, func(x token) bool { return x.is("for") })
	if f.reduce == "" || at < 1 || len(l) < at+5 || l[at+1].kind != tokIdent || slices.ContainsFunc(l[at+2:], func(x token) bool { return x.is("if") || x.is("for") }) {
		return ""
	}
	index, ends := l[at+1].text, rangeCall(l[at+3:])
	for _, sign := range []string{"..", ":"} {
		if len(ends) != 2 {
			ends = cut(l[at+3:], sign)
		}
	}
	if len(ends) != 2 || anyEmpty(ends) || t.loopsIn(textOf(ends[0])+" "+textOf(ends[1])) == "" {
		return ""
	}
	value, total, elem := withoutRound(l[:at]), t.fresh("s"), "float64"
	var first []token
	for _, x := range value {
		if t.isArray(x) && elem == "float64" {
			elem = t.elementTypeOf(x)
		}
		if x.text == index && x.kind == tokIdent {
			first = append(first, ends[0]...)
		} else {
			first = append(first, x)
		}
	}
	begin, each := "0", total+" += "+textOf(value)
	if f.reduce != "sum" {
		begin, each = textOf(first), total+" = "+f.reduce+"("+total+", "+textOf(value)+")"
	}
	return "before this statement, var " + total + " " + elem + " = " + begin + " and for " + index + " = " + textOf(ends[0]) + ".." + textOf(ends[1]) + " { " + each + " }; " + total + " stands here"
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
