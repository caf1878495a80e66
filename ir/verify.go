package ir

import (
	"errors"
	"fmt"
	"go/constant"
	"slices"
)

// Verify returns every broken invariant of n, joined, or nil. It reports bugs
// in the compiler, not mistakes in the program; see package diag for those.
func (n *Nest) Verify() error {
	v := verifier{n: n}
	v.arrays()
	v.loops()
	v.body()
	return errors.Join(v.errs...)
}

// verifier collects broken invariants.
type verifier struct {
	n    *Nest
	errs []error

	// The context of the expression being checked.
	where string
	iters int
	stmt  int // in the body; -1 in an init expression
	reads int // of the body, so far
}

func (v *verifier) failf(format string, args ...any) {
	v.errs = append(v.errs, fmt.Errorf(v.where+": "+format, args...))
}

// affine checks the number of coefficients of a.
func (v *verifier) affine(a Affine, iters int) {
	if len(a.Params) > len(v.n.Params) || len(a.Iters) > iters {
		v.failf("an affine form with %d and %d coefficients for %d parameters and %d iterators", len(a.Params), len(a.Iters), len(v.n.Params), iters)
	}
}

func (v *verifier) arrays() {
	for k := range v.n.Arrays {
		a := &v.n.Arrays[k]
		v.where = "array " + a.Name
		if len(a.Lo) == 0 || len(a.Lo) != len(a.Hi) {
			v.failf("%d lower and %d upper bounds", len(a.Lo), len(a.Hi))
		}
		for _, f := range append(append([]Affine(nil), a.Lo...), a.Hi...) {
			v.affine(f, 0)
		}
		if !a.Elem.Float() && !a.Elem.Integer() {
			v.failf("cells of type %s", a.Elem)
		}
		if a.Out != nil && (a.Role != Internal || len(a.Out) != len(a.Lo)) {
			v.failf("a slice with %d indices of an %s array with %d dimensions", len(a.Out), a.Role, len(a.Lo))
		}
		for _, f := range a.Out {
			if f != nil {
				v.affine(*f, 0)
			}
		}
		v.init(a)
	}
}

func (v *verifier) init(a *Array) {
	if a.Init == nil {
		return
	}
	v.where = "init " + a.Name
	if a.Role == In || a.Role == InOut {
		v.failf("the array is %s", a.Role)
	}
	if len(a.Init.Names) != len(a.Lo) {
		v.failf("%d names for %d dimensions", len(a.Init.Names), len(a.Lo))
	}
	v.iters, v.stmt = len(a.Lo), -1
	v.typed(a.Init.Expr, a.Elem)
}

func (v *verifier) loops() {
	v.where = "nest"
	if len(v.n.Loops) == 0 {
		v.failf("there is no loop")
	}
	for k, l := range v.n.Loops {
		v.where = "loop " + l.Name
		if len(l.Lo) == 0 || len(l.Hi) == 0 {
			v.failf("%d lower and %d upper bounds", len(l.Lo), len(l.Hi))
		}
		for _, f := range append(append([]Affine(nil), l.Lo...), l.Hi...) {
			v.affine(f, k)
		}
	}
}

func (v *verifier) body() {
	assigns, reduces := 0, 0
	for k, s := range v.n.Body {
		v.iters, v.stmt = len(v.n.Loops), k
		switch s := s.(type) {
		case *Let:
			v.where = "let " + s.Name
			v.typed(s.Expr, s.Type)
		case *Assign:
			assigns++
			v.where = fmt.Sprintf("assignment in line %d", s.Line)
			if a := v.cell(s.Array, s.Subs); a != nil {
				if a.Role == In {
					v.failf("%s is an in array", a.Name)
				}
				v.typed(s.Expr, a.Elem)
			}
		case *Reduce:
			reduces++
			v.where = "reduce " + s.Name
			if s.Op > ReduceSum || !s.Type.Float() && !s.Type.Integer() {
				v.failf("reduction %d of type %s", s.Op, s.Type)
			}
			if s.Place {
				v.place(k, s)
			}
			v.typed(s.Expr, s.Type)
			continue
		default:
			v.failf("a statement of type %T", s)
		}
		if reduces > 0 {
			v.failf("a reduction comes before it")
		}
	}
	v.where = "nest"
	if assigns == 0 {
		v.failf("there is no assignment")
	}
	if v.reads != len(v.n.Reads) || len(v.n.ReadStmt) != len(v.n.Reads) {
		v.failf("%d reads in the body, %d listed, with %d statements", v.reads, len(v.n.Reads), len(v.n.ReadStmt))
	}
}

