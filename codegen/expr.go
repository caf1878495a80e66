package codegen

import (
	"fmt"
	"go/constant"
	"go/token"
	"slices"
	"strconv"
	"strings"

	"loopc/ir"
)

// refs are the names of everything that an expression reads, in one emitted function.
type refs struct {
	iter    func(k int) string                       // an iterator, as an int
	param   func(k int) string                       // a parameter, as an int
	float   func(e *ir.FloatRef) string              // a float parameter, in the type of its use
	reduced func(e *ir.ReduceRef) string             // the result of a reduction
	local   func(stmt int) string                    // the value of a let
	read    func(*ir.Read) string                    // an array cell
	arrays  []string                                 // as the user names them
	cell    func(e *ir.Lookup, subs []string) string // a cell that is looked up
	bounds  func(a, dim int) (lo, hi string)         // of an array
	names   *scope                                   // for further variables
	consts  map[string]string                        // declared constants
	externs []string                                 // functions written in Go
	line    func(e ir.Expr) string                   // "file.loop:9", for errors at run time
	iters   func() (names, values []string)          // all iterators, for errors at run time
	numbers func() (names, values []string)          // the numbers of the repeats around, for errors at run time
}

// refs returns the part that all functions emitted for a nest share.
func (g *generator) refs(names *scope) *refs {
	return &refs{
		names: names, consts: g.consts, externs: g.externs,
		param:  func(k int) string { return g.params[k] },
		float:  func(e *ir.FloatRef) string { return g.floats[floatUse{e.Float, e.T}] },
		arrays: mapped(g.n.Arrays, func(a ir.Array) string { return a.Name }),
		bounds: func(a, dim int) (lo, hi string) {
			arr := &g.n.Arrays[a]
			return affine(arr.Lo[dim], nil, g.params), affine(arr.Hi[dim], nil, g.params)
		},
		line:    func(e ir.Expr) string { return fmt.Sprintf("%s:%d", g.n.File, e.Span().Line) },
		iters:   func() (names, values []string) { return nil, nil },
		numbers: g.numbers,
	}
}

// numbers are the names of the repeats around the nest, and their variables.
func (g *generator) numbers() (names, values []string) {
	for _, x := range g.n.Numbers {
		if !x.Item {
			names, values = append(names, g.n.Params[x.Param].Name), append(values, g.params[x.Param])
		}
	}
	return names, values
}

// iteration returns what an error at run time says of the iteration, as arguments: the names of repeats and loops, and their
// values.
func (r *refs) iteration() []string {
	repeats, numbers := r.numbers()
	loops, values := r.iters()
	return slices.Concat([]string{strconv.Quote(strings.Join(slices.Concat(repeats, loops), ", "))}, numbers, values)
}

// Precedence of Go's operators; an operand of lower precedence gets parentheses.
const (
	bindOr = iota + 1
	bindAnd
	bindCompare
	bindAdd
	bindMul
	bindUnary
	bindPrimary
)

// An emitter translates expressions into Go. If Go needs statements (select), it prints them
// before the expression.
type emitter struct {
	p *printer
	r *refs
	// varies says that no literal may be a constant of Go: see constantOnly.
	varies bool
}

// expr returns e as a Go expression that has e's type without any context: constants are converted.
// Products are rounded.
func (m *emitter) expr(e ir.Expr) string {
	if lit, ok := e.(*ir.Lit); ok {
		return m.typed(lit)
	}
	s, _ := m.sub(e, true)
	return s
}

// typed returns a constant with its type; as a variable, if literals must not be constants of Go.
func (m *emitter) typed(lit *ir.Lit) string {
	s := m.literal(lit)
	if lit.T == ir.Bool {
		return s
	}
	// In Go, a number with a point or an exponent is a float64 without a conversion.
	if lit.T != ir.Float64 || !strings.ContainsAny(s, ".e") || lit.Name != "" {
		s = fmt.Sprintf("%s(%s)", lit.T, s)
	}
	if m.varies {
		s = fmt.Sprintf("arith.Varying(%s)", s)
	}
	return s
}

// within returns the emitter for the operands of e.
func (m *emitter) within(e ir.Expr) *emitter {
	if _, ok := e.(*ir.Lit); ok || m.varies || !constantOnly(e) {
		return m
	}
	return &emitter{p: m.p, r: m.r, varies: true}
}

// number returns a literal, and its precedence.
func (m *emitter) number(e *ir.Lit) (string, int) {
	s := m.literal(e)
	switch {
	case m.varies && e.T != ir.Bool:
		return m.typed(e), bindPrimary
	case s[0] == '-':
		return s, bindUnary
	case strings.Contains(s, "/"):
		return s, bindMul
	}
	return s, bindPrimary
}

