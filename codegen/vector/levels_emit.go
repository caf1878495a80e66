package vector

import (
	"fmt"
	"slices"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"loopc/runtime/kernel"
)

// A levelOption is a way of writing a function of Levels.
type levelOption struct {
	chains int
	form   levelForm
	hoist  bool // constants and what is the same in all steps are held in registers
	unroll int
	woven  int  // so many chains are, if turns have one step
	lines  bool // rows of results are stored meanwhile: see kernel.Temporal.Lined
}

// A levelFunction is the state of a function of Levels that is being written: for
// each chain some steps of a row.
type levelFunction struct {
	*machine
	s      *Levels
	y      *levelLayout
	o      levelOption
	frame  reg.GPVirtual
	base   reg.GPVirtual // of the stack
	params []operand.Op  // per use, splat

	step         reg.GPVirtual         // steps done
	strides      map[int]reg.GPVirtual // step times so many bytes
	kept         map[int]reg.GPVirtual // pointers that stay in registers, by word of the frame
	ramps        []reg.VecVirtual      // per index: by what it has moved on
	fixed        map[int]reg.Register  // by word of the frame: Fixed cells
	carried      []map[heldVector][]reg.VecVirtual
	accumulators [][]reg.VecVirtual // per chain and reduction
	firsts       []reg.VecVirtual   // of loadLines: columns of the first square
	tops         map[int]condition  // by level: see topMasks
	cost         Cost
}

// indexVec returns a new register for int32 lanes, as many as a vector has.
func (f *levelFunction) indexVec() reg.VecVirtual {
	if f.lane == 8 {
		return f.half()
	}
	return f.vec()
}

// write writes the function.
func (f *levelFunction) write() {
	s := f.s
	f.asm.Function(f.name)
	f.asm.SignatureExpr("func(frame *int)")
	f.asm.Doc(fmt.Sprintf("%s computes steps of a row, %d levels together, skewed by %d.", f.name, f.o.chains*f.lanes(), s.skew))
	f.frame = f.asm.GP64()
	f.asm.Load(f.asm.Param("frame"), f.frame)
	f.prologue()
	f.resume()
	f.resumeReduced()
	if f.o.lines {
		f.lined()
		f.endReduced()
		f.end()
		return
	}

	done := f.label("done")
	if f.y.Tops {
		tops := f.label("tops")
		f.asm.CMPQ(f.word(kernel.FrameTop), operand.Imm(0))
		f.asm.JNE(operand.LabelRef(tops))
		f.loops(false, done)
		f.asm.JMP(operand.LabelRef(done))
		f.asm.Label(tops)
	}
	f.loops(f.y.Tops, done)
	f.asm.Label(done)
	f.endReduced()
	f.end()
}

// loops writes the loops over the steps, which go to done when these are; with top, those
// for FrameTop.
func (f *levelFunction) loops(top bool, done string) {
	if top {
		f.topMasks()
	}
	// Steps with masks, at the beginning of a row and at its end, are one loop:
	// until is where it ends.
	masked, full, single, loop := f.label("masked"), f.label("full"), f.label("single"), f.label("steps")
	lean, kept := f.label("lean"), f.label("kept")
	until := f.asm.GP64()
	f.asm.MOVQ(f.word(kernel.FrameFull0), until)
	f.asm.CMPQ(f.step, until)
	f.asm.JGE(operand.LabelRef(full))
	f.asm.Label(masked)
	f.turn(1, turnKind{masked: true, top: top})
	f.asm.CMPQ(f.step, until)
	f.asm.JLT(operand.LabelRef(masked))
	f.asm.CMPQ(f.step, f.word(kernel.FrameSteps))
	f.asm.JGE(operand.LabelRef(done))
	f.asm.Label(full)
	if f.s.lean(f.y) && !top {
		// The last ones are stored: what resumes reads as far back.
		f.asm.MOVQ(f.word(kernel.FrameKept), until)
		f.asm.SUBQ(operand.Imm(uint64(f.y.depth+f.o.unroll)), until)
		f.asm.CMPQ(f.step, until)
		f.asm.JGT(operand.LabelRef(kept))
		f.asm.Label(lean)
		f.turn(f.o.unroll, turnKind{lean: true})
		f.asm.CMPQ(f.step, until)
		f.asm.JLE(operand.LabelRef(lean))
		f.asm.Label(kept)
	}
	if f.o.unroll > 1 && !top {
		f.asm.MOVQ(f.word(kernel.FrameFull1), until)
		f.asm.SUBQ(operand.Imm(uint64(f.o.unroll)), until)
		f.asm.CMPQ(f.step, until)
		f.asm.JGT(operand.LabelRef(single))
		f.asm.Label(loop)
		f.turn(f.o.unroll, turnKind{})
		f.asm.CMPQ(f.step, until)
		f.asm.JLE(operand.LabelRef(loop))
	}
	f.asm.Label(single)
	rest := f.label("rest")
	f.asm.CMPQ(f.step, f.word(kernel.FrameFull1))
	f.asm.JGE(operand.LabelRef(rest))
	f.turn(1, turnKind{top: top})
	f.asm.JMP(operand.LabelRef(single))
	f.asm.Label(rest)
	f.asm.MOVQ(f.word(kernel.FrameSteps), until)
	f.asm.CMPQ(f.step, until)
	f.asm.JLT(operand.LabelRef(masked))
}

