package frontend

import (
	"fmt"
	"slices"
	"strings"

	"loopc/frontend/depend"
	"loopc/ir"
	"loopc/ir/diag"
)

// The subscripts of cells, and of arrays that the nest writes.

// subscripts resolves the subscripts of a cell of array a, whose number is right. It examines
// all of them, and returns false after a mistake.
func (c *checker) subscripts(v *view, a int, list []*expr) ([]ir.Affine, bool) {
	sub, told := *v, len(c.diags)
	sub.what = aSubscript
	subs, whole := make([]ir.Affine, len(list)), true
	for k, e := range list {
		before := len(c.diags)
		sub.whole = e
		f, ok := c.affine(&sub, e)
		if !ok && len(c.diags) == before+1 {
			c.around(a, k, list)
		}
		subs[k] = f
		whole = whole && ok
	}
	if !whole {
		c.lookedUp(told, a, list)
		if span := c.nest.Arrays[a].Span; slices.ContainsFunc(c.diags[:told], func(d diag.Diagnostic) bool { return d.Code == diag.NotAffine && d.At.Line == span.Line }) {
			c.diags = c.diags[:told] // with other bounds, the array has other subscripts
		}
		return nil, false
	}
	if name := c.nest.Arrays[a].Name; !v.init && !c.dividing && c.written[name] {
		return subs, c.uniformSubscripts(name, subs, list)
	}
	return subs, true
}

// lookedUp joins the reports from number first of c.diags on, if all are about cells in the subscripts of array a: the
// user looks a cell up in a table. One report remains, with a hint for this case.
func (c *checker) lookedUp(first, a int, list []*expr) {
	if len(c.diags) == first || slices.ContainsFunc(c.diags[first:], func(d diag.Diagnostic) bool {
		return !slices.ContainsFunc(list, func(e *expr) bool { return hasCell(e, d.At) })
	}) {
		return
	}
	c.diags = c.diags[:first+1]
	r, name := report{&c.diags[first]}, c.nest.Arrays[a].Name
	if c.updatesOthers(name) {
		r.d.Message += ": what an update of " + name + " reads, others have written before, at no constant distance"
		r.d.Hint, r.d.Kind = "", diag.Example
		return
	}
	if c.lookedUpTarget(r, a, list) || !slices.ContainsFunc(list, func(e *expr) bool { return e.kind == cellExpr && e.at == r.d.At }) {
		return
	}
	if !c.written[name] {
		r.advise("declare %s as in: an array that the caller gives may have subscripts that are computed", name)
		return
	}
	r.advise("a nest of its own, behind this one, that only reads %s: there it may have this subscript; or, for one of few cells, a select of reads at constant distances", name)
}

// updatesOthers reports whether a statement assigns to a cell of an array that another cell chooses, and reads a further cell of this
// array: then neither a nest behind, nor one more loop over the cells, computes the same.
func (c *checker) updatesOthers(name string) bool {
	return slices.ContainsFunc(c.body, func(b bodyStatement) bool {
		if b.assign == nil || b.assign.Cell.Name.Name != name {
			return false
		}
		subs := flatTrees(b.assign.Cell.Subs)
		if !slices.ContainsFunc(subs, hasAnyCell) {
			return false
		}
		target := enumerated(texts(subs))
		other := func(e *expr) bool { return e.kind == cellExpr && e.name == name && enumerated(texts(e.args)) != target }
		return hasExpr(flatTree(b.assign.Value), other)
	})
}

// texts are the texts of expressions.
func texts(list []*expr) (out []string) {
	for _, e := range list {
		out = append(out, bare(e))
	}
	return out
}

// hasExpr reports whether an expression or a part of it is one that is wanted.
func hasExpr(e *expr, wanted func(*expr) bool) bool {
	return wanted(e) || slices.ContainsFunc(e.args, func(x *expr) bool { return hasExpr(x, wanted) })
}

