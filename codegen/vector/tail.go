package vector

import (
	"slices"

	"loopc/codegen/asm"
	"loopc/runtime/kernel"
	"loopc/transform/plan"
)

// The last iterations of a row may be fewer than the lanes of a vector. Masks leave out the other
// lanes. If an instruction set has no masks for cells of some size, such cells are copied to and from
// the stack.

// repeatable reports whether iterations of a row may be computed twice, with the same results. The last vector of a row
// may then begin within the vector before it, and needs no mask. Nothing may overwrite what iterations read, and no step
// may read what the step before has left in registers. Accumulators are refused: their rows may share cells in a block.
func (c *alongRow) repeatable() bool {
	s := c.s
	overwritten := func(v plan.Value) bool { return len(v.Overwrites) > 0 }
	counts := func(i Index) bool { return i.ByColumn != 0 }
	switch r := kernel.NewRotating(s.p); {
	case r != nil && r.Stored < r.Levels, s.p.InPlace, slices.ContainsFunc(s.p.Values, overwritten):
		return false // a level or a result overwrites what iterations read
	case len(c.strided)+len(c.before)+len(c.reuses) > 0, slices.ContainsFunc(s.Indices, counts):
		return false
	case len(c.accumulators)+len(s.collected) > 0:
		return false
	}
	written := map[int]bool{}
	for k := range s.Streams {
		x := &s.Streams[k]
		array := x.Array
		if x.Memory == Live {
			array = s.p.Values[x.Value].Array // a run may compute on the array itself
		}
		written[array] = written[array] || x.written
	}
	for k := range s.Streams {
		if x := &s.Streams[k]; x.Memory == Given && written[x.Array] {
			return false
		}
	}
	return true
}

// lastVector computes the last iterations of a row as one whole vector, which computes iterations of the
// vector before it again. The row has at least one whole vector.
func (c *alongRow) lastVector() {
	c.SubFrom(asm.Imm(uint64(c.Lanes())), c.left)
	c.AddTo(c.left, c.x)
	if c.backward {
		c.SubFrom(c.left, c.minus)
	}
	c.step()
}

// lastOfRow writes what computes the iterations behind the whole vectors of a row that has no straight part. The code jumps to
// next when the row is done, and to middle if whole vectors follow. endStep is at ending, for ends that lastStep leaves.
func (c *alongRow) lastOfRow(ending, middle, next asm.Label) {
	f := c.function
	if f.ends() {
		f.AddTo(f.Word(c.s.FrameLast()), c.left)
	}
	f.JumpIf(c.left, asm.Eq, asm.Imm(0), next)
	if f.ends() {
		c.lastStep(ending)
		f.Jump(next)
		f.Label(ending)
		c.endStep()
		f.JumpIf(c.left, asm.Gt, asm.Imm(0), middle)
		return
	}
	if c.repeatable() {
		masked := f.NewLabel("masked")
		f.JumpIf(c.x, asm.Eq, asm.Imm(0), masked)
		c.lastVector()
		f.Jump(next)
		f.Label(masked)
	}
	c.tail()
}

// A maskKey identifies a mask by the size of the cells, and by the order of the lanes: the order of
// iterations, or the reverse. If conditions are in mask registers, one mask serves all sizes.
type maskKey struct {
	size     int
	backward bool
	less     int
}

// mask is the condition, for cells of m's size, that a lane has an iteration of the row other than the last ones; less is the
// number of these.
func (c *alongRow) mask(m *asm.Machine, along, less int) asm.Reg {
	key := maskKey{m.LaneSize(), along < 0, less}
	if m.MovesLanes() {
		key.size, m = 0, c.Machine
	}
	if c.masks[key] == 0 {
		count := c.count
		if less > 0 {
			count = c.General()
			c.Copy(c.count, count)
			c.SubFrom(asm.Int(less), count)
		}
		if along < 0 {
			zero := c.General()
			c.Clear(zero)
			lanes, first := c.General(), c.General()
			c.Copy(asm.Int(c.Lanes()), lanes)
			c.Copy(lanes, first)
			c.SubFrom(count, first)
			c.masks[key] = m.Inside(zero, first, lanes)
		} else {
			c.masks[key] = m.Below(count)
		}
	}
	return c.masks[key]
}

// loadTail returns a vector with the last cells of a row.
func (c *alongRow) loadTail(m *asm.Machine, at asm.Mem, along int) asm.Reg {
	if c.Masks(m.LaneSize()) {
		return m.LoadMasked(at, c.mask(m, along, 0))
	}
	from := c.General()
	c.Address(at, from)
	c.copyTail(m, along, func(offset asm.Reg) (asm.Mem, asm.Mem) {
		return asm.Mem{Base: from, Index: offset, Scale: 1}, asm.Mem{Base: c.Base(), Index: offset, Scale: 1, Disp: c.buffer}
	})
	return m.Load(c.Local(c.buffer))
}

// storeTail stores the lanes of the last cells of a row.
func (c *alongRow) storeTail(m *asm.Machine, lanes asm.Reg, at asm.Mem, along int) {
	if c.Masks(m.LaneSize()) {
		m.StoreMasked(lanes, c.mask(m, along, 0), at)
		return
	}
	m.Move(lanes, c.Local(c.buffer))
	to := c.General()
	c.Address(at, to)
	c.copyTail(m, along, func(offset asm.Reg) (asm.Mem, asm.Mem) {
		return asm.Mem{Base: c.Base(), Index: offset, Scale: 1, Disp: c.buffer}, asm.Mem{Base: to, Index: offset, Scale: 1}
	})
}

// copyTail copies the last cells of a row, in pieces whose numbers of cells are powers of two. If the
// stream runs backward, these cells are at the end of a vector in memory. ends returns the source and
// the destination at an offset.
func (c *alongRow) copyTail(m *asm.Machine, along int, ends func(offset asm.Reg) (from, to asm.Mem)) {
	offset, through := c.General(), c.General()
	if along < 0 {
		c.Copy(asm.Int(c.Lanes()), offset)
		c.SubFrom(c.left, offset)
		if m.LaneSize() > 1 {
			c.Scaled(m.LaneSize(), offset, offset)
		}
	} else {
		c.Clear(offset)
	}
	from, to := ends(offset)
	for cells := c.Lanes() / 2; cells > 0; cells /= 2 {
		next := c.NewLabel("copied")
		c.JumpIfClear(cells, c.left, next)
		if bytes := cells * m.LaneSize(); bytes > 8 {
			x := c.Make(asm.Vector, bytes)
			c.MoveIndex(from, x)
			c.MoveIndex(x, to)
		} else {
			c.CopyCell(from, to, through, bytes)
		}
		c.AddTo(asm.Int(cells*m.LaneSize()), offset)
		c.Label(next)
	}
}
