package frontend

import (
	"slices"

	"loopc/ir/diag"
)

// A foreignLoop is a for with one loop, as other languages write it.
type foreignLoop struct {
	name   token
	lo, hi []token // of its range, both ends included
	down   bool    // it runs from lo down to hi
	by     []token // its step, unless 1
	until  []token // the condition that ends it early, if its test has several comparisons
	native bool    // it is written as in this language
	open   bool    // its range is one of Rust, where the end is not included, or looks like one
	last   int     // the last token of its header
	ok     bool
}

// header reads the header of a for, token k, in one of these forms, where < may be
// any comparison and the type may be missing:
//
//	for (int i = a; i < b; i++)
//	for i := a; i < b; i++ {
//	for i in a..b {
//	for a <= i <= b {
//	for i = a:b {
//	for i in a:b {
func (t *translator) header(k int) foreignLoop {
	if t.headers++; t.headers > maxForeign {
		return foreignLoop{}
	}
	first, last := k+1, t.end(k)
	switch {
	case t.at(first).is("(") && t.match[first] < 0:
		return foreignLoop{}
	case t.at(first).is("("):
		return t.counting(first+1, t.match[first]-1, t.match[first])
	case t.at(last + 1).is(";"):
		for step := 0; step < maxForeignTokens && !t.at(last+1).is("{") && t.sameLine(k, last+1) && t.at(last+1).kind != tokEOF; step++ {
			last++
		}
		return t.counting(first, last, last)
	}
	l := t.loopOf(t.tokens[first : last+1])
	l.last, l.native = last, l.native && !t.at(k).translated
	return l
}

// loopOf reads the header of a for with one range.
func (t *translator) loopOf(text []token) foreignLoop {
	if len(text) < 5 || slices.ContainsFunc(text, func(x token) bool { return x.is(",") }) {
		return foreignLoop{}
	}
	sign, value := text[1], text[2:]
	assigns := sign.is("=")
	switch {
	case text[0].kind != tokIdent:
		return t.chained(text)
	case sign.is(":") && value[0].is("="):
		value = value[1:]
	case !assigns && !sign.is("in"):
		return t.chained(text)
	}
	l := foreignLoop{name: text[0], native: assigns}
	if value[0].named("range") && len(value) > 1 { // of Go
		return t.rangeOfGo(l, value)
	}
	ends := cut(value, "..")
	colon := len(ends) == 1
	if colon {
		ends, l.native = cut(value, ":"), false
	}
	if len(ends) != 2 || len(ends[0]) == 0 || len(ends[1]) == 0 {
		return t.chained(text)
	}
	l.lo, l.hi, l.ok = ends[0], ends[1], true
	if !assigns && !colon {
		t.endOfRust(&l, text[2+len(ends[0])])
	}
	if by := slices.IndexFunc(l.hi, func(x token) bool { return x.kind == tokIdent && x.text == "step" }); by > 0 && assigns {
		l.hi, l.by = l.hi[:by], l.hi[by:]
	}
	return l
}

// rangeOfGo completes the loop l over range n, or over the subscripts of an array whose bounds the file has. It returns the zero
// loop, which is not ok, for another array.
func (t *translator) rangeOfGo(l foreignLoop, value []token) foreignLoop {
	l.lo, l.hi, l.ok = []token{word(tokInt, "0", value[0])}, plus(value[1:], -1), true
	if ends := t.extent(value[1], 0); len(value) == 2 && len(ends) == 2 {
		l.lo, l.hi = ends[0], ends[1]
	} else if t.isArray(value[1]) || t.usedDims(value[1].text) > 0 {
		return foreignLoop{}
	}
	return l
}

// chained reads a <= i <= b.
func (t *translator) chained(text []token) foreignLoop {
	var signs []int
	for k, x := range text {
		if x.is("<") || x.is("<=") {
			signs = append(signs, k)
		}
	}
	if len(signs) != 2 || signs[0] == 0 || signs[1] != signs[0]+2 || text[signs[0]+1].kind != tokIdent || signs[1] == len(text)-1 {
		return foreignLoop{}
	}
	l := foreignLoop{name: text[signs[0]+1], lo: text[:signs[0]], hi: text[signs[1]+1:], ok: true}
	if text[signs[0]].is("<") {
		l.lo = plus(l.lo, 1)
	}
	if text[signs[1]].is("<") {
		l.hi = plus(l.hi, -1)
	}
	return l
}

