package frontend

import (
	"slices"

	"loopc/ir"
)

// Reductions and constants of other languages that are rewritten as shapes: see shape.

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
