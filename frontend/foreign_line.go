package frontend

import (
	"slices"
	"strings"

	"loopc/ir/diag"
)

// This pass rewrites lines that begin a statement in the notation of another language. openingRules lists what it knows.

// openings are the keywords that begin a statement, and openingsElsewhere words that
// other languages have for them.
var (
	openings          = []string{"for", "array", "param", "const", "init", "out", "let", "reduce", "extern", "boundary", "repeat"}
	openingsElsewhere = map[string]string{"foreach": "for", "forall": "for", "parfor": "for", "output": "out", "var": "let", "auto": "let", "local": "let", "constant": "const", "final": "const", "reduction": "reduce", "val": "let", "export": "out"}
)

// openLines translates the beginnings of lines.
func (t *translator) openLines() {
	lines := t.inits(t.lines())
	var out []token
	schedule, depth, brackets, head := false, 0, 0, token{} // head is the first token of the line before
	for _, l := range lines {
		last := token{kind: tokOp, text: ";"}
		if len(out) > 0 {
			last = out[len(out)-1]
		}
		if depth == 0 {
			schedule = l[0].is("schedule")
		}
		if !schedule && brackets == 0 && len(l) < maxForeignTokens && (last.operand() || last.is(";") || last.is("{") || last.is(":") && l[0].indent > head.indent) {
			l = t.shaped(t.opening(l, last, depth), depth)
		}
		if len(l) == 0 {
			continue
		}
		head = l[0]
		for _, x := range l {
			switch {
			case x.is("{"):
				depth++
			case x.is("}"):
				depth--
			case x.opens():
				brackets++
			case x.closes():
				brackets = max(0, brackets-1)
			}
		}
		out = append(out, l...)
	}
	t.tokens = out
}

// A lineStart is a line that begins a statement.
type lineStart struct {
	tokens []token // two at least
	before token   // the last token of the line before
	depth  int     // of blocks around
}

// openingRules are the rules for the beginning of a line, in order. The first that applies
// returns the new line.
var openingRules = []func(*translator, lineStart) ([]token, bool){
	(*translator).filledData, (*translator).returnedValue, (*translator).entireLine, (*translator).severalVars, (*translator).chosenReduction, (*translator).leastOf, (*translator).typedLine, (*translator).commentOfFortran, (*translator).operatorFirst,
	(*translator).roleFirst, (*translator).typeFirst, (*translator).sliceLine, (*translator).loopWords, (*translator).arrayOfGo, (*translator).listedArray, (*translator).untypedVar, (*translator).elseIfs, (*translator).forallInBraces,
	(*translator).ifBehind, (*translator).equalsInIf, (*translator).misspelled,
}

// opening rewrites a line that begins a statement, behind the token last, inside depth blocks.
func (t *translator) opening(l []token, last token, depth int) []token {
	if len(l) < 2 {
		return l
	}
	for _, rule := range openingRules {
		if out, known := rule(t, lineStart{l, last, depth}); known {
			return out
		}
	}
	return l
}

// commentOfFortran drops a line with a c in its first column.
func (t *translator) commentOfFortran(s lineStart) ([]token, bool) {
	first, next := s.tokens[0], s.tokens[1]
	if first.pos.Col != 1 || strings.ToLower(first.text) != "c" || next.kind != tokIdent || next.glued || len(cut(s.tokens, "=")) > 1 {
		return nil, false
	}
	return nil, t.found("comment of Fortran", first.span(), commentMessage, func() string { return "// ..." })
}

// operatorFirst moves the operator that a line begins with to the end of the line before.
func (t *translator) operatorFirst(s lineStart) ([]token, bool) {
	first, next := s.tokens[0], s.tokens[1]
	if first.kind != tokOp || binaryOps[first.text].precedence == 0 || !s.before.operand() || s.before.is("}") || next.is(first.text) || next.is("=") {
		return nil, false
	}
	if !t.found("operator first", first.span(), "a statement ends with its line, unless an operator does", func() string {
		return "put the " + first.text + " at the end of the line before"
	}, diag.Advice) {
		return nil, false
	}
	l := slices.Clone(s.tokens)
	l[0].pos = s.before.span().Pos // as if it stood at the end of the line before
	return l, true
}

// sliceLine rewrites a line that gives back an array or a part of it: an out, a return or a print outside loops, or there a cell
// with nothing else, as at the end of a function.
func (t *translator) sliceLine(s lineStart) ([]token, bool) {
	l, outside := s.tokens, s.depth == 0
	switch first, next := l[0], l[1]; {
	case outside && t.arrays[first.text] && next.opens() && 1+partner(l[1:]) == lastOf(l, ";"):
		return t.slice(slices.Concat([]token{operator("return", first)}, l)), true
	case outside && first.named("return") && t.returned[next.text]:
		return t.returnedWhole(l, next), true
	case first.is("out") && t.reduced[next.text] && lastOf(l, ";") == 1:
		return t.returnedWhole(l, next), true
	case outside && first.named("return") && t.hasOut(next.text):
		return t.returnedWhole(l, next), true
	case first.is("out") || outside && first.named("return", "write", "print", "output", "export") && t.arrays[next.text]:
		return t.slice(l), true
	}
	return nil, false
}