// topMasks loads the masks of the lanes that go to planes, by level, with FrameTop.
func (f *levelFunction) topMasks() {
	f.tops = map[int]condition{}
	for _, p := range f.y.Outs {
		if f.tops[p.Level] != nil {
			continue
		}
		k := f.asm.K()
		f.asm.KMOVW(f.word(kernel.FrameTop), k)
		if p.Level > 1 {
			f.asm.KSHIFTLW(operand.U8(uint8(p.Level-1)), k, k)
		}
		f.tops[p.Level] = k
	}
}

// word is a word of the frame.
func (f *levelFunction) word(k int) operand.Mem { return operand.Mem{Base: f.frame, Disp: 8 * k} }

// prologue prepares what is the same in all steps.
func (f *levelFunction) prologue() {
	s := f.s
	if len(s.Params) > 0 {
		size := f.isa.Bytes()
		room := f.asm.AllocLocal((len(s.Params) + 1) * size)
		f.base = f.asm.GP64()
		f.asm.LEAQ(room, f.base)
		f.asm.ADDQ(operand.Imm(uint64(size-1)), f.base)
		f.asm.ANDQ(operand.I32(int32(-size)), f.base)
		for k := range s.Params {
			at := operand.Mem{Base: f.base, Disp: k * size}
			f.move(f.broadcast(f.word(f.y.FrameParam(k))), at)
			f.params = append(f.params, at)
		}
	}
	f.step = f.asm.GP64()
	f.asm.XORQ(f.step, f.step)
	for _, bytes := range f.cells() {
		f.stride(bytes)
	}
	for range s.Indices {
		r := f.indexVec()
		if f.wide() {
			f.asm.VPXORD(r, r, r)
		} else {
			f.asm.VPXOR(r, r, r)
		}
		f.ramps = append(f.ramps, r)
	}
	if f.o.hoist {
		f.hoist()
	}
	f.keepPointers()
}

// cells are the bytes by which addresses advance in a step, that of a lane apart.
func (f *levelFunction) cells() []int {
	var all []int
	for _, vectors := range []int{f.y.Ring, f.y.Now} {
		if vectors > 0 {
			all = append(all, vectors*f.isa.Bytes())
		}
	}
	if slices.ContainsFunc(f.s.given, func(g kernel.LaneGiven) bool { return g.Kind == kernel.Laced }) {
		all = append(all, f.isa.Bytes())
	}
	return all
}

// stride returns a register and a scale whose product are the bytes by which the
// steps done have moved what moves by so many in a step.
func (f *levelFunction) stride(bytes int) (reg.GPVirtual, uint8) {
	if bytes <= 8 {
		return f.step, uint8(bytes)
	}
	for _, scale := range []int{1, 2, 4, 8} {
		if r := f.strides[bytes/scale]; r != nil && bytes%scale == 0 {
			return r, uint8(scale)
		}
	}
	r := f.asm.GP64()
	f.asm.XORQ(r, r)
	f.strides[bytes] = r
	return r, 1
}

// keepPointers loads pointers of the chains into the registers that are left, those
// that are used most first.
func (f *levelFunction) keepPointers() {
	free := 14 - 3 - len(f.strides) // frame, step and end; those for others are used in turn
	if f.base != nil {
		free--
	}
	if f.o.lines {
		free -= 4
	}
	words := f.pointers()
	if len(words)*f.o.chains > free {
		free -= 3
	}
	for _, w := range words {
		for c := range f.o.chains {
			if free > 0 {
				r := f.asm.GP64()
				f.asm.MOVQ(f.word(f.y.FrameChain(c)+w), r)
				f.kept[f.y.FrameChain(c)+w] = r
				free--
			}
		}
	}
}

// pointers are the words of a chain that are read in each step; the row that is not kept
// comes last if most steps leave it alone.
func (f *levelFunction) pointers() []int {
	var all []int
	if f.y.Ring > 0 {
		for k := range f.s.rows {
			all = append(all, f.y.ChainRow(k))
		}
	}
	lean := f.s.lean(f.y)
	if f.y.Now > 0 && !lean {
		all = append(all, kernel.ChainNow)
	}
	for k := range f.y.Inserts {
		all = append(all, f.y.ChainInsert(k))
	}
	for k := range f.y.Outs {
		all = append(all, f.y.ChainOut(k))
	}
	for k, g := range f.s.given {
		if g.Kind != kernel.Fixed || !f.o.hoist {
			all = append(all, f.y.ChainGiven(k))
		}
	}
	if f.y.Now > 0 && lean {
		all = append(all, kernel.ChainNow)
	}
	return all
}

