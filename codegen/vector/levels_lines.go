package vector

import (
	"loopc/codegen/asm"
	"loopc/runtime/kernel"
)

// Results are transposed and streamed between steps, so that steps and stores hide each other's
// latency.

// givenBack is the value whose results are all returned and have a vector of their own; -1 if there
// is not exactly one, or if the array has a narrower type than lanes.
func (s *Levels) givenBack(y *levelLayout) int {
	out := -1
	for v := range y.Values {
		val := &s.p.Values[v]
		a := &s.p.Arrays[val.Array]
		if a.Returned() && a.Slice == nil && len(val.Overwrites) == 0 && y.Values[v].At >= 0 {
			if out >= 0 || y.Values[v].Elem != "" {
				return -1
			}
			out = v
		}
	}
	return out
}

// streaming writes steps in which all lanes are active. Meanwhile, a quarter at a time, it transposes
// kernel.LinesAtOnce adjacent squares of results, during as many steps as these squares have. The row
// streams take turns, because the processor has room for few lines on their way to memory.
func (f *levelFunction) streaming() {
	squares, part := f.NewLabel("squares"), f.NewLabel("part")
	lanes := f.General() // the lanes of the current quarter, in bytes
	f.Label(squares)
	f.Clear(lanes)
	f.Label(part)
	start, steps := f.Mark(), kernel.LinesAtOnce*f.Lanes()/4
	share := 1 / float64(steps*f.o.rowStreams)
	turns, halves := steps/f.o.unroll, 2*f.o.rowStreams
	done := 0
	for t := range turns {
		f.round(f.o.unroll, roundKind{})
		for ; done < (t+1)*halves/turns; done++ {
			if c := done / 2; done%2 == 0 {
				f.loadLines(c, lanes)
			} else {
				from, to := f.storeLines(c, lanes)
				f.cost.Count(f.Machine, from, to, -share) // only one version is executed
			}
		}
	}
	f.cost.Count(f.Machine, start, f.Mark(), share)
	f.AddTo(asm.Imm(16), lanes)
	f.JumpIf(lanes, asm.Ne, asm.Imm(uint64(f.Bytes())), part)
	at := f.General()
	for c := range f.o.rowStreams {
		f.Copy(f.Word(f.y.FrameStream(c)+f.y.StreamLines()), at)
		f.AddTo(asm.Int(kernel.LinesAtOnce*f.Lanes()*f.resultBytes()), asm.Mem{Base: at, Disp: 8 * kernel.LinesVectors})
		f.AddTo(asm.Int(kernel.LinesAtOnce*f.Bytes()), asm.Mem{Base: at, Disp: 8 * kernel.LinesOffset})
	}
	f.JumpIf(f.step, asm.Lt, f.Word(kernel.FrameSteps), squares)
}

// resultBytes is the distance in bytes from the results of a step to those of the next step.
func (f *levelFunction) resultBytes() int {
	if f.y.Values[f.s.givenBack(f.y)].InBuffer {
		return f.y.Buffered * f.Bytes()
	}
	return f.y.Current * f.Bytes()
}

// linesFrame returns the addresses of row stream c's frame of simd.Lines, and of the first
// vector of its squares.
func (f *levelFunction) linesFrame(c int) (at, vectors asm.Reg) {
	at, vectors = f.General(), f.General()
	f.Copy(f.Word(f.y.FrameStream(c)+f.y.StreamLines()), at)
	f.Copy(asm.Mem{Base: at, Disp: 8 * kernel.LinesVectors}, vectors)
	return at, vectors
}

// square returns the memory of the vectors of the n-th square, from the given lanes on.
func (f *levelFunction) square(vectors, lanes asm.Reg, n int) func(i int) asm.Mem {
	return func(i int) asm.Mem {
		return asm.Mem{Base: vectors, Index: lanes, Scale: 1, Disp: (n*f.Lanes() + i) * f.resultBytes()}
	}
}

// loadLines transposes a quarter of row stream c's first square, for storeLines. The quarter has the
// lanes that begin at offset lanes, in bytes, of each vector.
func (f *levelFunction) loadLines(c int, lanes asm.Reg) {
	_, vectors := f.linesFrame(c)
	for len(f.firsts) < 16/f.LaneSize() {
		f.firsts = append(f.firsts, f.Vec())
	}
	f.Quarter(f.square(vectors, lanes, 0), f.firsts, func(int, asm.Reg) {})
}

// storeLines transposes the same quarter of row stream c's second square, and stores the lines that
// consist of both squares. It emits two versions, of which one is executed: the second, between the
// returned marks, is for squares whose rows are entire lines.
func (f *levelFunction) storeLines(c int, lanes asm.Reg) (wholeFrom, wholeTo int) {
	at, vectors := f.linesFrame(c)
	offset, row, held, skip := f.General(), f.General(), f.General(), f.General()
	f.Copy(asm.Mem{Base: at, Disp: 8 * kernel.LinesOffset}, offset)
	seconds := func(store func(k int, second asm.Reg)) { f.Quarter(f.square(vectors, lanes, 1), nil, store) }
	store := func(k int, first, second asm.Reg) {
		f.Copy(asm.Mem{Base: at, Index: lanes, Scale: 8 / f.LaneSize(), Disp: 8 * (kernel.LinesRows + k)}, row)
		to := asm.Mem{Base: row, Index: offset, Scale: 1}
		f.Stream(first, to)
		f.Stream(second, to.Offset(f.Bytes()))
	}
	whole, stored := f.NewLabel("whole"), f.NewLabel("stored")
	f.Copy(asm.Mem{Base: at, Disp: 8 * kernel.LinesHeld}, held)
	f.JumpIfZero(held, whole)
	f.Scaled(kernel.LinesHeldRow/f.LaneSize(), lanes, skip)
	f.AddTo(skip, held)
	line, next := f.Vec(), f.Vec()
	seconds(func(k int, second asm.Reg) {
		first, before := f.firsts[k], asm.Mem{Base: held, Disp: k * kernel.LinesHeldRow}
		f.JoinLines(before, first, second, line, next)
		store(k, line, next)
	})
	f.Jump(stored)
	wholeFrom = f.Mark()
	f.Label(whole)
	seconds(func(k int, second asm.Reg) { store(k, f.firsts[k], second) })
	f.Label(stored)
	return wholeFrom, f.Mark()
}
