package frontend

import (
	"go/constant"

	"loopc/ir"
	"loopc/ir/diag"
)

// Types are found in two steps, because they depend on both the uses and the leaves of an
// expression: leaves give the type of each context (judge), and the context gives each node its
// type (typed).
//
// Every expression stands in a context, which has one type; all its leaves convert to this type
// before arithmetic. The value of an assignment has the type of the array, the value of a let
// the let's. The two operands of a comparison share a context of their own; so does the
// argument of an explicit conversion. The type of these is found from their leaves
// (checker.context).
//
// Array cells, lets and explicit conversions are leaves with a type. Constants, parameters,
// loop variables and the indices of an init have none: they adapt. A float parameter is like a
// constant with a fraction: it adapts to floats only, and among integers alone it is a float64. A
// let without a declared type takes the widest type of its typed leaves. Without typed leaves, it
// takes the type of the context of its first use if a leaf is no int64: a constant with a fraction
// or beyond int64, or a float parameter; else it is int64, and adapts as well.

// widest returns the narrowest type to which all types of a set convert silently. For integer
// types this is an integer type, if possible. It returns Invalid if there is none, as for int64
// and a floating-point type, or if the set is empty.
func widest(set typeSet) ir.Type {
	best := ir.Invalid
	for _, t := range ir.Types() {
		if set != 0 && set.silent(t) && (best == ir.Invalid || best.Float() && t.Integer() || best.Float() == t.Float() && t.Size() < best.Size()) {
			best = t
		}
	}
	return best
}

// A typeSet has a bit for each type.
type typeSet uint

// silent reports whether all types of the set convert silently to type to.
func (s typeSet) silent(to ir.Type) bool {
	for _, t := range ir.Types() {
		if s>>t&1 != 0 && !t.Silent(to) {
			return false
		}
	}
	return true
}

// typer knows the types of the lets of a body.
type typer struct {
	// lets is indexed by statement. Invalid: not known yet, or after a mistake.
	lets []ir.Type
	// floats says whether the value of a let needs a floating-point type if nothing else
	// decides.
	floats []bool
	// ranges has the possible values of each let of integers without a type; nil for other lets. The
	// value of such a let is that of the int64, even if it is computed in another type.
	ranges []*valueRange
}

// leaves calls f for every leaf of the context of e. Conditions and arguments of explicit
// conversions have contexts of their own.
func leaves(e ir.Expr, f func(ir.Expr)) {
	switch e := e.(type) {
	case *ir.Unary:
		leaves(e.X, f)
	case *ir.Binary:
		leaves(e.X, f)
		leaves(e.Y, f)
	case *ir.Call:
		for _, x := range e.Args {
			leaves(x, f)
		}
	case *ir.Select:
		leaves(e.A, f)
		leaves(e.B, f)
	default:
		f(e)
	}
}

// A verdict is what the leaves of a context imply for its type.
type verdict struct {
	t       ir.Type    // widest of the typed leaves, Invalid if there are none
	index   bool       // some leaf is a parameter, loop variable or index, or a let of such
	lets    valueRange // the possible values of lets of integer constants
	float   bool       // some constant is not written as an integer, some leaf is a float parameter, or a function such as sqrt is applied
	clash   [2]ir.Expr
	clashes bool // clash holds two leaves without a common wider type
}

// judge examines all leaves of the context made of the given expressions.
func (t *typer) judge(context ...ir.Expr) verdict {
	v := verdict{lets: valueRange{known: true}}
	var widestLeaf ir.Expr
	var seen typeSet
	var float *ir.FloatRef
	for _, e := range context {
		v.float = v.float || floatCalls(e)
		leaves(e, func(x ir.Expr) {
			lt := ir.Invalid
			switch x := x.(type) {
			case *ir.Lit:
				v.float = v.float || x.Value.Kind() == constant.Float
			case *ir.FloatRef:
				v.float, float = true, x
			case *ir.ParamRef, *ir.IterRef:
				v.index = true
			case *ir.LocalRef:
				if s := t.ranges[x.Stmt]; s != nil {
					v.index = v.index || !s.known
					v.lets = union(v.lets, *s)
					return
				}
				lt = t.lets[x.Stmt]
				v.float = v.float || lt == ir.Invalid && t.floats[x.Stmt]
			default:
				lt = x.Type()
			}
			if lt == ir.Invalid || v.clashes {
				return
			}
			seen |= 1 << lt
			w := widest(seen)
			if w == ir.Invalid {
				v.clash, v.clashes = [2]ir.Expr{widestLeaf, x}, true
				return
			}
			if w != v.t || widestLeaf == nil {
				widestLeaf = x
			}
			v.t = w
		})
	}
	if float != nil && v.t.Integer() && !v.clashes {
		v.amongIntegers(seen, widestLeaf, float)
	}
	return v
}

