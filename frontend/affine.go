package frontend

import (
	"fmt"
	"go/constant"
	"slices"
	"strings"

	"loopc/ir"
	"loopc/ir/diag"
)

// A form is an affine form under construction: a constant, exact and not yet known to be an
// integer, plus coefficients of parameters and iterators. Without coefficients it is a constant
// subexpression, which folds like any other.
type form struct {
	c      constant.Value
	params []int
	iters  []int
}

// constant reports whether f has no coefficients.
func (f *form) constant() bool { return len(f.params) == 0 && len(f.iters) == 0 }

// affine makes an affine form of e. It reports an error and returns false if e is not affine,
// uses a name that v does not offer, or has a number beyond maxCoefficient.
func (c *checker) affine(v *view, e *expr) (ir.Affine, bool) {
	v = v.wanting(ir.Int64)
	f := c.form(v, e)
	if f == nil {
		return ir.Affine{}, false
	}
	k, ok := c.integer(f.c, e)
	if !ok {
		return ir.Affine{}, false
	}
	return ir.Affine{Const: k, Params: trimmed(f.params), Iters: trimmed(f.iters)}, true
}

// trimmed cuts zeros off the end, so that equal forms are equal values.
func trimmed(v []int) []int {
	n := len(v)
	for n > 0 && v[n-1] == 0 {
		n--
	}
	if n == 0 {
		return nil
	}
	return v[:n:n]
}

// integer converts the constant v, a part of e, to an int.
func (c *checker) integer(v constant.Value, e *expr) (int, bool) {
	i := constant.ToInt(v)
	if i.Kind() != constant.Int {
		r := c.errorf(diag.NotAffine, e.at, "%s is not an integer: it has the constant %s", c.text(e.at), short(v)).advise(onlySums)
		if e.kind == binaryExpr && e.args[0].kind == nameExpr && (e.op == ir.Add || e.op == ir.Sub) {
			near := map[ir.Op]string{ir.Add: " + 1", ir.Sub: " - 1"}[e.op]
			r.d.Message += "; cells have whole numbers, those of a staggered grid, too"
			r.advise("%s or %s, depending on which cell is at that place", e.args[0].name, strings.ReplaceAll(e.args[0].name+near, " ", ""))
		}
		return 0, false
	}
	n, exact := constant.Int64Val(i)
	if !exact || n > maxCoefficient || n < -maxCoefficient {
		c.tooLarge(e, short(i))
		return 0, false
	}
	return int(n), true
}

// tooLarge reports a constant or coefficient beyond maxCoefficient.
func (c *checker) tooLarge(e *expr, number string) {
	c.errorf(diag.ConstantOverflow, e.at, "%s has the number %s; the limit for subscripts, bounds and defaults is 2^40", c.text(e.at), number)
}

// form is affine without the check of the constant; nil after a mistake.
func (c *checker) form(v *view, e *expr) *form {
	switch e.kind {
	case numberExpr:
		return &form{c: e.value}
	case nameExpr:
		return c.formName(v, e)
	case cellExpr:
		if a, ok := c.listedOf(v, e); ok {
			return c.formListed(v, e, a)
		}
		why := cellInBound
		if v.what == aSubscript {
			why = "an array cell has no place in a subscript of this array"
		}
		c.notAffine(e, why)
		return nil
	case callExpr:
		return c.formCall(v, e)
	case unaryExpr:
		return c.formUnary(v, e)
	}
	if !e.op.Arithmetic() {
		c.notNumber(e)
		return nil
	}
	f := c.form(v, e.args[0])
	around := c.subtracted
	c.subtracted = around != (e.op == ir.Sub)
	g := c.form(v, e.args[1])
	c.subtracted = around
	switch {
	case f == nil || g == nil:
		return nil
	case f.constant() && g.constant():
		if l, ok := c.foldBinary(v, e, f.c, g.c).(*ir.Lit); ok {
			return &form{c: l.Value}
		}
		return nil
	case e.op == ir.Add:
		return c.combine(e, f, g, 1)
	case e.op == ir.Sub:
		return c.combine(e, f, g, -1)
	case e.op == ir.Mul && f.constant():
		return c.scaled(e, f.c, g)
	case e.op == ir.Mul && g.constant():
		return c.scaled(e, g.c, f)
	}
	c.notAffine(e, "")
	return nil
}

// letSubscript reports the let e in a subscript or bound. If its value is a sum of loops,
// parameters and integers, the hint is to write this sum instead.
func (c *checker) letSubscript(e *expr) {
	r := c.notAffine(e, noPlace)
	for _, b := range c.body {
		if b.let == nil || b.let.Name.Name != e.name {
			continue
		}
		if name := c.nameInFile(b.let.Name); name != e.name {
			r.d.At.Len, r.d.Message = len([]rune(name)), name+" is not affine: "+noPlace
			continue
		}
		if value := flatTree(b.let.Value); c.sumOfNames(value) {
			r.fix(e.at, "%s", value)
		}
	}
}

