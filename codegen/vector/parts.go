package vector

import (
	"maps"
	"math"
	"math/bits"
	"slices"

	"loopc/codegen/asm"
	"loopc/ir"
	"loopc/runtime/kernel"
)

// A row with a straight part is computed in parts, each by vectors and a masked tail of its own: iterations beyond the conditions, the
// straight part, and others, which gather. Where a part may begin at any iteration, no vector has iterations of two parts.

// farthest is beyond the last iteration of any row, and a multiple of the lanes of a vector.
const farthest = 1 << 30

// Words of the stack that say where parts of a row begin or end, and the first value of an index.
const (
	wordLow  = iota // iterations before this one are beyond all conditions
	wordFrom        // first iteration of the straight part
	wordTo          // the one after its last
	wordHigh        // this iteration and those that follow are beyond all conditions
	wordIndex
	wordLeft // iterations of a part behind the first vector
	partWords
)

// A span has the iterations of a row from the first to the one before the end.
type span struct{ first, end asm.Operand }

// within narrows a span to one in which a limit is not negative.
func (x *span) within(index *asm.Machine, of span) {
	if of.first != nil {
		x.first = index.Least(asm.Max, false, index.Load(x.first), of.first)
	}
	if of.end != nil {
		x.end = index.Least(asm.Min, false, index.Load(x.end), of.end)
	}
}

// spanOf returns the span of a limit; nil operands are those of any row.
func (b *body) spanOf(l limit) span {
	index := b.In(4, false)
	if l.cond != nil {
		all := map[bool]asm.Mem{l.holds: index.Splat(0), !l.holds: index.Splat(farthest)}
		return span{first: index.Choose(b.resized(b.cond(l.cond), 4), all[true], all[false])}
	}
	d := b.difference(l)
	switch {
	case l.by > 0:
		return span{first: index.Binary(asm.Sub, false, index.Splat(0), d)}
	case l.by < 0:
		return span{end: index.Binary(asm.Add, false, d, index.Splat(1))}
	}
	none := index.Least(asm.Max, false, index.Least(asm.Min, false, d, index.Splat(0)), index.Splat(uint64(1<<32-1)))
	return span{first: index.ShiftLanes(30, index.Binary(asm.Sub, false, index.Splat(0), none))} // no iteration, or all
}

// spans returns the straight part of a row, and the iterations for which some condition may hold.
func (b *body) spans(p *straight) (inner, outer span) {
	index := b.In(4, false)
	row := span{index.Splat(0), index.Splat(farthest)}
	inner, outer = row, row
	each := make([]span, p.selects)
	for k := range each {
		each[k] = row
	}
	for _, l := range p.limits {
		of := b.spanOf(l)
		inner.within(index, of)
		for k := range each {
			if l.of>>k&1 != 0 && p.beyond.operands != nil {
				each[k].within(index, of)
			}
		}
	}
	for k, x := range each {
		switch {
		case p.beyond.operands == nil:
		case k == 0:
			outer = x
		default:
			outer.first = index.Least(asm.Min, false, index.Load(outer.first), x.first)
			outer.end = index.Least(asm.Max, false, index.Load(outer.end), x.end)
		}
	}
	return inner, outer
}

// beginParts computes where the parts of a row begin, and the addresses of the straight part's lookups.
func (c *alongRow) beginParts() {
	p := c.straight
	if p == nil {
		return
	}
	b, index := c.ofRowOnly(), c.In(4, false)
	b.operands, b.index = p.within.operands, c.firstIndex
	for _, k := range p.lets {
		b.lets[k] = b.as(c.s.n.Body[k].(*ir.Let).Type).Load(b.expr(ir.Value(c.s.n.Body[k])))
	}
	inner, outer := b.spans(p)
	c.partWords(inner, outer)
	c.runs = map[*ir.Lookup]asm.Reg{}
	first := c.General()
	c.Copy(index.FirstLane(index.Load(inner.first)), first)
	for _, e := range p.runs {
		// The place of the cell at the first iteration of the straight part is not negative.
		var at asm.Operand = inner.first
		if c.s.down {
			at = index.Binary(asm.Sub, false, index.Splat(0), inner.first)
		}
		for d, sub := range e.Subs {
			t, _ := c.s.laneInt()
			x := b.near(t, b.above(e, d, b.as(t).Load(b.expr(sub))))
			if d != c.s.rowDim(e.Array) {
				x = index.Binary(asm.Mul, false, x, b.param(ParamUse{Param: e.Array, Type: ir.Int32, Part: kernel.TableStride, Dim: d}))
			}
			at = index.Binary(asm.Add, false, index.Load(at), x)
		}
		r := index.FirstLane(index.Load(at))
		if c.s.down {
			c.AddTo(first, r)
		} else {
			c.SubFrom(first, r)
		}
		address := c.table(e.Array)
		c.Address(asm.Mem{Base: address, Index: r, Scale: e.T.Size()}, address)
		c.runs[e] = address
	}
	c.full = c.fullLanes(&p.within)
	c.fullBeyond = nil
	if p.beyond.operands != nil {
		c.fullBeyond = c.fullLanes(&p.beyond)
	}
}

