package frontend

import (
	"slices"
	"strings"

	"loopc/ir/diag"
)

// Statements of other languages that leave an iteration, a loop or a function.

// jump translates the if at token k, if all that its body does is to leave the iteration, the loop or the function; it
// returns the last token of the if, and false for any other if. The body begins with token body.
// condition is the text of the condition.
func (t *translator) jump(e edits, k, body int, condition string) (int, bool) {
	first, last := body, t.end(body)
	if t.at(body).is("{") {
		first, last = body+1, t.match[body]
		if t.single(body) == nil {
			return k, false
		}
	}
	word := t.at(first)
	if word.kind == tokIdent && word.named("raise", "throw", "abort", "stop", "error", "assert") && !t.at(first+1).is("=") && !t.at(first+1).is("[") {
		return t.failing(e, k, last)
	}
	if !word.jumps() {
		return k, false
	}
	f := frames["cycle"]
	hint, kind := func() string { return "" }, diag.Example
	if open := t.openBefore(k); word.named("cycle", "continue") && t.blockOf(k).is("for") && t.match[open] > k {
		return t.skipped(e, k, last, t.match[open], condition)
	} else if word.named("break", "exit", "return") {
		if message, way := t.endedBy(k, condition); message != "" {
			f.message, kind = message, diag.Advice
			hint = func() string { return way }
		}
	}
	if !t.found("frame "+f.message, join(t.at(k).span(), t.at(max(k, last)).span()), f.message, hint, kind) {
		return k, false
	}
	if t.at(last+1).is(";") && t.sameLine(k, last+2) && t.at(last+2).named("end", "endif") {
		last += 2
	}
	t.dropAll(e, k, last)
	return last, true
}

// skipped replaces if c { continue }, tokens k to last, by an if with the opposite condition, whose block has all statements up to the
// brace end of the for. It returns last, or false if nothing is reported.
func (t *translator) skipped(e edits, k, last, end int, condition string) (int, bool) {
	opposite := "!(" + condition + ")"
	if tokens, _ := scan([]byte(condition)); endingOf(tokens[:len(tokens)-1]) != nil {
		opposite = textOf(endingOf(tokens[:len(tokens)-1]))
	}
	if !t.found("skipped", join(t.at(k).span(), t.at(last).span()), "an iteration runs to the end of the body: an if chooses the statements behind this one", func() string {
		if strings.Contains(opposite, "…") {
			return ""
		}
		return "if " + opposite + " {, and } behind the statements that this one passes over"
	}, diag.Advice) {
		return k, false
	}
	t.dropAll(e, k, last)
	e.replace(k, append(moved(madeText("if "+opposite, t.at(k)), t.at(k)), operator("{", t.at(k)))...)
	e.at(end).before = append(e.at(end).before, operator("}", t.at(end)))
	return last, true
}

// endedBy returns the message and the advice for a loop that is left at token k when a condition holds:
// the loop should be a repeat with an until. If the condition is about a reduction, this is the repeat
// around token k, or a new repeat. For any other condition, token k must be directly in the block of a
// repeat; otherwise the message and the advice are "".
func (t *translator) endedBy(k int, condition string) (message, way string) {
	header, direct := t.headerAround(k, "repeat")
	tokens, _ := scan([]byte(condition))
	condition = ended(condition)
	reduced := slices.ContainsFunc(tokens, func(x token) bool { return t.reduced[x.text] })
	until := slices.IndexFunc(header, func(x token) bool { return x.is("until") })
	switch {
	case header == nil && reduced:
		begin, where := "repeat t = 1..1000", " { around the nests"
		if loop, _ := t.headerAround(k, "for"); loop != nil && !slices.ContainsFunc(loop, func(x token) bool { return x.is(",") }) && slices.ContainsFunc(loop, func(x token) bool { return x.is("..") }) {
			begin, where = strings.Replace(textOf(loop), "for", "repeat", 1), " {" // the loop that is left is the repeat
		}
		return "a repeat ends by until", begin + " until " + condition + where + ", and leave this line out"
	case header == nil || !direct && !reduced:
		return "", ""
	case strings.Contains(condition, "["):
		return "a repeat ends by until, when a reduction of its nests is less or greater than a number", leaveOut
	case until >= 0:
		return "a repeat ends by until, as this one does " + textOf(header[until:]), leaveOut
	}
	return "a repeat ends by until", textOf(header) + " until " + condition + " {, and leave this line out"
}

// ended is the text of a condition that ends a repeat: an until compares by <, <=, > or >=, and what counts, or is 1 or 0, is 0
// if it is at most 0.
func ended(condition string) string {
	name, test := strings.TrimSuffix(condition, " != 0"), " > 0"
	if not, is := strings.CutPrefix(name, "!"); is {
		name, test = not, " <= 0"
	} else if zero, is := strings.CutSuffix(condition, " == 0"); is {
		name, test = zero, " <= 0"
	}
	if name = strings.Trim(name, "()"); strings.ContainsFunc(name, func(r rune) bool { return !letter(r) && !digit(r) }) || name == "" {
		return condition
	}
	return name + test
}

// headerAround returns the header of the innermost block that contains token k and begins with a keyword; nil if there is no such
// block. direct says that no other block is between.
func (t *translator) headerAround(k int, keyword string) (header []token, direct bool) {
	direct = true
	open := k - 1
	for step := 0; open >= 0 && step < 4*maxForeignTokens; step++ {
		if t.at(open).is("}") && t.match[open] >= 0 {
			open = t.match[open] - 1
			continue
		}
		if t.at(open).is("{") {
			head := open
			for head > 0 && t.sameLine(head-1, open) {
				head--
			}
			if t.at(head).is(keyword) {
				return t.tokens[head:open], direct
			}
			direct = false
		}
		open--
	}
	return nil, false
}

// failing drops an if that ends the program, tokens k to last.
func (t *translator) failing(e edits, k, last int) (int, bool) {
	end := last
	if t.at(end).is("}") && !t.braces[t.at(end).pos] {
		end--
	}
	if !t.found("failing", join(t.at(k).span(), t.at(end).span()), "a nest ends with no error of its own: a reduction tells what the least or greatest was, and only a division of integers by zero, or a subscript beyond the bounds, ends the run", func() string { return leaveOut }, diag.Advice) {
		return k, false
	}
	if t.at(last+1).is(";") && t.sameLine(k, last+2) && t.at(last+2).named("end", "endif") {
		last += 2
	}
	t.dropAll(e, k, last)
	return last, true
}
