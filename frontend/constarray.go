package frontend

import (
	"go/constant"
	"slices"

	"loopc/ir"
	"loopc/ir/diag"
)

// Constant arrays: const w[0..2] float64 = [0.25, 0.5, 0.25]. A cell whose subscripts are constant is its value,
// converted to the type of the array.

// maxListed is the greatest number of cells of a constant array.
const maxListed = 4096

// listedBounds names the expression in messages about the bounds of a constant array: see view.what.
const listedBounds = "a bound of a constant array"

// listedValue names a value of a constant array of floats: see view.what.
const listedValue = "a value of a constant array"

const listedForm = "const w[0..2] float64 = [0.25, 0.5, 0.25]"

// A listedDecl is a constant array of the file; array is nil until it is resolved, and after a mistake.
type listedDecl struct {
	syntax *listedSyntax
	array  *ir.ConstArray
}

// isListed reports whether a const statement declares an array.
func isListed(st *statement) bool { return len(st.tokens) > 2 && st.tokens[2].is("[") }

// parseConst parses a const statement.
func (c *checker) parseConst(f *fileSyntax, st *statement) {
	if len(st.tokens) > 3 && typeName(st.tokens[2].text) != "" && st.tokens[3].is("[") && !st.bad {
		st.bad = true
		c.errorf(diag.Syntax, st.tokens[3].span(), "the bounds of a constant array stand behind its name").pattern("%s", listedForm)
		c.spoil(st)
	} else if isListed(st) {
		f.listed = keep(f.listed, parseStmt(c, listedParser, st))
	} else {
		f.consts = keep(f.consts, parseStmt(c, constParser, st))
	}
}

// declareListed declares the constant arrays.
func (c *checker) declareListed(f *fileSyntax) {
	for _, s := range f.listed {
		if c.declare(s.Name, listedEntity, len(c.listed)) {
			c.listed = append(c.listed, &listedDecl{syntax: s})
		} else {
			c.spoiled[s.Name.Name] = true
		}
	}
}

// resolveListed finds bounds and values of the constant arrays.
func (c *checker) resolveListed() {
	for _, d := range c.listed {
		if d.array = c.listedArray(d.syntax); d.array != nil {
			c.nest.Listed = append(c.nest.Listed, d.array)
		}
	}
}

func (c *checker) listedArray(s *listedSyntax) *ir.ConstArray {
	a := &ir.ConstArray{Name: s.Name.Name, Elem: ir.TypeNamed(s.Type.Name), Span: s.Name.span()}
	if a.Elem == ir.Invalid {
		c.unknownType(s.Type)
		return nil
	}
	if len(s.Dims) > maxDepth {
		c.errorf(diag.TooDeep, a.Span, "%s has %d dimensions; the limit is %d", a.Name, len(s.Dims), maxDepth)
		return nil
	}
	size := 1
	for _, dim := range s.Dims {
		lo, ok := c.listedBound(dim.Lo)
		hi, also := c.listedBound(dim.Hi)
		if !ok || !also {
			return nil
		}
		at := join(flatTree(dim.Lo).at, flatTree(dim.Hi).at)
		switch {
		case hi < lo:
			c.errorf(diag.EmptyExtent, at, "%s has the extent %d in this dimension, and a constant array has cells", a.Name, max(hi-lo+1, -maxCoefficient))
			return nil
		case hi-lo >= maxListed/size:
			c.errorf(diag.TooMany, at, "the constant array %s has more than %d cells", a.Name, maxListed).
				advise("an in array: its values come from a file")
			return nil
		}
		size *= hi - lo + 1
		a.Lo, a.Hi = append(a.Lo, lo), append(a.Hi, hi)
	}
	before := len(c.diags)
	whole := c.listedValues(a, 0, s.Values)
	c.divisionsOnce(before)
	if !whole {
		return nil
	}
	return a
}

// divisionsOnce leaves one warning of the divisions of integers among the diagnostics from the given one on, with notes for three
// further places.
func (c *checker) divisionsOnce(from int) {
	first := -1
	kept := c.diags[:from]
	for _, d := range c.diags[from:] {
		switch {
		case d.Code != diag.ConstantDivision || d.Kind != diag.Replacement:
		case first < 0:
			first = len(kept)
		default:
			if own := &kept[first]; len(own.Notes) < 3 {
				own.Notes = append(own.Notes, diag.Note{At: d.At, Message: hereToo})
			}
			continue
		}
		kept = append(kept, d)
	}
	c.diags = kept
}

func (c *checker) listedBound(s *exprSyntax) (int, bool) {
	v := c.constant(s, listedBounds)
	if v == nil {
		return 0, false
	}
	return c.integer(v, flatTree(s))
}

// listedValues appends the values of a list, which differ in the subscripts from d on; false after a mistake.
func (c *checker) listedValues(a *ir.ConstArray, d int, l *listSyntax) bool {
	if n := a.Hi[d] - a.Lo[d] + 1; len(l.Items) != n {
		c.errorf(diag.ValueCount, l.span(), "dimension %d of %s has %s, from %d to %d, and the list has %s", d+1, a.Name, plural(n, "cell"), a.Lo[d], a.Hi[d], plural(len(l.Items), "value"))
		return false
	}
	inner, whole := d+1 < len(a.Lo), true
	for _, item := range l.Items {
		switch {
		case inner && item.List != nil:
			whole = c.listedValues(a, d+1, item.List) && whole
		case inner:
			c.errorf(diag.ValueCount, flatTree(item.Value).at, "%s has %d dimensions: a list stands here, of the values with this subscript %d", a.Name, len(a.Lo), d+1)
			return false
		case item.List != nil:
			c.errorf(diag.ValueCount, item.List.span(), "%s has %s: a value stands here, and no list", a.Name, plural(len(a.Lo), "dimension"))
			return false
		default:
			what := constantDefinition
			if !a.Elem.Integer() {
				what = listedValue
			}
			v := c.constant(item.Value, what)
			if v == nil {
				return false
			}
			lit, _ := c.typedLit(&ir.Lit{Value: v, At: flatTree(item.Value).at}, a.Elem).(*ir.Lit)
			whole = whole && lit != nil
			if lit != nil {
				a.Values = append(a.Values, lit.Value)
			}
		}
	}
	return whole
}