// partWords stores where the parts of a row begin, if these are its straight part and the iterations for which some condition may hold.
// All are iterations of the row, or the one after its last.
func (c *alongRow) partWords(inner, outer span) {
	index := c.In(4, false)
	width := index.Vec()
	c.BroadcastIndex(c.Word(FrameWidth), width)
	for word, x := range []asm.Operand{wordLow: outer.first, wordFrom: inner.first, wordTo: inner.end, wordHigh: outer.end} {
		if c.straight.beyond.operands == nil && (word == wordLow || word == wordHigh) {
			continue
		}
		if lanes := c.atOnce(); lanes > 1 {
			if word == wordFrom || word == wordHigh {
				x = index.Binary(asm.Add, false, index.Load(x), index.Splat(uint64(lanes-1)))
			}
			x = index.Bits(asm.And, x, index.Splat(uint64(1<<32-lanes)))
		}
		// At least 0: the first lane is a number without a sign.
		x = index.Least(asm.Max, false, index.Least(asm.Min, false, index.Load(x), width), index.Splat(0))
		c.Copy(index.FirstLane(index.Load(x)), c.partWord(word))
	}
}

// partWord is the memory of one of the words that say where parts are.
func (c *alongRow) partWord(word int) asm.Mem { return c.Local(c.partsAt + 8*word) }

// atOnce is of how many iterations parts before the last one are multiples: those of a vector, if vectors hand values on or have
// the same lanes of a condition. Else it is 1.
func (c *alongRow) atOnce() int {
	if len(c.before)+len(c.reuses)+len(c.strided)+len(c.patterns)+len(c.accumulators)+len(c.s.collected) > 0 {
		return max(c.Lanes(), c.ISA().Bytes())
	}
	return 1
}

// difference returns the difference of a limit at the first iteration of a row, as int32 of which the absolute value is at most
// farthest.
func (b *body) difference(l limit) asm.Reg {
	t := l.x.Type()
	in := b.as(t)
	minus := func(x asm.Operand, y asm.Operand) asm.Reg { return in.Binary(asm.Sub, t.Float(), in.Load(x), y) }
	x := in.Load(b.expr(l.x))
	switch {
	case l.lookup == nil:
		x = minus(x, b.expr(l.y))
	case l.atLeast:
		x = b.above(l.lookup, l.dim, x)
	default:
		x = minus(b.param(ParamUse{Param: l.lookup.Array, Type: t, Part: kernel.TableMost, Dim: l.dim}), b.above(l.lookup, l.dim, x))
	}
	x = b.near(t, x)
	if l.less > 0 {
		index := b.In(4, false)
		x = index.Binary(asm.Sub, false, x, index.Splat(uint64(l.less)))
	}
	return x
}

// near returns an integer that lanes hold as t as int32; farthest, with its sign, if its absolute value is greater.
func (b *body) near(t ir.Type, x asm.Reg) asm.Reg {
	in := b.as(t)
	if t == ir.Float64 {
		most := in.Extreme(asm.Min, x, in.Splat(math.Float64bits(farthest)))
		return in.Whole(in.Extreme(asm.Max, most, in.Splat(math.Float64bits(-farthest))))
	}
	minus := -farthest
	return b.place(t, in.Least(asm.Max, false, in.Least(asm.Min, false, x, in.Splat(farthest)), in.Splat(uint64(minus))))
}

// follows returns the cells of a vector that a lookup of the straight part finds; nil if they need not follow one another.
func (c *alongRow) follows(e *ir.Lookup) asm.Operand {
	if c.runs[e] == 0 {
		return nil
	}
	base, size, along := c.runs[e], e.T.Size(), c.s.lanesAlong()
	at := asm.Mem{Base: base, Index: c.x, Scale: size, Disp: c.passed * c.Lanes() * size}
	if c.s.down {
		at.Index, at.Disp = c.minus, (1-(c.passed+1)*c.Lanes())*size
	}
	if c.tails {
		return c.loadTail(c.of(e.T), at, along)
	}
	return at
}

