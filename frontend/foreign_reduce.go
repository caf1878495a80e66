package frontend

import (
	"slices"
	"strings"

	"loopc/ir"
	"loopc/ir/diag"
)

// Reductions and constants of other languages that are rewritten as shapes: see shape.

// firstOfReduction drops reduce x = 0 if another reduce has what x combines: nil for others.
func (t *translator) firstOfReduction(l []token) ([]token, string) {
	if len(l) < 4 || !l[2].is("=") || !number(l[3:]) {
		return nil, ""
	}
	for k, x := range t.tokens[:len(t.tokens)-1] {
		if x.is("reduce") && x.pos != l[0].pos && t.at(k+1).text == l[1].text {
			if !t.found("first of reduction", join(l[0].span(), l[len(l)-1].span()), firstMessage, func() string { return leaveOut }, diag.Advice) {
				return nil, ""
			}
			return []token{operator(";", l[0])}, firstMessage
		}
	}
	return nil, ""
}

// untypedReduction returns the reduction for reduce x float64 = sum(e), and for reduce float64 x = sum(e); nil for others.
func untypedReduction(l []token) []token {
	if len(l) < 5 || !l[3].is("=") {
		return nil
	}
	for k, name := range []token{l[2], l[1]} {
		if _, typed := aType(l[k+1]); typed && name.kind == tokIdent {
			return slices.Concat(l[:1], []token{name}, l[3:])
		}
	}
	return nil
}

// placeInBrackets returns the reduction for reduce x, y = max(e) at i, with whatever brackets; nil for others.
func placeInBrackets(l []token) []token {
	at := slices.IndexFunc(l, func(x token) bool { return x.named("at") })
	if at < 5 || at+1 == len(l) || !l[at-1].is(")") || l[at+1].is("(") {
		return nil
	}
	return slices.Concat(l[:at+1], []token{operator("(", l[at])}, withoutRound(l[at+1:]), []token{operator(")", l[at])})
}

// ofAllIterations returns the reduction for reduce x = sum(e for i in ...), as a generator of Python; nil for others.
func ofAllIterations(l []token) []token {
	from := slices.IndexFunc(l, func(x token) bool { return x.is("for") })
	if from < 6 || !l[2].is("=") || !l[4].is("(") || 4+partner(l[4:]) != len(l)-1 {
		return nil
	}
	return append(slices.Clone(l[:from]), l[len(l)-1])
}

// untypedConst returns the constant for const w float64 = 0.3; nil for others.
func untypedConst(l []token) []token {
	if len(l) < 5 || l[1].kind != tokIdent || ir.TypeNamed(l[2].text) == ir.Invalid || !l[3].is("=") || l[4].is("[") {
		return nil
	}
	return slices.Concat(l[:2], l[3:])
}

// reducedSlices rewrites a reduction of slices, reduce s = sum(u[:,:]), as one of the cell of an iteration of the for behind it; nil for
// others. If that for may not go over these cells, the message has one that does.
func (t *translator) reducedSlices(l []token) ([]token, string) {
	if len(l) < 8 || !l[2].is("=") || !l[4].is("(") || partner(l[4:]) != len(l)-5 {
		return nil, ""
	}
	f := aggregates[strings.ToLower(l[3].text)]
	terms := l[5 : len(l)-1]
	sliced := false
	for k, x := range terms {
		sliced = sliced || t.isArray(x) && slices.ContainsFunc(subscriptsBehind(terms[k:]), isSlice)
	}
	at := slices.IndexFunc(t.tokens, func(x token) bool { return x.pos == l[0].pos })
	if f == nil || f.reduce == "" || l[3].named(averages...) || !sliced || at < 0 {
		return nil, ""
	}
	around := t.loops
	all := t.togetherOf(f.reduce, terms, ir.Invalid)
	t.loops = t.loopsBehind(at)
	cells := t.cellwise(terms)
	t.loops = around
	if slices.ContainsFunc(cells, func(x token) bool { return x.text == hole }) {
		return nil, ""
	}
	message := "a reduction names the cell of one iteration, and is of all iterations of the for behind it"
	if next := t.tokens[at:]; all != nil && !strings.HasPrefix(textOf(next[max(0, slices.IndexFunc(next, func(x token) bool { return x.is("for") })):]), all.header+" {") {
		message += "; of exactly these cells, it stands before " + all.header + " { }, behind the nests that compute them"
	}
	return slices.Concat(l[:3], []token{word(tokIdent, f.reduce, l[3]), l[4]}, cells, l[len(l)-1:]), message
}
