package frontend

import (
	"slices"
	"strings"

	"loopc/ir"
	"loopc/ir/diag"
)

// innerMessage is said of an aggregate that has another value in each iteration.
const innerMessage = "a body works on one cell at a time: an inner loop collects many"

// innerSum is the advice for a sum or a dot product of slices whose length differs from iteration to iteration, such as
// sum(U[i,i+1:N]*x[i+1:N]), of which token k is the function: an inner loop collects the terms. It is "" for other calls.
func (t *translator) innerSum(k int) string {
	terms := t.tokens[k+2 : max(k+2, t.match[k+1])]
	switch strings.ToLower(t.at(k).text) {
	case "sum":
	case "dot", "dot_product", "inner", "vdot":
		args := commas(terms)
		if len(args) != 2 {
			return ""
		}
		terms = between(args, "*", t.at(k))
	default:
		return ""
	}
	index, total := freeIndex(t.loops, 0), t.fresh("s")
	var ends []string
	var out []token
	elem := ""
	for j := 0; j < len(terms); j++ {
		x := terms[j]
		out = append(out, x)
		if !t.isArray(x) {
			continue
		}
		if j+1 == len(terms) || !terms[j+1].opens() {
			return ""
		}
		last := j + 1 + partner(terms[j+1:])
		subs, own := t.atIndex(commas(terms[j+2:last]), index)
		if own == nil || ends != nil && !slices.Equal(own, ends) {
			return ""
		}
		ends, elem = own, t.elementTypeOf(x)
		out = append(out[:len(out)-1], cellTokens(x, subs)...)
		j = last
	}
	if clean, ok := t.cleaned(out, maxForeignTokens); ok {
		out = clean
	}
	if ends == nil || t.loopsIn(ends[0]) == t.loopsIn(ends[1]) {
		return ""
	}
	return "before this statement, var " + total + " " + elem + " = 0 and for " + index + " = " + ends[0] + ".." + ends[1] + " { " + total + " += " + textOf(out) + " }; " + total + " stands here; ranges include both ends"
}

// innerValues is the advice for a sum, max or min of values for the numbers of a range, such as
// max(L[j] for j in range(1, i)), whose bracket is token open. It is "" for other calls.
func (t *translator) innerValues(k, open int, f *aggregateFunction) string {
	value, index, ends := t.summed(t.tokens[open+1 : max(open+1, t.match[open])])
	if f.reduce == "" || t.at(k).named("mean", "average") || value == nil || slices.Contains(t.loops, index) || t.arrays[index] || t.numbers[index] || len(t.loops) == 0 ||
		t.loopsIn(textOf(ends[0])+" "+textOf(ends[1])) == "" && t.writesHere(k, value) && !t.ofEarlier(value) {
		return ""
	}
	total, elem := t.fresh("s"), "float64"
	var first []token
	if clean, ok := t.cleaned(value, maxForeignTokens); ok {
		value = clean
	}
	for _, x := range value {
		if t.isArray(x) && elem == "float64" {
			elem = t.elementTypeOf(x)
		}
		if x.text == index && x.kind == tokIdent {
			first = append(first, ends[0]...)
		} else {
			first = append(first, x)
		}
	}
	begin, each := "0", total+" += "+textOf(value)
	if own := ir.TypeNamed(elem); own != ir.Invalid {
		elem = collectedIn(f.reduce, own, t.targetType(k)).String()
	}
	if f.reduce != "sum" {
		begin, each = textOf(first), total+" = "+f.reduce+"("+total+", "+textOf(value)+")"
	}
	return "before this statement, var " + total + " " + elem + " = " + begin + " and for " + index + " = " + textOf(ends[0]) + ".." + textOf(ends[1]) + " { " + each + " }; " + total + " stands here"
}

// ofEarlier reports whether a value has a subscript such as t-1, t being a loop around: it is of an earlier iteration.
func (t *translator) ofEarlier(value []token) bool {
	for n := 1; n+2 < len(value); n++ {
		if slices.Contains(t.loops, value[n].text) && (value[n-1].is("[") || value[n-1].is("(") || value[n-1].is(",")) && value[n+1].is("-") && value[n+2].kind == tokInt {
			return true
		}
	}
	return false
}

// variable reports whether an argument is a name that the file has nowhere else as a number or as a loop around.
func (t *translator) variable(x []token) bool {
	return len(x) == 1 && x[0].kind == tokIdent && !t.declared[x[0].text] && !slices.Contains(t.loops, x[0].text)
}

// ofFor divides the arguments of a call into a value and a loop as in k = a..b; none if they are of another form.
func ofFor(l []token, args [][]token) (value, loop []token) {
	if at := slices.IndexFunc(l, func(x token) bool { return x.is("for") }); at > 0 {
		return withoutRound(l[:at]), l[at+1:]
	}
	for k, x := range args {
		if len(args) == 2 && len(x) > 3 && x[1].is("=") {
			return args[1-k], x
		}
	}
	return nil, nil
}