// fixedCell reports whether e is a cell of a constant array with constant subscripts.
func (c *checker) fixedCell(e *expr) bool {
	ent := c.names[e.name]
	return e.kind == cellExpr && ent != nil && ent.kind == listedEntity && !slices.ContainsFunc(e.args, func(x *expr) bool { return !c.onlyConstants(x) })
}

// listedCell resolves a cell of a constant array; nil after a mistake.
func (c *checker) listedCell(v *view, e *expr, a *ir.ConstArray) ir.Expr {
	if !v.params {
		c.errorf(diag.NotConstant, e.at, "%s cannot be used in %s: it is a cell of a constant array", c.text(e.at), v.what)
		return nil
	}
	if a == nil { // a mistake in its declaration was reported
		return nil
	}
	if len(e.args) != len(a.Lo) {
		c.errorf(diag.Dimensions, e.at, "%s has %s, not %d", a.Name, plural(len(a.Lo), "dimension"), len(e.args)).
			note(a.Span, "%s is declared here", a.Name)
		return nil
	}
	inner := v.wanting(ir.Int64)
	cell, fixed, whole := make([]int, len(e.args)), true, true
	read := &ir.ConstCell{T: a.Elem, Of: a, At: e.at}
	for d, arg := range e.args {
		x := c.number(inner, arg)
		whole = whole && x != nil
		read.Subs = append(read.Subs, x)
		if value := fixedValue(x); value == nil {
			fixed = false
		} else if n, ok := c.integer(value, arg); !ok {
			whole = false
		} else if cell[d] = n; n < a.Lo[d] || n > a.Hi[d] {
			whole = false
			loop, hint := c.numberedLoop(arg, a, d, n)
			if c.beyond[loop] {
				continue // other cells beyond in the same iterations have the same cause
			}
			r := c.errorf(diag.OutOfBounds, arg.at, "subscript %d of %s is %d, and not from %d to %d", d+1, a.Name, n, a.Lo[d], a.Hi[d]).
				note(a.Span, "%s is declared here", a.Name)
			if hint != "" {
				r.note(loop, "the loop is here").advise("%s", hint)
			}
			if loop.Line > 0 {
				c.beyond[loop] = true
			}
		}
	}
	switch {
	case !whole:
		return nil
	case fixed:
		return &ir.Convert{T: a.Elem, X: &ir.Lit{Value: a.Values[a.Position(cell)], At: e.at}, At: e.at}
	case !v.lets && !v.init:
		c.errorf(diag.NotConstant, e.at, "a subscript of %s, a constant array, is no constant in %s", a.Name, v.what).
			note(a.Span, "%s is declared here", a.Name)
		return nil
	}
	return read
}

// fixedValue returns the value of a constant, or of a cell of a constant array of integers; nil of anything else.
func fixedValue(x ir.Expr) constant.Value {
	if cell, ok := x.(*ir.Convert); ok && cell.T.Integer() {
		if lit := untyped(cell.X); lit != nil {
			return representable(lit.Value, cell.T)
		}
	}
	if lit := untyped(x); lit != nil {
		return lit.Value
	}
	return nil
}

// formListed is the form of a cell of a constant array.
func (c *checker) formListed(v *view, e *expr, a *ir.ConstArray) *form {
	x := c.listedCell(v, e, a)
	if value := fixedValue(x); value != nil {
		return &form{c: value}
	}
	switch {
	case x == nil:
	case !a.Elem.Integer():
		r := c.errorf(diag.NotAffine, e.at, "%s is not affine: the cells of %s are floats, and a subscript or bound is an integer", c.text(e.at), a.Name).
			note(a.Span, "%s is declared here", a.Name)
		if !slices.ContainsFunc(a.Values, func(v constant.Value) bool { return representable(v, ir.Int32) == nil }) {
			r.advise("declare %s as int32", a.Name)
		}
	case v.what == loopBound:
		c.notAffine(e, "a cell of a constant array has a place in a bound if its subscripts are constant")
	default:
		why := "a cell of a constant array has a place in a subscript if its subscripts are constant"
		for _, name := range e.names() {
			if ent := c.names[name]; ent != nil && ent.kind == loopEntity && v.own[name] == nil {
				why += ": " + name + " is constant in a for of the body whose range has no parameters, and not in the header of the nest"
				break
			}
		}
		c.errorf(diag.NotAffine, e.at, "%s is not affine: %s", c.text(e.at), why)
	}
	return nil
}

// listedOf returns the constant array of the cell e; false if e is a cell of anything else.
func (c *checker) listedOf(v *view, e *expr) (*ir.ConstArray, bool) {
	ent := c.names[e.name]
	if ent == nil || ent.kind != listedEntity || v.own[e.name] != nil {
		return nil, false
	}
	return c.listed[ent.index].array, true
}

// span returns the place of a list, its first bracket.
func (l *listSyntax) span() diag.Span {
	return diag.Span{Pos: diag.Pos{Line: l.Pos.Line, Col: l.Pos.Column}, Len: 1}
}
