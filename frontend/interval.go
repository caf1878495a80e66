package frontend

import (
	"fmt"
	"go/constant"
	"math"
	"slices"
	"strings"

	"loopc/ir"
	"loopc/ir/diag"
)

// What integers an expression may be, and where the type in which it is computed does not have them.

// An interval holds the integers that an expression may be, if nothing wraps.
type interval struct{ lo, hi float64 }

// valuesOf are all values of an integer type, those of int64 for other types.
func valuesOf(t ir.Type) interval {
	if !t.Integer() {
		t = ir.Int64
	}
	return interval{float64(t.Cell().Lo), float64(t.Cell().Hi)}
}

// lost says which values of an interval an integer type does not have; "" if it has all.
func (c *checker) lost(x interval, t ir.Type) string {
	all := valuesOf(t)
	var ends []string
	if x.lo < all.lo {
		ends = append(ends, fmt.Sprintf("below %d", t.Cell().Lo))
	}
	if x.hi > all.hi {
		ends = append(ends, fmt.Sprintf("above %d", t.Cell().Hi))
	}
	return strings.Join(ends, " and ")
}

// fitsWithin reports whether an integer type has all values of an expression, and of its parts.
func (c *checker) fitsWithin(e ir.Expr, t ir.Type) bool {
	if c.lost(c.rangeOf(e), t) != "" {
		return false
	}
	var parts []ir.Expr
	switch e := e.(type) {
	case *ir.Unary:
		parts = []ir.Expr{e.X}
	case *ir.Binary:
		parts = []ir.Expr{e.X, e.Y}
	case *ir.Select:
		parts = []ir.Expr{e.A, e.B}
	case *ir.Call:
		parts = e.Args
	}
	return !slices.ContainsFunc(parts, func(x ir.Expr) bool { return !c.fitsWithin(x, t) })
}

// rangeOf returns the interval of an expression of integers.
func (c *checker) rangeOf(e ir.Expr) interval {
	switch e := e.(type) {
	case *ir.Lit:
		v, _ := constant.Float64Val(e.Value)
		return interval{v, v}
	case *ir.Read:
		return valuesOf(e.T)
	case *ir.Lookup, *ir.ConstCell:
		return valuesOf(e.Type())
	case *ir.ReduceRef:
		return valuesOf(e.T)
	case *ir.LocalRef:
		return c.letRange(e)
	case *ir.Convert:
		if c.types.judge(e.X).alone().Float() {
			return valuesOf(e.T)
		}
		return c.rangeOf(e.X).within(e.T)
	case *ir.ExternCall:
		return valuesOf(c.nest.Externs[e.Extern].Result)
	case *ir.Unary:
		x := c.rangeOf(e.X)
		return interval{-x.hi, -x.lo}
	case *ir.Select:
		x, y := c.rangeOf(e.A), c.rangeOf(e.B)
		return interval{min(x.lo, y.lo), max(x.hi, y.hi)}
	case *ir.Binary:
		return operated(e.Op, c.rangeOf(e.X), c.rangeOf(e.Y))
	case *ir.Call:
		return c.callRange(e)
	}
	return valuesOf(ir.Int64) // a parameter or a loop variable
}

// within is x in type t: all values of t if x has others.
func (x interval) within(t ir.Type) interval {
	if all := valuesOf(t); x.lo < all.lo || x.hi > all.hi {
		return all
	}
	return x
}

// letRange is the interval of a let. It is found once.
func (c *checker) letRange(e *ir.LocalRef) interval {
	if x, known := c.ranges[e.Stmt]; known {
		return x
	}
	x := valuesOf(c.types.lets[e.Stmt])
	if value := c.body[e.Stmt].expr; value != nil {
		x = c.rangeOf(value).within(c.types.lets[e.Stmt])
	}
	if c.ranges == nil {
		c.ranges = map[int]interval{}
	}
	c.ranges[e.Stmt] = x
	return x
}

