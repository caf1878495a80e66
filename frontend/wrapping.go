package frontend

import (
	"slices"
	"strings"

	"loopc/ir"
	"loopc/ir/diag"
)

// A subscript that goes around the end of a dimension, as (i+1)%N does, or select(i == N, 0, i+1), is read through a
// boundary that is periodic.

// around completes the last report, about subscript d among those of a cell of array a, if it goes around the end.
func (c *checker) around(a, d int, list []*expr) {
	e := list[d]
	r := report{&c.diags[len(c.diags)-1]}
	if r.d.Code != diag.NotAffine || r.d.Kind == diag.Replacement && r.d.Hint != "" || c.assigned != nil && c.assigned.assign != nil && within(e.at, cellSpan(c.assigned.assign.Cell)) {
		return
	}
	straight, size := c.unwrapped(e)
	if straight == nil {
		return
	}
	if c.wrapsInPlace(a, d, list) {
		r.d.Message += ": " + inPlaceMessage
		r.d.Hint, r.d.Kind = "", diag.Example
		return
	}
	way := strings.NewReplacer("+-", "-", "--", "+").Replace(strings.ReplaceAll(bare(straight), " ", "")) + " here, " + c.periodicToo(a, d)
	if size != nil {
		way += ", and bounds of that dimension that have " + bare(size) + " cells"
	}
	r.advise("%s", way)
}

// periodicToo is the boundary of array a that is periodic in dimension d, in words: also in the dimensions for which other reports
// have it, which then have the same boundary, and else as the file declares it.
func (c *checker) periodicToo(a, d int) string {
	arr := &c.nest.Arrays[a]
	kinds := slices.Repeat([]string{"*"}, len(c.arrays[a].syntax.Dims))
	for k, e := range arr.Boundary {
		if kinds[k] = e[0].String(); e[1] != e[0] {
			kinds[k] += ".." + e[1].String()
		}
	}
	begin := "with boundary " + arr.Name + "["
	var others []*diag.Diagnostic
	for k := range c.diags {
		_, rest, ok := strings.Cut(c.diags[k].Hint, begin)
		if list, _, closed := strings.Cut(rest, "]"); ok && closed {
			others = append(others, &c.diags[k])
			for i, kind := range strings.Split(list, ", ") {
				if kind == "periodic" {
					kinds[i] = kind
				}
			}
		}
	}
	if kinds[d] == "periodic" && len(others) == 0 {
		return "with the boundary that " + arr.Name + " has"
	}
	kinds[d] = "periodic"
	text := begin + strings.Join(kinds, ", ") + "]"
	for _, x := range others {
		before, rest, _ := strings.Cut(x.Hint, begin)
		_, behind, _ := strings.Cut(rest, "]")
		x.Hint = before + text + behind
	}
	if arr.Boundary != nil {
		text += " in place of the boundary of " + arr.Name
	}
	return text
}

// unwrapped is what a subscript that goes around an end is without that, and the number of cells around, nil if it is not
// known. straight is nil if e is no such subscript.
func (c *checker) unwrapped(e *expr) (straight, size *expr) {
	switch {
	case e.kind == nameExpr:
		for _, b := range c.body {
			if b.let != nil && b.let.Name.Name == e.name {
				if value := flatTree(b.let.Value); value.kind != nameExpr {
					return c.unwrapped(value)
				}
			}
		}
	case e.kind == binaryExpr && e.op == ir.Rem && c.ofParameters(e.args[1]):
		if x := withoutTerm(e.args[0], bare(e.args[1])); c.sumOfNames(x) && !c.ofParameters(x) {
			return x, e.args[1]
		}
	case e.kind == callExpr && e.name == "select" && len(e.args) == 3 && c.text(e.opAt) == e.name: // and not made from an if
		for k, x := range e.args[1:] {
			if c.sumOfNames(x) && !c.ofParameters(x) && c.ofParameters(e.args[2-k]) {
				return x, nil
			}
		}
	}
	return nil, nil
}

// withoutTerm is a sum without a term, which only keeps it from being negative.
func withoutTerm(e *expr, term string) *expr {
	if e.kind != binaryExpr || e.op != ir.Add && e.op != ir.Sub {
		return e
	}
	switch x, y := e.args[0], e.args[1]; {
	case e.op == ir.Add && bare(y) == term:
		return x
	case e.op == ir.Add && bare(x) == term:
		return y
	default:
		sum := *e
		sum.args = []*expr{withoutTerm(x, term), y}
		return &sum
	}
}
