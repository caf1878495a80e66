package vector

import "loopc/ir"

// interval returns an interval that contains the values of the integer expression e. It is at most the interval of e's
// type. Where that does not have all values of an operation, the result may wrap to any value of the type.
func (s *Shape) interval(e ir.Expr) ir.Interval {
	x, known := s.facts.ranges[e]
	if !known {
		x = s.intervalOf(e).Within(e.Type())
		if s.facts.ranges == nil {
			s.facts.ranges = map[ir.Expr]ir.Interval{}
		}
		s.facts.ranges[e] = x
	}
	return x
}

// intervalOf does what interval does, for an expression that interval has not seen yet and that does not wrap.
func (s *Shape) intervalOf(e ir.Expr) ir.Interval {
	switch e := e.(type) {
	case *ir.LocalRef:
		if let := s.n.Body[e.Stmt].(*ir.Let); let.Type == e.T && e.T.Integer() {
			return s.interval(let.Expr)
		}
	case *ir.Convert:
		if e.X.Type().Integer() {
			return s.interval(e.X)
		}
	default:
		if x, ok := ir.Computed(e, s.interval); ok {
			return x
		}
	}
	return ir.ValuesOf(e.Type())
}
