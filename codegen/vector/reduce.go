package vector

import (
	"loopc/codegen/asm"
	"loopc/ir"
)

// A reduction is one more statement of the body; its value goes into a vector with an accumulator
// per lane. Accumulators are in memory before and after a call. The caller combines their lanes,
// because it knows which lanes are iterations.

// reductions refuses reductions that lanes cannot collect. An accumulator begins with the result so far in all lanes, unless lanes are
// levels; so it has no sum. A sum of floats is exact (arith.Sum), and takes two vectors: see exact.go. If lanes are levels, package halo
// combines them, and accumulators of narrower integers are int32: see narrowBody. Places are collected in the type of the cells.
func (s *Shape) reductions(levels bool) {
	for k, r := range s.n.Reduces() {
		widened := levels && short(r.Type) && len(s.n.Places(k)) == 0
		switch {
		case r.Place:
		case exact(r) && !levels:
		case r.Op == ir.ReduceSum && (r.Type != ir.Int32 && !widened || !levels):
			refuseAt(r.Span, "", "%s is a sum of %s", r.Name, r.Type)
		case r.Type != ir.Int32 && !widened && !r.Type.Float():
			refuseAt(r.Span, "", "%s is a reduction of %s", r.Name, r.Type)
		}
	}
	if s.places() {
		s.retypePlaces()
		s.placed()
	}
}

// combine writes op of two vectors of values of reduction r.
func combine(m *asm.Machine, r *ir.Reduce, x, y asm.Operand) asm.Reg {
	if r.Op == ir.ReduceSum {
		return m.Binary(asm.Add, r.Type.Float(), x, y)
	}
	return m.Least(reductions[r.Op], r.Type.Float(), x, y)
}

var reductions = map[ir.ReduceOp]asm.Op{ir.ReduceSum: asm.Add, ir.ReduceMin: asm.Min, ir.ReduceMax: asm.Max}

// collecting is the latency from the accumulators of a step to those of the next.
func collecting(r *ir.Reduce) float64 {
	if exact(r) {
		return asm.LatencyFloat
	}
	if r.Type.Float() {
		return asm.LatencyMinMax
	}
	return asm.LatencyLogic
}

// collect adds a vector of values of reduction r to the accumulators into; if there is a condition
// inside, only in lanes for which it holds.
func collect(m *asm.Machine, r *ir.Reduce, value asm.Operand, into, inside asm.Reg) {
	switch {
	case inside != 0:
		m.Move(m.Choose(inside, combine(m, r, into, value), into), into)
	case r.Type.Float():
		m.Move(combine(m, r, into, value), into)
	default: // does what combine does, without a move
		m.Into(reductions[r.Op], false, into, value, into)
	}
}

// collectNext does what collect does for the k-th reduction, which may have places, or be a place. keeps is the condition that a lane
// keeps the value of the reduction that this one is a place of; collectNext returns the condition for the reduction that follows.
func (s *Shape) collectNext(m *asm.Machine, k int, r *ir.Reduce, value asm.Operand, into, inside, keeps asm.Reg) asm.Reg {
	switch {
	case r.Place:
		collectPlace(m, keeps, value, into)
	case s.hasPlaces(k):
		return collectFirst(m, r, value, into, inside)
	default:
		collect(m, r, value, into, inside)
	}
	return keeps
}

// reduced adds the value of the k-th reduction to the row stream's accumulators.
func (x *levelStep) reduced(k int, r *ir.Reduce, value asm.Operand) {
	var inside asm.Reg
	if x.kind.masked {
		inside = x.inside
	}
	x.keeps = x.s.collectNext(x.Machine, k, r, value, x.accumulators[x.rowStream][k], inside, x.keeps)
}

