package vector

import (
	"fmt"

	"loopc/codegen/asm"
)

// A front is the state of a kernel of the wavefront scheme. R·V rows advance
// together, R vectors of V lanes: lane l of all runs column v - s·l of row l at
// step v. Steps go by chunks of V:
//
//  1. V columns of every row of the streams that are read, sheared, are
//     transposed into a ring: vectors of V steps, behind those of the steps
//     before that are still needed. Rows above the first, which lanes shift in,
//     are copied as they are.
//  2. V steps are computed from the rings, and append to the rings of results.
//  3. These are transposed back to rows of the block.
//
// Once a group of rows is done, it is copied to where results are given back.
//
// At the edges of a row, and where there are fewer rows than lanes, rows are
// copied with masks to and from a tile, and it is that which is transposed; so
// no memory is touched but cells of iterations and what they read. Lanes before
// the first column take the result that memory has there.
type front struct {
	*function
	blocks int // R

	rings   []int   // per stream: offset of its ring, -1 for none
	ghosts  [][]int // per stream: offsets of the copies of rows -1, -2, ..
	tile    int     // offset
	flat    []int   // per stream that does not move along the row: its vectors
	indices [][]int // per index and block
	history int     // most steps before this one
	reduced []int   // per reduction: accumulators of all lanes

	step  asm.Reg // v of the first step of the chunk
	group asm.Mem // rows of this group
	last  asm.Mem // first step after the last
	edge  asm.Mem // 1 if rows need masks
}

// ringOf is the stream whose ring has the results of value v, -1 for none.
func (s *Shape) ringOf(v int) int {
	if s.store[v] >= 0 {
		return s.store[v]
	}
	return s.back[v]
}

// vectors is the bytes of all lanes.
func (f *front) vectors() int { return f.blocks * f.Bytes() }

// all is the number of lanes.
func (f *front) all() int { return f.blocks * f.Lanes() }

// wavefront writes the kernel with lanes across rows.
func (fn *function) wavefront(blocks int) {
	f := &front{function: fn, blocks: blocks}
	s := f.s
	f.layout()
	words := f.Reserve(3 * 8)
	f.begin()
	f.group, f.last, f.edge = f.Local(words), f.Local(words+8), f.Local(words+16)
	f.beginReduced()

	group := f.NewLabel("group")
	f.Label(group)
	f.startGroup()
	f.step = f.General()
	f.Copy(asm.Int(-f.history), f.step)
	carried := f.carry()
	chunk := f.NewLabel("chunk")
	f.Label(chunk)
	f.decide()
	f.in()
	fast, done := f.NewLabel("inside"), f.NewLabel("computed")
	f.JumpIf(f.edge, asm.Eq, asm.Imm(0), fast)
	f.steps(carried, true)
	f.Jump(done)
	f.Label(fast)
	from := f.Mark()
	f.steps(carried, false)
	f.counted(from, f.Lanes())
	f.Label(done)
	f.out()
	from = f.Mark()
	f.keep()
	f.counted(from, 1)
	f.AddTo(asm.Int(f.Lanes()), f.step)
	f.JumpIf(f.step, asm.Lt, f.last, chunk)
	given := false
	for v := range s.store {
		if s.store[v] >= 0 && s.back[v] >= 0 {
			f.back(s.store[v], s.back[v])
			given = true
		}
	}
	f.nextGroup()
	f.JumpAfter(asm.Gt, group)
	if given {
		f.Fence()
	}
	f.finishReduced()
	f.End()
}

// counted adds what was written since a mark, and is executed times times in a
// chunk, to the cost of a step.
func (f *front) counted(from, times int) {
	f.cost.Count(f.Machine, from, f.Mark(), float64(times)/float64(f.Lanes()*f.blocks))
}

