package vector

import (
	"cmp"
	"math"
	"slices"

	"loopc/codegen/asm"
	"loopc/ir"
)

// latency is the longest time, in cycles, from the results of a step to those of the next step.
func (s *Shape) latency(isa asm.ISA) float64 {
	_, most := s.delays(isa)
	return most
}

// delays are the times, in cycles from the results of the step before, at which a body's values are known: see delay.
type delays struct {
	of     map[int]float64            // of each statement
	sorted map[*ir.Call]argumentOrder // of calls of min and max: see byDelay
}

// An argumentOrder is the arguments of min or max, in the order in which they are computed.
type argumentOrder struct {
	of     []ir.Expr
	delays []float64
}

// delays returns the delay of each statement, and the longest one.
func (s *Shape) delays(isa asm.ISA) (seen delays, most float64) {
	seen = delays{map[int]float64{}, map[*ir.Call]argumentOrder{}}
	for k, stmt := range s.n.Body {
		if !s.live[k] {
			continue
		}
		if r, ok := stmt.(*ir.Reduce); ok {
			most = max(most, collecting(r))
			continue
		}
		if x := s.collected[slices.Index(s.l.Values, k)]; x != nil {
			most = max(most, x.latency(isa.Bytes()/s.lane))
			continue
		}
		seen.of[k] = s.delay(ir.Value(stmt), isa, seen)
		most = max(most, seen.of[k])
	}
	return seen, max(0, most)
}

// delay is the time, in cycles, from the results of the step before to the value of e; minus
// infinity if e does not depend on them. Results of earlier steps count as known.
func (s *Shape) delay(e ir.Expr, isa asm.ISA, seen delays) float64 {
	switch e := e.(type) {
	case *ir.LocalRef:
		return seen.of[e.Stmt]
	case *ir.Read:
		if from := s.l.Reads[e.ID]; from.From == ir.FromLocal {
			return seen.of[s.l.Values[from.Value]]
		}
		if s.entry != nil {
			return s.entry(e)
		}
		// Only lanes that are shifted rows wait, for the value's own results of the step before.
		a, ok := s.reads[e.ID]
		if !ok || s.Scheme != Wavefront || s.Streams[a.stream].self < 0 || a.back > 1 {
			return math.Inf(-1)
		}
		return asm.LatencyShift(asm.Whole, isa) * float64(min(1, a.lanes))
	}
	most := math.Inf(-1)
	if c, ok := e.(*ir.Call); ok && (c.Fn == ir.Min || c.Fn == ir.Max) {
		pair := latencyOf(c) / float64(len(c.Args)-1)
		for k, delay := range s.byDelay(c, isa, seen).delays {
			most = max(most, delay)
			if k > 0 {
				most += pair
			}
		}
		return most
	}
	for _, x := range ir.Operands(e) {
		most = max(most, s.delay(x, isa, seen))
	}
	if c, ok := e.(*ir.Convert); ok && s.heldAs(c) {
		return most
	}
	return most + latencyOf(e)
}

// byDelay returns the arguments of min or max in the order in which they are known, and their delays. All orders have the same bits. Of
// two arguments with the same delay, the one that reads results comes last: if rows are computed together, the results of an
// earlier row are known late. Two arguments stay as they are, and so do integers outside time slabs: a pair of them takes a cycle.
// A call is sorted once, because the delays of all calls around it contain its delay.
func (s *Shape) byDelay(call *ir.Call, isa asm.ISA, seen delays) argumentOrder {
	if known, ok := seen.sorted[call]; ok {
		return known
	}
	type argument struct {
		of      ir.Expr
		delay   float64
		results int // 1: it needs results
	}
	var all []argument
	for _, x := range call.Args {
		all = append(all, argument{of: x, delay: s.delay(x, isa, seen)})
	}
	if len(all) > 2 && (call.T.Float() || s.entry != nil) {
		for k := range all {
			ir.Walk(all[k].of, func(e ir.Expr) {
				r, isRead := e.(*ir.Read)
				if _, isLet := e.(*ir.LocalRef); isLet || isRead && s.l.Reads[r.ID].From != ir.FromInitial {
					all[k].results = 1
				}
			})
		}
		slices.SortStableFunc(all, func(a, b argument) int { return cmp.Or(cmp.Compare(a.delay, b.delay), a.results-b.results) })
	}
	var sorted argumentOrder
	for _, a := range all {
		sorted.of, sorted.delays = append(sorted.of, a.of), append(sorted.delays, a.delay)
	}
	if seen.sorted != nil { // it is nil where nothing computes delays
		seen.sorted[call] = sorted
	}
	return sorted
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
	case *ir.ConstCell:
		return latencyConstCell(e.Of)
	case *ir.Call:
		_, latency := formOf(e)
		return latency
	case *ir.Select:
		return asm.LatencyBlend
	}
	return asm.LatencyLogic
}
