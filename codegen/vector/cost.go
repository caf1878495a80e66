package vector

import (
	"math"

	"loopc/codegen/asm"
	"loopc/ir"
)

// latency is the longest time, in cycles, from the results of a step to those of the next step.
func (s *Shape) latency(isa asm.ISA) float64 {
	most := 0.0
	seen := map[int]float64{} // statement to the delay from the start of a path
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

// delay is the time, in cycles, from the results of the step before to the value of e; minus
// infinity if e does not depend on them. Results of earlier steps count as known.
func (s *Shape) delay(e ir.Expr, isa asm.ISA, seen map[int]float64) float64 {
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
		return asm.LatencyShift(asm.Whole, isa) * float64(min(1, a.lanes))
	}
	most := math.Inf(-1)
	for _, x := range ir.Operands(e) {
		most = max(most, s.delay(x, isa, seen))
	}
	if c, ok := e.(*ir.Convert); ok && s.heldAs(c) {
		return most
	}
	return most + latencyOf(e)
}

// latencyOf is the latency of an operation.
func latencyOf(e ir.Expr) float64 {
	switch e := e.(type) {
	case *ir.Convert:
		return asm.LatencyFloat
	case *ir.Binary:
		r := reciprocalOf(e)
		switch {
		case r != nil && r.low != 0:
			return 2 * asm.LatencyFloat
		case r == nil && e.Op == ir.Quo && e.T == ir.Float64:
			return asm.LatencyDiv64
		case r == nil && e.Op == ir.Quo:
			return asm.LatencyDiv32
		case e.T.Float(), e.Op >= ir.Eq && e.Op <= ir.Ge && e.X.Type().Float():
			return asm.LatencyFloat
		case e.Op == ir.Mul:
			return asm.LatencyMulInt
		}
	case *ir.Lookup:
		return latencyLookup
	case *ir.Call:
		_, latency := formOf(e)
		return latency
	case *ir.Select:
		return asm.LatencyBlend
	}
	return asm.LatencyLogic
}