// counting reads the three parts of a for of C or Go, tokens first to last; the
// header ends with token end.
func (t *translator) counting(first, last, end int) foreignLoop {
	parts := cut(t.tokens[first:last+1], ";")
	if len(parts) != 3 {
		return foreignLoop{}
	}
	start, test, step := parts[0], parts[1], parts[2]
	var until []token
	if both := slices.IndexFunc(test, func(x token) bool { return x.is("&&") || x.named("and") }); both > 0 {
		if until = endingOf(test[both+1:]); until == nil {
			return foreignLoop{}
		}
		test = test[:both]
	}
	for len(start) > 1 && start[0].kind == tokIdent && start[1].kind == tokIdent {
		start = start[1:] // its type
	}
	if len(start) > 1 && start[1].is(":") {
		start = slices.Concat(start[:1], start[2:])
	}
	if len(start) < 3 || start[0].kind != tokIdent || !start[1].is("=") || len(test) < 3 || test[0].text != start[0].text {
		return foreignLoop{}
	}
	beyond, known := map[string]int{"<": -1, "!=": -1, "<=": 0, ">": 1, ">=": 0}[test[1].text]
	if !known {
		return foreignLoop{}
	}
	l := foreignLoop{name: start[0], lo: start[2:], hi: test[2:], last: end, down: test[1].text[0] == '>', until: until}
	if beyond != 0 {
		l.hi = plus(l.hi, beyond)
	}
	l.by, l.ok = stepOf(step, l.down)
	return l
}

// stepOf reads the step of a for: i++, ++i, i += 1, i = i + 1 or similar, or the same with minus. One of another number
// is returned: the checker says of a header of this language what is in its place.
func stepOf(step []token, down bool) (by []token, ok bool) {
	minus := slices.ContainsFunc(step, func(x token) bool { return x.is("-") })
	number := slices.IndexFunc(step, func(x token) bool { return x.kind == tokInt })
	if down != minus || number < 0 || step[number].text == "1" {
		return nil, down == minus
	}
	by = append(by, word(tokIdent, "step", step[number]))
	if down {
		by = append(by, operator("-", step[number]))
	}
	return append(by, step[number]), number == len(step)-1 && !slices.ContainsFunc(step, multiplies)
}

// multiplies reports whether a token of the step of a for makes it one that is no sum.
func multiplies(x token) bool {
	return x.is("*") || x.is("/") || x.is("<<") || x.is(">>") || x.is("*=") || x.is("/=") || x.is("<<=") || x.is(">>=")
}

// A loopNest is several fors of other languages, each directly inside the one before.
type loopNest struct {
	loops  []foreignLoop // outermost first
	last   int           // the last token of their headers
	open   int           // the brace of the body, -1 if it has none
	blocks []int         // the braces between the loops
}

// nestAt reads the fors from token k on.
func (t *translator) nestAt(k int) loopNest {
	n := loopNest{last: k - 1, open: -1}
	for f := k; t.at(f).is("for") && len(n.loops) <= maxDepth; {
		l := t.header(f)
		if !l.ok || slices.ContainsFunc(n.loops, func(outer foreignLoop) bool { return outer.name.text == l.name.text }) {
			break
		}
		if n.open >= 0 {
			n.blocks = append(n.blocks, n.open)
		}
		n.loops, n.last, n.open, f = append(n.loops, l), l.last, -1, l.last+1
		if !t.at(f).is("{") {
			continue
		}
		if t.match[f] < 0 {
			break
		}
		// A block is dropped only if it contains nothing but a for.
		if n.open, f = f, f+1; !t.alone(f, t.match[n.open]) {
			break
		}
	}
	return n
}

// header is one for with all the loops, on one line.
func (n loopNest) header(k token) []token {
	header := []token{k}
	for i, l := range n.loops {
		begin := len(header)
		if i > 0 { // on the line before, so that the header continues
			header = append(header, operator(",", header[begin-1]))
			begin++
		}
		header = slices.Concat(header, []token{l.name, operator("=", l.name)}, l.lo, []token{operator("..", l.name)}, l.hi, l.by)
		if l.down && len(l.by) == 0 {
			header = append(header, stepDown(l.name)...)
		}
		for j := begin; j < len(header); j++ {
			header[j].pos.Line = l.name.pos.Line
		}
	}
	return header
}

// loop translates the for at token k, with all fors of other languages directly inside it, to
// one for with all loops.
func (t *translator) loop(e edits, k int) int {
	n, outer := t.nestAt(k), t.around(k)
	single := len(n.loops) == 1
	if single && !n.loops[0].native && outer == nil && n.open >= 0 && !n.loops[0].down && len(n.loops[0].by) == 0 && t.holdsNests(n.open) {
		return t.repeated(e, k, n.loops[0])
	}
	own := !slices.ContainsFunc(n.loops, func(l foreignLoop) bool { return !l.native })
	if own || slices.ContainsFunc(n.loops, func(l foreignLoop) bool { return l.until != nil }) {
		return t.ownLoop(e, k, outer)
	}
	header := n.header(t.at(k))
	if outer != nil && !t.staysInside(n.last, outer, header[1:], n.open < 0) {
		return t.inner(e, k, n.last, outer, header[1:], n.blocks)
	}
	t.body(n.last, outer, header[1:])
	message := "the loops of a nest are ranges, both ends included"
	if slices.ContainsFunc(n.loops, func(l foreignLoop) bool { return l.open }) {
		message += ", unlike those of Rust"
	}
	if !single {
		message += ", and stand in one header"
	}
	at := t.at(k).span()
	for _, l := range n.loops {
		at = join(at, t.furthest(l.name, l.last).span())
	}
	if !t.found("for", t.headerEnd(t.withPartners(at)), message, func() string { return textOf(header) + " {" }) {
		return k
	}
	t.nestEnds(k, n, t.guarded(n.last+1, 0))
	e.drop(k, n.last)
	for _, b := range n.blocks {
		e.replace(b)
		e.replace(t.match[b])
	}
	brace := operator("{", t.at(k))
	if n.open >= 0 {
		e.replace(k, header...)
		e.replace(n.open, brace)
		return n.last
	}
	// A single statement is the body.
	body := t.guarded(n.last+1, 0)
	e.replace(k, append(header, brace)...)
	e.at(body).behind = append(e.at(body).behind, operator("}", t.at(body)))
	return n.last
}

