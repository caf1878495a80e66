package frontend

import (
	"fmt"
	"go/constant"
	"slices"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"

	"loopc/ir"
	"loopc/ir/diag"
)

// A value may not fit the array or the let to which it is assigned. All that does not fit in one
// statement has one cause, and one message. A conversion is offered only if no value can be lost by
// it. If a value can be lost, the type of the array or the let may be wrong instead.

// A receiver is an array or a let to which a value is assigned, with the parts of the value that do
// not fit: leaves that do not convert silently, and constants that the receiver's type does not
// have.
type receiver struct {
	name    string    // an array, or a let
	let     bool      // it is a let
	changed bool      // the file has a var, of which the let is one value
	at      diag.Span // where it is declared
	value   *expr
	t       ir.Type

	leaves []ir.Expr
	lits   []*ir.Lit
}

// received does what typed does, for the value of an assignment, an init or a let.
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
		name := strings.TrimSpace(spanText(c.nest.Source, arr.Span)) // that of the var, if lowering made the array of one
		made := name != "" && strings.HasPrefix(arr.Name, name+"_")
		if !made {
			name = arr.Name
		}
		return &receiver{name: name, changed: made, at: arr.Span, value: flatTree(b.assign.Value), t: arr.Elem}
	case b.let != nil:
		return &receiver{name: c.nameInFile(b.let.Name), let: true, changed: !c.isLet(b.let.Name), at: b.let.Name.span(), value: flatTree(b.let.Value), t: c.typeOfStatement(k)}
	}
	return &receiver{}
}

// asWritten returns the value that an assignment of the file gives, with the names of the file: where lowering made a select of
// an if, the operand of it that has the given place.
func (c *checker) asWritten(e *expr, at diag.Span) *expr {
	for e.kind == callExpr && e.name == "select" && len(e.args) == 3 && c.text(e.opAt) != e.name {
		if e.args[2].has(at) && !e.args[1].has(at) {
			e = e.args[2]
		} else {
			e = e.args[1]
		}
	}
	return c.withOwnNames(e)
}

// withOwnNames returns an expression with the names of the file in place of those that lowering has given to values.
func (c *checker) withOwnNames(e *expr) *expr {
	x := *e
	x.args = make([]*expr, len(e.args))
	for k, a := range e.args {
		x.args[k] = c.withOwnNames(a)
	}
	if own := c.wordAt(e.opAt.Pos); (e.kind == nameExpr || e.kind == cellExpr) && own != e.name && own != "" && strings.HasPrefix(e.name, own) {
		x.kind, x.name, x.args = nameExpr, own, nil
	}
	if sign := e.opAt; e.kind == binaryExpr && e.args[0].kind == cellExpr {
		sign.Len++
		if c.text(sign) == e.op.String()+"=" { // of an update
			x.update, x.at = true, join(e.args[0].at, e.args[1].at)
		}
	}
	return &x
}

// wordAt is the name that the source has at a place; "" if there is none.
func (c *checker) wordAt(at diag.Pos) string {
	_, rest := c.sourceAround(&nameSyntax{Pos: lexer.Position{Line: at.Line, Column: at.Col}})
	end := strings.IndexFunc(rest, func(r rune) bool { return !letter(r) && !digit(r) })
	if end < 0 {
		return rest
	}
	return rest[:end]
}

// has reports whether e or a part of it has the given place.
func (e *expr) has(at diag.Span) bool {
	return e.at == at || slices.ContainsFunc(e.args, func(x *expr) bool { return x.has(at) })
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
	switch {
	case r.changed:
		return fmt.Sprintf("var %s %s where it is declared", r.name, t)
	case r.let:
		return fmt.Sprintf("let %s %s = ...", r.name, t)
	}
	return fmt.Sprintf("declare %s as %s", r.name, t)
}

