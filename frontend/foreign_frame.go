package frontend

import (
	"slices"
	"strings"

	"loopc/ir/diag"
)

// A frame is a statement that other languages have around or between loops, such as an import or
// the header of a function. Each kind is reported once and dropped. The statements of its block
// stay.
type frame struct {
	message string
	hint    string
	kind    diag.HintKind
	names   bool // it declares names
	whole   bool // nothing in its line is translated
}

// frames are the frames by the word that begins the statement, in lower case.
var frames = map[string]frame{}

// droppedStatement is added to the spoiled names if a dropped statement may have been the
// assignment of a body.
const droppedStatement = "…statement"

// leaveOut is the hint for text to be dropped without a replacement.
const leaveOut = "leave this out"

func init() {
	for _, x := range []struct {
		words string
		frame
	}{
		{"print printf println fprintf write disp puts cout cerr display echo plot figure imshow surf mesh contour xlabel ylabel title legend drawnow clc tic toc", frame{printsNothing, "", diag.Example, false, true}},
		{"save savetxt savez tofile fwrite dump", frame{writesNothing, "", diag.Example, false, true}},
		{"import from use using include package require namespace", frame{"a file needs no modules: it has declarations and nests, and functions of Go by extern", "", diag.Example, true, true}},
		{"def function fn subroutine program module void implicit return endsubroutine endfunction endprogram class struct typedef enum template contains interface stop global nonlocal try except finally with raise throw catch", frame{"a file is declarations and nests, with nothing around them", "", diag.Example, true, false}},
		{"call", frame{"there are no subroutines: a body has the statements themselves, and expressions may call functions of Go", "", diag.Example, false, true}},
		{"break exit cycle continue goto", frame{everyRuns, "", diag.Example, false, false}},
		{"memset bzero", frame{"what the cells of an array have before the nest is said by an init", forms["init"], diag.Pattern, false, true}},
		{"memcpy memmove copyto", frame{copiedMessage, "for i = 0..N { v[i] = u[i] }", diag.Pattern, false, true}},
		{"common", frame{"what a file declares, all of its nests have", leaveOut, diag.Advice, false, true}},
		{"assert", frame{assertsNothing, "", diag.Example, false, true}},
		{"pass", frame{"a statement that does nothing is not needed", leaveOut, diag.Advice, false, false}},
		{"then", frame{"there is no then: braces stand around the statements of an if", "", diag.Example, false, false}},
		{"where elsewhere switch case default", frame{"there are no cases: an if, with else if and else, chooses statements", forms["if"], diag.Pattern, false, false}},
		{"allocate deallocate malloc free calloc del", frame{"memory is found by itself: arrays are declared", forms["array"], diag.Pattern, false, true}},
	} {
		for w := range strings.FieldsSeq(x.words) {
			frames[w] = x.frame
		}
	}
}

const ownFunction = "a function of your own is written in Go, in a file that --extern names, and declared by extern"

// What is said of statements that print, assert, write files, leave a loop, or return arrays.
const (
	printsNothing  = "a nest prints nothing: arrays that are out, and reductions, are given back, to files or the terminal"
	assertsNothing = "a nest asserts nothing while it runs: a reduction tells what the least or greatest was"
	writesNothing  = "a nest writes no files"
	everyRuns      = "a for runs all iterations, to the end of its body: an if chooses statements, and a repeat ends by until"
	givesBack      = "a nest gives back arrays: an out names the part of one that is given back"
)

// ownHint returns the message and the hint for frame f, tokens k to last. If possible, the hint
// uses names of the file; otherwise message, hint and kind are those of f.
func (t *translator) ownHint(f frame, k, last int) (message, hint string, kind diag.HintKind) {
	list := t.tokens[k+1 : last+1]
	switch {
	case t.at(k).named("allocate"):
		if out := t.allocatedFortran(list); out != nil {
			t.spoil(out[1].text)
			return f.message, textOf(out), diag.Replacement
		}
	case t.at(k).named("return") || f.message == printsNothing:
		return t.givenBack(f, k, list)
	case f.message == assertsNothing:
		if out := t.asserted(list); out != "" && t.aloneInNest(k) {
			return f.message, out, diag.Example
		}
		return f.message, leaveOut, diag.Advice
	case f.message == writesNothing:
		name := "u"
		if n := slices.IndexFunc(list, t.isArray); n >= 0 {
			name = list[n].text
		}
		return f.message + ": loopc run --out " + name + "=" + name + ".npy writes the array " + name, leaveOut, diag.Advice
	}
	return f.message, f.hint, f.kind
}

