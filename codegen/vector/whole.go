package vector

import (
	"slices"

	"loopc/codegen/asm"
	"loopc/ir"
)

// The number of vectors that an iteration of the loop along a row computes. It is greater for a short body, because
// counting, jumping, and addresses would otherwise take most of the time.
const (
	unroll      = 2
	unrollShort = 4
	shortBody   = 8 // operations and reads
)

// unrolled returns how many vectors the loop along a row computes at a time.
func (s *Shape) unrolled() int {
	n := 0
	s.each(func(e ir.Expr) {
		if !leaf(e) {
			n++
		}
	})
	if n <= shortBody {
		return unrollShort
	}
	return unroll
}

// whole writes the loops over the whole vectors of a row, which jump to tail if no vector is left. The nodes from..to
// are the loop that computes the given number of vectors at a time.
func (c *alongRow) whole(tail asm.Label) (from, to, times int) {
	if from, to, ok := c.overlapped(tail); ok {
		return from, to, 1
	}
	many, few, one := c.NewLabel("vectors"), c.NewLabel("few"), c.NewLabel("vector")
	of := c.s
	if c.decided != nil {
		of = c.decided.own
	}
	times = of.unrolled()
	early := c.loadsBeforeStores()
	if early {
		times = unrollShort
		c.waits = asm.LatencyStored / unrollShort
	}
	c.JumpIf(c.left, asm.Lt, asm.Int(times*c.Lanes()), few)
	c.Label(many)
	from = c.Mark()
	c.loadsFirst, c.pairs, c.firsts = early, times%2 == 0, map[int]asm.Reg{}
	for range times {
		c.vector()
	}
	c.pairs = false
	for _, store := range c.late {
		store()
	}
	c.loadsFirst, c.late = false, nil
	c.advance(times)
	c.JumpIf(c.left, asm.Ge, asm.Int(times*c.Lanes()), many)
	to = c.Mark()
	c.Label(few)
	c.JumpIf(c.left, asm.Lt, asm.Int(c.Lanes()), tail)
	c.Label(one)
	c.vector()
	c.advance(1)
	c.JumpIf(c.left, asm.Ge, asm.Int(c.Lanes()), one)
	return from, to, times
}

// loadsBeforeStores reports whether all vectors that an iteration of the loop computes should load before the first of them
// stores. This is for reads of cells that earlier iterations of the row write, but leave unchanged wherever the read is used: if a
// vector loaded cells of which the vector before has just stored a part, it would wait for that store. No load may need a
// result of the same row.
func (c *alongRow) loadsBeforeStores() bool {
	n, waits := c.s.n, false
	for id, r := range n.Reads {
		a, ok := c.s.reads[id]
		from := c.s.l.Reads[id]
		ofRow := ok && from.From == ir.FromBlock && from.Dist[:c.s.last].Sign() == 0
		switch {
		case !ok || ofRow && c.ofRow(a) || c.reuses[a.stream].has(a.back): // in registers
		case ofRow:
			return false
		default:
			waits = waits || c.s.readsStored(r)
		}
	}
	return waits
}

// readsStored reports whether a read is of cells of which earlier iterations of the row write some.
func (s *Shape) readsStored(r *ir.Read) bool {
	return slices.ContainsFunc(s.n.Assigns(r.Array), func(k int) bool { return s.behind(r.Subs, s.n.Body[k].(*ir.Assign).Subs) })
}

// behind reports whether a read, in the row that a write changes, is of cells that earlier iterations of the row write.
func (s *Shape) behind(read, write []ir.Affine) bool {
	back := 0 // more than 0: the cell read lies behind the cell written, in the direction of the row
	for m := range read {
		apart := read[m].PlusTimes(-1, write[m])
		along := s.Coefficient(write[m], s.last)
		if !apart.Equal(ir.Affine{Const: apart.Const}) || along == 0 && apart.Const != 0 {
			return false
		}
		back -= along * apart.Const
	}
	return back > 0
}

// vector computes a full vector.
func (c *alongRow) vector() {
	c.step()
	c.moveIndices(1)
	c.passed++
}

// moveIndices adds to each index what it grows by along the given number of vectors.
func (c *alongRow) moveIndices(vectors int) {
	if c.decided != nil && !c.decided.indices {
		return
	}
	for k, i := range c.s.Indices {
		c.addIndex(c.index[k], i.ByColumn*vectors*c.Lanes())
	}
}

// advance goes on along the row, by the given number of vectors.
func (c *alongRow) advance(times int) {
	lanes := asm.Imm(uint64(times * c.Lanes()))
	c.AddTo(lanes, c.x)
	if c.backward {
		c.SubFrom(lanes, c.minus)
	}
	c.SubFrom(lanes, c.left)
	c.passed = 0
}
