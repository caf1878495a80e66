package vector

import (
	"maps"
	"slices"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"loopc/ir"
	"loopc/runtime/kernel"
)

// A levelStep writes steps of one chain.
type levelStep struct {
	*levelFunction
	chain int
	ahead int // steps of this turn before this one
	kind  turnKind

	pointers map[int]reg.GPVirtual // loaded in this turn, by word
	// recent are the vectors that are in registers, the last step's first; replaced
	// are those that this step takes the place of.
	recent   map[heldVector][]reg.Register
	replaced map[levelVector]reg.Register
	loaded   map[any]reg.Register // memory that more than one leaf reads
	inside   condition            // lanes that take part, if masked
}

// pointer returns a register with a word of the chain.
func (x *levelStep) pointer(word int) reg.GPVirtual {
	word += x.y.FrameChain(x.chain)
	if r := x.kept[word]; r != nil {
		return r
	}
	if x.pointers[word] == nil {
		r := x.asm.GP64()
		x.asm.MOVQ(x.word(word), r)
		x.pointers[word] = r
	}
	return x.pointers[word]
}

// moving is the memory that a pointer leads to in the first step, and that moves
// by some bytes in a step; offset is that in bytes.
func (x *levelStep) moving(word, bytes, offset int) operand.Mem {
	m := operand.Mem{Base: x.pointer(word), Disp: offset + x.ahead*bytes}
	m.Index, m.Scale = x.stride(bytes)
	return m
}

// cell is the place of a vector some steps back, in the row at a distance.
func (x *levelStep) cell(p levelPlace, row, back int) operand.Mem {
	word, vectors := x.y.ChainRow(row), x.y.Ring
	if !p.ring {
		word, vectors = kernel.ChainNow, x.y.Now
	}
	size := x.isa.Bytes()
	return x.moving(word, vectors*size, (p.at-back*vectors)*size)
}

// past returns a vector of the row itself from before the call.
func (x *levelStep) past(v levelVector, back int) reg.Register {
	if p, ok := x.y.at[v]; ok && v.up == 0 {
		return x.plus(v.value, x.load(x.cell(p, 0, back)))
	} else if ok {
		return x.load(x.cell(p, 0, back))
	}
	below := x.past(levelVector{v.value, v.up - 1}, back)
	return x.up(below, x.insert(v, back))
}

// plus returns what later iterations read of a value: see common.
func (x *levelStep) plus(value int, r reg.Register) reg.Register {
	if by := x.s.plus[value]; by != 0 {
		return x.machine.binary(ir.Add, ir.Int32, r, x.machine.kept(x.splat(uint64(uint32(by)))))
	}
	return r
}

// insert is the memory of the cell that moves into the lowest lane of v.
func (x *levelStep) insert(v levelVector, back int) operand.Mem {
	return x.moving(x.y.ChainInsert(x.y.inserts[v]), x.lane, -back*x.lane)
}

// up returns a vector moved up by a lane, with the cell at mem in the lowest, which is
// the last one (kernel.Temporal.Seat). An instruction that moves across two vectors wants of the
// other one that cell alone. (Zen 4, large, ms, with the cell in all lanes and in one:
// sw_linear 47.4 and 46.2, sw_affine 71 and 69; to fill a vector takes it two loads.)
func (x *levelStep) up(v reg.Register, mem operand.Mem) reg.Register {
	if x.wide() {
		below, r := x.vec(), x.vec()
		if x.lane == 8 {
			x.asm.VMOVSD(mem, below.AsX())
			x.asm.VALIGNQ(operand.U8(1), v, below, r)
		} else {
			x.asm.VMOVSS(mem, below.AsX())
			x.asm.VALIGND(operand.U8(1), v, below, r)
		}
		return r
	}
	return x.blend(1<<(x.lanes()-1), x.broadcast(mem), x.rotate(v, x.lanes()-1))
}

