package frontend

import (
	"slices"
	"strings"

	"loopc/ir/diag"
)

// A for may stay inside the body of another if its loops have names of their own and a block. Any
// other loses its header and braces, and its statements become part of the outer body.

// A loopBody is the body of a for, between tokens first and last: its braces or, without braces,
// the tokens before and behind the statement.
type loopBody struct {
	first, last int
	names       []string // of all loops around it
	header      []token  // these loops, from the first name on
	inner       bool     // it is that of a for in another one
}

// around returns the innermost body that contains token k, nil if there is none.
func (t *translator) around(k int) *loopBody {
	for n := range slices.Backward(t.bodies) {
		if b := &t.bodies[n]; b.first < k && k < b.last {
			return b
		}
	}
	return nil
}

// body records the body of the loops in header, which begins behind token last, unless maxForeign bodies are recorded.
func (t *translator) body(last int, outer *loopBody, header []token) {
	first := last + 1
	end := t.guarded(first, 0) + 1
	if len(t.bodies) == maxForeign {
		return
	}
	b := loopBody{first: last, last: end, header: header, names: loopsOf(header)}
	if t.at(first).is("{") && t.match[first] > first {
		b.first, b.last = first, t.match[first]
	}
	if outer != nil {
		b.names, b.inner = slices.Concat(outer.names, b.names), true
		b.header = slices.Concat(outer.header, []token{operator(",", header[0])}, header)
	}
	t.bodies = append(t.bodies, b)
}

// loopsOf are the names of the loops in a header.
func loopsOf(header []token) (names []string) {
	for k, x := range header {
		if x.kind == tokIdent && k+1 < len(header) && header[k+1].is("=") {
			names = append(names, x.text)
		}
	}
	return names
}

// written returns the loops of the for at token k, which is written as in this language, and
// the last token of its header.
func (t *translator) written(k int) (header []token, last int) {
	last = t.end(k)
	return t.tokens[k+1 : last+1], last
}

// staysInside reports whether the loops of a header, which ends with token last, can stay in the body of
// other loops, outer: they have names of their own and a block, or get one.
func (t *translator) staysInside(last int, outer *loopBody, header []token, gets bool) bool {
	return len(loopsOf(header)) > 0 && (gets || t.at(last+1).is("{")) && !slices.ContainsFunc(loopsOf(header), func(name string) bool { return slices.Contains(outer.names, name) })
}

// inner translates the for at token k inside another one, outer. header has its loops, which end
// with token last; blocks are the braces between its loops. inner returns the last token that it has
// translated, or k if it left the text alone.
func (t *translator) inner(e edits, k, last int, outer *loopBody, header []token, blocks []int) int {
	var further []token // loops that the nest does not have yet
	for _, l := range commas(header) {
		if len(l) > 0 && slices.Contains(outer.names, l[0].text) {
			continue
		}
		if further != nil {
			further = append(further, operator(",", l[0]))
		}
		further = append(further, l...)
	}
	at := join(t.at(k).span(), t.at(last).span())
	found := false
	if names := loopsOf(header); further == nil && len(names) > 0 {
		loop, leave := "loop "+names[0]+" stands", "leave this line out"
		if len(names) > 1 {
			loop = "loops " + strings.Join(names, ", ") + " stand"
		}
		if t.at(last + 1).is("{") {
			leave += ", and the end of its block"
		}
		found = t.foundAs(diag.OneNest, "loop again", at, loop+" in the header of the nest already", func() string { return leave }, diag.Advice)
	} else {
		found = t.foundAs(diag.OneNest, "inner loop", at, "a for inside a for: all loops of a nest stand in one header, and what is outside the inner loop is a nest of its own", func() string {
			return textOf(slices.Concat([]token{operator("for", t.at(k))}, outer.header, []token{operator(",", t.at(k))}, further)) + " {"
		})
	}
	if !found {
		return k
	}
	t.spoil(loopsOf(further)...)
	t.body(last, outer, header)
	e.drop(k, last)
	for _, b := range blocks {
		e.replace(b)
		e.replace(t.match[b])
	}
	t.unwrap(e, last+1)
	return last
}

