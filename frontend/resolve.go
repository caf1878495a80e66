package frontend

import (
	"go/constant"
	"slices"
	"strings"

	"loopc/ir"
	"loopc/ir/diag"
)

// A view says what an expression may refer to, besides constants.
type view struct {
	what    string             // what the expression is for, with its article
	params  bool               // parameters
	loops   int                // this many outermost loops
	cells   bool               // array cells
	lets    bool               // lets declared so far
	elem    ir.Type            // of the value, Invalid if not known
	integer bool               // the value is to be an integer
	init    bool               // an init expression: cells of in arrays only
	own     map[string]*entity // names of this expression alone: indices of an init, or reductions
	reduces []*ir.ReduceRef    // by the index of a reduction among own
	indices []*nameSyntax      // the names that an init gives the indices, in order
	whole   *expr              // the subscript, of whose parts this is one
}

// Values of view.what, for messages.
const (
	arrayBounds = "the bounds of an array"
	aSubscript  = "a subscript"
	bodyOf      = "the body"
)

// wanting returns the view v for an expression whose value is to have type t, which may be unknown.
func (v *view) wanting(t ir.Type) *view {
	if v.elem == t && v.integer == t.Integer() {
		return v
	}
	w := *v
	w.elem, w.integer = t, t.Integer()
	return &w
}

// number resolves an expression that must be a number: names become what they stand for, and
// constant subexpressions one literal. In the result, only cells (with the type of the array)
// and explicit conversions have types. It is nil after a mistake.
func (c *checker) number(v *view, e *expr) ir.Expr {
	switch e.kind {
	case numberExpr:
		return &ir.Lit{Value: e.value, At: e.at}
	case nameExpr:
		return c.reference(v, e)
	case cellExpr:
		return c.read(v, e)
	case callExpr:
		return c.call(v, e)
	case unaryExpr:
		if e.op == ir.Not {
			c.notNumber(e)
			return nil
		}
		x := c.number(v, e.args[0])
		if x == nil || e.op == ir.Add {
			return x
		}
		if l := untyped(x); l != nil {
			return c.folded(e, constant.UnaryOp(goOps[ir.Sub], l.Value, 0))
		}
		return &ir.Unary{Op: ir.Neg, X: x, At: e.at}
	}
	if !e.op.Arithmetic() {
		c.notNumber(e)
		return nil
	}
	if c.joinedBits(e) {
		return nil
	}
	x, y := c.number(v, e.args[0]), c.number(v, e.args[1])
	if x == nil || y == nil {
		return nil
	}
	c.warnOrder(e)
	c.warnPower(e)
	if a, b := untyped(x), untyped(y); a != nil && b != nil {
		return c.foldBinary(v, e, a.Value, b.Value)
	}
	b := &ir.Binary{Op: e.op, X: x, Y: y, At: e.opAt}
	if e.op == ir.Quo || e.op.OfIntegers() {
		c.quotients[b] = e
	}
	return b
}

// notNumber reports a condition where a number belongs.
func (c *checker) notNumber(e *expr) {
	if c.joinedBits(e) {
		return
	}
	if isChain(e) {
		c.chained(e, "select("+chainText(e)+", 1, 0)")
		return
	}
	if e.op == ir.Or && e.kind == binaryExpr && e.args[0].kind == binaryExpr && e.args[0].op == ir.And {
		if test, yes, no := e.args[0].args[0], e.args[0].args[1], e.args[1]; isCondition(test) && !isCondition(yes) && !isCondition(no) {
			c.errorf(diag.NotCondition, e.at, "a choice between two numbers is a select: && and || join conditions").
				fixOf(e, "select(%s, %s, %s)", bare(test), bare(yes), bare(no))
			return
		}
	}
	r := c.errorf(diag.NotCondition, e.at, "condition %s is used as a number", c.text(e.at))
	if !constantSide(e) {
		r.fixOf(e, "select(%s, 1, 0)", conditionText(e))
	}
}

// condition resolves an expression that must be a condition. The operands of
// its comparisons have no types yet. It is nil after a mistake.
func (c *checker) condition(v *view, e *expr) ir.Expr {
	switch {
	case isHole(e), c.joinedBits(e):
		return nil
	case e.kind == unaryExpr && e.op == ir.Not:
		if a := e.args[0]; a.kind < unaryExpr && !isHole(a) { // a number: it has no operator
			c.negated(a)
			return nil
		}
		if x := c.condition(v, e.args[0]); x != nil {
			return &ir.Unary{T: ir.Bool, Op: ir.Not, X: x, At: e.at}
		}
		return nil
	case e.kind == binaryExpr && !e.op.Arithmetic():
		operand := c.number
		if e.op == ir.And || e.op == ir.Or {
			if operand = c.condition; c.otherNumber(v, e) {
				return nil
			}
		} else if isCondition(e.args[0]) || isCondition(e.args[1]) {
			c.comparedCondition(e)
			return nil
		}
		v = v.wanting(ir.Invalid)
		x, y := operand(v, e.args[0]), operand(v, e.args[1])
		if x == nil || y == nil {
			return nil
		}
		return &ir.Binary{T: ir.Bool, Op: e.op, X: x, Y: y, At: e.opAt}
	}
	if c.foreignCondition(e) {
		return nil
	}
	if r := c.errorf(diag.NotCondition, e.at, "number %s is used as a condition", c.text(e.at)); !e.computes(func(*expr) bool { return false }) {
		r.fixOf(e, "%s != 0", e)
	}
	return nil
}

