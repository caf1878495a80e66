package frontend

import (
	"slices"
	"strings"
)

// A for that is refused may be right in another form with the same iterations, in the same order: a comparison of two loops around a
// whole body is a bound of the inner one, and what the first iteration of the innermost loop does under an if of its own stands before
// that loop. Of LU, for k, i, j { if i > k { if j == k { ... } if j > k { ... } } } becomes for k, i = k+1..N { ...; for j = k+1..N { ... } }.

// inBounds is the text of a for in such a form that the file compiles with; "" if there is none.
func (b *broadcast) inBounds(st *statement, before, after []string) string {
	if st.keyword() != "for" {
		return ""
	}
	raised := copies([]*statement{st})[0]
	var forms []string
	x := broadcast{}
	if changed := raised.conditionsInBounds(nil); changed {
		forms = append(forms, blockText([]*statement{raised}))
	}
	jordan := ""
	if x.of(raised) {
		jordan = x.jordan()
		forms = append(forms, x.peeled(), jordan)
	}
	for _, text := range forms {
		changed := strings.Join(slices.Concat(before, []string{text}, after), "\n")
		if text != "" && b.accepts(changed) {
			if text == jordan {
				return "in place of this for, with row " + x.loops[0].name + " divided before the others, and the columns up to " + x.loops[0].name + " as they are, " + text
			}
			return "in place of this for, " + text
		}
	}
	return ""
}

// conditionsInBounds makes each condition around the whole body of a for a bound of its loops, and reports whether there is one.
// outer are the loops around the for.
func (st *statement) conditionsInBounds(outer []*branch) (changed bool) {
	if st.keyword() != "for" || !st.block || st.bad {
		return false
	}
	own := branchesOf(st)
	loops := slices.Concat(outer, own)
	for len(own) > 0 && len(st.body) == 1 && st.body[0].keyword() == "if" && st.body[0].block {
		inner, lower, bound := compared(st.body[0].tokens[1:], loops)
		if inner < len(outer) || !loops[inner].bounded(lower, bound, loops) {
			break
		}
		st.tokens, st.body, changed = headerOf(st.first(), own), st.body[0].body, true
	}
	for _, x := range st.body {
		changed = x.conditionsInBounds(loops) || changed
	}
	return changed
}

// compared reads a comparison of two loops, such as i > k: the inner of the two, and its bound, k+1, which may be a lower one. inner
// is -1 for another condition.
func compared(cond []token, loops []*branch) (inner int, lower bool, bound string) {
	if len(cond) != 3 || !slices.Contains([]string{"<", "<=", ">", ">="}, cond[1].text) {
		return -1, false, ""
	}
	at := func(t token) int {
		return slices.IndexFunc(loops, func(l *branch) bool { return t.kind == tokIdent && l.name == t.text })
	}
	x, y := at(cond[0]), at(cond[2])
	if x < 0 || y < 0 || x == y {
		return -1, false, ""
	}
	lower = strings.HasPrefix(cond[1].text, ">") == (x > y)
	bound = loops[min(x, y)].name
	if !strings.HasSuffix(cond[1].text, "=") {
		bound += map[bool]string{true: "+1", false: "-1"}[lower]
	}
	return max(x, y), lower, bound
}

// rangeOf returns the ends of a loop; nil if it has a step.
func (l *branch) rangeOf() [][]token {
	ends := cut(l.tokens[2:], "..")
	if len(ends) != 2 || slices.ContainsFunc(l.tokens, func(t token) bool { return t.named("step") }) {
		return nil
	}
	return ends
}

// bounded gives a loop one more bound, another loop or one beside it; false if it has a step.
func (l *branch) bounded(lower bool, bound string, loops []*branch) bool {
	ends := l.rangeOf()
	if ends == nil {
		return false
	}
	lo, hi := lineOf(ends[0], maxTokens), lineOf(ends[1], maxTokens)
	name := strings.TrimRight(bound, "+-1")
	other := loops[slices.IndexFunc(loops, func(x *branch) bool { return x.name == name })].rangeOf()
	switch {
	case lower && other != nil && atLeast(other[0], ends[0]):
		lo = bound
	case lower:
		lo = "max(" + lo + ", " + bound + ")"
	case other != nil && atLeast(ends[1], other[1]):
		hi = bound
	default:
		hi = "min(" + hi + ", " + bound + ")"
	}
	l.tokens = madeText(l.name+" = "+lo+".."+hi, l.tokens[0])
	return true
}

// atLeast reports whether a bound is at least another one, as their texts show.
func atLeast(x, y []token) bool {
	first, ok := linear(x)
	second, also := linear(y)
	by := first.plus(second, -1)
	return ok && also && len(by.names) == 0 && by.number >= 0
}

