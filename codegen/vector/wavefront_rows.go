package vector

import (
	"fmt"

	"loopc/codegen/asm"
)

// in brings the next columns of each stream that the kernel reads from memory into the stream's buffer,
// transposed, and copies the rows above the group.
func (f *front) in() {
	for k := range f.s.Streams {
		x := &f.s.Streams[k]
		if f.buffers[k] < 0 || x.Memory == Result || x.self >= 0 && x.history == 0 {
			continue
		}
		f.Comment("Columns of %s.", f.s.streamName(x))
		skip, inside := f.NewLabel("skip"), f.NewLabel("whole")
		p, by := f.sheared(k)
		if x.shift > 0 {
			f.above(k, p, by)
		}
		if x.self >= 0 {
			f.JumpIf(f.edge, asm.Eq, asm.Imm(0), skip) // memory adds nothing: the buffer has these results, or gets them from the steps
			if x.beyond == 0 && f.slopes == nil {      // only cells before the first column come from memory
				f.JumpIf(f.step, asm.Ge, asm.Int(f.s.skew*(f.all()-1)), skip)
			}
		}
		if f.slopes == nil {
			f.JumpIf(f.edge, asm.Eq, asm.Imm(0), inside)
		}
		if f.slopes != nil {
			f.copyInMemory(k, p, by, inside)
		} else if x.self >= 0 {
			f.copyIn(x, p, by, f.around(x))
		} else {
			f.copyIn(x, p, by, []columnRange{{f.number(x.first), f.end(x.beyond)}})
		}
		if x.narrow(f.s) {
			copied := f.NewLabel("widened")
			f.Jump(copied)
			f.Label(inside)
			from := f.Mark()
			f.copyNarrow(x, p, by, true)
			if x.self < 0 {
				f.counted(from, 1)
			}
			f.Label(copied)
			inside = f.NewLabel("columns")
		}
		f.Address(f.Local(f.tile), p)
		f.Copy(asm.Int(f.Bytes()), by)
		f.Label(inside)
		from := f.Mark()
		f.transposeIn(k, p, by)
		if x.self < 0 {
			f.counted(from, f.blocks)
		}
		f.Label(skip)
	}
}

// streamName describes a stream, for a comment.
func (s *Shape) streamName(x *Stream) string {
	switch x.Memory {
	case Live:
		return fmt.Sprintf("%s, %v before", s.n.Arrays[s.p.Values[x.Value].Array].Name, x.Dist)
	case Given:
		return s.n.Arrays[x.Array].Name + " as given"
	}
	return s.n.Arrays[x.Array].Name + " given back"
}

// above copies a vector of each row above the first row of the group.
func (f *front) above(k int, p, by asm.Reg) {
	x := &f.s.Streams[k]
	at := f.General()
	f.Copy(p, at)
	for j, ghost := range f.ghosts[k] {
		f.SubFrom(by, at)
		to := asm.Mem{Base: f.Base(), Disp: ghost + x.history*f.LaneSize()}
		if f.slopes != nil { // the row may have other columns than those below
			f.Move(f.inOrder(x, f.loadInMemory(k, at)), to)
			continue
		}
		inside, done := f.NewLabel("above"), f.NewLabel("copied")
		f.JumpIf(f.edge, asm.Eq, asm.Imm(0), inside)
		q := f.General()
		f.Address(asm.Mem{Base: f.step, Disp: f.s.skew * (j + 1)}, q)
		f.Move(f.inOrder(x, f.loadCells(x, asm.Mem{Base: at}, f.columns(x, q, f.number(x.first), f.end(x.beyond)))), to)
		f.Jump(done)
		f.Label(inside)
		f.Move(f.inOrder(x, f.loadCells(x, asm.Mem{Base: at}, 0)), to)
		f.Label(done)
	}
}

// inOrder puts a vector in memory into the order of iterations.
func (f *front) inOrder(x *Stream, v asm.Reg) asm.Reg {
	if x.Along < 0 {
		return f.Reverse(v)
	}
	return v
}

// A columnRange is the columns of a row from the first register up to the second.
type columnRange [2]asm.Reg

// number returns a register with the number x.
func (f *front) number(x int) asm.Reg {
	r := f.General()
	f.Copy(asm.Int(x), r)
	return r
}

// end returns a register with the number of columns of a row, plus more.
func (f *front) end(more int) asm.Reg {
	r := f.General()
	f.Copy(f.Word(FrameWidth), r)
	if more != 0 {
		f.AddTo(asm.Int(more), r)
	}
	return r
}

// around returns the columns before and after a row's iterations. Reads of results of the group find
// these cells in memory, because no iteration computes them.
func (f *front) around(x *Stream) []columnRange {
	all := []columnRange{{f.number(x.first), f.number(0)}}
	if x.beyond > 0 {
		all = append(all, columnRange{f.end(0), f.end(x.beyond)})
	}
	return all
}

// copyIn copies columns of every row of a stream to the tile. The cells stay in the order of memory.
func (f *front) copyIn(x *Stream, p, by asm.Reg, of []columnRange) {
	f.eachRow(x, of, func(c asm.Reg, tile asm.Mem) {
		f.Move(f.loadCells(x, asm.Mem{Base: p}, c), tile)
		f.AddTo(by, p)
	})
}