// negated reports a number after a !.
func (c *checker) negated(e *expr) {
	if !c.foreignCondition(e) {
		c.errorf(diag.NotCondition, e.at, "number %s is used as a condition", c.text(e.at)).
			fixOf(e, "(%s != 0)", e)
	}
}

// reference resolves a name in place of a number.
func (c *checker) reference(v *view, e *expr) ir.Expr {
	ent := c.lookup(v, e.name, e.at)
	if ent == nil || !c.visible(v, ent, e) {
		return nil
	}
	switch ent.kind {
	case paramEntity, repeatEntity:
		return &ir.ParamRef{Param: ent.index, At: e.at}
	case floatEntity:
		return &ir.FloatRef{Float: ent.index, At: e.at}
	case loopEntity, indexEntity:
		return &ir.IterRef{Iter: ent.index, At: e.at}
	case letEntity:
		return &ir.LocalRef{Stmt: ent.index, At: e.at}
	case reduceEntity:
		r := *v.reduces[ent.index]
		r.At = e.at
		return &r
	case constEntity:
		if value := c.constValue(c.consts[ent.index], e.at); value != nil {
			return &ir.Lit{Value: value, Name: e.name, At: e.at}
		}
	}
	return nil
}

// visible reports whether the name of ent may stand for a number in v, and reports a mistake if
// not.
func (c *checker) visible(v *view, ent *entity, e *expr) bool {
	code := diag.NameMisuse
	switch ent.kind {
	case constEntity, indexEntity:
		return true
	case reduceEntity:
		if v.own[e.name] == ent {
			return true
		}
		c.unknownYet(v, ent, e)
		return false
	case arrayEntity:
		c.unsubscripted(v, ent, e, c.numberNames(v))
		return false
	case paramEntity, floatEntity:
		if v.params {
			return true
		}
		code = diag.NotConstant
	case letEntity:
		if v.lets {
			return true
		}
	case repeatEntity:
		if inBody := v.lets; inBody || v.what == loopBound {
			return true
		}
	case externEntity:
		c.errorf(code, e.at, "%s is a Go function, and used without arguments", e.name).
			note(ent.at, "%s is declared here", e.name)
		return false
	case loopEntity:
		if ent.index < v.loops {
			return true
		}
		if c.loopElsewhere(v, ent, e) {
			return false
		}
	}
	r := c.errorf(code, e.at, "%s cannot be used in %s: it is %s", e.name, v.what, c.kindText(e.name, ent)).
		note(ent.at, "%s is declared here", e.name)
	if code == diag.NotConstant && slices.Contains([]string{constantDefinition, listedValue, floatDefault}, v.what) {
		c.constantOfParam(r)
	}
	if ent.kind == loopEntity && v.what == arrayBounds {
		c.lastOfLoop(r, e, ent.index)
	}
	return false
}

// loopElsewhere reports a loop variable in an init expression or in the bound of a loop that is not
// inside that loop; false: v is another place.
func (c *checker) loopElsewhere(v *view, ent *entity, e *expr) bool {
	switch {
	case v.init:
		r := c.errorf(diag.NameMisuse, e.at, "%s is a loop variable, which init expressions do not have", e.name).
			note(ent.at, "%s is declared here", e.name)
		var names []string
		for _, n := range v.indices {
			names = append(names, n.Name)
		}
		r.advise("the subscripts have the names that the init gives them: here %s", strings.Join(names, ", "))
	case v.loops > 0 || v.what == loopBound:
		r := c.errorf(diag.BoundShape, e.at, "a loop bound uses %s, which is not the variable of an outer loop", e.name).
			note(ent.at, "%s is declared here", e.name)
		if ent.index > v.loops {
			r.advise("the loop %s before the loop %s, if both orders do the same", e.name, c.nest.Loops[v.loops].Name)
		}
	default:
		return false
	}
	return true
}

// unknownYet reports a reduction where its result is not known.
func (c *checker) unknownYet(v *view, ent *entity, e *expr) {
	if v.what == bodyOf && e.name == c.gathered {
		return // the assignment to it is reported
	}
	r := c.errorf(diag.NameMisuse, e.at, "%s cannot be used in %s: a reduction is known when all iterations have run", e.name, v.what).
		note(ent.at, "%s is declared here", e.name)
	if v.what == bodyOf && !c.reducesOwn(e.name) {
		r.advise("%s", c.reducedBefore(e.name))
	}
}

