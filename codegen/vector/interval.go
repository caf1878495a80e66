package vector

import "loopc/ir"

// interval returns bounds of the values of e, an integer: those of its type, unless its operands have narrower ones.
func (s *Shape) interval(e ir.Expr) (lo, hi int) {
	r, ok := s.facts.ranges[e]
	if !ok {
		t := e.Type().Cell()
		r = [2]int{int(t.Lo), int(t.Hi)}
		if lo, hi, ok := s.within(e); ok && e.Type().Size() < 8 && lo >= r[0] && hi <= r[1] {
			r = [2]int{lo, hi}
		}
		if s.facts.ranges == nil {
			s.facts.ranges = map[ir.Expr][2]int{}
		}
		s.facts.ranges[e] = r
	}
	return r[0], r[1]
}

// within returns bounds of e by those of its operands, if no operation wraps; not ok if it knows none. Operands
// have at most 32 bits.
func (s *Shape) within(e ir.Expr) (lo, hi int, ok bool) {
	switch e := e.(type) {
	case *ir.Lit:
		c, ok := small(e)
		return c, c, ok
	case *ir.LocalRef:
		let := s.n.Body[e.Stmt].(*ir.Let)
		if let.Type != e.T || !e.T.Integer() {
			return 0, 0, false
		}
		lo, hi = s.interval(let.Expr)
		return lo, hi, true
	case *ir.Convert:
		if !e.X.Type().Integer() {
			return 0, 0, false
		}
		lo, hi = s.interval(e.X)
		return lo, hi, true
	case *ir.Binary:
		return s.combined(e)
	case *ir.Select:
		lo, hi = s.interval(e.A)
		least, most := s.interval(e.B)
		return min(lo, least), max(hi, most), true
	case *ir.Call:
		return s.extremes(e)
	}
	return 0, 0, false
}

// combined does what within does for an operation on two numbers.
func (s *Shape) combined(e *ir.Binary) (lo, hi int, ok bool) {
	if !e.X.Type().Integer() || e.T == ir.Bool || e.T.Size() > 4 {
		return 0, 0, false
	}
	a, b := s.interval(e.X)
	c, d := s.interval(e.Y)
	switch e.Op {
	case ir.Add:
		return a + c, b + d, true
	case ir.Sub:
		return a - d, b - c, true
	case ir.Mul:
		return min(a*c, a*d, b*c, b*d), max(a*c, a*d, b*c, b*d), true
	case ir.Quo:
		return a / max(c, 1), b / max(c, 1), c == d && c > 0
	case ir.BitAnd:
		return 0, d, c >= 0
	}
	return 0, 0, false
}

// extremes does what within does for a least or greatest number, or an absolute value.
func (s *Shape) extremes(e *ir.Call) (lo, hi int, ok bool) {
	if !e.T.Integer() {
		return 0, 0, false
	}
	lo, hi = s.interval(e.Args[0])
	if e.Fn == ir.Abs {
		if lo < 0 {
			lo, hi = 0, max(-lo, hi)
		}
		return lo, hi, true
	}
	for _, a := range e.Args[1:] {
		least, most := s.interval(a)
		if e.Fn == ir.Min {
			lo, hi = min(lo, least), min(hi, most)
		} else {
			lo, hi = max(lo, least), max(hi, most)
		}
	}
	return lo, hi, e.Fn == ir.Min || e.Fn == ir.Max
}
