package frontend

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"loopc/ir"
	"loopc/ir/diag"
)

// A body computes one cell. Other languages also compute slices, u[i,:], entire arrays, and
// functions of these, maxval(u), for which see aggregate. The translator replaces each by a hole.

// cellText returns a cell of an array as the body around has it: with the loops for subscripts,
// and new names for the remaining subscripts.
func (t *translator) cellText(array string) string {
	n := t.dims[array]
	if n == 0 {
		n = 1
	}
	subs := slices.Repeat([]string{hole}, n)
	return array + "[" + strings.Join(t.subscriptNames(subs), ",") + "]"
}

// subscriptNames replaces the holes of some subscripts by names: of the innermost loops that are
// not those of time and that no other subscript has, and then new ones.
func (t *translator) subscriptNames(subs []string) []string {
	var free []string
	around := func(n int) bool { // the loop is around others that are subscripts, and none itself
		inner := func(name string) bool {
			return slices.ContainsFunc(subs, func(s string) bool { return mentions(s, name) })
		}
		return !inner(t.loops[n]) && slices.ContainsFunc(t.loops[n+1:], inner)
	}
	for n, name := range t.loops {
		if !around(n) && !slices.Contains([]string{"t", "time", "it", "iter", "step"}, strings.ToLower(name)) && !slices.ContainsFunc(subs, func(s string) bool { return mentions(s, name) }) {
			free = append(free, name)
		}
	}
	holes := 0
	for _, s := range subs {
		if s == hole {
			holes++
		}
	}
	free = free[max(0, len(free)-holes):]
	for _, name := range []string{"i", "j", "k", "l", "m", "n", "p", "q", "r", "s"} {
		if len(free) < holes && !slices.Contains(free, name) && !slices.Contains(t.loops, name) && !t.arrays[name] {
			free = append(free, name)
		}
	}
	out := slices.Clone(subs)
	for k, s := range out {
		if s == hole && len(free) > 0 {
			out[k], free = free[0], free[1:]
		}
	}
	return out
}

// mentions reports whether name is a word of text.
func mentions(text, name string) bool {
	return slices.Contains(strings.FieldsFunc(text, func(r rune) bool { return !letter(r) && !digit(r) }), name)
}

// fresh returns a name that nothing in the file has: name itself if possible.
func (t *translator) fresh(name string) string {
	for slices.ContainsFunc(t.tokens, func(x token) bool { return x.text == name }) {
		name += "1"
	}
	return name
}

// isSlice reports whether a subscript stands for several indices.
func isSlice(l []token) bool {
	around, _ := bracketsOf(l)
	for k, x := range l {
		switch {
		case around[k] != outside:
		case x.is("?"):
			return false
		case x.is(":"), x.is(".."), x.is("*") && len(l) == 1:
			return true
		}
	}
	return false
}

// sliced reports whether some subscripts in the brackets that open at token k stand for several
// indices.
func (t *translator) sliced(k int) bool {
	return t.match[k] > k+1 && t.match[k]-k < maxForeignTokens && slices.ContainsFunc(commas(t.tokens[k+1:t.match[k]]), isSlice)
}

// rangesStand are the first words of lines in which brackets may contain ranges and stars.
var rangesStand = []string{"array", "const", "out", "boundary", "schedule", "for", "repeat", "init"}

// slices translates the cell whose brackets open at token k, if it has slices for
// subscripts; its line begins with token head.
func (t *translator) slices(e edits, k, head int) bool {
	if k == 0 || t.at(k-1).kind != tokIdent || !t.sliced(k) || slices.Contains(rangesStand, t.at(head).text) || typeName(t.at(head).text) != "" {
		return false
	}
	if t.methodOfSlice(e, k) {
		return true
	}
	last := t.match[k]
	if target := k-1 == head; target && !t.at(last+1).is("=") && !t.at(last+2).is("=") {
		return false // no assignment
	} else if target && t.at(last+1).is("=") {
		if len(t.loops) == 0 {
			return t.filled(e, head, commas(t.tokens[k+1:last]))
		}
		if t.wholeStatement(e, head, last) {
			return true
		}
	}
	parts := withoutSingles(commas(t.tokens[k+1 : last]))
	texts := sliceTexts(parts)
	cell := t.at(k-1).text + "[" + strings.ReplaceAll(strings.Join(t.subscriptNames(texts), ","), " ", "") + "]"
	message := aroundMessage
	if slices.ContainsFunc(texts, func(s string) bool { return s == hole }) && !t.goesOver(parts) {
		cell, message = "", slicesMessage
	}
	if !t.found("slice "+message, join(t.at(k-1).span(), t.at(last).span()), message, func() string { return cell }) {
		return false
	}
	for n, p := range parts {
		if isSlice(p) {
			parts[n] = []token{word(tokIdent, hole, t.at(k))}
		}
	}
	t.supersede(e, k, last, cellTokens(t.at(k-1), parts)[1:])
	return true
}