// ownLoop records the loops of the for at token k, which is written as in this language, or
// translates it if it cannot stay inside the for around it.
func (t *translator) ownLoop(e edits, k int, outer *loopBody) int {
	header, last := t.written(k)
	switch {
	case len(loopsOf(header)) == 0:
	case outer != nil && !t.staysInside(last, outer, header, false):
		if t.renamedLoop(e, k, last, outer, header) {
			return k
		}
		return t.inner(e, k, last, outer, header, nil)
	default:
		t.body(last, outer, header)
		if open := last + 1; t.begins(k) && t.at(open).is("{") && !t.braces[t.at(open).pos] && t.match[open] > open {
			t.blockEnds(k, []int{t.match[open]}, open)
		}
	}
	return k
}

// repeated translates the loop at token k around several nests.
func (t *translator) repeated(e edits, k int, l foreignLoop) int {
	header := slices.Concat([]token{operator("repeat", t.at(k)), l.name, operator("=", l.name)}, l.lo, []token{operator("..", l.name)}, l.hi)
	if l.until != nil {
		header = slices.Concat(header, []token{operator("until", l.name)}, l.until)
	}
	if !t.found("repeat", join(t.at(k).span(), t.at(l.last).span()), aroundNests, func() string { return textOf(header) + " {" }) {
		return k
	}
	for n := range header {
		header[n].pos.Line = t.at(k).pos.Line
	}
	e.drop(k, l.last)
	e.replace(k, header...)
	return l.last
}

// guarded returns the last token of the statement that begins with token k; an if includes its
// else.
func (t *translator) guarded(k, depth int) int {
	if t.at(k).text != "if" || depth > maxDepth {
		return t.end(k)
	}
	last := k
	for {
		if t.chain++; t.chain > maxForeign {
			return last
		}
		if t.at(k).text == "if" {
			if _, last = t.tested(k); last == k {
				return t.end(k)
			}
			k = last
		}
		if t.at(k+1).is("{") && t.match[k+1] > k {
			last = t.match[k+1]
		} else {
			last = t.guarded(k+1, depth+1)
		}
		next := last + 1
		if t.at(next).is(";") {
			next++
		}
		if t.at(next).text != "else" || t.at(next).kind != tokIdent {
			return last
		}
		if k = next; t.at(k+1).text == "if" {
			k++
		}
	}
}

// alone reports whether the tokens from k to before the brace last are one for with its body.
func (t *translator) alone(k, last int) bool {
	for step := 0; t.at(k).is("for") && step <= maxDepth; step++ {
		l := t.header(k)
		if !l.ok {
			return false
		}
		if t.at(l.last + 1).is("{") {
			return t.match[l.last+1] == last-1
		}
		if k = l.last + 1; !t.at(k).is("for") {
			end := t.guarded(k, 0)
			return end == last-1 || end == last-2 && t.at(end+1).is(";")
		}
	}
	return false
}

// rangeCalls rewrites a for with a brace whose loops, with commas between them, are of the form
// i in range(a, b); nil for another for. If there is one loop only, the pass over loops reports it.
func (t *translator) rangeCalls(l []token) []token {
	brace := slices.IndexFunc(l, func(x token) bool { return x.is("{") })
	if brace < 0 {
		return nil
	}
	var loops [][]token
	for _, part := range commas(l[1:brace]) {
		if len(part) < 3 || part[0].kind != tokIdent || !part[1].is("in") {
			return nil
		}
		ends := rangeCall(t.lengths(part[2:]))
		if ends == nil {
			return nil
		}
		loops = append(loops, rangeHeader(l[0], part[0], ends[0], ends[1], ends[2:])[1:])
	}
	header := append(rangeHeader(l[0], l[0], nil, nil, nil)[:1], between(loops, ",", l[0])...)
	if len(loops) > 1 && !t.found("for", join(l[0].span(), l[brace].span()), "the loops of a nest are ranges, both ends included", func() string { return textOf(header) + " {" }, diag.Replacement) {
		return nil
	}
	return append(header, l[brace:]...)
}