// layout reserves the rings and what else is on the stack.
func (f *front) layout() {
	s := f.s
	f.tile = f.Reserve(f.all() * f.Bytes())
	for k := range s.Streams {
		x := &s.Streams[k]
		f.rings, f.flat, f.ghosts = append(f.rings, -1), append(f.flat, -1), append(f.ghosts, nil)
		if x.history > f.Lanes() || x.shift >= f.Lanes() {
			refuse("a dependence is longer than a vector")
		}
		f.history = max(f.history, x.history)
		switch {
		case x.Memory == Result:
		case x.Along == 0:
			f.flat[k] = f.Reserve(f.vectors())
		default:
			f.rings[k] = f.Reserve((x.history + f.Lanes()) * f.vectors())
			for range x.shift {
				f.ghosts[k] = append(f.ghosts[k], f.Reserve(2*f.Bytes()))
			}
		}
	}
	for v := range s.store {
		if s.store[v] < 0 && s.back[v] >= 0 {
			f.rings[s.back[v]] = f.Reserve(f.Lanes() * f.vectors())
		}
	}
	for range s.Indices {
		var of []int
		for range f.blocks {
			of = append(of, f.Reserve(f.Bytes()))
		}
		f.indices = append(f.indices, of)
	}
	for range s.n.Reduces() {
		f.reduced = append(f.reduced, f.Reserve(f.vectors()))
	}
}

// startGroup prepares for as many rows as there are lanes, or those that are left.
func (f *front) startGroup() {
	s := f.s
	g, all := f.General(), f.General()
	f.Copy(f.Word(FrameRows), g)
	f.Copy(asm.Int(f.all()), all)
	f.CopyIf(g, asm.Gt, all, all, g)
	f.Copy(g, f.group)
	last := f.General()
	f.Copy(f.Word(FrameWidth), last)
	if s.skew > 0 {
		f.Address(asm.Mem{Base: last, Index: g, Scale: 1, Disp: -1}, last)
	}
	f.Copy(last, f.last)
	for k := range s.Streams {
		if f.flat[k] >= 0 {
			f.fillFlat(k, g)
		}
	}
	for k, i := range s.Indices {
		for r := range f.blocks {
			v := f.Index()
			f.BroadcastIndex(f.Word(s.FrameIndex(k)), v)
			f.AddIndex(f.Each(4, func(l int) int { return (i.ByRow-s.skew*i.ByColumn)*(r*f.Lanes()+l) - i.ByColumn*f.history }), v)
			f.MoveIndex(v, f.Local(f.indices[k][r]))
		}
	}
}

// fillFlat gathers the cells of a stream that does not move along the row, one
// for each row; lanes without a row get the last one's.
func (f *front) fillFlat(k int, g asm.Reg) {
	at, by, n, x := f.General(), f.General(), f.General(), f.General()
	f.Copy(f.Word(f.s.FrameAt(k)), at)
	f.Copy(f.Word(f.s.FrameStep(k)), by)
	f.Clear(n)
	loop, stay := f.NewLabel("flat"), f.NewLabel("flatLast")
	f.Label(loop)
	to := asm.Mem{Base: f.Base(), Disp: f.flat[k], Index: n, Scale: f.Lane()}
	f.CopyCell(asm.Mem{Base: at}, to, x, f.Lane())
	f.Inc(n)
	f.JumpIf(n, asm.Ge, g, stay)
	f.AddTo(by, at)
	f.Label(stay)
	f.JumpIf(n, asm.Lt, asm.Int(f.all()), loop)
}

// decide sets edge: whether a lane of the chunk is outside of its row.
func (f *front) decide() {
	s := f.s
	shift := 0
	for _, x := range s.Streams {
		shift = max(shift, x.shift)
	}
	edge, t, no := f.General(), f.General(), f.NewLabel("edge")
	f.Copy(asm.Int(1), edge)
	f.JumpIf(f.group, asm.Ne, asm.Int(f.all()), no)
	f.JumpIf(f.step, asm.Lt, asm.Int(s.skew*(f.all()-1)), no)
	f.Address(asm.Mem{Base: f.step, Disp: f.Lanes() + s.skew*shift}, t)
	f.JumpIf(t, asm.Gt, f.Word(FrameWidth), no)
	f.Clear(edge)
	f.Label(no)
	f.Copy(edge, f.edge)
}

