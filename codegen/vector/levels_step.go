package vector

import (
	"loopc/codegen/asm"
	"loopc/ir"
	"loopc/runtime/kernel"
)

// A levelStep writes steps of one row stream.
type levelStep struct {
	*levelFunction
	rowStream int
	earlier   int // number of steps of this round before this step
	kind      roundKind

	pointers map[int]asm.Reg // loaded in this round, by word
	// recent are the vectors that registers hold, the last step's first; replaced are those
	// that this step overwrites.
	recent   map[heldVector][]asm.Reg
	replaced map[levelVector]asm.Reg
	loaded   map[any]asm.Reg // memory that more than one leaf reads
	inside   asm.Reg         // the active lanes, if masked
	keeps    asm.Reg         // lanes whose max or min the step does not change, if it has places
}

// pointer returns a register with a word of the row stream.
func (x *levelStep) pointer(word int) asm.Reg {
	word += x.y.FrameStream(x.rowStream)
	if r := x.pinned[word]; r != 0 {
		return r
	}
	if x.pointers[word] == 0 {
		r := x.General()
		x.Copy(x.Word(word), r)
		x.pointers[word] = r
	}
	return x.pointers[word]
}

// moving is memory whose address grows by the given bytes per step. In the first step, the address
// is the pointer in the given word of the frame, plus offset.
func (x *levelStep) moving(word, bytes, offset int) asm.Mem {
	m := asm.Mem{Base: x.pointer(word), Disp: offset + x.earlier*bytes}
	m.Index, m.Scale = x.stride(bytes)
	return m
}

// cell is the place of a vector some steps back, in the row at the given distance.
func (x *levelStep) cell(p levelPlace, row, back int) asm.Mem {
	word, vectors := x.y.StreamRow(row), x.y.Buffered
	if !p.buffer {
		word, vectors = kernel.StreamCurrent, x.y.Current
	}
	size := x.Bytes()
	return x.moving(word, vectors*size, (p.at-back*vectors)*size)
}

// past returns a vector of the current row from before the call.
func (x *levelStep) past(v levelVector, back int) asm.Reg {
	if p, ok := x.y.at[v]; ok && v.up == 0 {
		return x.plus(v.value, x.Load(x.cell(p, 0, back)))
	} else if ok {
		return x.Load(x.cell(p, 0, back))
	}
	below := x.past(levelVector{v.value, v.up - 1}, back)
	return x.Raise(below, x.carryIn(v, back))
}

// plus returns the sum of a value in r and the number that common has chosen for the value: readers
// expect the sum.
func (x *levelStep) plus(value int, r asm.Reg) asm.Reg {
	if by := x.s.plus[value]; by != 0 {
		return x.Binary(asm.Add, false, r, x.HeldOrMemory(x.Splat(uint64(uint32(by)))))
	}
	return r
}

// carryIn is the memory of the cell that moves into the lowest lane of v.
func (x *levelStep) carryIn(v levelVector, back int) asm.Mem {
	return x.moving(x.y.StreamCarryIn(x.y.carryIns[v]), x.LaneSize(), -back*x.LaneSize())
}

// write writes a step.
func (x *levelStep) write() {
	x.loaded = map[any]asm.Reg{}
	if x.kind.masked {
		x.inside = x.activeLanes()
	}
	x.replaced = map[levelVector]asm.Reg{}
	for _, v := range x.y.vectors {
		if v.replaced {
			x.replaced[v.levelVector] = x.Load(x.cell(x.y.at[v.levelVector], x.y.InPlace, 0))
		}
	}
	fresh := map[levelVector]asm.Reg{}
	b := &body{Machine: x.Machine, s: x.timed, read: x.read, widen: x.read, index: x.indices, param: x.param,
		done: func(v int, r asm.Reg) asm.Reg {
			at, stored := x.y.at[levelVector{v, 0}]
			if stored && x.kind.masked {
				r = x.Choose(x.inside, r, x.cell(levelPlace{false, x.y.Values[v].Fill}, 0, 0))
			}
			if stored && x.stores(at) {
				x.Move(r, x.cell(at, 0, 0))
			}
			fresh[levelVector{v, 0}] = x.plus(v, r)
			return r
		},
		reduced: x.reduced, compareNarrow: x.compareTexts,
		looker: looker{table: x.table, wrong: x.collectWrong},
	}
	b.step()
	for v, most := range x.s.shifts {
		if !x.s.live[x.s.l.Values[v]] {
			continue
		}
		for k := 1; k <= most; k++ {
			y := levelVector{v, k}
			fresh[y] = x.Raise(fresh[levelVector{v, k - 1}], x.carryIn(y, 0))
			if at, ok := x.y.at[y]; ok && x.stores(at) {
				x.Move(fresh[y], x.cell(at, 0, 0))
			}
		}
	}
	for k, p := range x.y.CarryOut {
		if r := fresh[levelVector{p.Value, 0}]; r != 0 {
			x.out(r, p.Level, x.moving(x.y.StreamCarryOut(k), x.LaneSize(), 0))
		}
	}
	for _, v := range x.y.vectors {
		rs, current := x.recent[v], fresh[v.levelVector]
		if v.replaced {
			current = x.replaced[v.levelVector]
		}
		if len(rs) > 0 {
			x.recent[v] = append([]asm.Reg{current}, rs[:len(rs)-1]...)
		}
	}
}

