package frontend

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"loopc/ir"
	"loopc/ir/diag"
)

// Other languages aggregate slices within a body. An aggregate of the cells up to the current one,
// sum(u[i,1:j]), is a running aggregate: the hint is an array that collects it in the same nest. An
// aggregate of an entire row or column, sum(u[i,:]), has one value per row or column: the hint is
// an array that an earlier nest fills.

// Messages about aggregates.
const (
	runningMessage = "a body works on one cell at a time: what the cells so far have together is collected by an array of its own"
	rowMessage     = "a body works on one cell at a time: what other cells have together is collected by a nest before"
	laterMessage   = "a body works on one cell at a time, and what other cells of an array that it writes have together is known only when it has written them"
)

// A collection is an aggregate of cells of one array that an array of its own collects.
type collection struct {
	op     string // sum, max or min
	array  string
	name   string   // of the array that collects
	elem   ir.Type  // of its cells
	target ir.Type  // of what the result is assigned to
	dims   []string // the ranges of the array whose cells are collected
	subs   []string // the subscripts of the current cell
	along  []int    // the dimensions of the cells that are collected

	ranges  [][][]token // the ends of dims
	running int         // the number of dimensions of along in which the collected cells end, or begin, at the current cell
	back    bool        // the collected cells begin at the current cell
	loops   []string    // the names of the loops around
}

// collected returns hint and message for a call of an aggregate, at token k, with the arguments l; "" if these are no part of an array.
func (t *translator) collected(k int, function string, f *aggregateFunction, l []token) (hint, message string) {
	op, running := f.reduce, strings.EqualFold(function, "cumsum")
	if running {
		op = "sum"
	}
	l = ofGenerator(l)
	if op == "" || len(t.loops) == 0 || len(l) == 0 || l[0].kind != tokIdent {
		return "", ""
	}
	c, subs := t.collectionOf(l)
	if c == nil || len(subs) == 0 || len(subs) != len(c.ranges) {
		return "", ""
	}
	c.op, c.target, c.name = op, t.targetType(k), t.fresh(cmp.Or(f.name, "total"))
	if !c.place(subs) {
		return "", ""
	}
	switch written := t.uses[c.array].written; {
	case c.running == 0 && !running:
		if t.writtenBefore(k, l) || written && !t.writesHere(k, l) {
			return "", "" // an inner for may collect them
		}
		return c.whole(written)
	case len(c.along) == 1:
		return c.collectedAlong(c.along[0]), runningMessage
	case len(c.along) == 2 && c.running == 2 && op == "sum" && !c.back:
		return c.area(), runningMessage
	}
	return "", ""
}

// whole returns hint and message for an aggregate of all cells along some dimensions of an array.
func (c *collection) whole(written bool) (hint, message string) {
	switch {
	case !written:
		return c.before(), rowMessage
	case len(c.along) < len(c.subs):
		return "", laterMessage
	}
	return "", ""
}

// part reports whether a slice with constant ends is certainly not the whole of a dimension with the given range.
func (c *collection) part(ends, whole [][]token) bool {
	for k, end := range ends {
		given, ok := linear(end)
		declared, also := linear(whole[k])
		if ok && also && c.loopIn(end) == "" && !end[0].is("-") && !end[0].named("end") {
			if more := given.plus(declared, -1); !more.zero() && !(k == 1 && more.with("", -1).zero()) { // as in Python, perhaps
				return true
			}
		}
	}
	return false
}

// place finds the subscripts of the current cell. The subscript for a slice is the loop at which the slice ends or
// begins, or else a loop that no other subscript has. place returns false if both ends of a slice move, as in a window, or if a slice
// is a part of the row.
func (c *collection) place(subs [][]token) bool {
	for d, s := range subs {
		if !isSlice(s) {
			c.subs = append(c.subs, strings.ReplaceAll(textOf(s), " ", ""))
			continue
		}
		c.subs = append(c.subs, "")
		c.along = append(c.along, d)
	}
	for _, d := range slices.Backward(c.along) {
		ends := cut(subs[d], ":")
		if len(ends) < 2 {
			ends = cut(subs[d], "..")
		}
		c.subs[d] = c.free()
		if len(ends) != 2 {
			continue
		}
		if c.part(ends, c.ranges[d]) {
			return false
		}
		lower, upper := c.loopIn(ends[0]), c.loopIn(ends[1])
		if lower != "" && (upper != "" || len(ends[1]) > 1) {
			return false
		}
		if at := lower + upper; at != "" {
			for other, s := range subs {
				if other != d && mentions(textOf(s), at) {
					return false // no cell before has what the others of this row or column have together
				}
			}
			c.back, c.subs[d] = lower != "", at
			c.running++
		}
	}
	return true
}

// ofGenerator returns u[i,1:n-1] for u[i,k] for k in range(1, n), and other tokens as they are.
func ofGenerator(l []token) []token {
	at := slices.IndexFunc(l, func(x token) bool { return x.is("for") })
	if at < 4 || len(l) < at+5 || !l[at+2].is("in") || !l[1].is("[") || partner(l[1:at]) != at-2 {
		return l
	}
	ends := rangeCall(l[at+3:])
	if len(ends) != 2 {
		return l
	}
	subs := commas(l[2 : at-1])
	for d, s := range subs {
		if textOf(s) == l[at+1].text {
			subs[d] = between(ends, ":", l[at])
		}
	}
	return cellTokens(l[0], subs)
}

