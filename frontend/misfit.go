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

// Values that do not fit what they are assigned to. All that does not fit in one statement has one
// cause, and one message. A conversion is offered only if no value can be lost by it: if some value
// can, the type of what is assigned to may be what is wrong.

// A receiver is what a value is assigned to, and what does not fit it: leaves that do not convert
// silently, and constants that its type does not have.
type receiver struct {
	name  string    // an array, or a let
	let   bool      // with its own type
	at    diag.Span // where it is declared
	value *expr
	t     ir.Type

	leaves []ir.Expr
	lits   []*ir.Lit
}

// received is typed for the value of an assignment, an init or a let.
func (c *checker) received(e ir.Expr, r *receiver) ir.Expr {
	if e == nil || r.t == ir.Invalid {
		return nil
	}
	c.receiver = r
	x := c.typed(e, r.t)
	c.receiver = nil
	switch {
	case len(r.leaves) > 0:
		c.misfit(e, r)
	case len(r.lits) > 0:
		c.misfitLit(r)
	}
	return x
}

// receiverOf is what statement k assigns to.
func (c *checker) receiverOf(k int) *receiver {
	b := &c.body[k]
	switch {
	case b.assign != nil && b.array >= 0:
		arr := &c.nest.Arrays[b.array]
		return &receiver{name: arr.Name, at: arr.Span, value: flatTree(b.assign.Value), t: arr.Elem}
	case b.let != nil:
		return &receiver{name: b.let.Name.Name, let: true, at: b.let.Name.span(), value: flatTree(b.let.Value), t: c.typeOfStatement(k)}
	}
	return &receiver{}
}

// enumerated is a list as a sentence has it.
func enumerated(list []string) string {
	if n := len(list) - 1; n > 0 {
		return strings.Join(list[:n], ", ") + " and " + list[n]
	}
	return strings.Join(list, "")
}

// as returns the advice to give the receiver another type.
func (r *receiver) as(t ir.Type) string {
	if r.let {
		return fmt.Sprintf("let %s %s = ...", r.name, t)
	}
	return fmt.Sprintf("declare %s as %s", r.name, t)
}

// misfit reports the leaves of e that do not convert silently to the type of r.
func (c *checker) misfit(e ir.Expr, r *receiver) {
	first := r.leaves[0]
	var parts, types []string
	var wide typeSet
	for _, x := range r.leaves {
		if s := c.text(x.Span()); !slices.Contains(parts, s) {
			parts, types = append(parts, s), append(types, s+" is "+c.typeOf(x).String())
		}
		wide |= 1 << c.typeOf(x)
	}
	said := types[0] + " and does"
	switch {
	case wide != 1<<c.typeOf(first):
		said = enumerated(types) + ": they do"
	case len(parts) > 1:
		said = enumerated(parts) + " are " + c.typeOf(first).String() + " and do"
	}
	d := c.errorf(diag.TypeMismatch, first.Span(), "%s not convert silently to %s", said, r.t)
	integers := wide&^integerTypes == 0
	switch {
	case r.t.Integer() && integers:
		c.narrows(d, e, r)
	case r.t.Integer():
		c.dropsFraction(d, r, c.types.judge(e))
	case len(parts) == 1:
		d.fix(first.Span(), "%s(%s)", r.t, parts[0])
	case !integers && wide&integerTypes == 0 && r.value.oneLine():
		d.fixOf(r.value, "%s(%s)", r.t, bare(r.value))
	default:
		c.eachConverted(d, r)
	}
}

// integerTypes are all types of integers.
var integerTypes = func() (set typeSet) {
	for _, t := range ir.Types() {
		if t.Integer() {
			set |= 1 << t
		}
	}
	return set
}()

// eachConverted advises to convert every leaf or, if all are cells of one array that the nest writes,
// to give that array another type.
func (c *checker) eachConverted(d report, r *receiver) {
	array := -1
	for k, x := range r.leaves {
		cell, ok := x.(*ir.Read)
		switch {
		case !ok || k > 0 && cell.Array != array:
			d.advise("%s(...) around each of them", r.t)
			return
		}
		array = cell.Array
	}
	name := c.nest.Arrays[array].Name
	if !c.written[name] {
		d.advise("%s(...) around each of them", r.t)
		return
	}
	d.advise("declare %s as %s, or write %s(...) around each of its cells", name, r.t, r.t)
}

// dropsFraction advises how floats get into integers, where v is the verdict on the value.
func (c *checker) dropsFraction(d report, r *receiver, v verdict) {
	converted := fmt.Sprintf("%s(%s), which drops the fraction", r.t, bare(r.value))
	if v.clashes {
		d.advise("%s", converted)
		return
	}
	d.advise("%s, or %s", r.as(v.t), converted)
}

