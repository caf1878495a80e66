package vector

import (
	"slices"

	"loopc/ir"
)

// Functions of outer loops alone, such as a source sin(0.2*t), have one value in all lanes of all rows of a call.
// The caller computes this value in Go, and the body reads it like a float parameter. It may compute what a select
// leaves out, because nothing in these expressions can fail.

// mostOuter bounds the operations of such an expression, in which lets are replaced by their values.
const mostOuter = 64

// OuterValue returns the expression whose value the body reads as float parameter k; nil if the nest declares k.
func (s *Shape) OuterValue(k int) ir.Expr {
	if k -= len(s.n.Floats); k >= 0 {
		return s.Outer[k]
	}
	return nil
}

// outerValues replaces the functions of outer loops in the body.
func (s *Shape) outerValues() {
	n, before := *s.n, s.readLets()
	n.Body = slices.Clone(n.Body)
	for k, stmt := range n.Body {
		if s.live[k] {
			n.Body[k] = ir.With(stmt, s.withoutOuter(ir.Value(stmt)))
		}
	}
	if len(s.Outer) == 0 {
		return
	}
	s.n, s.live = &n, slices.Clone(s.live)
	for k := len(n.Body) - 1; k >= 0; k-- {
		s.live[k] = s.live[k] && (!before[k] || s.readLets()[k])
	}
}

func (s *Shape) withoutOuter(e ir.Expr) ir.Expr {
	if call, ok := e.(*ir.Call); ok && e.Type().Float() && slices.Contains(outerFunctions, call.Fn) {
		most := mostOuter
		if x := s.outer(e, &most); x != nil {
			s.Outer = append(s.Outer, x)
			return &ir.FloatRef{T: e.Type(), Float: len(s.n.Floats) + len(s.Outer) - 1, At: e.Span()}
		}
	}
	return ir.Map(e, s.withoutOuter)
}

// outerFunctions take longer than to load a value.
var outerFunctions = []ir.Func{ir.Sqrt, ir.Exp, ir.Log, ir.Sin, ir.Cos, ir.Tan, ir.Tanh, ir.Pow}

// outer returns e without lets if it is a function of outer loops, parameters and constants that cannot fail and has at most
// so many operations; nil if it is not.
func (s *Shape) outer(e ir.Expr, most *int) ir.Expr {
	if *most--; *most < 0 {
		return nil
	}
	switch x := e.(type) {
	case *ir.Lit:
		lit := *x
		lit.Name = "" // the caller has no declarations of constants
		return &lit
	case *ir.ParamRef, *ir.FloatRef:
		return e
	case *ir.IterRef:
		row := s.l.Unskew[x.Iter+len(s.p.Dims)-s.n.Depth()]
		if row[s.last] != 0 || s.last > 1 && row[s.last-1] != 0 {
			return nil
		}
		return e
	case *ir.LocalRef:
		return s.outer(s.n.Body[x.Stmt].(*ir.Let).Expr, most)
	case *ir.Binary:
		if (x.Op == ir.Quo || x.Op == ir.Rem) && x.T.Integer() {
			return nil
		}
	case *ir.Unary, *ir.Convert, *ir.Call, *ir.Select:
	default:
		return nil
	}
	all := true
	out := ir.Map(e, func(e ir.Expr) ir.Expr {
		x := s.outer(e, most)
		if all = all && x != nil; !all {
			return e
		}
		return x
	})
	if !all {
		return nil
	}
	return out
}
