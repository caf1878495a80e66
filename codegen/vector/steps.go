package vector

import (
	"fmt"
	"maps"
	"slices"

	"loopc/codegen/asm"
	"loopc/ir"
)

// carry returns the registers with the results of the last step that the next step needs, one
// per block.
func (f *front) carry() map[int][]asm.Reg {
	carried := map[int][]asm.Reg{}
	for _, id := range slices.Sorted(maps.Keys(f.s.reads)) { // registers are made in a fixed order
		if a := f.s.reads[id]; f.s.Streams[a.stream].self >= 0 && a.back == 1 && carried[a.stream] == nil {
			for range f.blocks {
				r := f.Vec()
				f.Zero(r, true)
				carried[a.stream] = append(carried[a.stream], r)
			}
		}
	}
	return carried
}

// A stepper writes one step.
type stepper struct {
	*front
	carried map[int][]asm.Reg
	count   asm.Reg // steps of the chunk done
	at      asm.Reg // address on the stack that moves by a vector of all lanes per step
	block   int
	edge    bool
	moved   map[string]asm.Reg // lanes that are already shifted or rotated
	indexed map[[2]int]asm.Reg
	fresh   map[int][]asm.Reg // results of this step
	keeps   asm.Reg           // lanes whose max or min the step does not change, if it has places
}

// steps writes the loop over the steps of a chunk.
func (f *front) steps(carried map[int][]asm.Reg, edge bool) {
	s := &stepper{front: f, carried: carried, edge: edge, count: f.General(), at: f.General()}
	f.Clear(s.count)
	f.Copy(f.Base(), s.at)
	loop := f.NewLabel("step")
	f.Label(loop)
	s.moved, s.indexed, s.fresh = map[string]asm.Reg{}, map[[2]int]asm.Reg{}, map[int][]asm.Reg{}
	for s.block = range f.blocks {
		s.one()
	}
	for k := range f.s.Streams {
		for r, x := range s.fresh[k] {
			if carried[k] != nil {
				f.Move(x, carried[k][r])
			}
		}
	}
	f.AddTo(asm.Int(f.vectors()), s.at)
	f.Inc(s.count)
	f.JumpIf(s.count, asm.Lt, asm.Imm(uint64(f.Lanes())), loop)
}

// one writes the body for a block.
func (s *stepper) one() {
	var beyond, around, inside asm.Reg // lanes before the first column; those and the lanes behind the last one; the others
	if s.edge && s.slopes != nil {
		inside = s.insideSlopes()
	} else if s.edge {
		beyond = s.Negative(s.column())
		if slices.ContainsFunc(s.s.Streams, func(x Stream) bool { return x.self >= 0 && x.beyond > 0 }) {
			around = s.Logic(asm.Or, beyond, s.behind())
		}
	}
	b := &body{Machine: s.Machine, s: s.s, read: s.read, param: s.param, index: s.index,
		widen: s.read,
		done: func(v int, r asm.Reg) asm.Reg {
			k := s.s.bufferOf(v)
			if k < 0 {
				return r
			}
			at := s.buffer(k, 0, s.block)
			if x := &s.s.Streams[k]; inside != 0 && x.history > 0 {
				r = s.Choose(inside, r, at)
			} else if s.edge && x.beyond > 0 {
				r = s.Choose(around, at, r)
			} else if s.edge && x.history > 0 {
				r = s.Choose(beyond, at, r)
			}
			s.Move(r, at)
			s.fresh[k] = append(s.fresh[k], r)
			return r
		},
		reduced: s.collect,
		looker: looker{table: s.table, wrong: func(bits asm.Reg) {
			if s.edge {
				bits = s.Choose(s.activeLanes(), bits, s.Splat(0))
			}
			s.Move(s.Bits(asm.Or, bits, s.Local(s.front.wrong)), s.Local(s.front.wrong))
		}},
	}
	b.step()
	for k, i := range s.s.Indices {
		if x, ok := s.indexed[[2]int{k, s.block}]; ok && i.ByColumn != 0 {
			next := s.Index()
			s.MoveIndex(x, next)
			s.addIndex(next, i.ByColumn)
			s.MoveIndex(next, s.Local(s.indices[k][s.block]))
		}
	}
}