// collectionOf returns the array that tokens l name, and its subscripts; nil if the array is not declared.
func (t *translator) collectionOf(l []token) (*collection, [][]token) {
	declared := t.statementOf("array", l[0].text)
	if declared == nil || !declared[2].is("[") {
		return nil, nil
	}
	close := 2 + partner(declared[2:])
	c := &collection{array: l[0].text, loops: t.loops, elem: ir.TypeNamed(declared[min(close+1, len(declared)-1)].text)}
	for _, r := range commas(declared[3:close]) {
		ends := cut(r, "..")
		if len(ends) != 2 || len(ends[0])*len(ends[1]) == 0 {
			return nil, nil
		}
		c.ranges = append(c.ranges, ends)
		c.dims = append(c.dims, strings.ReplaceAll(textOf(r), " ", ""))
	}
	switch {
	case c.elem == ir.Invalid:
		return nil, nil
	case len(l) == 1:
		return c, slices.Repeat([][]token{{operator(":", l[0])}}, len(c.ranges))
	case !l[1].is("[") || !bracketed(l[1:]):
		return nil, nil
	}
	return c, commas(l[2 : len(l)-1])
}

// loopIn is the loop around that tokens mention; "" without one.
func (c *collection) loopIn(l []token) string {
	for _, name := range c.loops {
		if len(l) > 0 && mentions(textOf(l), name) {
			return name
		}
	}
	return ""
}

// free is the innermost loop that no subscript mentions; k if there is none.
func (c *collection) free() string {
	for _, name := range slices.Backward(c.loops) {
		if !slices.ContainsFunc(c.subs, func(s string) bool { return mentions(s, name) }) {
			return name
		}
	}
	return "k"
}

// wide is the type in which cells are collected: sums of integers may be long.
func (c *collection) wide() ir.Type {
	return collectedIn(c.op, c.elem, c.target)
}

// collectedIn is the type in which cells of a type are collected for a target of another type, which is ir.Invalid if that is not known:
// integers become long as they are added, and the type of the target needs no conversion.
func collectedIn(op string, elem, target ir.Type) ir.Type {
	switch {
	case !elem.Integer() || op == "max" || op == "min":
		return elem
	case elem.Silent(target):
		return target
	}
	return ir.Int64
}

// targetType is the type of what the statement around token k assigns to; ir.Invalid if that is not known.
func (t *translator) targetType(k int) ir.Type {
	for k > 0 && t.sameLine(k-1, k) && !t.at(k-1).is("{") && !t.at(k-1).is(";") {
		k--
	}
	switch {
	case t.at(k).is("let") || t.at(k).named("var"):
		return ir.TypeNamed(t.at(k + 2).text)
	case t.isArray(t.at(k)):
		return ir.TypeNamed(t.elementTypeOf(t.at(k)))
	}
	return ir.Invalid
}

// first is the value before the first cell: the neutral element of the operation.
func (c *collection) first() string {
	switch {
	case c.op == "sum" || c.op == "max" && c.elem.Integer() && c.elem.Cell().Lo == 0:
		return "0"
	case c.op == "max":
		return "-" + beyondAll(c.elem)
	}
	return beyondAll(c.elem)
}

// with is the new value of a collecting cell that takes in the given cell.
func (c *collection) with(cell string) string {
	return c.joined(cell, c.array+"["+strings.Join(c.subs, ",")+"]")
}

// joined is the new value of a collecting cell that takes in the value more.
func (c *collection) joined(cell, more string) string {
	if c.op == "sum" {
		return cell + " + " + more
	}
	return c.op + "(" + cell + ", " + more + ")"
}

// collectedAlong is the hint for an aggregate of the cells up to the current one, or from it on, along dimension d.
func (c *collection) collectedAlong(d int) string {
	dims, subs := slices.Clone(c.dims), slices.Clone(c.subs)
	back := ""
	dims[d], subs[d] = beyond(c.ranges[d][0], -1)+".."+beyond(c.ranges[d][1], 0), c.subs[d]+"-1"
	if c.back {
		dims[d], subs[d] = beyond(c.ranges[d][0], 0)+".."+beyond(c.ranges[d][1], 1), c.subs[d]+"+1"
		back = " of a nest whose loop " + c.subs[d] + " has step -1"
	}
	cell := c.name + "[" + strings.Join(c.subs, ",") + "]"
	return fmt.Sprintf("array %s[%s] %s, init %s[%s] = %s, then %s = %s in the body%s, and %s here",
		c.name, strings.Join(dims, ", "), c.wide(), c.name, strings.Join(c.indices(), ", "), c.first(), cell, c.with(c.name+"["+strings.Join(subs, ",")+"]"), back, cell)
}

