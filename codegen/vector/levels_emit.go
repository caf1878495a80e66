package vector

import (
	"maps"
	"slices"

	"loopc/codegen/asm"
	"loopc/runtime/kernel"
)

// A levelOption is a way of writing a function of Levels.
type levelOption struct {
	rowStreams  int
	form        levelForm
	hoist       bool // constants, and values that are the same in all steps, are held in registers
	unroll      int
	interleaved int  // if rounds have one step: row streams whose instructions are interleaved
	spills      bool // values that do not fit live on the stack; only if no other way fits
	lines       bool // results are stored while their rows are computed: see kernel.Temporal.Streaming
}

// A levelFunction is the state of a function of Levels that is being written. A call of the function
// computes some steps of a row for each row stream.
type levelFunction struct {
	*function
	s *Levels
	y *levelLayout
	o levelOption

	timed *Shape // of s, with the times of reads

	step         asm.Reg         // steps done
	strides      map[int]asm.Reg // by bytes per step: the offset that the steps done have reached
	pinned       map[int]asm.Reg // pointers that stay in registers, by word of the frame
	ramps        []asm.Reg       // per index: its growth since the first step
	fixed        map[int]asm.Reg // by word of the frame: cells of Fixed sequences
	carried      []map[heldVector][]asm.Reg
	accumulators [][]asm.Reg     // per row stream and reduction
	firsts       []asm.Reg       // of loadLines: columns of the first square
	tailMasks    map[int]asm.Reg // by level: see loadTailMasks
}

// write writes the function.
func (f *levelFunction) write() {
	f.prologue()
	f.resume()
	f.loadAccumulators()
	if f.o.lines {
		f.streaming()
		f.storeAccumulators()
		f.End()
		return
	}

	done := f.NewLabel("done")
	if f.y.TailMask {
		withTail := f.NewLabel("tops")
		f.JumpIf(f.Word(kernel.FrameTail), asm.Ne, asm.Imm(0), withTail)
		f.loops(false, done)
		f.Jump(done)
		f.Label(withTail)
	}
	f.loops(f.y.TailMask, done)
	f.Label(done)
	f.storeAccumulators()
	f.End()
}

// loops writes the loops over the steps, and a jump to done after them. If tail, these are the
// loops for FrameTail.
func (f *levelFunction) loops(tail bool, done asm.Label) {
	if tail {
		f.loadTailMasks()
	}
	// The masked steps at both ends of a row share one loop, which ends at until.
	masked, full, single, loop := f.NewLabel("masked"), f.NewLabel("full"), f.NewLabel("single"), f.NewLabel("steps")
	dropping, stored := f.NewLabel("lean"), f.NewLabel("kept")
	until := f.General()
	f.Copy(f.Word(kernel.FrameFull0), until)
	f.JumpIf(f.step, asm.Ge, until, full)
	f.Label(masked)
	f.round(1, roundKind{masked: true, tail: tail})
	f.JumpIf(f.step, asm.Lt, until, masked)
	f.JumpIf(f.step, asm.Ge, f.Word(kernel.FrameSteps), done)
	f.Label(full)
	if f.s.deadStores(f.y) && !tail {
		// The last steps store their cells, because resume of the next call reads them.
		f.Copy(f.Word(kernel.FrameNeeded), until)
		f.SubFrom(asm.Imm(uint64(f.y.depth+f.o.unroll)), until)
		f.JumpIf(f.step, asm.Gt, until, stored)
		f.Label(dropping)
		f.round(f.o.unroll, roundKind{dropStores: true})
		f.JumpIf(f.step, asm.Le, until, dropping)
		f.Label(stored)
	}
	if f.o.unroll > 1 && !tail {
		f.Copy(f.Word(kernel.FrameFull1), until)
		f.SubFrom(asm.Imm(uint64(f.o.unroll)), until)
		f.JumpIf(f.step, asm.Gt, until, single)
		f.Label(loop)
		f.round(f.o.unroll, roundKind{})
		f.JumpIf(f.step, asm.Le, until, loop)
	}
	f.Label(single)
	rest := f.NewLabel("rest")
	f.JumpIf(f.step, asm.Ge, f.Word(kernel.FrameFull1), rest)
	f.round(1, roundKind{tail: tail})
	f.Jump(single)
	f.Label(rest)
	f.Copy(f.Word(kernel.FrameSteps), until)
	f.JumpIf(f.step, asm.Lt, until, masked)
}

