package vector

import (
	"math"

	"loopc/codegen/asm"
	"loopc/ir"
)

// latency is the longest chain of operations from a result to one that needs it,
// over the steps that lie between them.
func (s *Shape) latency(isa asm.ISA) float64 {
	most := 0.0
	seen := map[int]float64{} // statement to the delay from a chain's start
	for k, stmt := range s.n.Body {
		if !s.live[k] {
			continue
		}
		if r, ok := stmt.(*ir.Reduce); ok {
			most = max(most, collecting(r))
			continue
		}
		seen[k] = s.delay(ir.Value(stmt), isa, seen)
		most = max(most, seen[k])
	}
	return max(0, most)
}

// delay is how long after the last step's results e is known, or minus infinity
// if it does not depend on them. Longer ways back count for less.
func (s *Shape) delay(e ir.Expr, isa asm.ISA, seen map[int]float64) float64 {
	under := func(latency float64, all ...ir.Expr) float64 {
		most := math.Inf(-1)
		for _, x := range all {
			most = max(most, s.delay(x, isa, seen))
		}
		return most + latency
	}
	float := e.Type().Float()
	switch e := e.(type) {
	case *ir.LocalRef:
		return seen[e.Stmt]
	case *ir.Read:
		if from := s.l.Reads[e.ID]; from.From == ir.FromLocal {
			return seen[s.l.Values[from.Value]]
		}
		if s.entry != nil {
			return s.entry(e)
		}
		a := s.reads[e.ID]
		if s.Streams[a.stream].self < 0 || s.Scheme != Wavefront || a.back > 1 {
			return math.Inf(-1)
		}
		return asm.LatencyShift(isa) * float64(min(1, a.lanes))
	case *ir.Convert:
		return under(asm.LatencyFloat, e.X)
	case *ir.Unary:
		return under(asm.LatencyLogic, e.X)
	case *ir.Binary:
		r := reciprocalOf(e)
		switch {
		case r != nil && r.low == 0:
			return under(asm.LatencyFloat, e.X)
		case r != nil:
			return under(2*asm.LatencyFloat, e.X)
		case e.Op == ir.Quo && e.T == ir.Float64:
			return under(asm.LatencyDiv64, e.X, e.Y)
		case e.Op == ir.Quo:
			return under(asm.LatencyDiv32, e.X, e.Y)
		case float, e.Op >= ir.Eq && e.Op <= ir.Ge && e.X.Type().Float():
			return under(asm.LatencyFloat, e.X, e.Y)
		case e.Op == ir.Mul:
			return under(asm.LatencyMulInt, e.X, e.Y)
		}
		return under(asm.LatencyLogic, e.X, e.Y)
	case *ir.Call:
		switch {
		case e.Fn == ir.Sqrt:
			return under(asm.LatencySqrt, e.Args...)
		case !float:
			return under(asm.LatencyLogic*float64(len(e.Args)-1), e.Args...)
		case e.Fn == ir.Min, e.Fn == ir.Max:
			return under(asm.LatencyMinMax*float64(len(e.Args)-1), e.Args...)
		case e.Fn == ir.Floor:
			return under(asm.LatencyFloor, e.Args...)
		}
		return under(asm.LatencyLogic, e.Args...)
	case *ir.Select:
		return under(asm.LatencyBlend, e.Cond, e.A, e.B)
	}
	return math.Inf(-1)
}
