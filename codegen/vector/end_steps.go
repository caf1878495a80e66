package vector

import (
	"slices"

	"loopc/codegen/asm"
	"loopc/ir"
)

// ends reports whether the function computes whole rows although they have reads beyond bounds. It needs masks for all cells.
func (f *function) ends() bool {
	return len(f.s.Ends) > 0 && !slices.ContainsFunc(f.s.Streams, func(x Stream) bool { return x.Along == Strided || !f.Masks(size(x.Elem)) })
}

// A place says which reads beyond bounds a step has: none (inside), those of any iterations, of the row's first ones, or of its last ones.
type place int

const (
	inside place = iota
	anywhere
	atFirst
	atLast
)

// firstStep writes a vector of the first iterations of a row, if they read beyond bounds. A row whose reads all have their cells before it
// within the bounds goes to middle at once. A row that is short, or does not begin where the loop begins, goes to ending.
func (c *alongRow) firstStep(ending asm.Label) {
	near, middle := c.NewLabel("near"), c.NewLabel("middle")
	// before jumps if, at some end, the number of cells between the bound and the row passes the test. any: some read may be before the bounds.
	before := func(test asm.Test, cells func(e *End) int, to asm.Label) (any bool) {
		for k := range c.s.Ends {
			if e := &c.s.Ends[k]; e.Before > 0 {
				c.JumpIf(c.Word(c.s.FrameEnd(k)), test, asm.Int(cells(e)), to)
				any = true
			}
		}
		return any
	}
	if !before(asm.Lt, func(e *End) int { return e.back }, near) {
		return
	}
	c.Jump(middle)
	c.Label(near)
	before(asm.Ne, (*End).cellsBefore, ending)
	least := c.General()
	c.Copy(c.Word(c.s.FrameLast()), least)
	c.AddTo(asm.Int(c.Lanes()), least)
	c.JumpIf(c.left, asm.Lt, least, ending)
	c.place = atFirst
	c.step()
	c.nextVector()
	c.Label(middle)
}

// lastStep writes a vector of the last iterations of a row. It jumps to ending if there are more iterations than lanes, or if the row
// does not end where the loop ends.
func (c *alongRow) lastStep(ending asm.Label) {
	any := false
	for k := range c.s.Ends {
		if e := &c.s.Ends[k]; e.After > 0 {
			c.JumpIf(c.Word(c.s.FrameEnd(k)+1), asm.Ne, asm.Int(e.cellsAfter()), ending)
			any = true
		}
	}
	if any {
		c.JumpIf(c.left, asm.Gt, asm.Int(c.Lanes()), ending)
		c.place = atLast
	}
	c.tail()
	c.place = inside
}

// cellsBefore is the number of cells between the bound and a row that begins where the loop begins, cellsAfter that between a row that ends
// where the loop ends and the bound.
func (e *End) cellsBefore() int { return e.back - e.Before }
func (e *End) cellsAfter() int  { return e.reach - e.After }

// nextVector goes on to the next vector.
func (c *alongRow) nextVector() {
	c.place = inside
	for k, i := range c.s.Indices {
		c.addIndex(c.index[k], i.ByColumn*c.Lanes())
	}
	c.advance(1)
}

// endStep computes a vector at an end of a row, or both ends. It leaves out lanes without an iteration.
func (c *alongRow) endStep() {
	few := c.NewLabel("narrow")
	c.count = c.General()
	c.Copy(c.left, c.count)
	c.JumpIf(c.count, asm.Le, asm.Int(c.Lanes()), few)
	c.Copy(asm.Int(c.Lanes()), c.count)
	c.Label(few)
	c.place, c.lanesBelow = anywhere, map[belowKey]asm.Reg{}
	c.tail()
	c.count = c.left
	c.nextVector()
}

// A belowKey identifies a condition of lanes: those below a limit, for cells of a size.
type belowKey struct {
	end, by int
	after   bool
	size    int
}

// limit returns a number of lanes, from 0 to all. A read reaches so many columns back (by): its lanes below the limit are before the bounds.
// If after is set, the read reaches as many columns forward, and its lanes from the limit on are behind the bounds.
func (c *alongRow) limit(end, by int, after bool) asm.Reg {
	limit := c.General()
	if after {
		c.Copy(c.Word(c.s.FrameEnd(end)+1), limit)
		c.AddTo(c.left, limit)
		c.AddTo(asm.Int(by), limit)
	} else {
		c.Copy(asm.Int(by), limit)
		c.SubFrom(c.Word(c.s.FrameEnd(end)), limit)
		c.SubFrom(c.x, limit)
	}
	some, most := c.NewLabel("some"), c.NewLabel("most")
	c.JumpIf(limit, asm.Ge, asm.Imm(0), some)
	c.Clear(limit)
	c.Label(some)
	c.JumpIf(limit, asm.Le, asm.Int(c.Lanes()), most)
	c.Copy(asm.Int(c.Lanes()), limit)
	c.Label(most)
	return limit
}

