package vector

import "loopc/codegen/asm"

// A front is the state of a kernel of the wavefront scheme. R·V rows are computed together, in
// R vectors of V lanes: at step v, lane l of all computes column v - s·l of row l. Steps come
// in chunks of V:
//
//  1. V columns of every row of the streams that are read, sheared, are transposed into a circular
//     buffer, behind the vectors of earlier steps that are still needed. Rows above the first,
//     which lanes shift in, are copied as they are.
//  2. V steps are computed from the buffers; they append to the buffers of results.
//  3. The results are transposed back to rows of the tile's memory.
//
// After the last chunk, a group of rows is copied to the returned array.
//
// At the ends of rows, and if there are fewer rows than lanes, rows are copied with masks to and
// from a square on the stack (tile), and the square is transposed. So the kernel touches only the
// cells that iterations write or read; in entire arrays, all that is in the memory of an array may be loaded, and only
// stores have masks. Lanes before the first column take their results from memory.
type front struct {
	*function
	blocks int // R: here a block is a vector of lanes, not a tile's memory

	buffers []int   // per stream: offset of its circular buffer, -1 for none
	ghosts  [][]int // per stream: offsets of the copies of rows -1, -2, ..
	tile    int     // offset of the square
	flat    []int   // per stream that does not move along the row: offset of its vectors
	indices [][]int // per index and block
	history int     // the most steps back that a step reads
	reduced []int   // per reduction: accumulators of all lanes
	wrong   int     // offset of a vector: lanes that have had a wrong subscript are not 0

	step   asm.Reg // v of the first step of the chunk
	group  asm.Mem // rows of this group
	last   asm.Mem // first step after the last
	edge   asm.Mem // 1 if a lane of the chunk is outside its row
	slopes *slopes // nil: all rows have the same columns
}

// bufferOf is the stream whose buffer has the results of value v; -1 if there is none.
func (s *Shape) bufferOf(v int) int {
	if s.store[v] >= 0 {
		return s.store[v]
	}
	return s.back[v]
}

// vectors is the size of all lanes in bytes.
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
	f.stackAccumulators()
	f.setSlopes()
	if f.checks() {
		f.Move(f.noneWrong(), f.Local(f.wrong))
	}

	group := f.NewLabel("group")
	f.Label(group)
	f.startGroup()
	f.step = f.General()
	f.Copy(f.firstStep(), f.step)
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
	f.storeReductions()
	if f.checks() {
		f.tellWrong(f.Load(f.Local(f.wrong)))
	}
	f.End()
}

// counted adds the instructions since a mark to the cost of a step. A chunk executes them the given
// number of times.
func (f *front) counted(from, times int) {
	f.cost.Count(f.Machine, from, f.Mark(), float64(times)/float64(f.Lanes()*f.blocks))
}

// layout reserves the buffers and everything else on the stack.
func (f *front) layout() {
	s := f.s
	f.history = s.Before()
	f.layoutSlopes()
	f.tile = f.Reserve(f.all() * f.Bytes())
	for k := range s.Streams {
		x := &s.Streams[k]
		f.buffers, f.flat, f.ghosts = append(f.buffers, -1), append(f.flat, -1), append(f.ghosts, nil)
		if x.history > f.Lanes() || x.shift >= f.Lanes() {
			refuse("a dependence is longer than a vector")
		}
		switch {
		case x.Memory == Result:
		case x.Along == 0:
			f.flat[k] = f.Reserve(f.vectors())
		default:
			f.buffers[k] = f.Reserve((x.history + f.Lanes()) * f.vectors())
			for range x.shift {
				f.ghosts[k] = append(f.ghosts[k], f.Reserve(2*f.Bytes()))
			}
		}
	}
	for v := range s.store {
		if s.store[v] < 0 && s.back[v] >= 0 {
			f.buffers[s.back[v]] = f.Reserve(f.Lanes() * f.vectors())
		}
	}
	for range s.Indices {
		var perBlock []int
		for range f.blocks {
			perBlock = append(perBlock, f.Reserve(f.Bytes()))
		}
		f.indices = append(f.indices, perBlock)
	}
	for _, r := range s.n.Reduces() {
		bytes := f.vectors()
		if exact(r) {
			bytes = f.blocks * f.parts(r) * bytesOfPair
		}
		f.reduced = append(f.reduced, f.Reserve(bytes))
	}
	if f.checks() {
		f.wrong = f.Reserve(f.Bytes())
	}
}

