package frontend

import (
	"maps"
	"slices"
	"strconv"

	"loopc/ir/diag"
)

// Small loops. A for of few iterations beside other statements of a body, whose bounds are constant, is written out:
// its statements are repeated, with numbers in place of its variable. A loop that writes cells of its own, with its
// variable in a subscript, is written out only if no loop then remains in the for around it: this for may become one
// nest, instead of several or a repeat. Where this nest is refused, the loop stays a loop, see keeps. Such a loop that
// is alone in the for is written out only where each of its iterations reads what others write, see broadcasting.

const (
	maxUnrolled       = 32  // iterations of a small loop
	maxUnrolledBodies = 256 // statements that a small loop becomes, or all that write cells of their own in a for
)

// A stretch is a for, and its lines with those of the reductions before it.
type stretch struct {
	loop        diag.Pos
	first, last int
}

// keeps adds to the fors whose small loops stay loops those among joined that have an error; all if errors are elsewhere.
// It reports whether there are any.
func (how *manner) keeps(joined []stretch, diags []diag.Diagnostic) bool {
	inside := func(x stretch) bool {
		return slices.ContainsFunc(diags, func(d diag.Diagnostic) bool {
			return d.Severity == diag.Error && d.At.Line >= x.first && d.At.Line <= x.last
		})
	}
	some := slices.ContainsFunc(joined, inside)
	for _, x := range joined {
		how.apart[x.loop] = how.apart[x.loop] || !some || inside(x)
	}
	return len(joined) > 0
}

// joinsAgain writes out again the small loops of those fors among joined that have mistakes which loops that stay loops may make,
// if errors are told of them: see ofLoop. It reports whether there are any.
func (how *manner) joinsAgain(joined []stretch, diags []diag.Diagnostic) (any bool) {
	for _, x := range joined {
		if how.apart[x.loop] && slices.ContainsFunc(diags, func(d diag.Diagnostic) bool { return ofLoop(d) && d.At.Line >= x.first && d.At.Line <= x.last }) {
			any = true
			delete(how.apart, x.loop)
		}
	}
	return any
}

// ofLoop reports whether an error may be that of a small loop that stays a loop, and none where it is written out: subscripts that
// are sums with its variable, or cells of constant arrays at it, are numbers then.
func ofLoop(d diag.Diagnostic) bool {
	return d.Code == diag.NotAffine || d.Code == diag.WrittenSubscript
}

// truer reports whether errors of loops that are written out are those to tell, in place of those of loops that stay loops: some of
// the latter are gone, and it is not that the statements became too many.
func truer(written, stays []diag.Diagnostic) bool {
	tooMany := slices.ContainsFunc(written, func(d diag.Diagnostic) bool {
		return d.Code == diag.Unsupported || d.Code == diag.TooMany || d.Code == diag.TooDeep
	})
	return !tooMany && slices.ContainsFunc(stays, func(d diag.Diagnostic) bool {
		return ofLoop(d) && !slices.ContainsFunc(written, func(x diag.Diagnostic) bool { return x.Code == d.Code && x.At == d.At })
	})
}

// oncePerPlace returns the diagnostics of loops that are written out, of which all statements that a loop becomes have the same
// mistake: one for each place and code. That of the loops that stay loops, if there is one, has the names of the source.
func oncePerPlace(written, stays []diag.Diagnostic) (out []diag.Diagnostic) {
	for _, d := range written {
		alike := func(x diag.Diagnostic) bool { return x.At == d.At && x.Code == d.Code }
		if slices.ContainsFunc(out, alike) {
			continue
		}
		if k := slices.IndexFunc(stays, alike); k >= 0 {
			d = stays[k]
		}
		out = append(out, d)
	}
	return out
}

// withoutSmall returns a for at top level, or in a repeat, without the small loops in it.
func (w *lowering) withoutSmall(st *statement) *statement {
	w.joins, w.here = false, st.first().pos
	x := w.unrolled(st, slices.Clip(w.namesAround()))
	if w.joins {
		first := st
		for k := len(w.before) - 1; k >= 0 && (w.before[k].keyword() == "reduce" || w.before[k].keyword() == "schedule"); k-- {
			first = w.before[k]
		}
		last := st
		for len(last.body) > 0 {
			last = last.body[len(last.body)-1]
		}
		w.joined = append(w.joined, stretch{w.here, first.first().pos.Line, last.end().Line})
	}
	return x
}

