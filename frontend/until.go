package frontend

import (
	"slices"
	"strings"

	"loopc/ir"
	"loopc/ir/diag"
)

// Reports of conditions that cannot end a repeat. The hints are what the user may mean.

// An ending is a comparison of a reduction with a number: name op value.
type ending struct {
	name, value string
	op          ir.Op
}

// mirrored has for each comparison the one to write when its sides are exchanged, and negated the
// one that holds where it does not.
var (
	mirrored = map[ir.Op]ir.Op{ir.Lt: ir.Gt, ir.Le: ir.Ge, ir.Gt: ir.Lt, ir.Ge: ir.Le}
	negated  = map[ir.Op]ir.Op{ir.Lt: ir.Ge, ir.Le: ir.Gt, ir.Gt: ir.Le, ir.Ge: ir.Lt}
)

// endings returns the comparisons that a condition is made of. On the left of each is a name that the
// function is accepts.
func endings(e *expr, is func(name string) bool) []ending {
	switch {
	case e.kind == unaryExpr && e.op == ir.Not:
		list := endings(e.args[0], is)
		for k, x := range list {
			list[k].op = negated[x.op]
		}
		return list
	case e.kind == binaryExpr && (e.op == ir.And || e.op == ir.Or):
		return append(endings(e.args[0], is), endings(e.args[1], is)...)
	case e.kind != binaryExpr || mirrored[e.op] == 0:
		return nil
	}
	x, y, op := withoutAbs(e.args[0]), withoutAbs(e.args[1]), e.op
	if y.kind == nameExpr && is(y.name) && !(x.kind == nameExpr && is(x.name)) {
		x, y, op = y, e.args[0], mirrored[op]
	} else {
		y = e.args[1]
	}
	if x.kind != nameExpr || !is(x.name) {
		return nil
	}
	return []ending{{x.name, bare(y), op}}
}

// withoutAbs is the argument of abs, or e itself.
func withoutAbs(e *expr) *expr {
	if e.kind == callExpr && len(e.args) == 1 && slices.Contains([]string{"abs", "fabs"}, strings.ToLower(e.name)) {
		return e.args[0]
	}
	return e
}

// endsAtOnce warns of a repeat that ends when a difference is large, most likely after one repetition: the
// user probably means that it ends when the difference is small.
func (c *checker) endsAtOnce(e *expr, red *ir.Reduce) {
	call, ok := red.Expr.(*ir.Call)
	if e.op != ir.Gt && e.op != ir.Ge || !ok || call.Fn != ir.Abs || red.Op == ir.ReduceMin {
		return
	}
	if diff, ok := call.Args[0].(*ir.Binary); ok && diff.Op == ir.Sub {
		c.warn(diag.Reduction, e.at, "the repeat ends when %s holds, most likely at once: until says when it ends, not while what it goes on", c.text(e.at)).
			fixOf(e, "%s %s %s", red.Name, negated[e.op], bare(e.args[1]))
	}
}

// noUntil reports the condition e of a repeat, which is no comparison of one of the known
// reductions with a constant.
func (c *checker) noUntil(e *expr, r *ir.Repeat, known []string) {
	if e.kind == binaryExpr && mirrored[e.op] != 0 && e.args[0].kind == nameExpr && c.names[e.args[0].name] == nil {
		x, near := e.args[0], diag.Nearest(e.args[0].name, known)
		if near == "" && len(known) == 1 && !c.others.reduces[x.name] {
			near = known[0]
		}
		if near != "" {
			c.errorf(diag.UnknownName, x.at, "unknown reduction %s; did you mean %s?", x.name, near).fix(x.at, "%s", near)
			return
		}
	}
	d := c.errorf(diag.Reduction, e.at, "a repeat ends when a reduction of one of its nests is <, <=, > or >= a constant")
	if e.kind == binaryExpr && (e.op == ir.And || e.op == ir.Or) {
		d.d.Message += ": one comparison, without && and ||"
	}
	if len(known) == 0 {
		d.note(r.Span, "no nest of this repeat has a reduction")
		return
	}
	if list := endings(e, func(name string) bool { return slices.Contains(known, name) }); len(list) > 0 {
		d.fixOf(e, "%s %s %s", list[0].name, list[0].op, list[0].value)
		return
	}
	d.pattern("until %s < 1e-6", known[0])
}
