package vector

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"loopc/ir"
)

// carry returns the registers that hold the results of the last step: for values
// that the next step needs, one for each block.
func (f *front) carry() map[int][]reg.VecVirtual {
	carried := map[int][]reg.VecVirtual{}
	for _, a := range f.s.reads {
		if f.s.Streams[a.stream].self >= 0 && a.back == 1 && carried[a.stream] == nil {
			for range f.blocks {
				r := f.vec()
				f.zero(r)
				carried[a.stream] = append(carried[a.stream], r)
			}
		}
	}
	return carried
}

// zero clears a vector.
func (f *front) zero(r reg.VecVirtual) {
	if f.wide() {
		f.asm.VPXORD(r, r, r)
	} else {
		f.asm.VXORPS(r, r, r)
	}
}

// A stepper writes one step.
type stepper struct {
	*front
	carried map[int][]reg.VecVirtual
	count   reg.GPVirtual // steps of the chunk done
	at      reg.GPVirtual // of the stack, moved on by a vector of all lanes per step
	block   int
	edge    bool
	moved   map[string]reg.Register // lanes that were shifted or rotated already
	indexed map[[2]int]reg.VecVirtual
	fresh   map[int][]reg.Register // results of this step
}

// steps writes the loop over the steps of a chunk.
func (f *front) steps(carried map[int][]reg.VecVirtual, edge bool) {
	s := &stepper{front: f, carried: carried, edge: edge, count: f.asm.GP64(), at: f.asm.GP64()}
	f.asm.XORQ(s.count, s.count)
	f.asm.MOVQ(f.base, s.at)
	loop := f.label("step")
	f.asm.Label(loop)
	s.moved, s.indexed, s.fresh = map[string]reg.Register{}, map[[2]int]reg.VecVirtual{}, map[int][]reg.Register{}
	for s.block = range f.blocks {
		s.one()
	}
	for k := range f.s.Streams {
		for r, x := range s.fresh[k] {
			if carried[k] != nil {
				f.move(x, carried[k][r])
			}
		}
	}
	f.asm.ADDQ(operand.I32(int32(f.vectors())), s.at)
	f.asm.INCQ(s.count)
	f.asm.CMPQ(s.count, operand.Imm(uint64(f.lanes())))
	f.asm.JLT(operand.LabelRef(loop))
}

// one writes the body for a block.
func (s *stepper) one() {
	var outside condition // lanes before the first column
	if s.edge {
		outside = s.before()
	}
	b := &body{machine: s.machine, s: s.s, read: s.read, param: s.param, index: s.index,
		wider: func(*ir.Read) operand.Op { panic("BUG: vector: a narrow stream in a wavefront") },
		done: func(v int, r reg.Register) reg.Register {
			k := s.s.ringOf(v)
			if k < 0 {
				return r
			}
			at := s.ring(k, 0, s.block)
			if s.edge && s.s.Streams[k].history > 0 {
				r = s.choose(outside, at, r)
			}
			s.move(r, at)
			s.fresh[k] = append(s.fresh[k], r)
			return r
		},
		reduced: s.collect,
	}
	b.step()
	for k, i := range s.s.Indices {
		if x, ok := s.indexed[[2]int{k, s.block}]; ok && i.ByColumn != 0 {
			next := s.indexVec()
			s.asm.VMOVUPS(x, next)
			s.addIndex(next, i.ByColumn)
			s.moveIndex(next, s.local(s.indices[k][s.block]))
		}
	}
}

// before returns the condition "column < 0". In AVX2 the sign bits are enough.
func (s *stepper) before() condition {
	r := s.column()
	if !s.wide() {
		return r
	}
	k := s.asm.K()
	if s.lane == 8 {
		s.asm.VPMOVQ2M(r, k)
	} else {
		s.asm.VPMOVD2M(r, k)
	}
	return k
}