// unrolled returns a for, an if or an else without the small loops of its body. names are the names that are declared
// around it.
func (w *lowering) unrolled(st *statement, names []string) *statement {
	x := *st
	x.body = nil
	if around := w.joinable(st); around != nil {
		counts := maps.Clone(w.counts)
		within := slices.Concat(names, loopNames(around), letsOf(around.body))
		if list, ok := w.allWrittenOut(around.body, within, true); ok && len(list) > 0 && len(list) <= maxUnrolledBodies {
			around.body, w.joins = list, true
			return around
		}
		w.counts = counts
	}
	names = append(append(names, loopNames(st)...), letsOf(st.body)...) // nothing keeps what a body before has added
	alone := len(st.body) == 1 && st.keyword() == "for"
	for _, inner := range st.body {
		if isFor := inner.keyword() == "for"; isFor && !alone {
			if list, ok := w.writtenOut(inner, names, false); ok && len(list) > 0 {
				x.body = append(x.body, list...)
				continue
			}
		} else if !isFor && inner.keyword() != "if" && inner.keyword() != "else" {
			x.body = append(x.body, inner)
			continue
		}
		x.body = append(x.body, w.unrolled(inner, names))
	}
	return &x
}

// namesAround returns the names of the repeats around a for, and of the reductions before it.
func (w *lowering) namesAround() (names []string) {
	for _, r := range w.repeats {
		names = append(names, r.name.Name)
	}
	for _, st := range w.before {
		if st.keyword() == "reduce" {
			for _, t := range st.tokens[1:max(1, slices.IndexFunc(st.tokens, func(t token) bool { return t.is("=") }))] {
				names = append(names, t.text)
			}
		}
	}
	return names
}

// letsOf returns the names of the lets and vars of a body, not of those in its blocks.
func letsOf(body []*statement) (names []string) {
	for _, st := range body {
		if key := st.keyword(); (key == "let" || key == "var") && len(st.tokens) > 1 {
			names = append(names, st.name().text)
		}
	}
	return names
}

// loopNames returns the names of the loops of a for.
func loopNames(st *statement) (names []string) {
	if st.keyword() == "for" {
		for _, b := range branchesOf(st) {
			names = append(names, b.name)
		}
	}
	return names
}

// writtenOut returns the statements that a small loop becomes. ok is false if st is no small loop, or if st or its body
// makes a mistake that copies of the body would hide or multiply: a name of names is declared again, or a let
// twice; or if it writes cells of its own, unless cells says that it may.
func (w *lowering) writtenOut(st *statement, names []string, cells bool) (out []*statement, ok bool) {
	loops := branchesOf(st)
	if !st.block || st.bad || loops == nil || len(st.body) == 0 || w.taken(loops[0].name, names) {
		return nil, false
	}
	values, ok := w.valuesOf(loops[0])
	if !ok || !wellFormed(st) || len(values) > maxUnrolled {
		return nil, false
	}
	body := st.body
	if len(loops) > 1 {
		inner := *st
		inner.tokens = headerOf(st.first(), loops[1:])
		body = []*statement{&inner}
	}
	lets := letsOf(body)
	own := slices.Clone(lets)
	for _, x := range body {
		own = append(own, loopNames(x)...)
	}
	hidden := func(name string) bool { return w.taken(name, names) || name == loops[0].name }
	if !cells && writesAt(body, loops[0].name) || slices.ContainsFunc(own, hidden) || len(slices.Compact(slices.Sorted(slices.Values(lets)))) < len(lets) {
		return nil, false
	}
	for _, v := range values {
		as := map[string]string{}
		for _, name := range own {
			as[name] = w.fresh(name)
		}
		list, ok := w.allWrittenOut(writtenFor(body, loops[0].name, v, as), names, cells)
		if out = append(out, list...); !ok || len(out) > maxUnrolledBodies {
			return nil, false
		}
	}
	return out, true
}

