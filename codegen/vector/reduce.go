package vector

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"loopc/ir"
)

// A reduction is one more statement of the body, whose value goes into a vector of
// accumulators, one for each lane. They are in memory before and after a call; what comes
// together of the lanes is the caller's business, who knows which of them are iterations.

// reductions refuses reductions whose values do not come together in lanes. Sums of floats
// are exact, of limbs; with again, iterations may be computed more than once, which the
// least and the greatest do not mind.
func (s *Shape) reductions(again bool) {
	for _, r := range s.n.Reduces() {
		switch {
		case r.Op == ir.ReduceSum && (r.Type != ir.Int32 || again):
			refuse("%s is a sum of %s", r.Name, r.Type)
		case r.Type != ir.Int32 && !r.Type.Float():
			refuse("%s is a reduction of %s", r.Name, r.Type)
		}
	}
}

// together writes op of two vectors of values of reduction r.
func (m *machine) together(r *ir.Reduce, x, y operand.Op) reg.Register {
	switch r.Op {
	case ir.ReduceSum:
		return m.binary(ir.Add, r.Type, x, y)
	case ir.ReduceMin:
		return m.least(ir.Min, r.Type, x, y)
	}
	return m.least(ir.Max, r.Type, x, y)
}

// collecting is the latency from the accumulators of a step to those of the next.
func collecting(r *ir.Reduce) float64 {
	if r.Type.Float() {
		return 5 // as delay counts min and max
	}
	return 1
}

// collect adds a vector of values of reduction r to accumulators; only the lanes for which
// a condition holds, if it is not nil.
func (m *machine) collect(r *ir.Reduce, value operand.Op, into reg.VecVirtual, inside condition) {
	switch {
	case inside != nil:
		m.move(m.choose(inside, m.together(r, into, value), into), into)
	case r.Type.Float():
		m.move(m.together(r, into, value), into)
	case r.Op == ir.ReduceMax: // as together does it, without a move
		m.asm.VPMAXSD(value, into, into)
	case r.Op == ir.ReduceMin:
		m.asm.VPMINSD(value, into, into)
	default:
		m.asm.VPADDD(value, into, into)
	}
}

// reduced adds the value of the k-th reduction to the chain's accumulators.
func (x *levelStep) reduced(k int, r *ir.Reduce, value operand.Op) {
	var inside condition
	if x.kind.masked {
		inside = x.inside
	}
	x.collect(r, value, x.accumulators[x.chain][k], inside)
}

// resumeReduced loads the accumulators.
func (f *levelFunction) resumeReduced() {
	for c := range f.o.chains {
		f.accumulators = append(f.accumulators, nil)
		f.eachReduced(c, func(_ int, at operand.Mem) {
			r := f.vec()
			f.move(at, r)
			f.accumulators[c] = append(f.accumulators[c], r)
		})
	}
}

// endReduced stores them.
func (f *levelFunction) endReduced() {
	for c := range f.o.chains {
		f.eachReduced(c, func(k int, at operand.Mem) { f.move(f.accumulators[c][k], at) })
	}
}

// eachReduced calls do with the place of each vector of chain c's accumulators.
func (f *levelFunction) eachReduced(c int, do func(k int, at operand.Mem)) {
	if f.y.Reduces == 0 {
		return
	}
	p := f.asm.GP64()
	f.asm.MOVQ(f.word(f.y.FrameChain(c)+f.y.ChainReduced()), p)
	for k := range f.y.Reduces {
		do(k, operand.Mem{Base: p, Disp: k * f.isa.Bytes()})
	}
}

// startReduced gives all lanes what each reduction has so far.
func (f *function) startReduced() (accumulators []reg.VecVirtual) {
	for k := range f.s.n.Reduces() {
		accumulators = append(accumulators, f.broadcast(f.reducedCell(k)))
	}
	return accumulators
}

// storeReduced stores what the lanes of accumulators of the k-th reduction have together.
func (f *function) storeReduced(k int, lanes reg.Register) {
	r := f.s.n.Reduces()[k]
	for n := f.lanes() / 2; n > 0; n /= 2 {
		if f.wide() {
			lanes = f.together(r, lanes, f.align(lanes, lanes, n))
		} else {
			lanes = f.together(r, lanes, f.rotate(lanes, n))
		}
	}
	if x := lanes.(reg.Vec).AsX(); f.lane == 8 {
		f.asm.VMOVSD(x, f.reducedCell(k))
	} else {
		f.asm.VMOVSS(x, f.reducedCell(k))
	}
}

// reducedCell is the memory of what the k-th reduction has so far.
func (f *function) reducedCell(k int) operand.Mem {
	p := f.asm.GP64()
	f.asm.MOVQ(f.word(f.s.FrameReduced(k)), p)
	return operand.Mem{Base: p}
}

// beginReduced gives the accumulators of a wavefront, which are on the stack, what each
// reduction has so far: the registers are for what the next step waits for.
func (f *front) beginReduced() {
	for k, v := range f.startReduced() {
		for r := range f.blocks {
			f.move(v, f.accumulators(k, r))
		}
	}
}

// finishReduced stores what all lanes have together.
func (f *front) finishReduced() {
	for k, r := range f.s.n.Reduces() {
		lanes := f.load(f.accumulators(k, 0))
		for b := 1; b < f.blocks; b++ {
			lanes = f.together(r, lanes, f.accumulators(k, b))
		}
		f.storeReduced(k, lanes)
	}
}

// accumulators are those of a block for the k-th reduction.
func (f *front) accumulators(k, block int) operand.Mem {
	return f.local(f.reduced[k] + block*f.isa.Bytes())
}

// collect adds the value of the k-th reduction to the block's accumulators. At the edges of
// a row, lanes outside of it take no part.
func (s *stepper) collect(k int, r *ir.Reduce, value operand.Op) {
	at, into := s.accumulators(k, s.block), s.vec()
	s.move(at, into)
	var inside condition
	if s.edge {
		inside = s.takePart()
	}
	s.machine.collect(r, value, into, inside)
	s.move(into, at)
}

// takePart returns the condition that lanes are at iterations: of rows of the group, and of
// columns of the row.
func (s *stepper) takePart() condition {
	width, group, end, rows := s.asm.GP64(), s.asm.GP64(), s.vec(), s.vec()
	s.asm.MOVQ(s.word(FrameWidth), width)
	s.asm.MOVQ(s.front.group, group)
	s.broadcastInt(width, s.lane, end)
	s.broadcastInt(group, s.lane, rows)
	lanes := make([]uint64, s.lanes())
	for l := range lanes {
		lanes[l] = uint64(s.block*s.lanes() + l)
	}
	row, column := s.load(s.constant(lanes, s.lane)), s.column()
	inRow := s.logic(ir.And, s.greater(column, s.load(s.splat(s.allOnes()))), s.greater(end, column))
	return s.logic(ir.And, inRow, s.greater(rows, row))
}

// greater compares lanes as signed integers of their size.
func (m *machine) greater(x, y reg.Register) condition {
	if m.wide() {
		k := m.asm.K()
		code := operand.U8(intCompare[ir.Gt])
		if m.lane == 8 {
			m.asm.VPCMPQ(code, y, x, k)
		} else {
			m.asm.VPCMPD(code, y, x, k)
		}
		return k
	}
	r := m.vec()
	if m.lane == 8 {
		m.asm.VPCMPGTQ(y, x, r)
	} else {
		m.asm.VPCMPGTD(y, x, r)
	}
	return r
}
