package frontend

import (
	"slices"

	"loopc/ir"
	"loopc/ir/diag"
)

// Computed subscripts are integer expressions other than sums of loops and parameters. Only arrays that the nest does not
// write may have them.

// looksUp reports whether the cell e of array a has a computed subscript and may have one.
func (c *checker) looksUp(v *view, a int, e *expr) bool {
	return c.onlyRead(a) && (v.init || v.lets) && slices.ContainsFunc(e.args, func(x *expr) bool { return c.computed(v, x) })
}

// onlyRead reports whether a is an array that the nest reads as it is given: by the caller, by an earlier nest, or by an
// init that is a nest of its own.
func (c *checker) onlyRead(a int) bool {
	arr := &c.nest.Arrays[a]
	if c.written[arr.Name] {
		return false
	}
	if arr.Role == ir.Internal && c.arrays[a].init == nil && len(c.others.names)+len(c.repeats) > 0 {
		return true // that nothing supplies it, if no other nest does, is another report
	}
	// While a nest is divided, statements that it will not write the array in count as nests.
	return arr.Role == ir.In || c.dividing || len(c.others.names) > 0 && (c.others.writes[arr.Name] || arr.Role == ir.InOut || c.arrays[a].init != nil)
}

// computed reports whether e, by its form, is not a sum of loops and parameters, but may be an integer. Its type is
// checked later.
func (c *checker) computed(v *view, e *expr) bool {
	switch e.kind {
	case cellExpr:
		return !c.fixedCell(e)
	case callExpr:
		return c.varies(v, e)
	case nameExpr:
		ent := c.names[e.name]
		return v.lets && ent != nil && ent.kind == letEntity && !c.affineLet(e.name)
	case binaryExpr:
		x, y := e.args[0], e.args[1]
		switch e.op {
		case ir.Add, ir.Sub:
		case ir.Mul:
			if c.varies(v, x) && c.varies(v, y) {
				return true
			}
		default:
			if e.op.Arithmetic() && c.varies(v, e) {
				return true
			}
		}
	}
	return slices.ContainsFunc(e.args, func(x *expr) bool { return c.computed(v, x) })
}

// varies reports whether e has loops, lets, indices of an init or cells.
func (c *checker) varies(v *view, e *expr) bool {
	switch ent := c.names[e.name]; {
	case c.fixedCell(e):
		return false
	case e.kind == cellExpr || e.kind == nameExpr && v.own[e.name] != nil:
		return true
	case e.kind == nameExpr && ent != nil && (ent.kind == loopEntity || ent.kind == letEntity):
		return true
	}
	return slices.ContainsFunc(e.args, func(x *expr) bool { return c.varies(v, x) })
}

// affineLet reports whether a let is a sum of loops, parameters and integers, which may stand in its place.
func (c *checker) affineLet(name string) bool {
	return slices.ContainsFunc(c.body, func(b bodyStatement) bool {
		return b.let != nil && b.let.Name.Name == name && c.sumOfNames(flatTree(b.let.Value))
	})
}

// lookupOf resolves the cell e of array a, which has computed subscripts; nil after a mistake.
func (c *checker) lookupOf(v *view, a int, e *expr) ir.Expr {
	arr := &c.nest.Arrays[a]
	if arr.Boundary != nil {
		c.errorf(diag.NotAffine, e.at, "a subscript of %s is computed, and the array has a boundary", arr.Name).
			note(arr.Span, "%s is declared here", arr.Name).
			advise("an array without a boundary, and min and max that keep the subscript within its bounds")
		return nil
	}
	inner, whole := v.wanting(ir.Int64), true
	l := &ir.Lookup{T: arr.Elem, Array: a, At: e.at}
	for _, arg := range e.args {
		x := c.number(inner, arg)
		whole = whole && x != nil
		l.Subs = append(l.Subs, x)
	}
	if !whole || l.T == ir.Invalid {
		return nil
	}
	return l
}

// typedLookup does what typed does, for e, a lookup or a cell of a constant array with the given subscripts.
func (c *checker) typedLookup(e ir.Expr, subs []ir.Expr, t ir.Type) ir.Expr {
	for k, x := range subs {
		var y ir.Expr
		c.asideFrom(func() { y = c.typed(x, ir.Int64) })
		if y == nil {
			return nil
		}
		subs[k] = y
	}
	return c.converted(e, t)
}
