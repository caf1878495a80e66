package frontend

import (
	"slices"
	"strconv"
	"strings"

	"loopc/ir/diag"
)

// Steps other than 1 and -1. The loop goes over all integers between its ends, and a guard, as of an if, lets
// every c-th of them do something: written cells must lie at constant distances, and their places are then the
// loop plus a constant. The start of the loop may have x%m, with m at most c: the loop begins where x%m is 0, and
// the guard knows the rest.

// loops lowers a for, with the ifs and the loops in its body. Reductions of the nest count what the guard lets
// through.
func (w *lowering) loops(st *statement) *statement {
	x := *st
	loops := branchesOf(st)
	w.around = append(w.around, loops...)
	x.body = w.choices(st.body)
	w.around = w.around[:len(w.around)-len(loops)]
	stepped := slices.ContainsFunc(st.tokens, func(t token) bool { return t.text == "step" })
	if loops == nil || !stepped {
		return &x
	}
	if !w.allChoosable(x.body) {
		w.undivided = append(w.undivided, linesOf(st))
		return &x
	}
	if _, m := parseTokens(forParser, st, st.tokens); m != nil {
		return &x
	}
	var guard []token
	header := slices.Clone(loops)
	for k, b := range loops {
		one, when := w.unit(st, b, loops[:k])
		if one == nil {
			continue
		}
		header[k] = &branch{name: b.name, tokens: one}
		if guard != nil {
			guard = append(guard, made(tokOp, "&&", b.tokens[0]))
		}
		guard = append(guard, when...)
	}
	if guard == nil {
		w.undivided = append(w.undivided, linesOf(st)) // for a step that is none; other steps are 1 or -1
		return &x
	}
	at := st.first()
	for k := len(w.before) - 1; k >= 0 && (w.before[k].keyword() == "reduce" || w.before[k].keyword() == "schedule"); k-- {
		if w.before[k].keyword() == "reduce" && !w.before[k].bad {
			w.reduceWhere(w.before[k], guard)
		}
	}
	x.tokens = headerOf(at, header)
	x.body = w.guarded(at, guard, x.body, nil, false)
	return &x
}

// unit returns a loop with step 1 or -1 in place of a loop with another step, within outer loops,
// and the condition under which an iteration runs; nil if the step is 1 or -1 already, or is
// invalid.
func (w *lowering) unit(st *statement, b *branch, outer []*branch) (loop, when []token) {
	at := slices.IndexFunc(b.tokens, func(t token) bool { return t.named("step") })
	dots := slices.IndexFunc(b.tokens, func(t token) bool { return t.is("..") })
	if at < 0 || dots < 3 || at < dots+2 || tiled(st, b.name) {
		return nil, nil
	}
	by, ok := w.whole(b.tokens[at+1:])
	if !ok || by >= -1 && by <= 1 {
		return nil, nil
	}
	name, from, to := b.tokens[0], b.tokens[2:dots], slices.Clone(b.tokens[dots+1:at])
	if lo, ok := w.whole(from); ok {
		if hi, ok := w.whole(to); ok && (hi == lo || hi > lo == (by > 0)) { // the last that does something
			to = madeText(strconv.Itoa(lo+(hi-lo)/by*by), to[0])
		}
	}
	size := by
	if by < 0 {
		size = -by
	}
	begin := from
	if base, ok := w.withoutRest(from, size, slices.Concat(w.around, outer)); ok && by > 0 {
		begin = base
	}
	open, shut := made(tokOp, "(", name), made(tokOp, ")", name)
	start := slices.Concat([]token{open}, from, []token{shut})
	minus := made(tokOp, "-", name)
	when = slices.Concat([]token{open, name, minus}, start, []token{shut})
	loop = slices.Concat(b.tokens[:2], begin, b.tokens[dots:dots+1], to)
	if by < 0 {
		when = slices.Concat([]token{open}, start, []token{minus, name, shut})
		loop = slices.Concat(loop, madeText("step -1", name))
	} else if len(from) == 1 && from[0].text == "0" {
		when = []token{name}
	}
	is := []token{made(tokOp, "%", name), made(tokInt, strconv.Itoa(size), name), made(tokOp, "==", name), made(tokInt, "0", name)}
	return loop, slices.Concat(when, is)
}

// tiled reports whether a loop of a for begins at the given loop, and ends at a distance from it: these are tiles,
// made by hand.
func tiled(st *statement, name string) bool {
	for _, b := range branchesOf(st) {
		if isName(b.tokens[2], name) && b.tokens[3].is("..") && slices.ContainsFunc(b.tokens[4:], func(t token) bool { return isName(t, name) }) {
			return true
		}
	}
	return slices.ContainsFunc(st.body, func(x *statement) bool { return x.keyword() == "for" && tiled(x, name) })
}

