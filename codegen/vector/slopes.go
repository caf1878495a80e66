package vector

import (
	"math/bits"

	"loopc/codegen/asm"
)

// Rows of a front whose first and last columns move from row to row, each by a fixed number of columns, are computed together: those
// of bands, trapezoids and triangles. The frame has two slopes, in steps: a row begins so many steps after the row above, and ends
// so many steps after it. FrameWidth is the width of the first row, and addresses are those of its first iteration. Lanes relate to one
// another as they do in rows of equal columns, since slopes change only in which steps a lane has an iteration. Outside its row, a lane has
// what memory has: no iteration writes these cells. Loads have masks by what is in the memory of an array, not by columns.

// FrameSlope is the word with the slope of beginnings (k = 0) or of ends (1). FrameMemory is the first of two words: between which addresses
// stream k's array has memory.
func (s *Shape) FrameSlope(k int) int {
	at := s.FrameWrong() + k
	if s.Checks() {
		at += WrongWords
	}
	return at
}

func (s *Shape) FrameMemory(k int) int { return s.FrameSlope(2) + 2*k }

// slopes is what a front keeps on the stack to compute rows of different columns.
type slopes struct {
	lanes  [2]int  // vectors of all lanes: a slope, times the lane
	last   int     // a vector of all lanes: the last step of the lane's row
	words  int     // of those that follow
	before asm.Mem // steps from the first row's beginning to the earliest one, a number ≤ 0, and the kernel's steps before it
	begun  asm.Mem // the first step in which all rows of a full group have begun
	ends   asm.Mem // the first step in which a row of a full group has ended
}

// layoutSlopes reserves the memory of slopes.
func (f *front) layoutSlopes() {
	if f.s.front {
		f.slopes = &slopes{lanes: [2]int{f.Reserve(f.vectors()), f.Reserve(f.vectors())}, last: f.Reserve(f.vectors()), words: f.Reserve(3 * 8)}
	}
}

// setSlopes names the words of slopes, and writes their vectors.
func (f *front) setSlopes() {
	if f.slopes == nil {
		return
	}
	words := f.slopes.words
	f.slopes.before, f.slopes.begun, f.slopes.ends = f.Local(words), f.Local(words+8), f.Local(words+16)
	for k, area := range f.slopes.lanes {
		slope, x := f.General(), f.Vec()
		f.Copy(f.Word(f.s.FrameSlope(k)), slope)
		f.BroadcastInt(slope, f.LaneSize(), x)
		for r := range f.blocks {
			lanes := f.Each(f.LaneSize(), func(l int) int { return r*f.Lanes() + l })
			f.Move(f.Binary(asm.Mul, false, x, lanes), f.Local(area+r*f.Bytes()))
		}
	}
}

// startSlopes sets the steps of a group of g rows, and adds to last, the number of the first row's columns, the steps that rows below end later.
func (f *front) startSlopes(g, last asm.Reg) {
	zero, t, x := f.number(0), f.General(), f.General()
	width := f.Vec()
	f.Address(asm.Mem{Base: last, Disp: -1}, t)
	f.BroadcastInt(t, f.LaneSize(), width)
	for r := range f.blocks {
		end := f.Vec()
		f.AddLanes(f.Local(f.slopes.lanes[1]+r*f.Bytes()), width, end)
		f.Move(end, f.Local(f.slopes.last+r*f.Bytes()))
	}
	times := func(k, rows int) { // t = slope times the rows after the first one; 0: those of the group
		f.Copy(f.Word(f.s.FrameSlope(k)), t)
		if rows > 0 {
			f.Scaled(rows, t, t)
			return
		}
		f.Address(asm.Mem{Base: g, Disp: -1}, x)
		f.MulTo(x, t)
	}
	times(0, 0)
	f.CopyIf(t, asm.Gt, zero, zero, t)
	f.Copy(t, f.slopes.before)
	times(0, f.all()-1)
	f.CopyIf(zero, asm.Gt, t, zero, t)
	f.Copy(t, f.slopes.begun)
	times(1, f.all()-1)
	f.CopyIf(t, asm.Gt, zero, zero, t)
	f.AddTo(last, t)
	f.Copy(t, f.slopes.ends)
	times(1, 0)
	f.CopyIf(zero, asm.Gt, t, zero, t)
	f.AddTo(t, last)
}

// firstStep returns the first step of a group.
func (f *front) firstStep() asm.Operand {
	if f.slopes == nil {
		return asm.Int(-f.history)
	}
	t := f.General()
	f.Copy(f.slopes.before, t)
	f.SubFrom(asm.Int(f.history), t)
	return t
}

// indexAtStart returns the memory of the value that loop k has in the first row, history steps after the first step.
func (f *front) indexAtStart(k int) asm.Mem {
	at := f.Word(f.s.FrameIndex(k))
	if f.slopes == nil || f.s.Indices[k].ByColumn == 0 {
		return at
	}
	t, moved := f.General(), f.Local(f.tile)
	f.Copy(f.slopes.before, t)
	f.Scaled(f.s.Indices[k].ByColumn, t, t)
	f.AddTo(at, t)
	f.Copy(t, moved)
	return moved
}

