package frontend

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"loopc/ir"
)

// An aggregate of entire arrays within a body, u[i]/sum(w), has one value for all iterations: a for before the one around
// the body collects it. One of slices that the loops around choose, dot(a[i,:], x), is collected by an inner for.

const togetherMessage = "a body works on one cell at a time: what all cells have together is collected by a for before this one, or is a reduction"

// A togetherLoop collects what the cells of entire arrays have together.
type togetherLoop struct {
	elem, start string // the type and the first value of what it collects
	header      string // of the for
	value, op   string
	unsure      bool // the ends of a slice may be meant as those of Python
}

// inner reports whether the cells depend on loops around, whose names are given.
func (c *togetherLoop) inner(loops []string) bool {
	return slices.ContainsFunc(loops, func(name string) bool { return mentions(c.value, name) || mentions(c.header, name) })
}

// ends are words at the end of a hint, on which ends ranges include.
func (c *togetherLoop) ends() string {
	return map[bool]string{true: "; ranges include both ends, those of Python and Rust do not"}[c.unsure]
}

// into is the for with which a cell or a var collects.
func (c *togetherLoop) into(cell string) string {
	if sign := map[string]string{"sum": " += ", "prod": " *= "}[c.op]; sign != "" {
		return c.header + " { " + cell + sign + c.value + " }"
	}
	return fmt.Sprintf("%s { %s = %s(%[2]s, %[4]s) }", c.header, cell, c.op, c.value)
}

// summands returns what a function collects, for its arguments l, and how: sum, prod, max or min. collected is what stands in the
// place of the call, with %s for the number. terms are nil for functions that collect nothing of this kind.
func (t *translator) summands(name string, f *aggregateFunction, l []token) (terms []token, op, collected string) {
	args := commas(l)
	round := func(x []token) []token {
		if len(x) < 2 || x[1].opens() && x[len(x)-1].closes() && partner(x[1:]) == len(x)-2 {
			return x
		}
		return slices.Concat([]token{operator("(", x[0])}, x, []token{operator(")", x[0])})
	}
	switch name = strings.ToLower(name); {
	case anyEmpty(args):
	case slices.Contains([]string{"dot", "dot_product", "inner", "vdot"}, name) && len(args) == 2:
		return between([][]token{round(args[0]), round(args[1])}, "*", l[0]), "sum", "%s"
	case len(args) != 1:
	case name == "norm":
		return between([][]token{round(l), round(l)}, "*", l[0]), "sum", "sqrt(%s)"
	case name == "prod" || name == "product":
		return l, "prod", "%s"
	case f.reduce != "" && (name == "mean" || name == "average"):
		return l, f.reduce, "%s, divided by the number of cells,"
	case f.reduce != "":
		return l, f.reduce, "%s"
	}
	return nil, "", ""
}

// togetherOf is the loop for the arguments l of an aggregate; nil if the cells are not known. op is sum, prod, max or min;
// target is the type of what its result is assigned to.
func (t *translator) togetherOf(op string, l []token, target ir.Type) *togetherLoop {
	l = t.wholeRows(l)
	first := slices.IndexFunc(l, t.isArray)
	if first < 0 {
		return nil
	}
	r := t.sliceReader(l)
	var cells []slicedCells
	for k := first; k < len(l) && len(cells) == 0; k++ { // of the first array with a slice
		if !t.isArray(l[k]) {
			continue
		}
		end := k
		if k+1 < len(l) && l[k+1].opens() {
			end = k + 1 + partner(l[k+1:])
		}
		var ok bool
		if _, cells, ok = r.slicesOf(l[k:min(end+1, len(l))]); !ok {
			return nil
		}
	}
	if len(cells) == 0 {
		return nil
	}
	s := &slicedStatement{r: r, cells: cells}
	var loops []string
	taken := slices.Clone(t.loops)
	for _, x := range l {
		taken = append(taken, x.text)
	}
	for d, c := range cells {
		s.names = append(s.names, freeIndex(append(taken, s.names...), d))
		loops = append(loops, s.names[d]+" = "+strings.ReplaceAll(textOf(c.lo.tokens(l[0]))+".."+textOf(c.hi.tokens(l[0])), " ", ""))
	}
	value, ok := s.value(l)
	if !ok {
		return nil
	}
	if clean, ok := t.cleaned(value, maxForeignTokens); ok {
		value = clean
	}
	elem := ir.Float64
	if own := ir.TypeNamed(t.elementTypeOf(l[first])); own != ir.Invalid {
		elem = own
	}
	elem = collectedIn(op, elem, target)
	start := map[string]string{"sum": "0", "prod": "1", "max": "-" + beyondAll(elem), "min": beyondAll(elem)}[op]
	return &togetherLoop{elem.String(), start, "for " + strings.Join(loops, ", "), textOf(value), op, !r.decided && r.explicit}
}

