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
func (m *machine) collect(r *ir.Reduce, value operand.Op, into reg.Register, inside condition) {
	all := m.together(r, into, value)
	if inside != nil {
		all = m.choose(inside, all, into)
	}
	m.move(all, into)
}

// reduced adds the value of the k-th reduction to the chain's accumulators.
func (x *levelStep) reduced(k int, r *ir.Reduce, value operand.Op) {
	var inside condition
	if x.kind == maskedTurn {
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
