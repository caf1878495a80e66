package vector

import (
	"fmt"
	"maps"
	"slices"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"loopc/ir"
)

// unroll is how many vectors the loop along a row computes at a time.
const unroll = 2

// contiguous writes the kernel with lanes along the row: vectors at any address,
// and at the end of a row one with a mask, or, for cells narrower than a lane,
// through a copy. Of the constants and the repeated expressions that stay in registers,
// short vectors, which have half of them, keep a part, long ones all, or none. So many
// reads are slid, see slidable; share says whether quotients are computed together.
func (f *function) contiguous(keeps float64, slid int, share bool) {
	s := f.s
	if len(s.Streams) > 10 {
		refuse("it needs %d rows at a time, more than there are registers for", len(s.Streams))
	}
	c := &alongRow{function: f, before: map[int]reg.VecVirtual{}, now: map[int]reg.Register{}, pointers: make([]reg.GPVirtual, len(s.Streams)), index: make([]reg.VecVirtual, len(s.Indices))}
	for k := range s.Streams {
		if size(s.Streams[k].Elem) < f.lane && s.Streams[k].Along == 1 {
			c.narrow = true
		}
	}
	if c.narrow {
		c.buffer = f.reserve(2 * f.isa.Bytes())
	}
	f.begin(fmt.Sprintf("%s computes the rows of a box, %d iterations at a time.", f.name, f.lanes()))

	if f.wide() && keeps > 0 {
		keeps = 1
	}
	c.slides = f.slides(slid)
	f.holdLiterals(int(keeps * mostHeld))
	if share {
		c.divide = s.sharedDivisor()
		f.holdShared(c.divide)
	}
	for k := range s.Streams {
		c.pointers[k] = f.asm.GP64()
		f.asm.MOVQ(f.word(s.FrameAt(k)), c.pointers[k])
	}
	c.accumulators = f.startReduced()
	rows, row := f.word(FrameRows), f.label("row")
	f.asm.Label(row)
	for k, i := range s.Indices {
		c.index[k] = f.indexVec()
		f.startIndex(c.index[k], f.word(s.FrameIndex(k)), i.ByColumn)
		if i.ByRow != 0 {
			f.asm.ADDQ(operand.I32(int32(i.ByRow)), f.word(s.FrameIndex(k)))
		}
	}
	c.x, c.left = f.asm.GP64(), f.asm.GP64()
	c.loadBefore()
	c.repeats = f.repeats(int(keeps * mostShared))
	f.asm.XORQ(c.x, c.x)
	f.asm.MOVQ(f.word(FrameWidth), c.left)
	many, few, tail, next := f.label("vectors"), f.label("vector"), f.label("tail"), f.label("next")
	f.asm.Label(many)
	f.asm.CMPQ(c.left, operand.I32(int32(unroll*f.lanes())))
	f.asm.JLT(operand.LabelRef(few))
	from := f.mark()
	for range unroll {
		c.vector()
	}
	f.asm.JMP(operand.LabelRef(many))
	f.cost.count(f.machine, from, f.mark(), 1.0/unroll)
	f.cost.Across = f.across(c.slides)
	f.asm.Label(few)
	f.asm.CMPQ(c.left, operand.I32(int32(f.lanes())))
	f.asm.JLT(operand.LabelRef(tail))
	c.vector()
	f.asm.JMP(operand.LabelRef(few))
	f.asm.Label(tail)
	f.asm.CMPQ(c.left, operand.Imm(0))
	f.asm.JEQ(operand.LabelRef(next))
	c.tail()
	f.asm.Label(next)
	for k := range s.Streams {
		f.asm.ADDQ(f.word(s.FrameStep(k)), c.pointers[k])
	}
	f.asm.DECQ(rows)
	f.asm.JNE(operand.LabelRef(row))
	for k, r := range c.accumulators {
		f.storeReduced(k, r)
	}
	f.end()
}

// mostHeld is how many constants of the body stay in registers: reading one from memory
// takes a load of each vector, of which there are two a cycle.
const mostHeld = 6

// holdLiterals loads so many constants of the body into registers.
func (f *function) holdLiterals(most int) {
	f.machine.held = map[operand.Mem]reg.Register{}
	for _, c := range f.s.constants() {
		if at := f.splat(c); len(f.machine.held) < most && f.machine.held[at] == nil {
			f.machine.held[at] = f.load(at)
		}
	}
}