// wholeRows returns tokens with a slice for each subscript that a cell lacks: u[i,:] for u[i].
func (t *translator) wholeRows(l []token) (out []token) {
	for k, x := range l {
		out = append(out, x)
		if !t.isArray(x) || k+1 >= len(l) || !l[k+1].is("[") || k+1+partner(l[k+1:]) >= len(l) {
			continue
		}
		last := k + 1 + partner(l[k+1:])
		subs := commas(content(l[k+1:]))
		if missing := t.dims[x.text] - len(subs); missing > 0 && !anyEmpty(subs) {
			subs = append(subs, slices.Repeat([][]token{{operator(":", x)}}, missing)...)
			return append(out[:len(out)-1], slices.Concat(cellTokens(x, subs), t.wholeRows(l[last+1:]))...)
		}
	}
	return out
}

// together is the advice for a call of an aggregate at token k, with the arguments l; "" if the cells are not known, or if
// the loops around are not those of the cells alone.
func (t *translator) together(k int, name string, f *aggregateFunction, l []token) string {
	terms, op, collected := t.summands(name, f, l)
	c := t.togetherOf(op, terms, t.targetType(k))
	inside, known := t.insideFor(k)
	if c == nil || !known || t.writesHere(k, l) || c.inner(t.loops) {
		return ""
	}
	number := t.fresh(cmp.Or(f.name, "total"))
	if inside {
		return fmt.Sprintf("var %[1]s %[2]s = %[3]s and %[4]s before this for, and %[5]s here%[6]s", number, c.elem, c.start, c.into(number), fmt.Sprintf(collected, number), c.ends())
	}
	return fmt.Sprintf("array %[1]s[0..0] %[2]s, init %[1]s[k] = %[3]s, a nest before this one, %[4]s, and %[5]s here%[6]s",
		number, c.elem, c.start, c.into(number+"[0]"), fmt.Sprintf(collected, number+"[0]"), c.ends())
}

// innerCells is the advice for a call of an aggregate at token k, with the arguments l, of cells that the loops around choose; "" for
// other calls, and if the block writes an array among l.
func (t *translator) innerCells(k int, name string, f *aggregateFunction, l []token) string {
	terms, op, collected := t.summands(name, f, l)
	c := t.togetherOf(op, terms, t.targetType(k))
	if c == nil || len(t.loops) == 0 || t.writesHere(k, l) && !t.writtenBefore(k, l) || !c.inner(t.loops) {
		return ""
	}
	number := t.fresh(cmp.Or(f.name, "total"))
	return fmt.Sprintf("before this statement, var %[1]s %[2]s = %[3]s and %[4]s; %[5]s stands here%[6]s", number, c.elem, c.start, c.into(number), fmt.Sprintf(collected, number), c.ends())
}