// withoutSingles returns subscripts with i for the slice i:i, which is one cell: of a text of Fortran.
func withoutSingles(parts [][]token) [][]token {
	for n, p := range parts {
		if ends := cut(p, ":"); len(ends) == 2 && len(ends[0]) > 0 && textOf(ends[0]) == textOf(ends[1]) {
			parts[n] = ends[0]
		}
	}
	return parts
}

// sliceTexts returns the texts of subscripts, with holes for slices.
func sliceTexts(parts [][]token) (texts []string) {
	for _, p := range parts {
		if isSlice(p) {
			texts = append(texts, hole)
		} else {
			texts = append(texts, textOf(p))
		}
	}
	return texts
}

// filled translates an assignment to a slice, from token head on, outside of all nests. parts are
// its subscripts.
func (t *translator) filled(e edits, head int, parts [][]token) bool {
	texts := sliceTexts(parts)
	name, end := t.at(head).text, t.end(head)
	message := beforeMessage
	hint := ""
	whole := !slices.ContainsFunc(parts, func(p []token) bool { return isSlice(p) && len(p) > 1 })
	equals := t.match[head+1] + 1
	switch value, ok := t.cleaned(t.tokens[equals+1:end+1], mostOperand); {
	case t.inBlock(head):
		message = entireMessage
	case t.given[name]:
		message = givenMessage
	case whole && ok && !t.callsUnknown(value) && (textOf(value) == "0" || t.fillings(name) == 1):
		names, conditions := t.subscriptNames(slices.Repeat([]string{hole}, len(parts))), []string{}
		var moving []string
		for k, p := range parts {
			if !isSlice(p) {
				conditions = append(conditions, names[k]+" == "+texts[k])
			} else {
				moving = append(moving, names[k])
			}
		}
		value = t.withSubscripts(value, moving)
		hint = fmt.Sprintf("init %s[%s] = %s", name, strings.Join(names, ", "), textOf(value))
		if len(conditions) > 0 && textOf(value) != "0" {
			hint = fmt.Sprintf("init %s[%s] = select(%s, %s, 0)", name, strings.Join(names, ", "), strings.Join(conditions, " && "), textOf(value))
		}
	}
	if !t.found("slice outside "+message, join(t.at(head).span(), t.at(equals-1).span()), message, func() string { return hint }) {
		return false
	}
	t.spoil(name)
	t.supersede(e, head, end, nil)
	return true
}

// list translates a list of values, whose bracket opens at token k.
func (t *translator) list(e edits, k, head int) bool {
	last := t.match[k]
	if last < 0 || k == 0 || e[k] != nil && e[k].replaced || t.at(k-1).operand() || t.at(k-1).is("[") || len(t.loops) == 0 || slices.Contains(rangesStand, t.at(head).text) {
		return false
	}
	if t.groups(k, last) {
		out := slices.Concat([]token{operator("(", t.at(k))}, t.tokens[k+1:last], []token{operator(")", t.at(last))})
		if t.found("grouping", join(t.at(k).span(), t.at(last).span()), "square brackets are for subscripts: a part of an expression stands in round ones", func() string { return textOf(out) }, diag.Replacement) {
			e.replace(k, out[0])
			e.replace(last, out[len(out)-1])
		}
		return true
	}
	for t.at(last+1).is("[") && t.match[last+1] > 0 {
		last = t.match[last+1]
	}
	if !t.found("list", join(t.at(k).span(), t.at(last).span()), "there are no lists: an in array has values, or selects that stand in one another", func() string { return "" }) {
		return false
	}
	t.supersede(e, k, last, []token{word(tokIdent, hole, t.at(k))})
	return true
}

// groups reports whether the square brackets at tokens k and last stand around a part of an expression: there is an operator beside them,
// and in them is one expression with an operator.
func (t *translator) groups(k, last int) bool {
	computes := func(x token) bool {
		return x.kind == tokOp && binaryOps[x.text].precedence >= binaryOps["+"].precedence
	}
	inner := t.tokens[k+1 : last]
	return (computes(t.at(k-1)) || computes(t.at(last+1)) && t.sameLine(last, last+1)) && len(commas(inner)) == 1 && slices.ContainsFunc(inner, computes) &&
		!slices.ContainsFunc(inner, func(x token) bool { return x.is("for") || x.is(":") || x.is("..") || x.is(";") })
}