// narrows advises how integers get into an integer type that does not have all of them.
func (c *checker) narrows(d report, e ir.Expr, r *receiver) {
	wide := c.types.judge(e).alone()
	lost := c.lost(c.rangeOf(e), r.t)
	alone := len(r.leaves) == 1
	if lost == "" && alone && c.lost(c.rangeOf(r.leaves[0]), r.t) == "" {
		d.fix(r.leaves[0].Span(), "%s(%s)", r.t, c.text(r.leaves[0].Span()))
		return
	}
	text := bare(r.value)
	switch {
	case lost == "" && r.value.oneLine():
		d.fixOf(r.value, "%s(%s)", r.t, text)
	case lost == "" || !wide.Integer():
		d.advise("%s(%s)", r.t, text)
	case !r.let && r.t.Size() <= 2 && c.returned(r.name):
		cell := r.t.Cell()
		d.advise("%s, or %s(max(%d, min(%d, %s))) to clamp it: %s(%s) would wrap %s", r.as(wide), r.t, cell.Lo, cell.Hi, text, r.t, text, lost)
	default:
		d.advise("%s: %s(%s) would wrap %s", r.as(wide), r.t, text, lost)
	}
}

// returned reports whether the caller gets the array of a name.
func (c *checker) returned(name string) bool {
	ent := c.names[name]
	return ent != nil && ent.kind == arrayEntity && c.nest.Arrays[ent.index].Role != ir.Internal
}

// misfitLit reports a constant that the type of r does not have.
func (c *checker) misfitLit(r *receiver) {
	lit := r.lits[0]
	if lit.Name != "" && c.retyped[r.name+"/"+lit.Name] {
		return // the advice that was given holds for this statement, too
	}
	d := c.noSuchConstant(lit, r.t)
	if ent := c.names[lit.Name]; lit.Name != "" && ent != nil && ent.kind == constEntity {
		d.note(ent.at, "%s is declared here", lit.Name)
	}
	if !r.let {
		d.note(r.at, "%s is declared here, as %s", r.name, r.t)
	}
	if !r.t.Integer() || d.d.Hint != "" {
		return
	}
	if constant.ToInt(lit.Value).Kind() != constant.Int {
		d.advise("%s, or, to drop the fraction, %s(...) around the value, and float64(...) around what it is computed from", c.allAs(r, ir.Float64, lit.Name), r.t)
		return
	}
	for _, t := range []ir.Type{ir.Int32, ir.Int64} {
		if r.t.Silent(t) && representable(lit.Value, t) != nil {
			d.advise("%s, which has it", c.allAs(r, t, lit.Name))
			return
		}
	}
}

// allAs is the advice to give the receiver another type, and all arrays that its values go to by
// assignments of the body, so that they have room for them. It records that this is advised because of
// the constant of some name.
func (c *checker) allAs(r *receiver, t ir.Type, because string) string {
	names := []string{r.name}
	if r.let {
		return r.as(t)
	}
	for k := 0; k < len(names); k++ {
		for i := range c.body {
			b := &c.body[i]
			if b.assign == nil || b.array < 0 {
				continue
			}
			if arr := &c.nest.Arrays[b.array]; !slices.Contains(names, arr.Name) && !t.Silent(arr.Elem) && reads(flatTree(b.assign.Value), names[k]) {
				names = append(names, arr.Name)
			}
		}
	}
	if c.retyped == nil {
		c.retyped = map[string]bool{}
	}
	for _, name := range names {
		c.retyped[name+"/"+because] = true
	}
	if len(names) == 1 {
		return r.as(t)
	}
	return fmt.Sprintf("declare %s as %s", enumerated(names), t)
}

// reads reports whether an expression reads cells of an array, other than in the argument of a conversion.
func reads(e *expr, name string) bool {
	if e.kind == callExpr && ir.TypeNamed(e.name) != ir.Invalid {
		return false
	}
	return e.kind == cellExpr && e.name == name || slices.ContainsFunc(e.args, func(x *expr) bool { return reads(x, name) })
}

// An interval holds the integers that an expression may be, if nothing wraps.
type interval struct{ lo, hi float64 }

// valuesOf are all values of an integer type.
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

// rangeOf returns the interval of an expression of integers.
func (c *checker) rangeOf(e ir.Expr) interval {
	switch e := e.(type) {
	case *ir.Lit:
		v, _ := constant.Float64Val(e.Value)
		return interval{v, v}
	case *ir.Read:
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

// operated is the interval of a sum, product or quotient.
func operated(op ir.Op, x, y interval) interval {
	out := interval{math.Inf(1), math.Inf(-1)}
	if op == ir.Quo && y.lo <= 0 && y.hi >= 0 { // of a quotient only the sign is not known, and it is not longer
		most := max(math.Abs(x.lo), math.Abs(x.hi))
		return interval{-most, most}
	}
	for _, a := range []float64{x.lo, x.hi} {
		for _, b := range []float64{y.lo, y.hi} {
			v := map[ir.Op]float64{ir.Add: a + b, ir.Sub: a - b, ir.Mul: a * b}[op]
			if op == ir.Quo {
				v = math.Trunc(a / b)
			}
			out = interval{min(out.lo, v), max(out.hi, v)}
		}
	}
	return out
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