// hasCell reports whether an expression has the cell at a place, or a call with a cell.
func hasCell(e *expr, at diag.Span) bool {
	computed := e.kind == cellExpr || e.kind == callExpr && slices.ContainsFunc(e.args, hasAnyCell)
	return computed && e.at == at || slices.ContainsFunc(e.args, func(x *expr) bool { return hasCell(x, at) })
}

// hasAnyCell reports whether an expression has a cell.
func hasAnyCell(e *expr) bool { return e.kind == cellExpr || slices.ContainsFunc(e.args, hasAnyCell) }

// lookedUpTarget completes the report of a cell in the subscript of an assignment's target, as in h[a[i]] += 1. The
// hint is one more loop over the cells of h, with a select for the iterations i that mean this cell. It returns false if
// the cell is elsewhere.
func (c *checker) lookedUpTarget(r report, a int, list []*expr) bool {
	if c.assigned == nil || c.assigned.assign == nil || len(list) != 1 || !within(list[0].at, cellSpan(c.assigned.assign.Cell)) || len(c.arrays[a].syntax.Dims) != 1 {
		return false
	}
	loop, dim := c.freshLoop(), c.arrays[a].syntax.Dims[0]
	cell, chosen := c.nest.Arrays[a].Name+"["+loop+"]", bare(list[0])+" == "+loop
	value := fmt.Sprintf("select(%s, ..., %s)", chosen, cell)
	if e := flatTree(c.assigned.assign.Value); c.assigned.assign.Sign.Op == "+=" {
		value = fmt.Sprintf("%s + select(%s, %s, 0)", cell, chosen, bare(e))
	}
	one := "one more loop, over the cells, and outermost"
	if len(c.body) > 1 || len(c.nest.Reduces()) > 0 { // what else the iterations do, they would do once for each cell
		one = "a for of its own, behind this one, with " + one
	}
	r.advise("%s: %s = %s..%s, with %s = %s", one, loop, strings.ReplaceAll(bare(flatTree(dim.Lo)), " ", ""), strings.ReplaceAll(bare(flatTree(dim.Hi)), " ", ""), cell, value)
	return true
}

// freshLoop is a name for one more loop.
func (c *checker) freshLoop() string {
	for _, name := range []string{"v", "k", "m", "n", "c", "q"} {
		if c.names[name] == nil {
			return name
		}
	}
	return "v1"
}

// uniformSubscripts reports subscripts of a written array that are not allowed. A subscript must be
// a loop variable plus a constant, or have no loop variable; no variable may be in two subscripts.
func (c *checker) uniformSubscripts(name string, subs []ir.Affine, list []*expr) bool {
	used := map[int]*expr{}
	for k, s := range subs {
		if !s.HasIters() {
			continue
		}
		e := list[k]
		iter := len(s.Iters) - 1
		if s.Iters[iter] != 1 || len(s.Params) > 0 || (ir.Affine{Iters: s.Iters[:iter]}).HasIters() {
			r := c.errorf(diag.WrittenSubscript, e.at, "subscript %s of %s, which the nest writes, is not a loop variable plus a constant", c.text(e.at), name)
			if l := &c.nest.Loops[iter]; s.Iters[iter] == -1 && c.readsBackward(name, k, l.Name) {
				if iter == 0 && len(c.in) == 0 {
					return false // no for around has written anything
				}
				r.advise("if the for around has written what is read, a for of its own before this one: an array copy of its own, for %s = ... { copy[%[1]s] = %s[...,%s] }, and copy[%[1]s] here",
					l.Name, name, c.text(e.at))
			} else if s.Iters[iter] == -1 && c.writesBackward(name, k, l.Name) {
				c.mirrored(r, iter, s, e)
			}
			switch {
			case len(s.Params) > 0 && c.constInPlace(r, iter, s):
			case s.Iters[iter] == 1 && len(s.Params) == 0:
				c.sumSubscript(r, name, list, k, s)
			case s.Iters[iter] > 1 && len(s.Params) == 0:
				c.scaledSubscript(r, name, list, k, s)
			}
			return false
		}
		if first := used[iter]; first != nil {
			c.errorf(diag.WrittenSubscript, e.at, "%s, which the nest writes, has the loop variable %s in two subscripts", name, c.nest.Loops[iter].Name).
				note(first.at, "%s is used here", c.nest.Loops[iter].Name)
			return false
		}
		used[iter] = e
	}
	return true
}