// wellFormed reports whether a statement and those of its body have no mistake of syntax.
func wellFormed(st *statement) bool {
	var m *mistake
	x := *st
	switch st.keyword() {
	case "for":
		_, m = parseTokens(forParser, &x, st.tokens)
	case "if":
		_, m = parseTokens(ifParser, &x, st.tokens)
	case "else":
		_, m = parseTokens(elseParser, &x, st.tokens)
	case "let":
		_, m = parseTokens(letParser, &x, st.tokens)
	case "var":
		_, m = parseTokens(varParser, &x, st.tokens)
	default:
		_, m = parseTokens(assignParser, &x, st.tokens)
	}
	return m == nil && !st.bad && !slices.ContainsFunc(st.body, func(x *statement) bool { return !wellFormed(x) })
}

// taken reports whether a name is in names, or is declared by the file outside of its nests.
func (w *lowering) taken(name string, names []string) bool {
	return slices.Contains(names, name) || slices.ContainsFunc(w.declarations, func(st *statement) bool {
		return len(st.tokens) > 1 && st.keyword() != "init" && st.keyword() != "out" && slices.ContainsFunc(st.tokens, func(t token) bool { return isName(t, name) })
	})
}

// allWrittenOut returns a body with its loops written out; false if one of them is not small. cells is as for writtenOut.
func (w *lowering) allWrittenOut(body []*statement, names []string, cells bool) (out []*statement, ok bool) {
	names = slices.Concat(names, letsOf(body))
	for _, st := range body {
		list := []*statement{st}
		switch st.keyword() {
		case "for":
			list, ok = w.writtenOut(st, names, cells)
		case "if", "else":
			x := *st
			x.body, ok = w.allWrittenOut(st.body, names, cells)
			list = []*statement{&x}
		default:
			ok = true
		}
		out = append(out, list...)
		if !ok {
			return nil, false
		}
	}
	return out, true
}

// valuesOf returns the values of a loop's variable, at most one more than a small loop has; false if they are not
// constant.
func (w *lowering) valuesOf(b *branch) (values []int, ok bool) {
	end, step := len(b.tokens), 1
	if at := slices.IndexFunc(b.tokens, func(t token) bool { return t.named("step") }); at > 0 {
		if step, ok = w.whole(b.tokens[at+1:]); !ok || step == 0 {
			return nil, false
		}
		end = at
	}
	dots := slices.IndexFunc(b.tokens, func(t token) bool { return t.is("..") })
	if dots < 3 || dots+1 >= end {
		return nil, false
	}
	first, ok := w.whole(b.tokens[2:dots])
	last, also := w.whole(b.tokens[dots+1 : end])
	if !ok || !also {
		return nil, false
	}
	for v := first; len(values) <= maxUnrolled && (step > 0 && v <= last || step < 0 && v >= last); v += step {
		values = append(values, v)
	}
	return values, true
}

// writesAt reports whether a body writes a cell with a name in its subscripts.
func writesAt(body []*statement, name string) bool {
	return slices.ContainsFunc(body, func(st *statement) bool {
		if len(st.tokens) > 1 && st.tokens[1].is("[") {
			sign := slices.IndexFunc(st.tokens, token.assigns)
			if sign < 0 || slices.ContainsFunc(st.tokens[:sign], func(t token) bool { return isName(t, name) }) {
				return true
			}
		}
		return writesAt(st.body, name)
	})
}

// writtenFor returns a copy of a body with the number v in place of a name. as maps names that the body declares to the
// names in the copy.
func writtenFor(body []*statement, name string, v int, as map[string]string) (out []*statement) {
	for _, st := range body {
		x := *st
		x.tokens = nil
		for _, t := range st.tokens {
			switch {
			case isName(t, name) && v < 0:
				x.tokens = append(x.tokens, made(tokOp, "(", t), made(tokOp, "-", t), made(tokInt, strconv.Itoa(-v), t), made(tokOp, ")", t))
			case isName(t, name):
				x.tokens = append(x.tokens, made(tokInt, strconv.Itoa(v), t))
			default:
				if s, ok := as[t.text]; ok && t.kind == tokIdent {
					t.text = s
				}
				x.tokens = append(x.tokens, t)
			}
		}
		x.body = writtenFor(st.body, name, v, as)
		out = append(out, &x)
	}
	return out
}

// isName reports whether a token is a name.
func isName(t token, name string) bool { return t.kind == tokIdent && t.text == name }