// place checks the place at Body[k].
func (v *verifier) place(k int, s *Reduce) {
	best, ok := v.n.Body[max(0, k-1)].(*Reduce)
	if loop, named := s.Expr.(*IterRef); !named || loop.T != Int64 {
		v.failf("a place that is no loop")
	}
	if !ok || best.Op == ReduceSum || best.Op != s.Op {
		v.failf("a place of no max and no min")
	}
}

// cell checks a cell and returns its array, or nil if the index is invalid.
func (v *verifier) cell(array int, subs []Affine) *Array {
	if array < 0 || array >= len(v.n.Arrays) {
		v.failf("there is no array %d", array)
		return nil
	}
	a := &v.n.Arrays[array]
	if len(subs) != len(a.Lo) {
		v.failf("%d subscripts for %s, which has %d dimensions", len(subs), a.Name, len(a.Lo))
	}
	for _, f := range subs {
		v.affine(f, v.iters)
	}
	return a
}

// typed checks that e is well typed and has type t.
func (v *verifier) typed(e Expr, t Type) {
	if e == nil {
		v.failf("an expression is missing")
		return
	}
	if e.Type() != t {
		v.failf("%T of type %s where %s is needed", e, e.Type(), t)
		return
	}
	switch e := e.(type) {
	case *Lit:
		v.literal(e)
	case *ParamRef:
		v.index("parameter", e.Param, len(v.n.Params))
	case *FloatRef:
		v.index("float parameter", e.Float, len(v.n.Floats))
		if param := v.n.Floats[e.Float]; param.Of != nil && t != param.Type || param.Of == nil && !t.Float() {
			v.failf("a float parameter of type %s", t)
		}
	case *IterRef:
		v.index("iterator", e.Iter, v.iters)
	case *LocalRef:
		v.local(e)
	case *Read:
		v.read(e)
	case *Lookup, *ConstCell:
		v.computed(e)
	case *Convert:
		v.convert(e)
	case *Unary:
		v.unary(e)
	case *Binary:
		v.binary(e)
	case *Call:
		v.call(e)
	case *ExternCall:
		v.extern(e)
	case *Select:
		v.choice(e)
	default:
		v.failf("an expression of type %T", e)
	}
}

func (v *verifier) index(what string, k, n int) {
	if k < 0 || k >= n {
		v.failf("%s %d of %d", what, k, n)
	}
}

func (v *verifier) literal(e *Lit) {
	switch {
	case e.Value == nil:
		v.failf("a literal without a value")
	case e.T.Integer() && e.Value.Kind() == constant.Int:
		if x, exact := constant.Int64Val(e.Value); !exact || !e.T.Cell().Has(x) {
			v.failf("the literal %s as %s", e.Value, e.T)
		}
	case e.T.Float() && (e.Value.Kind() == constant.Int || e.Value.Kind() == constant.Float):
	default:
		v.failf("a literal of kind %d as %s", e.Value.Kind(), e.T)
	}
}

func (v *verifier) local(e *LocalRef) {
	if e.Stmt < 0 || e.Stmt >= v.stmt {
		v.failf("a let of statement %d, which is not before this one", e.Stmt)
		return
	}
	if l, ok := v.n.Body[e.Stmt].(*Let); !ok || l.Type != e.T {
		v.failf("statement %d is not a let of type %s", e.Stmt, e.T)
	}
}

