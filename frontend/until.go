package frontend

import (
	"slices"
	"strconv"
	"strings"

	"loopc/frontend/depend"
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

// endings returns the comparisons that a condition is made of. The left side of each is a name for which
// the given function returns true.
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

// until resolves the condition of a repeat: it compares expressions of reductions of its nests, reductions of nests before the repeat,
// constants and parameters.
func (p *programChecker) until(r *ir.Repeat, h *repeatSyntax, base int) {
	inside := p.outline.repeats[r.Index].nests
	c := p.checkers[slices.Index(p.outline.nests, inside[len(inside)-1])]
	before := len(c.diags)
	defer func() { p.add(c.diags[before:]) }()
	e := c.treeOf(h.Until)
	if e == nil {
		return
	}
	v := &view{what: "the condition of a repeat", params: true, own: map[string]*entity{}}
	var known []string // the reductions of nests of the repeat
	var reduces []*ir.Reduce
	u := &ir.Until{Span: e.at}
	first := slices.Index(p.outline.nests, inside[0])
	add := func(k int) {
		for i, red := range p.checkers[k].nest.Reduces() {
			if v.own[red.Name] == nil {
				v.own[red.Name] = &entity{kind: reduceEntity, index: len(reduces), at: red.Span}
			}
			v.reduces = append(v.reduces, &ir.ReduceRef{T: red.Type, Reduce: len(reduces), Name: red.Name})
			u.Reduces = append(u.Reduces, ir.ReducePlace{Nest: base + k, Reduce: i})
			reduces = append(reduces, red)
		}
	}
	for k := range inside {
		add(first + k)
	}
	for _, red := range reduces {
		known = append(known, red.Name)
	}
	for k := range first {
		if !p.outline.nests[k].ofBatch() && !inside[0].ofBatch() { // else an item may have no result yet
			add(k)
		}
	}
	if !c.comparesAny(e, known) {
		if !c.numberUntil(e, h) {
			c.noUntil(e, r, known)
		}
		p.diags = slices.DeleteFunc(p.diags, func(d diag.Diagnostic) bool {
			return d.Code == diag.NotSupplied && strings.HasSuffix(d.Message, untilLeaves)
		})
		return
	}
	cond, ok := c.untilCondition(v, e)
	if !ok {
		return
	}
	u.Cond = cond
	keepUsed(u)
	r.Until = u
	if x := e.args[0]; x.kind == nameExpr {
		if k := slices.Index(known, x.name); k >= 0 {
			c.endsAtOnce(e, reduces[k])
		}
	}
}

// keepUsed leaves out the reductions that the condition does not read.
func keepUsed(u *ir.Until) {
	all := u.Reduces
	u.Reduces = nil
	number := map[int]int{}
	ir.Walk(u.Cond, func(x ir.Expr) {
		if r, ok := x.(*ir.ReduceRef); ok {
			k, seen := number[r.Reduce]
			if !seen {
				k = len(u.Reduces)
				number[r.Reduce] = k
				u.Reduces = append(u.Reduces, all[r.Reduce])
			}
			r.Reduce = k
		}
	})
}

// comparesAny reports whether e is a comparison by order that contains a known reduction and no cell of
// an array.
func (c *checker) comparesAny(e *expr, known []string) bool {
	if e.kind != binaryExpr || mirrored[e.op] == 0 {
		return false
	}
	any, cells := false, false
	var look func(*expr)
	look = func(x *expr) {
		any = any || x.kind == nameExpr && slices.Contains(known, x.name)
		cells = cells || x.kind == cellExpr
		for _, a := range x.args {
			look(a)
		}
	}
	look(e)
	return any && !cells
}

// bounds reports whether a name may be a number with which a comparison compares reductions: it is on a side without any.
func (v *view) bounds(e *expr, name string) bool {
	return slices.ContainsFunc(e.args, func(side *expr) bool {
		found, reduced := false, false
		var look func(*expr)
		look = func(x *expr) {
			own := v.own[x.name]
			found = found || x.kind == nameExpr && x.name == name
			reduced = reduced || x.kind == nameExpr && own != nil && own.kind == reduceEntity
			for _, a := range x.args {
				look(a)
			}
		}
		look(side)
		return found && !reduced
	})
}

// untilCondition resolves and types the comparison e; false after a mistake.
func (c *checker) untilCondition(v *view, e *expr) (*ir.Binary, bool) {
	before := len(c.diags)
	cond, ok := c.condition(v, e).(*ir.Binary)
	if !ok {
		for k := before; k < len(c.diags); k++ {
			if d := &c.diags[k]; d.Code == diag.UnknownName && d.Hint == "" && v.bounds(e, c.text(d.At)) {
				report{d}.hint("const %s = 1e-6", c.text(d.At))
				if name := c.unusedFloat(); name != "" {
					report{d}.advise("%s%s, which is declared and not used%sconst %s = 1e-6", depend.OneOf, name, depend.Or, c.text(d.At))
				}
			}
		}
		return nil, false
	}
	if !c.typedCondition(cond) {
		return nil, false
	}
	ir.Walk(cond, func(x ir.Expr) {
		if q, isBinary := x.(*ir.Binary); isBinary && q.Op.Divides() && q.T.Integer() && literalOf(q.Y) == nil {
			c.errorf(diag.DivisionByZero, q.At, "the condition of a repeat may divide an integer by zero here").
				advise("a quotient of floats, such as float64(n)/m")
			ok = false
		}
	})
	return cond, ok
}

// unusedFloat is the only parameter of floats that the file does not use; "" if there are none, or several.
func (c *checker) unusedFloat() (name string) {
	uses := map[string]int{}
	tokens := c.tokens()
	for _, t := range tokens {
		if t.kind == tokIdent {
			uses[t.text]++
		}
	}
	for _, p := range c.nest.Floats {
		switch {
		case uses[p.Name] != 1:
		case name != "":
			return ""
		default:
			name = p.Name
		}
	}
	return name
}

// endsAtOnce warns of a repeat that ends when a difference is large, most likely after one repetition: the
// user probably means that it ends when the difference is small. It also warns of a repeat that ends when a difference
// without abs is small: a negative difference is small, too.
func (c *checker) endsAtOnce(e *expr, red *ir.Reduce) {
	if diff, ok := red.Expr.(*ir.Binary); ok && diff.Op == ir.Sub && (e.op == ir.Lt || e.op == ir.Le) && red.Op != ir.ReduceMin {
		c.warn(diag.Reduction, e.at, "%s is the %s of a difference, and may be small because the difference is negative", red.Name, red.Op).
			advise("abs(...) around the difference in reduce %s, if it is to be near 0", red.Name)
		return
	}
	call, ok := red.Expr.(*ir.Call)
	if e.op != ir.Gt && e.op != ir.Ge || !ok || call.Fn != ir.Abs || red.Op == ir.ReduceMin {
		return
	}
	if diff, ok := call.Args[0].(*ir.Binary); ok && diff.Op == ir.Sub {
		c.warn(diag.Reduction, e.at, "the repeat ends when %s holds, most likely at once: until says when it ends, not while what it goes on", c.text(e.at)).
			fixOf(e, "%s %s %s", red.Name, negated[e.op], bare(e.args[1]))
	}
}

// numberUntil reports the condition e of a repeat if it compares the number of the repeat with another number, alone or as one of two
// comparisons that end the repeat: that is the last one of the repeat. It returns false for other conditions.
func (c *checker) numberUntil(e *expr, h *repeatSyntax) bool {
	if e.kind != binaryExpr || h.Step != nil || h.Range == nil {
		return false
	}
	last, rest := lastNumber(e, h.Name.Name), ""
	for k := range 2 {
		if other := e.args[1-k]; last == "" && e.op == ir.Or && isComparison(other) {
			if last = lastNumber(e.args[k], h.Name.Name); last != "" {
				rest = " until " + bare(other)
			}
		}
	}
	if last == "" {
		return false
	}
	r := c.errorf(diag.Reduction, e.at, "a repeat ends when an expression of reductions of its nests, constants and parameters is <, <=, > or >= another: its last number stands in its range")
	lo, hi := bare(flatTree(h.Range.Lo)), bare(flatTree(h.Range.Hi))
	switch at := join(h.Name.span(), e.at); {
	case h.Name.Pos.Line != e.at.Line:
	case last == hi:
		r.fix(at, "%s = %s..%s%s", h.Name.Name, lo, hi, rest)
	default:
		r.fix(at, "%s = %s..min(%s, %s)%s", h.Name.Name, lo, hi, last, rest)
	}
	return true
}

// lastNumber is the first number of a repeat for which e, a comparison with its name, holds; "" if there is none.
func lastNumber(e *expr, name string) string {
	if e.kind != binaryExpr || mirrored[e.op] == 0 && e.op != ir.Eq {
		return ""
	}
	x, y, op := e.args[0], e.args[1], e.op
	if y.kind == nameExpr && y.name == name && e.op != ir.Eq {
		x, y, op = y, x, mirrored[op]
	}
	if x.kind != nameExpr || x.name != name || op != ir.Gt && op != ir.Ge && op != ir.Eq || slices.Contains(y.names(), x.name) {
		return ""
	}
	last := bare(y)
	n, err := strconv.Atoi(last)
	switch {
	case op != ir.Gt:
	case err == nil && n < maxCoefficient:
		last = strconv.Itoa(n + 1)
	default:
		last = exprText(y, binaryOps["+"].precedence) + " + 1"
	}
	return last
}

// unknownReduction reports x, a side of the condition of a repeat, if it is an unknown name that may mean a known reduction.
func (c *checker) unknownReduction(x *expr, known []string) bool {
	if x.kind != nameExpr || c.names[x.name] != nil {
		return false
	}
	near := diag.Nearest(x.name, known)
	if near == "" && len(known) == 1 && !c.others.reduces[x.name] {
		near = known[0]
	}
	if near == "" {
		return false
	}
	c.errorf(diag.UnknownName, x.at, "unknown reduction %s; did you mean %s?", x.name, near).fix(x.at, "%s", near)
	return true
}

// noUntil reports the condition e of a repeat, which is no comparison with one of the
// known reductions.
func (c *checker) noUntil(e *expr, r *ir.Repeat, known []string) {
	if e.kind == binaryExpr && mirrored[e.op] != 0 && c.unknownReduction(e.args[0], known) {
		return
	}
	if e.kind == binaryExpr && e.op == ir.Eq && e.args[0].kind == nameExpr && slices.Contains(known, e.args[0].name) && bare(e.args[1]) == "0" {
		// Where the user waits for 0, the reduction is most likely never negative: then <= 0 is the same.
		c.errorf(diag.Reduction, e.at, "a repeat ends when an expression of reductions of its nests, constants and parameters is <, <=, > or >= another").fixOf(e, "%s <= 0", e.args[0].name)
		return
	}
	d := c.errorf(diag.Reduction, e.at, "a repeat ends when an expression of reductions of its nests, constants and parameters is <, <=, > or >= another")
	joins := e.kind == binaryExpr && (e.op == ir.And || e.op == ir.Or)
	if joins {
		d.d.Message += ": one comparison, without && and ||"
	}
	if len(known) == 0 {
		d.note(r.Span, "no nest of this repeat has a reduction")
		c.reductionForgotten(d, e)
		return
	}
	list := endings(e, func(name string) bool { return slices.Contains(known, name) })
	if joins {
		return // one of them alone ends at another number
	}
	if len(list) > 0 {
		d.fixOf(e, "%s %s %s", list[0].name, list[0].op, list[0].value)
		return
	}
	if e.kind == binaryExpr && mirrored[e.op] != 0 && e.args[0].kind == cellExpr && len(known) == 1 {
		d.d.Message += ": " + bare(e.args[0]) + " is a cell, and the reduction of this repeat is " + known[0]
		d.fixOf(e, "%s %s %s", known[0], e.op, bare(e.args[1]))
		return
	}
	d.pattern("until %s < 1e-6", known[0])
}

// reductionForgotten advises on a reduction for the name that e compares, if nothing declares it.
func (c *checker) reductionForgotten(d report, e *expr) {
	if e.kind != binaryExpr || mirrored[e.op] == 0 || e.args[0].kind != nameExpr || c.names[e.args[0].name] != nil || c.others.reduces[e.args[0].name] {
		return
	}
	d.advise("reduce %s = max(...) before a nest of this repeat: of what shows that enough is done, such as the change of a cell", e.args[0].name)
}