// write writes a step.
func (x *levelStep) write() {
	x.loaded = map[any]reg.Register{}
	if x.kind.masked {
		x.inside = x.takePart()
	}
	x.replaced = map[levelVector]reg.Register{}
	for _, v := range x.y.vectors {
		if v.replaced {
			x.replaced[v.levelVector] = x.load(x.cell(x.y.at[v.levelVector], x.y.InPlace, 0))
		}
	}
	fresh := map[levelVector]reg.Register{}
	b := &body{machine: x.machine, s: x.s.Shape, read: x.read, whole: x.read, index: x.indices, param: x.param,
		done: func(v int, r reg.Register) reg.Register {
			at, stored := x.y.at[levelVector{v, 0}]
			if stored {
				mem := x.cell(at, 0, 0)
				if x.kind.masked {
					r = x.choose(x.inside, r, x.cell(levelPlace{false, x.y.Values[v].Fill}, 0, 0))
				}
				if x.stores(at) {
					x.move(r, mem)
				}
			}
			fresh[levelVector{v, 0}] = x.plus(v, r)
			return r
		},
		reduced: x.reduced, texts: x.compareTexts,
	}
	b.step()
	for v, most := range x.s.shifts {
		if !x.s.live[x.s.l.Values[v]] {
			continue
		}
		for k := 1; k <= most; k++ {
			y := levelVector{v, k}
			fresh[y] = x.up(fresh[levelVector{v, k - 1}], x.insert(y, 0))
			if at, ok := x.y.at[y]; ok && x.stores(at) {
				x.move(fresh[y], x.cell(at, 0, 0))
			}
		}
	}
	for k, p := range x.y.Outs {
		if r := fresh[levelVector{p.Value, 0}]; r != nil {
			x.out(r, p.Level, x.moving(x.y.ChainOut(k), x.lane, 0))
		}
	}
	for _, v := range x.y.vectors {
		rs, now := x.recent[v], fresh[v.levelVector]
		if v.replaced {
			now = x.replaced[v.levelVector]
		}
		if len(rs) > 0 {
			x.recent[v] = append([]reg.Register{now}, rs[:len(rs)-1]...)
		}
	}
}

// stores reports whether the step stores what has a place.
func (x *levelStep) stores(at levelPlace) bool { return !x.kind.lean || at.ring }

// takePart returns the condition that lanes take part in the step: v lies within
// their bounds.
func (x *levelStep) takePart() condition {
	step, at := x.asm.GP64(), x.vec()
	x.asm.MOVQ(x.word(x.y.FrameChain(x.chain)+kernel.ChainStep), step)
	x.asm.ADDQ(x.step, step)
	x.broadcastInt(step, x.lane, at)
	bounds := x.pointer(kernel.ChainBounds)
	first, last := operand.Mem{Base: bounds}, operand.Mem{Base: bounds, Disp: x.isa.Bytes()}
	if x.wide() {
		a, b, r := x.asm.K(), x.asm.K(), x.asm.K()
		const atLeast, atMost = 5, 2
		if x.lane == 8 {
			x.asm.VPCMPQ(operand.U8(atLeast), first, at, a)
			x.asm.VPCMPQ(operand.U8(atMost), last, at, b)
		} else {
			x.asm.VPCMPD(operand.U8(atLeast), first, at, a)
			x.asm.VPCMPD(operand.U8(atMost), last, at, b)
		}
		x.asm.KANDW(a, b, r)
		return r
	}
	before, after := x.vec(), x.vec()
	if x.lane == 8 {
		x.asm.VPCMPGTQ(at, x.load(first), before)
		x.asm.VPCMPGTQ(last, at, after)
	} else {
		x.asm.VPCMPGTD(at, x.load(first), before)
		x.asm.VPCMPGTD(last, at, after)
	}
	return x.not(x.bits("or", before, after))
}