// writesHere reports whether the block around token k writes an array among tokens l, unless all that l has of it was written by earlier
// iterations.
func (t *translator) writesHere(k int, l []token) bool {
	open := t.openBefore(k)
	for j := max(open, 0); open >= 0 && j < t.match[open]; j++ {
		if !t.isArray(t.at(j)) || !t.writes(j) {
			continue
		}
		for n, y := range l {
			if y.text == t.at(j).text && !t.writtenEarlier(subscriptsBehind(t.tokens[j:t.match[open]]), subscriptsBehind(l[n:])) {
				return true
			}
		}
	}
	return false
}

// subscriptsBehind are the subscripts of the cell with whose name tokens begin; none without brackets.
func subscriptsBehind(l []token) [][]token {
	if len(l) < 2 || !l[1].opens() || 1+partner(l[1:]) >= len(l) {
		return nil
	}
	return commas(l[2 : 1+partner(l[1:])])
}

// writtenEarlier reports whether cells with the subscripts read, some of them slices, were written by earlier iterations of a loop around
// the others, as v[t-1,:] where v[t,s] is written and t is outside of s.
func (t *translator) writtenEarlier(written, read [][]token) bool {
	if len(written) != len(read) {
		return false
	}
	for d, s := range read {
		if len(s) != 3 || !s[1].is("-") || s[2].kind != tokInt || len(written[d]) != 1 || written[d][0].text != s[0].text {
			continue
		}
		outer, inside := slices.Index(t.loops, s[0].text), true
		for e, other := range read {
			at := -1 // of a number, and of a loop inside the body
			if len(written[e]) == 1 {
				at = slices.Index(t.loops, written[e][0].text)
			}
			inside = inside && (!isSlice(other) || len(written[e]) == 1 && (at < 0 || at > outer))
		}
		if outer >= 0 && inside {
			return true
		}
	}
	return false
}

// writtenBefore reports whether the block around token k writes an array among tokens l only in fors that end before it.
func (t *translator) writtenBefore(k int, l []token) bool {
	open, inner, before := t.openBefore(k), 0, false
	for j := max(open, 0); open >= 0 && j < t.match[open]; j++ {
		x := t.at(j)
		if x.is("{") && j > open && t.blockOf(j+1).is("for") && t.match[j] > j && t.match[j] < k {
			inner = t.match[j]
		}
		if t.isArray(x) && t.writes(j) && slices.ContainsFunc(l, func(y token) bool { return y.text == x.text }) {
			if j >= inner {
				return false
			}
			before = true
		}
	}
	return before
}

// togetherVar translates s = sum(w) in the body of a for, where token head is s and token k the function: s becomes a var
// that a loop changes.
func (t *translator) togetherVar(e edits, k, head int, f *aggregateFunction) bool {
	last, name := t.match[k+1], t.at(head).text
	if head+2 != k || !t.at(head+1).is("=") || t.arrays[name] || last != t.end(head) || !t.blockOf(k).is("for") || t.at(k).named("mean", "average") {
		return false
	}
	terms, op, collected := t.summands(t.at(k).text, f, t.tokens[k+2:last])
	c := t.togetherOf(op, terms, t.targetType(k))
	if c == nil || c.unsure || collected != "%s" {
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

// spread is the advice for the variance or the standard deviation of an entire array, which a call at token k with the arguments l
// computes; "" for other calls.
func (t *translator) spread(k int, name string, l []token) string {
	collected := map[string]string{"var": "%s/n", "std": "sqrt(%s/n)"}[strings.ToLower(name)]
	c := t.togetherOf("sum", l, t.targetType(k))
	if collected == "" || len(commas(l)) != 1 || c == nil || c.inner(t.loops) {
		return ""
	}
	total, squares := t.fresh("total"), t.fresh("squares")
	apart := "(" + c.value + " - " + total + "/n)"
	return fmt.Sprintf("two nests before this one, with n for the number of cells: reduce %s = sum(%s) before %s {}, then reduce %s = sum(%s*%[5]s) before the same for, and %s here",
		total, c.value, c.header, squares, apart, fmt.Sprintf(collected, squares))
}
