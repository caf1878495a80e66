package vector

import "loopc/ir"

// interval returns an interval that contains the values of the integer expression e. It is at most the interval of e's type.
func (s *Shape) interval(e ir.Expr) ir.Interval {
	x, ok := s.facts.ranges[e]
	if !ok {
		x = ir.ValuesOf(e.Type())
		if narrow, ok := s.fromOperands(e); ok && e.Type().Size() < 8 {
			x = narrow.Within(e.Type())
		}
		if s.facts.ranges == nil {
			s.facts.ranges = map[ir.Expr]ir.Interval{}
		}
		s.facts.ranges[e] = x
	}
	return x
}

// fromOperands computes the interval of e from the intervals of its operands, as if no operation wrapped. It is not ok
// if this is not possible. Operands have at most 32 bits.
func (s *Shape) fromOperands(e ir.Expr) (x ir.Interval, ok bool) {
	switch e := e.(type) {
	case *ir.Lit:
		c, ok := small(e)
		return ir.Interval{Lo: float64(c), Hi: float64(c)}, ok
	case *ir.LocalRef:
		let := s.n.Body[e.Stmt].(*ir.Let)
		if let.Type != e.T || !e.T.Integer() {
			return x, false
		}
		return s.interval(let.Expr), true
	case *ir.Convert:
		if !e.X.Type().Integer() {
			return x, false
		}
		return s.interval(e.X), true
	case *ir.Binary:
		return s.combined(e)
	case *ir.Select:
		return s.interval(e.A).Or(s.interval(e.B)), true
	case *ir.Call:
		if !e.T.Integer() || e.Fn != ir.Min && e.Fn != ir.Max && e.Fn != ir.Abs {
			return x, false
		}
		var args []ir.Interval
		for _, a := range e.Args {
			args = append(args, s.interval(a))
		}
		return ir.Extreme(e.Fn, args...), true
	}
	return x, false
}

// combined does what fromOperands does for an operation on two numbers.
func (s *Shape) combined(e *ir.Binary) (x ir.Interval, ok bool) {
	if !e.X.Type().Integer() || e.T == ir.Bool || e.T.Size() > 4 {
		return x, false
	}
	y := s.interval(e.Y)
	switch e.Op {
	case ir.Add, ir.Sub, ir.Mul:
	case ir.Quo:
		if y.Lo != y.Hi || y.Lo <= 0 {
			return x, false
		}
	case ir.BitAnd:
		if y.Lo < 0 {
			return x, false
		}
	default:
		return x, false
	}
	return s.interval(e.X).Operated(e.Op, y), true
}
