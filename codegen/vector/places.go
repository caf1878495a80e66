package vector

import (
	"slices"

	"loopc/codegen/asm"
	"loopc/ir"
	"loopc/runtime/kernel"
)

// The places of a max or min are collected in lanes, too. Beside the lane's value so far, a vector for each place has the
// loop's value in the iteration from which the lane has that value: it changes where the value does. A lane takes its iterations
// in the order of the loops, so that it keeps the first among equals. The runtime compares the lanes after a call:
// see kernel.PlaceGroup. Loops are int32 in lanes of 4 bytes and float64 in lanes of 8.

// retypePlaces gives places the type in which lanes hold the loop.
func (s *Shape) retypePlaces() {
	n := *s.n
	n.Body = slices.Clone(n.Body)
	of := ir.Invalid
	for k, stmt := range n.Body {
		r, ok := stmt.(*ir.Reduce)
		switch {
		case !ok:
		case !r.Place:
			of = map[int]ir.Type{4: ir.Int32, 8: ir.Float64}[r.Type.Size()]
		default:
			own := *r
			loop := *r.Expr.(*ir.IterRef)
			loop.T, own.Type, own.Expr = of, of, &loop
			n.Body[k] = &own
		}
	}
	s.n = &n
}

// placed refuses places that lanes cannot collect.
func (s *Shape) placed() {
	for k, r := range s.n.Reduces() {
		places := s.n.Places(k)
		if r.Place || len(places) == 0 {
			continue
		}
		no := func(format string, args ...any) { refuseAt(places[0].Span, "", format, args...) }
		found := map[int]bool{}
		for _, p := range places {
			found[p.Expr.(*ir.IterRef).Iter] = true
		}
		switch {
		case len(found) < s.n.Depth():
			no("%s is the place of a reduction along some of the loops only", places[0].Name)
		case !s.inLoopOrder():
			no("%s is the place of a reduction, and iterations are not in the order of the loops", places[0].Name)
		case slices.ContainsFunc(s.n.Reduces(), exact):
			no("%s is the place of a reduction beside a sum of floats", places[0].Name)
		}
	}
}

// places reports whether the nest has places of reductions.
func (s *Shape) places() bool {
	return slices.ContainsFunc(s.n.Reduces(), func(r *ir.Reduce) bool { return r.Place })
}

// refusePlaces refuses all places.
func (s *Shape) refusePlaces() {
	for _, r := range s.n.Reduces() {
		if r.Place {
			refuseAt(r.Span, "", "%s is the place of a reduction", r.Name)
		}
	}
}

// inLoopOrder reports whether the lexicographic order of coordinates is that of the loops.
func (s *Shape) inLoopOrder() bool {
	shift, outer := len(s.p.Dims)-s.n.Depth(), -1
	for x := shift; x <= s.last; x++ {
		first := 0
		for first < s.n.Depth() && s.l.Unskew[first+shift][x] == 0 {
			first++
		}
		if first <= outer || first == s.n.Depth() || s.l.Unskew[first+shift][x]*s.n.Loops[first].Step() < 0 {
			return false
		}
		outer = first
	}
	return true
}

// PlaceGroups describes the places of reductions.
func (s *Shape) PlaceGroups() (groups []kernel.PlaceGroup) {
	for k, r := range s.n.Reduces() {
		places := s.n.Places(k)
		if r.Place || len(places) == 0 {
			continue
		}
		g := kernel.PlaceGroup{Reduce: k, Least: r.Op == ir.ReduceMin}
		for _, p := range places {
			loop := p.Expr.(*ir.IterRef).Iter
			g.Loops = append(g.Loops, loop)
			g.Backward = append(g.Backward, s.n.Loops[loop].Backward)
			g.Index = append(g.Index, s.indexOf(loop))
		}
		groups = append(groups, g)
	}
	return groups
}

// groupOf is the reduction to which the k-th reduction belongs: itself, or that whose place it is.
func (s *Shape) groupOf(k int) int {
	all := s.n.Reduces()
	for all[k].Place {
		k--
	}
	return k
}

// hasPlaces reports whether the k-th reduction has places, or is one.
func (s *Shape) hasPlaces(k int) bool { return len(s.n.Places(s.groupOf(k))) > 0 }

// placeLanes is the memory of the accumulators of a reduction with places, or of one of its places.
func (f *function) placeLanes(k int) asm.Mem {
	group := f.s.groupOf(k)
	p := f.General()
	f.Copy(f.Word(f.s.FrameReduced(group)), p)
	return asm.Mem{Base: p, Disp: (k - group) * kernel.PlaceVector}
}

// collectFirst does what collect does for a max or min with places. It returns the condition that a lane keeps its value. The
// value of a lane that is NaN has no bits but ones: else min might give it others.
func collectFirst(m *asm.Machine, r *ir.Reduce, value asm.Operand, into, inside asm.Reg) (keeps asm.Reg) {
	all := combine(m, r, into, value)
	if r.Type.Float() && r.Op == ir.ReduceMin {
		all = m.Choose(m.Compare(asm.Ne, true, all, all), m.Splat(m.AllOnes()), all)
	}
	if inside != 0 {
		all = m.Choose(inside, all, into)
	}
	keeps = m.Compare(asm.Eq, false, all, into)
	m.Move(all, into)
	return keeps
}

// collectPlace adds the loop of an iteration to the accumulators of a place.
func collectPlace(m *asm.Machine, keeps asm.Reg, loop asm.Operand, into asm.Reg) {
	m.Move(m.Choose(keeps, into, loop), into)
}