// whole returns the value of tokens that are an integer, a const of one, either with a minus, or a sum of them.
func (w *lowering) whole(tokens []token) (int, bool) {
	for k := len(tokens) - 2; k > 0; k-- {
		if sign := tokens[k]; sign.is("+") || sign.is("-") {
			a, ok := w.whole(tokens[:k])
			b, also := w.whole(tokens[k+1:])
			if sign.is("-") {
				b = -b
			}
			return a + b, ok && also && max(a+b, -a-b) <= maxCoefficient
		}
	}
	if len(tokens) == 2 && tokens[0].is("-") {
		v, ok := w.whole(tokens[1:])
		return -v, ok
	}
	if len(tokens) != 1 {
		return 0, false
	}
	if tokens[0].kind == tokIdent {
		return w.constInteger(tokens[0].text)
	}
	v, err := strconv.Atoi(tokens[0].text)
	return v, err == nil && v <= maxCoefficient
}

// constInteger returns the value of a const that is written as an integer.
func (w *lowering) constInteger(name string) (int, bool) {
	for _, st := range w.declarations {
		if st.keyword() != "const" || st.bad {
			continue
		}
		sign := slices.IndexFunc(st.tokens, func(t token) bool { return t.is("=") })
		k := slices.IndexFunc(st.tokens, func(t token) bool { return isName(t, name) })
		if k < 0 || sign < k {
			continue
		}
		values := slices.DeleteFunc(slices.Clone(st.tokens[sign+1:]), func(t token) bool { return t.is(",") })
		if n := (k - 1) / 2; len(values) == (sign)/2 && n < len(values) && values[n].kind == tokInt {
			return w.whole(values[n : n+1])
		}
		return 0, false
	}
	return 0, false
}

// withoutRest returns the start of a loop without its term x%m, if there is one that is from 0 to size-1: m is
// at most size, and x a sum of integers and of loops that are not negative.
func (w *lowering) withoutRest(from []token, size int, outer []*branch) ([]token, bool) {
	k := slices.IndexFunc(from, func(t token) bool { return t.is("%") })
	if k < 1 || k+1 >= len(from) {
		return nil, false
	}
	if m, ok := w.whole(from[k+1 : k+2]); !ok || m < 1 || m > size {
		return nil, false
	}
	first := k - 1
	if from[first].is(")") {
		for first > 0 && !from[first].is("(") {
			first--
		}
	}
	for _, t := range from[first:k] {
		if !t.is("+") && !t.is("(") && !t.is(")") && t.kind != tokInt && !w.natural(t, outer) {
			return nil, false
		}
	}
	alone := func(t token) bool { return t.is("+") || t.is("-") }
	if first > 0 && !from[first-1].is("+") || k+2 < len(from) && !alone(from[k+2]) {
		return nil, false
	}
	return slices.Concat(from[:first], []token{made(tokInt, "0", from[k])}, from[k+2:]), true
}

// natural reports whether t is a loop of those given, or the number of a repeat, that is never negative.
func (w *lowering) natural(t token, outer []*branch) bool {
	for _, b := range outer {
		if b.name != t.text || t.kind != tokIdent {
			continue
		}
		dots := slices.IndexFunc(b.tokens, func(t token) bool { return t.is("..") })
		low := b.tokens[2:max(2, dots)]
		if at := slices.IndexFunc(b.tokens, func(t token) bool { return t.named("step") }); at > 0 {
			if b.tokens[min(at+1, len(b.tokens)-1)].is("-") {
				low = b.tokens[dots+1 : at]
			}
		}
		least, ok := w.whole(low)
		return ok && least >= 0
	}
	return false
}

// reduceWhere makes a reduction count only what a guard lets through.
func (w *lowering) reduceWhere(st *statement, guard []token) {
	k := slices.IndexFunc(st.tokens, func(t token) bool { return t.is("=") })
	if k < 0 || k+3 >= len(st.tokens) || !st.tokens[k+2].is("(") {
		return
	}
	kind := st.tokens[k+1]
	if kind.text != "sum" {
		if kind.text == "max" || kind.text == "min" {
			w.diags = append(w.diags, diag.Diagnostic{Code: diag.Reduction, At: kind.span(), Kind: diag.Advice,
				Message: "a " + kind.text + " of a nest with a loop of such a step would have to leave iterations out",
				Hint:    "with step 1, and a select that gives what does not count in the " + strings.TrimSpace(kind.text)})
			st.bad = true
		}
		return
	}
	last := len(st.tokens) - 1
	if !st.tokens[last].is(")") {
		return
	}
	at := st.first()
	chosen := selection(at, guard, st.tokens[k+3:last], []token{made(tokInt, "0", at)})
	st.tokens = slices.Concat(st.tokens[:k+3], chosen, st.tokens[last:])
}
