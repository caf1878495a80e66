package frontend

import (
	"fmt"
	"slices"
	"strings"

	"loopc/ir"
	"loopc/ir/diag"
)

// Reports of values that are no reduction. The hints are the reductions that the user may mean.

// A reductionElsewhere is a reduction of other languages: what to write for it, "" if nothing
// stands for it, and a note for the message. The template here is one for filled.
type reductionElsewhere struct{ here, note string }

const placesToo = "max and min tell their place, too: reduce best, bi, bj = max(e) at (i, j)"

const divideAfterwards = "the sum, divided by the number of cells afterwards, is the mean"

// reductionsOfOthers are the reductions of other languages, by their names in small letters.
var reductionsOfOthers = map[string]reductionElsewhere{
	"mean": {"sum(@1)", divideAfterwards}, "average": {"sum(@1)", divideAfterwards}, "avg": {"sum(@1)", divideAfterwards},
	"count": {"sum(select(@1, 1, 0))", "a count is a sum of 1 and 0"}, "count_nonzero": {"sum(select(@1, 1, 0))", "a count is a sum of 1 and 0"},
	"any": {"max(select(@1, 1, 0))", "1 if any is"}, "all": {"min(select(@1, 1, 0))", "1 if all are"},
	"product": {"", "of positive values, the product is exp of the sum of log"}, "prod": {"", "of positive values, the product is exp of the sum of log"},
	"argmax": {"", placesToo}, "argmin": {"", placesToo},
	"maxloc": {"", placesToo}, "minloc": {"", placesToo},
	"norm": {"sum($1*$1)", "the root of a sum is taken afterwards"}, "maximum": {"max(@1)", ""}, "minimum": {"min(@1)", ""}, "maxval": {"max(@1)", ""}, "minval": {"min(@1)", ""},
	"amax": {"max(@1)", ""}, "amin": {"min(@1)", ""}, "fmax": {"max(@1)", ""}, "fmin": {"min(@1)", ""},
}

// noReduction reports e, the value of a reduction of that name, which is no max, min or sum.
func (c *checker) noReduction(name string, e *expr) {
	value, note := c.reductionOf(e)
	if ofNumbers(e) { // a first value: the body tells what is combined
		r := c.errorf(diag.Reduction, e.at, "a reduction is the max, min or sum of an expression, and needs no first value")
		if collected := c.gatheredBy(name); collected != "" {
			r.fixOf(e, "%s", collected)
		}
		return
	}
	var r report
	if e.kind == callExpr {
		r = c.errorf(diag.Reduction, e.opAt, "%s is no reduction: those are max, min and sum", e.name)
	} else {
		r = c.errorf(diag.Reduction, e.at, "a reduction is the max, min or sum of an expression")
	}
	if note != "" {
		r.d.Message += "; " + note
	}
	if ent := c.names[e.name]; e.kind == cellExpr && ent != nil && ent.kind == arrayEntity && c.nest.Arrays[ent.index].Role == ir.Internal && !c.moves(e) {
		r.advise("out %s gives this one cell back", strings.ReplaceAll(bare(e), ",", ", "))
		return
	}
	if value == "" {
		return
	}
	if e.kind != callExpr && reducedIn(e) == nil {
		if value, note = meantBy(name, e); note != "" {
			r.advise("%s", note)
			return
		}
	}
	if e.kind == callExpr || !e.oneLine() {
		r.d.At = e.at
	}
	r.fixOf(e, "%s", value)
}

// moves reports whether a loop of the nest occurs in e.
func (c *checker) moves(e *expr) bool {
	return slices.ContainsFunc(e.names(), func(name string) bool {
		ent := c.names[name]
		return ent != nil && ent.kind == loopEntity
	})
}