// operand returns e for a place that requires a precedence of at least least.
func (m *emitter) operand(e ir.Expr, least int, fusible bool) string {
	s, bind := m.sub(e, fusible)
	if bind < least {
		return "(" + s + ")"
	}
	return s
}

// sub returns e and its precedence. If fusible, a product of floats is rounded explicitly: Go
// may otherwise fuse it with a sum, and does so on some machines, even across assignments
// (golang/go#17895).
func (m *emitter) sub(e ir.Expr, fusible bool) (string, int) {
	m = m.within(e)
	switch e := e.(type) {
	case *ir.Lit:
		return m.number(e)
	case *ir.ParamRef:
		return convertInt(e.T, m.r.param(e.Param)), bindPrimary
	case *ir.FloatRef:
		return m.r.float(e), bindPrimary
	case *ir.IterRef:
		return convertInt(e.T, m.r.iter(e.Iter)), bindPrimary
	case *ir.ReduceRef:
		return m.r.reduced(e), bindPrimary
	case *ir.LocalRef:
		return m.r.local(e.Stmt), bindPrimary
	case *ir.Read:
		return m.r.read(e), bindPrimary
	case *ir.Lookup, *ir.ConstCell:
		return m.computed(e), bindPrimary
	case *ir.Convert:
		return m.convert(e), bindPrimary
	case *ir.Unary:
		x := m.operand(e.X, bindUnary, e.T.Float())
		if x[0] == '-' {
			x = "(" + x + ")" // because -- is one token
		}
		return e.Op.String() + x, bindUnary
	case *ir.Binary:
		return m.binary(e, fusible)
	case *ir.Call:
		return m.call(e), bindPrimary
	case *ir.ExternCall:
		var args []string
		for _, a := range e.Args {
			args = append(args, m.expr(a))
		}
		call := fmt.Sprintf("%s(%s)", m.r.externs[e.Extern], strings.Join(args, ", "))
		if e.T.Float() {
			// The conversion keeps Go from fusing a product at the end of the function, if it is inlined.
			call = fmt.Sprintf("%s(%s)", e.T, call)
		}
		return call, bindPrimary
	case *ir.Select:
		if moves(e) {
			return m.moved(e), bindPrimary
		}
		name := m.r.names.name("chosen")
		m.p.linef("var %s %s", name, e.T)
		m.choose(e, name)
		return name, bindPrimary
	}
	panic(fmt.Sprintf("BUG: codegen: unexpected expression %T", e))
}

// choose prints the statements that set the variable name to a select. Only the
// value that is chosen is computed, unless conditional moves choose it: see moves.
func (m *emitter) choose(e *ir.Select, name string) {
	if moves(e) {
		m.p.linef("%s = %s", name, m.moved(e))
		return
	}
	cond := m.operand(e.Cond, 0, false)
	m.p.linef("if %s {", cond)
	m.assign(name, e.A)
	m.p.linef("} else {")
	m.assign(name, e.B)
	m.p.linef("}")
}

// assign prints "name = e" for a variable of e's type.
func (m *emitter) assign(name string, e ir.Expr) {
	if s, ok := e.(*ir.Select); ok {
		m.choose(s, name)
		return
	}
	s, _ := m.sub(e, true)
	if s == name { // go vet refuses an assignment of a cell to itself
		m.p.linef("_ = %s", s)
		return
	}
	m.p.linef("%s = %s", name, s)
}

// define prints a new variable with the value of e.
func (m *emitter) define(name string, e ir.Expr) {
	if s, ok := e.(*ir.Select); ok && !moves(s) {
		m.p.linef("var %s %s", name, e.Type())
		m.choose(s, name)
		return
	}
	m.p.linef("%s := %s", name, m.expr(e))
}

func (m *emitter) binary(e *ir.Binary, fusible bool) (string, int) {
	float := e.X.Type().Float()
	infix := func(bind int, fusible bool) (string, int) {
		x := m.operand(e.X, bind, fusible)
		return x + " " + e.Op.String() + " " + m.operand(e.Y, bind+1, fusible), bind
	}
	switch e.Op {
	case ir.Add, ir.Sub, ir.BitOr, ir.BitXor:
		return infix(bindAdd, float)
	case ir.Mul, ir.BitAnd, ir.Shl, ir.Shr:
		s, bind := infix(bindMul, false)
		if float && fusible {
			return fmt.Sprintf("%s(%s)", e.T, s), bindPrimary
		}
		return s, bind
	case ir.Quo, ir.Rem:
		if float || !ir.Zeroable(e.Y) {
			return infix(bindMul, false)
		}
		x := m.expr(e.X)
		args := append([]string{x, m.expr(e.Y), strconv.Quote(m.r.line(e))}, m.r.iteration()...)
		return fmt.Sprintf("arith.%s(%s)", map[ir.Op]string{ir.Quo: "Quo", ir.Rem: "Rem"}[e.Op], strings.Join(args, ", ")), bindPrimary
	case ir.And, ir.Or:
		return m.logic(e)
	}
	x := m.comparand(e.X)
	return x + " " + e.Op.String() + " " + m.comparand(e.Y), bindCompare
}

