package vector

import "loopc/codegen/asm"

// longStep is from how many instructions on vectors on a step with divisions is computed in two halves. Of shorter steps,
// processors compute several at a time anyway.
const longStep = 64

// overlapped writes the loop over the whole vectors of a row such that it computes the first half of the next vector before the
// second half of this one: see asm.Halved. It reports whether that is worthwhile; if not, it writes nothing. Loads of the next
// vector precede stores of this one, so nothing may overwrite what iterations read.
func (c *alongRow) overlapped(tail asm.Label) (from, to int, ok bool) {
	if !c.MovesLanes() || c.ends() || c.group != nil || c.spaced || c.wrong != 0 || c.divide != nil || !c.repeatable() {
		return 0, 0, false
	}
	begin := c.Mark()
	this, ok := c.half()
	if !ok {
		return 0, 0, false
	}
	c.passed = 1
	next, ok := c.half()
	c.passed = 0
	if !ok || !this.Fits(c.Machine) {
		c.Forget(begin)
		return 0, 0, false
	}
	loop, last := c.NewLabel("vectors"), c.NewLabel("few")
	c.JumpIf(c.left, asm.Lt, asm.Int(c.Lanes()), tail)
	this.First(c.Machine)
	c.JumpIf(c.left, asm.Lt, asm.Int(2*c.Lanes()), last)
	c.Label(loop)
	from = c.Mark()
	next.First(c.Machine)
	this.Second(c.Machine)
	if !next.Become(c.Machine, &this) {
		c.Forget(begin)
		return 0, 0, false
	}
	c.advance(1)
	c.JumpIf(c.left, asm.Ge, asm.Int(2*c.Lanes()), loop)
	to = c.Mark()
	c.Label(last)
	this.Second(c.Machine)
	c.advance(1)
	c.halved = true
	return from, to, true
}

// half returns a vector's step in two halves. ok is false if it has none, or if they are not worthwhile.
func (c *alongRow) half() (h asm.Halved, ok bool) {
	from := c.Mark()
	c.step()
	var cost asm.Cost
	cost.Count(c.Machine, from, c.Mark(), 1)
	cost.Bound(c.Machine)
	if cost.Arithmetic+cost.Other < longStep || cost.Divider >= cost.Ports[asm.Whole] {
		c.Forget(from)
		return h, false
	}
	if h, ok = c.Halve(from); !ok {
		c.Forget(from)
	}
	return h, ok
}
