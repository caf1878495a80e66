package frontend

import (
	"slices"
	"strings"

	"loopc/ir/diag"
)

// uses says what a file does with the cells of a name; passed, that a call which is a statement may write them.
type uses struct{ written, inBody, init, slice, passed bool }

// findUses finds the uses of names before anything is translated: names whose cells are written, perhaps behind a loop;
// names that have an init, or plain values before all loops; and names of which a slice is returned.
func (t *translator) findUses() {
	t.uses = map[string]uses{}
	loop := false
	for k, x := range t.tokens {
		loop = loop || x.is("for") || x.named("do", "while")
		if x.kind != tokIdent {
			continue
		}
		u := t.uses[x.text]
		switch before := t.at(k - 1); {
		case k > 0 && before.is("init"):
			u.init = true
		case k > 0 && before.is("out"):
			u.slice = true
		case t.writes(k), t.exchanges(k):
			u.written, u.inBody = true, u.inBody || loop
			u.init = u.init || !loop && t.plainValue(k)
		case t.passed(k):
			u.passed = true
		case !loop && t.beginsStatement(k) && t.at(k+1).is("=") && t.usedDims(x.text) > 0 && t.startValue(k+2, t.lineEnd(k)):
			u.init = true
		default:
			continue
		}
		t.uses[x.text] = u
	}
}

// plainValue reports whether the statement that begins with token k assigns a value without brackets: no cell and no call.
func (t *translator) plainValue(k int) bool {
	line := t.tokens[k : t.lineEnd(k)+1]
	equals := slices.IndexFunc(line, func(x token) bool { return x.is("=") })
	return equals > 0 && !slices.ContainsFunc(line[equals:], func(x token) bool { return x.opens() || x.is(":") })
}

// mostArguments bounds the tokens of a call before an argument.
const mostArguments = 16

// passed reports whether token k is an argument of a call that is a statement by itself: the call may write it.
func (t *translator) passed(k int) bool {
	before := t.at(k - 1)
	if k < 2 || !before.is("(") && !before.is(",") {
		return false
	}
	first := k
	for step := 0; step < mostArguments && first > 0 && !t.beginsStatement(first); step++ {
		first--
	}
	end := t.lineEnd(first)
	call := first
	if t.at(first).named("call") || t.at(first+1).is("!") {
		call++
	}
	f := frames[strings.ToLower(t.at(first).text)]
	quiet := f.message == printsNothing || f.message == writesNothing || f.message == assertsNothing
	return t.at(first).kind == tokIdent && !quiet && t.at(call+1).is("(") && call+1+partner(t.tokens[call+1:end+1]) == end
}

// writes reports whether the array at token k begins a statement that writes one of its cells.
func (t *translator) writes(k int) bool {
	if !t.at(k+1).opens() || k > 0 && t.sameLine(k-1, k) && !t.at(k-1).is(";") && !t.at(k-1).is("{") && !t.at(k-1).is(")") {
		return false
	}
	depth, last := 0, k+1
	for ; last < len(t.tokens) && last-k < maxForeignTokens; last++ {
		if x := t.at(last); x.opens() {
			depth++
		} else if x.closes() {
			depth--
		}
		if depth == 0 && !t.at(last+1).opens() {
			break
		}
	}
	sign, next := t.at(last+1), t.at(last+2)
	return sign.is("=") || (sign.is("+") || sign.is("-") || sign.is("*") || sign.is("/")) && next.glued && (next.is("=") || next.is(sign.text))
}

// exchanges reports whether u = v, which assigns an array or a pointer, begins with token k.
func (t *translator) exchanges(k int) bool {
	behind := t.at(k + 3)
	return t.at(k+1).is("=") && t.at(k+2).kind == tokIdent && t.beginsStatement(k) && (behind.is(";") || behind.is("}") || behind.kind == tokEOF || !t.sameLine(k, k+3))
}

// role returns, as tokens, the role that a declaration of another language leaves open: none for an
// array with a returned slice; else out for one with an init; else inout for one that is written;
// else in.
func (t *translator) role(name token) []token {
	switch u := t.uses[name.text]; {
	case u.slice:
		return nil
	case u.init:
		return []token{operator("out", name)}
	case u.written || u.passed:
		return []token{operator("inout", name)}
	}
	return []token{operator("in", name)}
}

// wide returns the type for another language's type word: float64 for float, unless the file has
// another float or float32.
func (t *translator) wide(elem token) token {
	narrow := func(x token) bool { return x.named("float32", "float") && x.pos != elem.pos }
	if elem.text == "float32" && !slices.ContainsFunc(t.tokens, narrow) {
		elem.text = "float64"
	}
	return elem
}

// keywordsAsNames gives cells of an array that is declared by a keyword, such as out, a name that nothing is said of: the
// declaration is reported.
func (t *translator) keywordsAsNames() {
	for k, x := range t.tokens {
		if k == 0 || x.kind != tokKeyword || !t.at(k-1).is("array") || !t.at(k+1).opens() {
			continue
		}
		name := x.text + "1"
		for j := range t.tokens {
			y := t.at(j)
			if j == k || y.kind != tokKeyword || y.text != x.text || !t.at(j+1).opens() {
				continue
			}
			statement := j == 0 || !t.sameLine(j-1, j) || t.at(j-1).is(";") || t.at(j-1).is("{")
			last := j + 1 + partner(t.tokens[j+1:min(len(t.tokens), j+maxForeignTokens)])
			for t.at(last+1).is("[") && t.at(last+1).glued {
				last += 1 + partner(t.tokens[last+1:min(len(t.tokens), last+maxForeignTokens)])
			}
			if !statement || t.at(last+1).assigns() {
				t.tokens[j].kind, t.tokens[j].text = tokIdent, name
				t.renamed = true
			}
		}
		t.spoil(name)
	}
}