// below is the condition of lanes below a limit. Few conditions are kept.
func (c *alongRow) below(m *asm.Machine, end, by int, after bool) asm.Reg {
	key := belowKey{end, by, after, m.LaneSize()}
	if r, ok := c.lanesBelow[key]; ok {
		return r
	}
	r := m.Below(c.limit(end, by, after))
	if len(c.lanesBelow) < mostBelow {
		c.lanesBelow[key] = r
	}
	return r
}

// mostBelow is how many conditions of lanes at an end stay in registers.
const mostBelow = 3

// readsEnd reports whether a read may be beyond the bounds of its array in this step.
func (c *alongRow) readsEnd(r *ir.Read) bool {
	past := c.s.beyondEnds[r.ID]
	switch c.place {
	case atFirst:
		return past[0] > 0
	case atLast:
		return past[1] > 0
	}
	return c.place == anywhere && past != [2]int{}
}

// loadFirst does what loadEnd does, in firstStep: the lanes of cells within the bounds are moved up.
func (c *alongRow) loadFirst(r *ir.Read, a access) asm.Reg {
	m, k, past := c.of(r.T), c.s.endOf[a.stream], c.s.beyondEnds[r.ID][0]
	word := c.s.FrameEnd(k) + 2
	beyond := c.endCell(m, a.stream, word+past-1)
	for e := past - 2; e >= 0; e-- {
		beyond = m.Up(c.endCell(m, a.stream, word+e), beyond, c.Lanes()-1)
	}
	cells := m.Load(c.inOrder(m, c.s.Streams[a.stream].Along, m.Load(c.cell(a.stream, a.back-past))))
	return m.Up(cells, beyond, past)
}

// loadLast does what loadEnd does, in lastStep.
func (c *alongRow) loadLast(r *ir.Read, a access) asm.Reg {
	m, k, past := c.of(r.T), c.s.endOf[a.stream], c.s.beyondEnds[r.ID][1]
	along := c.s.Streams[a.stream].Along
	lanes := m.Load(c.inOrder(m, along, m.LoadMasked(c.cell(a.stream, a.back), c.mask(m, along, past))))
	word := c.s.FrameEnd(k) + 2 + c.s.Ends[k].Before
	for e := range past {
		lanes = m.Choose(c.mask(m, 1, past-e), lanes, c.endCell(m, a.stream, word+e))
	}
	return lanes
}

// loadEnd returns the lanes of a read that may be beyond the bounds of its array.
func (c *alongRow) loadEnd(r *ir.Read, a access) asm.Reg {
	switch c.place {
	case atFirst:
		return c.loadFirst(r, a)
	case atLast:
		return c.loadLast(r, a)
	}
	x, m := &c.s.Streams[a.stream], c.of(r.T)
	masks := m
	if m.MovesLanes() { // a mask has a bit for each lane, of any size: below can share it
		masks = c.Machine
	}
	k, past := c.s.endOf[a.stream], c.s.beyondEnds[r.ID]
	before, after := past[0], past[1]
	first, end := c.General(), c.General()
	c.Clear(first)
	c.Copy(c.count, end)
	if before > 0 {
		first = c.limit(k, a.back, false)
	}
	if after > 0 {
		limit := c.limit(k, a.back, true)
		nearer := c.NewLabel("nearer")
		c.JumpIf(end, asm.Le, limit, nearer)
		c.Copy(limit, end)
		c.Label(nearer)
	}
	if x.Along < 0 { // in memory, the lanes are in the opposite order
		lowest := c.General()
		c.Copy(asm.Int(c.Lanes()), lowest)
		c.SubFrom(end, lowest)
		c.Copy(asm.Int(c.Lanes()), end)
		c.SubFrom(first, end)
		first = lowest
	}
	zero := c.General()
	c.Clear(zero)
	lanes := m.LoadMasked(c.cell(a.stream, a.back), masks.Inside(zero, first, end))
	if x.Along < 0 {
		lanes = m.Reverse(lanes)
	}
	word := c.s.FrameEnd(k) + 2
	for e := range before {
		lanes = m.Choose(c.below(masks, k, a.back-e, false), c.endCell(m, a.stream, word+e), lanes)
	}
	for e := range after {
		lanes = m.Choose(c.below(masks, k, a.back+e, true), lanes, c.endCell(m, a.stream, word+c.s.Ends[k].Before+e))
	}
	return lanes
}

// endCell is a cell that a read beyond the bounds gives, in all lanes. The word of the frame has its distance from the stream's
// first cell.
func (c *alongRow) endCell(m *asm.Machine, stream, word int) asm.Reg {
	offset := c.General()
	c.Copy(c.Word(word), offset)
	return m.Broadcast(asm.Mem{Base: c.pointers[stream], Index: offset, Scale: 1})
}