// amongIntegers makes a float parameter a float64 among leaves of integer types, the widest of which
// is given.
func (v *verdict) amongIntegers(seen typeSet, leaf ir.Expr, float *ir.FloatRef) {
	if v.t = widest(seen | 1<<ir.Float64); v.t == ir.Invalid {
		v.clash, v.clashes = [2]ir.Expr{leaf, float}, true
	}
}

// alone is the type of a context that only its leaves decide, such as that of a comparison or
// of an explicit conversion: the widest type of the typed leaves. A parameter or index among
// integer leaves makes it int64, so that it does not wrap; so does a let of constants that the
// type cannot hold. Without typed leaves it is float64 if a constant has a point or an exponent
// or a function needs it, else int64: the defaults of untyped constants in Go.
func (v verdict) alone() ir.Type {
	switch {
	case v.t.Integer() && (v.index || !v.lets.fits(v.t)):
		return ir.Int64
	case v.t != ir.Invalid:
		return v.t
	case v.float:
		return ir.Float64
	}
	return ir.Int64
}

// context returns the type of a context that only its leaves decide. If two leaves have no
// common wider type, it reports this and returns Invalid.
func (c *checker) context(exprs ...ir.Expr) ir.Type {
	v := c.types.judge(exprs...)
	if v.clashes {
		c.clash(v)
		return ir.Invalid
	}
	return v.alone()
}

// clash reports the two leaves in v.clash.
func (c *checker) clash(v verdict) {
	x, y := v.clash[0], v.clash[1]
	r := c.errorf(diag.TypeMismatch, y.Span(), "%s is %s and %s is %s: no type holds both",
		c.text(x.Span()), c.typeOf(x), c.text(y.Span()), c.typeOf(y)).
		note(x.Span(), "%s is here", c.text(x.Span()))
	integer := x
	if c.typeOf(y).Integer() {
		integer = y
	}
	r.fix(integer.Span(), "float64(%s)", c.text(integer.Span()))
}

// typeOf is the type of a leaf.
func (c *checker) typeOf(x ir.Expr) ir.Type {
	switch x := x.(type) {
	case *ir.LocalRef:
		return c.types.lets[x.Stmt]
	case *ir.FloatRef:
		return ir.Float64
	}
	return x.Type()
}

// typed gives every node of e its type, in a context of type t, and puts a Convert above every
// leaf of another type. It is nil after a mistake, or if t is Invalid; e is still whole then.
func (c *checker) typed(e ir.Expr, t ir.Type) ir.Expr {
	if e == nil || t == ir.Invalid {
		return nil
	}
	switch e := e.(type) {
	case *ir.Lit:
		return c.typedLit(e, t)
	case *ir.ParamRef:
		e.T = t
		return e
	case *ir.FloatRef:
		return c.typedFloat(e, t)
	case *ir.IterRef:
		e.T = t
		return e
	case *ir.LocalRef:
		if e.T = c.types.lets[e.Stmt]; e.T == ir.Invalid {
			return nil
		}
		if s := c.types.ranges[e.Stmt]; s != nil {
			c.wrapsAsConstant(e, *s, t)
			return c.types.adapted(e, t)
		}
		return c.converted(e, t)
	case *ir.Read, *ir.ReduceRef:
		return c.converted(e, t)
	case *ir.Lookup, *ir.ConstCell:
		return c.typedLookup(e, ir.Operands(e), t)
	case *ir.Convert:
		var x ir.Expr
		c.asideFrom(func() { x = c.explicit(e) })
		if x == nil {
			return nil
		}
		return c.converted(x, t)
	case *ir.Unary:
		x := c.typed(e.X, t)
		if x == nil {
			return nil
		}
		e.T, e.X = t, x
		return e
	case *ir.Binary:
		return c.typedBinary(e, t)
	case *ir.Call:
		return c.typedCall(e, t)
	case *ir.ExternCall:
		return c.typedExtern(e, t)
	case *ir.Select:
		return c.typedSelect(e, t)
	}
	panic("BUG: unknown kind of expression")
}