// readsBackward reports whether a statement of the body writes an array, a subscript of which, of dimension k, is read with a loop
// counting down, with that loop counting up.
func (c *checker) readsBackward(name string, k int, loop string) bool {
	return c.writesWith(name, k, func(e *expr) bool {
		return e.kind == nameExpr && e.name == loop || e.kind == binaryExpr && e.args[0].kind == nameExpr && e.args[0].name == loop
	})
}

// writesBackward reports whether a statement of the body writes an array with a loop counting down in dimension k.
func (c *checker) writesBackward(name string, k int, loop string) bool {
	return !c.readsBackward(name, k, loop) && c.writesWith(name, k, func(e *expr) bool { return named([]*expr{e}, loop) })
}

// mirrored completes the report of a subscript s of a written array, from which loop number iter is subtracted: a loop over the
// subscript itself counts these cells, and what was the loop is subtracted elsewhere.
func (c *checker) mirrored(r report, iter int, s ir.Affine, e *expr) {
	l := &c.nest.Loops[iter]
	rest := ir.Affine{Const: s.Const, Params: s.Params, Iters: slices.Clone(s.Iters)}
	rest.Iters[iter] = 0
	if len(l.Lo) != 1 || len(l.Hi) != 1 || rest.HasIters() {
		return
	}
	names := c.loopNames()
	end := func(f ir.Affine) string { return depend.AffineText(c.nest, rest.PlusTimes(-1, f), names) }
	first, last, step := end(l.Lo[0]), end(l.Hi[0]), " step -1"
	if l.Backward {
		first, last, step = last, first, ""
	}
	r.advise("the loop %[1]s = %[2]s..%[3]s%[4]s, with %[1]s in place of %[5]s, and %[5]s in place of every other %[1]s", l.Name, first, last, step, strings.ReplaceAll(bare(e), " ", ""))
}

// writesWith reports whether a statement of the body writes an array whose subscript of dimension k is such an expression.
func (c *checker) writesWith(name string, k int, such func(e *expr) bool) bool {
	return slices.ContainsFunc(c.body, func(b bodyStatement) bool {
		return b.assign != nil && b.assign.Cell.Name.Name == name && k < len(b.assign.Cell.Subs) && such(flatTree(b.assign.Cell.Subs[k]))
	})
}

// sumSubscript completes the report of subscript k of a written array that is the sum of two loops: a loop over the
// sum itself can stand there. Further cells of the array are not reported.
func (c *checker) sumSubscript(r report, name string, list []*expr, k int, s ir.Affine) {
	if c.sums[name] {
		c.diags = c.diags[:len(c.diags)-1]
		return
	}
	if c.sums == nil {
		c.sums = map[string]bool{}
	}
	c.sums[name] = true
	e, likeOne := list[k], []string{"i", "l", "I"} // names that are easily typed for 1
	has := func(x *expr) bool { return x != e && slices.Contains(x.names(), e.args[1].name) }
	if e.kind == binaryExpr && slices.Contains(likeOne, e.args[1].name) && e.args[0].kind == nameExpr && slices.ContainsFunc(list, has) {
		near := e.args[0].name + map[bool]string{true: "-", false: "+"}[e.op == ir.Sub] + "1"
		r.d.Message += "; did you mean " + near + "?"
		r.fixOf(e, "%s", near)
		return
	}
	if c.smallLoop(r, s) {
		return
	}
	r.advise(overSum+", whose bounds depend on another loop, as in for i = 1..N, j = i+1..N, in place of %s", bare(e))
}