// unsubscripted reports the name of an array where a number belongs. The user may have meant one
// of numbers, if it differs in case only.
func (c *checker) unsubscripted(v *view, ent *entity, e *expr, numbers []string) {
	r := c.errorf(diag.NameMisuse, e.at, "array %s is used without subscripts", e.name).
		note(ent.at, "%s is declared here", e.name)
	if cell := c.cellAbove(e.name, e.at.Line); cell != "" { // so the name is no mistake
		r.hint("%s", cell)
		return
	}
	if k := slices.IndexFunc(numbers, func(s string) bool { return s != e.name && strings.EqualFold(s, e.name) }); k >= 0 {
		r.d.Message += "; did you mean " + numbers[k] + "?"
		r.fixOf(e, "%s", numbers[k])
		return
	}
	if cell, only := c.someCell(v, ent.index); cell != "" && only {
		r.fixOf(e, "%s", cell)
	} else if cell != "" {
		r.hint("%s", cell)
	}
}

// call resolves a conversion, select, or a built-in.
func (c *checker) call(v *view, e *expr) ir.Expr {
	if t := ir.TypeNamed(e.name); t != ir.Invalid {
		if !c.count(e, 1, 1) {
			return nil
		}
		if x := c.number(v.wanting(t), e.args[0]); x != nil {
			return &ir.Convert{T: t, X: x, At: e.at}
		}
		return nil
	}
	if e.name == "select" {
		if !c.count(e, 3, 3) {
			return nil
		}
		cond, a, b := c.condition(v, e.args[0]), c.number(v, e.args[1]), c.number(v, e.args[2])
		if cond == nil || a == nil || b == nil {
			return nil
		}
		return &ir.Select{Cond: cond, A: a, B: b, At: e.at}
	}
	if ent := c.names[e.name]; ent != nil && ent.kind == externEntity {
		return c.externCall(v, e, ent)
	}
	fn, ok := ir.FuncNamed(e.name)
	if !ok {
		c.unknownFunction(v, e)
		return nil
	}
	if least, most := fn.Arity(); !c.count(e, least, most) {
		return nil
	}
	args, ok := c.arguments(v, e)
	if !ok {
		return nil
	}
	call := &ir.Call{Fn: fn, Args: args, At: e.at}
	if folded := c.foldCall(e, call); folded != nil {
		return folded
	}
	return call
}

// unknownFunction reports a call of a name that is not a function.
func (c *checker) unknownFunction(v *view, e *expr) {
	if ent := c.names[e.name]; ent != nil {
		r := c.errorf(diag.NameMisuse, e.opAt, "%s is called, but it is %s", e.name, ent.kind).
			note(ent.at, "%s is declared here", e.name)
		if ent.kind == arrayEntity && len(e.args) > 0 {
			cell := *e
			cell.kind = cellExpr
			r.fixOf(e, "%s", bare(&cell))
		}
		return
	}
	if c.spoiled[e.name] {
		return
	}
	c.spoiled[e.name] = true
	if c.foreignFunction(v, e) || c.noNumber(v, e.name, e.opAt) {
		return
	}
	r := c.errorf(diag.UnknownName, e.opAt, "unknown function %s", e.name)
	c.suggest(r, e.name, e.opAt, false, c.functionNames)
	if r.d.Hint != "" {
		return
	}
	arrays := c.arrayNames()
	if k := slices.IndexFunc(arrays, func(s string) bool { return strings.EqualFold(s, e.name) }); k >= 0 && len(e.args) > 0 {
		cell := *e
		cell.kind, cell.name = cellExpr, arrays[k]
		r.d.Message += "; did you mean the array " + arrays[k] + "?"
		r.fixOf(e, "%s", bare(&cell))
	}
}

// count reports a call with too few or too many arguments.
func (c *checker) count(e *expr, least, most int) bool {
	n := len(e.args)
	switch {
	case n >= least && n <= most:
		return true
	case least == 2 && n > most:
		c.errorf(diag.ValueCount, e.at, "%s takes two arguments, not %d", e.name, n)
	case least == 2 && e.name == ir.Pow.String():
		c.errorf(diag.ValueCount, e.at, "%s takes two arguments, not %d: the base and the exponent", e.name, n).pattern("%s(a, b)", e.name)
	case least == 2:
		c.errorf(diag.ValueCount, e.at, "%s takes two or more arguments, not %d", e.name, n).pattern("%s(a, b)", e.name)
	case least == 1:
		c.errorf(diag.ValueCount, e.at, "%s takes one argument, not %d", e.name, n)
	default: // select
		c.errorf(diag.ValueCount, e.at, "%s takes %d arguments, not %d", e.name, least, n).
			hint("%s(a < b, a, b)", e.name)
	}
	return false
}
