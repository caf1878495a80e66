package vector

import (
	"go/constant"

	"loopc/ir"
)

// span returns the integers that e may be. Where a type does not have all values of an operation, the result may wrap to
// any value of the type.
func (w *narrowing) span(e ir.Expr) ir.Interval {
	x, known := w.spans[e]
	if !known {
		x = w.spanOf(e).Within(e.Type())
		w.spans[e] = x
	}
	return x
}

// spanOf does what span does, for an expression that span has not seen yet and that does not wrap.
func (w *narrowing) spanOf(e ir.Expr) ir.Interval {
	switch e := e.(type) {
	case *ir.Lit:
		v, _ := constant.Float64Val(e.Value)
		return ir.Interval{Lo: v, Hi: v}
	case *ir.LocalRef:
		if let := w.s.n.Body[e.Stmt].(*ir.Let); let.Type == e.T {
			return w.span(let.Expr)
		}
	case *ir.Convert:
		if e.X.Type().Integer() {
			return w.span(e.X)
		}
	case *ir.Unary:
		x := w.span(e.X)
		return ir.Interval{Lo: -x.Hi, Hi: -x.Lo}
	case *ir.Select:
		return w.span(e.A).Or(w.span(e.B))
	case *ir.Binary:
		return w.span(e.X).Operated(e.Op, w.span(e.Y))
	case *ir.Call:
		if e.Fn == ir.Min || e.Fn == ir.Max || e.Fn == ir.Abs {
			var args []ir.Interval
			for _, a := range e.Args {
				args = append(args, w.span(a))
			}
			return ir.Extreme(e.Fn, args...)
		}
	}
	return ir.ValuesOf(e.Type())
}