// area is the hint for the sum of all cells up to the current one in two dimensions.
func (c *collection) area() string {
	dims := slices.Clone(c.dims)
	near := map[[2]bool]string{}
	for _, back := range [][2]bool{{}, {true, false}, {false, true}, {true, true}} {
		subs := slices.Clone(c.subs)
		for k, d := range c.along {
			dims[d] = beyond(c.ranges[d][0], -1) + ".." + beyond(c.ranges[d][1], 0)
			if back[k] {
				subs[d] += "-1"
			}
		}
		near[back] = c.name + "[" + strings.Join(subs, ",") + "]"
	}
	cell := near[[2]bool{}]
	return fmt.Sprintf("array %s[%s] %s, init %s[%s] = 0, then %s = %s + %s - %s in the body, and %s here",
		c.name, strings.Join(dims, ", "), c.wide(), c.name, strings.Join(c.indices(), ", "), cell,
		c.with(near[[2]bool{true, false}]), near[[2]bool{false, true}], near[[2]bool{true, true}], cell)
}

// indices are names for the subscripts of an init.
func (c *collection) indices() (names []string) {
	for k, s := range c.subs {
		if !slices.Contains(c.loops, s) || slices.Contains(names, s) {
			s = fmt.Sprintf("n%d", k+1)
		}
		names = append(names, s)
	}
	return names
}

// before is the hint for an aggregate of all cells along some dimensions: an earlier nest collects them.
func (c *collection) before() string {
	without := func(list []string, sep string) string {
		var rest []string
		for d, s := range list {
			if !slices.Contains(c.along, d) {
				rest = append(rest, s)
			}
		}
		return strings.Join(rest, sep)
	}
	names := c.indices()
	var loops []string
	for d, name := range names {
		loops = append(loops, name+" = "+c.dims[d])
	}
	dims, indices, here, cell := without(c.dims, ", "), without(names, ", "), without(c.subs, ","), without(names, ",")
	if dims == "" {
		dims, indices, here, cell = "0..0", "k", "0", "0"
	}
	here, cell = c.name+"["+here+"]", c.name+"["+cell+"]"
	c.subs = names
	if len(c.along) == 2 && len(names) == 2 { // in one nest, a cell for all would be read at many distances
		row := "row[" + names[0] + "]"
		return fmt.Sprintf("arrays row[%s] and %s[0..0] %s that begin with %s, two nests before this one, for %s { %s = %s } and for %s { %s = %s }, and %s here",
			c.dims[0], c.name, c.wide(), c.first(), strings.Join(loops, ", "), row, c.with(row), loops[0], cell, c.joined(cell, row), here)
	}
	if len(c.along) > 1 {
		return ""
	}
	return fmt.Sprintf("array %s[%s] %s, init %s[%s] = %s, a nest before this one, for %s { %s = %s }, and %s here",
		c.name, dims, c.wide(), c.name, indices, c.first(), strings.Join(loops, ", "), cell, c.with(cell), here)
}

// collects replaces the call of an aggregate, tokens first to last with the arguments l, if an array can collect it.
func (t *translator) collects(e edits, first, last int, function string, f *aggregateFunction, l []token) bool {
	hint, message := t.collected(first, function, f, l)
	if message == "" {
		return false
	}
	if hint != "" && slices.Contains([]string{"mean", "average"}, strings.ToLower(function)) {
		hint += ", divided by the number of cells"
	}
	if t.found("collected "+message, join(t.at(first).span(), t.at(last).span()), message, func() string { return hint }, diag.Advice) {
		t.supersede(e, first, last, []token{word(tokIdent, hole, t.at(first))})
	}
	return true
}

// methodOfSlice replaces u[i,:].sum(), where the brackets are token k and its partner.
func (t *translator) methodOfSlice(e edits, k int) bool {
	dot := t.match[k] + 1
	name := t.at(dot + 1)
	f := aggregates[strings.ToLower(name.text)]
	if !t.at(dot).is(".") || f == nil || !t.at(dot+2).is("(") || t.match[dot+2] < 0 {
		return false
	}
	last := t.match[dot+2]
	if t.collects(e, k-1, last, name.text, f, t.tokens[k-1:dot]) {
		return true
	}
	message := t.severalMessage(name.text)
	hint := t.innerCells(k-1, name.text, f, t.tokens[k-1:dot])
	if hint != "" {
		message = innerMessage
	}
	if t.found("aggregate of slice", join(t.at(k-1).span(), t.at(last).span()), message, func() string { return hint }, diag.Advice) {
		t.supersede(e, k-1, last, []token{word(tokIdent, hole, t.at(k))})
	}
	return true
}

// ofOne reports whether a call of max or min, whose bracket is token open, compares several numbers of one
// iteration: the second argument is no axis.
func (t *translator) ofOne(name string, open int) bool {
	args := commas(t.tokens[open+1 : t.match[open]])
	if f := strings.ToLower(name); f != "max" && f != "min" && f != "maximum" && f != "minimum" || len(args) < 2 || len(args[1]) == 0 {
		return false
	}
	number := len(args[1]) == 1 && args[1][0].kind == tokInt
	return !number && !(args[1][0].named("axis", "dim", "dims", "keepdims", "initial", "where", "key", "default"))
}
