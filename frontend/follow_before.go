package frontend

import (
	"regexp"
	"slices"
	"strings"

	"loopc/ir/diag"
)

// Advice that has statements for several places: all of them are text that can be typed, so what does not hold is not given.

// statementForms are the forms of such advice, in the order in which they are tried.
var statementForms = []remedyForm{
	{regexp.MustCompile(`^before this statement, (.*?); ([^;]*) stands here(?:;.*)?$`), (*follower).beforeHere},
	{regexp.MustCompile(`^(array .*?), (init .*?), then (.*?) in the body, and (\S+) here$`), (*follower).collectedHere},
	{regexp.MustCompile(`^(array .*?), (init .*?), a nest before this one, (for .*\}), and (\S+) here$`), (*follower).nestBefore},
	{regexp.MustCompile(`^(let \w+ = .*) in this place, and before the for (reduce .*)$`), (*follower).reducedHere},
	{regexp.MustCompile(`^(repeat .* \{), and leave this line out$`), (*follower).untilHere},
	{regexp.MustCompile(`^(var .*), before this inner for$`), (*follower).varBefore},
}

// typable reports whether a remedy is text for several places.
func typable(way string) bool {
	for _, x := range statementForms {
		if x.how.MatchString(way) {
			return true
		}
	}
	return false
}

// above adds text in a line of its own above the line of a token.
func (f *follower) above(t token, text string) {
	f.edits = append(f.edits, followEdit{diag.Span{Pos: diag.Pos{Line: t.pos.Line, Col: 1}}, text + "\n"})
}

// statementHere is the first token of the line of the diagnostic, if a statement of a body begins there.
func (f *follower) statementHere() (t token, ok bool) {
	for _, t := range f.tokens {
		if t.pos.Line == f.d.At.Line {
			return t, !t.is("for") && !t.is("if") && !t.is("}") && !t.is("repeat")
		}
	}
	return t, false
}

// beforeHere adds statements before that of the diagnostic, in which it writes what they compute.
func (f *follower) beforeHere(m []string) bool {
	t, ok := f.statementHere()
	if !ok || strings.Contains(m[2], ", ") {
		return false
	}
	f.above(t, strings.ReplaceAll(m[1], " and for ", "\nfor "))
	f.edits = append(f.edits, followEdit{f.callAt(f.d.At), m[2]})
	return true
}

// collectedHere adds an array, a statement that fills it, and a cell of it in place of what was found.
func (f *follower) collectedHere(m []string) bool {
	t, ok := f.statementHere()
	if !ok || !f.insert(m[1]+"\n"+m[2]) {
		return false
	}
	f.above(t, m[3])
	f.edits = append(f.edits, followEdit{f.d.At, m[4]})
	return true
}

// nestBefore adds an array and a nest that fills it, and a cell of it in place of what was found.
func (f *follower) nestBefore(m []string) bool {
	at := f.header()
	if at < 0 || strings.Contains(m[3], ", and ") || !f.insert(m[1]+"\n"+m[2]) {
		return false
	}
	f.above(f.tokens[at], m[3])
	f.edits = append(f.edits, followEdit{f.d.At, m[4]})
	return true
}

// reducedHere writes a let in place of a statement, and a reduction before the for.
func (f *follower) reducedHere(m []string) bool {
	at := f.header()
	first, last := -1, -1
	for k, t := range f.tokens {
		if t.pos.Line == f.d.At.Line && !t.is(";") {
			if first < 0 {
				first = k
			}
			last = k
		}
	}
	if at < 0 || first < 0 || f.tokens[first].pos != f.d.At.Pos || !f.put(first, last+1, m[1]) {
		return false
	}
	f.above(f.tokens[at], m[2])
	return true
}

// untilHere writes another header in place of that of the repeat around, and drops the line of the diagnostic.
func (f *follower) untilHere(m []string) bool {
	at := -1
	for k, t := range f.tokens {
		if t.is("repeat") && comparePlaces(t.pos, f.d.At.Pos) < 0 {
			at = k
		}
	}
	if at < 0 {
		return false
	}
	last := at
	for last+1 < len(f.tokens) && f.tokens[last+1].pos.Line == f.tokens[at].pos.Line {
		last++
	}
	open := slices.IndexFunc(f.tokens, func(t token) bool { return t.is("{") && t.pos.Line == f.d.At.Line })
	if open < 0 {
		f.edits = append(f.edits, followEdit{f.d.At, ""})
	} else { // with the block of the if
		end := f.tokens[min(closingBrace(f.tokens, open), len(f.tokens)-1)].pos.Line
		for line := f.d.At.Line; line <= end; line++ {
			f.edits = append(f.edits, followEdit{diag.Span{Pos: diag.Pos{Line: line, Col: 1}, Len: len([]rune(f.lines[line-1]))}, ""})
		}
	}
	return f.tokens[last].is("{") && f.put(at, last+1, m[1])
}

// varBefore adds a var before the innermost for around the diagnostic.
func (f *follower) varBefore(m []string) bool {
	at := f.header()
	if at < 0 || at > 0 && f.tokens[at-1].pos.Line == f.tokens[at].pos.Line {
		return false
	}
	f.above(f.tokens[at], m[1])
	return true
}

// callAt is a place, or, if that is the name of a function, the call.
func (f *follower) callAt(at diag.Span) diag.Span {
	for k := range f.tokens {
		if f.tokens[k].pos != at.Pos || k+1 == len(f.tokens) || !f.tokens[k+1].is("(") || f.tokens[k].span() != at {
			continue
		}
		last := k + 1 + partner(f.tokens[k+1:])
		if last < len(f.tokens) && f.tokens[last].pos.Line == at.Line {
			return join(at, f.tokens[last].span())
		}
	}
	return at
}

// unlisted takes a name, and its value, out of a declaration of several numbers.
func (f *follower) unlisted(name string) bool {
	for k, t := range f.tokens {
		if !t.is("param") && !t.is("const") {
			continue
		}
		last := k
		for last < len(f.tokens) && f.tokens[last].pos.Line == t.pos.Line && !f.tokens[last].is(";") {
			last++
		}
		sides := cut(f.tokens[k+1:last], "=")
		names := commas(sides[0])
		at := slices.IndexFunc(names, func(l []token) bool { return len(l) > 0 && l[0].text == name })
		if at < 0 || len(names) < 2 || len(sides) > 2 {
			continue
		}
		texts := []string{}
		for _, side := range sides {
			parts := commas(side)
			if len(parts) != len(names) {
				return false
			}
			var l []string
			for _, p := range slices.Delete(parts, at, at+1) {
				l = append(l, textOf(p))
			}
			texts = append(texts, strings.Join(l, ", "))
		}
		return f.put(k, last, t.text+" "+strings.Join(texts, " = "))
	}
	return false
}