// sheared sets p to the memory of lane 0 of stream k at the first step of the
// chunk, and by to the bytes from a lane to the next.
func (f *front) sheared(k int) (p, by asm.Reg) {
	p, by = f.General(), f.General()
	f.Copy(f.Word(f.s.FrameAt(k)), p)
	f.Address(asm.Mem{Base: p, Index: f.step, Scale: f.Lane()}, p)
	f.Copy(f.Word(f.s.FrameStep(k)), by)
	if f.s.skew > 0 {
		f.SubFrom(asm.Int(f.Lane()), by)
	}
	return p, by
}

// in transposes the streams that are read into their rings, and copies the rows
// above.
func (f *front) in() {
	for k := range f.s.Streams {
		x := &f.s.Streams[k]
		if f.rings[k] < 0 || x.Memory == Result || x.self >= 0 && x.history == 0 {
			continue
		}
		f.Comment("Columns of %s.", f.s.streamName(x))
		skip, inside := f.NewLabel("skip"), f.NewLabel("whole")
		p, by := f.sheared(k)
		if x.shift > 0 {
			f.above(k, p, by)
		}
		if x.self >= 0 {
			f.JumpIf(f.edge, asm.Eq, asm.Imm(0), skip) // results are there, or still to come
			zero := f.General()
			f.Clear(zero)
			f.copyIn(p, by, x.first, zero)
		} else {
			f.JumpIf(f.edge, asm.Eq, asm.Imm(0), inside)
			end := f.General()
			f.Copy(f.Word(FrameWidth), end)
			f.AddTo(asm.Int(x.beyond), end)
			f.copyIn(p, by, x.first, end)
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

// above copies a vector of each row above the first.
func (f *front) above(k int, p, by asm.Reg) {
	x := &f.s.Streams[k]
	at := f.General()
	f.Copy(p, at)
	for j, ghost := range f.ghosts[k] {
		f.SubFrom(by, at)
		to := asm.Mem{Base: f.Base(), Disp: ghost + x.history*f.Lane()}
		inside, done := f.NewLabel("above"), f.NewLabel("copied")
		f.JumpIf(f.edge, asm.Eq, asm.Imm(0), inside)
		first, end, q := f.General(), f.General(), f.General()
		f.Copy(asm.Int(x.first), first)
		f.Copy(f.Word(FrameWidth), end)
		f.AddTo(asm.Int(x.beyond), end)
		f.Address(asm.Mem{Base: f.step, Disp: f.s.skew * (j + 1)}, q)
		f.Move(f.LoadMasked(asm.Mem{Base: at}, f.Inside(q, first, end)), to)
		f.Jump(done)
		f.Label(inside)
		f.Move(f.Load(asm.Mem{Base: at}), to)
		f.Label(done)
	}
}

// copyIn copies the columns from first up to end of every row to the tile.
func (f *front) copyIn(p, by asm.Reg, first int, end asm.Reg) {
	lo := f.General()
	f.Copy(asm.Int(first), lo)
	f.eachRow(lo, end, func(c asm.Reg, tile asm.Mem) {
		f.Move(f.LoadMasked(asm.Mem{Base: p}, c), tile)
		f.AddTo(by, p)
	})
}

// eachRow writes a loop over the rows: c tells of the lanes of the row's vector
// in columns lo up to end, none if the group has fewer rows; tile is the row of
// the tile.
func (f *front) eachRow(lo, end asm.Reg, row func(c asm.Reg, tile asm.Mem)) {
	n, q, none, limit, to := f.General(), f.General(), f.General(), f.General(), f.General()
	f.Clear(n)
	f.Copy(f.step, q)
	f.Copy(asm.Int(-1<<30), none)
	f.Address(f.Local(f.tile), to)
	loop := f.NewLabel("rows")
	f.Label(loop)
	f.Copy(end, limit)
	f.CopyIf(n, asm.Ge, f.group, none, limit)
	row(f.Inside(q, lo, limit), asm.Mem{Base: to})
	f.AddTo(asm.Int(f.Bytes()), to)
	if f.s.skew > 0 {
		f.Dec(q)
	}
	f.Inc(n)
	f.JumpIf(n, asm.Lt, asm.Int(f.all()), loop)
}

// transposeIn transposes rows at p, by bytes apart, into the ring of stream k.
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
				f.Move(v, asm.Mem{Base: stack, Disp: f.rings[k] + (f.s.Streams[k].history+i)*f.vectors()})
			})
		if f.blocks > 1 {
			f.Address(asm.Mem{Base: fours[len(fours)-1], Index: by, Scale: 4}, p)
		}
	})
}