// reservedNames renames arrays with the names in, out, inout and init, as to in1. Such a word is the name of an array if a bracket is
// right behind it, or, except in, if it begins a line and an = follows.
func (t *translator) reservedNames() {
	for k, x := range t.tokens {
		next := t.at(k + 1)
		begins := k == 0 || !t.sameLine(k-1, k)
		if !x.is("in") && !x.is("out") && !x.is("inout") && !x.is("init") || t.spoiled[x.text+"1"] || !(next.is("[") && next.glued || next.is("=") && !x.is("in") && begins) {
			continue
		}
		if !t.found("reserved", x.span(), x.text+" is a word of the language: an array has another name", func() string { return "" }) {
			return
		}
		t.spoil(x.text + "1")
		for j := k; j < len(t.tokens); j++ {
			if t.at(j).is(x.text) && t.namesArray(j) {
				t.tokens[j].kind, t.tokens[j].text = tokIdent, x.text+"1"
			}
		}
	}
}

// namesArray reports whether the reserved word at token k stands where an array has its name.
func (t *translator) namesArray(k int) bool {
	before, behind := t.at(k-1), t.at(k+1)
	return behind.opens() && behind.glued || behind.is("=") || behind.is(".") || before.is("(") || behind.is(",") && before.kind == tokIdent && typeOfC(before.text) != ""
}

// juliaParameters drops the types of the parameters of a function of Julia, and the ! of its name.
func (t *translator) juliaParameters() {
	out := make([]token, 0, len(t.tokens))
	for k := 0; k < len(t.tokens); k++ {
		x := t.at(k)
		out = append(out, x)
		if !x.named("function") || k > 0 && t.sameLine(k-1, k) {
			continue
		}
		depth := 0 // of braces in a type
		typed := false
		for ; t.sameLine(k, k+1) && t.at(k+1).kind != tokEOF; k++ {
			switch x := t.at(k + 1); {
			case x.is(":") || x.named("where"):
				typed = true
			case x.is("{"):
				depth++
			case x.is("}"):
				depth--
			case depth == 0 && (x.is(",") || x.is(")") || x.is(";")):
				typed = false
				out = append(out, x)
			case !typed && depth == 0 && !x.is("!"):
				out = append(out, x)
			}
		}
	}
	t.tokens = out
}

// findNumbers notes the names of parameters and constants.
func (t *translator) findNumbers() {
	t.numbers, t.fractions = map[string]bool{}, map[string]bool{}
	for k, x := range t.tokens {
		if x.kind == tokIdent && t.at(k+1).is("=") && t.sameLine(k, k+2) && t.at(k+2).kind == tokFloat {
			t.fractions[x.text] = true
		}
		if !x.is("param") && !x.is("const") {
			continue
		}
		last := k + 1
		for ; last-k < maxForeignTokens && t.sameLine(k, last) && !t.at(last).is("="); last++ {
			if t.at(last).kind == tokIdent {
				t.numbers[t.at(last).text] = true
			}
		}
		if t.at(last-1).named("float32", "float64") {
			for _, name := range t.tokens[k+1 : last-1] {
				t.fractions[name.text] = true
			}
		}
	}
}

// firstWords returns how many words stand before the name in a declaration of an array, the role and the type among them.
func firstWords(l []token) (name int, role, elem []token) {
	for ; name < len(l); name++ {
		x := l[name]
		before := func(next func(token) bool) bool { return x.kind == tokIdent && name+1 < len(l) && next(l[name+1]) }
		switch {
		case isRole(x) && role == nil:
			role = l[name : name+1]
		case x.is("array"):
		case role == nil && rolesElsewhere[x.text] != "" && before(func(y token) bool { return y.is("array") }):
			role = []token{operator(rolesElsewhere[x.text], x)}
		case elem == nil && typeElsewhere(x.text) != "" && before(func(y token) bool { return y.kind == tokIdent }):
			elem = []token{word(tokIdent, typeElsewhere(x.text), x)}
		default:
			return name, role, elem
		}
	}
	return name, role, elem
}

// roleFirst moves the role of an array to the end of its declaration.
func (t *translator) roleFirst(s lineStart) ([]token, bool) {
	l := s.tokens
	name, role, elem := firstWords(l)
	if role == nil || name+1 >= len(l) || l[name].kind != tokIdent || !l[name+1].opens() {
		return nil, false
	}
	if name < 2 && !(rangesBehind(l[name:]) && typeElsewhere(l[len(l)-1].text) != "") { // out u[...] gives back a slice
		return nil, false
	}
	moved := slices.Concat([]token{operator("array", l[0])}, l[name:], elem, role)
	for k := range moved {
		moved[k].pos.Line = l[0].pos.Line
	}
	return moved, t.found("role first", join(l[0].span(), l[len(l)-1].span()), "the role of an array stands at the end of its declaration", func() string { return textOf(moved) }, diag.Replacement)
}
