package frontend

import (
	"slices"
	"strings"

	"loopc/ir"
	"loopc/ir/diag"
)

// Other languages compute with entire arrays: un = u.copy(), u = un, u = u + 0.1*np.roll(u, 1). In this language a for goes
// over the cells. A statement assigns an entire array if its target or its value is an array without subscripts. If cells of
// one of the arrays have the index of a surrounding loop as subscript, the user may mean a cell: see copiedAfter.

// Messages about entire arrays.
const (
	copiedMessage  = "an assignment is to one cell: a for copies an array"
	newMessage     = "an assignment is to one cell: a copy of an array is an array of its own, which is declared, and which a for writes"
	entireMessage  = "an assignment is to one cell: a for goes over the cells of an array"
	beforeMessage  = "an assignment belongs in the body of a for: what the cells of an array have before is said by its init"
	givenMessage   = "an assignment belongs in the body of a for: what is given comes from the caller, with all its cells"
	swappedMessage = "arrays are not exchanged: a loop copies the cells of one to the other"
)

// entireLine replaces the statements of a line that assign entire arrays or slices, and keeps the others. It returns false
// if it replaces none.
func (t *translator) entireLine(s lineStart) ([]token, bool) {
	given := t.copying(s.tokens)
	l := t.withoutWhole(given)
	if l[0].kind != tokIdent || !l[1].is("=") && !l[1].opens() && updateOf(l) == 0 {
		return nil, false
	}
	around := t.loopsAround(l[0])
	if out := t.swapped(l, around); out != nil {
		return out, true
	}
	var out []token
	known := false
	whole := cut(given, ";")
	for n, part := range cut(l, ";") {
		switch {
		case len(part) == 0:
		default:
			stays := t.cellMeant(part, around)
			if stays == nil {
				stays = t.entire(part, around)
			}
			if stays == nil {
				stays = t.slicedLine(t.wholeTarget(whole[n]), around)
			}
			if stays != nil {
				part, known = stays, true
			}
			out = append(append(out, part...), operator(";", part[len(part)-1]))
		}
	}
	return out, known
}

// entireLate calls entireLine for lines u = v of arrays that Fortran declares: openLines has read these lines before blocks
// made the arrays known.
func (t *translator) entireLate() {
	if !t.late {
		return
	}
	var out []token
	for _, l := range t.lines() {
		if len(l) == 3 && t.dims[l[0].text] > 0 && l[1].is("=") && t.dims[l[2].text] == t.dims[l[0].text] {
			if stays, ok := t.entireLine(lineStart{tokens: l}); ok {
				l = stays
			}
		}
		out = append(out, l...)
	}
	t.tokens = out
}

// withoutWhole is a line without the brackets of an array that it assigns to, if all its subscripts are colons.
func (t *translator) withoutWhole(l []token) []token {
	if t.dims[l[0].text] == 0 || !l[1].opens() {
		return l
	}
	last := 1 + partner(l[1:])
	if last+2 >= len(l) || !l[last+1].is("=") || slices.ContainsFunc(l[2:last], func(x token) bool { return !x.is(":") && !x.is(",") }) {
		return l
	}
	return slices.Concat(l[:1], l[last+1:])
}

// swapped replaces w = u; u = v; v = w, which exchanges two arrays, by a copy of v to u; nil for other statements.
func (t *translator) swapped(l []token, around []string) []token {
	parts := slices.DeleteFunc(cut(l, ";"), func(p []token) bool { return len(p) == 0 })
	if len(parts) < 3 {
		return nil
	}
	for n, p := range parts[:3] {
		next := parts[(n+1)%3]
		if len(p) != 3 || len(next) != 3 || !p[1].is("=") || p[2].text != next[0].text {
			return nil
		}
	}
	to, from := parts[1][0], parts[1][2]
	if t.usedDims(to.text) == 0 || t.usedDims(from.text) == 0 || !t.uses[from.text].written {
		return nil
	}
	hint := t.copyTo(to, from, around)
	if !t.found("swapped", join(l[0].span(), parts[2][2].span()), swappedMessage, func() string { return hint }, diag.Example) {
		return nil
	}
	if hint == "" {
		t.spoil(droppedStatement)
		return []token{operator(";", l[0])}
	}
	return t.inPlaceOf(hint, to, around)
}

// inPlaceOf returns what replaces a statement that assigns an entire array. Within loops it is the for in the hint or, if
// there is none, an assignment of a hole to a cell whose subscripts are holes; outside of loops a hint that is a for, else a ;.
func (t *translator) inPlaceOf(hint string, array token, around []string) []token {
	let, text, _ := strings.Cut(hint, "for ")
	out := []token{operator(";", array)}
	switch {
	case len(around) == 0 && !strings.HasPrefix(hint, "for "):
	case text != "":
		if !strings.HasPrefix(let, "let ") {
			let = ""
		}
		out, _ = scan([]byte(let + "for " + text))
		out = moved(out[:len(out)-1], array)
	default:
		subs := slices.Repeat([][]token{{word(tokIdent, hole, array)}}, max(1, t.dims[array.text]))
		out = append(cellTokens(array, subs), operator("=", array), word(tokIdent, hole, array))
	}
	return out
}