// reductionOf returns the reduction that e is probably meant for, "" if there is none, and a note for the
// message.
func (c *checker) reductionOf(e *expr) (value, note string) {
	if inner := reducedIn(e); inner != nil {
		return aroundReduction(e, inner)
	}
	if e.kind == callExpr && len(e.args) == 1 {
		if x, known := reductionsOfOthers[strings.ToLower(e.name)]; known {
			text, _ := filled(x.here, e.args)
			return text, x.note
		}
		if near := diag.Nearest(e.name, []string{"max", "min", "sum"}); near != "" && !c.functionKnown(e.name) {
			return near + "(" + bare(e.args[0]) + ")", "did you mean " + near + "?"
		}
	}
	return "max(" + bare(e) + ")", ""
}

// aroundReduction does what reductionOf does, for an expression e that computes with a reduction, inner.
func aroundReduction(e, inner *expr) (value, note string) {
	around := *e
	around.args = slices.Clone(e.args)
	around.args[slices.Index(e.args, inner)] = inner.args[0]
	scales := e.kind == binaryExpr && e.op == ir.Mul // a quotient of integers in place of each term would be another number
	switch {
	case e.kind == callExpr && len(e.args) == 1 && inner.name == "sum":
		return bare(inner), e.name + " is applied afterwards: to what is given back, and in an until, as in until " + e.name + "(x) < 1e-6"
	case e.kind == callExpr && len(e.args) == 1:
		return inner.name + "(" + bare(&around) + ")", e.name + " is applied before"
	case scales:
		return inner.name + "(" + bare(&around) + ")", ""
	}
	return bare(inner), "what is computed with it is computed afterwards"
}

// noAssignment reports a body that assigns to no array. The hint is an array for a let that no statement
// uses, or for the values that a reduction combines.
func (c *checker) noAssignment(f *fileSyntax) {
	r := c.errorf(diag.OneNest, f.loops.Loops[0].Name.span(), "the body of the for assigns to no array")
	if idle := c.idleLet(); idle != "" {
		r.advise("an assignment to a cell of an array that is out or inout, which gives back what %s is", idle)
		return
	}
	for _, x := range f.reduces {
		e := flatTree(x.Value)
		_, known := ir.ReduceNamed(e.name)
		if !known || len(e.args) != 1 || holed(e.args[0]) {
			continue
		}
		if x.Name.span().Line > f.loops.Loops[0].Name.span().Line {
			r.d.Message = "the reduction of a for that assigns to no array stands before it, and not behind"
			r.advise("reduce %s = %s in the line before this for", x.Name.Name, bare(e))
			return
		}
		r.d.Message += ", and a reduction alone is no nest"
		c.arrayForLet(r, x.Name.Name, e)
		return
	}
}

// idleLet is the last let of the body that no statement of it uses; "" if there is none.
func (c *checker) idleLet() string {
	used := map[string]bool{}
	for _, b := range c.body {
		switch {
		case b.let != nil:
			for _, name := range flatTree(b.let.Value).names() {
				used[name] = true
			}
		case b.reduce != nil:
			for _, name := range flatTree(b.reduce.Value).names() {
				used[name] = true
			}
		}
	}
	for _, b := range slices.Backward(c.body) {
		if b.let != nil && !used[b.let.Name.Name] {
			return b.let.Name.Name
		}
	}
	return ""
}

// arrayForLet completes r with an internal array for the values that the reduction e, of the given
// name, combines. The values are those of a let in its operand or, if there is none, of the operand
// itself.
func (c *checker) arrayForLet(r report, reduction string, e *expr) {
	var reach [][2]ir.Affine
	for _, name := range c.loopNames() {
		ends, known := c.rangeOfLoop(&expr{kind: nameExpr, name: name})
		if !known {
			return
		}
		reach = append(reach, ends)
	}
	name, value, elem := reduction+"At", bare(e.args[0]), ir.Float64
	whole := func(x ir.Expr) {
		if v := c.types.judge(x); !v.clashes && v.t != ir.Invalid {
			elem = v.t
		}
	}
	cell := &expr{kind: cellExpr, name: name}
	for _, loop := range c.loopNames() {
		cell.args = append(cell.args, &expr{kind: nameExpr, name: loop})
	}
	operand, place := cell, " in the body"
	for _, b := range c.body {
		if b.let != nil && b.expr != nil && slices.Contains(e.args[0].names(), b.let.Name.Name) {
			name, value, place = b.let.Name.Name, bare(flatTree(b.let.Value)), " in place of the let"
			cell.name = name
			operand = substituted(e.args[0], map[string]*expr{name: cell})
			whole(b.expr)
		}
	}
	if place == " in the body" {
		for _, b := range c.body {
			if b.reduce != nil && b.reduce.Name.Name == reduction && b.expr != nil {
				whole(b.expr)
			}
		}
	}
	r.advise("array %s, and %s = %s%s: reduce %s = %s(%s)", c.declared(name, reach, elem.String(), ""), bare(cell), value, place, reduction, e.name, bare(operand))
}