// eachBlock writes a loop over the interleaved blocks; stack is the base of the
// stack, moved on by a vector for each.
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
		k := s.ringOf(v)
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
		zero, end := f.General(), f.General()
		f.Clear(zero)
		f.Copy(f.Word(FrameWidth), end)
		f.eachRow(zero, end, func(c asm.Reg, tile asm.Mem) {
			f.StoreMasked(f.Load(tile), c, asm.Mem{Base: p})
			f.AddTo(by, p)
		})
		f.Jump(done)
		f.Label(inside)
		p, by = f.sheared(k)
		from := f.Mark()
		f.transposeOut(k, p, by)
		f.counted(from, f.blocks)
		f.Label(done)
	}
}

// transposeOut transposes the ring of stream k to rows at p, by bytes apart.
func (f *front) transposeOut(k int, p, by asm.Reg) {
	by3 := f.General()
	f.Address(asm.Mem{Base: by, Index: by, Scale: 2}, by3)
	f.eachBlock(func(stack asm.Reg) {
		f.Transpose(func(i, offset int) asm.Mem {
			return asm.Mem{Base: stack, Disp: f.rings[k] + (f.s.Streams[k].history+i)*f.vectors() + offset}
		}, func(i int, v asm.Reg) {
			f.Move(v, asm.Strided(p, by, by3, i%4, 0))
			if i%4 == 3 {
				f.Address(asm.Mem{Base: p, Index: by, Scale: 4}, p)
			}
		})
	})
}

// back copies the rows of the group from the block to the array that is given
// back. That is a pass of its own, because a row is then written from its first
// to its last cell: whole cache lines, which can go past the caches.
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
	cell := func() {
		f.CopyCell(asm.Mem{Base: x}, asm.Mem{Base: y}, t, f.Lane())
		f.AddTo(asm.Int(f.Lane()), x)
		f.AddTo(asm.Int(f.Lane()), y)
		f.Dec(left)
		f.JumpAfter(asm.Eq1, next)
	}
	f.Label(head)
	f.JumpIfClear(f.Bytes()-1, y, whole)
	cell()
	f.Jump(head)
	vector := func(again asm.Label, store func(a, b asm.Operand)) {
		f.Label(again)
		f.JumpIf(left, asm.Lt, asm.Int(f.Lanes()), tail)
		store(f.Load(asm.Mem{Base: x}), asm.Mem{Base: y})
		f.AddTo(asm.Int(f.Bytes()), x)
		f.AddTo(asm.Int(f.Bytes()), y)
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

// keep moves the vectors of the last steps to where the next chunk looks for
// those before it.
func (f *front) keep() {
	for k := range f.s.Streams {
		x := &f.s.Streams[k]
		if f.rings[k] < 0 {
			continue
		}
		for h := range x.history * f.blocks {
			at := f.rings[k] + h*f.Bytes()
			f.Move(f.Load(f.Local(at+f.Lanes()*f.vectors())), f.Local(at))
		}
		for _, ghost := range f.ghosts[k] {
			f.Move(f.Load(f.Local(ghost+f.Bytes())), f.Local(ghost))
		}
	}
}

// nextGroup goes on to the rows that follow; flags tell whether there are any.
func (f *front) nextGroup() {
	g, t := f.General(), f.General()
	f.Copy(f.group, g)
	for k := range f.s.Streams {
		f.Copy(f.Word(f.s.FrameStep(k)), t)
		f.MulTo(g, t)
		f.AddTo(t, f.Word(f.s.FrameAt(k)))
	}
	for k, i := range f.s.Indices {
		if i.ByRow != 0 {
			f.Scaled(i.ByRow, g, t)
			f.AddTo(t, f.Word(f.s.FrameIndex(k)))
		}
	}
	f.SubFrom(g, f.Word(FrameRows))
}
