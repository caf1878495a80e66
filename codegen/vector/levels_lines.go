package vector

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"loopc/runtime/halo"
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

// lined writes steps in which all lanes take part. A square of the results, of as many
// steps as there are lanes, is transposed in as many steps, a quarter at a time.
func (f *levelFunction) lined() {
	square, part := f.label("square"), f.label("part")
	lanes := f.asm.GP64() // those of the quarter, in bytes
	f.asm.Label(square)
	f.asm.XORQ(lanes, lanes)
	f.asm.Label(part)
	start, steps := f.mark(), f.lanes()/4
	for range steps / f.o.unroll {
		f.turn(f.o.unroll, fullTurn)
	}
	share := 1 / float64(steps*f.o.chains)
	for c := range f.o.chains {
		from, to := f.storeLines(c, lanes)
		f.cost.count(f.machine, from, to, -share)
	}
	f.cost.count(f.machine, start, f.mark(), share)
	f.asm.ADDQ(operand.Imm(16), lanes)
	f.asm.CMPQ(lanes, operand.Imm(uint64(f.isa.Bytes())))
	f.asm.JNE(operand.LabelRef(part))
	at := f.asm.GP64()
	for c := range f.o.chains {
		f.asm.MOVQ(f.word(f.y.FrameChain(c)+f.y.ChainLines()), at)
		f.asm.ADDQ(operand.I32(int32(f.lanes()*f.resultBytes())), operand.Mem{Base: at, Disp: 8 * halo.LinesVectors})
		f.asm.ADDQ(operand.I32(int32(f.isa.Bytes())), operand.Mem{Base: at, Disp: 8 * halo.LinesOffset})
	}
	f.asm.CMPQ(f.step, f.word(halo.FrameSteps))
	f.asm.JLT(operand.LabelRef(square))
}

// resultBytes is how far the results of a step and of the next one lie apart.
func (f *levelFunction) resultBytes() int {
	if f.y.Values[f.s.givenBack(f.y)].InRing {
		return f.y.Ring * f.isa.Bytes()
	}
	return f.y.Now * f.isa.Bytes()
}

// storeLines transposes a quarter of chain c's square, the lanes at some bytes of the
// vectors, and stores the lines that it completes: see simd.Lines. The instructions between
// the marks that it returns are executed instead of those before them, if these are whole.
func (f *levelFunction) storeLines(c int, lanes reg.GPVirtual) (wholeFrom, wholeTo int) {
	at, from, offset, row := f.asm.GP64(), f.asm.GP64(), f.asm.GP64(), f.asm.GP64()
	held, skip, line := f.asm.GP64(), f.asm.GP64(), f.vec()
	f.asm.MOVQ(f.word(f.y.FrameChain(c)+f.y.ChainLines()), at)
	f.asm.MOVQ(operand.Mem{Base: at, Disp: 8 * halo.LinesVectors}, from)
	f.asm.MOVQ(operand.Mem{Base: at, Disp: 8 * halo.LinesOffset}, offset)
	step := f.resultBytes()
	vector := func(i int) operand.Mem {
		return operand.Mem{Base: from, Index: lanes, Scale: 1, Disp: i * step}
	}
	store := func(k int, v reg.Register) {
		f.asm.MOVQ(operand.Mem{Base: at, Index: lanes, Scale: uint8(8 / f.lane), Disp: 8 * (halo.LinesRows + k)}, row)
		f.asm.VMOVNTPS(v, operand.Mem{Base: row, Index: offset, Scale: 1})
	}
	whole, stored := f.label("whole"), f.label("stored")
	f.asm.MOVQ(operand.Mem{Base: at, Disp: 8 * halo.LinesHeld}, held)
	f.asm.TESTQ(held, held)
	f.asm.JEQ(operand.LabelRef(whole))
	f.asm.IMUL3Q(operand.I32(int32(halo.LinesHeldRow/f.lane)), lanes, skip)
	f.asm.ADDQ(skip, held)
	f.quarter(vector, func(k int, v reg.Register) {
		before := operand.Mem{Base: held, Disp: k * halo.LinesHeldRow}
		f.asm.VMOVAPS(before.Offset(f.isa.Bytes()), line)
		if f.lane == 4 {
			f.asm.VPERMI2D(before, v, line)
		} else {
			f.asm.VPERMI2Q(before, v, line)
		}
		f.asm.VMOVAPS(v, before)
		store(k, line)
	})
	f.asm.JMP(operand.LabelRef(stored))
	wholeFrom = f.mark()
	f.asm.Label(whole)
	f.quarter(vector, store)
	f.asm.Label(stored)
	return wholeFrom, f.mark()
}
