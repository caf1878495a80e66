package vector

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
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

	step  reg.GPVirtual // v of the first step of the chunk
	group operand.Mem   // rows of this group
	last  operand.Mem   // first step after the last
	edge  operand.Mem   // 1 if rows need masks
}

// ringOf is the stream whose ring has the results of value v, -1 for none.
func (s *Shape) ringOf(v int) int {
	if s.store[v] >= 0 {
		return s.store[v]
	}
	return s.back[v]
}

// vectors is the bytes of all lanes.
func (f *front) vectors() int { return f.blocks * f.isa.Bytes() }

// all is the number of lanes.
func (f *front) all() int { return f.blocks * f.lanes() }

// wavefront writes the kernel with lanes across rows.
func (fn *function) wavefront(blocks int) {
	f := &front{function: fn, blocks: blocks}
	s := f.s
	f.layout()
	words := f.reserve(3 * 8)
	f.begin(fmt.Sprintf("%s computes the rows of a box, %d at a time, skewed by %d.", f.name, f.all(), s.skew))
	f.group, f.last, f.edge = f.local(words), f.local(words+8), f.local(words+16)
	f.beginReduced()

	group := f.label("group")
	f.asm.Label(group)
	f.startGroup()
	f.step = f.asm.GP64()
	f.asm.MOVQ(operand.I32(int32(-f.history)), f.step)
	carried := f.carry()
	chunk := f.label("chunk")
	f.asm.Label(chunk)
	f.decide()
	f.in()
	fast, done := f.label("inside"), f.label("computed")
	f.asm.CMPQ(f.edge, operand.Imm(0))
	f.asm.JEQ(operand.LabelRef(fast))
	f.steps(carried, true)
	f.asm.JMP(operand.LabelRef(done))
	f.asm.Label(fast)
	from := f.mark()
	f.steps(carried, false)
	f.counted(from, f.lanes())
	f.asm.Label(done)
	f.out()
	from = f.mark()
	f.keep()
	f.counted(from, 1)
	f.asm.ADDQ(operand.I32(int32(f.lanes())), f.step)
	f.asm.CMPQ(f.step, f.last)
	f.asm.JLT(operand.LabelRef(chunk))
	given := false
	for v := range s.store {
		if s.store[v] >= 0 && s.back[v] >= 0 {
			f.back(s.store[v], s.back[v])
			given = true
		}
	}
	f.nextGroup()
	f.asm.JGT(operand.LabelRef(group))
	if given {
		f.asm.SFENCE()
	}
	f.finishReduced()
	f.end()
}

// counted adds what was written since a mark, and is executed times times in a
// chunk, to the cost of a step.
func (f *front) counted(from, times int) {
	f.cost.count(f.machine, from, f.mark(), float64(times)/float64(f.lanes()*f.blocks))
}

// layout reserves the rings and what else is on the stack.
func (f *front) layout() {
	s := f.s
	f.tile = f.reserve(f.all() * f.isa.Bytes())
	for k := range s.Streams {
		x := &s.Streams[k]
		f.rings, f.flat, f.ghosts = append(f.rings, -1), append(f.flat, -1), append(f.ghosts, nil)
		if x.history > f.lanes() || x.shift >= f.lanes() {
			refuse("a dependence is longer than a vector")
		}
		f.history = max(f.history, x.history)
		switch {
		case x.Memory == Result:
		case x.Along == 0:
			f.flat[k] = f.reserve(f.vectors())
		default:
			f.rings[k] = f.reserve((x.history + f.lanes()) * f.vectors())
			for range x.shift {
				f.ghosts[k] = append(f.ghosts[k], f.reserve(2*f.isa.Bytes()))
			}
		}
	}
	for v := range s.store {
		if s.store[v] < 0 && s.back[v] >= 0 {
			f.rings[s.back[v]] = f.reserve(f.lanes() * f.vectors())
		}
	}
	for range s.Indices {
		var of []int
		for range f.blocks {
			of = append(of, f.reserve(f.isa.Bytes()))
		}
		f.indices = append(f.indices, of)
	}
	for range s.n.Reduces() {
		f.reduced = append(f.reduced, f.reserve(f.vectors()))
	}
}