// entire translates one statement that assigns an entire array; nil for others.
func (t *translator) entire(l []token, around []string) []token {
	if len(l) < 3 || l[0].kind != tokIdent || !l[1].is("=") || t.numbers[l[0].text] {
		return nil
	}
	to, value := l[0], l[2:]
	from := t.entireArray(value)
	if t.ofLoops(to.text, around) || from.text != "" && t.ofLoops(from.text, around) {
		return t.copiedAfter(l, to, from, around)
	}
	at := join(to.span(), l[len(l)-1].span())
	message, hint, kind := copiedMessage, t.forOf(to, around, value), diag.Example
	switch {
	case t.dims[to.text] == 0 && from.text == "" || t.dims[to.text] == 0 && t.declared[to.text]:
		return nil
	case t.dims[to.text] == 0:
		t.copies = append(t.copies, [2]string{to.text, from.text})
		t.likeTheirs()
		t.spoil(to.text)
		message, hint, kind = newMessage, t.copyOf(to, from, around), diag.Advice
	case from.text != "":
		hint = t.copyTo(to, from, around)
	case !t.wholly(value):
		return nil
	case t.productOf(to, around, value) != "":
		message, hint = productMessage, t.productOf(to, around, value)
	case len(around) == 0 && !slices.ContainsFunc(value, t.isArray):
		message, hint = beforeMessage, "init "+t.cellText(to.text)+" = "+textOf(value)
		if t.given[to.text] {
			message, hint = givenMessage, ""
		}
		t.spoil(to.text)
	case !slices.ContainsFunc(value, t.isArray): // a cell may be meant
		return nil
	default:
		message = entireMessage
	}
	return t.entireReported(at, to, message, hint, kind, around)
}

// entireReported reports an assignment to an entire array, and returns what stands for it; nil if nothing is reported.
func (t *translator) entireReported(at diag.Span, to token, message, hint string, kind diag.HintKind, around []string) []token {
	if !t.found("entire "+message+to.text, at, message, func() string { return hint }, kind) {
		return nil
	}
	if hint == "" && len(around) == 0 {
		t.spoil(droppedStatement)
	}
	return t.inPlaceOf(hint, to, around)
}

// writtenBeside reports whether a line before the given one, in the same block, assigns to cells of an array.
func (t *translator) writtenBeside(array string, line token) bool {
	beside := false
	for k, x := range t.tokens {
		if x.pos.Line >= line.pos.Line {
			break
		}
		if k == 0 || !t.sameLine(k-1, k) {
			beside = x.indent >= line.indent && (beside || x.indent == line.indent && x.text == array && t.at(k+1).opens())
		}
	}
	return beside
}

// copiedAfter drops u = v, an array, within the loops that compute the cells of v: the copy belongs behind these loops, since
// later iterations would read copied cells. It returns nil if l is anything else.
func (t *translator) copiedAfter(l []token, to, from token, around []string) []token {
	if from.text == "" || len(l) != 3 || !t.isArray(to) || !t.ofLoops(to.text, around) || !t.writtenBeside(from.text, to) {
		return nil
	}
	hint := ""
	if subs := t.writtenAt(from.text); subs != nil {
		within := slices.DeleteFunc(slices.Clone(around), func(name string) bool {
			return slices.ContainsFunc(subs, func(sub []token) bool { return slices.ContainsFunc(sub, func(x token) bool { return x.text == name }) })
		})
		copied := textOf(slices.Concat(cellTokens(to, subs), []token{operator("=", to)}, cellTokens(from, subs)))
		hint = "a for of its own behind this one, whose body is " + copied
		if len(within) > 0 {
			hint = "in the body of the loop " + within[len(within)-1] + " two for: one that computes the cells, and behind it one whose body is " + copied
		}
	}
	if !t.found("copied after "+to.text, join(to.span(), l[len(l)-1].span()), copiedMessage, func() string { return hint }, diag.Advice) {
		return nil
	}
	t.spoil(droppedStatement)
	return []token{operator(";", to)}
}

// wholly reports whether tokens can be the value of an entire array: one of them is an array without subscripts, or all are
// numbers and minus signs.
func (t *translator) wholly(l []token) bool {
	number := true
	for k, x := range l {
		number = number && (x.kind == tokInt || x.kind == tokFloat || x.is("-"))
		if t.isArray(x) && (k+1 == len(l) || !l[k+1].opens()) {
			return true
		}
	}
	return number
}

