package frontend

import "slices"

// A repeat counts its repetitions, and its until stands in its line. Other languages leave the numbers out, and say while.

// whileUntil rewrites the while of a repeat as until with the negated condition; nil if it has
// no while. A repeat without numbers gets some.
func (t *translator) whileUntil(l []token) ([]token, string) {
	return t.untilInstead(l), "a repeat ends when what stands behind until holds"
}

func (t *translator) untilInstead(l []token) []token {
	if l[1].named("while") {
		brace := len(l)
		if l[brace-1].is("{") {
			brace--
		}
		cond := endingOf(withoutRound(withoutDo(l[2:brace])))
		if cond == nil {
			return nil
		}
		return slices.Concat(l[:1], t.numbered(l[0]), []token{operator("until", l[1])}, cond, []token{operator("{", l[len(l)-1])})
	}
	if !slices.ContainsFunc(l, func(x token) bool { return x.named("while") }) {
		return nil
	}
	out := slices.Clone(l)
	behind := false
	for k, x := range out {
		if x.named("while") {
			out[k], behind = operator("until", x), true
		} else if other := opposites[x.text]; behind && other != "" {
			out[k] = operator(other, x)
		}
	}
	return out
}

// numbered returns the numbers for a repeat that has none, which ends by its until.
func (t *translator) numbered(near token) []token {
	l := repetition(near, nil)
	for _, name := range []string{"k", "n", "sweep"} {
		if slices.ContainsFunc(t.tokens, func(x token) bool { return x.text == l[0].text }) {
			l[0].text = name
		}
	}
	return l
}

// endless reports whether a line is repeat {, in a file that says nowhere when a repeat ends.
func (t *translator) endless(l []token) bool {
	return len(l) == 2 && l[0].is("repeat") && l[1].is("{") && !slices.ContainsFunc(t.tokens, func(x token) bool { return x.is("until") })
}

// repetition returns the range of repeat T {, or of repeat until x < 1 {; nil for others.
func repetition(near token, header []token) []token {
	t := []token{word(tokIdent, nameOfRepeat, near), operator("=", near), word(tokInt, "1", near), operator("..", near)}
	switch {
	case len(header) == 0:
		return append(t, word(tokInt, "1000", near))
	case slices.ContainsFunc(header, func(x token) bool { return x.is("=") || x.is("in") || x.is(",") || x.is(":") }):
		return nil
	case header[len(header)-1].named("times"):
		header = header[:len(header)-1]
	}
	if len(header) == 0 {
		return nil
	}
	if slices.ContainsFunc(header, func(x token) bool { return x.is("..") }) {
		t = t[:2]
	}
	return append(t, header...)
}