// operated is the interval of x op y.
func operated(op ir.Op, x, y interval) interval {
	switch {
	case op == ir.Rem:
		most := max(math.Abs(y.lo), math.Abs(y.hi)) - 1
		return interval{max(min(x.lo, 0), -most), min(max(x.hi, 0), most)}
	case op == ir.BitAnd && max(x.lo, y.lo) >= 0: // at most a side that is not negative
		return interval{0, min(x.mask(), y.mask())}
	case op == ir.BitAnd || op == ir.BitOr || op == ir.BitXor:
		most := math.Exp2(math.Ceil(math.Log2(max(x.hi, y.hi, -x.lo-1, -y.lo-1, 0)+1))) - 1
		return interval{map[bool]float64{true: -most - 1}[min(x.lo, y.lo) < 0], most}
	case op == ir.Quo && y.lo <= 0 && y.hi >= 0: // the divisor may have any sign, and the quotient is at most as large as x
		most := max(math.Abs(x.lo), math.Abs(x.hi))
		return interval{-most, most}
	}
	out := interval{math.Inf(1), math.Inf(-1)}
	for _, a := range []float64{x.lo, x.hi} {
		for _, b := range []float64{y.lo, y.hi} {
			v := map[ir.Op]float64{ir.Add: a + b, ir.Sub: a - b, ir.Mul: a * b, ir.Shl: math.Ldexp(a, int(b)), ir.Shr: math.Floor(math.Ldexp(a, -int(b)))}[op]
			if op == ir.Quo {
				v = math.Trunc(a / b)
			}
			out = interval{min(out.lo, v), max(out.hi, v)}
		}
	}
	return out
}

// mask bounds x & y from above, as far as x tells: by the greatest x, unless x may be negative.
func (x interval) mask() float64 {
	if x.lo < 0 {
		return math.Inf(1)
	}
	return x.hi
}

// callRange is the interval of min, max and abs.
func (c *checker) callRange(e *ir.Call) interval {
	out := c.rangeOf(e.Args[0])
	for _, a := range e.Args[1:] {
		x := c.rangeOf(a)
		if e.Fn == ir.Min {
			out = interval{min(out.lo, x.lo), min(out.hi, x.hi)}
		} else {
			out = interval{max(out.lo, x.lo), max(out.hi, x.hi)}
		}
	}
	if e.Fn == ir.Abs {
		return interval{max(0, out.lo, -out.hi), max(out.hi, -out.lo)}
	}
	return out
}

// wraps warns of e if it is computed in t, a type of at most 16 bits that does not have all its values. The
// caller knows that the context of e has these values, or that the user expects them.
func (c *checker) wraps(e ir.Expr, t ir.Type, why string) {
	if r, first := c.wrapping(e, t, why); first != nil {
		r.fix(first.Span(), "%s(%s)", ir.Int32, c.text(first.Span()))
	}
}

// wrapping is wraps without a hint. first is the leaf whose conversion makes the expression wider; nil if
// nothing is reported, or this leaf was reported before.
func (c *checker) wrapping(e ir.Expr, t ir.Type, why string) (r report, first ir.Expr) {
	if leaf(e) || !t.Integer() || t.Size() > 2 {
		return r, nil
	}
	lost := c.lost(c.rangeOf(e), t)
	if lost == "" {
		return r, nil
	}
	at, here := diag.Span{}, true
	leaves(e, func(x ir.Expr) {
		if v := c.types.judge(x); v.t != ir.Invalid && !v.t.Silent(t) {
			here = false // this is reported
		}
		if _, number := x.(*ir.Lit); !number && first == nil {
			first = x
		}
		if at.Line == 0 {
			at = x.Span()
		}
		at = join(at, x.Span())
	})
	if first == nil || !here || c.wrapped[first.Span()] {
		return r, nil
	}
	if c.wrapped == nil {
		c.wrapped = map[diag.Span]bool{}
	}
	c.wrapped[first.Span()] = true
	what := c.text(at)
	if _, sum := e.(*ir.Binary); !sum || !balancedText(what) || strings.HasSuffix(what, "...") {
		what = "this"
	}
	return c.warn(diag.ConstantOverflow, at, "%s is computed in %s, which wraps %s%s", what, t, lost, why), first
}

// balancedText reports whether every round bracket of a text has its partner in it.
func balancedText(text string) bool {
	depth := 0
	for _, x := range text {
		switch {
		case x == '(':
			depth++
		case x == ')':
			depth--
		}
		if depth < 0 {
			return false
		}
	}
	return depth == 0
}