// loadTailMasks loads the masks of the lanes that go to planes, by level, with FrameTail.
func (f *levelFunction) loadTailMasks() {
	f.tailMasks = map[int]asm.Reg{}
	for _, p := range f.y.CarryOut {
		if f.tailMasks[p.Level] == 0 {
			f.tailMasks[p.Level] = f.LaneMask(f.Word(kernel.FrameTail), p.Level-1)
		}
	}
}

// prologue writes the instructions before the steps, which are executed once.
func (f *levelFunction) prologue() {
	s := f.s
	f.enter(f.y.FrameParam)
	f.step = f.General()
	f.Clear(f.step)
	for _, bytes := range f.cells() {
		f.stride(bytes)
	}
	for range s.Indices {
		r := f.Index()
		f.Zero(r, false)
		f.ramps = append(f.ramps, r)
	}
	if f.o.hoist {
		f.hoist()
	}
	f.keepPointers()
}

// cells returns the numbers of bytes by which addresses advance in a step, except that of a lane.
func (f *levelFunction) cells() []int {
	var all []int
	for _, vectors := range []int{f.y.Buffered, f.y.Current} {
		if vectors > 0 {
			all = append(all, vectors*f.Bytes())
		}
	}
	if slices.ContainsFunc(f.s.given, func(g kernel.LaneGiven) bool { return g.Kind == kernel.Interleaved }) {
		all = append(all, f.Bytes())
	}
	return all
}

// stride returns a register and a scale. Their product is the number of bytes by which the steps done
// have moved an address that moves by the given bytes per step.
func (f *levelFunction) stride(bytes int) (asm.Reg, int) {
	if bytes <= 8 { // a scale that addresses can have
		return f.step, bytes
	}
	for _, scale := range []int{1, 2, 4, 8} {
		if r := f.strides[bytes/scale]; r != 0 && bytes%scale == 0 {
			return r, scale
		}
	}
	r := f.General()
	f.Clear(r)
	f.strides[bytes] = r
	return r, 1
}

// keepPointers loads pointers of the row streams into the registers that are left, the most
// used first.
func (f *levelFunction) keepPointers() {
	free := 14 - 3 - len(f.strides) // frame, step and end; other registers are shared
	if f.Base() != 0 {
		free--
	}
	if f.o.lines {
		free -= 4
	}
	words := f.pointers()
	if len(words)*f.o.rowStreams > free {
		free -= 3
	}
	for _, w := range words {
		for c := range f.o.rowStreams {
			if free > 0 {
				r := f.General()
				f.Copy(f.Word(f.y.FrameStream(c)+w), r)
				f.pinned[f.y.FrameStream(c)+w] = r
				free--
			}
		}
	}
}

// pointers are the words of a row stream's frame that each step reads. The pointer to the current row
// comes last if most steps do not access that row.
func (f *levelFunction) pointers() []int {
	var all []int
	if f.y.Buffered > 0 {
		for k := range f.s.rows {
			all = append(all, f.y.StreamRow(k))
		}
	}
	dead := f.s.deadStores(f.y)
	if f.y.Current > 0 && !dead {
		all = append(all, kernel.StreamCurrent)
	}
	for k := range f.y.CarryIn {
		all = append(all, f.y.StreamCarryIn(k))
	}
	for k := range f.y.CarryOut {
		all = append(all, f.y.StreamCarryOut(k))
	}
	for k, g := range f.s.given {
		if g.Kind != kernel.Fixed || !f.o.hoist {
			all = append(all, f.y.StreamGiven(k))
		}
	}
	if f.y.Current > 0 && dead {
		all = append(all, kernel.StreamCurrent)
	}
	return all
}