// comparand returns an operand of a comparison. If both sides are untyped constants, they need
// their types.
func (m *emitter) comparand(e ir.Expr) string {
	if lit, ok := e.(*ir.Lit); ok {
		return m.typed(lit)
	}
	return m.operand(e, bindCompare+1, false)
}

// logic returns && or ||, and its precedence. If the right operand needs statements, they run only
// if the left operand does not decide.
func (m *emitter) logic(e *ir.Binary) (string, int) {
	bind := bindOr
	if e.Op == ir.And {
		bind = bindAnd
	}
	x := m.operand(e.X, bind, false)
	before := &printer{}
	inner := &emitter{p: before, r: m.r}
	y := inner.operand(e.Y, bind+1, false)
	if before.buf.Len() == 0 {
		return x + " " + e.Op.String() + " " + y, bind
	}
	name := m.r.names.name("holds")
	m.p.linef("%s := %s", name, x)
	if e.Op == ir.And {
		m.p.linef("if %s {", name)
	} else {
		m.p.linef("if !%s {", name)
	}
	m.p.buf.Write(before.buf.Bytes())
	m.p.linef("%s = %s", name, y)
	m.p.linef("}")
	return name, bindPrimary
}

func (m *emitter) call(e *ir.Call) string {
	var args []string
	for _, a := range e.Args {
		s, _ := m.sub(a, false)
		args = append(args, s)
	}
	list := strings.Join(args, ", ")
	switch e.Fn {
	case ir.Min, ir.Max:
		return e.Fn.String() + "(" + list + ")"
	case ir.Abs:
		if e.T.Integer() {
			return "arith.AbsInt(" + list + ")"
		}
	}
	return "arith." + exported(e.Fn.String()) + "(" + list + ")"
}

// constantOnly reports whether e has only constants for operands, as where cells of constant arrays are combined. Go would
// compute such an expression exactly and refuse a result that does not fit; in the language the type's arithmetic wraps around.
func constantOnly(e ir.Expr) bool {
	switch e := e.(type) {
	case *ir.Lit:
		return true
	case *ir.Unary, *ir.Binary, *ir.Call, *ir.Select, *ir.Convert:
		return !slices.ContainsFunc(ir.Operands(e), func(x ir.Expr) bool { return !constantOnly(x) })
	}
	return false
}

func (m *emitter) convert(e *ir.Convert) string {
	x := m.expr(e.X)
	if e.X.Type().Float() && e.T.Integer() {
		return fmt.Sprintf("arith.%s(%s)", exported(e.T.String()), x)
	}
	return fmt.Sprintf("%s(%s)", e.T, x)
}

// convertInt returns an int converted to t, wrapping.
func convertInt(t ir.Type, s string) string { return fmt.Sprintf("%s(%s)", t, s) }

// literal returns a constant as Go writes it, untyped.
func (m *emitter) literal(lit *ir.Lit) string {
	if lit.Name != "" {
		return m.r.consts[lit.Name]
	}
	if lit.T.Integer() {
		return lit.Value.ExactString()
	}
	return number(lit.Value, lit.T)
}

// number returns a numeric constant as Go source with exactly its value or, if that has no
// short form, as one that rounds to the same t.
func number(v constant.Value, t ir.Type) string {
	switch v.Kind() {
	case constant.Bool:
		return v.String()
	case constant.Int:
		if s := v.ExactString(); len(s) <= 20 { // all integers of 64 bits: the shortest decimal of a float may be another number
			return s
		}
	}
	if f, exact := constant.Float64Val(v); exact {
		return decimal(f, 64)
	}
	// Most constants are decimal fractions such as 0.1, and the shortest decimal that rounds to
	// the same number is this fraction.
	f, _ := constant.Float64Val(v)
	s := decimal(f, 64)
	if constant.Compare(constant.MakeFromLiteral(s, token.FLOAT, 0), token.EQL, v) {
		return s
	}
	if num, den := constant.Num(v), constant.Denom(v); num.Kind() == constant.Int && den.Kind() == constant.Int {
		if a, b := num.ExactString(), den.ExactString(); len(a)+len(b) < 60 {
			return a + ".0 / " + b
		}
	}
	if t == ir.Float32 {
		f32, _ := constant.Float32Val(v)
		return decimal(float64(f32), 32)
	}
	return s
}

// decimal returns the shortest decimal that rounds to f, with a point or an
// exponent.
func decimal(f float64, bits int) string {
	s := strconv.FormatFloat(f, 'g', -1, bits)
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	return s
}