// collectWrong joins bits to the row stream's last accumulator, a vector that remembers wrong
// subscripts: bits are not 0 in the lanes in which a subscript is beyond its array.
func (x *levelStep) collectWrong(bits asm.Reg) {
	if x.kind.masked {
		bits = x.Choose(x.inside, bits, x.Splat(0))
	}
	into := x.accumulators[x.rowStream][x.y.Reduces]
	x.Move(x.Bits(asm.Or, into, bits), into)
}

// loadAccumulators loads the accumulators of all row streams from memory into registers.
func (f *levelFunction) loadAccumulators() {
	for c := range f.o.rowStreams {
		f.accumulators = append(f.accumulators, nil)
		f.eachReduced(c, func(_ int, at asm.Mem) {
			r := f.Vec()
			f.Move(at, r)
			f.accumulators[c] = append(f.accumulators[c], r)
		})
	}
}

// storeAccumulators stores the registers of loadAccumulators back.
func (f *levelFunction) storeAccumulators() {
	for c := range f.o.rowStreams {
		f.eachReduced(c, func(k int, at asm.Mem) { f.Move(f.accumulators[c][k], at) })
	}
}

// eachReduced calls do with the place of each vector of row stream c's accumulators.
func (f *levelFunction) eachReduced(c int, do func(k int, at asm.Mem)) {
	if f.y.Accumulators() == 0 {
		return
	}
	p := f.General()
	f.Copy(f.Word(f.y.FrameStream(c)+f.y.StreamReduced()), p)
	for k := range f.y.Accumulators() {
		do(k, asm.Mem{Base: p, Disp: k * f.Bytes()})
	}
}

// An accumulator is the registers that collect the values of a reduction. low is for exact sums only.
type accumulator struct{ lanes, low asm.Reg }

// newAccumulators returns an accumulator per reduction, with the reduction's value so far in all lanes.
func (f *function) newAccumulators() (accumulators []accumulator) {
	for k, r := range f.s.n.Reduces() {
		switch {
		case exact(r):
			accumulators = append(accumulators, f.loadExact(f.exactLanes(k, 0)))
		case f.s.hasPlaces(k):
			accumulators = append(accumulators, accumulator{lanes: f.Load(f.placeLanes(k))})
		default:
			accumulators = append(accumulators, accumulator{lanes: f.Broadcast(f.reducedCell(k))})
		}
	}
	return accumulators
}

// storeReduction combines the lanes of the k-th reduction's accumulator into its new value, and stores
// this in memory.
func (f *function) storeReduction(k int, a accumulator) {
	r, lanes := f.s.n.Reduces()[k], a.lanes
	if exact(r) {
		f.storeExact(a, f.exactLanes(k, 0))
		return
	}
	if f.s.hasPlaces(k) {
		f.Move(lanes, f.placeLanes(k))
		return
	}
	for n := f.Lanes() / 2; n > 0; n /= 2 {
		if f.MovesLanes() {
			lanes = combine(f.Machine, r, lanes, f.Align(lanes, lanes, n))
		} else {
			lanes = combine(f.Machine, r, lanes, f.Rotate(lanes, n))
		}
	}
	f.StoreLane(lanes, 0, f.reducedCell(k))
}

// reducedCell is the memory of the value that the k-th reduction has so far.
func (f *function) reducedCell(k int) asm.Mem {
	p := f.General()
	f.Copy(f.Word(f.s.FrameReduced(k)), p)
	return asm.Mem{Base: p}
}

// reduced adds the value of the k-th reduction to its accumulator. Lanes behind the row's last iteration are left out.
func (c *alongRow) reduced(k int, r *ir.Reduce, value asm.Operand) {
	var inside asm.Reg
	if c.tails {
		inside = c.mask(c.Machine, c.s.lanesAlong(), 0)
	}
	into := c.accumulators[k].lanes
	switch {
	case exact(r):
	case r.Place:
		collectPlace(c.Machine, c.placeKeeps, value, into)
		return
	case c.s.hasPlaces(k):
		c.placeKeeps = collectFirst(c.Machine, r, value, into, inside)
		return
	default:
		collect(c.Machine, r, value, into, inside)
		return
	}
	if c.pairs && c.s.sparse(r.Expr, c.Lanes()) {
		first, waits := c.firsts[k]
		if delete(c.firsts, k); !waits {
			c.firsts[k] = c.Load(value)
			return
		}
		value = c.Bits(asm.Or, first, c.RotateParts(c.Load(value)))
	}
	for _, x := range c.addends(r, value, inside) {
		c.addExact(k, x, c.accumulators[k])
	}
}