// startGroup prepares for as many rows as there are lanes, or those that are left.
func (f *front) startGroup() {
	s := f.s
	g, all := f.asm.GP64(), f.asm.GP64()
	f.asm.MOVQ(f.word(FrameRows), g)
	f.asm.MOVQ(operand.I32(int32(f.all())), all)
	f.asm.CMPQ(g, all)
	f.asm.CMOVQGT(all, g)
	f.asm.MOVQ(g, f.group)
	last := f.asm.GP64()
	f.asm.MOVQ(f.word(FrameWidth), last)
	if s.skew > 0 {
		f.asm.LEAQ(operand.Mem{Base: last, Index: g, Scale: 1, Disp: -1}, last)
	}
	f.asm.MOVQ(last, f.last)
	for k := range s.Streams {
		if f.flat[k] >= 0 {
			f.fillFlat(k, g)
		}
	}
	for k, i := range s.Indices {
		for r := range f.blocks {
			lanes := make([]uint64, f.lanes())
			for l := range lanes {
				row := r*f.lanes() + l
				lanes[l] = uint64(uint32(int32((i.ByRow-s.skew*i.ByColumn)*row - i.ByColumn*f.history)))
			}
			v := f.indexVec()
			f.asm.VPBROADCASTD(f.word(s.FrameIndex(k)), v)
			f.asm.VPADDD(f.constant(lanes, 4), v, v)
			f.moveIndex(v, f.local(f.indices[k][r]))
		}
	}
}

// moveIndex copies a vector of indices.
func (f *front) moveIndex(from, to operand.Op) { f.asm.VMOVUPS(from, to) }

// fillFlat gathers the cells of a stream that does not move along the row, one
// for each row; lanes without a row get the last one's.
func (f *front) fillFlat(k int, g reg.GPVirtual) {
	at, by, n, x := f.asm.GP64(), f.asm.GP64(), f.asm.GP64(), f.asm.GP64()
	f.asm.MOVQ(f.word(f.s.FrameAt(k)), at)
	f.asm.MOVQ(f.word(f.s.FrameStep(k)), by)
	f.asm.XORQ(n, n)
	loop, stay := f.label("flat"), f.label("flatLast")
	f.asm.Label(loop)
	to := operand.Mem{Base: f.base, Disp: f.flat[k], Index: n, Scale: uint8(f.lane)}
	if f.lane == 8 {
		f.asm.MOVQ(operand.Mem{Base: at}, x)
		f.asm.MOVQ(x, to)
	} else {
		f.asm.MOVL(operand.Mem{Base: at}, x.As32())
		f.asm.MOVL(x.As32(), to)
	}
	f.asm.INCQ(n)
	f.asm.CMPQ(n, g)
	f.asm.JGE(operand.LabelRef(stay))
	f.asm.ADDQ(by, at)
	f.asm.Label(stay)
	f.asm.CMPQ(n, operand.I32(int32(f.all())))
	f.asm.JLT(operand.LabelRef(loop))
}

// decide sets edge: whether a lane of the chunk is outside of its row.
func (f *front) decide() {
	s := f.s
	shift := 0
	for _, x := range s.Streams {
		shift = max(shift, x.shift)
	}
	edge, t, no := f.asm.GP64(), f.asm.GP64(), f.label("edge")
	f.asm.MOVQ(operand.I32(1), edge)
	f.asm.CMPQ(f.group, operand.I32(int32(f.all())))
	f.asm.JNE(operand.LabelRef(no))
	f.asm.CMPQ(f.step, operand.I32(int32(s.skew*(f.all()-1))))
	f.asm.JLT(operand.LabelRef(no))
	f.asm.LEAQ(operand.Mem{Base: f.step, Disp: f.lanes() + s.skew*shift}, t)
	f.asm.CMPQ(t, f.word(FrameWidth))
	f.asm.JGT(operand.LabelRef(no))
	f.asm.XORQ(edge, edge)
	f.asm.Label(no)
	f.asm.MOVQ(edge, f.edge)
}