// functionKnown reports whether a name is that of a function here or elsewhere.
func (c *checker) functionKnown(name string) bool {
	_, builtin := ir.FuncNamed(name)
	_, elsewhere := functionsElsewhere[strings.ToLower(name)]
	ent := c.names[name]
	return builtin || elsewhere || ent != nil && ent.kind == externEntity
}

// reducedIn returns the only operand or argument of e that is a call of max, min or sum with one
// argument; nil if there is none or more than one.
func reducedIn(e *expr) (found *expr) {
	for _, a := range e.args {
		if _, known := ir.ReduceNamed(a.name); known && a.kind == callExpr && len(a.args) == 1 {
			if found != nil {
				return nil
			}
			found = a
		}
	}
	return found
}

// meantBy guesses from a reduction's name, and from its operand e, which reduction the user means: a product
// is summed, and something called a change is a max. If nothing suggests one, the advice names all three.
func meantBy(name string, e *expr) (value, advice string) {
	says := func(words string) bool {
		return slices.ContainsFunc(strings.Fields(words), func(w string) bool { return strings.Contains(strings.ToLower(name), w) })
	}
	text := bare(e)
	if x, known := reductionsOfOthers[strings.ToLower(name)]; known && x.here != "" {
		value, _ = filled(x.here, []*expr{e})
		if x.note != "" {
			return "", "for example " + value + ": " + x.note
		}
		return value, ""
	}
	switch {
	case says("prod"):
		return "", "of positive values, the product is exp of a sum: for example sum(log(" + text + "))"
	case says("max larg great big high peak top worst"):
		return "max(" + text + ")", ""
	case says("min small least low"):
		return "min(" + text + ")", ""
	case says("total sum mass energy") || e.kind == binaryExpr && e.op == ir.Mul:
		return "sum(" + text + ")", ""
	case says("change delta diff err resid"):
		return "max(" + text + ")", ""
	}
	return "", fmt.Sprintf("max(%[1]s), min(%[1]s) or sum(%[1]s)", text)
}

// narrowSum warns of a sum in a type of one or two bytes, which a few cells exceed, unless the user has written the type.
func (c *checker) narrowSum(b *bodyStatement) {
	if b.reduce.place {
		return
	}
	e, t := flatTree(b.reduce.Value).args[0], b.expr.Type()
	if b.op != ir.ReduceSum || !t.Integer() || t.Size() > 2 || e.kind == callExpr && e.name == t.String() {
		return
	}
	most := t.Cell().Hi
	if text := c.text(e.at); e.kind == cellExpr && !strings.HasPrefix(text, e.name) { // lowering made the cell
		c.warn(diag.ConstantOverflow, b.reduce.Name.span(), "what %s adds up is %s, and so is the sum, which wraps above %d", b.reduce.Name.Name, t, most).
			advise("int64(...) around it")
		return
	}
	c.warn(diag.ConstantOverflow, e.at, "%s is %s, and so is its sum, which wraps above %d", c.text(e.at), t, most).fixOf(e, "int64(%s)", bare(e))
}

// summed returns the operand to write for the reduction op of e. Narrow cells are converted to int64 for a
// sum.
func (c *checker) summed(op string, e *expr) string {
	if op == "sum" && slices.ContainsFunc(ir.Types(), func(t ir.Type) bool { return t.Integer() && t.Size() <= 2 && c.onlyOf(t, e) }) {
		return "int64(" + bare(e) + ")"
	}
	return bare(e)
}