// parts writes the loops over the parts of a row, and jumps to next at its end. The nodes from..to are the loop of the straight part,
// which computes the given number of the vectors that others have.
func (c *alongRow) parts(next asm.Label) (from, to, times int) {
	p := c.straight
	part, straight, beside, beyond := c.NewLabel("part"), c.NewLabel("straight"), c.NewLabel("beside"), c.NewLabel("beyond")
	left := func(word asm.Mem, to asm.Label) {
		c.Copy(word, c.left)
		c.SubFrom(c.x, c.left)
		c.JumpAfter(asm.Gt, to)
	}
	width := c.Word(FrameWidth)
	c.Label(part)
	c.JumpIf(c.x, asm.Eq, width, next)
	end := width
	if p.beyond.operands != nil {
		left(c.partWord(wordLow), beyond)
		c.Copy(width, c.left)
		c.SubFrom(c.x, c.left)
		end = c.partWord(wordHigh)
		c.JumpIf(c.x, asm.Ge, end, beyond)
	}
	left(c.partWord(wordFrom), beside)
	left(c.partWord(wordTo), straight)
	left(end, beside)
	c.Label(straight)
	from, to, times = c.decidedPart(&p.within, c.full, part)
	c.Label(beside)
	c.onePart(nil, part)
	if p.beyond.operands != nil {
		c.Label(beyond)
		c.decidedPart(&p.beyond, c.fullBeyond, part)
	}
	return from, to, times
}

// decidedPart writes what onePart does with full, or c if it is nil.
func (c *alongRow) decidedPart(d *decided, full *alongRow, end asm.Label) (from, to, times int) {
	x := c
	if full != nil {
		x = full
		x.loadFixed(int(c.keeps*mostFixed), d.own)
	}
	from, to, times = x.onePart(d, end)
	return from, to, times * x.Lanes() / c.Lanes()
}

// onePart writes the loops over the iterations of a part, as many as left has, and jumps to end.
func (c *alongRow) onePart(d *decided, end asm.Label) (from, to, times int) {
	tail, done := c.NewLabel("tail"), c.NewLabel("done")
	c.decided = d
	c.beginIndices()
	if d == &c.straight.within {
		c.align()
	}
	from, to, times = c.whole(tail)
	c.Label(tail)
	c.JumpIf(c.left, asm.Eq, asm.Imm(0), done)
	c.tail()
	c.AddTo(c.left, c.x)
	if c.backward {
		c.SubFrom(c.left, c.minus)
	}
	c.Label(done)
	c.Jump(end)
	c.decided = nil
	return from, to, times
}

// align computes the first iterations of a part, until the results of the vectors that follow fill cache lines: a store to two lines takes
// longer.
func (c *alongRow) align() {
	k := slices.IndexFunc(c.s.Streams, func(x Stream) bool { return x.written && (x.Along == 1 || x.Along == -1) })
	if c.atOnce() > 1 || c.decided.indices || k < 0 || c.pointers[k] == 0 {
		return
	}
	aligned, more, n, cell := c.NewLabel("aligned"), c.NewLabel("more"), c.General(), size(c.s.Streams[k].Elem)
	if c.s.Streams[k].Along > 0 {
		at := c.General()
		c.Address(asm.Mem{Base: c.pointers[k], Index: c.x, Scale: cell}, at)
		c.Clear(n)
		c.SubFrom(at, n)
	} else {
		c.Address(asm.Mem{Base: c.pointers[k], Index: c.minus, Scale: cell, Disp: cell}, n)
	}
	c.AndTo(asm.Int(c.Lanes()*cell-1), n)
	if cell > 1 {
		c.ShiftRight(bits.TrailingZeros(uint(cell)), n)
	}
	c.JumpIfZero(n, aligned)
	c.JumpIf(n, asm.Lt, c.left, more)
	c.Copy(c.left, n)
	c.Label(more)
	c.SubFrom(n, c.left)
	c.Copy(c.left, c.partWord(wordLeft)) // behind these iterations
	c.Copy(n, c.left)
	c.tail()
	c.AddTo(c.left, c.x)
	if c.backward {
		c.SubFrom(c.left, c.minus)
	}
	c.Copy(c.partWord(wordLeft), c.left)
	c.Label(aligned)
}

// beginIndices sets the indices of loops to the first iteration of a part.
func (c *alongRow) beginIndices() {
	for k, i := range c.s.Indices {
		if i.ByColumn == 0 || c.decided != nil && !c.decided.indices {
			continue
		}
		first, word := c.General(), c.partWord(wordIndex)
		c.Scaled(i.ByColumn, c.x, first)
		c.AddTo(c.Word(c.s.FrameIndex(k)), first)
		c.SubFrom(asm.Int(i.ByRow), first) // the word is of the next row
		c.Copy(first, word)
		c.startIndex(c.index[k], word, i.ByColumn)
	}
}

// fullLanes returns the state of vectors of a part that have more lanes than others, nil if there are none.
func (c *alongRow) fullLanes(d *decided) *alongRow {
	if d.own.spacedOut() || len(c.before)+len(c.reuses)+len(c.strided) > 0 {
		return nil
	}
	size := ownSize(d.own)
	if size == 0 || size >= d.own.lane {
		return nil
	}
	s := *d.own
	if s.lane = size; !s.computes() {
		return nil
	}
	s.n = c.s.n // with its own lookups
	f, x := *c.function, *c
	f.Machine, f.s = c.Filled(size), &s
	x.function = &f
	x.values, x.patterns, x.divide, x.index = nil, nil, nil, nil
	x.current, x.masks = maps.Clone(c.current), nil
	return &x
}