// read returns the lanes of a read.
func (x *levelStep) read(r *ir.Read) operand.Op {
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

// once returns memory, or, if the body reads it more than once, the register to
// which it was loaded.
func (x *levelStep) once(key any, mem operand.Mem, times int) operand.Op {
	if x.loaded[key] != nil {
		return x.loaded[key]
	}
	if times < 2 {
		return mem
	}
	x.loaded[key] = x.load(mem)
	return x.loaded[key]
}

// givenLanes returns the lanes of a given sequence.
func (x *levelStep) givenLanes(k int) operand.Op {
	word := x.y.ChainGiven(k)
	if r := x.fixed[x.y.FrameChain(x.chain)+word]; r != nil {
		return r
	}
	if x.loaded[k] != nil {
		return x.loaded[k]
	}
	var mem operand.Mem
	switch g := x.s.given[k]; g.Kind {
	case kernel.Same:
		if g.Step == 0 {
			mem = operand.Mem{Base: x.pointer(word)}
		} else {
			mem = x.moving(word, x.lane, 0)
		}
		x.loaded[k] = x.broadcast(mem)
		return x.loaded[k]
	case kernel.Fixed:
		mem = operand.Mem{Base: x.pointer(word)}
	case kernel.Window:
		mem = x.moving(word, x.s.givenBytes(x.isa, k), 0)
	case kernel.Laced:
		mem = x.moving(word, x.isa.Bytes(), 0)
	}
	if x.s.asks[k] > 1 {
		x.loaded[k] = x.loadGiven(k, mem)
		return x.loaded[k]
	}
	return mem
}

// param returns the lanes of a parameter.
func (x *levelStep) param(use ParamUse) operand.Op {
	return x.params[slices.Index(x.s.Params, use)]
}

// indices returns the values of a loop.
func (x *levelStep) indices(loop int) reg.VecVirtual {
	k := slices.IndexFunc(x.s.Indices, func(i Index) bool { return i.Loop == loop })
	i := x.s.Indices[k]
	r := x.indexVec()
	x.asm.VPBROADCASTD(x.word(x.y.FrameChain(x.chain)+x.y.ChainIndex(k)), r)
	lanes := make([]uint64, x.lanes())
	for l := range lanes {
		lanes[x.y.Seat(l)] = uint64(uint32(int32(x.ahead*i.ByColumn + l*(i.ByRow-x.s.skew*i.ByColumn))))
	}
	x.asm.VPADDD(x.constant(lanes, 4), r, r)
	if i.ByColumn != 0 {
		x.asm.VPADDD(x.ramps[k], r, r)
	}
	return r
}

// out stores the lane that is a level below the top at mem. (A masked store of the
// vector would often cross a cache line, and a lane that is read back from where
// the vector was just stored waits for that: twice as slow. A slab with idle lanes does,
// which comes last.)
func (x *levelStep) out(r reg.Register, level int, mem operand.Mem) {
	if x.kind.top {
		x.storeMasked(r, x.tops[level], mem)
		return
	}
	l := x.y.Seat(x.lanes() - level)
	if x.wide() {
		t := r
		if l > 0 {
			t = x.vec()
			if x.lane == 8 {
				x.asm.VALIGNQ(operand.U8(uint8(l)), r, r, t)
			} else {
				x.asm.VALIGND(operand.U8(uint8(l)), r, r, t)
			}
		}
		if y := t.(reg.Vec).AsX(); x.lane == 8 {
			x.asm.VMOVSD(y, mem)
		} else {
			x.asm.VMOVSS(y, mem)
		}
		return
	}
	part, within := l*x.lane/16, l*x.lane%16/x.lane
	y := r.(reg.Vec).AsX()
	if part > 0 {
		h := x.asm.XMM()
		x.asm.VEXTRACTF128(operand.U8(uint8(part)), r, h)
		y = h
	}
	switch {
	case x.lane == 8 && within == 0:
		x.asm.VMOVSD(y, mem)
	case x.lane == 8:
		x.asm.VMOVHPD(y, mem)
	case within == 0:
		x.asm.VMOVSS(y, mem)
	default:
		x.asm.VEXTRACTPS(operand.U8(uint8(within)), y, mem)
	}
}

// carry puts what the next turn needs into the registers where it looks for it.
func (x *levelStep) carry(start int) {
	for _, v := range x.y.vectors {
		to := x.carried[x.chain][v]
		for b := len(to) - 1; b >= 0; b-- { // the oldest first: it may be what the one before it was
			if x.recent[v][b] != to[b] {
				x.move(x.recent[v][b], to[b])
			}
		}
	}
}

func sortedKeys(m map[int]reg.GPVirtual) []int { return slices.Sorted(maps.Keys(m)) }
