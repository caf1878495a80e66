package frontend

import (
	"fmt"
	"go/constant"
	"slices"
	"strings"

	"loopc/frontend/depend"
	"loopc/ir"
	"loopc/ir/diag"
)

// What integers an expression may be, and where the type in which it is computed does not have them.

// lost says which values of an interval an integer type does not have; "" if it has all.
func (c *checker) lost(x ir.Interval, t ir.Type) string {
	all := ir.ValuesOf(t)
	var ends []string
	if x.Lo < all.Lo {
		ends = append(ends, fmt.Sprintf("below %d", t.Cell().Lo))
	}
	if x.Hi > all.Hi {
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
func (c *checker) rangeOf(e ir.Expr) ir.Interval {
	switch e := e.(type) {
	case *ir.Read:
		return ir.ValuesOf(e.T)
	case *ir.Lookup, *ir.ConstCell:
		return ir.ValuesOf(e.Type())
	case *ir.ReduceRef:
		return ir.ValuesOf(e.T)
	case *ir.LocalRef:
		return c.letRange(e)
	case *ir.Convert:
		if c.types.judge(e.X).alone().Float() {
			return ir.ValuesOf(e.T)
		}
		return c.rangeOf(e.X).Within(e.T)
	case *ir.ExternCall:
		return ir.ValuesOf(c.nest.Externs[e.Extern].Result)
	default:
		if x, ok := ir.Computed(e, c.rangeOf); ok {
			return x
		}
	}
	return ir.ValuesOf(ir.Int64) // a parameter or a loop variable
}

// letRange is the interval of a let. It is found once.
func (c *checker) letRange(e *ir.LocalRef) ir.Interval {
	if x, known := c.ranges[e.Stmt]; known {
		return x
	}
	x := ir.ValuesOf(c.types.lets[e.Stmt])
	if value := c.body[e.Stmt].expr; value != nil {
		x = c.rangeOf(value).Within(c.types.lets[e.Stmt])
	}
	if c.ranges == nil {
		c.ranges = map[int]ir.Interval{}
	}
	c.ranges[e.Stmt] = x
	return x
}

// wraps warns of e if it is computed in t, a type of at most 16 bits that does not have all its values. The
// caller knows that the context of e has these values, or that the user expects them.
func (c *checker) wraps(e ir.Expr, t ir.Type, why string) {
	if value, own := c.letValue(e); value != nil {
		e, t = value, own
	}
	if r, first := c.wrapping(e, t, why); first != nil {
		at := c.leafSpan(first)
		r.fix(at, "%s(%s)", ir.Int32, c.text(at))
	}
}

// leafSpan is the place of a leaf in the file, whose name for a let may be shorter than the one that lowering gave it.
func (c *checker) leafSpan(e ir.Expr) diag.Span {
	at := e.Span()
	if l, ok := e.(*ir.LocalRef); ok && c.body[l.Stmt].let != nil {
		at.Len = min(at.Len, len([]rune(c.nameInFile(c.body[l.Stmt].let.Name))))
	}
	return at
}

// widened completes the report about an argument of a call: the call with its leaf at the given place converted to int32, and
// converted back to t. It returns false if the call is not in one line.
func (c *checker) widened(r report, call *ir.Call, leaf diag.Span, t ir.Type) bool {
	at := call.Span()
	if at.Line < 1 || at.Line > len(c.nest.Source) || leaf.Line != at.Line {
		return false
	}
	line := []rune(c.nest.Source[at.Line-1])
	if words := strings.Fields(string(line)); len(words) > 2 && words[2] == "=" && (words[0] == "let" || words[0] == "reduce") {
		return false // it becomes wider with its leaf
	}
	first, depth := at.Col-1, 0
	for k := first; k < len(line); k++ {
		switch line[k] {
		case '(':
			depth++
		case ')':
			if depth--; depth > 0 {
				continue
			}
			from, to := leaf.Col-1, leaf.Col-1+leaf.Len
			if from < first || to > k || string(line[first:first+len(call.Fn.String())]) != call.Fn.String() {
				return false
			}
			r.fix(diag.Span{Pos: at.Pos, Len: k + 1 - first}, "%s(%s%s(%s)%s)", t, string(line[first:from]), ir.Int32, string(line[from:to]), string(line[to:k+1]))
			return true
		}
	}
	return false
}

// letValue returns the value of a let without a type, and the type in which it is computed; nil for other expressions.
func (c *checker) letValue(e ir.Expr) (ir.Expr, ir.Type) {
	l, ok := e.(*ir.LocalRef)
	if !ok || c.types.ranges[l.Stmt] != nil || c.body[l.Stmt].let == nil || c.body[l.Stmt].let.Type != nil {
		return nil, ir.Invalid
	}
	return c.body[l.Stmt].expr, c.types.lets[l.Stmt]
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
		at = join(at, c.leafSpan(x))
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
		if value, _ := c.letValue(x); value != nil {
			c.wraps(x, t, ", before "+c.text(x.Span())+" is "+done)
		}
	})
	r, first := c.wrapping(e.X, t, ", before it is "+done)
	if first == nil {
		return
	}
	text := fmt.Sprintf("%s(%s)", t, bare(q.withConverted(first.Span(), ir.Int32)))
	if array := c.onlyWritten(e.X); array != "" {
		r.advise("%sdeclare %s as int32%s%s, if all cells of %s fit %s", depend.OneOf, array, depend.Or, text, array, t)
		return
	}
	r.fixOf(q, "%s", text)
}

