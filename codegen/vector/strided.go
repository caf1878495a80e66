package vector

import "loopc/codegen/asm"

// A strided stream has a pointer to the cell of the step's first lane. Each step picks its cells one by one, or shuffles them
// if their distance is known and short, and moves the pointer on.
type strided struct {
	pointer         asm.Reg
	stride, stride3 asm.Reg // the bytes from a cell to the next, and three times as many
	lanes           asm.Reg // the cells of this step; 0: not picked yet
}

// beginStrided sets the pointers of strided streams to the beginning of a row.
func (c *alongRow) beginStrided() {
	c.strided = map[int]*strided{}
	for k := range c.s.Streams {
		if c.s.Streams[k].Along == Strided {
			x := &strided{pointer: c.General(), stride: c.General(), stride3: c.General()}
			c.Copy(c.pointers[k], x.pointer)
			c.Copy(c.Word(c.s.FrameStride(k)), x.stride)
			c.Scaled(3, x.stride, x.stride3)
			c.strided[k] = x
		}
	}
}

// shuffles reports whether shuffles can bring the cells of a stream side by side, if they have the distance that the declared bounds say.
func (c *alongRow) shuffles(x *Stream) bool {
	return x.Along == Strided && c.of(x.Elem).Deinterleaves(x.By)
}

// unlessSpaced jumps to apart if some stream to be shuffled has another distance, at run time, than the declared bounds say. It returns
// false, and writes nothing, if no stream is to be shuffled.
func (c *alongRow) unlessSpaced(apart asm.Label) bool {
	for k := range c.s.Streams {
		if x := &c.s.Streams[k]; c.shuffles(x) && !c.s.long() {
			c.JumpIf(c.Word(c.s.FrameStride(k)), asm.Ne, asm.Int(x.By*size(x.Elem)), apart)
			c.spaced = true
		}
	}
	return c.spaced
}

// forget begins a step: strided streams must pick their cells anew.
func (c *alongRow) forget() {
	for _, x := range c.strided {
		x.lanes = 0
	}
}

// picked returns the lanes of the strided stream k. The first read of a step picks the cells.
func (c *alongRow) picked(k int) asm.Reg {
	x, m := c.strided[k], c.of(c.s.Streams[k].Elem)
	switch {
	case x.lanes != 0:
	case !c.tails && c.spaced && c.shuffles(&c.s.Streams[k]):
		by := c.s.Streams[k].By
		x.lanes = m.Deinterleave(x.pointer, by)
		c.AddTo(asm.Int(m.Lanes()*by*m.LaneSize()), x.pointer)
	case !c.tails && m.LaneSize() == c.LaneSize() && m.LaneSize() >= 4:
		x.lanes = m.Pick(x.pointer, x.stride, x.stride3)
	case !c.tails:
		x.lanes = c.throughStack(m, x)
	default: // through the stack; lanes behind the end of the row get stale bytes
		cell, offset, end, more := c.General(), c.General(), c.General(), c.NewLabel("cell")
		c.Clear(offset)
		c.Scaled(m.LaneSize(), c.count, end)
		c.Label(more)
		c.CopyCell(asm.Mem{Base: x.pointer}, asm.Mem{Base: c.Base(), Index: offset, Scale: 1, Disp: c.buffer}, cell, m.LaneSize())
		c.AddTo(x.stride, x.pointer)
		c.AddTo(asm.Int(m.LaneSize()), offset)
		c.JumpIf(offset, asm.Lt, end, more)
		x.lanes = m.Load(c.Local(c.buffer))
	}
	return x.lanes
}

// throughStack returns the cells of a step that Pick does not move. It copies them to the stack, one by one, and loads a vector from there.
// The number of lanes is a multiple of 4.
func (c *alongRow) throughStack(m *asm.Machine, x *strided) asm.Reg {
	cell := c.General()
	for l := range m.Lanes() {
		from := asm.Strided(x.pointer, x.stride, x.stride3, l%4, 0)
		c.CopyCell(from, c.Local(c.buffer+l*m.LaneSize()), cell, m.LaneSize())
		if l%4 == 3 {
			c.AddTo(x.stride3, x.pointer)
			c.AddTo(x.stride, x.pointer)
		}
	}
	return m.Load(c.Local(c.buffer))
}