// startGroup prepares a group of as many rows as there are lanes, or of the remaining rows.
func (f *front) startGroup() {
	s := f.s
	g, all := f.General(), f.General()
	f.Copy(f.Word(FrameRows), g)
	f.Copy(asm.Int(f.all()), all)
	f.CopyIf(g, asm.Gt, all, all, g)
	f.Copy(g, f.group)
	last := f.General()
	f.Copy(f.Word(FrameWidth), last)
	if f.slopes != nil {
		f.startSlopes(g, last)
	} else if s.skew > 0 {
		by := f.General()
		f.Scaled(s.skew, g, by)
		f.Address(asm.Mem{Base: last, Index: by, Scale: 1, Disp: -s.skew}, last)
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
			f.BroadcastIndex(f.indexAtStart(k), v)
			f.AddIndex(f.Each(4, func(l int) int { return (i.ByRow-s.skew*i.ByColumn)*(r*f.Lanes()+l) - i.ByColumn*f.history }), v)
			f.MoveIndex(v, f.Local(f.indices[k][r]))
		}
	}
}

// fillFlat gathers the cells, one per row, of a stream that does not move along the row. Lanes without
// a row get the cell of the last row.
func (f *front) fillFlat(k int, g asm.Reg) {
	at, by, n, x := f.General(), f.General(), f.General(), f.General()
	f.Copy(f.Word(f.s.FrameAt(k)), at)
	f.Copy(f.Word(f.s.FrameStep(k)), by)
	f.Clear(n)
	loop, stay := f.NewLabel("flat"), f.NewLabel("flatLast")
	f.Label(loop)
	stream, area := &f.s.Streams[k], f.flat[k]
	cell := stream.Elem.Size()
	if stream.narrow(f.s) {
		area = f.tile
	}
	to := asm.Mem{Base: f.Base(), Disp: area, Index: n, Scale: cell}
	f.CopyCell(asm.Mem{Base: at}, to, x, cell)
	f.Inc(n)
	f.JumpIf(n, asm.Ge, g, stay)
	f.AddTo(by, at)
	f.Label(stay)
	f.JumpIf(n, asm.Lt, asm.Int(f.all()), loop)
	for r := range f.blocks {
		if stream.narrow(f.s) {
			f.Move(f.loadCells(stream, f.Local(f.tile+r*f.Lanes()*cell), 0), f.Local(f.flat[k]+r*f.Bytes()))
		}
	}
}

// decide sets edge to 1 if a lane may be outside its row.
func (f *front) decide() {
	s := f.s
	shift := 0
	for _, x := range s.Streams {
		shift = max(shift, x.shift)
	}
	edge, t, no := f.General(), f.General(), f.NewLabel("edge")
	f.Copy(asm.Int(1), edge)
	f.JumpIf(f.group, asm.Ne, asm.Int(f.all()), no)
	begun, ends := f.allInside()
	f.JumpIf(f.step, asm.Lt, begun, no)
	f.Address(asm.Mem{Base: f.step, Disp: f.Lanes() + s.skew*shift}, t)
	f.JumpIf(t, asm.Gt, ends, no)
	f.Clear(edge)
	f.Label(no)
	f.Copy(edge, f.edge)
}

// sheared returns the address p of lane 0 of stream k, at the first step of the chunk or, if the
// stream runs backward, at its last step; and the bytes from a lane to the next (by).
func (f *front) sheared(k int) (p, by asm.Reg) {
	p, by = f.General(), f.General()
	f.Copy(f.Word(f.s.FrameAt(k)), p)
	backward, cell := f.s.Streams[k].Along < 0, f.s.Streams[k].Elem.Size()
	if backward {
		last := f.General()
		f.Address(asm.Mem{Base: f.step, Disp: f.Lanes() - 1}, last)
		f.MulTo(asm.Int(-cell), last)
		f.AddTo(last, p)
	} else {
		f.Address(asm.Mem{Base: p, Index: f.step, Scale: cell}, p)
	}
	f.Copy(f.Word(f.s.FrameStep(k)), by)
	switch {
	case f.s.skew > 0 && backward:
		f.AddTo(asm.Int(f.s.skew*cell), by)
	case f.s.skew > 0:
		f.SubFrom(asm.Int(f.s.skew*cell), by)
	}
	return p, by
}

// stepOf returns the step of the chunk whose cells come i-th in the memory of stream k.
func (f *front) stepOf(k, i int) int {
	if f.s.Streams[k].Along < 0 {
		return f.Lanes() - 1 - i
	}
	return i
}

// keep moves the vectors of the last steps to the places where the next chunk expects them.
func (f *front) keep() {
	for k := range f.s.Streams {
		x := &f.s.Streams[k]
		if f.buffers[k] < 0 {
			continue
		}
		for h := range x.history * f.blocks {
			at := f.buffers[k] + h*f.Bytes()
			f.Move(f.Load(f.Local(at+f.Lanes()*f.vectors())), f.Local(at))
		}
		for _, ghost := range f.ghosts[k] {
			f.Move(f.Load(f.Local(ghost+f.Bytes())), f.Local(ghost))
		}
	}
}

// nextGroup moves on to the next group; afterwards the flags tell whether there is one.
func (f *front) nextGroup() {
	g, t := f.General(), f.General()
	f.Copy(f.group, g)
	f.nextSlopes(g)
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