// hoist loads what is the same in all steps.
func (f *levelFunction) hoist() {
	for k := range f.params {
		f.params[k] = f.load(f.params[k])
	}
	for c := range f.o.chains {
		for k, g := range f.s.given {
			if g.Kind != kernel.Fixed {
				continue
			}
			w := f.y.FrameChain(c) + f.y.ChainGiven(k)
			p := f.asm.GP64()
			f.asm.MOVQ(f.word(w), p)
			f.fixed[w] = f.loadGiven(k, operand.Mem{Base: p})
		}
	}
	f.machine.held = map[operand.Mem]reg.Register{}
	for _, c := range f.s.constants() {
		f.hold(f.splat(c))
	}
	for _, by := range f.s.plus {
		if by != 0 {
			f.hold(f.splat(uint64(uint32(by))))
		}
	}
	if !f.wide() && f.lane == 4 && len(f.y.Inserts) > 0 {
		f.hold(f.turned())
	}
}

// hold keeps a constant in a register.
func (f *levelFunction) hold(at operand.Mem) {
	if f.machine.held[at] == nil {
		f.machine.held[at] = f.load(at)
	}
}

// turned is the order of lanes moved up by one.
func (f *levelFunction) turned() operand.Mem {
	lanes := make([]uint64, 8)
	for l := range lanes {
		lanes[l] = uint64(l+1) % 8
	}
	return f.constant(lanes, 4)
}

// resume loads what the steps before the call have left for those that follow.
func (f *levelFunction) resume() {
	vectors, backs := f.y.vectors, f.y.backs
	for c := range f.o.chains {
		x := &levelStep{levelFunction: f, chain: c, pointers: map[int]reg.GPVirtual{}}
		f.carried = append(f.carried, map[heldVector][]reg.VecVirtual{})
		for _, v := range vectors {
			f.carried[c][v] = nil
			for b := range backs[v] {
				r := f.vec()
				if v.replaced {
					f.move(x.cell(f.y.at[v.levelVector], f.y.InPlace, b+1), r)
				} else {
					f.move(x.past(v.levelVector, b+1), r)
				}
				f.carried[c][v] = append(f.carried[c][v], r)
			}
		}
	}
}

// A turnKind is what the steps of a turn have to do.
type turnKind struct {
	masked bool // bounds say which lanes take part; else all do
	lean   bool // nobody reads the row that is not kept: see kernel.FrameKept
	top    bool // planes get lanes below the highest: see kernel.FrameTop
}

// steps writes some steps of a chain.
func (f *levelFunction) steps(chain, steps int, kind turnKind) {
	x := &levelStep{levelFunction: f, chain: chain, pointers: map[int]reg.GPVirtual{}, kind: kind, recent: map[heldVector][]reg.Register{}}
	for v, rs := range f.carried[chain] {
		x.recent[v] = nil
		for _, r := range rs {
			x.recent[v] = append(x.recent[v], r)
		}
	}
	start := f.mark()
	for x.ahead = range steps {
		x.write()
	}
	x.carry(start)
}

// turn writes a turn of the loop: some steps of each chain.
func (f *levelFunction) turn(steps int, kind turnKind) {
	from := f.mark()
	var woven []int // where steps that are woven begin
	for c := range f.o.chains {
		woven = append(woven, f.node())
		f.steps(c, steps, kind)
		if kind.masked || len(woven) == max(1, f.o.woven) || c == f.o.chains-1 {
			if len(woven) > 1 {
				f.weave(woven)
			}
			woven = nil
		}
	}
	f.asm.ADDQ(operand.Imm(uint64(steps)), f.step)
	for _, bytes := range sortedKeys(f.strides) {
		f.asm.ADDQ(operand.I32(int32(steps*bytes)), f.strides[bytes])
	}
	for k, i := range f.s.Indices {
		if i.ByColumn != 0 {
			lanes := make([]uint64, f.lanes())
			for l := range lanes {
				lanes[l] = uint64(uint32(int32(steps * i.ByColumn)))
			}
			f.asm.VPADDD(f.constant(lanes, 4), f.ramps[k], f.ramps[k])
		}
	}
	if counted := f.s.lean(f.y) == kind.lean; steps == f.o.unroll && !kind.masked && !kind.top && counted && !f.o.lines {
		f.cost.count(f.machine, from, f.mark(), 1/float64(steps*f.o.chains))
	}
}