// column returns the columns of the lanes, as integers of the lanes' size.
func (s *stepper) column() asm.Reg {
	v, r := s.General(), s.Vec()
	s.Address(asm.Mem{Base: s.step, Index: s.count, Scale: 1}, v)
	s.BroadcastInt(v, s.LaneSize(), r)
	s.AddLanes(s.Each(s.LaneSize(), func(l int) int { return -s.s.skew * (s.block*s.Lanes() + l) }), r, r)
	return r
}

// behind is the condition that lanes are behind the last column.
func (s *stepper) behind() asm.Reg {
	last, r := s.General(), s.Vec()
	s.Address(asm.Mem{Base: s.end(0), Disp: -1}, last)
	s.BroadcastInt(last, s.LaneSize(), r)
	return s.Negative(s.Binary(asm.Sub, false, r, s.column()))
}

// buffer is the memory of the vector that stream k's buffer has for the step back steps ago.
func (s *stepper) buffer(k, back, block int) asm.Mem {
	return asm.Mem{Base: s.at, Disp: s.buffers[k] + (s.s.Streams[k].history-back)*s.vectors() + block*s.Bytes()}
}

// index returns the values of a loop.
func (s *stepper) index(loop int) asm.Reg {
	key := [2]int{s.s.indexOf(loop), s.block}
	if s.indexed[key] == 0 {
		s.indexed[key] = s.Index()
		s.MoveIndex(s.Local(s.indices[key[0]][s.block]), s.indexed[key])
	}
	return s.indexed[key]
}

// read returns the lanes of a read.
func (s *stepper) read(r *ir.Read) asm.Operand {
	a := s.s.reads[r.ID]
	if s.flat[a.stream] >= 0 {
		return s.Local(s.flat[a.stream] + s.block*s.Bytes())
	}
	if a.lanes == 0 {
		return s.source(a, s.block)
	}
	key := fmt.Sprint("shift ", a, s.block)
	if s.moved[key] == 0 {
		s.moved[key] = s.shift(a)
	}
	return s.moved[key]
}

// source returns the vector of a block that an access reads, not yet shifted.
func (s *stepper) source(a access, block int) asm.Operand {
	if c := s.carried[a.stream]; c != nil && a.back == 1 {
		return c[block]
	}
	return s.buffer(a.stream, a.back, block)
}

// shift moves lanes up by the lanes of the access. The lanes that come in belong to the block
// before or, for the first block, to the rows above.
func (s *stepper) shift(a access) asm.Reg {
	if s.block > 0 {
		if s.MovesLanes() {
			return s.Align(s.Load(s.source(a, s.block)), s.source(a, s.block-1), a.lanes)
		}
		return s.Blend(1<<a.lanes-1, s.rotated(a, s.block-1, a.lanes), s.rotated(a, s.block, a.lanes))
	}
	var x asm.Reg
	for j := range a.lanes {
		// Row -1 comes in first and ends up highest.
		above := asm.Mem{Base: s.Base(), Index: s.count, Scale: s.LaneSize(),
			Disp: s.ghosts[a.stream][j] + (s.s.Streams[a.stream].history-a.back)*s.LaneSize()}
		ghost := s.Broadcast(above)
		switch {
		case s.MovesLanes() && j == 0:
			x = s.Align(s.Load(s.source(a, 0)), ghost, 1)
		case s.MovesLanes():
			x = s.Align(x, ghost, 1)
		case j == 0:
			x = s.Blend(1, ghost, s.rotated(a, 0, 1))
		default:
			x = s.Blend(1, ghost, s.Rotate(x, 1))
		}
	}
	return x
}

// rotated returns a block's vector, rotated by some lanes.
func (s *stepper) rotated(a access, block, lanes int) asm.Reg {
	key := fmt.Sprint("rotate ", a.stream, a.back, block, lanes)
	if s.moved[key] == 0 {
		s.moved[key] = s.Rotate(s.source(a, block), lanes)
	}
	return s.moved[key]
}