// foundAs is found with the given diagnostic code.
func (t *translator) foundAs(code diag.Code, habit string, at diag.Span, message string, hint func() string, kind ...diag.HintKind) bool {
	ok := t.found(habit, at, message, hint, kind...)
	if n, told := t.first[habit]; told {
		t.diags[n].Code = code
	}
	return ok
}

// spoil marks names that dropped text may have declared, so that uses of them are not reported as
// unknown.
func (t *translator) spoil(names ...string) {
	if t.spoiled == nil {
		t.spoiled = map[string]bool{}
	}
	for _, n := range names {
		t.spoiled[n] = true
	}
}

// spoilNames does what spoil does, for every name in tokens.
func (t *translator) spoilNames(tokens []token) {
	for _, x := range tokens {
		if x.kind == tokIdent && typeName(x.text) == "" {
			t.spoil(x.text)
		}
	}
}

// ranged translates a range as a statement of a body, k being the name before its =.
func (t *translator) ranged(e edits, k int) int {
	end := t.end(k)
	outer := t.around(k)
	if outer == nil || !t.at(k+1).is("=") || !slices.ContainsFunc(t.tokens[k:end+1], func(x token) bool { return x.is("..") }) || t.inSubscriptUpTo(k, end) {
		return k
	}
	header := t.tokens[k : end+1]
	return t.inner(e, k, end, outer, header, nil)
}

// inSubscriptUpTo reports whether every .. of tokens first to last stands in brackets.
func (t *translator) inSubscriptUpTo(first, last int) bool {
	around, _ := bracketsOf(t.tokens[first : last+1])
	for k, x := range t.tokens[first : last+1] {
		if x.is("..") && around[k] == outside {
			return false
		}
	}
	return true
}

// A loopStack tracks the loops around a token, for hints.
type loopStack struct {
	depth int
	fors  []openFor
}

// An openFor is the loops of a for, and the number of braces around it.
type openFor struct {
	names []string
	depth int
}

// see takes token k into account, and reports whether the loops may have changed.
func (s *loopStack) see(t *translator, k int) bool {
	switch x := t.at(k); {
	case x.is("{"):
		s.depth++
	case x.is("}"):
		s.depth--
		for len(s.fors) > 0 && s.fors[len(s.fors)-1].depth >= s.depth {
			s.fors = s.fors[:len(s.fors)-1]
		}
		return true
	case x.is("for") && len(s.fors) < maxDepth:
		f := openFor{depth: s.depth}
		for j := k + 1; j-k < maxForeignTokens && t.sameLine(k, j) && !t.at(j).is("{") && len(f.names) < maxDepth; j++ {
			if next := t.at(j + 1); t.at(j).kind == tokIdent && (next.is("=") || next.is(":") || next.is("in")) && !slices.Contains(f.names, t.at(j).text) {
				f.names = append(f.names, t.at(j).text)
			}
		}
		s.fors = append(s.fors, f)
		return true
	}
	return false
}

// names returns the loops around, outermost first.
func (s *loopStack) names() (names []string) {
	for _, f := range s.fors {
		for _, n := range f.names {
			if !slices.Contains(names, n) {
				names = append(names, n)
			}
		}
	}
	return names
}

// lambda translates a function within an expression, from token k to the end of its line.
func (t *translator) lambda(e edits, k int) bool {
	if t.at(k).text != "lambda" || len(t.loops) == 0 {
		return false
	}
	if last := t.lineEnd(k); t.found("lambda", t.at(k).span(), "functions are written in Go, and declared by extern", func() string {
		return forms["extern"]
	}) {
		t.supersede(e, k, last, []token{word(tokIdent, hole, t.at(k))})
	}
	return true
}

// inBlock reports whether token k stands within braces.
func (t *translator) inBlock(k int) bool {
	for j := range k {
		if t.at(j).is("{") && t.match[j] > k {
			return true
		}
	}
	return false
}
