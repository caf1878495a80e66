package frontend

import (
	"slices"
)

// Declarations of Go, and of Python with types, are rewritten in forms that later passes know, one array each.

// declaredOfGo rewrites a, b := x, y as a, b = x, y; a: list[float] = x as a = x; var a int = x as a = x, if the file assigns to a
// later; and var a, b [N]float64 as two declarations. It returns the tokens that replace those from k to last; last is k for
// other statements.
func (t *translator) declaredOfGo(k int) (out []token, last int) {
	first := k
	if t.at(k).named("var") {
		first++
	}
	end := t.lastName(first)
	next, behind := t.at(end+1), t.at(end+2)
	switch {
	case t.at(end).kind != tokIdent || !t.sameLine(k, end+1):
	case first == k && next.is(":") && behind.is("=") && behind.glued:
		return t.tokens[k : end+1], end + 1
	case first == k && end == k && next.is(":") && behind.kind == tokIdent && typeElsewhere(behind.text) == "":
		line := t.tokens[k : t.endOfLine(k)+1]
		if at := slices.IndexFunc(line, func(x token) bool { return x.is("=") }); at > 2 {
			return line[:1], k + at - 1
		}
	case first > k && end == first:
		return t.changedOfGo(k, end)
	case first > k && next.is("["):
		return t.arraysOfGo(k, first, end)
	}
	return nil, k
}

// lastName is the place of the last name in the list a, b, c that begins with token k.
func (t *translator) lastName(k int) int {
	for first := k; t.at(k).kind == tokIdent && t.at(k+1).is(",") && t.at(k+2).kind == tokIdent && k-first < maxForeignTokens; {
		k += 2
	}
	return k
}

// changedOfGo rewrites var a int = x, from token k on, as a = x, if the file assigns to a later; else last is k. The name is token
// end.
func (t *translator) changedOfGo(k, end int) (out []token, last int) {
	next, stop := t.at(end+1), t.endOfLine(k)
	typed := typeElsewhere(next.text) != ""
	last = end
	if typed {
		last++
	}
	if len(t.assignmentsTo(t.at(end).text)) == 0 || !typed && !next.is("=") || last < stop && !t.at(last+1).is("=") {
		return nil, k
	}
	out = []token{t.at(end)}
	if stop == last {
		out = append(out, operator("=", next), word(tokInt, "0", next))
	}
	return out, last
}

// arraysOfGo rewrites var a, b [N]float64, from token k on, as two declarations; last is k if it cannot. The names are tokens first
// to end.
func (t *translator) arraysOfGo(k, first, end int) (out []token, last int) {
	last = t.endOfLine(k)
	for n := first; n <= end; n += 2 {
		array, known := t.arrayOfGo(lineStart{tokens: slices.Concat([]token{t.at(k), t.at(n)}, t.tokens[end+1:last+1])})
		if !known {
			return nil, k
		}
		out = append(append(out, array...), operator(";", t.at(k)))
	}
	return out, last
}

// allocatedRow drops u[i] = make([]int, n), from token k on, and returns its last token; k for another statement.
func (t *translator) allocatedRow(k int) int {
	last, f := t.endOfLine(k), frames["allocate"]
	line := t.tokens[k : last+1]
	equals := slices.IndexFunc(line, func(y token) bool { return y.is("=") })
	if t.at(k).kind != tokIdent || !t.at(k+1).is("[") || equals < 0 || equals+2 >= len(line) || !line[equals+1].named("make", "malloc", "calloc") || !line[equals+2].is("(") ||
		!t.found("frame "+f.message, join(t.at(k).span(), t.at(last).span()), f.message, func() string { return "" }) {
		return k
	}
	t.spoil(droppedStatement)
	return last
}