// isArray reports whether x is the name of an array.
func (t *translator) isArray(x token) bool { return x.kind == tokIdent && t.arrays[x.text] }

// givenBack does what ownHint does, for statements that print or return: in this language an out gives an
// array back.
func (t *translator) givenBack(f frame, k int, list []token) (message, hint string, kind diag.HintKind) {
	array := slices.IndexFunc(list, func(x token) bool { return t.isArray(x) && t.uses[x.text].written })
	message = f.message
	switch {
	case array < 0 && message == printsNothing:
		return message, leaveOut, diag.Advice
	case array < 0:
		return message, f.hint, f.kind
	case t.at(k).named("return"):
		message = givesBack
	}
	name := list[array].text
	switch declared := t.statementOf("array", name); {
	case t.uses[name].slice || t.returned[name]:
		return message + "; " + name + " is given back as it is declared", leaveOut, diag.Advice
	case declared == nil || slices.ContainsFunc(declared, func(x token) bool { return x.is("inout") || x.is("out") }):
		return message, leaveOut, diag.Advice
	}
	hint = t.outOf(list[array:])
	if t.at(k).named("return") && hint != "" && !soleCell(list, array) {
		return message + ", and no expression of its cells", "", diag.Example
	}
	return message, hint, diag.Example
}

// soleCell reports whether a list of tokens, of which token k is an array, has no more than the array, its subscripts and brackets.
func soleCell(list []token, k int) bool {
	last := k
	if k+1 < len(list) && list[k+1].opens() {
		last += 1 + partner(list[k+1:])
	}
	return !slices.ContainsFunc(slices.Concat(list[:k], list[last+1:]), func(x token) bool { return binaryOps[x.text].precedence > 0 })
}

// asserted returns the reduction to write for the assert of a comparison, "" for any other assert.
func (t *translator) asserted(list []token) string {
	if len(list) < 4 || !list[0].is("(") {
		return ""
	}
	inner := list[1:partner(list)]
	at := slices.IndexFunc(inner, func(x token) bool { return opposites[x.text] != "" })
	if at < 1 {
		return ""
	}
	op, name := "max", "top"
	if inner[at].text[0] == '>' {
		op, name = "min", "low"
	}
	return "reduce " + t.fresh(name) + " = " + op + "(" + textOf(inner[:at]) + ")"
}

// aloneInNest reports whether the block around token k is that of a for at top level without inner loops: a reduction before it has the
// names of its loops.
func (t *translator) aloneInNest(k int) bool {
	open := t.openBefore(k)
	return open < 0 || t.blockOf(k).is("for") && t.openBefore(open) < 0 && !slices.ContainsFunc(t.tokens[open:max(open, t.match[open])], func(x token) bool { return x.is("for") || x.is("repeat") })
}

// allocatedFortran returns the declaration of the array u for allocate(u(0:n)), where list
// begins with the first bracket; nil if the statement has another form.
func (t *translator) allocatedFortran(list []token) []token {
	if len(list) < 4 || !list[0].is("(") {
		return nil
	}
	first := commas(list[1:partner(list)])[0]
	if len(first) < 4 || first[0].kind != tokIdent || !first[1].is("(") || partner(first[1:]) < 2 {
		return nil
	}
	cell := cellTokens(first[0], rangesOf(first[2:1+partner(first[1:])], "1", 0))
	return slices.Concat([]token{operator("array", first[0])}, cell, []token{word(tokIdent, "float64", first[0])}, t.role(first[0]))
}

