package frontend

import (
	"fmt"
	"slices"
	"strings"

	"loopc/ir"
)

// An aggregate of entire arrays within a body, u[i]/sum(w), has one value for all iterations: a for before the one around
// the body collects it.

const togetherMessage = "a body works on one cell at a time: what all cells have together is collected by a for before this one, or is a reduction"

// A togetherLoop collects what the cells of entire arrays have together.
type togetherLoop struct {
	elem, start string // the type and the first value of what it collects
	header      string // of the for
	value, op   string
}

// into is the for with which a cell or a var collects.
func (c *togetherLoop) into(cell string) string {
	if c.op == "sum" {
		return c.header + " { " + cell + " += " + c.value + " }"
	}
	return fmt.Sprintf("%s { %s = %s(%[2]s, %[4]s) }", c.header, cell, c.op, c.value)
}

// togetherOf is the loop for the arguments l of an aggregate; nil if the cells are not known.
func (t *translator) togetherOf(f *aggregateFunction, l []token) *togetherLoop {
	first := slices.IndexFunc(l, t.isArray)
	if first < 0 || len(commas(l)) != 1 || f.reduce == "" {
		return nil
	}
	r := t.sliceReader(l)
	end := first
	if first+1 < len(l) && l[first+1].opens() {
		end = first + 1 + partner(l[first+1:])
	}
	_, cells, ok := r.slicesOf(l[first:min(end+1, len(l))])
	if !ok || len(cells) == 0 || !r.decided && r.explicit {
		return nil
	}
	s := &slicedStatement{r: r, cells: cells}
	var loops []string
	for d, c := range cells {
		s.names = append(s.names, freeIndex(append(slices.Clone(t.loops), s.names...), d))
		loops = append(loops, s.names[d]+" = "+strings.ReplaceAll(textOf(c.lo.tokens(l[0]))+".."+textOf(c.hi.tokens(l[0])), " ", ""))
	}
	value, ok := s.value(l)
	if !ok {
		return nil
	}
	elem := ir.Float64
	for _, x := range t.statementOf("array", l[first].text) {
		if own := ir.TypeNamed(x.text); own != ir.Invalid {
			elem = own
		}
	}
	start := map[string]string{"sum": "0", "max": "-" + beyondAll(elem), "min": beyondAll(elem)}[f.reduce]
	return &togetherLoop{elem.String(), start, "for " + strings.Join(loops, ", "), textOf(value), f.reduce}
}

// together is the advice for a call of an aggregate at token k, with the arguments l; "" if the cells are not known, or if
// the loops around are not those of the cells alone.
func (t *translator) together(k int, name string, f *aggregateFunction, l []token) string {
	c := t.togetherOf(f, l)
	inside, known := t.insideFor(k)
	if c == nil || !known || t.writesHere(k, l) {
		return ""
	}
	number, here := t.fresh(f.name), ""
	if slices.Contains([]string{"mean", "average"}, strings.ToLower(name)) {
		here = ", divided by the number of cells,"
	}
	if inside {
		return fmt.Sprintf("var %[1]s %[2]s = %[3]s and %[4]s before this for, and %[1]s%[5]s here", number, c.elem, c.start, c.into(number), here)
	}
	return fmt.Sprintf("array %[1]s[0..0] %[2]s, init %[1]s[k] = %[3]s, a nest before this one, %[4]s, and %[1]s[0]%[5]s here",
		number, c.elem, c.start, c.into(number+"[0]"), here)
}

// writesHere reports whether the block around token k writes an array among tokens l.
func (t *translator) writesHere(k int, l []token) bool {
	open := t.openBefore(k)
	for j := max(open, 0); open >= 0 && j < t.match[open]; j++ {
		if x := t.at(j); t.isArray(x) && t.writes(j) && slices.ContainsFunc(l, func(y token) bool { return y.text == x.text }) {
			return true
		}
	}
	return false
}

// togetherVar translates s = sum(w) in the body of a for, where token head is s and token k the function: s becomes a var
// that a loop changes.
func (t *translator) togetherVar(e edits, k, head int, f *aggregateFunction) bool {
	last, name := t.match[k+1], t.at(head).text
	if head+2 != k || !t.at(head+1).is("=") || t.arrays[name] || last != t.end(head) || !t.blockOf(k).is("for") || t.at(k).named("mean", "average") {
		return false
	}
	c := t.togetherOf(f, t.tokens[k+2:last])
	if c == nil {
		return false
	}
	text := "var " + name + " " + c.elem + " = " + c.start + "; " + c.into(name)
	const message = "what all cells have together is collected by a for, in a var of the body around it"
	if !t.found("together var", join(t.at(head).span(), t.at(last).span()), message, func() string { return text }) {
		return false
	}
	out, _ := scan([]byte(text))
	t.supersede(e, head, last, moved(out[:len(out)-1], t.at(head)))
	t.isVar(name)
	return true
}

// insideFor reports whether the for around token k stands in the body of another for. It is not known if it stands in a
// repeat, or if the statement has a loop of that other for, or if its header has several loops that no subscript has.
func (t *translator) insideFor(k int) (inside, known bool) {
	head := k
	for head > 0 && t.sameLine(head-1, k) {
		head--
	}
	open := t.openBefore(head)
	if open < 0 || !t.blockOf(head).is("for") {
		return false, false
	}
	line := open
	for line > 0 && t.sameLine(line-1, open) && !t.at(line-1).is("}") && !t.at(line-1).is("{") {
		line--
	}
	mentioned := func(name string) bool {
		return slices.ContainsFunc(t.tokens[head:t.lineEnd(k)+1], func(x token) bool { return x.text == name })
	}
	if slices.ContainsFunc(loopsOf(t.tokens[line:open]), func(name string) bool { return !mentioned(name) }) {
		return false, false
	}
	outer := t.openBefore(line)
	if outer < 0 {
		return false, true
	}
	around := t.blockOf(line)
	if !around.is("for") || slices.ContainsFunc(t.loops, func(name string) bool { return mentioned(name) && !slices.Contains(loopsOf(t.tokens[line:open]), name) }) {
		return false, false
	}
	return true, true
}