// misspelled rewrites a line that begins with two words, or with a word and for, see withKeyword.
func (t *translator) misspelled(s lineStart) ([]token, bool) {
	if s.tokens[0].kind != tokIdent || s.tokens[1].kind != tokIdent && !s.tokens[1].is("for") {
		return nil, false
	}
	return t.withKeyword(s.tokens), true
}

// forallInBraces rewrites forall (i = 1:N) { and do concurrent (i = 1:N) { as a for with such a header, which is reported later.
func (t *translator) forallInBraces(s lineStart) ([]token, bool) {
	l, open := s.tokens, 1
	if l[0].named("do") && l[1].named("concurrent") {
		open = 2
	} else if !l[0].named("forall") {
		return nil, false
	}
	if len(l) < open+5 || !l[open].is("(") || !l[len(l)-1].is("{") {
		return nil, false
	}
	return append([]token{operator("for", l[0])}, l[open:]...), true
}

// declaresVar reports whether a line is var s float64 = 0, as in this language.
func declaresVar(l []token) bool {
	return len(l) > 4 && l[0].named("var") && l[1].kind == tokIdent && l[2].kind == tokIdent && l[3].is("=")
}

// withKeyword returns l with a keyword in place of its first word, if that is a misspelling or another language's word. It drops
// the word parallel before for.
func (t *translator) withKeyword(l []token) []token {
	first := l[0]
	text := strings.ToLower(first.text)
	_, frame := frames[text]
	if declaresVar(l) || typeName(text) != "" || frame || l[1].named("if", "and", "or", "not") {
		return l
	}
	if l[1].is("for") {
		keyword := beginningOf("for", l[2:])
		message := map[string]string{"for": "a nest begins with for: which iterations run side by side is found out",
			"batch": "items that depend on nothing of one another, with numbers of their own, are a batch"}[keyword]
		if strings.HasPrefix("parallel", text) && t.found("keyword "+text, join(first.span(), l[1].span()), message, func() string { return keyword }, diag.Replacement) {
			return slices.Concat([]token{operator(keyword, first)}, l[2:])
		}
		return l
	}
	keyword := meantKeyword(text)
	third := l[min(2, len(l)-1)]
	if text == "do" && containsRange(l) {
		keyword = "for"
	}
	keyword = beginningOf(keyword, l[1:])
	if keyword == "" || keyword == "for" && !third.is("=") && !third.is("in") || keyword == "let" && len(cut(l, "=")) == 1 {
		return l
	}
	message := first.text + " is no keyword: did you mean " + keyword + "?"
	if text == "var" {
		message = varMessage + ", and a value that nothing changes is a let"
	}
	if !t.found("keyword "+text, first.span(), message, func() string { return keyword }, diag.Replacement) {
		return l
	}
	l = slices.Clone(l)
	l[0] = operator(keyword, first)
	switch keyword {
	case "array":
		t.arrays[l[1].text] = true
	case "for":
		return t.headerWords(l)
	}
	return l
}

// beginningOf is the keyword of a header: batch in place of for, if its items have numbers.
func beginningOf(keyword string, header []token) string {
	if keyword == "for" && itemNumber(header) {
		return "batch"
	}
	return keyword
}

// itemNumber reports whether a header has a part T = len[b], which is no loop.
func itemNumber(header []token) bool {
	parts := commas(header)
	return len(parts) > 1 && slices.ContainsFunc(parts[1:], func(p []token) bool {
		return len(p) > 5 && p[0].kind == tokIdent && p[1].is("=") && p[2].kind == tokIdent && p[3].is("[") && !containsRange(p)
	})
}

// beginsElsewhere are words that begin statements of other languages; other rules report them.
var beginsElsewhere = strings.Fields("if else elif elseif while do end def function then static signed restrict register logical complex program subroutine case switch where real assert")

// meantKeyword returns the keyword that a word in lower case is meant to be, "" if there is
// none.
func meantKeyword(text string) string {
	if keyword := openingsElsewhere[text]; keyword != "" {
		return keyword
	}
	if slices.Contains(openings, text) {
		return text
	}
	if slices.Contains(beginsElsewhere, text) {
		return ""
	}
	return diag.Nearest(text, openings)
}

const fromEndMessage = "a subscript counts from the bounds of its array, not from its end"