// outOf returns the out statement for tokens that begin with the name of an array, and perhaps
// subscripts. A subscript of parameters and numbers stays; any other becomes *.
func (t *translator) outOf(l []token) string {
	dims := slices.Repeat([]string{"*"}, max(1, t.dims[l[0].text]))
	last := 1
	for last < len(l) && l[last].opens() {
		last += 1 + partner(l[last:])
	}
	subs, _ := subscriptsOf(l[1:min(last, len(l))])
	for d, s := range subs {
		if d < len(dims) {
			s = t.fromEnd(l[0], d, s)
		}
		other := func(x token) bool { return x.kind == tokIdent && !t.numbers[x.text] || x.is("*") }
		switch {
		case len(subs) > len(dims) || isSlice(s) && len(s) > 1:
			return "" // some of the cells along a dimension
		case len(s) > 0 && !isSlice(s) && !slices.ContainsFunc(s, other):
			dims[d] = strings.ReplaceAll(textOf(s), " ", "")
		}
	}
	return "out " + l[0].text + "[" + strings.Join(dims, ", ") + "]"
}

// isFrame reports whether the statement that begins with token k is a frame, and not an
// assignment to something of that name.
func (t *translator) isFrame(k int) bool {
	tok, next := t.at(k), t.at(k+1)
	if tok.named("select") && next.named("case") {
		return true
	}
	if _, known := frames[strings.ToLower(tok.text)]; !known || tok.kind != tokIdent || t.arrays[tok.text] || t.lets[tok.text] {
		return t.isFunction(k) > k
	}
	return !next.is("=") && !next.is("[") && !next.is("+") && !next.is("-") && !(next.is("(") && t.at(t.match[k+1]+1).is("="))
}

// passedOver reports whether nothing is translated in a line that begins with token head.
func (t *translator) passedOver(head int) bool {
	return frames[strings.ToLower(t.at(head).text)].whole && t.isFrame(head) || t.isMain(head)
}

// isMain reports whether token k begins Python's if __name__.
func (t *translator) isMain(k int) bool {
	return t.at(k).named("if") && t.at(k+1).text == "__name__"
}

// prototype drops the declaration of a function without its body, from token k on.
func (t *translator) prototype(e edits, k int) int {
	name, end := t.declares(k), t.end(k)
	if name == k || !t.at(name+1).is("(") || t.match[name+1] != end {
		return k
	}
	if !t.found("function", join(t.at(k).span(), t.at(end).span()), ownFunction, func() string { return forms["extern"] }, diag.Pattern) {
		return k
	}
	t.spoilNames(t.tokens[k : end+1])
	e.drop(k, end)
	return end
}

// isFunction returns the token that names a function, if its definition begins with token k, as
// in double f(double x) {. It returns k if no definition begins there.
func (t *translator) isFunction(k int) int {
	name := t.declares(k)
	if t.at(k).is("func") && t.at(k+1).kind == tokIdent && t.at(k+2).is("(") && t.match[k+2] > 0 {
		if behind := t.match[k+2] + 1; t.at(behind).is("{") || typeName(t.at(behind).text) != "" && t.at(behind+1).is("{") {
			return k + 1 // of Go
		}
	}
	if name > k && t.at(name+1).is("(") && t.match[name+1] > name && t.at(t.match[name+1]+1).is("{") {
		return name
	}
	return k
}

// framed drops a frame, and the braces around the statements that stay.
func (t *translator) framed(e edits, k int) int {
	f, known := frames[strings.ToLower(t.at(k).text)]
	switch {
	case t.at(k).named("select"):
		f = frames["case"]
	case !known:
		f = frames["function"]
	}
	last := t.end(k)
	for t.sameLine(k, last+1) && !t.at(last+1).is("{") && !t.at(last+1).is("}") && !t.at(last+1).is(";") && t.at(last+1).kind != tokEOF {
		last++
	}
	if end := t.function(e, k, last); end > k {
		return end
	}
	if open := last + 1; t.at(k).named("struct", "typedef", "enum", "union") && t.at(open).is("{") && t.match[open] > open {
		return t.gone(e, k, t.match[open], "field", noStructs, func() string { return "" })
	}
	message, hint, kind := t.ownHint(f, k, last)
	at := t.at(k).span()
	if kind == diag.Replacement || hint == leaveOut {
		at = join(at, t.at(last).span())
	}
	if !t.found("frame "+f.message, at, message, func() string { return hint }, kind) {
		return k
	}
	if f.names {
		t.spoilNames(t.tokens[k : last+1])
	}
	t.spoil(droppedStatement)
	e.drop(k, last)
	if open := last + 1; t.at(open).is("{") && t.match[open] > open {
		t.unframed = append(t.unframed, [2]int{open, t.match[open]})
	}
	t.unwrap(e, last+1)
	return last
}