// entireArray is the array of which tokens are a copy: u, u.copy(), np.copy(u), copy(u), u[:] or u(:,:). Its text is "" for others.
func (t *translator) entireArray(l []token) token {
	at := slices.IndexFunc(l, t.isArray)
	if at < 0 || len(l) > maxDepth {
		return token{}
	}
	rest := slices.DeleteFunc(slices.Concat(l[:at], l[at+1:]), func(x token) bool {
		return x.kind == tokOp && strings.Contains(".()[]:,", x.text) || x.named("copy", "clone", "deepcopy", "np", "numpy", "array", "collect")
	})
	if len(rest) > 0 {
		return token{}
	}
	return l[at]
}

// overCells returns the header of a for over the cells of an array, with names that no loop around has, and these names; "" if
// the bounds of the array are not known.
func (t *translator) overCells(array token, around []string) (header string, names []string) {
	var loops []string
	for d := range t.dims[array.text] {
		ends := t.extent(array, d)
		if len(ends) != 2 {
			return "", nil
		}
		name := freeIndex(append(slices.Clone(around), names...), d)
		names = append(names, name)
		loops = append(loops, name+" = "+strings.ReplaceAll(textOf(ends[0])+".."+textOf(ends[1]), " ", ""))
	}
	return "for " + strings.Join(loops, ", ") + " {", names
}

// forOf is the for that gives every cell of an array its value; "" if the bounds or the cells are not known.
func (t *translator) forOf(array token, around []string, value []token) string {
	header, names := t.overCells(array, around)
	value = t.withSubscripts(value, names)
	if header == "" || slices.ContainsFunc(value, func(x token) bool { return x.is(".") || x.is(":") || x.kind == tokString }) || t.bareArray(value) {
		return ""
	}
	return header + " " + array.text + "[" + strings.Join(names, ",") + "] = " + textOf(value) + " }"
}

// bareArray reports whether tokens have an array without subscripts, or the call of a function that this language lacks.
func (t *translator) bareArray(l []token) bool {
	for k, x := range l {
		if t.isArray(x) && (k+1 == len(l) || !l[k+1].opens()) {
			return true
		}
		if _, known := ir.FuncNamed(x.text); x.kind == tokIdent && !t.isArray(x) && !known && k+1 < len(l) && l[k+1].is("(") {
			return true
		}
	}
	return false
}

// copyOf is the advice for an array that the file does not declare, and that is a copy of another one.
func (t *translator) copyOf(to, from token, around []string) string {
	header, names := t.overCells(from, around)
	declared := t.statementOf("array", from.text)
	if header == "" || len(declared) < 3 {
		return ""
	}
	close := 2 + partner(declared[2:])
	if close+1 >= len(declared) {
		return ""
	}
	subs := "[" + strings.Join(names, ",") + "]"
	return "array " + to.text + textOf(declared[2:close+1]) + " " + declared[close+1].text + " above the loops, and here " + header + " " + to.text + subs + " = " + from.text + subs + " }"
}

// countsFromOne reports whether zeros(...), whose bracket is token open, is of MATLAB or Julia, where arrays begin at 1: its
// sizes have no brackets of their own and no names, and the file has a loop with a colon, such as for i = 1:n.
func (t *translator) countsFromOne(open int) bool {
	loop, list := false, t.tokens[open:min(len(t.tokens), open+maxForeignTokens)]
	if t.at(open+1).opens() || slices.ContainsFunc(list[:partner(list)], func(x token) bool { return x.is("=") }) {
		return false
	}
	for k, x := range t.tokens {
		if x.is("for") && (k == 0 || !t.sameLine(k-1, k)) {
			last := t.endOfLine(k)
			colon := slices.IndexFunc(t.tokens[k:last], func(y token) bool { return y.is(":") })
			loop = loop || colon > 0
		}
	}
	return loop
}

// makes returns the index of the bracket in u = zeros(...) or u = np.zeros(...), if such an assignment begins with token k
// and the file has cells of u, else k. Any function but copy may stand in the place of zeros.
func (t *translator) makes(k int) int {
	at := k + 2
	if t.at(at + 1).is(".") {
		at += 2
	}
	begins := k == 0 || !t.sameLine(k-1, k) || t.at(k-1).is(";")
	if x := t.at(at); !begins || t.at(k).kind != tokIdent || !t.at(k+1).is("=") || x.kind != tokIdent || !t.at(at+1).is("(") || t.usedDims(t.at(k).text) == 0 ||
		x.named("copy") {
		return k
	}
	return at + 1
}

// likeTheirs gives the arrays that the file has only as copies of others the dimensions of those, and their kind of cells.
func (t *translator) likeTheirs() {
	for _, c := range t.copies {
		t.arrays[c[0]], t.dims[c[0]], t.floats[c[0]] = true, t.dims[c[1]], t.floats[c[1]]
	}
}