// eachRow writes a loop over the rows of the group. It passes to row a condition c, and the row of f.tile.
// c is true for the lanes of the row's vector whose columns are in one of the ranges. If the group has fewer
// rows than lanes, the other rows of f.tile stay as they are: to touch memory beyond the array is slow, even
// with all lanes masked off.
func (f *front) eachRow(x *Stream, of []columnRange, row func(c asm.Reg, tile asm.Mem)) {
	n, to := f.General(), f.General()
	f.Clear(n)
	f.Address(f.Local(f.tile), to)
	at, by := f.columnOfEach(x, f.step)
	limits, next := make([]columnRange, len(of)), f.perRow(by)
	for k, r := range of {
		limits[k] = f.limits(x, r)
	}
	loop := f.NewLabel("rows")
	f.Label(loop)
	var c asm.Reg
	for k, r := range limits {
		if in := f.Within(at, r[0], r[1]); k == 0 {
			c = in
		} else {
			c = f.Logic(asm.Or, c, in)
		}
	}
	row(c, asm.Mem{Base: to})
	f.AddTo(asm.Int(f.Bytes()), to)
	if f.slopes != nil {
		f.nextRow(next, at, by, limits)
	} else if f.s.skew > 0 {
		f.AddLanes(f.Each(f.LaneSize(), func(int) int { return -by * f.s.skew }), at, at)
	}
	f.Inc(n)
	f.JumpIf(n, asm.Lt, f.group, loop)
}

// columns returns a condition per cell of a vector in memory: its column is lo or more, and less
// than end. The vector has the columns from q on, in descending order if the stream runs backward.
func (f *front) columns(x *Stream, q, lo, end asm.Reg) asm.Reg {
	at, _ := f.columnOfEach(x, q)
	limits := f.limits(x, columnRange{lo, end})
	return f.Within(at, limits[0], limits[1])
}

// columnOfEach returns the column of each cell of a vector whose columns are those from q on: as it is, and by is 1; or
// negated if the stream runs backward, and by is -1. Then the first cell has column q + V - 1.
func (f *front) columnOfEach(x *Stream, q asm.Reg) (at asm.Reg, by int) {
	if x.Along >= 0 {
		return f.CountFrom(q), 1
	}
	first := f.General()
	f.Copy(asm.Int(1-f.Lanes()), first)
	f.SubFrom(q, first)
	return f.CountFrom(first), -1
}

// limits returns, in all lanes, the range of what columnOfEach returns for the columns of r.
func (f *front) limits(x *Stream, r columnRange) columnRange {
	if x.Along < 0 {
		var negated columnRange
		for k := range r {
			negated[1-k] = f.number(1)
			f.SubFrom(r[k], negated[1-k])
		}
		r = negated
	}
	for k := range r {
		lanes := f.Vec()
		f.BroadcastInt(r[k], f.LaneSize(), lanes)
		r[k] = lanes
	}
	return r
}

// transposeIn transposes rows into the buffer of stream k. The first row is at address p, the next ones
// at distances of by (a number of bytes).
func (f *front) transposeIn(k int, p, by asm.Reg) {
	by3 := f.General()
	f.Address(asm.Mem{Base: by, Index: by, Scale: 2}, by3)
	f.eachBlock(func(stack asm.Reg) {
		fours := []asm.Reg{p}
		for range f.Lanes()/4 - 1 {
			next := f.General()
			f.Address(asm.Mem{Base: fours[len(fours)-1], Index: by, Scale: 4}, next)
			fours = append(fours, next)
		}
		f.Transpose(func(i, offset int) asm.Mem { return asm.Strided(fours[i/4], by, by3, i%4, offset) },
			func(i int, v asm.Reg) {
				f.Move(v, asm.Mem{Base: stack, Disp: f.buffers[k] + (f.s.Streams[k].history+f.stepOf(k, i))*f.vectors()})
			})
		if f.blocks > 1 {
			f.Address(asm.Mem{Base: fours[len(fours)-1], Index: by, Scale: 4}, p)
		}
	})
}

// eachBlock writes a loop over the blocks of lanes; stack is the base of the stack, moved by
// a vector per block.
func (f *front) eachBlock(block func(stack asm.Reg)) {
	if f.blocks == 1 {
		block(f.Base())
		return
	}
	stack, n := f.General(), f.General()
	f.Copy(f.Base(), stack)
	f.Copy(asm.Int(f.blocks), n)
	again := f.NewLabel("block")
	f.Label(again)
	block(stack)
	f.AddTo(asm.Int(f.Bytes()), stack)
	f.CountDown(n, again)
}

