package frontend

import "slices"

// A while that counts: t = 0, then while t < T, with t += 1 in its body. It is the loop of a for or, around fors, of a repeat.

const countedMessage = "there is no while: what counts is the loop of a for or, around one, of a repeat, without a first value and an increment of its own"

// countedWhiles replaces such whiles, and drops the first value and the increment.
func (t *translator) countedWhiles() {
	if !slices.ContainsFunc(t.tokens, func(x token) bool { return x.named("while") }) {
		return
	}
	lines := t.lines()
	for n, l := range lines {
		if len(l) < 4 || !l[0].named("while") {
			continue
		}
		stop := slices.IndexFunc(l, func(x token) bool { return x.is("{") || x.is(":") || x.named("do") })
		if stop < 0 {
			stop = len(l)
		}
		test := withoutRound(l[1:stop])
		if len(test) < 3 || test[0].kind != tokIdent || !slices.Contains([]string{"<", "<=", ">", ">="}, test[1].text) {
			continue
		}
		down := test[1].text[0] == '>'
		first := slices.IndexFunc(lines[:n], func(x []token) bool { return countsFrom(x, test[0].text) != nil })
		step := slices.IndexFunc(lines[n+1:], func(x []token) bool { return counts(x, test[0].text, down) })
		if first < 0 || step < 0 {
			continue
		}
		hi := lastCount(test)
		keyword := "for"
		if slices.ContainsFunc(lines[n+1:n+1+step], func(x []token) bool { return x[0].named("for", "do") }) {
			keyword = "repeat"
		}
		header := slices.Concat([]token{operator(keyword, l[0]), test[0], operator("=", l[0])}, countsFrom(lines[first], test[0].text), []token{operator("..", l[0])}, hi)
		for k := range header {
			header[k].pos = l[0].pos
		}
		if !t.found("while counted", join(l[0].span(), l[len(l)-1].span()), countedMessage, func() string { return textOf(header) + " {" }) {
			return
		}
		lines[first], lines[n+1+step] = nil, nil
		lines[n] = slices.Concat(header, l[stop:])
		break // the next one may be inside: this one is enough
	}
	t.tokens = slices.Concat(lines...)
}

// lastCount is the last number for which the condition of a while holds, with the step of its loop.
func lastCount(test []token) []token {
	last, near := test[2:], test[0]
	switch {
	case test[1].is("<"):
		return plus(last, -1)
	case test[1].is("<="):
		return last
	case test[1].is(">"):
		last = plus(last, 1)
	}
	return slices.Concat(last, []token{word(tokIdent, "step", near), operator("-", near), word(tokInt, "1", near)})
}

// countsFrom is the value of a line that gives a name its first value; nil for other lines.
func countsFrom(l []token, name string) []token {
	for len(l) > 0 && (l[len(l)-1].is(";") || typeElsewhere(l[0].text) != "") {
		if l[len(l)-1].is(";") {
			l = l[:len(l)-1]
		} else {
			l = l[1:]
		}
	}
	if len(l) > 0 && (l[0].named("let", "var")) {
		l = l[1:]
	}
	if len(l) > 3 && l[1].isType() { // var i int32 = 1
		l = slices.Concat(l[:1], l[2:])
	}
	if len(l) > 2 && l[0].text == name && l[1].is("=") {
		return l[2:]
	}
	return nil
}

// counts reports whether a line adds 1 to a name, or takes 1 from it.
func counts(l []token, name string, down bool) bool {
	for len(l) > 0 && l[len(l)-1].is(";") {
		l = l[:len(l)-1]
	}
	if len(l) < 3 || l[0].text != name {
		return false
	}
	text := textAt(l[1:])
	if down {
		return slices.Contains([]string{"--", "-=1", "=" + name + "-1", "-=1.0"}, text)
	}
	return slices.Contains([]string{"++", "+=1", "=" + name + "+1", "+=1.0"}, text)
}
