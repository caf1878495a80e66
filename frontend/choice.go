package frontend

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"loopc/ir/diag"
)

// if c { ... } else { ... } becomes selects. An assignment in a branch that is not taken gives the
// cell its old value; or 0, if the else gives it a value before it reads it. A select evaluates
// only the operand that it needs. The condition's value before the block holds for the whole block:
// each select has a copy of the condition but, if the block assigns to an array or a variable that
// the condition reads, a let keeps this value.

// choices replaces the ifs of a body, and of the loops in it.
func (w *lowering) choices(body []*statement) (out []*statement) {
	for k := 0; k < len(body); k++ {
		switch st := body[k]; {
		case st.keyword() == "for" && st.block:
			out = append(out, w.loops(st))
		case st.keyword() == "if" && w.choosable(st):
			last := k
			for last+1 < len(body) && body[last+1].keyword() == "else" && w.choosable(body[last+1]) && (last == k || !isLastElse(body[last])) {
				last++
			}
			if !slices.ContainsFunc(body[k:last+1], func(x *statement) bool { return len(x.body) > 0 }) {
				w.diags = append(w.diags, diag.Diagnostic{Severity: diag.Warning, Code: diag.NoResult, At: st.first().span(),
					Message: "the block of this if is empty: nothing depends on its condition"})
			}
			for _, x := range body[k : last+1] {
				w.chosenInVain(x.body, body[last+1:], last > k && isLastElse(body[last]))
			}
			out = append(out, w.choice(body[k:last+1])...)
			k = last
		default:
			out = append(out, st)
		}
	}
	return out
}

// chosenInVain warns of an assignment of the block of an if to a cell or a var that a statement behind the if, which all
// iterations run, assigns to again, with no read of it between: no result depends on the if. chosen says that the if has
// a last else.
func (w *lowering) chosenInVain(block, behind []*statement, chosen bool) {
	for n, st := range block {
		if st.keyword() != "" || signOf(st) < 1 {
			continue
		}
		target := st.tokens[:signOf(st)]
		again := func(x *statement) bool { return x.keyword() == "" && signOf(x) > 0 && sameTarget(st, x) }
		for j, x := range slices.Concat(block[n+1:], behind) {
			read := x.tokens
			if again(x) {
				read = valueOf(x)
			}
			if len(x.body) > 0 || mayRead(read, target) {
				break
			}
			if again(x) && j >= len(block)-n-1 {
				cell, hint := strings.ReplaceAll(textOf(target), " ", ""), "put that one into an else behind the if: else { "+textOf(x.tokens)+" }"
				if chosen {
					hint = "leave out one of the two, or give one of them another condition: the if has an else already"
				}
				w.diags = append(w.diags, diag.Diagnostic{Severity: diag.Warning, Code: diag.NoResult, At: join(target[0].span(), target[len(target)-1].span()),
					Message: fmt.Sprintf("this value of %s is lost: line %d gives %s another one in every iteration", cell, x.first().pos.Line, cell),
					Hint:    hint, Kind: diag.Advice})
				break
			}
		}
	}
}

// mayRead reports whether tokens have the name of a cell or a var, unless it has a subscript that differs from that of the cell by
// a number.
func mayRead(l, cell []token) bool {
	for k, x := range l {
		if x.kind != tokIdent || x.text != cell[0].text {
			continue
		}
		if len(cell) < 3 || k+1 == len(l) || !l[k+1].is("[") {
			return true
		}
		last := k + 1 + partner(l[k+1:])
		if !l[last].closes() {
			return true
		}
		own, other := commas(cell[2:len(cell)-1]), commas(l[k+2:last])
		moved := false
		for d := range min(len(own), len(other)) {
			at := other[d]
			n := len(own[d])
			moved = moved || len(at) == n+2 && textOf(at[:n]) == textOf(own[d]) && (at[n].is("-") || at[n].is("+")) && at[n+1].kind == tokInt && at[n+1].text != "0"
		}
		if !moved {
			return true
		}
	}
	return false
}

// choosable reports whether an if or an else can be lowered: its header has a condition, or is "else" alone, and its
// block holds only finished assignments, lets, vars, ifs that can be lowered, and loops of these.
func (w *lowering) choosable(st *statement) bool {
	complete := len(st.tokens) > 1
	if st.keyword() == "else" {
		complete = len(st.tokens) != 2 // "else if" lacks its condition
	}
	return complete && st.block && !st.bad && !unfinished(st) && w.allChoosable(st.body)
}