// smallLoop completes the report of subscript s of a written array if a loop in it has few numbers, and the target of the
// statement lacks this loop: beside other statements, the loop is written out. It returns false for other subscripts.
func (c *checker) smallLoop(r report, s ir.Affine) bool {
	if c.assigned == nil || c.assigned.assign == nil {
		return false
	}
	target := c.assigned.assign.Cell
	arr := slices.IndexFunc(c.nest.Arrays, func(x ir.Array) bool { return x.Name == target.Name.Name })
	number := func(list []ir.Affine) bool { return len(list) == 1 && !list[0].HasIters() && len(list[0].Params) == 0 }
	for k, l := range c.nest.Loops {
		if s.Iter(k) == 0 || arr < 0 || !number(l.Lo) || !number(l.Hi) || l.Hi[0].Const-l.Lo[0].Const >= maxUnrolled ||
			slices.ContainsFunc(target.Subs, func(x *exprSyntax) bool { return slices.Contains(flatTree(x).names(), l.Name) }) {
			continue
		}
		r.advise("the loop %[1]s beside other statements, where it is written out: var s %[2]s = %[3]s; for %[1]s = %[4]d..%[5]d { s += ... }; %[3]s = s",
			l.Name, c.nest.Arrays[arr].Elem, c.text(cellSpan(target)), l.Lo[0].Const, l.Hi[0].Const)
		return true
	}
	return false
}

// overSum begins the hint for a sum of loops in a subscript.
const overSum = "a loop over the subscript itself"

// scaledSubscript completes the report of subscript s, number k of a cell of a written array: a loop times a
// factor. A write leaves cells out between those that it writes: the user wants either no such cells, or
// cells that keep their values. Further cells of the array are not reported.
func (c *checker) scaledSubscript(r report, name string, list []*expr, k int, s ir.Affine) {
	if c.sums[name+" scaled"] {
		c.diags = c.diags[:len(c.diags)-1]
		return
	}
	last := len(s.Iters) - 1
	if (ir.Affine{Iters: s.Iters[:last]}).HasIters() {
		return
	}
	if c.sums == nil {
		c.sums = map[string]bool{}
	}
	c.sums[name+" scaled"] = true
	if c.assigned == nil || !within(list[k].at, cellSpan(c.assigned.assign.Cell)) {
		r.advise("a nest of its own, behind this one, that only reads %s: there it may have this subscript", name)
		return
	}
	subs, loop, factor := slices.Clone(list), c.nest.Loops[last].Name, s.Iters[last]
	subs[k] = &expr{kind: nameExpr, name: loop}
	cell := bare(&expr{kind: cellExpr, name: name, args: subs})
	r.advise("%[1]s, so that its cells lie side by side; or a loop %[2]s over all these cells, and %[1]s = select(%[2]s%%%[3]d == %[4]d, value, %[1]s) for those that stay",
		cell, loop, factor, (s.Const%factor+factor)%factor)
}

// within reports whether a piece of a line lies in another one.
func within(x, whole diag.Span) bool {
	return x.Line == whole.Line && x.Col >= whole.Col && x.Col+x.Len <= whole.Col+whole.Len
}

// constInPlace advises on a const in place of the only param in a subscript that is a loop plus this param, and numbers.
func (c *checker) constInPlace(r report, iter int, s ir.Affine) bool {
	at := slices.IndexFunc(s.Params, func(x int) bool { return x != 0 })
	if at != len(s.Params)-1 || s.Iters[iter] != 1 || (ir.Affine{Iters: s.Iters[:iter]}).HasIters() {
		return false
	}
	p := c.nest.Params[at]
	if ent := c.names[p.Name]; ent == nil || ent.kind != paramEntity || p.Default == nil {
		return false
	}
	r.advise("const %s = %d, in place of the param: a distance between iterations is known before the launch", p.Name, *p.Default)
	return true
}