// sumOfNames reports whether e is a sum of loops, parameters and integers.
func (c *checker) sumOfNames(e *expr) bool {
	switch e.kind {
	case numberExpr:
		return e.decimal()
	case nameExpr:
		ent := c.names[e.name]
		return ent != nil && (ent.kind == loopEntity || ent.kind == paramEntity)
	case unaryExpr, binaryExpr:
		return (e.op == ir.Add || e.op == ir.Sub || e.op == ir.Neg) && !slices.ContainsFunc(e.args, func(a *expr) bool { return !c.sumOfNames(a) })
	}
	return false
}

// formCall makes a form of a call, which must be constant.
func (c *checker) formCall(v *view, e *expr) *form {
	if !c.onlyConstants(e) {
		if fn, ok := ir.FuncNamed(e.name); ok && fn <= ir.Max && v.what == loopBound {
			r := c.errorf(diag.NotAffine, e.at, "%s is part of a sum or product in a loop bound", c.text(e.at))
			switch {
			case !c.subtracted:
				r.advise("%s(a + c, b + c) instead of %s(a, b) + c", e.name, e.name)
			case !c.moves(e):
				r.advise("a parameter in place of it, given at launch")
			}
			return nil
		}
		why := "a call has no place in a subscript or bound"
		if v.what == aSubscript {
			why = "a call has no place in a subscript of this array"
		}
		c.notAffine(e, why)
		return nil
	}
	switch x := c.number(v, e).(type) {
	case nil:
	case *ir.Lit:
		return &form{c: x.Value}
	default:
		c.notAffine(e, "a call has no place in a subscript or bound")
	}
	return nil
}

// onlyConstants reports whether all names in e are constants or unknown.
func (c *checker) onlyConstants(e *expr) bool {
	switch e.kind {
	case cellExpr:
		return c.fixedCell(e)
	case nameExpr:
		ent := c.names[e.name]
		return ent == nil || ent.kind == constEntity
	}
	for _, a := range e.args {
		if !c.onlyConstants(a) {
			return false
		}
	}
	return true
}

// cellInBound is why a cell in a bound is refused.
const cellInBound = "an array cell has no place in a bound"

// onlyRead begins the hint for a computed subscript of an array that the nest writes.
const onlyRead = "such subscripts may stand in an array that the nest only reads"

// onlySums is what a subscript or bound may have.
const onlySums = "only sums of loop variables and parameters times constants may stand here"

// notAffine reports e, with notes on what the names in it are.
func (c *checker) notAffine(e *expr, why string) report {
	message := c.text(e.at) + " is not affine"
	if why != "" {
		message += ": " + why
	}
	r := c.errorf(diag.NotAffine, e.at, "%s", message)
	switch {
	case strings.Contains(why, "of this array"):
		r.advise("%s: repeat k = ... { for i = ... { old[i] = ... } for i = ... { ... old[...] ... } } reads a copy, in which nothing is that the same nest writes; or, %s", onlyRead, c.fewReads(e))
	case e.kind == cellExpr && strings.Contains(why, "bound") && c.cellOfItem(r, e):
	case e.kind == cellExpr && strings.Contains(why, "bound"):
		r.advise(boundAndIf+"%s; or batch b = ..., n = ... { for i = 1..n { ... } } if the items depend on nothing of one another", c.text(e.at))
	case e.kind == cellExpr:
		r.advise("the values in the order in which they are read, in an in array: of a subscript that depends on data no distance is known; or, for one of few cells, a select of reads at constant distances")
	case e.kind == callExpr:
		r.advise(onlySums)
	case why == "" && c.ofParameters(e):
		c.noteNames(r, e, map[string]bool{})
		way := "a param of its own for %s: %s"
		if e.kind == binaryExpr && e.op == ir.Mul {
			way = "a dimension for each factor, or " + way
		}
		r.advise(way, c.text(e.at), onlySums)
	case why == "":
		seen := map[string]bool{}
		c.noteNames(r, e, seen)
		r.advise(onlySums)
	}
	return r
}

// fewReads says how reads at constant distances may stand for a computed subscript.
func (c *checker) fewReads(e *expr) string {
	if sign := map[string]string{"max": ">=", "min": "<="}[e.name]; e.kind == callExpr && sign != "" && len(e.args) == 2 {
		index, end := e.args[0], e.args[1]
		if c.ofParameters(index) {
			index, end = end, index
		}
		if c.ofParameters(end) && !c.ofParameters(index) && !ofCells(index) {
			return fmt.Sprintf("within the nest, select(%[1]s %[2]s %[3]s, ..., ...) of the cell at %[1]s and of what is meant beyond %[3]s", bare(index), sign, bare(end))
		}
	}
	return "for one of few cells, a select of reads at constant distances"
}