// onlyWritten is the array of all cells in e, if the nest writes it: its type may be what is wrong. It is "" otherwise.
func (c *checker) onlyWritten(e ir.Expr) (array string) {
	others := false
	leaves(e, func(x ir.Expr) {
		if cell, ok := x.(*ir.Read); !ok {
			others = others || untyped(x) == nil && literalOf(x) == nil
		} else if name := c.nest.Arrays[cell.Array].Name; array == "" || array == name {
			array = name
		} else {
			others = true
		}
	})
	if others || !c.written[array] {
		return ""
	}
	return array
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
	value, _ := c.letValue(x)
	if value == nil {
		value = x
	}
	if !t.Integer() || t.Size() > 2 || leaf(value) {
		return
	}
	below := t.Cell().Lo == 0 && c.rangeOf(value).Lo < 0 && (e.Fn == ir.Abs || e.Fn == ir.Max)
	above := e.Fn == ir.Min && slices.ContainsFunc(e.Args, func(y ir.Expr) bool {
		l, ok := y.(*ir.Lit)
		return ok && c.rangeOf(l).Hi == float64(t.Cell().Hi)
	})
	why := ", before " + e.Fn.String() + " sees it"
	switch {
	case !below && !above:
	case value != x:
		c.wraps(x, t, why)
	default:
		if r, first := c.wrapping(x, t, why); first != nil && !c.widened(r, e, c.leafSpan(first), t) {
			r.fix(c.leafSpan(first), "%s(%s)", ir.Int32, c.text(c.leafSpan(first)))
		}
	}
}

// wrapsCompared does what wraps does, for one side of a comparison. Of lets, only those count that should be below 0: sums of
// small numbers, such as counts of neighbors, are compared as they are.
func (c *checker) wrapsCompared(e ir.Expr, t ir.Type) {
	if value, own := c.letValue(e); value == nil || own.Integer() && own.Cell().Lo == 0 && c.rangeOf(value).Lo < 0 {
		c.wraps(e, t, ", before it is compared")
	}
}

// wrapsAsConstant warns of a use of a let of constants in a type that lacks its value: a constant in its place
// would be refused.
func (c *checker) wrapsAsConstant(e *ir.LocalRef, s valueRange, t ir.Type) {
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
				at := c.leafSpan(first)
				r.fix(at, "%s(%s)", wide, c.text(at))
			}
			return
		}
	}
}