// text translates a string at token k, in a line that begins with token head. A string alone is
// a comment.
func (t *translator) text(e edits, k, head int) bool {
	switch _, frame := frames[strings.ToLower(t.at(head).text)]; {
	case frame, t.at(head).kind == tokKeyword && !t.at(head).is("let") && !t.at(head).is("init"):
	case k == head:
		if t.found("text alone", t.at(k).span(), "a comment begins with //", func() string { return "// ..." }) {
			e.replace(k)
		}
	case len(t.loops) == 0 && k > 0 && t.at(k-1).is("(") && t.at(head+1).is("="):
		// The call, a statement outside bodies, is reported.
	case t.found("text", t.at(k).span(), "there are no texts: letters are numbers, in arrays of uint8", func() string { return "" }):
		t.supersede(e, k, k, []token{word(tokIdent, hole, t.at(k))})
	}
	return true
}

// nothing translates the other languages' words for a missing number, at token k.
func (t *translator) nothing(e edits, k int) bool {
	tok := t.at(k)
	if tok.kind != tokIdent || t.declared[tok.text] || !slices.Contains([]string{"None", "null", "NULL", "nil", "nullptr", "undefined"}, tok.text) || t.at(k+1).is("=") || t.at(k+1).opens() {
		return false
	}
	if !t.found("nothing "+tok.text, tok.span(), "there is no "+tok.text+": every cell has a number", func() string { return "" }) {
		return false
	}
	t.supersede(e, k, k, []token{word(tokIdent, hole, tok)})
	return true
}

// starred replaces subscripts that stand for all of a dimension by *.
func starred(dims [][]token, at token) {
	for k, d := range dims {
		if isSlice(d) || len(d) == 0 {
			dims[k] = []token{operator("*", at)}
		}
	}
}

// notNumbers are other languages' words for a missing number or for something that is not one
// number, with a message for each.
var notNumbers = map[string]string{
	"inf": infinite, "infinity": infinite,
	"nan":   "no constant is not a number",
	"range": "ranges stand in the header of a for, as in i = 1..N", "prange": "ranges stand in the header of a for, as in i = 1..N", "enumerate": "ranges stand in the header of a for, as in i = 1..N",
	"zip": "ranges stand in the header of a for, as in i = 1..N", "xrange": "ranges stand in the header of a for, as in i = 1..N", "arange": "ranges stand in the header of a for, as in i = 1..N", "linspace": "ranges stand in the header of a for, as in i = 1..N",
	"end":    "a range ends with a number, a parameter or a loop around it, which its declaration has for an array",
	"lambda": "functions are written in Go, and declared by extern", "sizeof": "arrays have bounds, and their types are known",
	"input": "what is given comes in arrays that are in, and in parameters", "read": "what is given comes in arrays that are in, and in parameters", "open": "what is given comes in arrays that are in, and in parameters",
	"rand": "pseudo-random content comes in an in array, as by loopc run --random 1", "random": "pseudo-random content comes in an in array, as by loopc run --random 1", "rnd": "pseudo-random content comes in an in array, as by loopc run --random 1",
	"zeros": "what cells have before the nest is said by an init", "ones": "what cells have before the nest is said by an init", "array": "what cells have before the nest is said by an init",
}

// infinite is the message for infinity. beyondAll has a large number to write instead, for each type: it
// leaves room for what programs usually add.
const infinite = "no constant is infinite: one beyond all that occurs is enough, and of floats, exp(1000) is infinite"

func beyondAll(t ir.Type) string {
	switch {
	case t == ir.Float32:
		return "1e30"
	case t.Float():
		return "1e300"
	case !t.Integer():
		return ""
	}
	number, most := int64(1), t.Cell().Hi
	for t.Size() > 1 && number <= most/20 {
		number *= 10
	}
	if t.Size() == 1 {
		number = most
	}
	return strconv.FormatInt(number, 10)
}

// noNumber reports a name of notNumbers; false for another.
func (c *checker) noNumber(v *view, name string, at diag.Span) bool {
	why := notNumbers[strings.ToLower(name)]
	if why == "" {
		return false
	}
	r := c.errorf(diag.UnknownName, at, "unknown name %s: %s", name, why)
	switch number := beyondAll(v.elem); {
	case why != infinite || number == "":
	case v.elem.Size() == 2: // all its numbers may occur
		cell := v.elem.Cell()
		r.advise("%s, if all that occurs is less; or %d or %d, the ends of %s, if nothing is added to it or subtracted", number, cell.Lo, cell.Hi, v.elem)
	default:
		r.fix(at, "%s", number)
	}
	return true
}