// hoist loads the values that are the same in all steps.
func (f *levelFunction) hoist() {
	for k := range f.params {
		f.params[k] = f.In(f.s.paramSize(k), false).Load(f.params[k])
	}
	for c := range f.o.rowStreams {
		for k, g := range f.s.given {
			if g.Kind != kernel.Fixed {
				continue
			}
			w := f.y.FrameStream(c) + f.y.StreamGiven(k)
			p := f.General()
			f.Copy(f.Word(w), p)
			f.fixed[w] = f.loadGiven(k, asm.Mem{Base: p})
		}
	}
	for _, c := range f.s.constants() {
		f.HoldConstant(f.Splat(c))
	}
	for _, by := range f.s.plus {
		if by != 0 {
			f.HoldConstant(f.Splat(uint64(uint32(by))))
		}
	}
	if !f.MovesLanes() && f.LaneSize() == 4 && len(f.y.CarryIn) > 0 {
		f.HoldConstant(f.Rotation(f.Lanes() - 1))
	}
}

// resume loads the vectors of earlier steps, from calls before this one, that the next steps read.
func (f *levelFunction) resume() {
	vectors, backs := f.y.vectors, f.y.backs
	for c := range f.o.rowStreams {
		x := &levelStep{levelFunction: f, rowStream: c, pointers: map[int]asm.Reg{}}
		f.carried = append(f.carried, map[heldVector][]asm.Reg{})
		for _, v := range vectors {
			f.carried[c][v] = nil
			for b := range backs[v] {
				r := f.Vec()
				if v.replaced {
					f.Move(x.cell(f.y.at[v.levelVector], f.y.InPlace, b+1), r)
				} else {
					f.Move(x.past(v.levelVector, b+1), r)
				}
				f.carried[c][v] = append(f.carried[c][v], r)
			}
		}
	}
}

// A roundKind says which lanes the steps of a round compute, what they store, and which lanes write
// the planes.
type roundKind struct {
	masked     bool // bounds tell which lanes are active; otherwise all are
	dropStores bool // nobody reads the current row: see kernel.FrameNeeded
	tail       bool // planes get their cells from lower lanes: see kernel.FrameTail
}

// steps writes some steps of a row stream.
func (f *levelFunction) steps(rowStream, steps int, kind roundKind) {
	x := &levelStep{levelFunction: f, rowStream: rowStream, pointers: map[int]asm.Reg{}, kind: kind, recent: map[heldVector][]asm.Reg{}}
	for v, rs := range f.carried[rowStream] {
		x.recent[v] = nil
		x.recent[v] = append(x.recent[v], rs...)
	}
	for x.earlier = range steps {
		x.write()
	}
	x.carry()
}

// round writes a round of the loop: some steps of each row stream.
func (f *levelFunction) round(steps int, kind roundKind) {
	from := f.Mark()
	var parts []int // where each interleaved step begins
	for c := range f.o.rowStreams {
		parts = append(parts, f.Mark())
		f.steps(c, steps, kind)
		if kind.masked || len(parts) == max(1, f.o.interleaved) || c == f.o.rowStreams-1 {
			if len(parts) > 1 {
				f.Interleave(parts)
			}
			parts = nil
		}
	}
	f.AddTo(asm.Imm(uint64(steps)), f.step)
	for _, bytes := range slices.Sorted(maps.Keys(f.strides)) {
		f.AddTo(asm.Int(steps*bytes), f.strides[bytes])
	}
	for k, i := range f.s.Indices {
		if i.ByColumn != 0 {
			f.AddIndex(f.Each(4, func(int) int { return steps * i.ByColumn }), f.ramps[k])
		}
	}
	if counted := f.s.deadStores(f.y) == kind.dropStores; steps == f.o.unroll && !kind.masked && !kind.tail && counted && !f.o.lines {
		f.cost.Count(f.Machine, from, f.Mark(), 1/float64(steps*f.o.rowStreams))
	}
}