// allInside returns from which step on, and up to which one, all lanes of a full group are inside their rows.
func (f *front) allInside() (begun, ends asm.Operand) {
	if f.slopes == nil {
		return asm.Int(f.s.skew * (f.all() - 1)), f.Word(FrameWidth)
	}
	begun, ends = f.General(), f.General()
	f.Copy(f.slopes.begun, begun)
	f.Copy(f.slopes.ends, ends)
	return begun, ends
}

// nextSlopes moves addresses, indices and the width on to the first row of the group behind one of g rows, by what slopes add.
func (f *front) nextSlopes(g asm.Reg) {
	if f.slopes == nil {
		return
	}
	moves, t := f.General(), f.General() // moves: columns by which the group's first row begins after that of this group
	f.Copy(f.Word(f.s.FrameSlope(1)), t)
	f.Copy(f.Word(f.s.FrameSlope(0)), moves)
	f.SubFrom(moves, t)
	f.MulTo(g, t)
	f.AddTo(t, f.Word(FrameWidth))
	if f.s.skew > 0 {
		f.SubFrom(asm.Int(f.s.skew), moves)
	}
	f.MulTo(g, moves)
	for k := range f.s.Streams {
		if x := &f.s.Streams[k]; x.Along != 0 {
			f.Scaled(x.Along*x.Elem.Size(), moves, t)
			f.AddTo(t, f.Word(f.s.FrameAt(k)))
		}
	}
	for k, i := range f.s.Indices {
		if i.ByColumn != 0 {
			f.Scaled(i.ByColumn, moves, t)
			f.AddTo(t, f.Word(f.s.FrameIndex(k)))
		}
	}
}

// insideSlopes is the condition that a lane's step is not before the first one of its row, nor behind the last one.
func (s *stepper) insideSlopes() asm.Reg {
	v, r, lane := s.General(), s.Vec(), s.block*s.Bytes()
	s.Address(asm.Mem{Base: s.step, Index: s.count, Scale: 1}, v)
	s.BroadcastInt(v, s.LaneSize(), r)
	return s.Between(r, s.Local(s.slopes.lanes[0]+lane), s.Local(s.slopes.last+lane))
}

// perRow returns, in all lanes, what nextRow adds to columns, and to where they end; by is that of columnOfEach.
func (f *front) perRow(by int) (next [2]asm.Reg) {
	if f.slopes == nil {
		return next
	}
	t := f.General()
	for k := range next {
		if f.Copy(f.Word(f.s.FrameSlope(k)), t); k == 0 {
			f.Scaled(-by, t, t)
		} else {
			f.SubFrom(f.Word(f.s.FrameSlope(0)), t)
			f.Scaled(by, t, t)
		}
		next[k] = f.Vec()
		f.BroadcastInt(t, f.LaneSize(), next[k])
	}
	return next
}

// nextRow moves columns, and where they end, on to the next row: see eachRow.
func (f *front) nextRow(next [2]asm.Reg, at asm.Reg, by int, limits []columnRange) {
	f.AddLanes(next[0], at, at)
	for k := range limits {
		end := limits[k][(1+by)/2] // the first one, if columns are negated
		f.AddLanes(next[1], end, end)
	}
}

// copyInMemory copies the cells of every row of stream k that are in memory to the tile, in the order of memory. It jumps to inside if all
// are that lanes could load.
func (f *front) copyInMemory(k int, p, by asm.Reg, inside asm.Label) {
	masked, last := f.NewLabel("masked"), f.General()
	f.Scaled(f.all()-1, by, last)
	f.AddTo(p, last)
	for _, row := range []asm.Reg{p, last} {
		f.JumpIf(row, asm.Lt, f.Word(f.s.FrameMemory(k)), masked)
	}
	for _, row := range []asm.Reg{p, last} {
		end := f.General()
		f.Address(asm.Mem{Base: row, Disp: f.Lanes() * f.s.Streams[k].Elem.Size()}, end)
		f.JumpIf(end, asm.Gt, f.Word(f.s.FrameMemory(k)+1), masked)
	}
	f.Jump(inside)
	f.Label(masked)
	n, to := f.General(), f.General()
	f.Clear(n)
	f.Address(f.Local(f.tile), to)
	loop := f.NewLabel("memoryRows")
	f.Label(loop)
	f.Move(f.loadInMemory(k, p), asm.Mem{Base: to})
	f.AddTo(by, p)
	f.AddTo(asm.Int(f.Bytes()), to)
	f.Inc(n)
	f.JumpIf(n, asm.Lt, f.group, loop)
}

// loadInMemory loads the cells from address p on that are in the memory of stream k's array.
func (f *front) loadInMemory(k int, p asm.Reg) asm.Reg {
	x := &f.s.Streams[k]
	var ends columnRange
	for e := range ends {
		zero, most, r := f.number(0), f.number(f.Lanes()*x.Elem.Size()), f.General()
		f.Copy(f.Word(f.s.FrameMemory(k)+e), r)
		f.SubFrom(p, r)
		f.CopyIf(zero, asm.Gt, r, zero, r)
		f.CopyIf(r, asm.Gt, most, most, r)
		if x.Elem.Size() > 1 {
			f.ShiftRight(bits.Len(uint(x.Elem.Size()))-1, r)
		}
		ends[e] = r
	}
	return f.loadCells(x, asm.Mem{Base: p}, f.Inside(f.number(0), ends[0], ends[1]))
}