// An alongRow is the state of a row in the contiguous scheme.
type alongRow struct {
	*function
	pointers []reg.GPVirtual  // to the first cells of the row, per stream
	index    []reg.VecVirtual // per index
	x, left  reg.GPVirtual    // iterations done, and still to do
	narrow   bool
	buffer   int // for the last cells of narrow streams

	masked condition // nil: all lanes

	// Of values that iterations further on in the row read, by stream: the last vector,
	// and this one when its statement is done; and of streams with reads that are slid the
	// last vector and this one of the foremost read.
	before map[int]reg.VecVirtual
	now    map[int]reg.Register
	slides map[int]*slide // by stream

	accumulators []reg.VecVirtual // per reduction

	repeats map[string]bool // expressions that a step computes once, see nameOf
	divide  *sharedDivisor  // nil: all quotients by themselves
}

// mostShared is how many expressions stay in registers because they occur again.
const mostShared = 8

// repeats returns the names of expressions that occur more than once in the body, so many
// at most, the first ones.
func (f *function) repeats(most int) map[string]bool {
	all, times := map[string]bool{}, map[string]int{}
	f.s.each(func(e ir.Expr) {
		if name := f.s.nameOf(e); name != "" && !leaf(e) {
			if times[name]++; times[name] > 1 && len(all) < most {
				all[name] = true
			}
		}
	})
	return all
}

// leaf reports whether e is kept without being named: a constant, by holdLiterals, or a
// parameter.
func leaf(e ir.Expr) bool {
	switch e.(type) {
	case *ir.Lit, *ir.ParamRef:
		return true
	}
	return false
}

// loadBefore puts the cells before the row that are read of it, or of a row that is slid,
// into the top lanes of vectors.
func (c *alongRow) loadBefore() {
	clear(c.before)
	for k := range c.s.Streams {
		home, most := 0, 0
		if x := c.slides[k]; x != nil {
			home, most = x.home, slices.Max(x.backs)
		} else {
			for _, a := range c.s.readsOf(k) {
				if c.ofRow(a) {
					most = max(most, a.back)
				}
			}
		}
		if most == home {
			continue
		}
		x := reg.Register(c.broadcast(c.first(k, most)))
		for back := most - 1; back > home; back-- {
			next := c.broadcast(c.first(k, back))
			if c.wide() {
				x = c.align(next, x, c.lanes()-1)
			} else {
				x = c.blend(1<<(c.lanes()-back), next, x)
			}
		}
		c.before[k] = x.(reg.VecVirtual)
	}
}

// first is the memory of the cell of stream k so many columns before the row.
func (c *alongRow) first(k, back int) operand.Mem {
	return operand.Mem{Base: c.pointers[k], Disp: -back * size(c.s.Streams[k].Elem)}
}

// ofRow reports whether an access is to what iterations before it in the row have computed.
func (c *alongRow) ofRow(a access) bool {
	x := &c.s.Streams[a.stream]
	return x.written && x.Memory == Live
}

// shifted returns the vector of this step's results of a stream, moved up by so many
// lanes, with those of the last one below them.
func (c *alongRow) shifted(k, lanes int) reg.Register {
	if c.wide() {
		return c.align(c.now[k], c.before[k], lanes)
	}
	return c.blend(1<<lanes-1, c.rotate(c.before[k], lanes), c.rotate(c.now[k], lanes))
}

// cell is the memory of stream k, back columns before the first of the vector.
func (c *alongRow) cell(k, back int) operand.Mem {
	x := &c.s.Streams[k]
	n := size(x.Elem)
	if x.Along == 0 {
		return operand.Mem{Base: c.pointers[k]}
	}
	return operand.Mem{Base: c.pointers[k], Index: c.x, Scale: uint8(n), Disp: -n * back}
}

// read returns the lanes of a read.
func (c *alongRow) read(r *ir.Read) operand.Op {
	a := c.s.reads[r.ID]
	at := c.cell(a.stream, a.back)
	along := c.s.Streams[a.stream].Along == 1
	switch n := size(r.T); {
	case c.ofRow(a):
		return c.shifted(a.stream, a.back)
	case c.slides[a.stream].has(a.back):
		return c.slidden(a)
	case n == 1 && !along:
		t, v := c.asm.GP32(), c.vec()
		x := c.asm.XMM()
		c.asm.MOVBLZX(at, t)
		c.asm.VMOVD(t, x)
		c.asm.VPBROADCASTD(x, v)
		return v
	case n == 1:
		v := c.vec()
		c.asm.VPMOVZXBD(c.whole(at, n), v)
		return v
	case !along:
		return c.broadcast(at)
	case c.masked != nil:
		return c.loadMasked(at, c.masked)
	}
	return at
}

