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
	for c := range f.o.chains {
		f.storeLines(c, lanes)
	}
	f.cost.count(f.machine, start, f.mark(), 1/float64(steps*f.o.chains))
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
// vectors, and stores it as lines.
func (f *levelFunction) storeLines(c int, lanes reg.GPVirtual) {
	at, from, offset, row := f.asm.GP64(), f.asm.GP64(), f.asm.GP64(), f.asm.GP64()
	f.asm.MOVQ(f.word(f.y.FrameChain(c)+f.y.ChainLines()), at)
	f.asm.MOVQ(operand.Mem{Base: at, Disp: 8 * halo.LinesVectors}, from)
	f.asm.MOVQ(operand.Mem{Base: at, Disp: 8 * halo.LinesOffset}, offset)
	step := f.resultBytes()
	f.quarter(func(i int) operand.Mem {
		return operand.Mem{Base: from, Index: lanes, Scale: 1, Disp: i * step}
	}, func(k int, v reg.Register) {
		f.asm.MOVQ(operand.Mem{Base: at, Index: lanes, Scale: uint8(8 / f.lane), Disp: 8 * (halo.LinesRows + k)}, row)
		f.asm.VMOVNTPS(v, operand.Mem{Base: row, Index: offset, Scale: 1})
	})
}
