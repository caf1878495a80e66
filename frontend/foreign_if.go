package frontend

import (
	"slices"
	"strings"
)

// There is no if and no while: what they choose is a select, cell by cell.

// tested returns the condition of the if at token k, in brackets or before a block,
// and the last token before what it guards; k if it is neither.
func (t *translator) tested(k int) (condition string, last int) {
	last = t.match[min(k+1, len(t.match)-1)]
	if t.at(k+1).is("(") && last > k && !comparison(t.at(last+1)) {
		return operandText(t.tokens[k+2 : last]), last
	}
	for last = k; t.sameLine(k, last+1) && last-k < maxForeignTokens; last++ {
		if x := t.at(last + 1); x.is("{") || x.is("}") || x.is(";") || x.is("=") {
			break
		}
	}
	if last == k || !t.at(last+1).is("{") {
		return "", k
	}
	return textOf(t.tokens[k+1 : last+1]), last
}

// condition translates if (c) x = y, or if c { x = y }, to a select; of an if with a
// block it leaves the block.
func (t *translator) condition(e edits, k int) int {
	whole, last := t.tested(k)
	if last == k {
		return k
	}
	if end, ok := t.jump(e, k, last+1, whole); ok {
		return end
	}
	body := t.tokens[last+1 : t.end(last+1)+1]
	if t.at(last + 1).is("{") {
		body = t.single(last + 1)
	}
	hint := "A[i,j] = select(" + whole + ", value, A[i,j])"
	scalar := len(body) > 2 && body[0].kind == tokIdent && body[1].is("=")
	if scalar {
		hint = "let " + body[0].text + " = select(" + whole + ", " + textOf(body[2:]) + ", " + t.instead(last+1, body[0].text) + ")"
		if t.at(last+1).is("{") && t.instead(last+1, body[0].text) == body[0].text {
			hint = "let " + body[0].text + "1 = select(" + whole + ", " + textOf(body[2:]) + ", " + body[0].text + ")"
		}
	}
	if assign := slices.IndexFunc(body, func(x token) bool { return x.is("=") }); assign > 1 {
		cell, value := textOf(body[:assign]), textOf(body[assign+1:])
		if sign := body[assign-1].text; sign == "+" || sign == "-" || sign == "*" || sign == "/" {
			cell = textOf(body[:assign-1])
			value = cell + " " + sign + " (" + value + ")"
		}
		hint = cell + " = select(" + whole + ", " + value + ", " + t.instead(last+1, cell) + ")"
	}
	if !t.found("if", join(t.at(k).span(), t.at(last).span()), "there is no if: a cell that is to stay as it is gets its own value", func() string { return hint }) {
		return k
	}
	e.drop(k, last)
	t.unwrap(e, last+1)
	if scalar { // as if it were a let
		first := last + 1
		if t.at(first).is("{") {
			first++
		}
		if !t.lets[body[0].text] {
			t.lets[body[0].text] = true
			e.at(first).before = append(e.at(first).before, operator("let", t.at(first)))
		} else {
			e.drop(first, first+len(body)-1)
			return first + len(body) - 1
		}
	}
	return last
}

// instead returns what a cell becomes by the else behind the statement or block that
// begins with token k: the cell itself without one, "..." if the else does more than
// assign to the cell.
func (t *translator) instead(k int, cell string) string {
	if t.chain++; t.chain > maxForeign {
		return "..."
	}
	next := t.end(k) + 1
	if t.at(k).is("{") && t.match[k] > k {
		next = t.match[k] + 1
	}
	if t.at(next).is(";") {
		next++
	}
	if t.at(next).text != "else" || t.at(next).kind != tokIdent {
		return cell
	}
	first, condition := next+1, ""
	if t.at(first).text == "if" {
		whole, last := t.tested(first)
		if last == first {
			return "..."
		}
		first, condition = last+1, whole
	}
	body := t.tokens[min(first, len(t.tokens)-1):max(t.end(first)+1, first)]
	if t.at(first).is("{") {
		body = t.single(first)
	}
	assign := slices.IndexFunc(body, func(x token) bool { return x.is("=") })
	if assign < 1 || textOf(body[:assign]) != cell {
		return "..."
	}
	value := textOf(body[assign+1:])
	if condition != "" {
		value = "select(" + condition + ", " + value + ", " + t.instead(first, cell) + ")"
	}
	t.joined[next] = !strings.Contains(value, "...")
	return value
}

// single returns the tokens of the statement in the block at the brace k, if there
// is just one.
func (t *translator) single(k int) []token {
	end := t.end(k + 1)
	after := end + 1
	if t.at(after).is(";") {
		after++
	}
	if t.match[k] != after {
		return nil
	}
	return t.tokens[k+1 : end+1]
}

// while drops the header of a while or do, and leaves its block.
func (t *translator) while(e edits, k int) int {
	if !t.found("while", t.at(k).span(), "there is no while: a repeat ends when a reduction of its nests is small enough", func() string {
		return "repeat t = 1..1000 until change < 1e-6 {"
	}) {
		return k
	}
	last := t.end(k)
	e.drop(k, last)
	if open := last + 1; t.at(open).is("{") && t.match[open] > open {
		if t.around(k) == nil && !slices.ContainsFunc(t.tokens[open:min(t.match[open], open+maxForeignTokens)], func(x token) bool { return x.is("for") }) {
			// Its body is that of loops with a mistake.
			t.spoilNames(t.tokens[k:open])
			e.replace(k, operator("for", t.at(k)), token{kind: tokIllegal, text: hole, pos: t.at(k).pos})
			return last
		}
		t.unwrap(e, open)
	}
	return last
}

// otherwise drops the else of an if.
func (t *translator) otherwise(e edits, k int) int {
	if t.joined[k] { // the hint for the if has it
		last := t.guarded(k+1, 0)
		if t.at(k + 1).is("{") {
			last = t.match[k+1]
		}
		e.drop(k, last)
		return last
	}
	if !t.found("else", t.at(k).span(), "there is no else: both values stand in one select", func() string {
		return "A[i,j] = select(condition, value, other)"
	}) {
		return k
	}
	e.replace(k)
	t.unwrap(e, k+1)
	return k
}

// operandText lays out tokens, and says so if there are none.
func operandText(tokens []token) string {
	if len(tokens) == 0 {
		return "condition"
	}
	return textOf(tokens)
}