// whole returns memory in which all lanes may be read: that of the stream, or at
// the end of a row a copy of what is left of it.
func (c *alongRow) whole(at operand.Mem, n int) operand.Mem {
	if c.masked == nil {
		return at
	}
	from, k, t := c.asm.GP64(), c.asm.GP64(), c.asm.GP32()
	c.asm.LEAQ(at, from)
	c.asm.XORQ(k, k)
	loop := c.label("copy")
	c.asm.Label(loop)
	to := operand.Mem{Base: c.base, Disp: c.buffer, Index: k, Scale: uint8(n)}
	src := operand.Mem{Base: from, Index: k, Scale: uint8(n)}
	if n == 1 {
		c.asm.MOVBLZX(src, t)
		c.asm.MOVB(t.As8(), to)
	} else {
		c.asm.MOVL(src, t)
		c.asm.MOVL(t, to)
	}
	c.asm.INCQ(k)
	c.asm.CMPQ(k, c.left)
	c.asm.JNE(operand.LabelRef(loop))
	return c.local(c.buffer)
}

// wider returns what a conversion to float64 takes: half a vector.
func (c *alongRow) wider(r *ir.Read) operand.Op {
	a := c.s.reads[r.ID]
	at := c.cell(a.stream, a.back)
	n, h := size(r.T), c.half()
	switch along := c.s.Streams[a.stream].Along == 1; {
	case n == 1 && !along:
		t, x := c.asm.GP32(), c.asm.XMM()
		c.asm.MOVBLZX(at, t)
		c.asm.VMOVD(t, x)
		c.asm.VPBROADCASTD(x, h)
	case n == 1:
		c.asm.VPMOVZXBD(c.whole(at, n), h)
	case !along:
		c.asm.VPBROADCASTD(at, h)
	default:
		return c.whole(at, n)
	}
	return h
}

// step writes the body for one vector.
func (c *alongRow) step() {
	b := &body{machine: c.machine, s: c.s, read: c.read, wider: c.wider, param: c.param,
		once: func(e ir.Expr) string {
			if name := c.s.nameOf(e); c.repeats[name] {
				return name
			}
			return ""
		},
		index: func(loop int) reg.VecVirtual {
			for k, i := range c.s.Indices {
				if i.Loop == loop {
					return c.index[k]
				}
			}
			panic("BUG: vector: an unknown index")
		},
		done: func(v int, r reg.Register) reg.Register {
			c.now[c.s.store[v]] = r
			for _, k := range []int{c.s.store[v], c.s.back[v]} {
				switch {
				case k < 0:
				case c.masked != nil:
					c.storeMasked(r, c.masked, c.cell(k, 0))
				default:
					c.move(r, c.cell(k, 0))
				}
			}
			return r
		},
		reduced: func(k int, r *ir.Reduce, value operand.Op) {
			c.collect(r, value, c.accumulators[k], c.masked)
		},
	}
	if c.masked == nil { // lanes that are masked out are zero, as divisors too
		b.divide = c.divide
	}
	for k := range c.slides {
		delete(c.now, k)
	}
	b.step()
	for _, k := range slices.Sorted(maps.Keys(c.before)) {
		c.move(c.now[k], c.before[k])
	}
}

// vector computes a whole vector.
func (c *alongRow) vector() {
	c.step()
	for k, i := range c.s.Indices {
		c.addIndex(c.index[k], i.ByColumn*c.lanes())
	}
	c.asm.ADDQ(operand.Imm(uint64(c.lanes())), c.x)
	c.asm.SUBQ(operand.Imm(uint64(c.lanes())), c.left)
}

// tail computes what is left of a row.
func (c *alongRow) tail() {
	zero := c.asm.GP64()
	c.asm.XORQ(zero, zero)
	c.masked = c.mask(zero, zero, c.left)
	c.step()
	c.masked = nil
}
