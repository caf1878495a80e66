package vector

import (
	"slices"

	"loopc/codegen/asm"
	"loopc/ir"
	"loopc/runtime/kernel"
)

// A lane of an exact sum holds two float64s, high and low, whose sum is the exact sum of what the lane has
// taken. An addend x goes to high, and what the rounding of this sum leaves goes to low, by
//
//	s = a + x,  b = s - a,  error = (a - (s - b)) + (x - b)
//
// where s + error = a + x exactly, unless s overflows (D. E. Knuth, The Art of Computer Programming, volume
// 2, section 4.2.2). If low would be rounded, too, then what it has goes to a list in memory (see arith.Sum.Lanes), and it begins
// anew with the error: else one addend with very low bits would have most that follow it be rounded. If s is not finite, the error
// is NaN; then the lane keeps what it has, and x goes to the list. All values of float32 are float64s.

// exact reports whether a reduction is a sum of floats.
func exact(r *ir.Reduce) bool { return r.Op == ir.ReduceSum && r.Type.Float() }

// parts is the number of vectors of float64 for a vector of values of an exact sum.
func (f *function) parts(r *ir.Reduce) int { return 8 / r.Type.Size() }

// wide is the machine for vectors of float64.
func (f *function) wide() *asm.Machine {
	if f.LaneSize() == 8 {
		return f.Machine
	}
	return f.Half()
}

// exactLanes is the memory of a pair of vectors of the k-th reduction.
func (f *function) exactLanes(k, pair int) asm.Mem {
	p := f.General()
	f.Copy(f.Word(f.s.FrameReduced(k)), p)
	return asm.Mem{Base: p, Disp: 8 * (kernel.SumFirst + pair*kernel.SumPair)}
}

// bytesOfPair is the size of a pair of vectors in memory and on the stack. The second vector is in the second half.
const bytesOfPair = 8 * kernel.SumPair

// loadExact loads a pair of vectors, and storeExact stores it.
func (f *function) loadExact(at asm.Mem) accumulator {
	wide := f.wide()
	return accumulator{wide.Load(at), wide.Load(at.Offset(bytesOfPair / 2))}
}

func (f *function) storeExact(a accumulator, at asm.Mem) {
	wide := f.wide()
	wide.Move(a.lanes, at)
	wide.Move(a.low, at.Offset(bytesOfPair/2))
}

// addends returns the values of an exact sum as vectors of float64: zeros in lanes outside the condition inside, if there is one.
func (f *function) addends(r *ir.Reduce, value asm.Operand, inside asm.Reg) []asm.Reg {
	x := f.Load(value)
	if inside != 0 {
		x = f.Choose(inside, x, f.Splat(0))
	}
	if r.Type == ir.Float64 {
		return []asm.Reg{x}
	}
	wide := f.wide()
	return []asm.Reg{wide.FromFloats(x.As(f.Bytes() / 2)), wide.FromFloats(f.Upper(x))}
}

// addExact adds a vector of float64 to an accumulator of the k-th reduction.
func (f *function) addExact(k int, x asm.Reg, to accumulator) {
	m := f.wide()
	sum := func(x, y asm.Reg) asm.Reg { return m.Binary(asm.Add, true, x, y) }
	less := func(x, y asm.Reg) asm.Reg { return m.Binary(asm.Sub, true, x, y) }
	high := sum(to.lanes, x)
	of := less(high, to.lanes) // of x in high
	left := sum(less(to.lanes, less(high, of)), less(x, of))
	low := sum(to.low, left)
	of = less(low, to.low)
	// The sum low is exact if its parts are what they should be.
	lost, lostToo := m.Compare(asm.Ne, true, of, left), m.Compare(asm.Ne, true, less(low, of), to.low)
	apart, added := m.NewLabel("inexact"), m.NewLabel("added")
	m.JumpIfHolds(lost, lostToo, apart)
	m.Move(high, to.lanes)
	m.Move(low, to.low)
	m.Label(added)
	m.Later(func() {
		m.Label(apart)
		lost, refused := m.Logic(asm.Or, lost, lostToo), m.Compare(asm.Ne, true, left, left)
		p, next := m.General(), m.General()
		m.Copy(f.Word(f.s.FrameReduced(k)), p)
		m.Copy(asm.Mem{Base: p}, next)
		m.Move(m.Choose(refused, x, m.Choose(lost, to.low, m.Splat(0))), asm.Mem{Base: next})
		m.AddTo(asm.Int(m.Bytes()), asm.Mem{Base: p})
		m.Move(m.Choose(refused, to.lanes, high), to.lanes)
		m.Move(m.Choose(refused, to.low, m.Choose(lost, left, low)), to.low)
		m.Jump(added)
	})
}

// moveOn moves the frame on to the rows that follow, if there are exact sums: see kernel.ExactSums.
func (c *alongRow) moveOn() {
	if !slices.ContainsFunc(c.s.n.Reduces(), exact) {
		return
	}
	for k, p := range c.pointers {
		if c.idle(k) { // it has the cells of another one
			p = c.pointers[c.s.store[slices.Index(c.s.back, k)]]
		}
		c.Copy(p, c.Word(c.s.FrameAt(k)))
	}
}

// stackedExact is the place on the stack of a pair of vectors of the k-th reduction.
func (f *front) stackedExact(k, pair int) asm.Mem {
	return f.Local(f.reduced[k] + pair*bytesOfPair)
}
