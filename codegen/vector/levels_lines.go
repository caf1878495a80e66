package vector

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"loopc/runtime/kernel"
)

// Results that go past the caches are transposed, and stored, between steps: so these hide
// the latency of one another, and the processor drains the stores while it computes.

// givenBack is the value whose results are all given back and have a vector of their own,
// -1 if there is none, or another one too.
func (s *Levels) givenBack(y *levelLayout) int {
	out := -1
	for v := range y.Values {
		val := &s.p.Values[v]
		a := &s.p.Arrays[val.Array]
		if a.Returned() && a.Slice == nil && len(val.Overwrites) == 0 && y.Values[v].At >= 0 {
			if out >= 0 {
				return -1
			}
			out = v
		}
	}
	return out
}

// lined writes steps in which all lanes take part. Squares of the results, of as many steps
// as there are lanes, kernel.LinesTogether beside one another, are transposed in as many steps
// as they have, a quarter at a time: each chain's after some of these, for the processor has
// room for few lines that are on their way to memory.
func (f *levelFunction) lined() {
	squares, part := f.label("squares"), f.label("part")
	lanes := f.asm.GP64() // those of the quarter, in bytes
	f.asm.Label(squares)
	f.asm.XORQ(lanes, lanes)
	f.asm.Label(part)
	start, steps := f.mark(), kernel.LinesTogether*f.lanes()/4
	share := 1 / float64(steps*f.o.chains)
	turns, halves := steps/f.o.unroll, 2*f.o.chains
	done := 0
	for t := range turns {
		f.turn(f.o.unroll, turnKind{})
		for ; done < (t+1)*halves/turns; done++ {
			if c := done / 2; done%2 == 0 {
				f.loadLines(c, lanes)
			} else {
				from, to := f.storeLines(c, lanes)
				f.cost.count(f.machine, from, to, -share)
			}
		}
	}
	f.cost.count(f.machine, start, f.mark(), share)
	f.asm.ADDQ(operand.Imm(16), lanes)
	f.asm.CMPQ(lanes, operand.Imm(uint64(f.isa.Bytes())))
	f.asm.JNE(operand.LabelRef(part))
	at := f.asm.GP64()
	for c := range f.o.chains {
		f.asm.MOVQ(f.word(f.y.FrameChain(c)+f.y.ChainLines()), at)
		f.asm.ADDQ(operand.I32(int32(kernel.LinesTogether*f.lanes()*f.resultBytes())), operand.Mem{Base: at, Disp: 8 * kernel.LinesVectors})
		f.asm.ADDQ(operand.I32(int32(kernel.LinesTogether*f.isa.Bytes())), operand.Mem{Base: at, Disp: 8 * kernel.LinesOffset})
	}
	f.asm.CMPQ(f.step, f.word(kernel.FrameSteps))
	f.asm.JLT(operand.LabelRef(squares))
}

// resultBytes is how far the results of a step and of the next one lie apart.
func (f *levelFunction) resultBytes() int {
	if f.y.Values[f.s.givenBack(f.y)].InRing {
		return f.y.Ring * f.isa.Bytes()
	}
	return f.y.Now * f.isa.Bytes()
}

// linesFrame returns the addresses of chain c's lines' frame, see simd.Lines, and of the first
// vector of its squares.
func (f *levelFunction) linesFrame(c int) (at, vectors reg.GPVirtual) {
	at, vectors = f.asm.GP64(), f.asm.GP64()
	f.asm.MOVQ(f.word(f.y.FrameChain(c)+f.y.ChainLines()), at)
	f.asm.MOVQ(operand.Mem{Base: at, Disp: 8 * kernel.LinesVectors}, vectors)
	return at, vectors
}

// square returns where the vectors of the n-th square are, from some lanes on.
func (f *levelFunction) square(vectors, lanes reg.GPVirtual, n int) func(i int) operand.Mem {
	return func(i int) operand.Mem {
		return operand.Mem{Base: vectors, Index: lanes, Scale: 1, Disp: (n*f.lanes() + i) * f.resultBytes()}
	}
}

// loadLines transposes a quarter of chain c's first square, the lanes at some bytes of the
// vectors, for storeLines.
func (f *levelFunction) loadLines(c int, lanes reg.GPVirtual) {
	_, vectors := f.linesFrame(c)
	for len(f.firsts) < 16/f.lane {
		f.firsts = append(f.firsts, f.vec())
	}
	f.quarter(f.square(vectors, lanes, 0), f.firsts, func(int, reg.Register) {})
}

// storeLines transposes the quarter of chain c's second square, and stores the lines that both
// complete. The instructions between the marks that it returns are executed instead of those
// before them, if these are whole.
func (f *levelFunction) storeLines(c int, lanes reg.GPVirtual) (wholeFrom, wholeTo int) {
	at, vectors := f.linesFrame(c)
	offset, row, held, skip := f.asm.GP64(), f.asm.GP64(), f.asm.GP64(), f.asm.GP64()
	f.asm.MOVQ(operand.Mem{Base: at, Disp: 8 * kernel.LinesOffset}, offset)
	seconds := func(store func(k int, second reg.Register)) { f.quarter(f.square(vectors, lanes, 1), nil, store) }
	store := func(k int, first, second reg.Register) {
		f.asm.MOVQ(operand.Mem{Base: at, Index: lanes, Scale: uint8(8 / f.lane), Disp: 8 * (kernel.LinesRows + k)}, row)
		to := operand.Mem{Base: row, Index: offset, Scale: 1}
		f.asm.VMOVNTPS(first, to)
		f.asm.VMOVNTPS(second, to.Offset(f.isa.Bytes()))
	}
	whole, stored := f.label("whole"), f.label("stored")
	f.asm.MOVQ(operand.Mem{Base: at, Disp: 8 * kernel.LinesHeld}, held)
	f.asm.TESTQ(held, held)
	f.asm.JEQ(operand.LabelRef(whole))
	f.asm.IMUL3Q(operand.I32(int32(kernel.LinesHeldRow/f.lane)), lanes, skip)
	f.asm.ADDQ(skip, held)
	permute := f.asm.VPERMI2D
	if f.lane == 8 {
		permute = f.asm.VPERMI2Q
	}
	line, next := f.vec(), f.vec()
	seconds(func(k int, second reg.Register) {
		first, before := f.firsts[k], operand.Mem{Base: held, Disp: k * kernel.LinesHeldRow}
		f.asm.VMOVAPS(before.Offset(f.isa.Bytes()), next)
		f.asm.VMOVAPS(next, line)
		permute(before, first, line)
		permute(first, second, next)
		f.asm.VMOVAPS(second, before)
		store(k, line, next)
	})
	f.asm.JMP(operand.LabelRef(stored))
	wholeFrom = f.mark()
	f.asm.Label(whole)
	seconds(func(k int, second reg.Register) { store(k, f.firsts[k], second) })
	f.asm.Label(stored)
	return wholeFrom, f.mark()
}