// overUnknown reports a call of sum, max or min of one value with exactly one unknown name, a subscript: as in a formula, it stands
// for all cells of that dimension, which an inner for collects. It returns false for another call.
func (c *checker) overUnknown(e *expr, op string) bool {
	if c.assigned == nil || c.assigned.assign == nil || len(e.args) != 1 {
		return false
	}
	index := c.unknownIn(e.args[0])
	of := c.dimensionAt(e.args[0], index)
	if index == "" || of == nil {
		return false
	}
	elem := ir.TypeNamed(of.elem)
	if elem == ir.Invalid {
		return false
	}
	number, lo, value := "s", bare(flatTree(of.bounds.Lo)), bare(e.args[0])
	for c.names[number] != nil {
		number += "1"
	}
	begin, each := "0", number+" += "+value
	if op != "sum" {
		begin, each = map[string]string{"max": "-", "min": ""}[op]+beyondAll(elem), number+" = "+op+"("+number+", "+value+")"
	} else if ent := c.names[c.assigned.assign.Cell.Name.Name]; ent != nil && ent.kind == arrayEntity {
		elem = collectedIn(op, elem, ir.TypeNamed(c.arrays[ent.index].syntax.Type.Name))
	}
	c.errorf(diag.UnknownName, e.opAt, "unknown function %s: an inner loop collects many", e.name).
		advise("before this statement, var %[1]s %[2]s = %[3]s and for %[4]s = %[5]s..%[6]s { %[7]s }; %[1]s stands here", number, elem, begin, index, lo, bare(flatTree(of.bounds.Hi)), each)
	c.spoiled[index] = true
	return true
}

// unknownIn is the only name in e that nothing declares; "" if there are none or several.
func (c *checker) unknownIn(e *expr) (name string) {
	for _, x := range e.names() {
		switch {
		case c.names[x] != nil || x == name:
		case name != "" || c.spoiled[x]:
			return ""
		default:
			name = x
		}
	}
	return name
}

// A dimensionOf is a dimension of an array of the file.
type dimensionOf struct {
	bounds *rangeSyntax
	elem   string // the type of the array
}

// dimensionAt is the first dimension in e that has a name as its subscript; nil if there is none.
func (c *checker) dimensionAt(e *expr, name string) *dimensionOf {
	if ent := c.names[e.name]; e.kind == cellExpr && ent != nil && ent.kind == arrayEntity {
		decl := c.arrays[ent.index].syntax
		for d, sub := range e.args {
			if sub.kind == nameExpr && sub.name == name && d < len(decl.Dims) {
				return &dimensionOf{decl.Dims[d], decl.Type.Name}
			}
		}
	}
	for _, a := range e.args {
		if found := c.dimensionAt(a, name); found != nil {
			return found
		}
	}
	return nil
}

// atIndex returns subscripts with an index in the place of their only slice, and the two ends of the slice; nil if there is no
// such slice.
func (t *translator) atIndex(subs [][]token, index string) (out [][]token, ends []string) {
	for _, s := range subs {
		parts := cut(s, ":")
		if len(parts) != 2 {
			parts = cut(s, "..")
		}
		if len(parts) != 2 {
			out = append(out, s)
			continue
		}
		if ends != nil || anyEmpty(parts) {
			return nil, nil
		}
		for _, p := range parts {
			ends = append(ends, strings.ReplaceAll(textOf(p), " ", ""))
		}
		out = append(out, []token{word(s[0].kind, index, s[0])})
	}
	return out, ends
}

// loopsIn are the loops around that a text names.
func (t *translator) loopsIn(text string) (names string) {
	for _, name := range t.loops {
		if mentions(text, name) {
			names += name + " "
		}
	}
	return names
}

// summed reads the arguments of a call that has a loop: its value, the variable and the two ends, both included. The forms are
// x[k] for k in range(a, b), with k = a:b and the like; x[k], k = a..b; k = a..b, x[k]; x[k], k, a, b; and k, a, b, x[k].
// value is nil for other arguments.
func (t *translator) summed(l []token) (value []token, index string, ends [][]token) {
	args := commas(l)
	if anyEmpty(args) {
		return nil, "", nil
	}
	switch {
	case len(args) == 4 && t.variable(args[0]):
		return args[3], args[0][0].text, args[1:3]
	case len(args) == 4 && t.variable(args[1]):
		return args[0], args[1][0].text, args[2:4]
	}
	value, loop := ofFor(l, args) // loop: k = a..b
	if len(loop) < 5 || loop[0].kind != tokIdent || !loop[1].is("in") && !loop[1].is("=") || slices.ContainsFunc(loop, func(x token) bool { return x.is("if") || x.is("for") }) {
		return nil, "", nil
	}
	if ends = rangeCall(loop[2:]); ends == nil {
		if ends = cut(loop[2:], ".."); len(ends) != 2 {
			ends = cut(loop[2:], ":")
		}
	}
	if len(ends) != 2 || anyEmpty(ends) {
		return nil, "", nil
	}
	return value, loop[0].text, ends
}