// misfit reports the leaves of e that do not convert silently to the type of r.
func (c *checker) misfit(e ir.Expr, r *receiver) {
	first := r.leaves[0]
	r.value = c.asWritten(r.value, first.Span())
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
		c.dropsFraction(d, e, r)
	case len(parts) == 1:
		inner := strings.TrimSuffix(strings.TrimPrefix(parts[0], c.typeOf(first).String()+"("), ")")
		if _, read := first.(*ir.Read); read || len(inner)+2 > len(parts[0]) {
			inner = parts[0]
		}
		d.fix(first.Span(), "%s(%s)", r.t, inner)
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

// dropsFraction advises how floats get into integers, where e is the value.
func (c *checker) dropsFraction(d report, e ir.Expr, r *receiver) {
	v := c.types.judge(e)
	converted := fmt.Sprintf("%s(%s), which drops the fraction", r.t, bare(r.value))
	if r.changed { // the value may be of a loop that was written out
		converted = fmt.Sprintf("%s(...) around the value, which drops the fraction", r.t)
	}
	if wide := c.floatAmong(r.leaves); v.clashes && r.changed && wide != ir.Invalid {
		v.t = wide
	} else if v.clashes {
		c.floatsConverted(d, r)
		return
	}
	if !v.t.Float() { // the floats are parameters and constants
		v.t = ir.Float64
	}
	if c.restIs(ir.Float32, e, r.name) {
		v.t = ir.Float32
	}
	d.advise("%s, or %s", r.as(v.t), converted)
}

// restIs reports whether the cells and names of e, but for those of the receiver itself, are floats of type t.
func (c *checker) restIs(t ir.Type, e ir.Expr, receiver string) bool {
	only := true
	leaves(e, func(x ir.Expr) {
		switch x.(type) {
		case *ir.Lit, *ir.FloatRef:
		default:
			name, _, _ := strings.Cut(strings.TrimSpace(c.text(x.Span())), "[")
			only = only && (c.typeOf(x) == t || name == receiver)
		}
	})
	return only
}

// floatsConverted advises to convert each leaf that is a float, if other leaves are integers that no float type holds.
func (c *checker) floatsConverted(d report, r *receiver) {
	var list []string
	for _, x := range r.leaves {
		if s := fmt.Sprintf("%s(%s)", r.t, c.text(x.Span())); c.typeOf(x).Float() && !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	if len(list) == 1 {
		d.advise("%s, which drops the fraction", list[0])
		return
	}
	d.advise("%s(...) around each of them, which drops the fraction", r.t)
}

// floatAmong returns the greatest type of floats that some leaves have; Invalid if there is none.
func (c *checker) floatAmong(leaves []ir.Expr) (wide ir.Type) {
	for _, x := range leaves {
		if t := c.typeOf(x); t.Float() && (wide == ir.Invalid || t.Size() > wide.Size()) {
			wide = t
		}
	}
	return wide
}

// narrows advises how integers get into an integer type that does not have all of them.
func (c *checker) narrows(d report, e ir.Expr, r *receiver) {
	wide := c.types.judge(e).alone()
	lost := c.lost(c.rangeOf(e), r.t)
	alone := len(r.leaves) == 1
	if alone && c.fitsWithin(e, r.t) {
		d.fix(r.leaves[0].Span(), "%s(%s)", r.t, c.text(r.leaves[0].Span()))
		return
	}
	text := bare(r.value)
	grows := c.addsTo(r.name, e)
	if grows && wide.Integer() && wide.Size() < ir.Int32.Size() { // the sums get larger from cell to cell
		wide = ir.Int32
	}
	switch {
	case lost == "" && r.value.oneLine():
		d.fixOf(r.value, "%s(%s)", r.t, text)
	case lost == "" || !wide.Integer():
		d.advise("%s(%s)", r.t, text)
	case !grows && !r.let && r.t.Size() <= 2 && c.returned(r.name):
		cell := r.t.Cell()
		d.advise("%s, or %s(max(%d, min(%d, %s))) to clamp it: %s(%s) would wrap %s", r.as(wide), r.t, cell.Lo, cell.Hi, text, r.t, text, lost)
	default:
		d.advise("%s: %s(%s) would wrap %s", r.as(wide), r.t, text, lost)
	}
}

// addsTo reports whether e is a sum with a cell of the named array among its terms.
func (c *checker) addsTo(name string, e ir.Expr) (own bool) {
	eachTerm(e, false, func(x ir.Expr, _ bool) {
		cell, ok := x.(*ir.Read)
		own = own || ok && c.nest.Arrays[cell.Array].Name == name
	})
	return own
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

// allAs is the advice to give another type to the receiver, and to all arrays to which assignments of the
// body pass its values on. because is the name of the constant that does not fit: allAs records both, so
// that the advice is given once.
func (c *checker) allAs(r *receiver, t ir.Type, because string) string {
	names := []string{r.name}
	if c.examined++; r.let || c.examined > 2*diag.MaxShown {
		return r.as(t)
	}
	for k := 0; k < len(names); k++ {
		for i := range c.body {
			b := &c.body[i]
			if b.assign == nil {
				continue
			}
			ent := c.names[b.assign.Cell.Name.Name]
			if ent == nil || ent.kind != arrayEntity {
				continue
			}
			if arr := &c.nest.Arrays[ent.index]; !slices.Contains(names, arr.Name) && !t.Silent(arr.Elem) && reads(flatTree(b.assign.Value), names[k]) {
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

// noSuchConstant reports a constant that type t does not have.
func (c *checker) noSuchConstant(e *ir.Lit, t ir.Type) report {
	if t.Integer() && constant.ToInt(e.Value).Kind() != constant.Int {
		return c.errorf(diag.ConstantOverflow, e.At, "constant %s is not an integer, as %s needs", short(e.Value), t)
	}
	r := c.errorf(diag.ConstantOverflow, e.At, "constant %s does not fit %s", short(e.Value), t)
	if t.Float() {
		r.advise("%sexp(1000), if it is to be infinite", map[bool]string{true: "-"}[constant.Sign(e.Value) < 0])
	}
	return r
}