// peeled is the text of the for if the innermost loop begins at another loop, j = k..N, and the first statement of the body is an if of
// its first iteration, j == k: that iteration stands before the innermost loop. It is "" for another for.
func (b *broadcast) peeled() string {
	n := len(b.loops) - 1
	last := b.loops[n]
	ends := last.rangeOf()
	if ends == nil || len(b.body) != 2 || b.body[0].keyword() != "if" || len(b.body[0].tokens) != 4 {
		return ""
	}
	cond := b.body[0].tokens[1:]
	first := cond[2]
	if first.text == last.name {
		first = cond[0]
	}
	if outer := slices.IndexFunc(b.loops[:n], func(l *branch) bool { return l.name == first.text }); outer < 0 || !includes(b.loops[outer].rangeOf(), ends, first.text) {
		return ""
	}
	if !cond[1].is("==") || cond[0].text != last.name && cond[2].text != last.name {
		return ""
	}
	rest := b.body[1]
	words := slices.DeleteFunc(slices.Clone(rest.tokens), func(t token) bool { return t.text == "else" || t.text == "if" })
	switch lo := lineOf(ends[0], maxTokens); {
	case rest.keyword() != "else" && rest.keyword() != "if":
		return ""
	case len(words) > 0:
		inner, lower, bound := compared(words, b.loops)
		if inner != n || !lower || bound != first.text+"+1" {
			return ""
		}
	case lo != first.text:
		return "" // the else has iterations before
	}
	at := b.loops[0].tokens[0]
	ahead := withName(b.body[0].body, last.name, first.text)
	inner := &branch{name: last.name, tokens: madeText(last.name+" = "+first.text+"+1.."+lineOf(ends[1], maxTokens), at)}
	loop := &statement{tokens: headerOf(at, []*branch{inner}), body: rest.body, block: true}
	return blockText([]*statement{{tokens: headerOf(at, b.loops[:n]), body: append(ahead, loop), block: true}})
}

// includes reports whether the range with the given ends has all numbers of a loop with the ends own, as their texts show.
func includes(own, ends [][]token, loop string) bool {
	return own != nil && (lineOf(ends[0], maxTokens) == loop || atLeast(own[0], ends[0])) && atLeast(ends[1], own[1])
}

// withName returns statements with another name in place of one.
func withName(list []*statement, name, other string) []*statement {
	out := copies(list)
	eachStatement(out, func(st *statement) {
		st.tokens = slices.Clone(st.tokens)
		for k := range st.tokens {
			if st.tokens[k].kind == tokIdent && st.tokens[k].text == name {
				st.tokens[k].text = other
			}
		}
	})
	return out
}

// jordan is the text of the elimination of Gauss and Jordan, if the for divides row k by its pivot where i == k, and else subtracts a
// multiple of it from row i, all in one nest: for each k, row k comes first, and no column up to k changes. It is "" for another for.
func (b *broadcast) jordan() string {
	if len(b.loops) != 3 || len(b.body) != 2 || b.body[0].keyword() != "if" || len(b.body[0].tokens) != 4 || lineOf(b.body[1].tokens, maxTokens) != "else" {
		return ""
	}
	k, i, j := b.loops[0], b.loops[1], b.loops[2]
	cond, ends := b.body[0].tokens[1:], j.rangeOf()
	divides, subtracts := b.body[0].body, b.body[1].body
	if cond[1].is("!=") {
		divides, subtracts = subtracts, divides
	} else if !cond[1].is("==") {
		return ""
	}
	names := []string{cond[0].text, cond[2].text}
	if !slices.Contains(names, k.name) || !slices.Contains(names, i.name) || len(divides) != 1 || len(subtracts) != 1 || ends == nil {
		return ""
	}
	if lo := strings.ReplaceAll(lineOf(ends[0], maxTokens), " ", ""); lo != k.name && lo != k.name+"+1" || i.rangeOf() == nil {
		return ""
	}
	row := withName(divides, i.name, k.name)
	if !dividesRow(row[0], k.name, j.name) || !strings.HasPrefix(lineOf(subtracts[0].tokens, maxTokens), row[0].first().text+"["+i.name+","+j.name+"] ") {
		return ""
	}
	at := k.tokens[0]
	columns := &branch{name: j.name, tokens: madeText(j.name+" = "+k.name+"+1.."+lineOf(ends[1], maxTokens), at)}
	others := &statement{tokens: madeText("if "+i.name+" != "+k.name, at), body: subtracts, block: true}
	return blockText([]*statement{{tokens: headerOf(at, []*branch{k}), block: true, body: []*statement{
		{tokens: headerOf(at, []*branch{columns}), body: row, block: true},
		{tokens: headerOf(at, []*branch{i, columns}), body: []*statement{others}, block: true},
	}}})
}

// dividesRow reports whether a statement divides A[k,j] by A[k,k], for any array.
func dividesRow(st *statement, k, j string) bool {
	cell, array := closer(st.tokens, 1), st.first().text
	return cell > 0 && lineOf(st.tokens[:cell+1], maxTokens) == array+"["+k+","+j+"]" && scalesOwn(st.tokens, cell) == "divides" &&
		strings.HasSuffix(lineOf(st.tokens, maxTokens), array+"["+k+","+k+"]")
}
