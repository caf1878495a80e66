package frontend

import (
	"slices"
)

// A foreignLoop is a for with one loop, as other languages write it.
type foreignLoop struct {
	name   token
	lo, hi []token // of its range, both ends included
	down   bool    // it runs from lo down to hi
	by     []token // its step, if that is another
	native bool    // it is written as here
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
func (t *translator) header(k int) foreignLoop {
	if t.headers++; t.headers > maxForeign {
		return foreignLoop{}
	}
	first, last := k+1, t.end(k)
	if t.at(first).is("(") {
		if t.match[first] < 0 {
			return foreignLoop{}
		}
		return t.counting(first+1, t.match[first]-1, t.match[first])
	}
	if t.at(last + 1).is(";") {
		for step := 0; step < maxForeignTokens && !t.at(last+1).is("{") && t.sameLine(k, last+1) && t.at(last+1).kind != tokEOF; step++ {
			last++
		}
		return t.counting(first, last, last)
	}
	text := t.tokens[first : last+1]
	if slices.ContainsFunc(text, func(x token) bool { return x.is(",") }) || len(text) < 5 {
		return foreignLoop{}
	}
	l := foreignLoop{name: text[0], last: last, ok: true}
	find := func(sign string) int {
		return slices.IndexFunc(text, func(x token) bool { return x.is(sign) })
	}
	points, colon := find(".."), find(":")
	switch {
	case text[0].kind == tokIdent && text[1].is("=") && points > 2:
		l.native = t.at(k).foreign == 0
		l.lo, l.hi = text[2:points], text[points+1:]
		if by := slices.IndexFunc(l.hi, func(x token) bool { return x.kind == tokIdent && x.text == "step" }); by > 0 {
			l.hi, l.by = l.hi[:by], l.hi[by:]
		}
	case text[0].kind == tokIdent && text[1].is("in") && points > 2:
		l.lo, l.hi = text[2:points], text[points+1:]
	case text[0].kind == tokIdent && text[1].is("=") && points < 0 && colon > 2:
		l.lo, l.hi = text[2:colon], text[colon+1:]
	case text[0].kind == tokIdent && text[1].is(":") && text[2].is("=") && points > 3:
		l.lo, l.hi = text[3:points], text[points+1:]
	default:
		return t.chained(text, last)
	}
	l.ok = len(l.hi) > 0
	return l
}

// chained reads a <= i <= b.
func (t *translator) chained(text []token, last int) foreignLoop {
	var signs []int
	for k, x := range text {
		if x.is("<") || x.is("<=") {
			signs = append(signs, k)
		}
	}
	if len(signs) != 2 || signs[0] == 0 || signs[1] != signs[0]+2 || text[signs[0]+1].kind != tokIdent || signs[1] == len(text)-1 {
		return foreignLoop{}
	}
	l := foreignLoop{name: text[signs[0]+1], lo: text[:signs[0]], hi: text[signs[1]+1:], last: last, ok: true}
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
	var parts [][]token
	begin := first
	for k := first; k <= last+1; k++ {
		if k > last || t.at(k).is(";") {
			parts = append(parts, t.tokens[begin:k])
			begin = k + 1
		}
	}
	if len(parts) != 3 {
		return foreignLoop{}
	}
	start, test, step := parts[0], parts[1], parts[2]
	for len(start) > 1 && start[0].kind == tokIdent && start[1].kind == tokIdent {
		start = start[1:] // its type
	}
	if len(start) > 1 && start[1].is(":") {
		start = slices.Concat(start[:1], start[2:])
	}
	if len(start) < 3 || start[0].kind != tokIdent || !start[1].is("=") || len(test) < 3 || test[0].text != start[0].text {
		return foreignLoop{}
	}
	l := foreignLoop{name: start[0], lo: start[2:], hi: test[2:], last: end, ok: true}
	minus := slices.ContainsFunc(step, func(x token) bool { return x.is("-") })
	switch test[1].text {
	case "<", "!=":
		l.hi = plus(l.hi, -1)
	case "<=":
	case ">":
		l.hi = plus(l.hi, 1)
	case ">=":
	default:
		return foreignLoop{}
	}
	l.down = test[1].text[0] == '>'
	// The step is one of i++, ++i, i += 1, i = i + 1 and their like with minus.
	number := slices.IndexFunc(step, func(x token) bool { return x.kind == tokInt })
	l.ok = l.down == minus && (number < 0 || step[number].text == "1")
	return l
}

// loop translates the for at token k, with all those of other languages directly
// inside of it, to one for with all loops.
func (t *translator) loop(e edits, k int) int {
	var loops []foreignLoop
	last := k - 1 // of the headers read so far
	open := -1    // the brace of the block around the next for
	var blocks []int
	for f := k; t.at(f).is("for") && len(loops) <= maxDepth; {
		l := t.header(f)
		if !l.ok || slices.ContainsFunc(loops, func(outer foreignLoop) bool { return outer.name.text == l.name.text }) {
			break
		}
		if open >= 0 {
			blocks = append(blocks, open)
		}
		loops = append(loops, l)
		last, open, f = l.last, -1, l.last+1
		if t.at(f).is("{") {
			if t.match[f] < 0 {
				break
			}
			open, f = f, f+1
			// Only a block with nothing but a for in it goes.
			if !t.alone(f, t.match[open]) {
				break
			}
		}
	}
	outer := t.around(k)
	if len(loops) == 1 && outer == nil && open >= 0 && !loops[0].down && len(loops[0].by) == 0 && t.holdsNests(open) {
		return t.repeated(e, k, loops[0])
	}
	if len(loops) == 0 || len(loops) == 1 && loops[0].native {
		header, last := t.written(k)
		switch {
		case len(loopsOf(header)) == 0:
		case outer != nil:
			return t.inner(e, k, last, outer, header, nil)
		default:
			t.body(last, nil, header)
		}
		return k
	}
	header := []token{t.at(k)}
	for n, l := range loops {
		begin := len(header)
		if n > 0 { // on the line before, so that the header goes on
			header = append(header, operator(",", header[begin-1]))
			begin++
		}
		header = append(header, l.name, operator("=", l.name))
		header = append(append(append(header, l.lo...), operator("..", l.name)), l.hi...)
		header = append(header, l.by...)
		if l.down {
			header = append(header, word(tokIdent, "step", l.name), operator("-", l.name), word(tokInt, "1", l.name))
		}
		for n := begin; n < len(header); n++ { // on one line, whatever was
			header[n].pos.Line = l.name.pos.Line
		}
	}
	message := "the loops of a nest are ranges, both ends included"
	if len(loops) > 1 {
		message += ", and stand in one header"
	}
	at := join(t.at(k).span(), t.at(loops[0].last).span())
	if outer != nil {
		return t.inner(e, k, last, outer, header[1:], blocks)
	}
	t.body(last, nil, header[1:])
	if !t.found("for", at, message, func() string { return textOf(header) + " {" }) {
		return k
	}
	e.drop(k, last)
	brace := operator("{", t.at(k))
	for _, b := range blocks {
		e.replace(b)
		e.replace(t.match[b])
	}
	switch {
	case open >= 0:
		e.replace(k, header...)
		e.replace(open, brace)
		return last
	default:
		// A single statement is the body.
		body := t.guarded(last+1, 0)
		e.replace(k, append(header, brace)...)
		e.at(body).behind = append(e.at(body).behind, operator("}", t.at(body)))
		return last
	}
}

// repeated translates the loop at token k around several nests.
func (t *translator) repeated(e edits, k int, l foreignLoop) int {
	header := slices.Concat([]token{operator("repeat", t.at(k)), l.name, operator("=", l.name)}, l.lo, []token{operator("..", l.name)}, l.hi)
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

// guarded is the last token of the statement that begins with token k, with the whole of
// an if and its else.
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

// alone reports whether what begins with token k and ends before the brace last is
// one for with its body.
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