// stackAccumulators writes new accumulators of each block of lanes to the stack. There they stay during the
// wavefront, so that the registers are free for what the next step waits for.
func (f *front) stackAccumulators() {
	for k, r := range f.s.n.Reduces() {
		if exact(r) {
			for set := range f.blocks * f.parts(r) {
				f.storeExact(f.loadExact(f.exactLanes(k, set)), f.stackedExact(k, set))
			}
			continue
		}
		if f.s.hasPlaces(k) {
			for b := range f.blocks {
				f.Move(f.Load(f.placeLanes(k)), f.accumulators(k, b))
			}
			continue
		}
		v := f.Broadcast(f.reducedCell(k))
		for r := range f.blocks {
			f.Move(v, f.accumulators(k, r))
		}
	}
}

// storeReductions combines the accumulators of all blocks of lanes, and stores the reductions' new values.
func (f *front) storeReductions() {
	for k, r := range f.s.n.Reduces() {
		if exact(r) {
			for set := range f.blocks * f.parts(r) {
				f.storeExact(f.loadExact(f.stackedExact(k, set)), f.exactLanes(k, set))
			}
			continue
		}
		lanes := f.Load(f.accumulators(k, 0))
		for b := 1; b < f.blocks; b++ {
			lanes = combine(f.Machine, r, lanes, f.accumulators(k, b))
		}
		f.storeReduction(k, accumulator{lanes: lanes})
	}
}

// accumulators returns the place on the stack of a block's accumulators for the k-th reduction.
func (f *front) accumulators(k, block int) asm.Mem {
	return f.Local(f.reduced[k] + block*f.Bytes())
}

// collect adds the value of the k-th reduction to the block's accumulators. Lanes that are outside
// the row, at its ends, are left out.
func (s *stepper) collect(k int, r *ir.Reduce, value asm.Operand) {
	var inside asm.Reg
	if s.edge {
		inside = s.activeLanes()
	}
	if exact(r) {
		for part, x := range s.addends(r, value, inside) {
			at := s.stackedExact(k, s.block*s.parts(r)+part)
			a := s.loadExact(at)
			s.addExact(k, x, a)
			s.storeExact(a, at)
		}
		return
	}
	at, into := s.accumulators(k, s.block), s.Vec()
	s.Move(at, into)
	s.keeps = s.s.collectNext(s.Machine, k, r, value, into, inside, s.keeps)
	s.Move(into, at)
}

// activeLanes returns the condition that a lane has an iteration: its row is in the group, and its
// column in the row.
func (s *stepper) activeLanes() asm.Reg {
	width, group, end, rows := s.General(), s.General(), s.Vec(), s.Vec()
	s.Copy(s.Word(FrameWidth), width)
	s.Copy(s.front.group, group)
	s.BroadcastInt(width, s.LaneSize(), end)
	s.BroadcastInt(group, s.LaneSize(), rows)
	row := s.Load(s.Each(s.LaneSize(), func(l int) int { return s.block*s.Lanes() + l }))
	if s.slopes != nil {
		return s.Logic(asm.And, s.insideSlopes(), s.Greater(rows, row))
	}
	column := s.column()
	inRow := s.Logic(asm.And, s.Greater(column, s.Load(s.Splat(s.AllOnes()))), s.Greater(end, column))
	return s.Logic(asm.And, inRow, s.Greater(rows, row))
}