// column returns the columns of the lanes, as integers of their size.
func (s *stepper) column() reg.VecVirtual {
	v, r := s.asm.GP64(), s.vec()
	s.asm.LEAQ(operand.Mem{Base: s.step, Index: s.count, Scale: 1}, v)
	s.broadcastInt(v, s.lane, r)
	lanes := make([]uint64, s.lanes())
	for l := range lanes {
		lanes[l] = uint64(-s.s.skew * (s.block*s.lanes() + l))
		if s.lane == 4 {
			lanes[l] = uint64(uint32(lanes[l]))
		}
	}
	c := s.constant(lanes, s.lane)
	if s.lane == 8 {
		s.asm.VPADDQ(c, r, r)
	} else {
		s.asm.VPADDD(c, r, r)
	}
	return r
}

// ring is the memory of a stream's vector back steps before this one.
func (s *stepper) ring(k, back, block int) operand.Mem {
	return operand.Mem{Base: s.at, Disp: s.rings[k] + (s.s.Streams[k].history-back)*s.vectors() + block*s.isa.Bytes()}
}

// index returns the values of a loop.
func (s *stepper) index(loop int) reg.VecVirtual {
	for k, i := range s.s.Indices {
		if i.Loop != loop {
			continue
		}
		key := [2]int{k, s.block}
		if s.indexed[key] == nil {
			r := s.indexVec()
			s.moveIndex(s.local(s.indices[k][s.block]), r)
			s.indexed[key] = r
		}
		return s.indexed[key]
	}
	panic("BUG: vector: an unknown index")
}

// read returns the lanes of a read.
func (s *stepper) read(r *ir.Read) operand.Op {
	a := s.s.reads[r.ID]
	if s.flat[a.stream] >= 0 {
		return s.local(s.flat[a.stream] + s.block*s.isa.Bytes())
	}
	if a.lanes == 0 {
		return s.source(a, s.block)
	}
	key := fmt.Sprint("shift ", a, s.block)
	if s.moved[key] == nil {
		s.moved[key] = s.shift(a)
	}
	return s.moved[key]
}

// source returns the vector of a block that an access is about, before it is
// shifted.
func (s *stepper) source(a access, block int) operand.Op {
	if c := s.carried[a.stream]; c != nil && a.back == 1 {
		return c[block]
	}
	return s.ring(a.stream, a.back, block)
}

// shift moves lanes up by those of the access. What comes in below is of the
// block before, or for the first one of the rows above.
func (s *stepper) shift(a access) reg.Register {
	if s.block > 0 {
		if s.wide() {
			return s.align(s.load(s.source(a, s.block)), s.source(a, s.block-1), a.lanes)
		}
		return s.blend(1<<a.lanes-1, s.rotated(a, s.block-1, a.lanes), s.rotated(a, s.block, a.lanes))
	}
	var x reg.Register
	for j := range a.lanes {
		// Row -1 comes in first, and ends up highest.
		above := operand.Mem{Base: s.base, Index: s.count, Scale: uint8(s.lane),
			Disp: s.ghosts[a.stream][j] + (s.s.Streams[a.stream].history-a.back)*s.lane}
		ghost := s.broadcast(above)
		switch {
		case s.wide() && j == 0:
			x = s.align(s.load(s.source(a, 0)), ghost, 1)
		case s.wide():
			x = s.align(x, ghost, 1)
		case j == 0:
			x = s.blend(1, ghost, s.rotated(a, 0, 1))
		default:
			x = s.blend(1, ghost, s.rotate(x, 1))
		}
	}
	return x
}

// rotated returns a block's vector, rotated by some lanes.
func (s *stepper) rotated(a access, block, lanes int) reg.Register {
	key := fmt.Sprint("rotate ", a.stream, a.back, block, lanes)
	if s.moved[key] == nil {
		s.moved[key] = s.rotate(s.source(a, block), lanes)
	}
	return s.moved[key]
}