// stores reports whether the step stores a vector whose place is at.
func (x *levelStep) stores(at levelPlace) bool { return !x.kind.dropStores || at.buffer }

// activeLanes returns a mask of the lanes whose bounds (kernel.StreamBounds) include the current step.
func (x *levelStep) activeLanes() asm.Reg {
	step, at := x.General(), x.Vec()
	x.Copy(x.Word(x.y.FrameStream(x.rowStream)+kernel.StreamStep), step)
	x.AddTo(x.step, step)
	x.BroadcastInt(step, x.LaneSize(), at)
	bounds := x.pointer(kernel.StreamBounds)
	first, last := asm.Mem{Base: bounds}, asm.Mem{Base: bounds, Disp: x.Bytes()}
	return x.Between(at, first, last)
}

// read returns the lanes of a read.
func (x *levelStep) read(r *ir.Read) asm.Operand {
	if k, ok := x.s.givens[r.ID]; ok {
		return x.givenLanes(k)
	}
	f := x.s.flows[r.ID]
	if x.y.InPlace > 0 && f.row == x.y.InPlace {
		if f.back == 0 {
			return x.replaced[f.vector]
		}
		return x.recent[heldVector{f.vector, true}][f.back-1]
	}
	if own := x.recent[heldVector{f.vector, false}]; f.row == 0 && f.back <= len(own) {
		return own[f.back-1]
	}
	return x.once(f, x.cell(x.y.at[f.vector], f.row, f.back), x.s.times[f])
}

// once returns memory or, if the body reads it more than once, a register with its content.
func (x *levelStep) once(key any, mem asm.Mem, times int) asm.Operand {
	if x.loaded[key] != 0 {
		return x.loaded[key]
	}
	if times < 2 {
		return mem
	}
	x.loaded[key] = x.Load(mem)
	return x.loaded[key]
}

// givenLanes returns the lanes of a given sequence.
func (x *levelStep) givenLanes(k int) asm.Operand {
	word := x.y.StreamGiven(k)
	if r := x.fixed[x.y.FrameStream(x.rowStream)+word]; r != 0 {
		return r
	}
	if x.loaded[k] != 0 {
		return x.loaded[k]
	}
	var mem asm.Mem
	switch g := x.s.given[k]; g.Kind {
	case kernel.Same:
		if g.Step == 0 {
			mem = asm.Mem{Base: x.pointer(word)}
		} else {
			mem = x.moving(word, x.LaneSize(), 0)
		}
		x.loaded[k] = x.Broadcast(mem)
		return x.loaded[k]
	case kernel.Fixed:
		mem = asm.Mem{Base: x.pointer(word)}
	case kernel.Window:
		mem = x.moving(word, x.s.givenBytes(x.ISA(), k), 0)
	case kernel.Interleaved:
		mem = x.moving(word, x.Bytes(), 0)
	}
	if x.s.asks[k] > 1 {
		x.loaded[k] = x.loadGiven(k, mem)
		return x.loaded[k]
	}
	return mem
}

// indices returns the values of a loop.
func (x *levelStep) indices(loop int) asm.Reg {
	k := x.s.indexOf(loop)
	i := x.s.Indices[k]
	r := x.Index()
	x.BroadcastIndex(x.Word(x.y.FrameStream(x.rowStream)+x.y.StreamIndex(k)), r)
	x.AddIndex(x.Each(4, func(l int) int { return x.earlier*i.ByColumn + x.y.LaneIndex(l)*(i.ByRow-x.s.skew*i.ByColumn) }), r)
	if i.ByColumn != 0 {
		x.AddIndex(x.ramps[k], r)
	}
	return r
}

// out stores, at mem, the lane that is level levels below the top. Only the last time slab, which has
// idle lanes, stores the vector under a mask: such a store often crosses a cache line [note
// vector-constants].
func (x *levelStep) out(r asm.Reg, level int, mem asm.Mem) {
	if x.kind.tail {
		x.StoreMasked(r, x.tailMasks[level], mem)
		return
	}
	x.StoreLane(r, x.y.LaneIndex(x.Lanes()-level), mem)
}

// carry moves the vectors that the next round reads into the registers where that round expects them.
func (x *levelStep) carry() {
	for _, v := range x.y.vectors {
		to := x.carried[x.rowStream][v]
		for b := len(to) - 1; b >= 0; b-- { // the oldest first: its new register may be the old one of the next
			if x.recent[v][b] != to[b] {
				x.Move(x.recent[v][b], to[b])
			}
		}
	}
}