// slice rewrites an out, or a return or print of an array, as an out of this language.
func (t *translator) slice(original []token) []token {
	l := original
	if len(l) > 4 && l[2].is("=") && t.arrays[l[3].text] { // a result with a name of its own
		l = slices.Concat(l[:1], l[3:])
	}
	name := l[1]
	if name.kind != tokIdent || !t.arrays[name.text] || !balanced(l) {
		return original
	}
	dims, ok := subscriptsOf(l[2:])
	lacks := t.dims[name.text] - len(dims)
	for len(dims) < t.dims[name.text] {
		dims = append(dims, []token{operator("*", name)})
	}
	if !ok || len(dims) == 0 {
		return original
	}
	some := slices.ContainsFunc(dims, func(d []token) bool { return isSlice(d) && len(d) > 1 })
	outOf := func(dims [][]token) []token { return append([]token{operator("out", l[0])}, cellTokens(name, dims)...) }
	starred(dims, name)
	message := fromEndMessage
	if textOf(outOf(dims)) != textOf(original) {
		message = "an out names a part of an array that is given back: a subscript for each dimension, * for all of it"
	}
	for k, d := range dims {
		dims[k] = t.fromEnd(name, k, d)
	}
	out := outOf(dims)
	if textOf(out) == textOf(original) {
		return original
	}
	at, hint := outOrColon(l, out)
	if some {
		message, hint = message+", and not some of it", ""
	}
	kind := diag.Replacement
	if last, loop := t.levels(name.text); lacks == 1 && last != nil && !some && !slices.ContainsFunc(dims, func(d []token) bool { return textOf(d) != "*" }) {
		each := hint
		hint, kind = joined([]string{textOf(outOf(slices.Concat([][]token{last}, dims[1:]))) + ", which the last " + loop + " gives", each + ", which are those of all " + loop}), diag.Advice
	}
	if !t.found("out", at, message, func() string { return hint }, kind) {
		return original
	}
	return out
}

// outOrColon returns the place that a hint replaces in line l, and the hint: * for a colon that stands for a dimension, else the
// tokens out for the whole line.
func outOrColon(l, out []token) (at diag.Span, hint string) {
	colon := slices.IndexFunc(l, func(x token) bool { return x.is(":") })
	if l[0].is("out") && colon > 0 && !l[colon-1].operand() && (l[colon+1].is(",") || l[colon+1].closes()) {
		return l[colon].span(), "*"
	}
	return join(l[0].span(), l[len(l)-1].span()), textOf(out)
}

// returnedWhole drops the return of an array that is given back as it is declared, or of a reduction.
func (t *translator) returnedWhole(l []token, array token) []token {
	at, why := join(l[0].span(), l[len(l)-1].span()), " is given back as it is declared"
	if t.reduced[array.text] {
		why = ", a reduction, is given back by itself"
	} else if t.hasOut(array.text) {
		why = " is given back as its out says"
	}
	if !t.found("given back", at, givesBack+", and "+array.text+why, func() string { return leaveOut }, diag.Advice) {
		return l
	}
	return []token{operator(";", l[0])}
}

// hasOut reports whether the file has an out of an array.
func (t *translator) hasOut(array string) bool {
	for k, x := range t.tokens {
		if x.is("out") && t.at(k+1).text == array && t.at(k+2).is("[") {
			return true
		}
	}
	return false
}

// levels returns the last level, and the loop of the levels, of an array whose first subscript is that loop where it is written, and the
// loop minus a number elsewhere; last is nil for other arrays.
func (t *translator) levels(array string) (last []token, loop string) {
	earlier := false
	for k, x := range t.tokens {
		if x.text != array || !t.at(k+1).is("[") || t.match[k+1] < 0 || t.openBefore(k) < 0 {
			continue
		}
		first := commas(t.tokens[k+2 : t.match[k+1]])[0]
		switch {
		case len(first) == 1 && first[0].kind == tokIdent && t.writes(k):
			loop = first[0].text
		case len(first) == 3 && first[0].kind == tokIdent && first[1].is("-"):
			earlier = true
		}
	}
	if ends := t.extent(token{kind: tokIdent, text: array}, 0); earlier && loop != "" && len(ends) == 2 {
		return ends[1], loop
	}
	return nil, ""
}

// subscriptsOf returns the subscripts in the brackets that l consists of, without ..., which
// stands for all remaining dimensions; false if there is anything else.
func subscriptsOf(l []token) (dims [][]token, ok bool) {
	for len(l) > 0 {
		last := partner(l)
		if !l[0].opens() || last == 1 || !l[last].closes() {
			return nil, false
		}
		dims = append(dims, commas(l[1:last])...)
		l = l[last+1:]
	}
	return slices.DeleteFunc(dims, func(d []token) bool {
		return len(d) > 1 && !slices.ContainsFunc(d, func(x token) bool { return !x.is(".") && !x.is("..") })
	}), true
}

// fromEnd rewrites the d-th subscript s of an array if it counts from the end: -1 in Python,
// end in Julia and MATLAB.
func (t *translator) fromEnd(array token, d int, s []token) []token {
	bounds := t.extent(array, d)
	if len(bounds) != 2 || len(bounds[0]) == 0 || bounds[0][0].is("-") {
		return s
	}
	switch {
	case len(s) == 1 && s[0].named("end") && !t.declared[s[0].text]:
		return bounds[1]
	case len(s) == 2 && s[0].is("-") && s[1].text == "1":
		return bounds[1]
	}
	return s
}
