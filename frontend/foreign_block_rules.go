package frontend

import (
	"slices"
	"strings"
)

// A blockLine is a line of the source, with facts about its block.
type blockLine struct {
	tokens []token
	next   token // the first token of the next line
	python bool  // the line ends with a colon
	braces bool  // the line, or the next one, has a brace
}

// A blockRule rewrites lines that begin with certain words, or any line. It returns false if it
// does not apply.
type blockRule struct {
	words   []string
	braces  bool // also where the source has braces
	rewrite func(*blockReader, blockLine) bool
}

// blockRules are the rules in order: the first that knows a line rewrites it.
var blockRules = []blockRule{
	{nil, true, (*blockReader).ended},
	{strings.Fields("do"), false, (*blockReader).doLine},
	{strings.Fields("do"), true, (*blockReader).bracedDo},
	{nil, false, (*blockReader).typedFunction},
	{strings.Fields("parameter real integer double logical complex dimension character"), true, func(r *blockReader, l blockLine) bool { return r.fortran(l.tokens) }},
	{strings.Fields("do forall"), false, func(r *blockReader, l blockLine) bool { return r.concurrent(l.tokens) }},
	{strings.Fields("where elsewhere select"), false, func(r *blockReader, l blockLine) bool { return !l.python && r.ends && r.choice(l.tokens) }},
	{strings.Fields("class try except finally with"), false, (*blockReader).clause},
	{strings.Fields("def subroutine function program module interface"), false, (*blockReader).definition},
	{strings.Fields("do"), false, func(r *blockReader, l blockLine) bool { return r.counted(l.tokens, 1) }},
	{strings.Fields("do while"), true, func(r *blockReader, l blockLine) bool { return r.while(l.tokens, l.braces, l.python) }},
	{strings.Fields("for"), false, (*blockReader).overValues},
	{strings.Fields("for"), false, (*blockReader).loopOver},
	{strings.Fields("for repeat"), false, func(r *blockReader, l blockLine) bool { return r.bareFor(l.tokens, l.next, l.python) }},
	{strings.Fields("for"), false, (*blockReader).loopOverSeveral},
	{strings.Fields("for"), false, (*blockReader).loopOverOther},
	{strings.Fields("if elseif elif else"), false, func(r *blockReader, l blockLine) bool { return r.branch(l.tokens, l.python) }},
	{strings.Fields("if elif else"), false, func(r *blockReader, l blockLine) bool { return r.oneLine(l.tokens) }},
}

// ended reads a line that ends a block.
func (r *blockReader) ended(l blockLine) bool {
	switch {
	case endWord(l.tokens) == 0:
		return false
	case len(r.open) > 0 && !r.open[len(r.open)-1].python:
		if b := &r.open[len(r.open)-1]; b.more > 0 {
			b.more--
		} else {
			r.close()
			r.out[len(r.out)-1].from = join(l.tokens[0].span(), l.tokens[endWord(l.tokens)-1].span())
		}
		if n := endWord(l.tokens); n+1 < len(l.tokens) && (l.tokens[n].is(";") || l.tokens[n].is(",")) { // end do; end do
			if rest := l.tokens[n+1:]; !r.ended(blockLine{tokens: rest}) {
				r.out = append(r.out, rest...)
			}
		}
	case len(r.open) == 0 && r.deep > 0:
		r.closer(l.tokens)
	case len(r.open) == 0 && len(l.tokens) == endWord(l.tokens):
		r.needless(join(l.tokens[0].span(), l.tokens[len(l.tokens)-1].span()))
	default:
		return false
	}
	return true
}

// doLine rewrites several do of Fortran on one line, with a ; between them. Each counts as indented more than the
// one before, so that one } ends all of them.
func (r *blockReader) doLine(l blockLine) bool {
	parts := cut(l.tokens, ";")
	if len(parts) < 2 || slices.ContainsFunc(parts, func(p []token) bool { return len(p) == 0 || !p[0].named("do") }) {
		return false
	}
	out, open := slices.Clone(r.out), slices.Clone(r.open)
	for k, p := range parts {
		if !r.counted(p, 1) {
			r.out, r.open = out, open
			return false
		}
		r.open[len(r.open)-1].column += k
	}
	return true
}

// bracedDo rewrites a do of Fortran with the brace of this language.
func (r *blockReader) bracedDo(l blockLine) bool {
	last := len(l.tokens) - 1
	if !l.tokens[last].is("{") || !r.counted(l.tokens[:last], 1) {
		return false
	}
	r.open = r.open[:len(r.open)-1] // the source has its brace
	return true
}

// typedFunction rewrites real function f(x).
func (r *blockReader) typedFunction(l blockLine) bool {
	if !r.ends || len(l.tokens) < 3 || typeName(l.tokens[0].text) == "" || !l.tokens[1].named("function") {
		return false
	}
	r.begin(l.tokens[1:], r.defined(l.tokens[1:]), false)
	return true
}

// clause rewrites the beginnings of Python blocks that are not loops.
func (r *blockReader) clause(l blockLine) bool {
	if l.python {
		r.begin(l.tokens, l.tokens[:1:1], true)
	}
	return l.python
}

// definition rewrites the line that begins a function, a program or a module.
func (r *blockReader) definition(l blockLine) bool {
	if !l.python && !r.ends {
		return false
	}
	r.begin(l.tokens, r.defined(l.tokens), l.python)
	return true
}

// loopOver rewrites a for over a range of another language, whose body ends with its
// indentation or with an end.
func (r *blockReader) loopOver(l blockLine) bool {
	first := l.tokens[0]
	switch {
	case !first.is("for"):
		return false
	case l.python:
		return r.ranged(l.tokens[:len(l.tokens)-1], true)
	case r.ends:
		return r.ranged(l.tokens, false)
	case l.next.indent <= first.indent || containsRange(l.tokens) || !r.ranged(l.tokens, false):
		return false
	}
	r.open[len(r.open)-1].python = true
	return true
}

// loopOverSeveral rewrites a for with several loops in the signs of another language, whose body ends with an end, its
// indentation, or a brace.
func (r *blockReader) loopOverSeveral(l blockLine) bool {
	out := loopList(l.tokens)
	if out == nil || !r.ends && !l.python && l.next.indent <= l.tokens[0].indent {
		return false
	}
	for len(out) > 0 && (out[len(out)-1].is(":") || out[len(out)-1].is("{")) {
		out = out[:len(out)-1]
	}
	if !r.t.found("for", join(l.tokens[0].span(), l.tokens[len(l.tokens)-1].span()), "the loops of a nest are ranges, both ends included, and stand in one header", func() string { return textOf(out) + " {" }) {
		return false
	}
	r.begin(l.tokens, out, l.python || !r.ends)
	for _, x := range l.tokens[1:] {
		if x.is("for") {
			r.open[len(r.open)-1].more++
		}
	}
	return true
}

// loopOverOther rewrites a Python for over something that is not a range.
func (r *blockReader) loopOverOther(l blockLine) bool {
	return l.python && l.tokens[0].is("for") && slices.ContainsFunc(l.tokens, func(x token) bool { return x.is("in") }) && r.unranged(l.tokens)
}