// unfinished reports whether the last token of a statement is a sign that needs an operand behind it.
func unfinished(st *statement) bool {
	last := st.tokens[len(st.tokens)-1]
	return last.kind == tokOp && strings.Contains("+-*/%&|^<<>>&&||==!=<=>=,", last.text)
}

// isLastElse reports whether a statement is an else without a condition, behind which no other else may stand.
func isLastElse(st *statement) bool { return st.keyword() == "else" && len(st.tokens) == 1 }

// allChoosable reports whether a body holds only what a block of choosable may hold.
func (w *lowering) allChoosable(body []*statement) bool {
	for k, x := range body {
		ok := !x.bad && !unfinished(x)
		switch x.keyword() {
		case "for":
			ok = ok && x.block && w.allChoosable(x.body)
		case "if":
			ok = w.choosable(x)
		case "else":
			before := k > 0 && (body[k-1].keyword() == "if" || body[k-1].keyword() == "else" && !isLastElse(body[k-1]))
			ok = before && w.choosable(x)
		case "let", "var":
			ok = ok && len(x.tokens) >= 4
		case "":
			ok = ok && signOf(x) > 0
		default:
			ok = false
		}
		if !ok {
			return false
		}
	}
	return true
}

// signOf returns the index of the sign of an assignment, -1 if there is none.
func signOf(st *statement) int {
	return slices.IndexFunc(st.tokens, token.assigns)
}

// choice lowers an if and the elses behind it.
func (w *lowering) choice(chain []*statement) []*statement {
	st := chain[0]
	condition := st.tokens[1:]
	if st.keyword() == "else" {
		if isLastElse(st) {
			return w.choices(st.body)
		}
		condition = st.tokens[2:]
	}
	yes := w.choices(st.body)
	var no []*statement
	if len(chain) > 1 {
		no = w.choice(chain[1:])
	}
	at := st.first()
	if len(yes) == 1 && signOf(yes[0]) > 0 && yes[0].keyword() == "" && (len(no) == 0 || len(no) == 1 && no[0].keyword() == "" && sameTarget(yes[0], no[0])) {
		target := yes[0].tokens[:signOf(yes[0])]
		other := target
		if len(no) == 1 {
			other = valueOf(no[0])
		}
		return []*statement{assignmentOf(target, selection(at, condition, valueOf(yes[0]), other))}
	}
	guard := slices.Concat([]token{made(tokOp, "(", at)}, condition, []token{made(tokOp, ")", at)})
	against := slices.Concat([]token{made(tokOp, "!", at)}, guard)
	var out []*statement
	if changes(slices.Concat(yes, no), condition) {
		name := w.fresh("taken")
		one, zero := []token{made(tokInt, "1", at)}, []token{made(tokInt, "0", at)}
		out = append(out, &statement{tokens: slices.Concat(madeText("let "+name+" =", at), selection(at, condition, one, zero))})
		guard, against = madeText(name+" != 0", at), madeText(name+" == 0", at)
	}
	return slices.Concat(out, w.guarded(at, guard, yes, no, true), w.guarded(at, against, no, nil, true))
}

// settles reports whether statements give a cell or a var a value, whatever its old one is, before they read it.
func settles(body []*statement, target []token) bool {
	for _, st := range body {
		sign := signOf(st)
		switch {
		case st.keyword() == "" && sign > 0 && slices.EqualFunc(st.tokens[:sign], target, sameText):
			return !mayRead(valueOf(st), target)
		case st.block || mayRead(st.tokens, target):
			return false
		}
	}
	return false
}

// sameTarget reports whether two assignments are to the same cell.
func sameTarget(x, y *statement) bool {
	return slices.EqualFunc(x.tokens[:signOf(x)], y.tokens[:max(signOf(y), 0)], sameText)
}

func sameText(a, b token) bool { return a.text == b.text }

// valueOf returns the value that an assignment gives to its cell.
func valueOf(st *statement) []token {
	sign := signOf(st)
	value := st.tokens[sign+1:]
	op := strings.TrimSuffix(st.tokens[sign].text, "=")
	if op == "" || len(value) == 0 {
		return value
	}
	return slices.Concat(st.tokens[:sign], []token{made(tokOp, op, st.tokens[sign])}, bracketedValue(value))
}

