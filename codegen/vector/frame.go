package vector

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"loopc/ir"
)

// The frame is what a kernel is called with: a pointer to Words machine words.
// A kernel changes it.
const (
	FrameRows   = 0 // rows of the box, at least one
	FrameWidth  = 1 // iterations of a row, at least one
	FrameStream = 2 // not 0: results that are given back go past the caches
	frameFirst  = 3
)

// FrameAt is the word with the address of stream k's cell at the first iteration
// of the box; for a live stream of the wavefront scheme Dist says which cell.
func (s *Shape) FrameAt(k int) int { return frameFirst + k }

// FrameStep is the word with the bytes from a row of stream k to the next.
func (s *Shape) FrameStep(k int) int { return frameFirst + len(s.Streams) + k }

// FrameIndex is the word with the value of Indices[k] at the first iteration.
func (s *Shape) FrameIndex(k int) int { return frameFirst + 2*len(s.Streams) + k }

// FrameParam is the word with the bits of Params[k].
func (s *Shape) FrameParam(k int) int { return s.FrameIndex(0) + len(s.Indices) + k }

// FrameReduced is the word with the address of what the k-th reduction has so far.
func (s *Shape) FrameReduced(k int) int { return s.FrameParam(0) + len(s.Params) + k }

// Words is the size of a frame.
func (s *Shape) Words() int { return s.FrameReduced(len(s.n.Reduces())) }

// Skew is s of the wavefront scheme.
func (s *Shape) Skew() int { return s.skew }

// Last is the dimension of the plan along a row.
func (s *Shape) Last() int { return s.last }

// A function is what is written for one kernel.
type function struct {
	*machine
	s      *Shape
	frame  reg.GPVirtual
	params []operand.Mem // of each use, splat
	stack  int           // bytes
	base   reg.GPVirtual // of the stack, at a multiple of the size of a vector
	cost   Cost
}

// word is a word of the frame.
func (f *function) word(k int) operand.Mem { return operand.Mem{Base: f.frame, Disp: 8 * k} }

// reserve returns the offset of bytes on the stack. All are reserved before
// begin.
func (f *function) reserve(bytes int) int {
	at := f.stack
	f.stack += (bytes + f.isa.Bytes() - 1) / f.isa.Bytes() * f.isa.Bytes()
	return at
}

// local is the memory at an offset of the stack.
func (f *function) local(at int) operand.Mem { return operand.Mem{Base: f.base, Disp: at} }

// begin starts a function: what is on the stack is aligned, and parameters go
// there.
func (f *function) begin(doc ...string) {
	f.asm.Function(f.name)
	f.asm.SignatureExpr("func(frame *int)")
	f.asm.Doc(doc...)
	splats := make([]int, len(f.s.Params))
	for k := range splats {
		splats[k] = f.reserve(f.isa.Bytes())
	}
	f.frame = f.asm.GP64()
	f.asm.Load(f.asm.Param("frame"), f.frame)
	f.base = f.asm.GP64()
	if f.stack > 0 {
		room := f.asm.AllocLocal(f.stack + f.isa.Bytes())
		f.asm.LEAQ(room, f.base)
		f.asm.ADDQ(operand.Imm(uint64(f.isa.Bytes()-1)), f.base)
		f.asm.ANDQ(operand.I32(int32(-f.isa.Bytes())), f.base)
	}
	for k := range splats {
		at := f.local(splats[k])
		f.move(f.broadcast(f.word(f.s.FrameParam(k))), at)
		f.params = append(f.params, at)
	}
}

// param returns the lanes of a parameter.
func (f *function) param(use ParamUse) operand.Op {
	for k, p := range f.s.Params {
		if p == use {
			return f.params[k]
		}
	}
	panic("BUG: vector: an unknown parameter")
}

// indexVec returns a new register for count int32 lanes, as many as a vector has.
func (f *function) indexVec() reg.VecVirtual {
	if f.lane == 8 {
		return f.half()
	}
	return f.vec()
}

// startIndex sets r to first + c·l in lane l; first is a word of the frame.
func (f *function) startIndex(r reg.VecVirtual, first operand.Mem, c int) {
	f.asm.VPBROADCASTD(first, r)
	f.asm.VPADDD(f.ramp(c, f.lanes(), 4), r, r)
}

// addIndex adds c to every lane of r.
func (f *function) addIndex(r reg.VecVirtual, c int) {
	if c == 0 {
		return
	}
	lanes := make([]uint64, f.lanes())
	for k := range lanes {
		lanes[k] = uint64(uint32(c))
	}
	f.asm.VPADDD(f.constant(lanes, 4), r, r)
}

// size is the number of bytes of a cell.
func size(t ir.Type) int { return t.Size() }
