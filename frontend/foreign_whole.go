package frontend

import (
	"slices"

	"loopc/ir"
	"loopc/ir/diag"
)

// An assignment to an entire array, old[:] = u, becomes an assignment to one cell. A number
// computed from entire arrays outside a body, change = max(abs(u - old)), becomes a reduction.

// cellwise returns the tokens with entire arrays and slices replaced by the cells of the loops
// around.
func (t *translator) cellwise(l []token) []token {
	var out []token
	for k := 0; k < len(l); k++ {
		x := l[k]
		if x.kind != tokIdent || t.dims[x.text] == 0 {
			out = append(out, x)
			continue
		}
		subs := make([]string, t.dims[x.text])
		for d := range subs {
			subs[d] = hole
		}
		if k+1 < len(l) && l[k+1].opens() {
			last := k + 1 + partner(l[k+1:])
			parts := commas(l[k+2 : last])
			if !slices.ContainsFunc(parts, isSlice) || len(parts) > len(subs) {
				out = append(out, l[k:last+1]...)
				k = last
				continue
			}
			for d, p := range parts {
				if !isSlice(p) {
					subs[d] = textOf(p)
				}
			}
			k = last
		}
		out = append(out, x, operator("[", x))
		for d, s := range t.subscriptNames(subs) {
			if d > 0 {
				out = append(out, operator(",", x))
			}
			tokens, _ := scan([]byte(s))
			for _, y := range tokens[:len(tokens)-1] {
				y.pos = x.pos
				out = append(out, y)
			}
		}
		out = append(out, operator("]", x))
	}
	return out
}

// wholeStatement translates the assignment from token head on, whose target ends with token last, if
// the target lacks subscripts or the value has an entire array. It reports whether it did.
func (t *translator) wholeStatement(e edits, head, last int) bool {
	end := t.end(head)
	name, value := t.at(head).text, t.tokens[last+2:end+1]
	bare := slices.IndexFunc(value, func(x token) bool { return x.kind == tokIdent && t.dims[x.text] > 0 })
	if len(t.loops) == 0 || t.dims[name] == 0 || len(commas(t.tokens[head+2:last])) == t.dims[name] && (bare < 0 || bare+1 < len(value) && value[bare+1].opens()) {
		return false
	}
	whole := t.cellwise(t.tokens[head : end+1])
	if !t.found("whole", join(t.at(head).span(), t.at(end).span()), "a body works on one cell at a time: a loop of the header goes over these cells", func() string { return textOf(whole) }) {
		return false
	}
	t.supersede(e, head, end, whole)
	return true
}

// assignedNumber translates an assignment to a name of a number computed from entire arrays. f is
// the function at token k. Outside of nests, the cells in the hint are those of the next nest.
func (t *translator) assignedNumber(e edits, k, head int, f *aggregateFunction) bool {
	open := k + 1
	if t.togetherVar(e, k, head, f) {
		return true
	}
	name := head
	if t.at(head).is("let") && len(t.loops) == 0 {
		name++
	}
	terms, reduce := t.tokens[open+1:max(open+1, t.match[open])], f.reduce
	if sum, op, collected := t.summands(t.at(k).text, f, terms); reduce == "" && collected == "%s" && op == "sum" {
		terms, reduce = sum, op
	}
	if name+2 != k || !t.at(name+1).is("=") || t.arrays[t.at(name).text] || reduce == "" || t.match[open] != t.end(head) {
		return false
	}
	around := t.loops
	if len(around) == 0 {
		t.loops = t.loopsBehind(k)
	}
	cells := t.cellwise(terms)
	t.loops = around
	end := t.match[open]
	if !t.found("assigned number", join(t.at(head).span(), t.at(end).span()), "what the cells of all iterations have together is a reduction, before the for", func() string {
		return "reduce " + t.at(name).text + " = " + reduce + "(" + textOf(cells) + ")"
	}, diag.Replacement) {
		return false
	}
	t.spoil(t.at(name).text)
	t.supersede(e, head, end, nil)
	return true
}

// loopsBehind returns the loops of the first for behind token k.
func (t *translator) loopsBehind(k int) []string {
	for n := range t.tokens[k:] {
		if t.at(k + n).is("for") {
			return loopsOf(t.tokens[k+n+1 : t.lineEnd(k+n)+1])
		}
	}
	return nil
}

// aroundNests is the message for a loop around several nests that have a reduction or a schedule.
const aroundNests = "a loop around nests with reductions is a repeat: a reduction stands before its for"

// holdsNests reports whether the block at the brace open has nests that must stand in a repeat: a reduction or a schedule is before
// one, a name occurs in it that becomes a reduction, or a statement leaves the loop around.
func (t *translator) holdsNests(open int) bool {
	nests, depth := 0, 0
	needed := false
	for k := open + 1; k < t.match[open]; k++ {
		switch x := t.at(k); {
		case x.is("{"):
			depth++
		case x.is("}"):
			depth--
		case depth == 0 && x.is("for"):
			nests++
		case depth == 0 && (x.is("reduce") || x.is("schedule") || x.jumps()):
			needed = true
		case x.kind == tokIdent && t.sums[x.text]:
			needed = true
		}
	}
	return nests > 0 && needed
}

// withSubscripts gives the arrays without subscripts among some tokens these names, if they are as many as its
// dimensions.
func (t *translator) withSubscripts(l []token, names []string) (out []token) {
	for k, x := range l {
		if bare := x.kind == tokIdent && t.arrays[x.text] && (k+1 == len(l) || !l[k+1].opens()); !bare || t.dims[x.text] != len(names) {
			out = append(out, x)
			continue
		}
		var subs [][]token
		for _, n := range names {
			subs = append(subs, []token{word(tokIdent, n, x)})
		}
		out = append(out, cellTokens(x, subs)...)
	}
	return out
}

// slicesMessage is said of slices whose cells no loop around is known to go over.
const slicesMessage = "a body works on one cell at a time: a loop goes over these cells, see FOR in loopc help language"

// goesOver reports whether loops around may go over all slices among some subscripts: they are entire dimensions.
func (t *translator) goesOver(parts [][]token) bool {
	texts := sliceTexts(parts)
	for d, name := range t.subscriptNames(texts) {
		if isSlice(parts[d]) && (len(parts[d]) > 1 || !slices.Contains(t.loops, name)) {
			return false
		}
	}
	return true
}

// callsUnknown reports whether tokens call a function that this language lacks.
func (t *translator) callsUnknown(l []token) bool {
	for k, x := range l {
		if _, known := ir.FuncNamed(x.text); x.kind == tokIdent && !t.arrays[x.text] && !known && !x.named("select") && k+1 < len(l) && l[k+1].is("(") {
			return true
		}
	}
	return false
}

// fillings counts the lines that assign to cells of an array before the first loop.
func (t *translator) fillings(name string) (n int) {
	for k, x := range t.tokens {
		if x.is("for") {
			break
		}
		if x.text == name && t.at(k+1).opens() && (k == 0 || !t.sameLine(k-1, k)) {
			n++
		}
	}
	return n
}
