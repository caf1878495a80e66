package frontend

import (
	"slices"
	"strings"

	"loopc/ir/diag"
)

// Before blocks are looked at, the first words of each statement are: a keyword that
// is misspelled, a role before its array, an out as slices have it, and an operator
// that belongs to the line before.

// openings are the keywords that begin a statement, and openingsElsewhere words that
// other languages have for them.
var (
	openings          = []string{"for", "array", "param", "const", "init", "out", "let", "reduce", "extern", "boundary", "repeat"}
	openingsElsewhere = map[string]string{"foreach": "for", "forall": "for", "parfor": "for", "output": "out", "var": "let", "auto": "let", "local": "let", "val": "let", "export": "out"}
)

// openLines translates the beginnings of lines.
func (t *translator) openLines() {
	lines := t.inits(t.lines())
	var out []token
	schedule, depth, brackets := false, 0, 0
	for _, l := range lines {
		last := token{kind: tokOp, text: ";"}
		if len(out) > 0 {
			last = out[len(out)-1]
		}
		if depth == 0 {
			schedule = l[0].is("schedule")
		}
		if !schedule && brackets == 0 && len(l) < maxForeignTokens && (last.operand() || last.is(";") || last.is("{")) {
			l = t.shaped(t.opening(l, last, depth), depth)
		}
		if len(l) == 0 {
			continue
		}
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

// opening rewrites a line that begins a statement, behind the token last, in so many
// blocks.
func (t *translator) opening(l []token, last token, depth int) []token {
	if len(l) < 2 {
		return l
	}
	first, next := l[0], l[1]
	if data, is := t.filledData(l); is {
		return data
	}
	if depth == 0 && len(l) > 3 && first.kind == tokIdent {
		if out, is := t.typedLine(l); is {
			return out
		}
	}
	switch {
	case first.pos.Col == 1 && (first.text == "c" || first.text == "C") && next.kind == tokIdent && !next.glued && !slices.ContainsFunc(l, func(x token) bool { return x.is("=") }):
		if t.found("comment of Fortran", first.span(), "a comment begins with //", func() string { return "// ..." }) {
			return nil
		}
	case (binaryOps[first.text].precedence > 0 && first.kind == tokOp) && last.operand() && !last.is("}") && !next.is(first.text) && !next.is("="):
		if t.found("operator first", first.span(), "a statement ends with its line, unless an operator does", func() string {
			return "put the " + first.text + " at the end of the line before"
		}, diag.Advice) {
			l = slices.Clone(l)
			l[0].pos = last.span().Pos // as if it ended the line before
		}
	case (first.is("in") || first.is("out") || first.is("inout")) && next.is("array"):
		moved := append(slices.Clone(l[1:]), first)
		if t.found("role first", join(first.span(), l[len(l)-1].span()), "the role of an array stands at the end of its declaration", func() string { return textOf(moved) }, diag.Replacement) {
			for k := range moved {
				moved[k].pos.Line = first.pos.Line
			}
			return moved
		}
	case depth == 0 && t.arrays[first.text] && next.opens() && 1+partner(l[1:]) == lastOf(l, ";"):
		return t.slice(slices.Concat([]token{operator("return", first)}, l)) // what a cell alone means
	case first.is("out") || depth == 0 && first.named("return", "write", "print", "output", "export") && t.arrays[next.text]:
		return t.slice(l)
	case first.is("for"):
		return t.loopWords(l)
	case first.kind == tokIdent && (next.kind == tokIdent || next.is("for")):
		return t.misspelled(l)
	}
	return l
}

// lastOf is the index of the last token of a line that is none of a sign.
func lastOf(l []token, sign string) int {
	k := len(l) - 1
	for k > 0 && l[k].is(sign) {
		k--
	}
	return k
}

// misspelled puts the keyword in place of a word that is meant as one.
func (t *translator) misspelled(l []token) []token {
	first := l[0]
	text := strings.ToLower(first.text)
	_, frame := frames[text]
	if typeName(text) != "" || frame || l[1].is("for") && !strings.HasPrefix("parallel", text) || l[1].named("if", "and", "or", "not") {
		return l
	}
	if l[1].is("for") {
		if !t.found("keyword "+text, join(first.span(), l[1].span()), "a nest begins with for: which iterations run side by side is found out", func() string { return "for" }, diag.Replacement) {
			return l
		}
		return l[1:]
	}
	keyword := openingsElsewhere[text]
	if keyword == "" && slices.Contains(openings, text) {
		keyword = text
	}
	known := []string{"if", "else", "elif", "elseif", "while", "do", "end", "def", "function", "then", "static", "signed", "restrict", "register", "logical", "complex", "program", "subroutine", "case", "switch", "where", "real", "assert"}
	if keyword == "" && !slices.Contains(known, text) {
		keyword = diag.Nearest(text, openings)
	}
	if keyword == "" || keyword == "for" && !l[min(2, len(l)-1)].is("=") && !l[min(2, len(l)-1)].is("in") || keyword == "let" && !slices.ContainsFunc(l, func(x token) bool { return x.is("=") }) {
		return l
	}
	if !t.found("keyword "+text, first.span(), first.text+" is no keyword: did you mean "+keyword+"?", func() string { return keyword }, diag.Replacement) {
		return l
	}
	l = slices.Clone(l)
	l[0] = operator(keyword, first)
	switch keyword {
	case "array":
		t.arrays[l[1].text] = true
	case "for":
		return t.loopWords(l)
	}
	return l
}

// slice rewrites an out, or a return or print of an array, as an out has it.
func (t *translator) slice(l []token) []token {
	original := l
	if len(l) > 4 && l[2].is("=") && t.arrays[l[3].text] { // a result with a name of its own
		l = slices.Concat(l[:1], l[3:])
	}
	name := l[1]
	if name.kind != tokIdent || !t.arrays[name.text] || !balanced(l) {
		return original
	}
	var dims [][]token
	for k := 2; k < len(l); {
		if !l[k].opens() {
			return original
		}
		end := k + 1
		for end < len(l) && !l[end].closes() {
			end++
		}
		if end == len(l) || end == k+1 {
			return original
		}
		dims = append(dims, commas(l[k+1:end])...)
		k = end + 1
	}
	star := []token{operator("*", name)}
	dims = slices.DeleteFunc(dims, func(d []token) bool { // ..., for all dimensions that are left
		return len(d) > 1 && !slices.ContainsFunc(d, func(x token) bool { return !x.is(".") && !x.is("..") })
	})
	for k, d := range dims {
		if len(d) == 0 || len(d) == 1 && d[0].is(":") || slices.ContainsFunc(d, func(x token) bool { return x.is("..") || x.is(":") }) {
			dims[k] = star
		}
	}
	for len(dims) < t.dims[name.text] {
		dims = append(dims, star)
	}
	for k, d := range dims {
		dims[k] = t.fromEnd(name, k, d)
	}
	if len(dims) == 0 {
		return original
	}
	out := []token{operator("out", l[0]), name, operator("[", name)}
	for k, d := range dims {
		if k > 0 {
			out = append(out, operator(",", name))
		}
		out = append(out, d...)
	}
	out = append(out, operator("]", name))
	if textOf(out) == textOf(original) {
		return original
	}
	at := join(l[0].span(), l[len(l)-1].span())
	for k, x := range l {
		if l[0].is("out") && x.is(":") && !l[k-1].operand() && (l[k+1].is(",") || l[k+1].closes()) {
			at = x.span()
			break
		}
	}
	text := textOf(out)
	message := "an out names a part of an array that is given back: a subscript for each dimension, * for all of it"
	kind := diag.Replacement
	hint := text
	if l[0].is("out") && at.Len == 1 {
		hint = "*"
	}
	if !t.found("out", at, message, func() string { return hint }, kind) {
		return original
	}
	return out
}

// fromEnd is the d-th subscript s of an array, which may count from its end: -1 in Python,
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

// loopWords rewrites the header of a for in which words of other languages stand: to
// between bounds, by before a step, a comma before it, and semicolons between loops.
func (t *translator) loopWords(l []token) []token {
	brace := slices.IndexFunc(l, func(x token) bool { return x.is("{") })
	if brace < 0 || l[1].is("(") {
		return l
	}
	points := slices.ContainsFunc(l, func(x token) bool { return x.is("..") })
	edited, out := []string{}, []token{}
	var at diag.Span
	for k, x := range l {
		switch next := l[min(k+1, len(l)-1)]; {
		case k < 3 || k > brace || t.declared[x.text]:
		case x.named("to", "until") && !points, x.kind == tokIdent && x.text == "to":
			edited, at = append(edited, ".."), x.span()
			x = operator("..", x)
		case x.named("by") && k < brace:
			edited, at = append(edited, "step"), x.span()
			x = word(tokIdent, "step", x)
		case x.is(",") && next.named("step", "by") && !t.declared[next.text]:
			edited, at = append(edited, ""), join(x.span(), next.span())
			if next.named("step") {
				edited[len(edited)-1] = " step"
			}
			continue
		case x.is(";") && k+1 == brace && points:
			edited, at = append(edited, ""), x.span()
			continue
		case x.is(";") && betweenLoops(l[:brace], k):
			edited, at = append(edited, ","), x.span()
			x = operator(",", x)
		}
		out = append(out, x)
	}
	if len(edited) == 0 {
		return l
	}
	text := textOf(out[:slices.IndexFunc(out, func(x token) bool { return x.is("{") })])
	text += " {"
	hint := func() string { return edited[0] }
	if len(edited) > 1 || edited[0] == "" || edited[0] == ".." || edited[0][0] == ' ' {
		at = join(l[0].span(), l[brace].span())
		hint = func() string { return text }
	}
	if !t.found("loop words", at, loopMessage, hint, diag.Replacement) {
		return l
	}
	return out
}

// points reports whether a range is among tokens.
func points(l []token) bool {
	return slices.ContainsFunc(l, func(x token) bool { return x.is("..") })
}

// betweenLoops reports whether the semicolon at token k of the header l stands where a
// comma stands between two loops: bounds with .. on both sides, and no comparison before.
func betweenLoops(l []token, k int) bool {
	after := l[k+1:]
	return len(after) > 2 && after[0].kind == tokIdent && after[1].is("=") && !after[2].is(";") &&
		points(after) && !slices.ContainsFunc(l[:k], comparison)
}
