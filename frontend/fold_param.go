package frontend

import (
	"slices"

	"loopc/ir"
	"loopc/ir/diag"
)

// Constants whose definitions have parameters: what can stand in their places.

// A paramInConst is the report of a parameter in the definition of a constant.
type paramInConst struct {
	k  *constDecl // the definition
	at diag.Span
}

// constantOfParam completes the report of a parameter in the definition of a constant. A let of the body can compute
// the value. If bounds use the constant, it must become a parameter: the hint then has the value by default, and
// constantsInBounds adds it when all defaults are known.
func (c *checker) constantOfParam(r report) {
	if len(c.defining) > 0 {
		if k := c.defining[len(c.defining)-1]; c.boundsUse(k.name.Name) {
			c.ofParams = append(c.ofParams, paramInConst{k, r.d.At})
			return
		}
	}
	if len(c.defining) > 0 {
		k := c.defining[len(c.defining)-1]
		r.advise("let %s = %s in the body of the for, in place of the const: parameters are given at launch", k.name.Name, bare(flatTree(k.value)))
		return
	}
	r.advise("compute it with a let in the body of the for, which parameters may stand in")
}

// constantsInBounds completes the reports that constantOfParam left.
func (c *checker) constantsInBounds() {
	for _, x := range c.ofParams {
		at := slices.IndexFunc(c.diags, func(d diag.Diagnostic) bool { return d.Code == diag.NotConstant && d.At == x.at })
		e := flatTree(x.k.value)
		if v, known := c.byDefault(e); known && at >= 0 {
			report{&c.diags[at]}.advise("param %s = %d in place of the const, because it stands in bounds: %s is that by default", x.k.name.Name, v, bare(e))
		}
	}
}

// boundsUse reports whether a name stands in the bounds of an array or a loop, or in a subscript.
func (c *checker) boundsUse(name string) bool {
	tokens := c.tokens()
	depth, head := 0, token{}
	for k, x := range tokens {
		if k == 0 || x.pos.Line > tokens[k-1].pos.Line {
			head = x
		}
		switch {
		case x.is("["):
			depth++
		case x.is("]"):
			depth--
		case x.kind == tokIdent && x.text == name && (depth > 0 || head.is("for")):
			return true
		}
	}
	return false
}

// byDefault is the value of an integer expression when the parameters have their defaults.
func (c *checker) byDefault(e *expr) (v int64, known bool) {
	var args []int64
	for _, a := range e.args {
		x, ok := c.byDefault(a)
		if !ok {
			return 0, false
		}
		args = append(args, x)
	}
	switch ent := c.names[e.name]; {
	case e.kind == numberExpr && e.decimal() && len(e.name) < 10:
		for _, digit := range e.name {
			v = 10*v + int64(digit-'0')
		}
		return v, true
	case e.kind == nameExpr && ent != nil && ent.kind == paramEntity && ent.index < len(c.nest.Params) && c.nest.Params[ent.index].Default != nil:
		return int64(*c.nest.Params[ent.index].Default), true
	case e.kind == unaryExpr && e.op == ir.Neg:
		return -args[0], true
	case e.kind == binaryExpr && e.op <= ir.Quo:
		if v, known = computedWith(e.op, args[0], args[1]); v < -maxExact || v > maxExact {
			return 0, false
		}
		return v, known
	}
	return 0, false
}