// sheared sets p to the memory of lane 0 of stream k at the first step of the
// chunk, and by to the bytes from a lane to the next.
func (f *front) sheared(k int) (p, by reg.GPVirtual) {
	p, by = f.asm.GP64(), f.asm.GP64()
	f.asm.MOVQ(f.word(f.s.FrameAt(k)), p)
	f.asm.LEAQ(operand.Mem{Base: p, Index: f.step, Scale: uint8(f.lane)}, p)
	f.asm.MOVQ(f.word(f.s.FrameStep(k)), by)
	if f.s.skew > 0 {
		f.asm.SUBQ(operand.I32(int32(f.lane)), by)
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
		f.asm.Commentf("Columns of %s.", f.s.streamName(x))
		skip, inside := f.label("skip"), f.label("whole")
		p, by := f.sheared(k)
		if x.shift > 0 {
			f.above(k, p, by)
		}
		f.asm.CMPQ(f.edge, operand.Imm(0))
		if x.self >= 0 {
			f.asm.JEQ(operand.LabelRef(skip)) // results are there, or still to come
			zero := f.asm.GP64()
			f.asm.XORQ(zero, zero)
			f.copyIn(p, by, x.first, zero)
		} else {
			f.asm.JEQ(operand.LabelRef(inside))
			end := f.asm.GP64()
			f.asm.MOVQ(f.word(FrameWidth), end)
			f.asm.ADDQ(operand.I32(int32(x.beyond)), end)
			f.copyIn(p, by, x.first, end)
		}
		f.asm.LEAQ(f.local(f.tile), p)
		f.asm.MOVQ(operand.I32(int32(f.isa.Bytes())), by)
		f.asm.Label(inside)
		from := f.mark()
		f.transposeIn(k, p, by)
		if x.self < 0 {
			f.counted(from, f.blocks)
		}
		f.asm.Label(skip)
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
func (f *front) above(k int, p, by reg.GPVirtual) {
	x := &f.s.Streams[k]
	at := f.asm.GP64()
	f.asm.MOVQ(p, at)
	for j, ghost := range f.ghosts[k] {
		f.asm.SUBQ(by, at)
		to := operand.Mem{Base: f.base, Disp: ghost + x.history*f.lane}
		inside, done := f.label("above"), f.label("copied")
		f.asm.CMPQ(f.edge, operand.Imm(0))
		f.asm.JEQ(operand.LabelRef(inside))
		first, end, q := f.asm.GP64(), f.asm.GP64(), f.asm.GP64()
		f.asm.MOVQ(operand.I32(int32(x.first)), first)
		f.asm.MOVQ(f.word(FrameWidth), end)
		f.asm.ADDQ(operand.I32(int32(x.beyond)), end)
		f.asm.LEAQ(operand.Mem{Base: f.step, Disp: f.s.skew * (j + 1)}, q)
		f.move(f.loadMasked(operand.Mem{Base: at}, f.mask(q, first, end)), to)
		f.asm.JMP(operand.LabelRef(done))
		f.asm.Label(inside)
		f.move(f.load(operand.Mem{Base: at}), to)
		f.asm.Label(done)
	}
}

// copyIn copies the columns from first up to end of every row to the tile.
func (f *front) copyIn(p, by reg.GPVirtual, first int, end reg.GPVirtual) {
	lo := f.asm.GP64()
	f.asm.MOVQ(operand.I32(int32(first)), lo)
	f.eachRow(lo, end, func(c condition, tile operand.Mem) {
		f.move(f.loadMasked(operand.Mem{Base: p}, c), tile)
		f.asm.ADDQ(by, p)
	})
}

// eachRow writes a loop over the rows: c tells of the lanes of the row's vector
// in columns lo up to end, none if the group has fewer rows; tile is the row of
// the tile.
func (f *front) eachRow(lo, end reg.GPVirtual, row func(c condition, tile operand.Mem)) {
	n, q, none, limit, to := f.asm.GP64(), f.asm.GP64(), f.asm.GP64(), f.asm.GP64(), f.asm.GP64()
	f.asm.XORQ(n, n)
	f.asm.MOVQ(f.step, q)
	f.asm.MOVQ(operand.I32(-1<<30), none)
	f.asm.LEAQ(f.local(f.tile), to)
	loop := f.label("rows")
	f.asm.Label(loop)
	f.asm.MOVQ(end, limit)
	f.asm.CMPQ(n, f.group)
	f.asm.CMOVQGE(none, limit)
	row(f.mask(q, lo, limit), operand.Mem{Base: to})
	f.asm.ADDQ(operand.I32(int32(f.isa.Bytes())), to)
	if f.s.skew > 0 {
		f.asm.DECQ(q)
	}
	f.asm.INCQ(n)
	f.asm.CMPQ(n, operand.I32(int32(f.all())))
	f.asm.JLT(operand.LabelRef(loop))
}

// transposeIn transposes rows at p, by bytes apart, into the ring of stream k.
func (f *front) transposeIn(k int, p, by reg.GPVirtual) {
	by3 := f.asm.GP64()
	f.asm.LEAQ(operand.Mem{Base: by, Index: by, Scale: 2}, by3)
	f.eachBlock(func(stack reg.GPVirtual) {
		fours := []reg.GPVirtual{p}
		for range f.lanes()/4 - 1 {
			next := f.asm.GP64()
			f.asm.LEAQ(operand.Mem{Base: fours[len(fours)-1], Index: by, Scale: 4}, next)
			fours = append(fours, next)
		}
		f.transpose(func(i, offset int) operand.Mem { return strided(fours[i/4], by, by3, i%4, offset) },
			func(i int, v reg.Register) {
				f.move(v, operand.Mem{Base: stack, Disp: f.rings[k] + (f.s.Streams[k].history+i)*f.vectors()})
			})
		if f.blocks > 1 {
			f.asm.LEAQ(operand.Mem{Base: fours[len(fours)-1], Index: by, Scale: 4}, p)
		}
	})
}

// eachBlock writes a loop over the interleaved blocks; stack is the base of the
// stack, moved on by a vector for each.
func (f *front) eachBlock(block func(stack reg.GPVirtual)) {
	if f.blocks == 1 {
		block(f.base)
		return
	}
	stack, n := f.asm.GP64(), f.asm.GP64()
	f.asm.MOVQ(f.base, stack)
	f.asm.MOVQ(operand.I32(int32(f.blocks)), n)
	again := f.label("block")
	f.asm.Label(again)
	block(stack)
	f.asm.ADDQ(operand.I32(int32(f.isa.Bytes())), stack)
	f.asm.DECQ(n)
	f.asm.JNE(operand.LabelRef(again))
}

// strided is the memory offset bytes from the start of the i-th of four rows.
func strided(p, by, by3 reg.GPVirtual, i, offset int) operand.Mem {
	m := operand.Mem{Base: p, Disp: offset}
	switch i {
	case 1:
		m.Index, m.Scale = by, 1
	case 2:
		m.Index, m.Scale = by, 2
	case 3:
		m.Index, m.Scale = by3, 1
	}
	return m
}

// out transposes results back to rows.
func (f *front) out() {
	s := f.s
	for v := range s.store {
		k := s.ringOf(v)
		if k < 0 {
			continue
		}
		f.asm.Commentf("Rows of %s.", s.n.Arrays[s.p.Values[v].Array].Name)
		inside, done := f.label("rowsOut"), f.label("stored")
		f.asm.CMPQ(f.edge, operand.Imm(0))
		f.asm.JEQ(operand.LabelRef(inside))
		p, by := f.asm.GP64(), f.asm.GP64()
		f.asm.LEAQ(f.local(f.tile), p)
		f.asm.MOVQ(operand.I32(int32(f.isa.Bytes())), by)
		f.transposeOut(k, p, by)
		p, by = f.sheared(k)
		zero, end := f.asm.GP64(), f.asm.GP64()
		f.asm.XORQ(zero, zero)
		f.asm.MOVQ(f.word(FrameWidth), end)
		f.eachRow(zero, end, func(c condition, tile operand.Mem) {
			f.storeMasked(f.load(tile), c, operand.Mem{Base: p})
			f.asm.ADDQ(by, p)
		})
		f.asm.JMP(operand.LabelRef(done))
		f.asm.Label(inside)
		p, by = f.sheared(k)
		from := f.mark()
		f.transposeOut(k, p, by)
		f.counted(from, f.blocks)
		f.asm.Label(done)
	}
}

// transposeOut transposes the ring of stream k to rows at p, by bytes apart.
func (f *front) transposeOut(k int, p, by reg.GPVirtual) {
	by3 := f.asm.GP64()
	f.asm.LEAQ(operand.Mem{Base: by, Index: by, Scale: 2}, by3)
	f.eachBlock(func(stack reg.GPVirtual) {
		f.transpose(func(i, offset int) operand.Mem {
			return operand.Mem{Base: stack, Disp: f.rings[k] + (f.s.Streams[k].history+i)*f.vectors() + offset}
		}, func(i int, v reg.Register) {
			f.move(v, strided(p, by, by3, i%4, 0))
			if i%4 == 3 {
				f.asm.LEAQ(operand.Mem{Base: p, Index: by, Scale: 4}, p)
			}
		})
	})
}

// back copies the rows of the group from the block to the array that is given
// back. That is a pass of its own, because a row is then written from its first
// to its last cell: whole cache lines, which can go past the caches.
func (f *front) back(from, to int) {
	f.asm.Commentf("Rows of %s.", f.s.streamName(&f.s.Streams[to]))
	src, dst, n := f.asm.GP64(), f.asm.GP64(), f.asm.GP64()
	f.asm.MOVQ(f.word(f.s.FrameAt(from)), src)
	f.asm.MOVQ(f.word(f.s.FrameAt(to)), dst)
	f.asm.MOVQ(f.group, n)
	row := f.label("backRow")
	f.asm.Label(row)
	x, y, left, t := f.asm.GP64(), f.asm.GP64(), f.asm.GP64(), f.asm.GP64()
	f.asm.MOVQ(src, x)
	f.asm.MOVQ(dst, y)
	f.asm.MOVQ(f.word(FrameWidth), left)
	head, whole, stream, tail, next := f.label("backHead"), f.label("backVector"), f.label("backStream"), f.label("backTail"), f.label("backNext")
	cell := func() {
		if f.lane == 8 {
			f.asm.MOVQ(operand.Mem{Base: x}, t)
			f.asm.MOVQ(t, operand.Mem{Base: y})
		} else {
			f.asm.MOVL(operand.Mem{Base: x}, t.As32())
			f.asm.MOVL(t.As32(), operand.Mem{Base: y})
		}
		f.asm.ADDQ(operand.I32(int32(f.lane)), x)
		f.asm.ADDQ(operand.I32(int32(f.lane)), y)
		f.asm.DECQ(left)
		f.asm.JE(operand.LabelRef(next))
	}
	f.asm.Label(head)
	f.asm.TESTQ(operand.I32(int32(f.isa.Bytes()-1)), y)
	f.asm.JE(operand.LabelRef(whole))
	cell()
	f.asm.JMP(operand.LabelRef(head))
	vector := func(again string, store func(a, b operand.Op)) {
		f.asm.Label(again)
		f.asm.CMPQ(left, operand.I32(int32(f.lanes())))
		f.asm.JLT(operand.LabelRef(tail))
		store(f.load(operand.Mem{Base: x}), operand.Mem{Base: y})
		f.asm.ADDQ(operand.I32(int32(f.isa.Bytes())), x)
		f.asm.ADDQ(operand.I32(int32(f.isa.Bytes())), y)
		f.asm.SUBQ(operand.I32(int32(f.lanes())), left)
		f.asm.JMP(operand.LabelRef(again))
	}
	f.asm.Label(whole)
	f.asm.CMPQ(f.word(FrameStream), operand.Imm(0))
	f.asm.JNE(operand.LabelRef(stream))
	vector(f.label("backCached"), f.move)
	vector(stream, f.asm.VMOVNTPS)
	f.asm.Label(tail)
	f.asm.CMPQ(left, operand.Imm(0))
	f.asm.JE(operand.LabelRef(next))
	last := f.label("backLast")
	f.asm.Label(last)
	cell()
	f.asm.JMP(operand.LabelRef(last))
	f.asm.Label(next)
	f.asm.ADDQ(f.word(f.s.FrameStep(from)), src)
	f.asm.ADDQ(f.word(f.s.FrameStep(to)), dst)
	f.asm.DECQ(n)
	f.asm.JNE(operand.LabelRef(row))
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
			at := f.rings[k] + h*f.isa.Bytes()
			f.move(f.load(f.local(at+f.lanes()*f.vectors())), f.local(at))
		}
		for _, ghost := range f.ghosts[k] {
			f.move(f.load(f.local(ghost+f.isa.Bytes())), f.local(ghost))
		}
	}
}

// nextGroup goes on to the rows that follow; flags tell whether there are any.
func (f *front) nextGroup() {
	g, t := f.asm.GP64(), f.asm.GP64()
	f.asm.MOVQ(f.group, g)
	for k := range f.s.Streams {
		f.asm.MOVQ(f.word(f.s.FrameStep(k)), t)
		f.asm.IMULQ(g, t)
		f.asm.ADDQ(t, f.word(f.s.FrameAt(k)))
	}
	for k, i := range f.s.Indices {
		if i.ByRow != 0 {
			f.asm.IMUL3Q(operand.I32(int32(i.ByRow)), g, t)
			f.asm.ADDQ(t, f.word(f.s.FrameIndex(k)))
		}
	}
	f.asm.SUBQ(g, f.word(FrameRows))
}