// ofParameters reports whether e has parameters, constants and numbers only.
func (c *checker) ofParameters(e *expr) bool {
	if ent := c.names[e.name]; e.kind == nameExpr {
		return ent != nil && (ent.kind == paramEntity || ent.kind == constEntity)
	}
	return (e.kind == numberExpr || e.kind == unaryExpr || e.kind == binaryExpr) && !slices.ContainsFunc(e.args, func(a *expr) bool { return !c.ofParameters(a) })
}

// noteNames notes where the names in e are declared, at most four of them.
func (c *checker) noteNames(r report, e *expr, seen map[string]bool) {
	if ent := c.names[e.name]; e.kind == nameExpr && ent != nil && !seen[e.name] && len(seen) < 4 {
		seen[e.name] = true
		r.note(ent.at, "%s is %s", e.name, ent.kind)
	}
	for _, a := range e.args {
		c.noteNames(r, a, seen)
	}
}

// unit is the k-th unit vector.
func unit(k int) []int {
	v := make([]int, k+1)
	v[k] = 1
	return v
}

// combine returns f + sign·g, nil if a coefficient grows too large.
func (c *checker) combine(e *expr, f, g *form, sign int) *form {
	op := goOps[ir.Add]
	if sign < 0 {
		op = goOps[ir.Sub]
	}
	l, ok := c.folded(e, constant.BinaryOp(f.c, op, g.c)).(*ir.Lit)
	if !ok {
		return nil
	}
	h := &form{c: l.Value, params: sum(f.params, g.params, sign), iters: sum(f.iters, g.iters, sign)}
	return c.limited(e, h)
}

// sum returns a + sign·b, as long as the longer one.
func sum(a, b []int, sign int) []int {
	out := make([]int, max(len(a), len(b)))
	copy(out, a)
	for k, x := range b {
		out[k] += sign * x
	}
	return out
}

// scaled returns k·f, nil if k is not an integer, or a number is too large.
func (c *checker) scaled(e *expr, k constant.Value, f *form) *form {
	by, ok := c.integer(k, e)
	if !ok {
		return nil
	}
	l, ok := c.folded(e, constant.BinaryOp(k, goOps[ir.Mul], f.c)).(*ir.Lit)
	if !ok {
		return nil
	}
	h := &form{c: l.Value, params: make([]int, len(f.params)), iters: make([]int, len(f.iters))}
	for _, p := range []struct{ from, to []int }{{f.params, h.params}, {f.iters, h.iters}} {
		for n, x := range p.from {
			// Both factors are at most maxCoefficient, but their product may
			// not fit an int.
			if by != 0 && max(x, -x) > maxCoefficient/max(by, -by) {
				c.tooLarge(e, short(constant.BinaryOp(constant.MakeInt64(int64(by)), goOps[ir.Mul], constant.MakeInt64(int64(x)))))
				return nil
			}
			p.to[n] = by * x
		}
	}
	return h
}

// limited returns f if its coefficients are at most maxCoefficient, else nil.
func (c *checker) limited(e *expr, f *form) *form {
	for _, v := range [][]int{f.params, f.iters} {
		for _, x := range v {
			if x > maxCoefficient || x < -maxCoefficient {
				c.tooLarge(e, short(constant.MakeInt64(int64(x))))
				return nil
			}
		}
	}
	return f
}

// formName is the form of a name.
func (c *checker) formName(v *view, e *expr) *form {
	switch x := c.reference(v, e).(type) {
	case *ir.Lit:
		return &form{c: x.Value}
	case *ir.ParamRef:
		return &form{c: constant.MakeInt64(0), params: unit(x.Param)}
	case *ir.IterRef:
		return &form{c: constant.MakeInt64(0), iters: unit(x.Iter)}
	case *ir.FloatRef:
		c.notAffine(e, "subscripts and bounds are of integers, and "+e.name+" is a float parameter")
	case *ir.ReduceRef:
		c.notAffine(e, "the result of a reduction has no place in a subscript or bound").
			advise("in a subscript of an array that the for only reads, a cell that a for before it sets: array place[0..0] int64, for l = 0..0 { place[l] = %s }, and then place[0] as the subscript", e.name)
	case nil:
	default:
		c.letSubscript(e)
	}
	return nil
}

// formUnary is the form of an operand with a sign.
func (c *checker) formUnary(v *view, e *expr) *form {
	f := c.form(v, e.args[0])
	switch {
	case f == nil || e.op == ir.Add:
		return f
	case e.op == ir.Not:
		c.notNumber(e)
		return nil
	}
	return c.combine(e, &form{c: constant.MakeInt64(0)}, f, -1)
}

// ofCells reports whether an expression has a cell of an array.
func ofCells(e *expr) bool { return e.kind == cellExpr || slices.ContainsFunc(e.args, ofCells) }