// out transposes results back to rows.
func (f *front) out() {
	s := f.s
	for v := range s.store {
		k := s.bufferOf(v)
		if k < 0 {
			continue
		}
		f.Comment("Rows of %s.", s.n.Arrays[s.p.Values[v].Array].Name)
		inside, done := f.NewLabel("rowsOut"), f.NewLabel("stored")
		f.JumpIf(f.edge, asm.Eq, asm.Imm(0), inside)
		p, by := f.General(), f.General()
		f.Address(f.Local(f.tile), p)
		f.Copy(asm.Int(f.Bytes()), by)
		f.transposeOut(k, p, by)
		p, by = f.sheared(k)
		x := &s.Streams[k]
		f.eachRow(x, []columnRange{{f.number(0), f.end(0)}}, func(c asm.Reg, tile asm.Mem) {
			f.storeCells(x, f.Load(tile), c, asm.Mem{Base: p})
			f.AddTo(by, p)
		})
		f.Jump(done)
		f.Label(inside)
		if x.narrow(s) {
			from := f.Mark()
			p, by = f.General(), f.General()
			f.Address(f.Local(f.tile), p)
			f.Copy(asm.Int(f.Bytes()), by)
			f.transposeOut(k, p, by)
			p, by = f.sheared(k)
			f.copyNarrow(x, p, by, false)
			f.counted(from, f.blocks)
			f.Label(done)
			continue
		}
		p, by = f.sheared(k)
		from := f.Mark()
		f.transposeOut(k, p, by)
		f.counted(from, f.blocks)
		f.Label(done)
	}
}

// transposeOut transposes the buffer of stream k to rows: the first at address p, the next ones at
// distances of by (a number of bytes).
func (f *front) transposeOut(k int, p, by asm.Reg) {
	by3 := f.General()
	f.Address(asm.Mem{Base: by, Index: by, Scale: 2}, by3)
	f.eachBlock(func(stack asm.Reg) {
		f.Transpose(func(i, offset int) asm.Mem {
			return asm.Mem{Base: stack, Disp: f.buffers[k] + (f.s.Streams[k].history+f.stepOf(k, i))*f.vectors() + offset}
		}, func(i int, v asm.Reg) {
			f.Move(v, asm.Strided(p, by, by3, i%4, 0))
			if i%4 == 3 {
				f.Address(asm.Mem{Base: p, Index: by, Scale: 4}, p)
			}
		})
	})
}

// back copies the group's rows of stream from, which lie in the tile's memory, to stream to, which lies in the
// returned array. It is a pass of its own, so that it writes each row from end to end: entire cache lines
// can be streamed.
func (f *front) back(from, to int) {
	f.Comment("Rows of %s.", f.s.streamName(&f.s.Streams[to]))
	src, dst, n := f.General(), f.General(), f.General()
	f.Copy(f.Word(f.s.FrameAt(from)), src)
	f.Copy(f.Word(f.s.FrameAt(to)), dst)
	f.Copy(f.group, n)
	row := f.NewLabel("backRow")
	f.Label(row)
	x, y, left, t := f.General(), f.General(), f.General(), f.General()
	f.Copy(src, x)
	f.Copy(dst, y)
	f.Copy(f.Word(FrameWidth), left)
	head, whole, stream, tail, next := f.NewLabel("backHead"), f.NewLabel("backVector"), f.NewLabel("backStream"), f.NewLabel("backTail"), f.NewLabel("backNext")
	backward := f.s.Streams[to].Along < 0
	advance := func(cells int) {
		f.AddTo(asm.Int(cells*f.LaneSize()), x)
		if backward {
			f.SubFrom(asm.Int(cells*f.LaneSize()), y)
		} else {
			f.AddTo(asm.Int(cells*f.LaneSize()), y)
		}
	}
	cell := func() {
		f.CopyCell(asm.Mem{Base: x}, asm.Mem{Base: y}, t, f.LaneSize())
		advance(1)
		f.Dec(left)
		f.JumpAfter(asm.Eq1, next)
	}
	f.Label(head)
	if backward {
		f.Address(asm.Mem{Base: y, Disp: f.LaneSize()}, t)
		f.JumpIfClear(f.Bytes()-1, t, whole)
	} else {
		f.JumpIfClear(f.Bytes()-1, y, whole)
	}
	cell()
	f.Jump(head)
	vector := func(again asm.Label, store func(a, b asm.Operand)) {
		f.Label(again)
		f.JumpIf(left, asm.Lt, asm.Int(f.Lanes()), tail)
		if backward {
			store(f.Reverse(asm.Mem{Base: x}), asm.Mem{Base: y, Disp: f.LaneSize() - f.Bytes()})
		} else {
			store(f.Load(asm.Mem{Base: x}), asm.Mem{Base: y})
		}
		advance(f.Lanes())
		f.SubFrom(asm.Int(f.Lanes()), left)
		f.Jump(again)
	}
	f.Label(whole)
	f.JumpIf(f.Word(FrameStream), asm.Ne, asm.Imm(0), stream)
	vector(f.NewLabel("backCached"), f.Move)
	vector(stream, f.Stream)
	f.Label(tail)
	f.JumpIf(left, asm.Eq1, asm.Imm(0), next)
	last := f.NewLabel("backLast")
	f.Label(last)
	cell()
	f.Jump(last)
	f.Label(next)
	f.AddTo(f.Word(f.s.FrameStep(from)), src)
	f.AddTo(f.Word(f.s.FrameStep(to)), dst)
	f.CountDown(n, row)
}