// wrapsDivided does what wraps does, for the left side of a division, a remainder or a shift to the right: a value
// that has wrapped is not what the user divides. The hint converts the quotient back to t.
func (c *checker) wrapsDivided(e *ir.Binary, t ir.Type) {
	done := map[ir.Op]string{ir.Quo: "divided", ir.Rem: "divided", ir.Shr: "shifted"}[e.Op]
	q := c.quotients[e]
	if done == "" || q == nil || q.update || t.Size() > 1 { // cells of more bits often have small values
		return
	}
	if y := untyped(e.Y); y != nil && e.Op == ir.Rem && t.Cell().Lo == 0 {
		if n, exact := constant.Int64Val(y.Value); exact && n&(n-1) == 0 {
			return // the last bits are right
		}
	}
	leaves(e.X, func(x ir.Expr) {
		if l, ok := x.(*ir.LocalRef); ok && c.types.whole[l.Stmt] == nil && c.body[l.Stmt].let.Type == nil && c.body[l.Stmt].expr != nil {
			c.wraps(c.body[l.Stmt].expr, c.types.lets[l.Stmt], ", before "+c.text(l.At)+" is "+done)
		}
	})
	r, first := c.wrapping(e.X, t, ", before it is "+done)
	if first == nil {
		return
	}
	r.fixOf(q, "%s(%s)", t, bare(q.withConverted(first.Span(), ir.Int32)))
}

// withConverted is e with a conversion to t around the operand at a place of the source.
func (e *expr) withConverted(at diag.Span, t ir.Type) *expr {
	if e.at == at {
		return &expr{kind: callExpr, name: t.String(), args: []*expr{e}, at: e.at, opAt: e.at, height: e.height + 1}
	}
	out := *e
	out.args = nil
	for _, a := range e.args {
		out.args = append(out.args, a.withConverted(at, t))
	}
	return &out
}

// wrapsInCall does what wraps does, for an argument x of a call that shows that the user expects values that t does
// not have: abs and max expect values below 0, and min with the greatest value of t expects values above it.
func (c *checker) wrapsInCall(e *ir.Call, x ir.Expr, t ir.Type) {
	if !t.Integer() || t.Size() > 2 || leaf(x) {
		return
	}
	below := t.Cell().Lo == 0 && c.rangeOf(x).lo < 0 && (e.Fn == ir.Abs || e.Fn == ir.Max)
	above := e.Fn == ir.Min && slices.ContainsFunc(e.Args, func(y ir.Expr) bool {
		l, ok := y.(*ir.Lit)
		return ok && c.rangeOf(l).hi == float64(t.Cell().Hi)
	})
	if below || above {
		c.wraps(x, t, ", before "+e.Fn.String()+" sees it")
	}
}

// wrapsAsConstant warns of a use of a let of constants in a type that lacks its value: a constant in its place
// would be refused.
func (c *checker) wrapsAsConstant(e *ir.LocalRef, s span, t ir.Type) {
	if t.Integer() && s.known && !s.fits(t) {
		c.warn(diag.ConstantOverflow, e.At, "%s wraps: it may be %d, and %s holds %d to %d", c.text(e.At), map[bool]int64{true: s.hi, false: s.lo}[s.hi > t.Cell().Hi], t, t.Cell().Lo, t.Cell().Hi)
	}
}

// wrapsInLet does what wraps does, for let k, if it has no type and some use of it is in a wider type: without the
// let, the operands would be converted before they are used.
func (c *checker) wrapsInLet(k int, uses []*use) {
	b, t := &c.body[k], c.types.lets[k]
	if b.let.Type != nil || b.expr == nil || !t.Integer() || t.Size() > 2 {
		return
	}
	for _, u := range uses {
		in := u.t
		if in == ir.Invalid && u.context == nil {
			in = c.typeOfStatement(u.stmt)
		} else if in == ir.Invalid {
			in = c.types.judge(u.context...).alone()
		}
		if in != ir.Invalid && in != t && t.Silent(in) {
			if r, first := c.wrapping(b.expr, t, ", before it is used in "+in.String()); first != nil {
				wide := ir.Int32
				if !wide.Silent(in) {
					wide = in
				}
				r.fix(first.Span(), "%s(%s)", wide, c.text(first.Span()))
			}
			return
		}
	}
}