// function drops the definition of a function without loops, from token k on; its header ends
// with token last. It returns k if token k begins no such definition.
func (t *translator) function(e edits, k, last int) int {
	name, open := t.isFunction(k), last+1
	if t.at(k).named("def", "function", "void", "fn") {
		name = k + 1
	}
	if name == k || t.at(name).kind != tokIdent || !t.at(name+1).is("(") || !t.at(open).is("{") || t.match[open] < 0 || t.match[open]-open > maxForeignTokens || !t.gives(name, open) {
		return k
	}
	if !t.found("function", join(t.at(k).span(), t.at(last).span()), ownFunction, func() string {
		if t.takesArray(name, open) {
			return "" // a function of Go has numbers
		}
		return "extern func " + t.at(name).text + "(" + typedParameters(t.tokens[name+2:t.match[name+1]]) + ") " + t.resultType(k, name)
	}) {
		return k
	}
	t.spoilNames(t.tokens[k : last+1])
	e.drop(k, t.match[open])
	return t.match[open]
}

// takesArray reports whether a parameter of the function with that name has subscripts in its body, which begins at the brace open.
func (t *translator) takesArray(name, open int) bool {
	parameters := map[string]bool{}
	for _, x := range t.tokens[name+2 : t.match[name+1]] {
		parameters[x.text] = x.kind == tokIdent
	}
	for k := open; k < t.match[open]; k++ {
		if parameters[t.at(k).text] && t.at(k+1).is("[") {
			return true
		}
	}
	return false
}

// gives reports whether the body of a function, from the brace open on, contains no loop and
// gives a result: it returns a value, or assigns to the function's name.
func (t *translator) gives(name, open int) bool {
	gives := t.at(name-1).named("fn") && !t.at(t.match[open]-1).is(";") // of Rust: the last expression is the result
	for k := open; k < t.match[open]; k++ {
		switch x := t.at(k); {
		case x.is("for") || x.named("while"):
			return false
		case x.named("return") || x.text == t.at(name).text && t.at(k+1).is("="):
			gives = true
		}
	}
	return gives
}

// parameterNames are the names in a list of parameters, without types and default values.
func parameterNames(list []token) (names []string) {
	for _, p := range commas(list) {
		if n := slices.IndexFunc(p, func(x token) bool { return x.is("=") || x.is(":") || x.is("[") }); n > 0 {
			p = p[:n]
		}
		if len(p) > 1 && typeName(p[len(p)-1].text) != "" { // of Go
			p = p[:len(p)-1]
		}
		if len(p) > 0 && p[len(p)-1].kind == tokIdent && !p[len(p)-1].named("void") {
			names = append(names, p[len(p)-1].text)
		}
	}
	return names
}

// called drops a statement that is only a call, f(x), whose name is token k.
func (t *translator) called(e edits, k int) int {
	end := t.end(k)
	if k > 0 && binaryOps[t.at(k-1).text].precedence > 0 && t.at(k-1).kind == tokOp { // the line before goes on
		return k
	}
	if t.at(k).kind != tokIdent || !t.at(k+1).is("(") || t.match[k+1] != end || t.arrays[t.at(k).text] || isEntry(t.at(k).text) && t.blockOf(k).is("schedule") {
		return k
	}
	f := frames["call"]
	if !t.found("frame "+f.message, join(t.at(k).span(), t.at(end).span()), f.message, func() string { return f.hint }) {
		return k
	}
	e.drop(k, end)
	return end
}