func (c *checker) typedLit(e *ir.Lit, t ir.Type) ir.Expr {
	v := representable(e.Value, t)
	if v == nil {
		if c.receiver != nil && c.receiver.t == t {
			c.receiver.lits = append(c.receiver.lits, e)
		} else {
			c.noSuchConstant(e, t)
		}
		return nil
	}
	if t.Float() && constant.Sign(v) != 0 && nearest(v, t) == 0 {
		c.warn(diag.ConstantOverflow, e.At, "constant %s is 0 in %s, which holds no number so near to 0", short(e.Value), t).
			advise("%s", map[bool]string{true: "1e-30", false: "1e-300"}[t == ir.Float32])
	}
	return &ir.Lit{T: t, Value: v, Name: e.Name, At: e.At}
}

// converted returns x, or its silent conversion to type t. If there is none, it reports this
// and returns nil.
func (c *checker) converted(x ir.Expr, t ir.Type) ir.Expr {
	switch from := x.Type(); {
	case from == t:
		return x
	case from.Silent(t):
		return &ir.Convert{T: t, X: x, At: x.Span()}
	case c.receiver != nil && c.receiver.t == t:
		c.receiver.leaves = append(c.receiver.leaves, x)
		return nil
	default:
		c.errorf(diag.TypeMismatch, x.Span(), "%s is %s and does not convert silently to %s", c.text(x.Span()), from, t).
			fix(x.Span(), "%s(%s)", t, c.text(x.Span()))
		return nil
	}
}

// explicit types the argument of a conversion that the programmer wrote. Converting a constant
// gives a constant; converting a leaf to its own type gives the leaf. Any other conversion
// stays, even to the type of its argument, because it rounds the value.
func (c *checker) explicit(e *ir.Convert) ir.Expr {
	if l := untyped(e.X); l != nil {
		x := c.typedLit(l, e.T)
		if x == nil {
			return nil
		}
		x.(*ir.Lit).At = e.At
		return x
	}
	t := c.context(e.X)
	if t != e.T && (e.T.Float() || t.Size() < e.T.Size()) {
		c.wraps(e.X, t, ", before it is converted")
	}
	x := c.typed(e.X, t)
	if x == nil {
		return nil
	}
	switch x.(type) {
	case *ir.ParamRef, *ir.FloatRef, *ir.IterRef, *ir.LocalRef, *ir.Read, *ir.Lookup, *ir.ConstCell, *ir.ExternCall, *ir.Lit, *ir.Convert:
		if x.Type() == e.T {
			return x
		}
	}
	e.X = x
	return e
}

func (c *checker) typedBinary(e *ir.Binary, t ir.Type) ir.Expr {
	if e.Op.OfIntegers() && !c.ofIntegers(e, t) {
		return nil
	}
	if y := untyped(e.Y); y != nil && e.Op.Divides() && t.Integer() && constant.Sign(y.Value) == 0 {
		c.errorf(diag.DivisionByZero, y.At, "%s is divided by zero", t)
		return nil
	}
	if e.Op == ir.Quo {
		c.keepsFraction(e, t)
	}
	c.wrapsDivided(e, t)
	x, y := c.typed(e.X, t), c.typed(e.Y, t)
	if x == nil || y == nil {
		return nil
	}
	e.T, e.X, e.Y = t, x, y
	if a, b := literalOf(x), literalOf(y); a != nil && b != nil && e.Op.OfIntegers() {
		return wrappedLit(e, a, b)
	}
	return e
}

// typedCondition types the comparisons in e; false after a mistake.
func (c *checker) typedCondition(e ir.Expr) bool {
	switch e := e.(type) {
	case *ir.Unary:
		return c.typedCondition(e.X)
	case *ir.Binary:
		if e.Op == ir.And || e.Op == ir.Or {
			x, y := c.typedCondition(e.X), c.typedCondition(e.Y)
			return x && y
		}
		t := c.compared(e.X, e.Y)
		c.wrapsCompared(e.X, t)
		c.wrapsCompared(e.Y, t)
		x, y := c.typed(e.X, t), c.typed(e.Y, t)
		if x == nil || y == nil {
			return false
		}
		e.X, e.Y = x, y
		return true
	}
	panic("BUG: not a condition")
}