func (v *verifier) read(e *Read) {
	if a := v.cell(e.Array, e.Subs); a != nil && a.Elem != e.T {
		v.failf("a cell of %s has type %s, not %s", a.Name, e.T, a.Elem)
	}
	if v.stmt < 0 {
		if e.ID != -1 {
			v.failf("a read of an init expression has the number %d", e.ID)
		}
		return
	}
	k := v.reads
	v.reads++
	if e.ID != k || k >= len(v.n.Reads) || v.n.Reads[k] != e {
		v.failf("read %d has the number %d, or is not listed there", k, e.ID)
	} else if k < len(v.n.ReadStmt) && v.n.ReadStmt[k] != v.stmt {
		v.failf("read %d is listed in statement %d", k, v.n.ReadStmt[k])
	}
}

// computed checks a cell with computed subscripts.
func (v *verifier) computed(e Expr) {
	if cell, ok := e.(*ConstCell); ok {
		v.constCell(cell)
	} else {
		v.lookup(e.(*Lookup))
	}
}

func (v *verifier) lookup(e *Lookup) {
	a := v.cell(e.Array, make([]Affine, len(e.Subs)))
	if a == nil {
		return
	}
	if a.Elem != e.T || len(v.n.Assigns(e.Array)) > 0 {
		v.failf("a cell of %s is looked up as %s, or the nest writes the array", a.Name, e.T)
	}
	for _, x := range e.Subs {
		v.typed(x, Int64)
	}
}

func (v *verifier) constCell(e *ConstCell) {
	size := 1
	for d := range e.Of.Lo {
		size *= e.Of.Hi[d] - e.Of.Lo[d] + 1
	}
	if e.T != e.Of.Elem || len(e.Subs) != len(e.Of.Lo) || len(e.Of.Values) != size || !slices.ContainsFunc(v.n.Listed, func(a *ConstArray) bool { return a.Name == e.Of.Name }) {
		v.failf("a cell of %s, an array of %d constants, with %d subscripts", e.Of.Name, len(e.Of.Values), len(e.Subs))
	}
	for _, x := range e.Subs {
		v.typed(x, Int64)
	}
}

func (v *verifier) convert(e *Convert) {
	switch {
	case e.X == nil:
		v.typed(nil, e.T)
	case e.X.Type() == Bool:
		v.failf("a condition is converted")
	default:
		v.typed(e.X, e.X.Type())
	}
}

func (v *verifier) unary(e *Unary) {
	if e.Op != Neg && e.Op != Not || (e.Op == Not) != (e.T == Bool) {
		v.failf("unary %s of type %s", e.Op, e.T)
	}
	v.typed(e.X, e.T)
}

func (v *verifier) binary(e *Binary) {
	operands := e.T
	switch {
	case e.Op.OfIntegers() && !e.T.Integer():
		v.failf("%s of type %s", e.Op, e.T)
	case e.Op.Arithmetic() && e.T != Bool:
	case e.Op >= Eq && e.Op <= Ge && e.T == Bool && e.X != nil && e.X.Type() != Bool:
		operands = e.X.Type()
	case (e.Op == And || e.Op == Or) && e.T == Bool:
	default:
		v.failf("binary %s of type %s", e.Op, e.T)
		return
	}
	v.typed(e.X, operands)
	v.typed(e.Y, operands)
}

func (v *verifier) choice(e *Select) {
	if e.T == Bool {
		v.failf("a select between conditions")
	}
	v.typed(e.Cond, Bool)
	v.typed(e.A, e.T)
	v.typed(e.B, e.T)
}

func (v *verifier) call(e *Call) {
	if least, most := e.Fn.Arity(); len(e.Args) < least || len(e.Args) > most {
		v.failf("%s of %d arguments", e.Fn, len(e.Args))
	}
	if e.T == Bool || e.Fn >= Sqrt && !e.T.Float() {
		v.failf("%s of type %s", e.Fn, e.T)
	}
	for _, x := range e.Args {
		v.typed(x, e.T)
	}
}

func (v *verifier) extern(e *ExternCall) {
	if e.Extern < 0 || e.Extern >= len(v.n.Externs) {
		v.failf("a call of function %d of %d", e.Extern, len(v.n.Externs))
		return
	}
	f := &v.n.Externs[e.Extern]
	if len(f.Params) != len(e.Args) || f.Result != e.T {
		v.failf("%s of %d arguments, of type %s", f.Name, len(e.Args), e.T)
		return
	}
	for k, x := range e.Args {
		v.typed(x, f.Params[k])
	}
}