// bracketedValue puts brackets around a value, at the places where it begins and ends in the source.
func bracketedValue(value []token) []token {
	first, last := value[0], value[len(value)-1]
	last.pos.Col += utf8.RuneCountInString(last.text) - 1
	return slices.Concat([]token{made(tokOp, "(", first)}, value, []token{made(tokOp, ")", last)})
}

func selection(at token, condition, yes, no []token) []token {
	comma := []token{made(tokOp, ",", at)}
	return slices.Concat([]token{made(tokIdent, "select", at), made(tokOp, "(", at)}, condition, comma, yes, comma, no, []token{made(tokOp, ")", at)})
}

func assignmentOf(target, value []token) *statement {
	return &statement{tokens: slices.Concat(target, []token{made(tokOp, "=", target[len(target)-1])}, value)}
}

// changes reports whether statements assign to a name that a condition has.
func changes(body []*statement, condition []token) bool {
	return slices.ContainsFunc(body, func(st *statement) bool {
		if st.keyword() == "for" {
			return changes(st.body, condition)
		}
		return st.keyword() == "" && slices.ContainsFunc(condition, func(t token) bool { return t.kind == tokIdent && t.text == st.first().text })
	})
}

// guarded returns the statements of body, made to take effect only where the guard holds. Where it does not, otherwise
// follows: a cell that otherwise settles need not keep its old value until then, and has 0 instead, so that nothing reads
// the old one. If anew, their lets and vars get new names, because the rest of the file may use the old ones.
func (w *lowering) guarded(at token, guard []token, body, otherwise []*statement, anew bool) (out []*statement) {
	zero := []token{made(tokInt, "0", at)}
	known := map[string]*variable{}
	for _, st := range body {
		x := &statement{block: st.block, body: st.body}
		switch key := st.keyword(); key {
		case "for":
			x.tokens = st.tokens
			x.body = w.guarded(at, guard, renamedIn(st.body, known), nil, anew)
		case "let", "var":
			sign := signOf(st)
			x.tokens = renamed(st.tokens, known)
			if name := st.name().text; anew && known[name] == nil {
				known[name] = &variable{name: w.fresh(name)}
				x.tokens[1].text = known[name].name
			}
			if sign > 0 {
				x.tokens = slices.Concat(x.tokens[:sign+1], selection(at, guard, x.tokens[sign+1:], zero))
			}
		default:
			x.tokens = renamed(st.tokens, known)
			target := x.tokens[:signOf(st)]
			old := target
			if settles(otherwise, st.tokens[:signOf(st)]) {
				old = zero
			}
			x = assignmentOf(target, selection(at, guard, valueOf(x), old))
		}
		out = append(out, x)
	}
	return out
}

// renamedIn returns a body with the new names of the known lets and vars.
func renamedIn(body []*statement, known map[string]*variable) (out []*statement) {
	for _, st := range body {
		x := *st
		x.tokens = renamed(st.tokens, known)
		x.body = renamedIn(st.body, known)
		out = append(out, &x)
	}
	return out
}

// checkChoice reports mistakes in an if or an else that choices did not lower: that it was not lowered may follow from a mistake in
// its block, or in that of the if before it, which follows says. It returns whether there is one.
func (c *checker) checkChoice(st *statement, inBody, follows bool) (broken bool) {
	c.spoil(st)
	told := len(c.diags)
	c.parseIdle(st)
	if st.bad || diag.HasErrors(c.diags) && (follows || badWithin(st) || len(c.diags) > told) { // else another reading tells it
		return true
	}
	switch {
	case !st.block:
		c.errorf(diag.Syntax, st.end(), "unexpected %s: the block of the %s is missing, in braces", newline, st.keyword()).pattern("%s", forms["if"])
	case !inBody:
		c.errorf(diag.Misplaced, st.first().span(), "an if belongs in the body of a for")
	case st.keyword() == "else":
		c.errorf(diag.Misplaced, st.first().span(), "an else belongs behind the block of an if").pattern("%s", forms["if"])
	default:
		c.errorf(diag.Misplaced, st.first().span(), "the block of an if has assignments, lets, vars, ifs and loops")
	}
	return true
}
