package vector

import "loopc/codegen/asm"

// A strided stream has a pointer to the cell of the step's first lane. Each step collects its cells one by one, and
// moves the pointer on.
type strided struct {
	at, by, by3 asm.Reg // the pointer, and once and three times the bytes to the next cell
	lanes       asm.Reg // the cells of this step; 0: not collected yet
}

// beginStrided sets the pointers of strided streams to the beginning of a row.
func (c *alongRow) beginStrided() {
	c.strided = map[int]*strided{}
	for k := range c.s.Streams {
		if c.s.Streams[k].Along == Strided {
			x := &strided{at: c.General(), by: c.General(), by3: c.General()}
			c.Copy(c.pointers[k], x.at)
			c.Copy(c.Word(c.s.FrameStride(k)), x.by)
			c.Scaled(3, x.by, x.by3)
			c.strided[k] = x
		}
	}
}

// forget begins a step: the cells of the one before are of no use.
func (c *alongRow) forget() {
	for _, x := range c.strided {
		x.lanes = 0
	}
}

// collected returns the cells of a strided stream.
func (c *alongRow) collected(k int) asm.Reg {
	x, m := c.strided[k], c.of(c.s.Streams[k].Elem)
	switch {
	case x.lanes != 0:
	case !c.tails:
		x.lanes = m.Collect(x.at, x.by, x.by3)
	default: // by way of the stack, of which the last lanes get what is there
		cell, offset, end, more := c.General(), c.General(), c.General(), c.NewLabel("cell")
		c.Clear(offset)
		c.Scaled(m.Lane(), c.left, end)
		c.Label(more)
		c.CopyCell(asm.Mem{Base: x.at}, asm.Mem{Base: c.Base(), Index: offset, Scale: 1, Disp: c.buffer}, cell, m.Lane())
		c.AddTo(x.by, x.at)
		c.AddTo(asm.Int(m.Lane()), offset)
		c.JumpIf(offset, asm.Lt, end, more)
		x.lanes = m.Load(c.Local(c.buffer))
	}
	return x.lanes
}
